#!/usr/bin/env python3
"""A malicious engine; its first argument says how it behaves. See `engines.py`."""

import os
import signal
import sys
import time

MANNER = sys.argv[1]


def say(text):
    data = text.encode() if isinstance(text, str) else text
    while data:
        data = data[os.write(1, data) :]


def legal(line):
    """A legal move in a position, as a letter."""
    sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.dont_write_bytecode = True
    from read_tables import RULES, moves

    *numbers, side = line.split()[2].split("-")
    houses = tuple(map(int, numbers[:12]))
    houses = houses if side == "S" else houses[6:] + houses[:6]
    house = moves(RULES["abapa"], houses)[0][0]
    return ("ABCDEF" if side == "S" else "abcdef")[house]


def for_ever(text):
    while True:
        say(text)


def wait_for_ever():
    while True:
        time.sleep(1000)


def leave_a_child():
    """A child that keeps all open files, and ends by itself only after a while."""
    if os.fork() == 0:
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(name, signal.SIG_IGN)
        time.sleep(60)
        os._exit(0)


def answer(position):
    if MANNER == "endless-line":
        for_ever("x" * 65536)
    elif MANNER == "flood":
        for_ever("info depth 1 score cp 0 pv A\n" * 1000)
    elif MANNER == "empty-lines":
        for_ever("\n" * 65536)
    elif MANNER == "noise":
        for_ever(os.urandom(65536))
    elif MANNER == "drip":
        while True:
            say("b")
            time.sleep(0.01)
    elif MANNER == "huge-move":
        say("bestmove ")
        for _ in range(1000):
            say("A" * 65536)
        say("\n")
    elif MANNER == "huge-remark":
        for _ in range(500):
            say("x" * 65536)
        say(f"\nbestmove {legal(position)}\n")
    elif MANNER == "nul":
        say("bestmove \0\n")
    elif MANNER == "not-utf-8":
        say(b"bestmove \xff\xfe\x80\n")
    elif MANNER == "other-side":
        say(f"bestmove {legal(position).swapcase()}\n")
    elif MANNER == "zero":
        say("bestmove 0000\n")
    elif MANNER == "word":
        say("bestmove e4 ponder e5\n")
    elif MANNER == "nothing-said":
        say("bestmove\n")
    elif MANNER == "many-moves":
        say(f"bestmove {legal(position)}\n" + "bestmove F\nbestmove 0000\n" * 1000)
    elif MANNER == "silent":
        pass
    elif MANNER == "closes-its-input":
        os.close(0)
        wait_for_ever()
    elif MANNER == "closes-its-output":
        os.close(1)
        wait_for_ever()
    elif MANNER == "ends":
        sys.exit(0)
    elif MANNER == "crashes":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif MANNER == "stops":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif MANNER == "child":
        leave_a_child()
        say(f"bestmove {legal(position)}\n")
    elif MANNER == "busy":
        while True:
            pass
    elif MANNER == "errors":
        for _ in range(100):
            os.write(2, b"what a mess " * 5000)
        say(f"bestmove {legal(position)}\n")
    else:
        say(f"bestmove {legal(position)}\n")


def main():
    if MANNER in ("child", "busy"):
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(name, signal.SIG_IGN)
    if MANNER == "deaf":
        wait_for_ever()
    if MANNER == "shouts":
        for_ever("uciok\nreadyok\nbestmove A\n" * 1000)
    if MANNER == "never-ready":
        for_ever("x" * 65536)
    position, rest = "", b""
    while True:
        data = os.read(0, 65536)
        if not data:
            return
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            line = line.decode().strip()
            if line == "uci":
                name = "x" * 1_000_000 if MANNER == "long-name" else MANNER
                say(f"id name {name}\nuciok\n")
            elif line == "isready":
                say("readyok\n")
            elif line.startswith("position"):
                position = line
            elif line.startswith("go"):
                answer(position)
            elif line == "quit" and MANNER not in ("stubborn", "child"):
                return


main()
