"""Processes that a program starts while its threads look positions up."""

import multiprocessing
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import granero
from granero import Tables


def _look_up(tables, positions, expected):
    """Fails if tables, given open or by their directory, have other values of some positions."""
    if not isinstance(tables, Tables):
        tables = Tables.open(tables)
    assert [tables.value(houses) for houses in positions.tolist()] == expected
    assert tables.values(positions).tolist() == expected
    assert tables.layer(9)[::501].tolist() == expected


@pytest.mark.parametrize("method, processes", [("fork", 100), ("spawn", 2)])
def test_a_process_waits_for_no_thread_of_its_parent(place, method, processes):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"the system has no {method}")
    context = multiprocessing.get_context(method)
    positions = granero.unrank(9, np.arange(0, 167960, 501, dtype=np.uint64))
    tables = Tables.open(place)
    expected = tables.values(positions).tolist()
    ended = threading.Event()

    def ask(question):
        while not ended.is_set():
            question()

    questions = [
        lambda: tables.value(positions[0]),
        lambda: tables.values(positions),
        lambda: tables.line(positions[-1]),
    ]
    with ThreadPoolExecutor() as threads:
        asking = [threads.submit(ask, question) for question in questions]
        try:
            for number in range(processes):
                if number % 2:
                    # The model of a layer is read when it is first needed.
                    tables = Tables.open(place)
                    time.sleep(number % 20 * 2e-5)
                given = tables if method == "fork" else place
                child = context.Process(target=_look_up, args=(given, positions, expected))
                child.start()
                child.join(timeout=60)
                child.kill()
                child.join()
                assert child.exitcode == 0, "killed after a minute" if child.exitcode < 0 else ""
        finally:
            ended.set()
        assert [thread.result() for thread in asking] == [None] * len(asking)
