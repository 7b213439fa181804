"""Clients that mean no good, many at once, before `granero serve`, while the answers to an
honest one are timed: `http.py`, which says more."""

import os
import subprocess
import sys

from .campaign import require

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "http.py")

# The modes in which an honest client does not wait for processors, and so is answered in time
# on a busy machine, too.
SHORT = ["--seconds", "2", "--connections", "1000"]
SHORT += ["idle", "heads", "bodies", "keep-alive", "rebind"]


def run(campaign):
    if not os.path.exists(PROGRAM):
        campaign.notes.append("there is no http.py")
        return
    for number in campaign.trials(1, 1):
        campaign.attempt(number, trial)


def trial(campaign):
    words = [sys.executable, PROGRAM, "--server", campaign.granero]
    words += [] if campaign.long else SHORT
    ended = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = ended.stdout.decode(errors="replace")
    require(ended.returncode == 0, f"`{' '.join(words)}` ended with {ended.returncode}: {output}")
    if campaign.long:
        print(output, end="")
