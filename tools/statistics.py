#!/usr/bin/env python3
"""Turns the summary of `granero build --json` into the statistics kept in data/.

    granero build --seeds 24 --json | tools/statistics.py > data/statistics/abapa-split.json

What depends on the machine, times and sizes, is left out.
"""

import json
import sys

KEPT = ("seeds", "positions", "wins", "draws", "losses", "sha256", "histogram")

summary = json.load(sys.stdin)
layers = [{name: layer[name] for name in KEPT} for layer in summary["layers"]]
lines = ",\n".join(json.dumps(layer, separators=(",", ":")) for layer in layers)
print(f'{{"rules":"{summary["rules"]}","cycles":"{summary["cycles"]}","layers":[\n{lines}\n]}}')
