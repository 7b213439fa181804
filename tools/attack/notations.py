"""A second reader of positions and games, written from docs/notations.md and docs/rules.md
and from nothing else. It is for comparison: what it refuses must be refused, and what it
reads must be read the same."""

import os
import re
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from read_tables import RULES, moves

# The property White_Space of Unicode.
SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
SPACES += "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

SEEDS = 48
START = ((4,) * 12, (0, 0), "S")


class Refused(Exception):
    """It is no position, or no game."""


def require(condition):
    if not condition:
        raise Refused


def words(text, also=""):
    return [word for word in re.split(f"[{SPACES}{also}]+", text) if word]


def numbers(pieces, count):
    require(len(pieces) == count and all(re.fullmatch("[0-9]+", piece) for piece in pieces))
    found = tuple(map(int, pieces))
    require(all(number <= SEEDS for number in found))
    return found


def position(text):
    """The twelve houses, the mover's first; and stores and side, or nothing."""
    if len(words(text)) == 1 and re.search("[0-9]-", text):
        houses, stores, side = aalina(text)
        return (houses if side == "S" else houses[6:] + houses[:6]), (stores, side)
    if re.search("[/\n]", text.strip(SPACES)):
        return board(text), None
    houses = numbers(words(text, ","), 12)
    require(sum(houses) <= SEEDS)
    return houses, None


def board(text):
    rows = [row for row in re.split("[/\n]", text) if words(row, ",")]
    if rows and is_row_of(rows[0], "fedcba"):
        rows = rows[1:]
    if len(rows) == 3 and is_row_of(rows[2], "abcdef"):
        rows = rows[:2]
    require(len(rows) == 2)
    above, below = (numbers(words(row, ","), 6) for row in rows)
    houses = below + above[::-1]
    require(sum(houses) <= SEEDS)
    return houses


def is_row_of(row, names):
    return "".join(words(row)).lower() == names


def aalina(text):
    """South's houses and North's, the stores, and the side to move."""
    *pieces, side = text.strip(SPACES).split("-")
    require(side in ("S", "N"))
    found = numbers(pieces, 14)
    require(sum(found) == SEEDS)
    return found[:12], found[12:], side


LETTERS = "ABCDEFabcdef"


def game(text):
    """The start, and the moves: letters, each with the number it captures, or None."""
    parts = words(text)
    start = START
    if parts and re.search("[0-9]-", parts[0]):
        start, parts = aalina(parts[0]), parts[1:]
    elif not all(part.isascii() and part.isalpha() for part in parts):
        return ogn(text)
    letters = "".join(parts)
    require(all(letter in LETTERS for letter in letters))
    return start, [(letter, None) for letter in letters]


def ogn(text):
    rest = text.removeprefix("\ufeff").lstrip(SPACES)
    start, played, is_over = START, [], False
    tag = re.compile(
        rf'\[[{SPACES}]*(\w+)[{SPACES}]*"((?:[^"\\]|\\[\s\S])*)"[{SPACES}]*\]'
    )
    while rest.startswith("["):
        found = tag.match(rest)
        require(found)
        if found[1] == "FEN":
            start = aalina(found[2])
        rest = rest[found.end() :].lstrip(SPACES)
    while rest and rest[0] != "[":
        if rest[0] == "{":
            require("}" in rest)
            rest = rest[rest.index("}") + 1 :]
        elif rest[0] == ";":
            rest = rest.partition("\n")[2]
        elif rest[0] == "(":
            rest = behind_variation(rest)
        else:
            require(not is_over)
            if found := re.match(r"\*+|[0-9]+-[0-9]+", rest):
                is_over = True
            elif found := re.match(r"[0-9]+(?!-)\.*|[0-9]+(?=[0-9])", rest):
                pass
            else:
                found = re.match(r"([A-Fa-f])(?:\+([0-9]+))?(?!\+)", rest)
                require(found)
                captured = found[2] and int(found[2])
                require(captured is None or captured <= SEEDS)
                played.append((found[1], captured))
            rest = rest[found.end() :]
        rest = rest.lstrip(SPACES)
    # Of several games in a file, only one can be meant.
    require(not rest)
    return start, played


def behind_variation(text):
    depth, place = 0, 0
    while place < len(text):
        if text[place] == "{":
            place = text.find("}", place)
            require(place >= 0)
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        place += 1
        if depth == 0:
            return text[place:]
    raise Refused


def replay(rules, start, played):
    """The positions in which moves are played, up to the first that cannot be, and whether
    there is one. Houses are the mover's first."""
    houses, (south, north), side = start
    stores = {"S": south, "N": north}
    houses = houses if side == "S" else houses[6:] + houses[:6]
    positions = []
    for number, (letter, claimed) in enumerate(played):
        legal = {move[0]: move[1:] for move in moves(RULES[rules], houses)}
        house = LETTERS.index(letter) - (0 if side == "S" else 6)
        if house not in legal:
            return positions, True
        captured, conceded, child = legal[house]
        if claimed is not None and claimed != captured:
            # Aualé counts in what the player has left at the end.
            left = sum(child[6:])
            is_last = number == len(played) - 1
            if not (is_last and claimed == captured + left):
                return positions, True
        positions.append(houses)
        other = "N" if side == "S" else "S"
        stores[side] += captured
        stores[other] += conceded
        houses, side = child, other
    return positions, False
