#!/usr/bin/env python3
"""Learns the weights by which granero's player estimates positions, from games that it plays against itself.

    tools/weights.py granero granero-db src/play/player/weights.bin

The arguments are the program, tables of abapa to 15 seeds, and the file to write. POSITIONS=N in the environment
sets the number of positions, by default 2,000,000. Needs NumPy. Build granero again to use the weights, and
compare it with the program before in matches of `granero match`: docs/engines.md says how.

The weights belong to a network. Each house adds a row of numbers to the hidden units, one row for each number of
seeds up to 14 and one for all larger numbers. A unit is its sum, but at least 0 and at most 1. The estimate, in
units of 8 seeds, is the weighted sum of the hidden units, plus a constant. The file has the rows by house, the
mover's first, and by seeds; then the weights of the hidden units; then the constant: a byte each, in 64ths.
"""

import os
import random
import subprocess
import sys

import numpy as np

HOUSES, ROWS, UNITS = 12, 16, 16
# The positions that the search looks at for each move.
NODES = 3000
# A position is worth this share of what the search says of it; the rest is what became of it in the game.
SHARE_OF_SEARCH = 0.6
# The seeds that stand for 1, and the parts of 1 in the file.
SCALE, ONE = 8, 64
EPOCHS, BATCH, RATE = 10, 4096, 0.01
# Larger weights would not fit a byte once the constants of the hidden units are added.
LARGEST = 1.8
TABLE_SEEDS = 15


class Engine:
    """A player for the player to move, who is always South."""

    def __init__(self, program, tables):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen([program, "uci", "--db", tables], text=True, bufsize=1, **pipes)

    def ask(self, houses):
        """Returns the value of a position for the seeds on the board, and the best house."""
        stores = 48 - sum(houses)
        position = "-".join(map(str, [*houses, stores, 0]))
        self.process.stdin.write(f"position fen {position}-S\ngo nodes {NODES}\n")
        for line in self.process.stdout:
            words = line.split()
            if "score" in words:
                value = int(words[words.index("cp") + 1]) // 100 - stores
            if words[0] == "bestmove":
                return value, "ABCDEF".index(words[1])
        sys.exit("the engine has ended")


def sow(houses, house):
    """Returns the houses after a move, the opponent's first, and the seeds captured."""
    after, at = houses[:], house
    after[house] = 0
    for _ in range(houses[house]):
        at = (at + 1) % HOUSES
        if at == house:
            at = (at + 1) % HOUSES
        after[at] += 1
    kept = after[:]
    while at >= 6 and kept[at] in (2, 3):
        kept[at] = 0
        at -= 1
    # A capture of all seeds on the other side captures nothing.
    if any(kept[6:]):
        after = kept
    return after[6:] + after[:6], sum(houses) - sum(after)


def legal(houses):
    """Returns the legal houses: those that leave the opponent a seed."""
    sown = [house for house in range(6) if houses[house]]
    return [house for house in sown if any(sow(houses, house)[0][:6])]


def game(engine, luck):
    """Plays a game. Yields houses, the value that the search found and the value that came of it, without captures."""
    houses, ahead = [4] * HOUSES, 0
    for _ in range(luck.randint(2, 16)):
        if not legal(houses):
            return
        houses, taken = sow(houses, luck.choice(legal(houses)))
        ahead = -ahead - taken
    if abs(ahead) > 8:
        return
    record, seen = [], set()
    ahead = 0
    while True:
        if not legal(houses):
            final = ahead + sum(houses[:6]) - sum(houses[6:])
            break
        if tuple(houses) in seen:
            final = ahead
            break
        seen.add(tuple(houses))
        value, house = engine.ask(houses)
        if sum(houses) <= TABLE_SEEDS:
            final = ahead + value
            break
        after, taken = sow(houses, house)
        record.append((houses, value, ahead, taken))
        houses, ahead = after, -ahead - taken
    for before, value, ahead, taken in reversed(record):
        final = -final
        if not taken:
            yield before, value, final - ahead
    # Below, the tables know the value.
    while 6 < sum(houses) <= TABLE_SEEDS and legal(houses) and luck.random() < 0.9:
        value, house = engine.ask(houses)
        yield houses, value, value
        if luck.random() < 0.5:
            house = luck.choice(legal(houses))
        houses, _ = sow(houses, house)


def play(engine, most):
    """Returns the rows and the values of positions from games."""
    luck = random.Random(1)
    rows, values = np.empty((most, HOUSES), np.int32), np.empty(most, np.float32)
    count = 0
    while count < most:
        for houses, found, became in game(engine, luck):
            if count == most:
                break
            rows[count] = [ROWS * place + min(seeds, ROWS - 1) for place, seeds in enumerate(houses)]
            values[count] = (SHARE_OF_SEARCH * found + (1 - SHARE_OF_SEARCH) * became) / SCALE
            count += 1
    return rows, values


def learn(rows, values):
    """Fits the weights by stochastic gradient descent (Adam). Every twentieth position only tests them."""
    generator = np.random.default_rng(1)
    draw = lambda *shape: generator.standard_normal(shape).astype(np.float32)
    rows_drawn, constants = 0.15 * draw(HOUSES * ROWS, UNITS), np.full(UNITS, 0.3, np.float32)
    weights = [rows_drawn, constants, 0.3 * draw(UNITS), np.zeros(1, np.float32)]
    means, squares = ([np.zeros_like(weight) for weight in weights] for _ in range(2))

    def estimate(rows):
        inputs = np.zeros((len(rows), HOUSES * ROWS), np.float32)
        inputs[np.arange(len(rows))[:, None], rows] = 1
        sums = inputs @ weights[0] + weights[1]
        units = sums.clip(0, 1)
        return inputs, sums, units, units @ weights[2] + weights[3]

    end = len(values) * 19 // 20
    steps, step = EPOCHS * (end // BATCH), 0
    for epoch in range(EPOCHS):
        order = generator.permutation(end)
        for batch in range(end // BATCH):
            chosen = order[batch * BATCH : (batch + 1) * BATCH]
            inputs, sums, units, found = estimate(rows[chosen])
            slope = (found - values[chosen]) * (2 / BATCH)
            within = slope[:, None] * weights[2] * ((sums > 0) & (sums < 1))
            slopes = [inputs.T @ within, within.sum(0), units.T @ slope, slope.sum(keepdims=True)]
            rate, step = RATE * (1 - step / steps), step + 1
            for weight, slope, mean, square in zip(weights, slopes, means, squares):
                mean += 0.1 * (slope - mean)
                square += 0.001 * (slope**2 - square)
                weight -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
            weights[0].clip(-LARGEST, LARGEST, out=weights[0])
        tests = range(end, len(values), BATCH)
        errors = np.concatenate([estimate(rows[at : at + BATCH])[3] - values[at : at + BATCH] for at in tests])
        explained = 1 - (errors**2).mean() / values[end:].var()
        print(f"round {epoch + 1}: explains {100 * explained:.1f} % of the variance", file=sys.stderr, flush=True)
    # One row of each house always counts, so the rows can hold the constants of the hidden units.
    return np.concatenate([(weights[0] + weights[1] / HOUSES).ravel(), weights[2], weights[3]])


def main():
    program, tables, file = sys.argv[1:]
    weights = learn(*play(Engine(program, tables), int(os.environ.get("POSITIONS", 2_000_000))))
    whole = (ONE * weights).round()
    clipped = np.count_nonzero(abs(whole) > 127)
    if clipped:
        print(f"{clipped} weights do not fit a byte: they are clipped", file=sys.stderr)
    with open(file, "wb") as output:
        output.write(whole.clip(-127, 127).astype(np.int8).tobytes())


main()
