"""Clients that mean no good, many at once, before `granero serve`, while the answers to an
honest one are timed: `http.py`, which says more."""

import os
import subprocess
import sys

from .campaign import require

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "http.py")


def run(campaign):
    if not os.path.exists(PROGRAM):
        campaign.notes.append("there is no http.py")
        return
    for number in campaign.trials(1, 1):
        campaign.attempt(number, trial)


def trial(campaign):
    words = [sys.executable, PROGRAM, "--granero", campaign.granero]
    ended = subprocess.run(
        words + ["--long"] * campaign.long, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    output = ended.stdout.decode(errors="replace")
    require(ended.returncode == 0, f"`{' '.join(words)}` ended with {ended.returncode}: {output}")
    last = output.strip().rpartition("\n")[2]
    campaign.notes.append(last[:200])
