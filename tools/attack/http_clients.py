"""Many malicious clients of `granero serve` at once, while the answers to an honest one are
timed; `http.py` says more."""

import os
import subprocess
import sys

from .campaign import require

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "http.py")

# The times of honest clients mean nothing on a busy machine.
SHORT = ["--any-time", "--seconds", "2", "--connections", "1000"]
SHORT += ["idle", "heads", "bodies", "keep-alive", "nested"]

# Far more than a run takes, in seconds.
PATIENCE = 1800


def run(campaign):
    for number in campaign.trials(1, 1):
        campaign.attempt(number, trial)


def trial(campaign):
    words = [sys.executable, PROGRAM, "--server", campaign.granero]
    words += [] if campaign.long else SHORT
    ended = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE
    )
    output = ended.stdout.decode(errors="replace")
    require(ended.returncode == 0, f"`{' '.join(words)}` ended with {ended.returncode}: {output}")
    if campaign.long:
        print(output, end="")
