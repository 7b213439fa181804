"""Sends requests of all kinds to `granero serve`, with positions as parameters.

Each gets an answer that docs/http-api.md lists. The server reads positions as the second reader
does. (The campaign http has many clients at once.)
"""

import json
import os
import re
import signal
import socket
import subprocess
import urllib.parse

from . import notations
from .campaign import MODEST, Wrong, require, wait
from .notations import RULES, Refused
from .text import LONGEST, mutated, position, require_same

NESTED = ("[" * 20_000, "[" + '{"":' * 2000, "[[" + "{}," * 2000 + "0]]", '[{"":[{"":[]}]}]', "[[[1]]]")
NESTED += ("[" + '"",' * 10_001 + '""]', '["' + "\\u0001" * 16 + '"]', "[[0,0,0,0,0,1e999,2,0,0,0,0,0]]")

PATHS = ("/", "/healthz", "/metrics", "/api/v1/tables", "/api/v1/openapi.json", "/index.html")
PATHS += tuple(
    f"/api/v1/{rules}/{what}"
    for rules in ("abapa", "awari", "none", "ABAPA", "")
    for what in ("position", "line", "stats", "batch", "x", "")
)
QUERIES = ("cycles=split", "cycles=own-side", "cycles=", "cycle=split", "p=", "p", "&", "=", "?")
QUERIES += ("p=4+4+4+4+4+4+4+4+4+4+4+4", "%", "%zz=%", "p=%ff", "p=%00", "p=0&p=0", "#p=0")
PIECES = "/", "//", "/..", "/.", "%2e%2e", "%2F", "%00", "%", "?", "&", "=", ";", "\\", "'", "<"
PIECES += "~", "é", "\x7f", "\x01", " ", "A" * 3000


class Server:
    """`granero serve` with the sample, and a connection to it."""

    def __init__(self, campaign):
        self.process = subprocess.Popen(
            [campaign.granero, "serve", "--listen", "127.0.0.1:0"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=open(campaign.path("errors"), "wb"),
            env=campaign.environment(),
            cwd=campaign.place,
        )
        line = self.process.stdout.readline().decode()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        require(found, f"it does not say where it is: {line!r}")
        self.port = int(found[1])
        self.connection = None

    def ask(self, method, target, body=None):
        """The status, the headers and the body; no status if the connection ends."""
        if self.connection is None:
            address = ("127.0.0.1", self.port)
            self.connection = socket.create_connection(address, timeout=30)
            self.answers = self.connection.makefile("rb")
        head = f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
        if body is not None:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        try:
            self.connection.sendall(head.encode() + b"\r\n" + (body or b""))
            status = self.answers.readline().split()
            headers = {}
            while line := self.answers.readline().strip():
                name, _, value = line.decode().partition(":")
                headers[name.lower()] = value.strip()
            length = int(headers.get("content-length", 0)) if method != "HEAD" else 0
            body = self.answers.read(length)
        except TimeoutError:
            raise Wrong(f"no answer within 30 s: {method} {target!r}") from None
        except ConnectionError:
            status, headers, body = [], {}, b""
        if not status or headers.get("connection") == "close":
            self.answers.close()
            self.connection.close()
            self.connection = None
        return (int(status[1]) if status else None), headers, body

    def end(self, campaign):
        if self.connection:
            self.answers.close()
            self.connection.close()
        self.process.send_signal(signal.SIGTERM)
        status, memory = wait(self.process, 60)
        self.process.stdout.close()
        with open(campaign.path("errors")) as file:
            errors = file.read()
        require(status == 0, f"the server ended with {status}: {errors}")
        require("panicked" not in errors, f"the server panicked: {errors}")
        require(memory < MODEST, f"the server took {memory >> 20} MiB")


def run(campaign):
    server = Server(campaign)
    server.codes = codes()
    try:
        for number in campaign.trials(20_000):
            kind = (anything, of_position, anything, of_position, of_batch)[number % 5]
            campaign.attempt(number, kind, server)
        campaign.attempt("of /healthz", lambda _: is_well(server))
    finally:
        campaign.attempt("of the end", lambda campaign: server.end(campaign))


def codes():
    """The statuses and codes of errors in docs/http-api.md."""
    here = os.path.dirname(os.path.abspath(__file__))
    found = set()
    with open(os.path.join(here, "../../docs/http-api.md")) as page:
        for line in page:
            if row := re.match(r"\| (\d{3}) \| (`[^|]*`) \|", line):
                found |= {(int(row[1]), code) for code in re.findall("`(.*?)`", row[2])}
    require(found, "docs/http-api.md lists no errors")
    return found


def is_well(server):
    require(server.ask("GET", "/healthz")[0] == 200, "it is not well afterwards")


def anything(campaign, server):
    random = campaign.random
    target = random.choice(PATHS)
    for _ in range(random.choice((0, 0, 1, 2))):
        place = random.randrange(len(target) + 1)
        target = target[:place] + random.choice(PIECES) + target[place:]
    for number in range(random.choice((0, 1, 1, 2, 3))):
        target += "?&"[number > 0] + random.choice(QUERIES)
    method = random.choice(("GET", "GET", "GET", "HEAD", "POST", "OPTIONS", "PUT", "get", "X"))
    check(server.codes, method, target, *server.ask(method, target))


def of_position(campaign, server):
    random = campaign.random
    rules = random.choice(list(RULES))
    text = mutated(random, position(random))
    if random.random() < 0.2:
        text = text.replace(" / ", "\n")
    written = urllib.parse.quote(text, safe=random.choice(("", "/,", "-/:,'()*;@!$")))
    if random.random() < 0.5:
        written = written.replace("%20", "+")
    target = f"/api/v1/{rules}/position?p={written}"
    status, headers, body = server.ask("GET", target)
    campaign.tally["positions taken" if status == 200 else "positions refused"] += 1
    check(server.codes, "GET", target, status, headers, body)
    try:
        require(len(text.encode()) <= LONGEST, "too long")
        expected = notations.position(text)
    except (Refused, Wrong):
        require(status in (400, 422), lambda: f"{status}: taken: {text!r}")
        return
    require(status == 200, lambda: f"{status}: refused: {text!r}: {body.decode()}")
    require_same(rules, text, json.loads(body), *expected)


def of_batch(campaign, server):
    random = campaign.random
    texts = [position(random) for _ in range(random.choice((0, 1, 2, 20)))]
    kind = random.choice(("valid", "mutated", "nested"))
    if kind == "valid":
        body = json.dumps(texts).encode()
    elif kind == "nested":
        body = random.choice(NESTED).encode()
    else:
        body = bytearray(json.dumps([mutated(random, text) for text in texts]).encode())
        for _ in range(random.choice((0, 1, 3))):
            place = random.randrange(len(body))
            body[place : place + random.randrange(3)] = random.randbytes(random.randrange(3))
            body = body or bytearray(b" ")
        body = bytes(body)
    rules = random.choice(list(RULES))
    target = f"/api/v1/{rules}/batch"
    status, headers, answer = server.ask("POST", target, body)
    campaign.tally[f"batches {'taken' if status == 200 else 'refused'}"] += 1
    require(status is not None, lambda: f"no answer to a batch: {body[:300]!r}")
    check(server.codes, "POST", target, status, headers, answer)
    if kind == "valid":
        require(status == 200, lambda: f"{status}: refused: {body!r}")
        answers = json.loads(answer)["answers"]
        require(len(answers) == len(texts), lambda: f"{len(answers)} answers: {body!r}")
        for text, found in zip(texts, answers):
            require(("error" in found) == (not is_position(text)), lambda: f"{found}: {text!r}")


def is_position(text):
    try:
        notations.position(text)
    except (Refused, Wrong):
        return False
    return True


def check(codes, method, target, status, headers, body):
    """Requires that docs/http-api.md has such an answer."""
    what = f"{method} {target!r}: {status} {body[:300]!r}"
    if status is None or (status == 400 and not body) or status in (414, 431):
        # A request that is not even HTTP gets an answer without a body.
        is_http = re.fullmatch(r"/[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*", target) and len(target) < 8000
        # An answer to HEAD never has a body.
        is_answer = method == "HEAD" and status is not None
        require(not is_http or is_answer, f"no answer: {what}")
        return
    if status in (200, 204, 304):
        return
    require(any(status == known for known, _ in codes), f"no status of the API: {what}")
    if method == "HEAD":
        return
    require(headers.get("content-type", "").startswith("application/json"), f"no JSON: {what}")
    code = json.loads(body)["error"]["code"]
    require((status, code) in codes, f"a code that is not documented: {what}")
