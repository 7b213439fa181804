"""Measures look-ups of arrays and reading of layers from Python, for docs/internals/performance.md.

    python bindings/python/bench/arrays.py DB LAYER [COUNT]

LAYER has the seeds of the layer to read, of which it looks COUNT random positions up, 20,000 unless given. With one
thread, compare `cargo bench -p granero-benches --bench tables`.
"""

import math
import sys
import time

import numpy as np

import granero


def least(rounds, work):
    """The least processor time of several rounds, because other programs disturb it less than the elapsed
    time."""
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def main():
    db, layer, count = sys.argv[1], int(sys.argv[2]), int((sys.argv[3:] or [20_000])[0])
    end = math.comb(layer + 11, 11)
    positions = granero.unrank(layer, np.random.default_rng(1).integers(0, end, count))
    for name, in_memory in [("cached blocks", None), ("layers in memory", 48)]:
        tables = granero.Tables.open(db, cache_bytes=256 << 20, in_memory=in_memory)
        rate = len(positions) / least(5, lambda: tables.values(positions)) / 1e6
        print(f"NumPy a batch, {name}: {rate:.2f} M positions/s")
    tables = granero.Tables.open(db)
    if tables.max_seeds >= layer:
        seconds = least(3, lambda: tables.layer(layer))
        print(f"NumPy the layer of {layer} seeds: {seconds:.2f} s")


if __name__ == "__main__":
    main()
