#!/usr/bin/env python3
"""Tests tools/get against hosts that are slow, cut off, and lie: tools/get_test.py DIRECTORY

DIRECTORY is that of some tables. Needs nothing but Python's standard library.
"""

import http.server
import os
import subprocess
import sys
import tempfile
import threading

TABLES = os.path.abspath(sys.argv[1])
GET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "get")
FILES = sorted(name for name in os.listdir(TABLES) if os.path.isfile(os.path.join(TABLES, name)))


class Host(http.server.BaseHTTPRequestHandler):
    """Serves the tables as its server tells it to."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        server, name = self.server, os.path.basename(self.path)
        server.asked.append((name, self.headers.get("Range")))
        if name not in FILES:
            return self.send_error(404)
        with open(os.path.join(TABLES, name), "rb") as file:
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
        if server.cut and name != "granero.json":
            body = body[: max(1, (len(body) + 1) // 2)] if len(body) > 2000 else body
        self.wfile.write(body)
        self.close_connection = True


def host(change=lambda name, content: content, ranges=True, cut=False):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Host)
    server.change, server.ranges, server.cut, server.asked = change, ranges, cut, []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def get(server, directory, *options):
    url = f"http://127.0.0.1:{server.server_address[1]}/tables"
    command = [sys.executable, GET, url, directory, *options]
    environment = {**os.environ, "GRANERO_GET_PAUSE": "0", "no_proxy": "*"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def content_of(directory, names):
    found = {}
    for name in names:
        with open(os.path.join(directory, name), "rb") as file:
            found[name] = file.read()
    return found


def same(directory):
    return content_of(directory, FILES) == content_of(TABLES, FILES)


def flip(wanted):
    def change(name, content):
        middle = len(content) // 2
        flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        return flipped if name == wanted else content

    return change


def main():
    last = FILES[-1]
    with tempfile.TemporaryDirectory() as place:
        at = lambda name: os.path.join(place, name)
        # All is well; and again, where nothing is left to do.
        server = host()
        assert get(server, at("well")).returncode == 0 and same(at("well"))
        server.asked.clear()
        assert get(server, at("well")).returncode == 0
        assert server.asked == [("granero.json", None)], server.asked
        # A part, which is extended. The manifest of a part is one that granero would have written.
        assert get(server, at("part"), "--seeds", "3", "--rate", "100M").returncode == 0
        assert last not in os.listdir(at("part"))
        before = content_of(at("part"), ["granero.json"])
        assert get(server, at("part"), "--seeds", "2").returncode == 0
        assert content_of(at("part"), ["granero.json"]) == before
        assert get(server, at("part")).returncode == 0 and same(at("part"))
        # A host that cuts off: the rest is asked for.
        cut = host(cut=True)
        assert get(cut, at("cut")).returncode == 0 and same(at("cut"))
        assert any(asked for _, asked in cut.asked)
        # One that cuts off and cannot go on gives no tables with that layer.
        stubborn = host(cut=True, ranges=False)
        assert get(stubborn, at("stubborn")).returncode == 1
        assert last not in os.listdir(at("stubborn"))
        # One that lies, about a layer or about the manifest; then an honest one.
        liar = get(host(flip(last)), at("liar"))
        assert liar.returncode == 1 and "not what the manifest promises" in liar.stderr, liar
        assert last not in os.listdir(at("liar"))
        assert get(host(flip("granero.json")), at("liar")).returncode == 1
        assert get(server, at("liar")).returncode == 0 and same(at("liar"))
        # Files of something else are left alone.
        os.mkdir(at("other"))
        with open(at("other/letter.txt"), "w", encoding="utf-8") as letter:
            letter.write("Dear …")
        assert get(server, at("other")).returncode == 1
        assert os.listdir(at("other")) == ["letter.txt"]
    print("all right")


main()
