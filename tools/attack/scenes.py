"""Builds of small tables, which campaigns disturb."""

import json
import os
import shutil

from . import tables
from .campaign import require

CYCLES = ("split", "own-side")


class Build:
    """A build in a directory, with its content before and the expected content after."""

    def __init__(self, campaign, seeds, cycles, begun=None, threads=1, little=False, checkpoint=False):
        self.name = f"{cycles}, {seeds} seeds from {begun or 0}, {threads} threads"
        self.campaign, self.directory = campaign, campaign.path("db")
        self.words = ["build", "--quiet", "--db", self.directory, "--seeds", seeds]
        self.words += ["--cycles", cycles, "--threads", threads]
        if little:
            # There is no room for smaller layers in memory.
            estimate = campaign.run("estimate", "--json", *self.words[4:])
            self.name += ", little memory"
            self.words += ["--memory", f"{-(-json.loads(estimate.output)['memory_bytes'] // 1024)}K"]
        # Saves the layer in progress as often as possible.
        self.words += ["--checkpoint", "0ms"] if checkpoint else []
        self.begin = {}
        if begun is not None:
            # A stopped build may have left files.
            words = [*self.words[:5], begun, *self.words[6:]]
            place = "own-side/" if cycles == "own-side" else ""
            left = {f"{place}layer-01.granero.granero-tmp": b"half"}
            self.begin = {**self.made_by(words), **left}
        self.end = self.made_by(self.words)

    def made_by(self, words):
        self.clear()
        ended = self.campaign.run(*words)
        require(ended.status == 0, lambda: f"an undisturbed build: {ended}")
        return tables.content(self.directory)

    def clear(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def prepare(self):
        self.clear()
        tables.write(self.directory, self.begin)

    def require_finished_layers_right(self):
        if os.path.isdir(self.directory):
            tables.require_finished_layers_right(self.directory, self.end)

    def require_done(self, what, but=None):
        tables.require_same(self.directory, self.end, what, but)

    def finish(self):
        """The same command, undisturbed, makes the same tables in the end."""
        ended = self.campaign.run(*self.words)
        require(ended.status == 0, lambda: f"the build did not go on: {ended}")
        self.require_done("after the build went on")
