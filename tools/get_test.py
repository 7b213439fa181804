#!/usr/bin/env python3
"""Tests tools/get against hosts that are slow, cut off, and lie: tools/get_test.py DIRECTORY

DIRECTORY is that of some tables; those in its `own-side` are tried, too. Needs nothing but Python's
standard library, on Unix.
"""

import fcntl
import http.server
import os
import subprocess
import sys
import tempfile
import threading

GET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "get")
MANIFEST = "granero.json"


def files_of(tables):
    return sorted(name for name in os.listdir(tables) if os.path.isfile(os.path.join(tables, name)))


class Host(http.server.BaseHTTPRequestHandler):
    """Serves the tables as its server tells it to."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        server, name = self.server, os.path.basename(self.path)
        server.asked.append((name, self.headers.get("Range")))
        self.close_connection = True
        if server.nonsense:
            server.nonsense -= 1
            self.wfile.write(b"nonsense\r\n\r\n")
            return
        if name not in files_of(server.tables) or name in server.missing:
            self.send_error(404)
            return
        with open(os.path.join(server.tables, name), "rb") as file:
            content = file.read()
        content = server.change(name, content)
        start, status = 0, 200
        if self.headers.get("Range") and server.ranges:
            start, status = int(self.headers["Range"][6:].rstrip("-")), 206
        content_length = len(content) - start
        self.send_response(status)
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(content_length))
        self.end_headers()
        body = content[start:]
        if server.cut and name != MANIFEST:
            body = body[:1000]
        self.wfile.write(body)


def host(tables, change=lambda name, content: content, ranges=True, cut=False, missing=(), nonsense=0):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Host)
    server.tables, server.change, server.ranges, server.cut = tables, change, ranges, cut
    server.missing, server.nonsense, server.asked = missing, nonsense, []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def get(server, directory, *options):
    return get_from(f"http://127.0.0.1:{server.server_address[1]}/tables", directory, *options)


def get_from(url, directory, *options):
    command = [sys.executable, GET, url, directory, *options]
    environment = {**os.environ, "GRANERO_GET_PAUSE": "0", "no_proxy": "*"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def content_of(directory, names):
    found = {}
    for name in names:
        with open(os.path.join(directory, name), "rb") as file:
            found[name] = file.read()
    return found


def same(tables, directory):
    files = files_of(tables)
    return files_of(directory) == files and content_of(directory, files) == content_of(tables, files)


def flip(wanted):
    def change(name, content):
        middle = len(content) // 2
        flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        return flipped if name == wanted else content

    return change


def test(tables):
    last = files_of(tables)[-1]
    own_side = [name for name in files_of(tables) if name.endswith("-high.granero")]
    with tempfile.TemporaryDirectory() as place:
        at = lambda name: os.path.join(place, name)
        # All is well; and again, where nothing is left to do.
        server = host(tables)
        assert get(server, at("well")).returncode == 0 and same(tables, at("well"))
        server.asked.clear()
        assert get(server, at("well")).returncode == 0
        assert server.asked == [(MANIFEST, None)], server.asked
        # A part, which is extended. The manifest of a part is one that granero would have written.
        assert get(server, at("part"), "--seeds", "3", "--rate", "100M").returncode == 0
        assert last not in os.listdir(at("part"))
        before = content_of(at("part"), [MANIFEST])
        assert get(server, at("part"), "--seeds", "2").returncode == 0
        assert content_of(at("part"), [MANIFEST]) == before
        assert get(server, at("part")).returncode == 0 and same(tables, at("part"))
        # A host that cuts off: the rest is asked for, more often than a host that gives nothing.
        cut = host(tables, cut=True)
        assert get(cut, at("cut")).returncode == 0 and same(tables, at("cut"))
        assert sum(name == last for name, _ in cut.asked) > 8
        # One that cuts off and cannot go on gives no tables with that layer.
        stubborn = host(tables, cut=True, ranges=False)
        assert get(stubborn, at("stubborn")).returncode == 1
        assert last not in os.listdir(at("stubborn"))
        # One whose answers are no HTTP, at first or always.
        assert get(host(tables, nonsense=3), at("odd"), "--seeds", "0").returncode == 0
        odd = get(host(tables, nonsense=1000), at("odd"))
        assert odd.returncode == 1 and "given up" in odd.stderr, odd
        # One that lies, about a layer or about the manifest; then an honest one.
        liar = get(host(tables, flip(last)), at("liar"))
        assert liar.returncode == 1 and "not what the manifest promises" in liar.stderr, liar
        assert last not in os.listdir(at("liar"))
        assert get(host(tables, flip(MANIFEST)), at("liar")).returncode == 1
        assert get(server, at("liar")).returncode == 0 and same(tables, at("liar"))
        # One without the second file of a layer: the first one is not fetched again.
        for number, high in enumerate(own_side):
            low, half = high.replace("-high", "-low"), at(f"half-{number}")
            assert get(host(tables, missing=[high]), half).returncode == 1
            assert low in os.listdir(half) and high not in os.listdir(half)
            server.asked.clear()
            assert get(server, half).returncode == 0 and same(tables, half)
            assert low not in [name for name, _ in server.asked]
        # A file that is there but not whole is fetched.
        os.mkdir(at("torn"))
        assert get(server, at("torn"), "--seeds", "2").returncode == 0
        with open(at(f"torn/{last}"), "wb") as torn:
            torn.write(b"torn")
        assert get(server, at("torn")).returncode == 0 and same(tables, at("torn"))
        # A directory that is locked is left alone; a lock file and others of a killed build are no lock.
        os.mkdir(at("locked"))
        with open(at("locked/.layer-00.granero.get"), "wb"), open(at("locked/x.granero-tmp"), "wb"):
            pass
        with open(at("locked/granero.lock"), "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            locked = get(server, at("locked"))
            assert locked.returncode == 1 and "is writing to" in locked.stderr, locked
            assert MANIFEST not in os.listdir(at("locked"))
        os.remove(at("locked/.layer-00.granero.get"))
        assert get(server, at("locked")).returncode == 0 and same(tables, at("locked"))
        # A link in its place is not followed.
        os.mkdir(at("link"))
        os.symlink(at("elsewhere"), at("link/granero.lock"))
        assert get(server, at("link")).returncode == 1 and not os.path.exists(at("elsewhere"))
        # Files of something else are left alone.
        os.mkdir(at("other"))
        with open(at("other/letter.txt"), "w", encoding="utf-8") as letter:
            letter.write("Dear …")
        assert get(server, at("other")).returncode == 1
        assert os.listdir(at("other")) == ["letter.txt"]
        # What cannot be meant.
        assert get(server, at("none"), "--seeds", "-1").returncode == 2
        for url in ["file:///etc", "ftp://example.org/", "example.org/tables", "https://", "http://[x/"]:
            refused = get_from(url, at("none"))
            assert refused.returncode == 2 and "begins with https://" in refused.stderr, refused
        assert get_from("http://127.0.0.1/a b", at("none")).returncode == 1
        assert not os.path.exists(at("none"))


def main():
    tables = os.path.abspath(sys.argv[1])
    test(tables)
    if os.path.isdir(os.path.join(tables, "own-side")):
        test(os.path.join(tables, "own-side"))
    print("all right")


main()
