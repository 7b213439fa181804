"""Damages tables in many ways, and checks that the reader in C gives no wrong answer and does not crash.

    damage.py READER DIRECTORY ANSWERS COPIES

READER is the compiled reader.c, ANSWERS its standard input, COPIES the number of damaged copies. In as many
other copies the checksums are made right again, so that damage reaches what lies behind them.
"""

import hashlib
import math
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

RIGHT, ERROR, WRONG = 0, 2, 3
END = 78  # the bytes of a manifest from its checksum on

reader, directory, answers, copies = sys.argv[1:]
answers = pathlib.Path(answers).read_bytes()
chance = random.Random(1)
tally = {"damaged": {}, "forged": {}}


def run(kind, file, content, allowed):
    """Runs the reader on a copy with a changed file; without content, the file is removed."""
    with tempfile.TemporaryDirectory() as place:
        copy = pathlib.Path(place, "copy")
        shutil.copytree(directory, copy)
        (copy / file).unlink()
        if content is not None:
            (copy / file).write_bytes(content)
        ended = subprocess.run([reader, copy], input=answers, capture_output=True)
    if ended.returncode not in allowed:
        sys.exit(f"{kind} {file}: exit code {ended.returncode}: {ended.stderr.decode()}\n{content}")
    tally[kind][ended.returncode] = tally[kind].get(ended.returncode, 0) + 1


def blocks_of(seeds):
    """The number of blocks of a layer."""
    half_boards = lambda seeds: math.comb(seeds + 5, 5)
    pieces = lambda own, others: -(-half_boards(own) // 40) * -(-half_boards(others) // 64)
    return sum(pieces(own, seeds - own) for own in range(seeds + 1))


def with_checksums(content):
    """Makes all checksums of a layer file right, as far as its lengths allow."""
    struct.pack_into("<I", content, 128, zlib.crc32(content[:128]))
    key = zlib.crc32(content[:112])
    put = lambda at, start, end: struct.pack_into("<I", content, at, zlib.crc32(content[start:end], key))
    (model,), (blocks,) = struct.unpack_from("<I", content, 112), struct.unpack_from("<Q", content, 120)
    index = 136 + model
    first = index + 396 * -(-blocks_of(content[10]) // 64)
    if first + blocks + 32 != len(content):
        return
    put(132 + model, 132, 132 + model)
    for first_block, group in enumerate(range(index, first, 396)):
        at = first + struct.unpack_from("<Q", content, group)[0]
        for place, words in enumerate(struct.unpack_from("<64H", content, group + 8)):
            if 64 * first_block + place < blocks_of(content[10]):
                put(group + 136 + 4 * place, at, at + 2 * words)
            at += 2 * words
        put(group + 392, group, group + 392)


def manifest(body):
    return body + b',"sha256":"%s"}\n' % hashlib.sha256(body).hexdigest().encode()


files = sorted(pathlib.Path(directory).glob("*.granero"))
body = pathlib.Path(directory, "granero.json").read_bytes()[:-END]
for number in range(int(copies)):
    file = chance.choice(files + [pathlib.Path(directory, "granero.json")])
    content = bytearray(file.read_bytes())
    where = chance.randrange(len(content))
    if number % 4 == 0:
        content = None
    elif number % 4 == 1:
        content[where] ^= 1 << chance.randrange(8)
    elif number % 4 == 2:
        del content[where:]
    else:
        content.append(0)
    run("damaged", file.name, content, {RIGHT, ERROR})

    file = chance.choice(files)
    content = bytearray(file.read_bytes())
    for _ in range(chance.choice([1, 2, 5])):
        content[chance.randrange(chance.choice([132, len(content)]))] = chance.randrange(256)
    with_checksums(content)
    run("forged", file.name, content, {RIGHT, ERROR, WRONG})

# What docs/internals/format.md says a reader rejects.
for old, new in [
    (b'{"format":6', b'{"format":6,"other":1'),
    (b'{"format":6', b'{"format":6,"decides":0'),
    (b'{"format":6', b'{"format":5'),
    (b'"rules":"', b'"rules":"awari","rules":"'),
    (b'"rules":"', b'"rules":7,"x":"'),
    (b'"histogram":[[0,1]]', b'"histogram":[[0,2]]'),
    (b'"histogram":[[0,1]]', b'"histogram":[[0,1}]'),
    (b'"positions":12', b'"positions":13'),
    (b'"layer-01.granero"', b'"layer-02.granero"'),
]:
    assert old in body, old
    run("forged", "granero.json", manifest(body.replace(old, new, 1)), {ERROR})
run("forged", "granero.json", manifest(body), {RIGHT})
print(tally)
