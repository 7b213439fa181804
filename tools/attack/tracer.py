"""Runs the program with `faults.c`, which counts its system calls and lets one fail."""

import os
import subprocess

from .campaign import Wrong


class Tracer:
    def __init__(self, campaign):
        self.campaign = campaign
        self.program, self.log = campaign.path("faults"), campaign.path("calls")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faults.c")
        compiler = os.environ.get("CC", "cc")
        made = subprocess.run([compiler, "-O1", "-o", self.program, source], capture_output=True)
        if made.returncode != 0:
            raise Wrong(f"{source} cannot be compiled: {made.stderr.decode()}")

    def run(self, mark, words, number=None, action=None):
        """Runs the program; returns how it ended, and the names and paths of its calls for files,
        from the first whose path contains `mark`."""
        fault = [] if action is None else [str(number), action]
        ended = self.campaign.run(
            *words, words_before=[self.program, self.log, mark, *fault, "--"]
        )
        if ended.status == 125:
            raise Wrong(f"no system call can be traced here: {ended}")
        with open(self.log, errors="replace") as log:
            calls = [line.rstrip("\n").split(" ", 2)[1:] for line in log if line.count(" ") > 1]
        return ended, calls
