#!/usr/bin/env python3
"""Turns the summary of `granero build --json`, or of `granero stats --json`, into the statistics kept in data/.

    granero build --seeds 24 --json | tools/statistics.py > data/statistics/abapa-split.json
    granero build --seeds 20 --cycles own-side --json | tools/statistics.py \
        > data/statistics/abapa-own-side.json
    granero stats --db game-36 --json | tools/statistics.py > data/statistics/abapa-split-game-36.json

Times and sizes, which depend on the machine, are left out.
"""

import json
import sys

# Only tables of bounds have `high`.
KEPT = ("seeds", "positions", "wins", "draws", "losses", "sha256", "histogram", "high")

summary = json.load(sys.stdin)
layers = [{name: layer[name] for name in KEPT if name in layer} for layer in summary["layers"]]
lines = ",\n".join(json.dumps(layer, separators=(",", ":")) for layer in layers)
about = {name: summary[name] for name in ("rules", "cycles", "decides") if name in summary}
print(f'{json.dumps(about, separators=(",", ":"))[:-1]},"layers":[\n{lines}\n]}}')
