#!/usr/bin/env python3
"""Turns the summary of `granero build --json` into the statistics kept in data/.

    granero build --seeds 24 --json | tools/statistics.py > data/statistics/abapa-split.json
    granero build --seeds 20 --cycles own-side --json | tools/statistics.py \
        > data/statistics/abapa-own-side.json

Times and sizes, which depend on the machine, are left out.
"""

import json
import sys

# Only tables of bounds have `high`.
KEPT = ("seeds", "positions", "wins", "draws", "losses", "sha256", "histogram", "high")

summary = json.load(sys.stdin)
layers = [{name: layer[name] for name in KEPT if name in layer} for layer in summary["layers"]]
lines = ",\n".join(json.dumps(layer, separators=(",", ":")) for layer in layers)
print(f'{{"rules":"{summary["rules"]}","cycles":"{summary["cycles"]}","layers":[\n{lines}\n]}}')
