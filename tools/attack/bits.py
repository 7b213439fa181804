"""Flips one bit in a directory of tables.

Afterwards no verb prints anything else than before with exit status 0; and if the bit is in a layer's
file, `verify --quick` finds it. (`verify` proves the values, and may not mind a bit that no
value depends on. tests/library/tables/damage.rs tests single bits with the library.)
"""

import os

from . import tables
from .campaign import require
from .scenes import CYCLES, Build

# Together they need all layers.
QUERIES = """\
0 0 0 0 0 0 / 0 0 0 0 0 1
1 0 0 0 0 0 / 0 0 0 0 0 1
1 0 0 1 0 0 / 0 0 0 0 0 1
0 0 0 2 1 0 / 0 0 0 0 0 1
0 1 0 1 0 0 / 1 0 0 0 0 1
"""


class Tables:
    def __init__(self, campaign, seeds, cycles):
        build = Build(campaign, seeds, cycles)
        # Twice as many directories would show nothing more.
        names = [name for name in build.end if os.path.basename(name) != tables.LOCK]
        self.files = {name: build.end[name] for name in sorted(names)}
        self.name = build.name
        self.directory, self.verbs = build.directory, verbs(campaign, seeds, build.directory)
        build.prepare()
        tables.write(self.directory, self.files)
        self.answers = [campaign.run(*words) for words in self.verbs]
        for ended in self.answers:
            require(ended.status == 0, lambda: f"{self.name}: {ended}")
        self.bits = 8 * sum(map(len, self.files.values()))

    def flip(self, bit):
        """The name of the file that holds a bit, and its offset there."""
        for name, bytes in self.files.items():
            if bit < 8 * len(bytes):
                return name, bit
            bit -= 8 * len(bytes)


def verbs(campaign, seeds, directory):
    queries = campaign.path("queries")
    with open(queries, "w") as file:
        file.write(QUERIES)
    db = ("--db", directory)
    return [
        ("query", "--batch", queries, "--format", "json", *db),
        ("info", "--json", *db),
        ("stats", "--json", *db),
        ("export", "--layer", seeds, "--format", "csv", *db),
        ("verify", "--quick", *db),
        ("verify", *db),
    ]


def run(campaign):
    sizes = [4, 5] + ([8] if campaign.long else [])
    kinds = [(seeds, cycles) for seeds in sizes for cycles in CYCLES]
    first = 0
    for kind, (seeds, cycles) in enumerate(kinds, start=1):
        damaged = Tables(campaign, seeds, cycles)
        until = kind / len(kinds)
        for number in campaign.trials(75, damaged.bits, first, until):
            campaign.attempt(number, trial, damaged, number - first)
        first += damaged.bits
    campaign.notes.append(f"{first:,} bits")


def trial(campaign, damaged, bit):
    name, place = damaged.flip(bit)
    what = f"{damaged.name}, bit {place % 8} of byte {place // 8} of {name}"
    bytes = bytearray(damaged.files[name])
    bytes[place // 8] ^= 1 << place % 8
    path = os.path.join(damaged.directory, name)
    with open(path, "wb") as file:
        file.write(bytes)
    try:
        for words, usual in zip(damaged.verbs, damaged.answers):
            ended = campaign.run(*words)
            ended.require_orderly()
            if words[0] != "verify":
                is_same = ended.status != 0 or ended.output == usual.output
                require(is_same, lambda: f"{what}: another answer than usual: {ended}")
            elif "--quick" in words and not name.endswith(tables.MANIFEST):
                require(ended.status != 0, lambda: f"{what}: it is not found: {ended}")
    finally:
        with open(path, "wb") as file:
            file.write(damaged.files[name])
