"""Compares the answers of Python and Rust for random positions, see bindings/reference."""

import subprocess

import numpy as np
import pytest

import granero
from conftest import REFERENCE


@pytest.mark.skipif(not REFERENCE, reason="GRANERO_REFERENCE names no program")
@pytest.mark.parametrize("cycles", ["split", "own-side"])
@pytest.mark.parametrize("directory", ["place", "deciding"])
def test_10_000_positions_are_worth_the_same(request, directory, cycles):
    place = request.getfixturevalue(directory)
    command = [REFERENCE, "answers", str(place), cycles, "10000", "2"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    answers = [[int(number) for number in line.split()] for line in lines]
    assert len(answers) == 10000
    tables = granero.Tables.open(place, cycles=cycles)
    positions = np.array([answer[:12] for answer in answers], np.uint8)
    low, high = tables.ranges(positions)
    assert low.tolist() == [answer[12] for answer in answers]
    assert high.tolist() == [answer[13] for answer in answers]
    values = np.where(low == high, low, granero.UNKNOWN)
    assert (tables.values(positions) == values).all()

    overs = [None, "no-seeds", "cannot-feed", "only-grand-slams"]
    unknown = (granero.UNKNOWN, granero.UNKNOWN)
    for houses, answer in zip(positions.tolist(), answers):
        found = tables.assess(houses)
        assert (found.range or unknown) == tuple(answer[14:16])
        assert (found.over and found.over.name) == overs[answer[16]]
        numbers = [len(found.moves)]
        for move in found.moves:
            play = move.play
            numbers += ["ABCDEF".index(move.house), play.captured, play.conceded, play.ends_game]
            numbers += [*(move.range or unknown), move.best]
        assert numbers == answer[17:]
    print(f"Python: {len(answers)} positions ({tables.extent}, {cycles}) as in Rust")
