"""The referee against malicious engines.

Each engine gets the right verdict, within bounded memory and time, and none outlives the referee.
"""

import json
import os
import random
import shlex
import signal
import sys
import time

from .campaign import MODEST, require
from .scenes import Build

# The verdict on each engine: the kinds of faults, or `None` if the referee cannot start.
MANNERS = {
    "good": (),
    "endless-line": ("timeout",),
    "flood": ("timeout",),
    "empty-lines": ("timeout",),
    "noise": ("timeout",),
    "drip": ("timeout",),
    "huge-move": ("timeout", "nonsense"),
    "huge-remark": (),
    "long-name": (),
    "nul": ("nonsense",),
    "not-utf-8": ("nonsense",),
    "other-side": ("illegal",),
    "zero": ("no-move",),
    "word": ("nonsense",),
    "nothing-said": ("nonsense",),
    "many-moves": (),
    "silent": ("timeout",),
    "closes-its-input": ("timeout", "ended"),
    "closes-its-output": ("ended",),
    "ends": ("ended",),
    "crashes": ("ended",),
    "stops": ("timeout",),
    "child": (),
    "busy": ("timeout",),
    "errors": (),
    "stubborn": (),
}

# The referee waits for these at the start, for ten seconds.
UNREADY = ("deaf", "shouts", "never-ready")

# Marks all processes that the referee starts, in their environment.
MARK = "GRANERO_ATTACK"


def run(campaign):
    build = Build(campaign, 6, "split")
    build.made_by(build.words)
    trials = [(misbehaves, manner) for manner in MANNERS]
    if campaign.long:
        trials += [(is_not_ready, manner) for manner in UNREADY]
    for number in campaign.trials(len(trials), len(trials)):
        trial, manner = trials[number]
        campaign.attempt(number, trial, build.directory, manner)


def command(directory, manner, seed):
    engine = os.path.join(os.path.dirname(os.path.abspath(__file__)), "engine.py")
    engine = f"{shlex.quote(sys.executable)} -SE {shlex.quote(engine)} {manner}"
    words = ["referee", "--engine", engine, "--db", directory, "--quiet", "--json"]
    words += ["--random", 3, "--seed", seed, "--movetime", 50, "--restarts", 2]
    # Enough time for an engine that does answer, even on a busy machine.
    kinds = MANNERS.get(manner, ())
    return [*words, "--grace", 200 if "timeout" in kinds else 20_000]


def of_engines(mark):
    """The processes that a referee has started: the engine and its children."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                is_marked = f"{MARK}={mark}".encode() in file.read().split(b"\0")
            with open(f"/proc/{name}/cmdline", "rb") as file:
                is_marked = is_marked and b"engine.py" in file.read().split(b"referee")[0]
        except OSError:
            continue
        if is_marked:
            found.append(int(name))
    return found


def require_none_left(mark, what):
    end = time.monotonic() + 10
    while left := of_engines(mark):
        if time.monotonic() > end:
            for process in left:
                os.kill(process, signal.SIGKILL)
            require(False, f"{what}: the engine is left behind")
        time.sleep(0.02)


def new_mark():
    return f"{os.getpid()}-{random.getrandbits(64)}"


def misbehaves(campaign, directory, manner):
    mark = new_mark()
    seed = campaign.random.randrange(1000)
    ended = campaign.run(*command(directory, manner, seed), environment={MARK: mark})
    ended.require_orderly((0, 1, 2))
    require(ended.memory < MODEST, lambda: f"{ended.memory >> 20} MiB: {ended}")
    require(ended.status in (0, 1), lambda: f"{manner}: {ended}")
    document = json.loads(ended.output)
    faults = {kind: count for kind, count in document["faults"].items() if count}
    what = f"{manner}: {faults}, {document['asked']} answers, {document['restarts']} restarts"
    expected = MANNERS[manner]
    is_right = set(faults) <= set(expected) and bool(faults) == bool(expected)
    require(is_right, f"{what}, but its faults are {expected}")
    require(document["asked"] > 0, f"{what}: it was asked nothing")
    require((ended.status == 1) == bool(faults), f"{what}: status {ended.status}")
    require_none_left(mark, what)


def is_not_ready(campaign, directory, manner):
    mark = new_mark()
    ended = campaign.run(*command(directory, manner, 1), environment={MARK: mark})
    ended.require_orderly((1, 2))
    require(ended.memory < MODEST, lambda: f"{ended.memory >> 20} MiB: {ended}")
    require_none_left(mark, manner)
