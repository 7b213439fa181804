"""Forged files: wrong layers and manifests with right checksums, and names that lead to no regular
file.

In each case the program ends with a message, not with a signal, a panic or too much memory; and tables
that `verify` accepts give the right values. (`tests/fuzz.rs` and the fuzz targets feed many more of them
to the library.)
"""

import hashlib
import json
import math
import os
import shutil
import zlib

from . import tables
from .campaign import MODEST, require
from .layer_file import DIGEST, GROUP, HEADER, Layout, blocks_of, mend, put_checksum
from .scenes import CYCLES, Build

SEEDS = 5

# Replacements for values in a manifest.
NUMBERS = (-1, 0, 1, 2, 7, 48, 49, 255, 256, 65535, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63)
NUMBERS += ((1 << 64) - 1, 1 << 64, 1e308, -0.5, 10**40)
OTHERS = (None, True, "", "x", [], {}, [[]], "../granero.json", "/dev/zero", "layer-00.granero")


class Forger:
    def __init__(self, campaign, cycles):
        build = Build(campaign, SEEDS, cycles)
        self.directory, self.files = build.directory, build.end
        self.inner = os.path.join(self.directory, "own-side" if cycles == "own-side" else "")
        prefix = "own-side/" if cycles == "own-side" else ""
        self.own = {
            name.removeprefix(prefix): bytes
            for name, bytes in build.end.items()
            if name.startswith(prefix) and not name.endswith(tables.LOCK)
        }
        self.cycles = cycles
        self.queries = campaign.path("queries")
        with open(self.queries, "w") as file:
            for seeds in range(SEEDS + 1):
                file.write(f"0 {seeds // 3} 0 0 0 {seeds - seeds // 3 - seeds // 2} 0 0 ")
                file.write(f"{seeds // 2} 0 0 0\n")
        query = ("query", "--batch", self.queries, "--format", "json")
        self.verbs = [
            ("verify",),
            ("verify", "--quick"),
            query,
            ("info",),
            ("stats", "--layer", SEEDS),
            ("export", "--layer", SEEDS, "--format", "raw", "--out", campaign.path("export")),
            ("build", "--quiet", "--seeds", SEEDS + 1, "--cycles", cycles, "--threads", 1),
        ]
        self.place(self.own)
        right = campaign.run(*query, "--db", self.directory)
        require(right.status == 0, lambda: f"queries: {right}")
        self.right = right.output

    def place(self, files):
        shutil.rmtree(self.directory, ignore_errors=True)
        tables.write(self.inner, files)

    def try_all(self, campaign, what, are_values_bound):
        """Runs all verbs. If unforged hashes cover the values, queries must be right, too."""
        says_right = False
        for words in self.verbs:
            ended = campaign.run(*words, "--db", self.directory)
            try:
                ended.require_orderly()
                # The program alone takes some ten MiB, and the layers of five seeds nearly none.
                mebibytes = ended.memory >> 20
                require(ended.memory < MODEST, lambda: f"it took {mebibytes} MiB: {ended}")
                if words == ("verify",):
                    says_right = ended.status == 0
                if words[0] == "query" and ended.status == 0 and (says_right or are_values_bound):
                    require(ended.output == self.right, lambda: f"wrong values: {ended}")
            except Exception as wrong:
                wrong.args = (f"{self.cycles}, {what}: {wrong}",)
                raise
            finally:
                # An export of forged values, or a build on top of them, need not be right.
                if os.path.exists(campaign.path("export")):
                    os.remove(campaign.path("export"))


def run(campaign):
    forgers = [Forger(campaign, cycles) for cycles in CYCLES]
    things = [(forger, name, thing) for forger in forgers for name in (0, 1) for thing in THINGS]
    for number in campaign.trials(len(things), len(things)):
        campaign.attempt(number, no_file, *things[number])
    for number in campaign.trials(1, 1, first=len(things)):
        campaign.attempt(number, vast_layers, forgers[0])
    inputs = [(words, thing) for words in INPUTS for thing in THINGS if thing is not fifo]
    for number in campaign.trials(len(inputs), len(inputs), first=50):
        campaign.attempt(number, no_input, forgers[0], *inputs[number - 50])
    for number in campaign.trials(140, first=100):
        campaign.attempt(number, (layer, manifest)[number // 2 % 2], forgers[number % 2])


def layer(campaign, forger):
    """Changes a layer's file in a few places, and makes checksums and manifest agree with it."""
    random = campaign.random
    files = dict(forger.own)
    name = random.choice(sorted(name for name in files if name != tables.MANIFEST))
    bytes = bytearray(files[name])
    layout, changes = Layout(bytes), []
    for _ in range(random.randint(1, 5)):
        parts = ("header", "model", "index", "blocks", "anywhere")
        part = random.choices(parts, (1, 4, 4, 8, 1))[0]
        places = getattr(layout, part)
        if not places:
            continue
        place = random.choice(places)
        how = random.randrange(4)
        if how == 0:
            bytes[place] = random.choice((0, 255, random.randrange(256)))
        elif how == 1:
            bytes[place] ^= 1 << random.randrange(8)
        elif how == 2:
            length = random.randint(1, 40)
            begin = random.randrange(len(bytes))
            piece = bytes[begin : begin + length][: len(bytes) - place]
            bytes[place : place + len(piece)] = piece
        else:
            cut = random.randint(0, 20)
            bytes[place : place + random.randint(0, 20)] = random.randbytes(cut)
            if len(bytes) < HEADER + DIGEST:
                break
        changes.append(f"{part} {place}")
    mend(bytes)
    files[name] = bytes
    document = json.loads(files[tables.MANIFEST])
    for file in document["files"]:
        if file["name"] == name:
            file["bytes"] = len(bytes)
            file["sha256"] = hashlib.sha256(bytes).hexdigest()
    files[tables.MANIFEST] = tables.manifest_text(document).encode()
    forger.place(files)
    forger.try_all(campaign, f"{name} forged at {', '.join(changes)}", False)


def manifest(campaign, forger):
    """Changes a manifest as JSON or as text, but not the layers."""
    random = campaign.random
    document = json.loads(forger.own[tables.MANIFEST])
    changes = [change_document(random, document) for _ in range(random.randint(1, 3))]
    text = tables.manifest_text(document)
    if random.random() < 0.3:
        text, change = change_text(random, text)
        changes.append(change)
        if random.random() < 0.5:
            content, _, tail = text.rpartition(',"sha256":')
            # The last file's is within a list.
            text = tables.sealed(text.rstrip()[:-1] if "]" in tail or not content else content)
    forger.place({**forger.own, tables.MANIFEST: text.encode("utf-8", "surrogatepass")})
    forger.try_all(campaign, f"manifest forged: {'; '.join(changes)}", True)


def change_document(random, document):
    """Changes one thing somewhere in a JSON document."""
    places = []

    def collect(value, path):
        children = value.items() if isinstance(value, dict) else enumerate(value)
        for key, child in children:
            places.append((value, key, f"{path}/{key}"))
            if isinstance(child, (dict, list)):
                collect(child, f"{path}/{key}")

    collect(document, "")
    parent, key, path = random.choice(places)
    value = parent[key]
    how = random.randrange(7)
    if how == 0:
        del parent[key]
        return f"{path} removed"
    if how == 1:
        parent[key] = random.choice(NUMBERS)
    elif how == 2:
        parent[key] = random.choice(OTHERS)
    elif how == 3 and isinstance(value, int):
        parent[key] = value + random.choice((-2, -1, 1, 2))
    elif how == 3 and isinstance(value, list):
        parent[key] = value * random.choice((0, 2, 60))
    elif how == 3 and isinstance(value, str) and value:
        place = random.randrange(len(value))
        parent[key] = value[:place] + random.choice("0f/\\\"\0\aé") + value[place + 1 :]
    elif how == 4:
        other, other_key, other_path = random.choice(places)
        if other_key not in (other.keys() if isinstance(other, dict) else range(len(other))):
            return f"{path} stays"
        parent[key] = json.loads(json.dumps(other[other_key]))
        return f"{path} is what {other_path} was"
    elif how == 5 and isinstance(parent, list):
        parent.insert(key, json.loads(json.dumps(value)))
        return f"{path} twice"
    elif isinstance(parent, dict):
        parent[random.choice(("x", "sha256", "high", "layers", "\a"))] = value
        return f"{path} under another name, too"
    return f"{path} is now {str(parent[key])[:60]}"


def change_text(random, text):
    place = random.randrange(len(text) + 1)
    how = random.randrange(6)
    if how == 0:
        return text[:place], f"cut off at {place}"
    if how == 1:
        return text[:place] + "[" * 200_000 + text[place:], f"200,000 brackets at {place}"
    if how == 2:
        return text[:place] + '{"a":' * 200_000 + text[place:], f"200,000 objects at {place}"
    if how == 3:
        return text[:place] + " " * 3_000_000 + text[place:], f"3 MB of spaces at {place}"
    if how == 4:
        return text.replace("{", '{"format":2,', 1), "the format twice"
    piece = random.choice(("\0", "\ud800", "9" * 400, "1e999", "\ufeff", "-"))
    return text[:place] + piece + text[place:], f"{piece[:5]!r} at {place}"


def fifo(path):
    os.mkfifo(path)


def endless(path):
    os.symlink("/dev/zero", path)


def directory(path):
    os.mkdir(path)


def to_itself(path):
    os.symlink(os.path.basename(path), path)


def vast(path):
    with open(path, "wb") as file:
        file.truncate(1500 << 20)


def nothing(path):
    with open(path, "wb"):
        pass


THINGS = (fifo, endless, directory, to_itself, vast, nothing)


def no_file(campaign, forger, which, thing):
    """Replaces the manifest or a layer by something that is no file of tables."""
    name = (tables.MANIFEST, sorted(forger.own)[-1])[which]
    forger.place(forger.own)
    path = os.path.join(forger.inner, name)
    os.remove(path)
    thing(path)
    forger.try_all(campaign, f"{name} is {thing.__name__}", False)


# Other verbs that read a file, with games or positions. Only a batch may be endless.
INPUTS = (
    ("judge",),
    ("referee", "--engine", "false", "--quiet", "--positions"),
    ("query", "--batch"),
)


def no_input(campaign, forger, words, thing):
    """Replaces a game or positions by something else."""
    if thing is endless and "--batch" in words:
        return
    forger.place(forger.own)
    path = campaign.path("input")
    thing(path)
    try:
        ended = campaign.run(*words, path, "--db", forger.directory)
        ended.require_orderly((0, 2, 3))
        require(ended.memory < MODEST, lambda: f"it took {ended.memory >> 20} MiB: {ended}")
    finally:
        os.rmdir(path) if thing is directory else os.remove(path)


def vast_layers(campaign, forger):
    """All 49 layers, most of them of sparse files whose header and model are right."""
    files = {name: forger.own[name] for name in sorted(forger.own)}
    document = json.loads(files.pop(tables.MANIFEST))
    good = files[f"layer-0{SEEDS}.granero"]
    lengths = {}
    for seeds in range(SEEDS + 1, 49):
        name, kinds = f"layer-{seeds:02}.granero", seeds + 2
        positions = math.comb(seeds + 11, 11)
        # Each context has the only class, and symbol 0 is certain.
        contexts = 24 * kinds**2
        runs = b"".join(
            bytes((1, 0, count & 127 | 128, count >> 7 & 127 | 128, count >> 14)) for count in (contexts, 3125)
        )
        cells = 1 + (kinds - 1) // 7
        model = bytes(kinds**2) + runs + (b"\xff" + bytes(7)) * cells
        tiles = blocks_of(seeds)
        header = bytearray(good[:HEADER]) + model + bytes(4)
        header[10] = seeds
        header[112:116] = len(model).to_bytes(4, "little")
        header[120:128] = (8 * tiles).to_bytes(8, "little")
        header[HEADER - 4 : HEADER] = zlib.crc32(header[: HEADER - 4]).to_bytes(4, "little")
        put_checksum(header, HEADER, HEADER + len(model))
        lengths[name] = HEADER + len(model) + 4 + GROUP * -(-tiles // 64) + 8 * tiles + DIGEST
        files[name] = header
        values = bytes(header[48:80]).hex()
        layer = {"seeds": seeds, "positions": positions, "sha256": values}
        document["layers"].append({**layer, "histogram": [[0, positions]]})
        document["files"].append({"name": name, "bytes": lengths[name], "sha256": "0" * 64})
    forger.place({**files, tables.MANIFEST: tables.manifest_text(document).encode()})
    for name, length in lengths.items():
        os.truncate(os.path.join(forger.inner, name), length)
    forger.try_all(campaign, "49 layers, most of them without content", False)
