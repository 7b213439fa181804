"""Judges the same games from the command line, in Python and JavaScript: all give the same document.

    bindings/verdicts.py PROGRAM PLACE

PROGRAM is `granero`, and PLACE a directory with tables of both conventions. Python is the one that runs this.
"""

import json
import pathlib
import random
import subprocess
import sys

import granero

PACKAGE = pathlib.Path(__file__).resolve().parent / "wasm"

JAVASCRIPT = """
const [index, node, place, text, positions] = process.argv.slice(1);
const { Tables } = await import(index);
const { directory } = await import(node);
const tables = await Tables.open(directory(place));
console.log(JSON.stringify(await tables.judge(text, 1, { positions: Number(positions) })));
"""


def random_game(seed):
    """A whole game of random moves."""
    draw = random.Random(seed)
    situation, moves = granero.Situation.start(), ""
    while len(moves) < 150:
        legal = granero.Ruleset().moves(situation)
        if not legal:
            break
        house = draw.choice(legal).house
        moves += house if situation.to_move == "South" else house.lower()
        _, situation = situation.play("abapa", house)
    return moves


GAMES = [
    "2-0-1-1-0-1-1-1-0-0-2-1-19-19-S Ca",
    '[South "Ama"]\n[North "Kofi"]\n[FEN "2-1-1-1-4-1-1-1-0-0-0-2-17-17-S"]\n1. A a 2. D *\n',
    "FfBeF",
    random_game(1),
    random_game(2),
]


def run(*command, game=""):
    return subprocess.run(command, input=game, stdout=subprocess.PIPE, text=True).stdout


def judged(program, place, cycles, game, positions):
    """The documents of all packages."""
    db = ["--db", str(place), "--cycles", cycles]
    yield "command line", run(program, "judge", "-", "--json", *db, "--prove-positions", positions, game=game)
    tables = granero.Tables.open(place, cycles=cycles)
    yield "Python", json.dumps(tables.judge(game, positions=int(positions)).document())
    modules = [(PACKAGE / name).as_uri() for name in ("index.js", "node.js")]
    folder = place if cycles == "split" else place / cycles
    node = ["node", "--input-type=module", "--eval", JAVASCRIPT, "--"]
    yield "JavaScript", run(*node, *modules, str(folder), game, positions)


def verdict(text, wanted=None):
    """A document without what differs from run to run, and with no other fields than are wanted."""
    document = json.loads(text)
    document.pop("version", None)
    # Only the command line estimates.
    document.pop("estimated", None)
    for move in document["moves"]:
        move.get("search", {}).pop("seconds", None)
    return {name: held for name, held in document.items() if wanted is None or name in wanted}


def main():
    program, place = sys.argv[1:]
    proven = 0
    for cycles in ["split", "own-side"]:
        for game in GAMES:
            (_, said), *others = judged(program, pathlib.Path(place), cycles, game, "400")
            expected = verdict(said)
            proven += sum("search" in move for move in expected["moves"])
            for language, text in others:
                # The package for JavaScript gives the server's document, which has more fields.
                found = verdict(text, expected if language == "JavaScript" else None)
                assert found == expected, f"{language}, {cycles}, {game}:\n{found}\n{expected}"
    assert proven > 100, proven
    print(f"{2 * len(GAMES)} judgements are the same from the command line, in Python and JavaScript")


if __name__ == "__main__":
    main()
