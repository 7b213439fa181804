#!/usr/bin/env python3
"""A second reader of granero's tables, with nothing but Python's standard library.

    tools/read_tables.py DIR            checks all values against the manifest
    tools/read_tables.py DIR POSITION…  prints what positions are worth: a value, or two bounds;
                                        with + or - after it where deciding values are cut off

A position is twelve integers, the houses of the player to move first, each an argument or all
together in one; or one argument with a board, like "6 0 0 2 1 2 / 4 0 0 1 3 1", in Aalina's
notation, like 0-0-0-0-0-5-1-0-0-0-0-0-20-22-N, or in one of the others in docs/rules.md. The exit
code is 1 if anything is wrong with the tables, or they do not hold the position.

It follows docs/internals/format.md, docs/internals/numbering.md and docs/rules.md, in their words and in the
plainest way, and shares nothing with granero: what it needs to know is in the documents.
It is slow; checking the layers of up to 8 seeds takes seconds.
"""

import argparse
import collections
import functools
import hashlib
import json
import math
import os
import re
import struct
import sys
import zlib


class Damaged(Exception):
    """The tables are not as docs/internals/format.md says."""


def check(condition, what):
    if not condition:
        raise Damaged(what)


def sha256(content):
    return hashlib.sha256(content).hexdigest()


# docs/rules.md ------------------------------------------------------------------------

ALWAYS, LAST_RESORT, NEVER = "always", "last resort", "never"

Rules = collections.namedtuple("Rules", "slam takes ends_game starving")

# When a grand slam is legal, which houses of its chain it captures, whether it ends the
# game, and when it is legal not to feed.
RULES = {
    "abapa": Rules(ALWAYS, slice(0), False, NEVER),
    "slam-illegal": Rules(NEVER, slice(0), False, NEVER),
    "slam-ends": Rules(ALWAYS, slice(None), True, NEVER),
    "slam-leaves-last": Rules(ALWAYS, slice(None, -1), False, NEVER),
    "slam-leaves-first": Rules(ALWAYS, slice(1, None), False, NEVER),
    "italian": Rules(LAST_RESORT, slice(0), False, NEVER),
    "slam-captures": Rules(ALWAYS, slice(None), False, NEVER),
    "awari": Rules(LAST_RESORT, slice(None), False, LAST_RESORT),
}


def sow(position, house):
    """The board after sowing a house, and where the last seed fell."""
    board = list(position)
    place, seeds, board[house] = house, board[house], 0
    while seeds > 0:
        place = (place + 1) % 12
        if place != house:
            board[place] += 1
            seeds -= 1
    return board, place


def moves(rules, position):
    """The legal moves: the house, the seeds captured and conceded, and the child."""
    legal = {ALWAYS: [], LAST_RESORT: [], NEVER: []}
    for house in range(6):
        if position[house] == 0:
            continue
        board, last = sow(position, house)
        chain = []
        while last >= 6 and board[last] in (2, 3):
            chain.append(last)
            last -= 1
        opponents = sum(board[6:])
        permission, ends_game = ALWAYS, False
        if opponents == 0:
            permission = rules.starving
        elif sum(board[house] for house in chain) == opponents:
            permission, ends_game = rules.slam, rules.ends_game
            chain = chain[rules.takes]
        captured = sum(board[house] for house in chain)
        for captured_house in chain:
            board[captured_house] = 0
        conceded = 0
        if ends_game:
            conceded, board = sum(board), [0] * 12
        legal[permission].append((house, captured, conceded, tuple(board[6:] + board[:6])))
    return legal[ALWAYS] or legal[LAST_RESORT]


# docs/internals/numbering.md ---------------------------------------------------------


@functools.lru_cache(maxsize=None)
def halves(seeds, houses=6):
    """All half-boards with a number of seeds, in lexicographic order."""
    if houses == 1:
        return [(seeds,)]
    return [
        (first, *rest)
        for first in range(seeds + 1)
        for rest in halves(seeds - first, houses - 1)
    ]


def half_count(seeds):
    return math.comb(seeds + 5, 5)


def rank(half):
    """The rank of a half-board: its number among all with as many seeds."""
    behind = sum(half)
    number = half_count(behind) - 1
    for i in range(1, 6):
        behind -= half[i - 1]
        number -= math.comb(behind + 5 - i, 6 - i)
    return number


def positions(seeds):
    """All positions of a layer, in the order of the index."""
    for own_seeds in range(seeds + 1):
        for own in halves(own_seeds):
            for opponents in halves(seeds - own_seeds):
                yield own + opponents


# docs/internals/format.md, "The manifest" --------------------------------------------

# No manifest is longer.
MANIFEST_BYTES = 1 << 20

VALUE, LOW, HIGH = "value", "low", "high"

# By convention for endless play: what a position has.
MEASURES = {"split": [VALUE], "own-side": [LOW, HIGH]}

# What the measures of a position follow from, in its children.
OF_CHILD = {VALUE: VALUE, LOW: HIGH, HIGH: LOW}


# The versions of the manifest and of layer files.
FORMAT, VERSION = 6, 6


def limit_of(manifest, seeds):
    """The largest value in a layer."""
    if "decides" not in manifest:
        return seeds
    limit = manifest["decides"] - seeds + 1
    if manifest["cycles"] == "own-side" and (limit - seeds) % 2 == 1:
        limit += 1
    return min(limit, seeds)


def cut(value, limit):
    return max(-limit, min(value, limit))


def file_name(seeds):
    return f"layer-{seeds:02}.granero"


def statistics_of(layer, measure):
    """The part of a manifest's entry for a measure."""
    return layer["high"] if measure == HIGH else layer


def is_histogram(histogram, layer, possible):
    values = [value for value, _ in histogram]
    return (
        values == sorted(set(values))
        and all(value in possible for value in values)
        and sum(count for _, count in histogram) == layer["positions"]
    )


def read_manifest(directory):
    with open(os.path.join(directory, "granero.json"), "rb") as file:
        content = file.read(MANIFEST_BYTES + 1)
    check(len(content) <= MANIFEST_BYTES, "the manifest is too long")
    try:
        manifest = json.loads(content)
        is_right = manifest["format"] == FORMAT
        check(is_right, f"the manifest's version is {manifest['format']} and not {FORMAT}")
        # It covers all bytes before it.
        found = re.search(rb',"sha256":"([0-9a-f]{64})"}\n\Z', content)
        check(found, "the manifest does not end with a checksum")
        is_right = sha256(content[: found.start()]) == found.group(1).decode()
        check(is_right, "the checksum of the manifest is wrong")
        most = 48
        if "decides" in manifest:
            most = manifest["decides"]
            is_right = isinstance(most, int) and 1 <= most <= 48
            check(is_right, "the seeds of the game are wrong")
        allowed = {"format", "rules", "cycles", "decides", "layers", "files", "sha256"}
        check(manifest.keys() <= allowed, "the manifest has other fields than its format")
        check(manifest["rules"] in RULES, "the rules are unknown")
        check(manifest["cycles"] in MEASURES, "the convention for endless play is unknown")
        measures = MEASURES[manifest["cycles"]]
        layers, files = manifest["layers"], manifest["files"]
        is_right = len(files) == len(layers) <= most + 1
        check(is_right, "not as many files as layers, or too many")
        step = 1 if measures == [VALUE] else 2
        for seeds, (layer, file) in enumerate(zip(layers, files)):
            limit = limit_of(manifest, seeds)
            possible = range(-limit, limit + 1, step)
            is_right = (
                layer["seeds"] == seeds
                and layer["positions"] == math.comb(seeds + 11, 11)
                and (HIGH in layer) == (HIGH in measures)
                and file["name"] == file_name(seeds)
                and isinstance(file["bytes"], int)
                and isinstance(file["sha256"], str)
            )
            for measure in measures:
                of_measure = statistics_of(layer, measure)
                is_right = (
                    is_right
                    and isinstance(of_measure["sha256"], str)
                    and is_histogram(of_measure["histogram"], layer, possible)
                )
            if HIGH in measures:
                high = layer["high"]
                is_right = (
                    is_right
                    and is_histogram(high["gaps"], layer, range(0, 2 * limit + 1, 2))
                    and 0 <= high["draws"] <= layer["positions"]
                )
            check(is_right, f"the entry of layer {seeds} is wrong")
    except (KeyError, TypeError, ValueError) as error:
        raise Damaged(f"the manifest has a field missing or wrong: {error!r}") from None
    return manifest


# docs/internals/format.md, "A layer file" --------------------------------------------

HEADER = struct.Struct("<8s H B B B 3s 32s 32s 32s I 4s Q I")
Header = collections.namedtuple(
    "Header",
    "magic version seeds cycles game zeros_1 fingerprint values high model_bytes zeros_2"
    " block_bytes checksum",
)
GROUP = struct.Struct("<Q 64H 64I I")

# The most columns and rows of a tile, and the longest block.
WIDTH, HEIGHT, LONGEST = 64, 40, 65544

Traits = collections.namedtuple("Traits", "reach prey stored")


@functools.lru_cache(maxsize=None)
def traits(seeds):
    """The traits of all half-boards with a number of seeds that contexts need; sets are bits."""
    found = []
    for half in halves(seeds):
        reach = prey = 0
        for house, seeds_in_it in enumerate(half):
            end = house + seeds_in_it - 6
            if seeds_in_it < 12 and 0 <= end < 6:
                reach |= 1 << end
            if seeds_in_it in (1, 2):
                prey |= 1 << house
        found.append(Traits(reach, prey, stored=0 in half))
    return found


def neighbours(halves):
    """For each of these half-boards the numbers of its three neighbours; of none for the first one."""
    places, found = {half: number for number, half in enumerate(halves)}, []
    for number, half in enumerate(halves):
        near = []
        for source in reversed(range(5)):
            for target in range(source + 1, 6):
                moved = list(half)
                moved[source] -= 1
                moved[target] += 1
                # No half-board has less than no seeds.
                near.append(places.get(tuple(moved)))
        near = [place for place in near if place is not None]
        near += [place for place in reversed(range(number)) if place not in near]
        near = near[:3]
        found.append(near + near[:1] * (3 - len(near)))
    return found


class Cuts:
    """Rows or columns, cut into pieces that are as equal as possible."""

    def __init__(self, places, longest):
        self.places, self.pieces = places, -(-places // longest)

    def piece(self, number):
        start = number * self.places // self.pieces
        return range(start, (number + 1) * self.places // self.pieces)

    def holding(self, place):
        return ((place + 1) * self.pieces - 1) // self.places


class LayerFile:
    """The file of a layer: the stored measures."""

    def __init__(self, directory, manifest, seeds):
        self.path, self.seeds = os.path.join(directory, file_name(seeds)), seeds
        self.limit = limit_of(manifest, seeds)
        self.has_bounds = manifest["cycles"] == "own-side"
        self.kinds = self.limit + (3 if self.has_bounds else 2)
        self.of_file = manifest["files"][seeds]
        self.file = open(self.path, "rb")
        self.tiles = {}
        length = os.fstat(self.file.fileno()).st_size
        self.check(length == self.of_file["bytes"], "its length is not the manifest's")
        self.check(length >= HEADER.size, "it is not a layer file")
        self.read_header(length, manifest)
        self.read_model()

    def check(self, condition, what):
        check(condition, f"{self.path}: {what}")

    def read(self, start, length):
        self.file.seek(start)
        content = self.file.read(length)
        self.check(len(content) == length, "it ends too early")
        return content

    def read_header(self, length, manifest):
        content = self.read(0, HEADER.size)
        header = Header._make(HEADER.unpack(content))
        self.check(header.magic == b"\x8agrn\r\n\x1a\n", "it is not a layer file")
        is_right = header.version == VERSION
        self.check(is_right, f"its version is {header.version} and not {VERSION}")
        self.check(header.checksum == zlib.crc32(content[:128]), "the header is damaged")
        self.first_checksum = zlib.crc32(content[:112])
        seeds = self.seeds
        is_right = header[2:5] == (seeds, self.has_bounds, manifest.get("decides", 0))
        self.check(is_right, "it is another layer")
        zeros = header.zeros_1 + header.zeros_2
        self.check(not any(zeros), "the header has bytes that are not 0")

        # By the mover's seeds: the cuts of the matrix, and the number of its first tile.
        self.matrices, tiles = [], 0
        for own_seeds in range(seeds + 1):
            rows = Cuts(half_count(own_seeds), HEIGHT)
            columns = Cuts(half_count(seeds - own_seeds), WIDTH)
            self.matrices.append((rows, columns, tiles))
            tiles += rows.pieces * columns.pieces
        self.check(header.model_bytes <= 1 << 20, "the model is too long")
        self.check(header.block_bytes <= LONGEST * tiles, "the blocks are too long")
        self.header, self.blocks = header, tiles
        self.groups = -(-tiles // 64)
        self.index_start = HEADER.size + header.model_bytes + 4
        self.blocks_start = self.index_start + 396 * self.groups
        self.end = self.blocks_start + header.block_bytes
        self.check(length == self.end + 32, "its length is not the header's")

        line = "granero table, rules {rules}, endless play {cycles}, order 1"
        if "decides" in manifest:
            line += ", values that decide a game of {decides} seeds"
        line = line.format(**manifest) + "\n"
        is_right = header.fingerprint.hex() == sha256(line.encode())
        self.check(is_right, "its rules are not the manifest's")
        layer = manifest["layers"][seeds]
        high = layer["high"]["sha256"] if self.has_bounds else "00" * 32
        is_right = (header.values.hex(), header.high.hex()) == (layer["sha256"], high)
        self.check(is_right, "its values are not the manifest's")

    def checksum(self, content):
        return zlib.crc32(content, self.first_checksum)

    def read_model(self):
        content = self.read(HEADER.size, self.header.model_bytes + 4)
        model, checksum = content[:-4], int.from_bytes(content[-4:], "little")
        self.check(self.checksum(model) == checksum, "the model is damaged")
        rest, pairs = iter(model), range(self.kinds**2)
        try:
            # By pair: all numbers in their order.
            self.orders = [self.read_order(rest) for _ in pairs]
            outer_classes, self.outer = self.read_classes(rest, 24 * len(pairs))
            self.inner_classes, self.inner = self.read_classes(rest, 5**5)
            self.first_second = outer_classes * self.inner_classes
            self.first_further = self.first_second + (16 * self.kinds if self.has_bounds else 0)
            cells = range(self.first_further + (self.kinds - 1) // 7)
            self.cells = [self.read_cell(rest) for _ in cells]
        except StopIteration:
            self.check(False, "the model ends too early")
        self.check(next(rest, None) is None, "the model is too long")

    def read_order(self, rest):
        count = next(rest)
        self.check(count <= 7, "the model has too many likely numbers")
        likely = [next(rest) for _ in range(count)]
        numbers = range(self.kinds)
        is_right = set(likely) <= set(numbers) and len(set(likely)) == count
        self.check(is_right, "the model has a wrong number, or one twice")
        return likely + [number for number in numbers if number not in likely]

    def read_classes(self, rest, contexts):
        """The number of classes, and the class of each context."""
        classes, found = next(rest), []
        self.check(1 <= classes <= 128, "the model has a wrong number of classes")
        while len(found) < contexts:
            class_, length = next(rest), 0
            self.check(class_ < classes, "the model has a run of no class")
            for shift in (0, 7, 14):
                byte = next(rest)
                length |= (byte & 0x7F) << shift
                if byte < 0x80:
                    break
            else:
                self.check(False, "the model has a length of more than three bytes")
            self.check(length > 0, "the model has a run of no length")
            found += [class_] * length
        self.check(len(found) == contexts, "the model has too many contexts")
        return classes, found

    def read_cell(self, rest):
        """The starts of the eight symbols of a cell, and their end."""
        codes = [next(rest) for _ in range(8)]
        frequencies = [c if c < 64 else (32 + c % 32) << (c // 32 - 1) for c in codes]
        self.check(codes.count(255) == 1, "the model has a cell of no rest, or of two")
        place = codes.index(255)
        frequencies[place] = 0
        frequencies[place] = 4096 - sum(frequencies)
        self.check(frequencies[place] >= 0, "the model has wrong frequencies")
        return [sum(frequencies[:symbol]) for symbol in range(9)]

    def group(self, number):
        """The start of the first block; the lengths and the checksums of the blocks."""
        content = self.read(self.index_start + 396 * number, 396)
        start, *rest = GROUP.unpack(content)
        self.check(rest[-1] == self.checksum(content[:-4]), f"group {number} is damaged")
        return start, [2 * words for words in rest[:64]], rest[64:128]

    def block(self, number):
        start, lengths, checksums = self.group(number // 64)
        place = number % 64
        start += sum(lengths[:place])
        is_inside = start + lengths[place] <= self.header.block_bytes
        self.check(is_inside, f"block {number} lies outside")
        content = self.read(self.blocks_start + start, lengths[place])
        self.check(self.checksum(content) == checksums[place], f"block {number} is damaged")
        return content

    def verify(self):
        """Checks everything that look-ups do not check."""
        content = self.read(0, self.end + 32)
        self.check(sha256(content[:-32]) == content[-32:].hex(), "its SHA-256 is wrong")
        is_right = sha256(content) == self.of_file["sha256"]
        self.check(is_right, "its SHA-256 is not the manifest's")
        end = 0
        for number in range(self.groups):
            start, lengths, checksums = self.group(number)
            self.check(start == end, f"group {number} starts at a wrong place")
            blocks = min(64, self.blocks - 64 * number)
            unused = lengths[blocks:] + checksums[blocks:]
            self.check(not any(unused), f"group {number} has too many blocks")
            end += sum(lengths)
        self.check(end == self.header.block_bytes, "the blocks end at a wrong place")

    def stored(self, position):
        """The stored measures of a position whose opponent has an empty house; None for an open one."""
        own, opponents = position[:6], position[6:]
        row, column = rank(own), rank(opponents)
        rows, columns, first = self.matrices[sum(own)]
        down, across = rows.holding(row), columns.holding(column)
        number = first + down * columns.pieces + across
        if number not in self.tiles:
            sides = sum(own), rows.piece(down), columns.piece(across)
            self.tiles[number] = self.decode(*sides, self.block(number))
        return self.tiles[number][row, column]

    def measures(self, number, second):
        """The measures that the numbers of a position stand for."""
        low = high = None
        if number < self.kinds - 1:
            low = number - self.limit
            if self.has_bounds:
                low -= number % 2
                if second is not None:
                    high = -2 * second - (2 if self.seeds % 2 == 0 else 1)
                    self.check(high >= low, "a block has a high bound below the low one")
        return {LOW: low, HIGH: high} if self.has_bounds else {VALUE: low}

    # docs/internals/format.md, "A block" ------------------------------------------------

    def decode(self, own_seeds, rows, columns, block):
        """The stored measures of a tile, by row and column."""
        others = traits(self.seeds - own_seeds)
        columns = [column for column in columns if others[column].stored]
        if not columns:
            self.check(not block, "a block without values has bytes")
            return {}
        is_right = 8 <= len(block) <= LONGEST and len(block) % 2 == 0
        self.check(is_right, "a block has a wrong length")
        states = list(struct.unpack("<2I", block[:8]))
        words = iter(struct.unpack(f"<{len(block) // 2 - 4}H", block[8:]))

        def symbol(lane, cell):
            """Decodes a symbol."""
            state, starts = states[lane % 2], self.cells[cell]
            slot = state % 4096
            found = max(symbol for symbol in range(8) if starts[symbol] <= slot)
            frequency = starts[found + 1] - starts[found]
            state = frequency * (state // 4096) + slot - starts[found]
            if state < 65536:
                word = next(words, None)
                self.check(word is not None, "a block ends too early")
                state = 65536 * state + word
            states[lane % 2] = state
            return found

        def rank(lane, cell):
            """Decodes a symbol, and those that follow a 7."""
            found, further = 0, self.first_further
            while (last := symbol(lane, cell)) == 7:
                found, cell, further = found + 7, further, further + 1
                self.check(cell < len(self.cells), "a block has an impossible number")
            return found + last

        # By row and column of the tile: the numbers and the second numbers.
        self.numbers, seconds, found = {}, {}, {}
        half_boards = halves(self.seeds - own_seeds)
        self.left = neighbours([half_boards[column] for column in columns])
        self.above = neighbours([halves(own_seeds)[row] for row in rows])
        structures = [self.structures(own_seeds, rows, r, columns) for r in range(len(rows))]
        for group in range(0, len(rows), 4):
            for turn in range(len(columns) + 3):
                for lane in range(min(4, len(rows) - group)):
                    r, x = group + lane, turn - lane
                    if not 0 <= x < len(columns):
                        continue
                    pair, cell = self.cell(r, x, structures[r][x])
                    place = rank(lane, cell)
                    self.check(place < self.kinds, "a block has an impossible number")
                    number, second = self.orders[pair][place], None
                    self.numbers[r, x] = number
                    if self.has_bounds and number % 2 == 0 and number < self.kinds - 1:
                        around = [seconds.get(near, 3) for near in self.nearest(r, x)]
                        cell = self.first_second + 16 * number + 4 * around[0] + around[1]
                        second = rank(lane, cell)
                        seconds[r, x] = min(second, 2)
                    found[rows[r], columns[x]] = self.measures(number, second)
        self.check(next(words, None) is None, "a block is too long")
        self.check(states == [65536] * 2, "a block ends in a wrong state")
        return found

    def nearest(self, r, x):
        """The places to the left and above; none above the tile."""
        above = (self.above[r] or [None])[0]
        left = (r, self.left[x][0]) if x > 0 else (above, 0)
        return left, (above, x)

    def cell(self, r, x, structure):
        """The pair and the cell of the number in a row and column."""
        number = lambda r, x: self.numbers.get((r, x), self.kinds - 1)
        above = self.above[r] or [None] * 3
        left = [number(r, near) for near in self.left[x]] or [number(above[0], 0)] * 3
        corner = number(above[0], self.left[x][0] if x > 0 else 0)
        up = [number(near, x) for near in above]
        pair = left[0] * self.kinds + up[0]
        inner = 0
        for other in (corner, left[1], left[2], up[1], up[2]):
            inner = 5 * inner + min(self.orders[pair].index(other), 4)
        return pair, self.outer[24 * pair + structure] * self.inner_classes + self.inner[inner]

    def structures(self, own_seeds, rows, r, columns):
        """The structures of the stored positions of a row."""
        own, others = traits(own_seeds), traits(self.seeds - own_seeds)
        above = own[rows[self.above[r][0]]].reach if r > 0 else 0
        row = own[rows[r]]
        structures = []
        for x, column in enumerate(columns):
            prey_left = others[columns[self.left[x][0]]].prey if x > 0 else 0
            column = others[column]
            captures = bin(row.reach & column.prey).count("1")
            threat = column.reach & row.prey != 0
            at_above = above & column.prey != 0
            at_left = row.reach & prey_left != 0
            structures.append(8 * min(captures, 2) + 4 * threat + 2 * at_above + at_left)
        return structures


# docs/internals/format.md, "What is stored" --------------------------------------------


class Tables:
    """Tables: look up the values of positions."""

    def __init__(self, directory):
        self.manifest = read_manifest(directory)
        self.rules = RULES[self.manifest["rules"]]
        self.measures = MEASURES[self.manifest["cycles"]]
        self.values = {measure: {} for measure in self.measures}
        seeds = range(len(self.manifest["layers"]))
        self.layers = [LayerFile(directory, self.manifest, seeds) for seeds in seeds]

    def measure(self, position, measure):
        """A measure of a position: what is stored, or what its moves give."""
        values = self.values[measure]
        if position not in values:
            stored = self.stored(position, measure)
            values[position] = self.work_out(position, measure) if stored is None else stored
        return values[position]

    def stored(self, position, measure):
        """A measure in the files; None if it is open."""
        if 0 not in position[6:]:
            return None
        return self.layers[sum(position)].stored(position)[measure]

    def work_out(self, position, measure):
        legal = moves(self.rules, position)
        layer, is_open = self.layers[sum(position)], 0 in position[6:]
        results = []
        for _, captured, conceded, child in legal:
            is_quiet = captured + conceded == 0
            if is_open and is_quiet and self.stored(child, OF_CHILD[measure]) is None:
                continue
            results.append(captured - conceded - self.measure(child, OF_CHILD[measure]))
        if not legal:
            # The game is over: each player takes the seeds on their own side.
            results.append(sum(position[:6]) - sum(position[6:]))
        if is_open:
            is_right = results and max(results) >= (0 if measure == HIGH else 1)
            layer.check(is_right, "no move gives a measure that is not stored")
        return cut(max(results), layer.limit)

    def text(self, position, measure):
        """The value of a position, with a sign after it if it is cut off."""
        value, seeds = self.measure(position, measure), sum(position)
        limit = limit_of(self.manifest, seeds)
        if abs(value) == limit < seeds:
            return f"{value}{'+' if value > 0 else '-'}"
        return str(value)

    def check(self):
        """Prints the hash of the values of each layer; returns true if all are right."""
        all_right = True
        for seeds, (layer, entry) in enumerate(zip(self.layers, self.manifest["layers"])):
            layer.verify()
            columns = []
            for measure in self.measures:
                values = [self.measure(position, measure) for position in positions(seeds)]
                columns.append(values)
                digest = sha256(struct.pack(f"{len(values)}b", *values))
                expected = statistics_of(entry, measure)
                is_right = digest == expected["sha256"]
                is_right = is_right and histogram(values) == expected["histogram"]
                if measure == HIGH:
                    low, high = columns
                    gaps = histogram(high - low for low, high in zip(low, high))
                    is_right = is_right and gaps == expected["gaps"]
                    draws = sum(bounds == (0, 0) for bounds in zip(low, high))
                    is_right = is_right and draws == expected["draws"]
                verdict = "as in the manifest" if is_right else "NOT AS IN THE MANIFEST"
                name = "" if measure == VALUE else f" {measure},"
                print(f"{seeds:2} seeds,{name} {len(values):9,} positions, {digest}, {verdict}")
                all_right = all_right and is_right
        return all_right


def histogram(values):
    counts = collections.Counter(values).items()
    return sorted([value, count] for value, count in counts)


# docs/rules.md, "Notations" --------------------------------------------------------------


def numbers(text):
    """The numbers in a text; ValueError if it has anything else."""
    words = text.replace(",", " ").split()
    if not all(word.isdecimal() for word in words):
        raise ValueError(f"not a position: {text}")
    return [int(word) for word in words]


def seen_by_mover(south, north, is_south):
    """The twelve houses, the player to move first, from the houses of both sides."""
    return south + north if is_south else north + south


def playstrategy_row(text):
    """The seeds of six houses, in the order of a row."""
    houses = []
    if "," in text or text == "6":
        words = text.split(",")
    else:
        # The older form: a letter for each house with seeds.
        letter = lambda c: f"{ord(c) - ord('A') + 1 if c.isupper() else ord(c) - ord('a') + 27}S"
        words = [c if c.isdecimal() else letter(c) for c in text]
    for word in words:
        match = re.fullmatch(r"(\d+)(S?)", word)
        if not match:
            raise ValueError(f"not seeds: {word}")
        number = int(match[1])
        houses += [number] if match[2] else [0] * min(number, 7)
    return houses


# All seeds of the games that begin with as many in each house.
GAMES = (12, 24, 36, 48)


def playstrategy(text):
    """PlayStrategy's; None if it is another notation."""
    gap = r"[ _]+"
    rows, end = r"([0-9A-Za-z,]+)/([0-9A-Za-z,]+)", rf"(\d+){gap}(\d+){gap}([SN])({gap}\d+)?"
    match = re.fullmatch(rows + gap + end, text)
    if not match:
        return None
    north, south = map(playstrategy_row, match.groups()[:2])
    scores = int(match[3]) + int(match[4])
    # After the end of a game they include the seeds on the board.
    if scores != 48 and scores + sum(north + south) not in GAMES:
        raise ValueError(f"not the seeds of a game: {text}")
    return seen_by_mover(south, north[::-1], match[5] == "S")


def openspiel(text):
    """OpenSpiel's: the text of a state, or the string of an observation; None if it is another one."""
    match = re.fullmatch(r"([01]) *\|([\d ]+)\|([\d ]+)", text)
    if match:
        is_south, scores, houses = match[1] == "0", numbers(match[2]), numbers(match[3])
    elif text.startswith("Player"):
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if len(lines) != 6 or "[PLAYING]" not in lines[0] + lines[5]:
            raise ValueError("not a state of OpenSpiel")
        is_south = "[PLAYING]" in lines[5]
        scores = [int(number) for line in (lines[5], lines[0]) for number in re.findall(r"= *(\d+)", line)]
        houses = numbers(lines[3]) + numbers(lines[2])[::-1]
    else:
        return None
    if len(scores) != 2 or sum(scores) + sum(houses) not in GAMES:
        raise ValueError(f"not the seeds of a game: {text}")
    return seen_by_mover(houses[:6], houses[6:], is_south)


def aalina(text):
    """Aalina's; None if it is another notation."""
    match = re.fullmatch(r"((?:\d+-){14})([SN])", text)
    if not match:
        return None
    fields = [int(field) for field in match[1].rstrip("-").split("-")]
    if sum(fields) not in GAMES:
        raise ValueError(f"not the seeds of a game: {text}")
    return seen_by_mover(fields[:6], fields[6:12], match[2] == "S")


# Above a board and below it.
NAMES = [list("fedcba"), list("abcdef")]


def board(text):
    """A board of two rows; None if it is another notation."""
    rows = [row.strip() for row in re.split(r"[/\n]", text)]
    if len(rows) == 4 and [row.split() for row in (rows[0].lower(), rows[3].lower())] == NAMES:
        rows = rows[1:3]
    if len(rows) != 2:
        return None
    opponents, own = map(numbers, rows)
    if len(opponents) != 6:
        raise ValueError(f"not six houses in each row: {text}")
    return own + opponents[::-1]


def parse(text):
    """The twelve houses of a position in any notation, the player to move first."""
    text = text.strip()
    readers = (openspiel, playstrategy, aalina, board, numbers)
    houses = next(found for reader in readers if (found := reader(text)) is not None)
    if len(houses) != 12 or sum(houses) > 48:
        raise ValueError(f"not a position: {text}")
    return tuple(houses)


def parse_all(arguments):
    """Positions of one argument each, or of twelve."""
    found = []
    while arguments:
        size = 12 if arguments[0].strip().isdecimal() else 1
        found.append(parse(" ".join(arguments[:size])))
        arguments = arguments[size:]
    return found


def main(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__,
        usage="%(prog)s DIR [POSITION…]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("directory", metavar="DIR", help="a directory of tables")
    parser.add_argument("position", metavar="POSITION", nargs="*", help="see above")
    arguments = parser.parse_args(arguments)
    directory = arguments.directory
    try:
        wanted = parse_all(arguments.position)
    except ValueError as error:
        parser.error(str(error))
    try:
        tables = Tables(directory)
        if not wanted:
            return 0 if tables.check() else 1
        for position in wanted:
            check(sum(position) < len(tables.layers), "the tables do not reach so far")
            print(*(tables.text(position, measure) for measure in tables.measures))
    except (Damaged, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
