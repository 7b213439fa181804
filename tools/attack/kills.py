"""Kills builds: instead of each system call, right after it, and at random moments.

The layers that the manifest lists afterwards are right, and the same command goes on to the same
tables, even if it is killed again, or another build works in the same directory.
"""

import signal
import time

from .campaign import Wrong, require, wait
from .scenes import CYCLES, Build
from .tracer import Tracer


def run(campaign):
    tracer = Tracer(campaign)
    builds = [Build(campaign, 5, cycles, begun) for cycles in CYCLES for begun in (None, 3)]
    builds += [Build(campaign, 5, cycles, little=True) for cycles in CYCLES]
    calls = []
    for build in builds:
        build.prepare()
        ended, seen = tracer.run(build.directory, build.words)
        require(ended.status == 0, lambda: f"{build.name}: {ended}")
        numbers = range(1, len(seen) + 1)
        calls += [(build, number, how) for number in numbers for how in ("kill", "killed")]
    at_calls = len(calls)
    campaign.notes.append(f"{at_calls:,} places to be killed at, and random moments")

    seeds = (12, 11) if campaign.long else (11, 9)
    larger = [
        Build(campaign, seeds, cycles, threads=threads, little=threads == 2, checkpoint=True)
        for cycles, seeds in zip(CYCLES, seeds)
        for threads in (1, 2)
    ]
    for build in larger:
        begin = time.monotonic()
        build.made_by(build.words)
        build.seconds = time.monotonic() - begin

    for number in campaign.trials(80, at_calls, until=0.5):
        campaign.attempt(number, at_a_call, tracer, *calls[number])
    for number in campaign.trials(24, first=at_calls):
        kind = number - at_calls
        how = (at_random_moments, two_at_once)[kind // len(larger) % 2]
        campaign.attempt(number, how, larger[kind % len(larger)])


def at_a_call(campaign, tracer, build, number, how):
    what = f"{build.name}, {how} at call {number}"
    build.prepare()
    ended, _ = tracer.run(build.directory, build.words, number, how)
    # The number of calls differs a little between runs.
    require(ended.status in (0, 128 + signal.SIGKILL), lambda: f"{what}: {ended}")
    after(build, what)


def at_random_moments(campaign, build):
    build.prepare()
    moments = []
    for _ in range(campaign.random.choice((1, 1, 2, 3))):
        moments.append(campaign.random.uniform(0, 1.1) * build.seconds)
        process = start(campaign, build)
        time.sleep(moments[-1])
        kill(process)
    shown = ", ".join(f"{moment:.3f}" for moment in moments)
    after(build, f"{build.name}, killed after {shown} s")


def two_at_once(campaign, build):
    """One of two builds reports that the other is at work, or finds the tables finished."""
    build.prepare()
    first = start(campaign, build)
    time.sleep(campaign.random.uniform(0, 1) * build.seconds)
    second = start(campaign, build)
    is_killed = campaign.random.random() < 0.5
    if is_killed:
        time.sleep(campaign.random.uniform(0, 0.5) * build.seconds)
        kill(first)
    what = f"{build.name}, two at once{', the first killed' if is_killed else ''}"
    for process in (first, second):
        if process.returncode is not None:
            continue
        errors = process.stderr.read().decode()
        status = wait(process)
        is_right = status == 0 or (status == 3 and "error:" in errors)
        require(is_right, f"{what}: a builder ended with {status}: {errors}")
    statuses = {first.returncode, second.returncode}
    require(is_killed or 0 in statuses, f"{what}: neither of them has built anything")
    if 0 in statuses:
        build.require_done(what)
    after(build, what)


def start(campaign, build):
    return campaign.start(*build.words)


def kill(process):
    process.kill()
    process.wait()
    process.stderr.close()


def after(build, what):
    try:
        build.require_finished_layers_right()
        build.finish()
    except Wrong as wrong:
        raise Wrong(f"{what}: {wrong}") from None
