"""Positions, moves and games as text, good and bad, read by granero and by a second reader.

Both accept a line or both refuse it. If they accept it, they find the same position and the
same legal moves, and in a game the same first impossible move. `notations.py` is the
second reader; the rules are those of `tools/read_tables.py`.
"""

import json

from . import notations
from .campaign import require
from .notations import RULES, SPACES, Refused

# Characters that mutations insert: meaningful ones, similar ones, and very different ones.
LETTERS = "0123456789" * 3 + "  ,,/--SNsnABCDEFabcdefGg.+*;{}()[]\"\\\\_:\t\r\v\0'%<é€٣𝟏\u00a0\u2003\u200b\ufeff\x1c"
PIECES = ("48", "49", "255", "256", "00", "007", "99999999999999999999", "-1", "+1", " / ", "--")
PIECES += ("f e d c b a /", "/ A B C D E F", "startpos", "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "# ")

# The largest length of a line, in bytes.
LONGEST = 1000

LINES = 2000


def run(campaign):
    kinds = ((lines, 60), (moves, 200), (game, 400))
    for kind, (trial, short) in enumerate(kinds):
        until = (kind + 1) / len(kinds)
        for number in campaign.trials(short, first=kind * 10_000_000, until=until):
            campaign.attempt(number, trial)


# Positions ----------------------------------------------------------------------------


def houses(random):
    seeds = random.choice((random.randint(0, 8), random.randint(0, 48), 48, 49))
    cuts = sorted(random.randint(0, seeds) for _ in range(11))
    found = [high - low for low, high in zip([0, *cuts], [*cuts, seeds])]
    if random.random() < 0.3:
        # One side empty, or all seeds in few houses: the special cases of the rules.
        for house in random.sample(range(12), random.randint(1, 9)):
            found[house] = 0
    return found


def gap(random, among=" "):
    return "".join(random.choice(among) for _ in range(random.choice((1, 1, 1, 2, 3))))


def position(random):
    """A position in any of the notations, on one line."""
    board = houses(random)
    number = str if random.random() < 0.9 else lambda seeds: f"{seeds:02}"
    kind = random.randrange(5)
    if kind == 0:
        between = random.choice((" ", ",", ", ", " \t", " ,\u00a0\u2003"))
        text = number(board[0])
        for seeds in board[1:]:
            text += gap(random, between) + number(seeds)
    elif kind == 1:
        above, below = board[:6], board[6:]
        rows = [gap(random).join(map(number, row)) for row in (above, below)]
        names = ["f e d c b a", "A B C D E F"]
        if random.random() < 0.2:
            rows = [names[0] if random.random() < 0.8 else "fedcba", *rows]
        if random.random() < 0.2:
            rows.append(names[1] if random.random() < 0.8 else "A B C D E G")
        text = random.choice((" / ", "/", " /")).join(rows)
    elif kind == 2:
        south, north = stores(random, board)
        text = "|".join((" 01"[random.randint(1, 2)], f" {south} {north} ", ""))
        text += gap(random).join(map(number, board))
    elif kind == 3:
        south, north = stores(random, board)
        rows = [playstrategys(row) for row in (board[11:5:-1], board[:6])]
        fields = ["/".join(rows), *map(str, (south, north)), random.choice("SNSNSNSNSNsnW"), "7"]
        text = random.choice(" _").join(fields[: random.choice((5, 5, 4, 3))])
    else:
        south, north = stores(random, board)
        text = "-".join(map(number, [*board, south, north]))
        text += "-" + random.choice("SNSNSNSNSNsnW")
    if random.random() < 0.1:
        text = random.choice((" ", "\t", "\u2003")) + text + random.choice((" ", "\r", ""))
    return text


def stores(random, board):
    game = random.choice((48, 48, 48, *(game for game in (12, 24, 36) if sum(board) <= game)))
    rest = game - sum(board) + random.choice((0, 0, 0, 0, 0, 0, 1, -1))
    south = random.randint(0, max(rest, 0))
    return south, abs(rest - south)


def playstrategys(row):
    """A row of houses in one of PlayStrategy's forms."""
    pieces, empty = [], 0
    for seeds in [*row, None]:
        if seeds == 0:
            empty += 1
            continue
        pieces += [str(empty)] * bool(empty) + [f"{seeds}S"] * (seeds is not None)
        empty = 0
    return ",".join(pieces)


def mutated(random, text):
    for _ in range(random.choice((0, 0, 0, 1, 1, 3))):
        place = random.randrange(len(text) + 1)
        how = random.randrange(7)
        if how < 2:
            text = text[:place] + random.choice(LETTERS) + text[place:]
        elif how == 2:
            text = text[:place] + text[place + random.randint(1, 3) :]
        elif how == 3:
            text = text[:place] + random.choice(LETTERS) + text[place + 1 :]
        elif how == 4:
            text = text[:place] + random.choice(PIECES) + text[place:]
        elif how == 5:
            end = place + random.randint(1, 6)
            text = text[:end] + text[place:end] + text[end:]
        elif random.random() < 0.02:
            text += random.choice((" ", "0", "é")) * 1000
    return text


def expected_of(line):
    if len(line.encode()) > LONGEST:
        return None
    try:
        return notations.position(line)
    except Refused:
        return None


def lines(campaign):
    """A batch of lines."""
    random = campaign.random
    texts = [mutated(random, position(random)).replace("\n", " ") for _ in range(LINES)]
    path = campaign.path("lines")
    with open(path, "w", newline="") as file:
        file.writelines(text + "\n" for text in texts)
    ended = campaign.run("query", "--batch", path, "--format", "json", cwd=campaign.place)
    ended.require_orderly((0, 2))
    answers = ended.output.decode().splitlines()
    require(len(answers) == len(texts), f"{len(answers)} answers to {len(texts)} lines")
    for text, answer in zip(texts, answers):
        answer, expected = json.loads(answer), expected_of(text)
        campaign.tally["lines refused" if "error" in answer else "lines taken"] += 1
        if "error" in answer:
            require(expected is None, lambda: f"refused: {text!r}: {answer['error']}")
            continue
        require(expected is not None, lambda: f"taken: {text!r} as {answer['position']}")
        require_same("abapa", text, answer, *expected)


def require_same(rules, text, answer, board, written):
    what = f"{rules}: {text!r}: {answer}"
    require(tuple(answer["position"]) == board, lambda: f"not {board}: {what}")
    require(answer["seeds"] == sum(board), lambda: f"another number of seeds: {what}")
    legal = [
        ("ABCDEF"[house], captured, conceded, child)
        for house, captured, conceded, child in notations.moves(RULES[rules], board)
    ]
    found = [
        (move["house"], move["captured"], move.get("conceded") or 0, tuple(move["position"]))
        for move in answer["moves"]
    ]
    require(sorted(found) == legal, lambda: f"the moves are {legal}: {what}")
    over = answer.get("over")
    require((over is None) == bool(legal), lambda: f"over or not: {what}")
    worth = over and over["value"]
    if over:
        require(worth == sum(board[:6]) - sum(board[6:]), lambda: f"how it is over: {what}")
    if answer.get("value") is None:
        return
    value = answer["value"]
    best = max((move["value"] for move in answer["moves"]), default=worth)
    require(value == best and abs(value) <= sum(board), lambda: f"its value: {what}")
    if written:
        (south, north), side = written
        south, north = (south, north) if side == "S" else (north, south)
        mover = south + (sum(board) + value) / 2
        names = ("south", "north") if side == "S" else ("north", "south")
        final = [answer["final"][name] for name in names]
        require(final == [mover, south + north + sum(board) - mover], lambda: f"its final score: {what}")


def moves(campaign):
    """Compares the legal moves of a position by one of the rulesets."""
    random = campaign.random
    rules, text = random.choice(list(RULES)), mutated(random, position(random))
    text = text.replace("\0", " ")
    ended = campaign.run("moves", "--rules", rules, "--json", "--", text)
    ended.require_orderly((0, 2))
    try:
        board, _ = notations.position(text)
    except Refused:
        require(ended.status == 2, lambda: f"taken: {text!r}: {ended}")
        return
    require(ended.status == 0, lambda: f"refused: {text!r}: {ended}")
    require_same(rules, text, json.loads(ended.output), board, None)


# Games --------------------------------------------------------------------------------


def game(campaign):
    """A game in one of the notations, often with a mistake."""
    random = campaign.random
    text = record(random)
    if random.random() < 0.6:
        text = mutated(random, text)
    path = campaign.path("game")
    with open(path, "w", newline="") as file:
        file.write(text)
    ended = campaign.run("judge", path, "--json", "--prove", "off", cwd=campaign.place)
    ended.require_orderly((0, 2))
    try:
        games = notations.games(text)
    except Refused:
        campaign.tally["games refused"] += 1
        require(not ended.output, lambda: f"taken: {text!r}: {ended.output.decode()}")
        return
    require(ended.output, lambda: f"refused: {text!r}: {ended}")
    campaign.tally["games taken"] += 1
    what = f"{text!r}: {ended.output.decode()}"
    documents = ended.output.splitlines()
    require(len(documents) == len(games), lambda: f"not {len(games)} games: {what}")
    for document, (start, played) in zip(documents, games):
        found = json.loads(document)
        require(found["length"] == len(played), lambda: f"not {len(played)} moves: {what}")
        positions, is_broken = notations.replay("abapa", start, played)
        error = found["error"]
        require((error is not None) == is_broken, lambda: f"whether it can be played: {what}")
        if error:
            require(error["number"] == len(positions) + 1, lambda: f"where it fails: {what}")
        # The tables reach up to 8 seeds, or a little further if every move captures.
        beyond = found["beyond"]
        require(all(sum(board) > 8 for board in positions[:beyond]), lambda: f"left out: {what}")
        judged = [tuple(move["position"]) for move in found["moves"]]
        require(judged == positions[beyond:], lambda: f"the positions are {positions}: {what}")


def record(random):
    """A legal game, from the usual start or from another position."""
    start = notations.START
    if random.random() < 0.7:
        board = houses(random)
        if sum(board) <= 48:
            south = random.randint(0, 48 - sum(board))
            start = (tuple(board), (south, 48 - sum(board) - south), random.choice("SN"))
    board, _, side = start
    board = board if side == "S" else board[6:] + board[:6]
    played = []
    for _ in range(random.randint(0, 150)):
        legal = notations.moves(RULES["abapa"], board)
        if not legal:
            break
        # Captures bring games within the tables.
        house, captured, _, board = random.choice(
            [move for move in legal if move[1]] or legal
        )
        played.append(("ABCDEF"[house] if side == "S" else "abcdef"[house], captured))
        side = "N" if side == "S" else "S"
    if random.random() < 0.02:
        played.append((random.choice(notations.LETTERS), 0))
    position = "-".join(map(str, [*start[0], *start[1], start[2]]))
    if random.random() < 0.4:
        letters = "".join(letter for letter, _ in played)
        return letters if start == notations.START else f"{position} {letters}"
    text = '[Variant "abapa"]\n'
    if random.random() < 0.5:
        text += r'[South "Ama \"the\" \\"]' + "\n"
    if start != notations.START:
        text += f'[FEN "{position}"]\n'
    for number, (letter, captured) in enumerate(played):
        if number % 2 == 0 and random.random() < 0.9:
            text += f"{number // 2 + 1}. "
        text += letter
        if captured and random.random() < 0.5:
            text += random.choice((f"+{captured}", f"x{captured}", "x"))
        if random.random() < 0.1:
            text += random.choice(("!", "??", "!? $14", " $255"))
        text += random.choice((" ", " ", " ", "\n", "\t"))
        if random.random() < 0.05:
            text += random.choice(
                ("{ a comment } ", "; to the end\n", "(1. A a (B) { ) } ) ", "{}", "2... ")
            )
    if random.random() < 0.5:
        text += random.choice(("26-22", "*", "24-24\n", "0-0"))
    return text
