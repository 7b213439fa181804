#!/usr/bin/env python3
"""Draws the puzzles kept in data/, from tables up to 15 seeds.

    tools/puzzles.py granero granero-db > data/puzzles.tsv

The arguments are the program and the directory of the tables. Another run draws the same puzzles. A puzzle has
one right move; `granero find` has found it by the conditions of its theme. Its grade comes from the depth of
its difficulty, see docs/engines.md.
"""

import json
import subprocess
import sys

THEMES = {
    "win": ["--only-winning"],
    "sacrifice": ["--best", "sacrifice", "--best-moves", "1", "--value", "1.."],
    "zugzwang": ["--zugzwang", "--best-moves", "1"],
    "draw": ["--value", "0", "--best-moves", "1"],
}
# The grade of each depth; at depth 0 no move is wrong.
GRADES = [None, 1, 1, 2, 3, 3, 4, 5]
SEEDS = range(6, 16)
# The puzzles of each theme, number of seeds and grade.
EACH = 5
DRAWN = 2000


def found(program, tables, theme, seeds):
    """Returns the puzzles of a theme that were drawn, by their grade."""
    conditions = ["--layer", str(seeds), *THEMES[theme], "--difficulty", "0..", "--random", str(DRAWN)]
    command = [program, "find", *conditions, "--json", "--db", tables]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    by_grade = {}
    for example in json.loads(output)["examples"]:
        difficulty = example["difficulty"]
        grade = GRADES[difficulty["depth"]]
        # No move leads to a position in which all houses of the opponent hold seeds.
        if all(example["position"][6:]):
            continue
        example["position"] = " ".join(map(str, example["position"]))
        if grade and difficulty["keeping"] == 1:
            by_grade.setdefault(grade, []).append(example)
    return by_grade


def main():
    program, tables = sys.argv[1:]
    print("# Puzzles of abapa: theme, grade, seeds from the mover's first house on, value, right move, depth")
    known = set()
    for theme in THEMES:
        drawn = [(seeds, found(program, tables, theme, seeds)) for seeds in SEEDS]
        puzzles = []
        wanted = EACH * len(SEEDS)
        for grade in range(1, 6):
            # Where a number of seeds has too few puzzles of a grade, others have more.
            candidates = [
                (place, seeds, example)
                for seeds, by_grade in drawn
                for place, example in enumerate(by_grade.get(grade, []))
                if example["position"] not in known
            ]
            candidates.sort(key=lambda candidate: candidate[:2])
            chosen = candidates[:wanted]
            if len(chosen) < wanted:
                sys.exit(f"{theme}, grade {grade}: only {len(chosen)} of {wanted} puzzles")
            known.update(example["position"] for _, _, example in chosen)
            puzzles += [(grade, seeds, place, example) for place, seeds, example in chosen]
        for grade, _, _, example in sorted(puzzles, key=lambda puzzle: puzzle[:3]):
            position, depth = example["position"], example["difficulty"]["depth"]
            print(theme, grade, position, example["value"], example["best"][0], depth, sep="\t")


main()
