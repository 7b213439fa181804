"""A second reader of positions and games, written from docs/rules.md and from nothing else. It is
for comparison: what it refuses must be refused, and what it reads must be read the same."""

import os
import re
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from read_tables import RULES, moves

# The property White_Space of Unicode.
SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
SPACES += "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

SEEDS = 48
# All seeds of the games that begin with as many in each house.
GAMES = (12, 24, 36, 48)
START = ((4,) * 12, (0, 0), "S")


class Refused(Exception):
    """The text is no position, or no game."""


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
    """The twelve houses, the mover's first; and stores and side, or None."""
    if "|" in text or text.lstrip(SPACES).startswith(("Player ", "[FINISHED]")):
        houses, stores, side = openspiel(text)
    elif is_playstrategys(text):
        houses, stores, side = playstrategy(text)
    elif len(words(text)) == 1 and re.search("[0-9]-", text):
        houses, stores, side = aalina(text)
    else:
        side = None
    if side:
        return (houses if side == "S" else houses[6:] + houses[:6]), (stores, side)
    if re.search("[/\n]", text.strip(SPACES)):
        return board(text), None
    houses = numbers(words(text, ","), 12)
    require(sum(houses) <= SEEDS)
    return houses, None


def is_playstrategys(text):
    fields = words(text, "_") + [""] * 4
    if "/" not in fields[0]:
        return False
    has_two_rows = text.count("/") == 1 and "\n" not in text.strip(SPACES)
    has_side = has_two_rows and re.match("[A-Za-z]", fields[3])
    return bool(re.search("[0-9][Ss]", fields[0]) or has_side)


def playstrategy(text):
    fields = words(text, "_")
    require(len(fields) in (4, 5) and fields[0].count("/") == 1 and fields[3] in ("S", "N"))
    require(len(fields) == 4 or re.fullmatch("[0-9]+", fields[4]))
    above, below = map(row_of_playstrategy, fields[0].split("/"))
    houses = below + above[::-1]
    south, north = map(score_of_playstrategy, fields[1:3])
    if south + north == SEEDS and sum(houses[:6]) <= south and sum(houses[6:]) <= north:
        south, north = south - sum(houses[:6]), north - sum(houses[6:])
    require(sum(houses) + south + north in GAMES)
    return houses, (south, north), fields[3]


def row_of_playstrategy(row):
    houses = []
    for piece in row.split(",") if "," in row else row:
        if re.fullmatch("[1-6]", piece):
            houses += [0] * int(piece)
        elif "," in row:
            require(piece[-1:] in ("S", "s"))
            houses += numbers([piece[:-1]], 1)
        else:
            houses.append(number_of_letter(piece))
    require(len(houses) == 6)
    return tuple(houses)


def score_of_playstrategy(text):
    return number_of_letter(text) if re.fullmatch("[A-Za-z]", text) else numbers([text], 1)[0]


def number_of_letter(letter):
    require(re.fullmatch("[A-Za-v]", letter))
    return ord(letter) - 64 if letter <= "Z" else ord(letter) - 70


def openspiel(text):
    require("|" in text)  # The board with both scores has several lines.
    parts = text.split("|")
    require(len(parts) == 3 and parts[0].strip(SPACES) in ("0", "1"))
    scores, houses = numbers(words(parts[1]), 2), numbers(words(parts[2]), 12)
    require(sum(scores) + sum(houses) in GAMES)
    return houses, scores, "SN"[int(parts[0].strip(SPACES))]


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
    require(sum(found) in GAMES)
    return found[:12], found[12:], side


LETTERS = "ABCDEFabcdef"


def games(text):
    """All games of a text, each with its start and its moves: letters, each with its capture, which
    is a number, "some", or None."""
    require(words(text.removeprefix("\ufeff")))
    lines = [parts for line in text.split("\n") if (parts := words(line))]
    begins = [bool(re.search("[0-9]-", parts[0])) for parts in lines]
    is_letters = ["".join(parts).isalpha() for parts in lines]
    if not begins[0] and not all(map(max, begins, is_letters)):
        return ogn(text)
    found = [""]
    for line in text.split("\n"):
        first = words(line)[:1]
        if first and re.search("[0-9]-", first[0]) and words(found[-1]):
            found.append("")
        found[-1] += line + "\n"
    return [aalinas_game(lines) for lines in found]


def aalinas_game(text):
    parts = words(text)
    start = START
    if re.search("[0-9]-", parts[0]):
        start, parts = aalina(parts[0]), parts[1:]
    letters = "".join(parts)
    require(all(letter in LETTERS for letter in letters))
    return start, [(letter, None) for letter in letters]


TAG = re.compile(rf'\[[{SPACES}]*(\w+)[{SPACES}]*"((?:[^"\\]|\\[\s\S])*)"[{SPACES}]*\]')
KNOWN = "Variant Event Site Date Round South North Result FEN".split()
SCORE = re.compile("([0-9]+)-([0-9]+)")


def ogn(text):
    rest = text.removeprefix("\ufeff").lstrip(SPACES)
    found = []
    while rest:
        game, rest = one_of_ogn(rest)
        found.append(game)
    return found


def one_of_ogn(rest):
    tags, start = {}, START
    while rest and (rest[0] == "[" or not tags and rest[0] in "{;"):
        if rest[0] in "{;":
            rest = behind_comment(rest)
        else:
            tag = TAG.match(rest)
            require(tag and (tag[1] not in KNOWN or tag[1] not in tags))
            tags[tag[1]] = tag[2]
            rest = rest[tag.end() :]
        rest = rest.lstrip(SPACES)
    if "FEN" in tags:
        start = aalina(tags["FEN"])
    variant = re.sub(r"\\([\s\S])", r"\1", tags.get("Variant", "")).strip(SPACES).lower()
    require(re.sub("[ _]", "-", variant) in ["", "?", "-", "oware", *RULES])
    require(is_possible(tags.get("Result", "*")))
    played, result = [], None
    while rest and rest[0] != "[":
        if rest[0] in "{;":
            rest = behind_comment(rest)
        elif rest[0] == "(":
            rest = behind_variation(rest)
        else:
            require(result is None)
            if found := re.match(r"\*+|1/2-1/2|[0-9]+-[0-9]+", rest):
                result = found[0]
            elif found := re.match("[0-9]+[.…]+", rest):
                require(int(re.match("[0-9]+", rest)[0]) < 1 << 32)
            elif found := re.match(r"[!?]+|\$[0-9]*", rest):
                require(played)
                is_number = found[0][0] == "$" and len(found[0]) > 1
                require(
                    int(found[0][1:]) < 256
                    if is_number
                    else found[0] in ("!", "?", "!!", "??", "!?", "?!")
                )
            else:
                found = re.match(r"([A-Fa-f])(?:[+x]([0-9]+)|(x))?(?!\+)", rest)
                require(found)
                captured = found[2] and int(found[2])
                require(captured is None or captured <= SEEDS)
                played.append((found[1], "some" if found[3] else captured))
            rest = rest[found.end() :]
        rest = rest.lstrip(SPACES)
    if result is not None:
        require(is_possible(result))
        tag = tags.get("Result", "*")
        if SCORE.fullmatch(tag) or tag == "1/2-1/2":
            require(result == "*" or tag == result)
    return (start, played), rest


def is_possible(result):
    score = SCORE.fullmatch(result)
    return not score or int(score[1]) + int(score[2]) <= SEEDS


def behind_comment(text):
    if text[0] == ";":
        return text.partition("\n")[2]
    require("}" in text)
    return text[text.index("}") + 1 :]


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
    """The positions in which moves are played, up to the first impossible move, and whether
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
        # Aualé includes the seeds left on the player's side at the end.
        is_last = number == len(played) - 1
        most = captured + sum(child[6:]) if is_last else captured
        if claimed is not None:
            if not (most > 0 if claimed == "some" else claimed in (captured, most)):
                return positions, True
        positions.append(houses)
        other = "N" if side == "S" else "S"
        stores[side] += captured
        stores[other] += conceded
        houses, side = child, other
    return positions, False
