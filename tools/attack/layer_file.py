"""The file of a layer, as docs/format.md describes it: finds its parts, and corrects its
checksums."""

import hashlib
import math
import zlib

HEADER, GROUP, DIGEST = 132, 396, 32
# The bytes of the header that other checksums go on from.
IDENTITY = 112


def number(bytes, start, length):
    return int.from_bytes(bytes[start : start + length], "little")


def blocks_of(seeds):
    """The number of blocks of a layer."""
    half_boards = lambda seeds: math.comb(seeds + 5, 5)
    pieces = lambda own, others: -(-half_boards(own) // 40) * -(-half_boards(others) // 64)
    return sum(pieces(own, seeds - own) for own in range(seeds + 1))


class Layout:
    """The offsets of the parts, according to the header, as far as the file reaches."""

    def __init__(self, bytes):
        end = max(HEADER, len(bytes) - DIGEST)
        model_end = HEADER + number(bytes, 112, 4)
        groups = -(-blocks_of(bytes[10]) // 64)
        self.model = range(HEADER, min(model_end, end))
        self.index = range(min(model_end + 4, end), min(model_end + 4 + GROUP * groups, end))
        self.blocks = range(self.index.stop, end)
        self.header = range(min(HEADER, len(bytes)))
        self.anywhere = range(len(bytes))


def mend(bytes):
    """Corrects all checksums that fit into the file."""
    if len(bytes) < HEADER:
        return
    bytes[HEADER - 4 : HEADER] = zlib.crc32(bytes[: HEADER - 4]).to_bytes(4, "little")
    layout = Layout(bytes)
    if layout.model.stop + 4 <= layout.index.start:
        put_checksum(bytes, HEADER, layout.model.stop)
    for group in range(layout.index.start, layout.index.stop - GROUP + 1, GROUP):
        start = layout.blocks.start + number(bytes, group, 8)
        for block in range(64):
            end = start + 2 * number(bytes, group + 8 + 2 * block, 2)
            is_used = (group - layout.index.start) // GROUP * 64 + block < blocks_of(bytes[10])
            checksum = bound(bytes, start, min(end, layout.blocks.stop)) if is_used else 0
            place = group + 136 + 4 * block
            bytes[place : place + 4] = checksum.to_bytes(4, "little")
            start = end
        put_checksum(bytes, group, group + GROUP - 4)
    if len(bytes) >= HEADER + DIGEST:
        bytes[-DIGEST:] = hashlib.sha256(bytes[:-DIGEST]).digest()


def put_checksum(bytes, start, end):
    bytes[end : end + 4] = bound(bytes, start, end).to_bytes(4, "little")


def bound(bytes, start, end):
    """The checksum of a part of this file."""
    return zlib.crc32(bytes[start:end], zlib.crc32(bytes[:IDENTITY]))
