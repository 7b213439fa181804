#!/usr/bin/env python3
"""Draws the puzzles kept in data/, from tables up to 14 seeds of both conventions for endless play.

    tools/puzzles.py granero granero-db > data/puzzles.tsv

The arguments are the program and the directory of the tables. Another run draws the same puzzles. A puzzle has one
right move, with the same value by both conventions, and an even number of seeds on the board, all shared in whole
seeds: so what decides the board decides the game. Its grade comes from the depth of its difficulty, see
docs/engines.md.
"""

import json
import subprocess
import sys

# What `granero find` looks for, and whether the right value, and the most of all other moves, are of the theme.
THEMES = {
    "win": (["--only-winning"], lambda best, rest: best > 0 >= rest),
    "sacrifice": (["--only-winning", "--best", "sacrifice"], lambda best, rest: best > 0 >= rest),
    "zugzwang": (["--zugzwang", "--best-moves", "1"], lambda best, rest: best < 0),
    "draw": (["--value", "0", "--best-moves", "1"], lambda best, rest: best == 0),
}
# The grade of each depth; at depth 0 no move is wrong.
GRADES = [None, 1, 1, 2, 3, 3, 4, 5]
SEEDS = range(6, 15, 2)
# The puzzles of each theme and grade.
EACH = 50
DRAWN = 20000


def run(program, arguments, text=None):
    """Returns what the program prints."""
    command = [program, *arguments, "--json"]
    return subprocess.run(command, input=text, check=True, stdout=subprocess.PIPE, text=True).stdout


def found(program, tables, theme, seeds):
    """Returns the puzzles of a theme that were drawn, by their grade."""
    conditions, is_of_theme = THEMES[theme]
    conditions = ["--layer", str(seeds), *conditions, "--moves", "2..", "--difficulty", "0..", "--random", str(DRAWN)]
    examples = []
    for example in json.loads(run(program, ["find", *conditions, "--db", tables]))["examples"]:
        example["text"] = " ".join(map(str, example["position"]))
        # No move leads to a position in which all houses of the opponent hold seeds.
        if example["difficulty"]["keeping"] == 1 and not all(example["position"][6:]):
            examples.append(example)
    positions = "".join(example["text"] + "\n" for example in examples)
    shared, sides = (
        run(program, ["query", "--batch", "-", "--cycles", cycles, "--db", tables], positions).splitlines()
        for cycles in ("split", "own-side")
    )
    by_grade = {}
    for example, one, other in zip(examples, map(json.loads, shared), map(json.loads, sides), strict=True):
        best = one["value"]
        rest = [move["value"] for move in one["moves"] if not move["best"]]
        most = max(rest + [move["high"] for move in other["moves"] if move["house"] != example["best"][0]])
        is_whole = not any(value % 2 for value in [best, *rest])
        # So the right move is alone the best by both conventions.
        is_same = other["low"] == other["high"] == best > most
        if is_whole and is_same and is_of_theme(best, most):
            by_grade.setdefault(GRADES[example["difficulty"]["depth"]], []).append(example)
    return by_grade


def main():
    program, tables = sys.argv[1:]
    print("# Puzzles of abapa: theme, grade, seeds from the mover's first house on, value, right move, depth")
    known = set()
    for theme in THEMES:
        drawn = [(seeds, found(program, tables, theme, seeds)) for seeds in SEEDS]
        for grade in range(1, 6):
            # Where a number of seeds has too few puzzles of a grade, others have more.
            candidates = [
                (place, seeds, example)
                for seeds, by_grade in drawn
                for place, example in enumerate(by_grade.get(grade, []))
                if example["text"] not in known
            ]
            chosen = sorted(candidates, key=lambda candidate: candidate[:2])[:EACH]
            if len(chosen) < EACH:
                sys.exit(f"{theme}, grade {grade}: only {len(chosen)} of {EACH} puzzles")
            known.update(example["text"] for _, _, example in chosen)
            for _, _, example in sorted(chosen, key=lambda candidate: (candidate[1], candidate[0])):
                depth = example["difficulty"]["depth"]
                print(theme, grade, example["text"], example["value"], example["best"][0], depth, sep="\t")


main()
