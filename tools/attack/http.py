#!/usr/bin/env python3
"""Attacks `granero serve` over HTTP from one address of this machine, and measures how an honest
client at another address is served, and how much memory the server takes.

    tools/attack/http.py [--server PROGRAM] [--db DIR] [--seeds N] [--seconds N]
                         [--connections N] [--any-time] [MODE ...]

The modes:

    quiet       no attack, for comparison
    idle        connections that say nothing
    heads       requests whose head comes a byte a second
    bodies      batches whose body comes a byte a second
    keep-alive  connections that ask now and then and stay open
    stalled     batches of 1 MiB without their last byte
    deaf        clients that ask for large answers and do not read them
    nested      64 clients that send bodies made to take memory
    lines       64 clients that ask for lines, whose computation takes most memory

Connections that the server closes are opened again after a second. Only loopback addresses are
used, and the number of connections and the time are bounded. Exits with 1 if an honest request
fails, if the 99th percentile of its times under attack is above 250 ms (unless --any-time is given,
for busy machines), if the server takes more memory than it says, panics or ends, or if there was no
attack. Needs only Linux and Python.

`tests/serve/requests.txt` has requests under other host names, `tests/serve/abuse.rs` bodies that no
endpoint expects.
"""

import argparse
import asyncio
import json
import os
import random
import re
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time

ATTACKER, HONEST = "127.0.0.2", "127.1.0.3"
MODES = ["quiet", "idle", "heads", "bodies", "keep-alive", "stalled", "deaf", "nested", "lines"]
MOST_CONNECTIONS, MOST_SECONDS = 20_000, 300
PERCENTILE_MS = 250

# The time between requests of an honest client, in seconds.
INTERVAL = 0.025

POSITION = "/api/v1/abapa/position?p=0,0,0,0,0,1,2,0,0,0,0,0"
GET = f"GET {POSITION} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
HEAD = f"GET {POSITION} HTTP/1.1\r\nHost: localhost\r\nX-Slow: ".encode()


def batch(length):
    return (
        "POST /api/v1/abapa/batch HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


MIB = 1 << 20
LARGE = b"[" + b",".join([b"[0,0,0,0,0,1,2,0,0,0,0,0]"] * 10_000) + b"]"
NESTED = [
    b"[" + b'{"":' * 200_000,
    b"[{" + b'"":[],' * 170_000 + b'"":0}]',
    b"[[" + b"{}," * 340_000 + b"0]]",
    b"[[" + b"0," * 500_000 + b"0]]",
    b"[" + b'"",' * 9_999 + b'""]',
    b"[" + b'{"":[{"":[]}]},' * 9_999 + b"0]",
    b"[" + b'"\\u0001\\u0001\\u0001\\u0001\\u0001\\u0001\\u0001\\u0001",' * 9_999 + b"0]",
    b"[" + b'"4,4,4,4,4,4,4,4,4,4,4,4",' * 9_999 + b"0]",
]


# The attacker: a process of its own, so that its work does not delay the honest client.


async def attack(mode, address, number, end, seeds):
    lines_of["seeds"] = seeds
    counts = {"opened": 0, "closed": 0, "refused": 0}
    semaphore = asyncio.Semaphore(200)

    async def one(place):
        while time.monotonic() < end:
            try:
                async with semaphore:
                    reader, writer = await asyncio.open_connection(
                        *address, local_addr=(ATTACKER, 0), limit=1 << 16
                    )
            except OSError:
                counts["refused"] += 1
                await asyncio.sleep(1)
                continue
            counts["opened"] += 1
            if counts["opened"] == 1:
                print("connected", flush=True)
            try:
                await asyncio.wait_for(
                    BEHAVIOUR[mode](reader, writer, place), max(0.01, end - time.monotonic())
                )
            except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
                pass
            finally:
                writer.transport.abort()
            counts["closed"] += 1
            await asyncio.sleep(1)

    await asyncio.gather(*(one(place) for place in range(number)))
    print(json.dumps(counts))


async def until_closed(reader):
    while await reader.read(1 << 16):
        pass


async def trickle(reader, writer, first):
    writer.write(first)
    closed = asyncio.ensure_future(until_closed(reader))
    try:
        while not closed.done():
            writer.write(b" ")
            await asyncio.wait([closed], timeout=1)
    finally:
        closed.cancel()


async def answer(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    await reader.readexactly(int(length[1]) if length else 0)


async def idle(reader, writer, place):
    await until_closed(reader)


async def heads(reader, writer, place):
    await trickle(reader, writer, HEAD)


async def bodies(reader, writer, place):
    await trickle(reader, writer, batch(1000) + b"[")


async def keep_alive(reader, writer, place):
    while True:
        writer.write(GET)
        await answer(reader)
        await asyncio.sleep(5)


async def stalled(reader, writer, place):
    writer.write(batch(MIB) + b"[" + b" " * (MIB - 2))
    await until_closed(reader)


async def deaf(reader, writer, place):
    for _ in range(20):
        writer.write(batch(len(LARGE)) + LARGE)
        await writer.drain()
    await asyncio.sleep(60)


async def nested(reader, writer, place):
    while True:
        body = NESTED[place % len(NESTED)]
        place += 1
        writer.write(batch(len(body)) + body)
        await answer(reader)


lines_of = {"seeds": 8}


async def lines(reader, writer, place):
    chance = random.Random(place)
    while True:
        houses = [0] * 12
        for _ in range(lines_of["seeds"] - chance.randrange(2)):
            houses[chance.randrange(12)] += 1
        convention = chance.choice(["split", "own-side"])
        position = ",".join(map(str, houses))
        target = f"/api/v1/abapa/line?p={position}&cycles={convention}"
        writer.write(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        await answer(reader)


BEHAVIOUR = {
    "idle": idle,
    "heads": heads,
    "bodies": bodies,
    "keep-alive": keep_alive,
    "stalled": stalled,
    "deaf": deaf,
    "nested": nested,
    "lines": lines,
}


# The honest client.


class Honest:
    """Asks for positions, on a new connection and on a kept one by turns, and sends a small
    batch now and then, which may get a 503. Times of positions count, from when a request is due."""

    def __init__(self, address):
        self.address = address
        self.kept = None
        self.times, self.failures = [], []

    def ask(self, request, begin, keep=False):
        try:
            connection = self.kept if keep else None
            if connection is None:
                connection = socket.create_connection(
                    self.address, timeout=30, source_address=(HONEST, 0)
                )
            connection.sendall(request)
            status = self.read(connection)
            # The attack may have all places for batches: limits for each client are up to a proxy.
            if status != 200 and (status != 503 or b"/batch" not in request):
                self.failures.append(status)
            if keep:
                self.kept = connection
            else:
                connection.close()
        except OSError as error:
            if keep and self.kept is not None:
                # An idle connection may be closed at any time.
                self.kept = None
                return self.ask(request, begin, keep)
            self.failures.append(str(error))
        if b"/batch" not in request:
            self.times.append((time.monotonic() - begin) * 1000)

    @staticmethod
    def read(connection):
        data = b""
        while b"\r\n\r\n" not in data:
            more = connection.recv(1 << 16)
            if not more:
                raise OSError("closed without an answer")
            data += more
        head, body = data.split(b"\r\n\r\n", 1)
        length = int(re.search(rb"content-length: (\d+)", head)[1])
        while len(body) < length:
            body += connection.recv(1 << 16)
        return int(head.split(b" ")[1])

    def ask_until(self, end):
        number = 0
        question = batch(2) + b"[]"
        due = time.monotonic()
        while due < end:
            number += 1
            # A request that is late because the previous one took long has waited, too.
            due += INTERVAL
            time.sleep(max(0, due - time.monotonic()))
            if number % 10 == 0:
                self.ask(question, due)
            else:
                self.ask(GET, due, keep=number % 2 == 0)


# The server.


class Server:
    def __init__(self, program, db, place):
        arguments = ["serve", "--listen", "127.0.0.1:0", "--cache", "64M"]
        if db:
            arguments += ["--db", os.path.abspath(db)]
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [os.path.abspath(program), *arguments],
            cwd=place,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        serving, memory = (self.process.stdout.readline() for _ in range(2))
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        found = re.search(r"http://([0-9.]+):(\d+)/", serving)
        bound = re.search(r"memory: at most (\d+) MiB", memory)
        if not found or not bound:
            self.stop()
            sys.exit(f"the server does not begin as it should: {serving}{memory}{self.said()}")
        self.address = (found[1], int(found[2]))
        self.bound = int(bound[1])

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def memory(self, field):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(rf"{field}:\s+(\d+) kB", status.read())[1]) / 1024

    def stop(self):
        self.process.kill()
        self.process.wait()


def measure(mode, options, place):
    server = Server(options.server, options.db, place)
    few = ("stalled", "deaf", "nested", "lines")
    number = {"quiet": 0, **dict.fromkeys(few, 64)}.get(mode, options.connections)
    attacker = None
    try:
        if number:
            arguments = [mode, server.address[0], server.address[1], number, options.seconds, options.seeds]
            command = [sys.executable, __file__, "--attack", *map(str, arguments)]
            attacker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            # Waits until it has a connection, or its output ends.
            attacker.stdout.readline()
        honest = Honest(server.address)
        honest.ask_until(time.monotonic() + options.seconds)
        counts = {"opened": 0}
        if attacker:
            counts = json.loads(attacker.communicate(timeout=300)[0] or json.dumps(counts))
        times = sorted(honest.times)
        of = lambda share: times[int((len(times) - 1) * share)]
        peak = server.memory("VmHWM")
        print(
            f"{mode:11}{counts['opened']:>9}{len(times):>8}{len(honest.failures):>8}"
            f"{of(0.5):>9.2f}{of(0.99):>9.2f}{of(1):>9.2f}{peak:>9.0f}{server.bound:>9}",
            flush=True,
        )
        problems = []
        if honest.failures:
            problems.append(f"honest requests failed: {honest.failures[:5]}")
        # A busy machine may not have the time to open all of them.
        if counts["opened"] < (min(number, 1) if options.any_time else number):
            problems.append(f"the attacker opened {counts['opened']} of {number} connections")
        if server.process.poll() is not None:
            problems.append("the server has ended")
        if "panicked" in server.said():
            problems.append(f"the server panicked: {server.said()}")
        if not options.any_time and of(0.99) > PERCENTILE_MS:
            problems.append(f"the 99th percentile is above {PERCENTILE_MS} ms")
        if peak > server.bound:
            problems.append("the server takes more memory than it says")
        for problem in problems:
            print(f"  {problem}", flush=True)
        return not problems
    finally:
        if attacker:
            attacker.kill()
            attacker.wait()
        server.stop()


def raise_limit():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


def main():
    if sys.argv[1:2] == ["--attack"]:
        mode, host, port, number, seconds, seeds = sys.argv[2:]
        assert host.startswith("127.")
        raise_limit()
        end = time.monotonic() + float(seconds)
        asyncio.run(attack(mode, (host, int(port)), int(number), end, int(seeds)))
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--server", default="target/release/granero", help="the program")
    parser.add_argument("--db", help="tables of abapa [default: the sample]")
    parser.add_argument("--seeds", type=int, default=8, help="of positions whose lines are asked")
    parser.add_argument("--seconds", type=float, default=20, help="the time of each mode")
    parser.add_argument("--connections", type=int, default=5000)
    parser.add_argument("--any-time", action="store_true", help="whatever time answers take")
    parser.add_argument("modes", nargs="*", metavar="MODE", help="all unless named")
    options = parser.parse_args()
    unknown = set(options.modes) - set(MODES)
    if unknown:
        parser.error(f"no such mode: {', '.join(unknown)}")
    options.seconds = min(options.seconds, MOST_SECONDS)
    allowed = raise_limit() - 100
    if options.connections > min(allowed, MOST_CONNECTIONS):
        options.connections = min(allowed, MOST_CONNECTIONS)
        print(f"only {options.connections} connections: the system allows no more")
    print(f"{options.connections} connections, {options.seconds:g} s for each mode")
    print("                                      honest, ms                   memory, MiB")
    print("mode          opened  honest  failed   median     99 %  slowest     peak    bound")
    with tempfile.TemporaryDirectory() as place:
        good = [measure(mode, options, place) for mode in options.modes or MODES]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
