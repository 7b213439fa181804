"""Prints answers of the package for Python, with which compare.c compares those of the reader in C.

    answers.py DIRECTORY CYCLES COUNT SEED

COUNT random positions have up to one seed more than the tables. All numbers of an answer are bytes: the houses; the
least and the most that the position is worth, or -128 beyond the tables; and a granero_root, whose range may say more,
because it comes from the moves.
"""

import math
import sys

import numpy as np

import granero

directory, cycles = sys.argv[1:3]
count, seed = map(int, sys.argv[3:])
tables = granero.Tables.open(directory, cycles=cycles)
chance = np.random.default_rng(seed)
unknown = (granero.UNKNOWN, granero.UNKNOWN)
for seeds in chance.integers(0, tables.max_seeds + 2, count).tolist():
    number = chance.integers(0, math.comb(seeds + 11, 11), 1)
    houses = granero.unrank(seeds, number)[0].tolist()
    found = tables.assess(houses)
    answer = [*houses, *(tables.range(houses) or unknown), *(found.range or unknown), len(found.moves)]
    for move in found.moves:
        play = move.play
        answer += ["ABCDEF".index(move.house), play.captured, play.conceded, *play.position.houses]
        answer += move.range or unknown
    ranges = [move.range for move in found.moves]
    if cycles == "split" and all(found and found[0] == found[1] for found in ranges):
        assert [move.best for move in found.moves] == [found == max(ranges) for found in ranges]
    answer += [0] * 17 * (6 - len(found.moves))
    sys.stdout.buffer.write(np.array(answer, np.int8).tobytes())
