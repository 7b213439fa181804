"""The base of all campaigns: repeatable trials, the program, and a temporary directory."""

import itertools
import math
import os
import random
import re
import resource
import select
import shutil
import subprocess
import sys
import tempfile
import time

# The time limit for one run of the program, in seconds. A run takes a fraction of a second; one that
# takes this long hangs.
PATIENCE = 60

# A campaign stops after this many findings.
MOST_FOUND = 10

# The limit on the program's memory, in bytes.
MOST_MEMORY = 4 << 30


class Wrong(Exception):
    """A finding: the program broke a promise."""


def require(condition, what):
    if not condition:
        raise Wrong(what() if callable(what) else what)


class Ended:
    """How a run of a program ended."""

    def __init__(self, words, status, output, errors):
        self.words, self.status = words, status
        self.output, self.errors = output, errors

    def __str__(self):
        errors = self.errors.decode(errors="replace").strip()
        return f"`{' '.join(self.words)}` ended with {self.status}: {errors[-800:]}"

    def require_orderly(self, allowed=(0, 1, 2, 3)):
        """Requires that there was no signal and no panic, and that errors are explained, without
        control characters."""
        require(self.status in allowed, lambda: f"an unexpected status: {self}")
        require(b"panicked at" not in self.errors, lambda: f"a panic: {self}")
        says_why = self.status in (0, 1) or b"error:" in self.errors
        is_clean = not re.search(rb"[\0-\x08\x0b-\x1a\x1c-\x1f\x7f]", self.errors)
        require(is_clean, lambda: f"control characters: {self}: {self.errors}")
        require(says_why, lambda: f"an error without a message: {self}")


class Campaign:
    """The trials of one campaign, and their findings."""

    def __init__(self, name, granero, options):
        self.name, self.granero = name, granero
        self.long, self.minutes = options.long, options.minutes
        self.seed, self.only = options.seed, options.trial
        self.count, self.found, self.notes = 0, [], []
        self.random = random.Random(f"{self.seed} {name}")

    def __enter__(self):
        # A program that breaks its bound must not use up the memory of the machine.
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, hard))
        self.begin, self.begin_work = time.monotonic(), processor_seconds()
        # In memory rather than on a disk, because no trial simulates a power failure.
        memory = "/dev/shm"
        place = memory if os.access(memory, os.W_OK) else None
        self.place = tempfile.mkdtemp(prefix="granero-attack-", dir=place)
        return self

    def __exit__(self, kind, error, trace):
        shutil.rmtree(self.place, ignore_errors=True)
        if isinstance(error, Wrong):
            # Outside any trial: the campaign could not start.
            self.found.append((None, str(error)))
            return True

    def path(self, name):
        return os.path.join(self.place, name)

    def trials(self, short, all_of=None, first=0, until=1):
        """The numbers of trials, each with a generator of its own in `self.random`.

        A short run makes `short` of them. A long run goes on until its time is over, or until
        it has made all `all_of` of them, in random order. A campaign with several kinds of trials
        calls this once for each: `first` is the number of the first trial of this kind, and `until`
        the fraction of the campaign's time at which the next kind begins.
        """
        if self.only is not None:
            is_one = first <= self.only < first + (all_of or 1 << 62)
            numbers = [self.only] if is_one else []
        elif all_of is not None:
            some = all_of if self.long else min(short, all_of)
            numbers = self.random.sample(range(first, first + all_of), some)
        else:
            numbers = itertools.count(first) if self.long else range(first, first + short)
        end = self.begin + 60 * self.minutes * until if self.long else math.inf
        for number in numbers:
            if len(self.found) >= MOST_FOUND or time.monotonic() > end:
                return
            self.random = random.Random(f"{self.seed} {self.name} {number}")
            self.count += 1
            yield number

    def attempt(self, number, trial, *arguments):
        """Runs one trial and keeps its finding, if any."""
        try:
            trial(self, *arguments)
        except Wrong as wrong:
            self.found.append((number, str(wrong)))

    def run(self, *words, words_before=()):
        """Runs the program to its end."""
        output, errors = self.path("output"), self.path("errors")
        with open(output, "wb") as out, open(errors, "wb") as err:
            process = self.start(*words, words_before=words_before, out=out, err=err)
        status, words = wait(process), process.args
        if status is None:
            raise Wrong(f"`{' '.join(words)}` does not end within {PATIENCE} s")
        with open(output, "rb") as out, open(errors, "rb") as err:
            return Ended(words, status, out.read(), err.read())

    def start(self, *words, words_before=(), out=subprocess.DEVNULL, err=subprocess.PIPE):
        """Starts the program; the caller waits for it."""
        words = [*words_before, self.granero, *map(str, words)]
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        # Output as on a terminal; elsewhere the program removes much of it.
        environment = {**kept, "CLICOLOR_FORCE": "1"}
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment)

    def report(self):
        """Prints the findings; returns true if there are none."""
        seconds = time.monotonic() - self.begin
        work = processor_seconds() - self.begin_work
        verdict = f"{len(self.found)} WRONG" if self.found else "nothing wrong"
        notes = "".join(f"; {note}" for note in self.notes)
        print(
            f"{self.name:8} {self.count:9,} trials, {verdict}, {seconds:.1f} s"
            f" ({work:.1f} s of processors){notes}",
            flush=True,
        )
        for number, what in self.found:
            print(f"  trial {number}: {what}")
            again = "" if number is None else f" --trial {number}"
            mode = " --long" if self.long else ""
            print(f"    again: tools/attack/run{mode} --seed {self.seed}{again} {self.name}")
        sys.stdout.flush()
        return not self.found


def wait(process):
    """The status of a process, 128 and more for a signal; None if it has to be killed."""
    descriptor = os.pidfd_open(process.pid)
    has_ended = select.select([descriptor], [], [], PATIENCE)[0]
    os.close(descriptor)
    if not has_ended:
        process.kill()
    code = process.wait()
    return (code if code >= 0 else 128 - code) if has_ended else None


def processor_seconds():
    """The processor time of this process and of all children that it has waited for."""
    both = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in both)
