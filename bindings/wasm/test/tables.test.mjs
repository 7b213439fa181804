// Compares the package in Node with the program:
//
//     GRANERO=…/target/release/granero npm test
//
// GRANERO_WASM names a library to test instead of the one in dist/.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { choose, difficulty, estimate, GraneroError, http, load, memory, moves, rulesets, Tables, UNKNOWN } from "granero";
import { directory } from "granero/node";
import { nth, randomPositions, rangesByRust } from "../../../tests/browser/random_positions.mjs";
import { serveFolder } from "../../../tests/browser/static_server.mjs";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const granero = process.env.GRANERO ?? join(repository, "target/release/granero");
const sample = join(repository, "src/table/sample");

/** A position that is worth +2 to +6 with endless play by own-side. */
const RANGE = "0-0-0-3-0-1-0-0-0-0-0-2-20-22-S";

/** A game that begins with more seeds than the tables have, and one with an impossible move. */
const GAMES = `[South "Ama"]
[FEN "0-2-0-1-1-3-1-1-2-0-1-0-18-18-S"]
35. F a 36. E b 37. B c 38. D d *

[FEN "${RANGE}"]
1. D f 2. F F *
`;

const SEEDS = 11;
let db = "";
before(async () => {
  db = mkdtempSync(join(tmpdir(), "granero-wasm-"));
  for (const cycles of ["split", "own-side"]) {
    const asked = ["--cycles", cycles, "--seeds", String(SEEDS), "--db", db];
    execFileSync(granero, ["build", ...asked, "--quiet"]);
  }
  await load(process.env.GRANERO_WASM && readFileSync(process.env.GRANERO_WASM));
});
after(() => rmSync(db, { recursive: true }));

const folder = (cycles) => (cycles === "split" ? db : join(db, "own-side"));

/** The program's output with `--json`. @param {...string} args */
function ask(...args) {
  // Only the program's documents have a version; answers of the package go with its own version.
  const { version, ...document } = JSON.parse(execFileSync(granero, [...args, "--json"], { encoding: "utf8" }));
  assert.equal(version, 1);
  return document;
}

/** Runs a server during a test. @param {Parameters<typeof serveFolder>} args */
async function hosting(args, use) {
  const host = await serveFolder(...args);
  try {
    await use(host);
  } finally {
    await host.close();
  }
}

test("the program in the documents does what it says", () => {
  const document = readFileSync(join(repository, "docs/languages.md"), "utf8");
  const [, expected] = /```text\n([^]*?)```/.exec(document);
  const [, section] = document.split(/^## JavaScript$/m);
  const [, program] = /```js\n([^]*?)```/.exec(section);
  // Beside the package, so that `granero` can be imported by name.
  const file = fileURLToPath(new URL(`../.example-${process.pid}.mjs`, import.meta.url));
  writeFileSync(file, program);
  try {
    const said = execFileSync(process.execPath, [file], { cwd: repository, encoding: "utf8" });
    assert.equal(said, expected);
  } finally {
    rmSync(file);
  }
});

test("the library is small", () => {
  const bytes = readFileSync(process.env.GRANERO_WASM ?? new URL("../dist/granero_bg.wasm", import.meta.url));
  assert.ok(gzipSync(bytes).length <= 400 << 10);
});

test("rules, moves and notations are those of the program", () => {
  assert.deepEqual(rulesets(), ask("rules").rulesets);
  for (const rules of ["abapa", "slam-ends", "awari"]) {
    for (const position of ["0 0 0 1 1 1 / 1 1 0 2 4 0", RANGE, "1 1 0 2 1 0 0 0 0 0 0 0"]) {
      assert.deepEqual(moves(position, rules), ask("moves", position, "--rules", rules));
    }
  }
  const start = moves(Array(12).fill(4));
  assert.equal(start.moves.length, 6);
});

test("the player is the program's, without its tables", () => {
  const start = Array(12).fill(4);
  const said = ask("query", start.join(" "), "--prove", "off", "--db", sample);
  const moves = Object.fromEntries(said.moves.map(({ house, estimate }) => [house, estimate]));
  assert.deepEqual(estimate(start), { estimate: said.estimate, moves });
  const positions = randomPositions(30, 48);
  const drawn = Array.from({ length: 30 }, (_, number) => [...positions.subarray(12 * number, 12 * number + 12)]);
  // At level 5 it looks four moves ahead.
  const input = drawn.flatMap((houses) =>
    [`position fen ${houses.join("-")}-0-${48 - houses.reduce((sum, n) => sum + n, 0)}-S`, "go depth 4"]);
  const output = execFileSync(granero, ["uci", "--db", "none"], { input: ["uci", ...input, ""].join("\n"), encoding: "utf8" });
  const best = [...output.matchAll(/^bestmove (\w+)/gm)].map(([, move]) => (move === "0000" ? null : move));
  assert.deepEqual(drawn.map((houses) => choose(houses, { level: 5, seconds: Infinity }).house), best);
  for (const among of ["B", "E"]) assert.equal(choose(start, { among: [among], seconds: 0.01 }).house, among);
  const begun = performance.now();
  assert.match(choose(start, { seconds: 0.05 }).house, /[A-F]/);
  assert.ok(performance.now() - begun < 3000);
  const careless = new Set(Array.from({ length: 40 }, () => choose(start, { level: 1 }).house));
  assert.ok(careless.size > 3);
  assert.equal(choose(start, { level: 1, luck: 0.3 }).house, choose(start, { level: 1, luck: 0.3 }).house);
});

test("difficulty is the program's", () => {
  let found = 0;
  for (let depth = 0; depth <= 7; depth++) {
    const { examples } = ask("find", "--layer", "8", "--difficulty", String(depth), "--random", "12", "--seed", "5");
    for (const { position, best, difficulty: expected } of examples) {
      const { keeping, moves, easy_to_miss } = expected;
      assert.deepEqual(difficulty(position, best), { depth, keeping, moves, easy_to_miss }, position.join(" "));
      found += 1;
    }
  }
  assert.ok(found > 70, String(found));
});

test("what is wrong is said", () => {
  const wrong = (code, at) => (error) =>
    error instanceof GraneroError && error.code === code && error.at === at && error.message.length > 10;
  assert.throws(() => moves("0 0 0 one"), wrong("bad-position", 6));
  assert.throws(() => moves("1-0-0-0-0-0-0-0-0-0-0-0-0-0-S"), { code: "impossible-position" });
  assert.throws(() => moves(RANGE, "chess"), wrong("unknown-ruleset", undefined));
});

test("what has another type is refused, and harms nothing", async () => {
  const source = directory(sample);
  const tables = await Tables.open(source);
  const expected = await tables.assess(RANGE);
  const call = () => RANGE;
  const objects = [{}, new Date(), new Int8Array(12), Array(12)];
  const odd = [undefined, null, true, 7, NaN, 7n, Symbol("seeds"), call, ...objects];
  const but = (...right) => odd.filter((it) => !right.includes(it));
  const four = Array(11).fill(4);
  const lists = [four, ...[1.5, NaN, "4", [4]].map((last) => [...four, last]), [...four, 4, 4], new BigUint64Array(12)];
  const positions = [...but(objects[2]), ...lists, new String(RANGE), { length: 12 }];
  const changed = (change) => Tables.open({ ...source, ...change });
  const questions = [
    [but(undefined, objects[2]), load],
    [positions, moves],
    [but(undefined), (it) => moves(RANGE, it)],
    ...[choose, estimate, (it) => difficulty(it, [])].map((question) => [positions, question]),
    [but(undefined, ...objects), (it) => choose(RANGE, it)],
    [[...but(undefined, 7), 0, 9, 1.5], (level) => choose(RANGE, { level })],
    ...["seconds", "luck"].map((number) => [[...but(undefined, 7), -1, "8"], (it) => choose(RANGE, { [number]: it })]),
    ...[(among) => choose(RANGE, { among }), (best) => difficulty(RANGE, best)].map((question) => [[null, 7, "A", [7], ["a"], ["AB"]], question]),
    [positions, (it) => tables.assess(it)],
    [positions, (it) => tables.line(it)],
    [odd, (it) => tables.judge(it)],
    [[...but(undefined, 7), 0, -1, 1.5, 2 ** 32 + 1, "1"], (it) => tables.judge(GAMES, it)],
    [but(undefined, ...objects), (it) => tables.judge(GAMES, 1, it)],
    [positions, (it) => tables.prove(it)],
    ...["positions", "seconds"].map((limit) => [[...but(undefined, 7), -1, "8"], (it) => tables.judge(GAMES, 1, { [limit]: it })]),
    [but(undefined), (signal) => tables.prove(RANGE, { signal })],
    [but(undefined, true), (worker) => tables.prove(RANGE, { worker })],
    [but(undefined), Tables.sample],
    [[...odd, [...four, 256], RANGE, new ArrayBuffer(12)], (it) => tables.ranges(it)],
    [odd, Tables.open],
    [but(undefined, ...objects), (it) => Tables.open(source, it)],
    [[...but(undefined, 7), -1, 1.5, 49, "8"], (maxSeeds) => Tables.open(source, { maxSeeds })],
    [[...but(undefined, 7), -1, "8"], (cacheBytes) => Tables.open(source, { cacheBytes })],
    [but(call), (manifest) => changed({ manifest })],
    [odd, (it) => changed({ manifest: () => it })],
    [but(call), (read) => changed({ read })],
    [[...odd, new ArrayBuffer(160)], async (it) => (await changed({ read: () => it })).assess(RANGE)],
    [[...but(undefined, 7), 49], (it) => changed({ reach: () => it })],
    [[...but(undefined, objects[3]), [7]], (it) => changed({ heads: () => it })],
    [odd, (it) => Tables.empty(it, "split")],
    [[...odd, "both"], (it) => Tables.empty("awari", it)],
    [odd, (it) => new Tables(it)],
    [odd, http],
    [but(undefined, ...objects), (it) => http(db, it)],
    [[...but(undefined, 7), -1, "8"], (wholeBytes) => http(db, { wholeBytes })],
    [but(undefined, true), (ranges) => http(db, { ranges })],
    [but(undefined), (cache) => http(db, { cache })],
    [but(undefined, ...objects), (heads) => http(db, { heads })],
    [but(objects[3]), (files) => http(db, { heads: { address: db, headers: 1, files } })],
    [but(...objects), memory],
    [[...but(undefined), "{}"], (it) => Tables.open(memory({ "granero.json": it }))],
    [odd, directory],
  ];
  for (const [wrong, question] of questions) {
    for (const it of wrong) {
      const refused = { name: "GraneroError", code: "bad-argument", message: /.{20}/ };
      await assert.rejects(async () => question(it), refused, `${question} of ${typeof it} ${String(it)}`);
    }
  }
  assert.deepEqual(await tables.assess(RANGE), expected);
});

test("what is asked before the library is loaded says so", () => {
  const program = `import { moves, rulesets } from "granero";
    for (const question of [rulesets, () => moves("4 4 4 4 4 4 / 4 4 4 4 4 4")])
      try { question() } catch ({ code }) { console.log(code) }`;
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  assert.equal(said, "not-loaded\nnot-loaded\n");
});

test("tables in memory and in a directory", async () => {
  const files = Object.fromEntries(
    readdirSync(sample).filter((name) => name.includes(".")).map((name) => [name, readFileSync(join(sample, name))]),
  );
  for (const source of [memory(files), directory(sample)]) {
    const tables = await Tables.open(source);
    assert.deepEqual([tables.rules, tables.cycles, tables.maxSeeds], ["abapa", "split", 8]);
    const answer = await tables.assess([0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 1, 0]);
    assert.equal(answer.value, ask("query", "0 1 0 2 0 1 0 2 0 1 1 0", "--db", sample).value);
    assert.equal(await tables.value(answer.position), answer.value);
    assert.equal(await tables.value(Array(12).fill(4)), null);
    const beyond = await tables.assess(Array(12).fill(4));
    assert.equal(beyond.value, null);
    assert.match(beyond.reason, /up to 8 seeds/);
    await assert.rejects(tables.assess("one"), { code: "bad-position" });
    await assert.rejects(tables.ranges(new Uint8Array(11)), GraneroError);
  }
  await assert.rejects(Tables.open(memory({})), { code: "unreachable" });
  const damaged = memory({ ...files, "layer-08.granero": files["layer-08.granero"].map((byte, at) => byte ^ Number(at === 10_000)) });
  const tables = await Tables.open(damaged);
  const hit = await Promise.allSettled(
    Array.from({ length: 400 }, (_, number) => tables.assess(nth(randomPositions(400, 8), number))),
  );
  const codes = new Set(hit.filter((of) => of.status === "rejected").map((of) => of.reason.code));
  assert.deepEqual([...codes], ["damaged-tables"]);
});

for (const cycles of ["split", "own-side"]) {
  test(`10,000 positions over HTTP, endless play by ${cycles}`, () =>
    hosting([folder(cycles)], async ({ origin }) => {
      const tables = await Tables.open(origin);
      assert.equal(tables.maxSeeds, SEEDS);
      const positions = randomPositions(10_000, SEEDS);
      const expected = rangesByRust(granero, db, cycles, positions);
      assert.ok((await tables.ranges(positions)).every((value, at) => value === expected[at]));
      assert.deepEqual(await tables.ranges(new Uint8Array(12).fill(4)), Int8Array.of(UNKNOWN, UNKNOWN));
    }));
}

test("what deciding tables have cut off is a range", async () => {
  const place = join(db, "deciding");
  const positions = randomPositions(1000, 6);
  let cut = "";
  for (const cycles of ["split", "own-side"]) {
    execFileSync(granero, ["build", "--game", "7", "--seeds", "6", "--cycles", cycles, "--db", place, "--quiet"]);
    const tables = await Tables.open(directory(cycles === "split" ? place : join(place, cycles)));
    const ranges = await tables.ranges(positions);
    assert.deepEqual(ranges, rangesByRust(granero, place, cycles, positions));
    cut ||= nth(positions, [...Array(1000).keys()].find((number) => ranges[2 * number] < ranges[2 * number + 1]));
    const { value, low, range } = await tables.assess(cut);
    assert.deepEqual(range, ask("query", cut, "--cycles", cycles, "--prove", "off", "--db", place).range);
    assert.ok(range.low < range.high && (cycles === "split" ? value : low) === null);
  }
});

test("positions, lines and judgements are the documents of the API", async () => {
  const server = spawn(granero, ["serve", "--listen", "127.0.0.1:0", "--db", db, "--prove", "off"]);
  try {
    let said = "";
    let api;
    for await (const text of server.stdout) {
      api = /http:\/\/\S+/.exec((said += text))?.[0];
      if (api) break;
    }
    const positions = randomPositions(30, 8);
    for (const cycles of ["split", "own-side"]) {
      const tables = await Tables.open(directory(folder(cycles)));
      for (let number = 0; number < 30; number++) {
        const p = number === 0 ? RANGE : nth(positions, number);
        for (const [what, asked] of [["position", tables.assess(p)], ["line", tables.line(p)]]) {
          const query = new URLSearchParams({ p, cycles });
          const response = await fetch(`${api}api/v1/abapa/${what}?${query}`);
          assert.deepEqual(await asked, await response.json(), `${what} ${p}`);
        }
      }
      for (const [text, game] of [[GAMES, 1], [GAMES, 2], [GAMES, 3], ["F f\n2. 3 5", 1], ["Ff".repeat(501), 1]]) {
        const response = await fetch(`${api}api/v1/abapa/judge?cycles=${cycles}`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ text, game }),
        });
        const { error, ...judged } = await response.json();
        const answer = tables.judge(text, game);
        if (response.ok) assert.deepEqual(await answer, { error, ...judged });
        else await assert.rejects(answer, error);
      }
    }
  } finally {
    server.kill();
  }
});

/** Judged moves without the time that it took. */
const timeless = (moves) => moves.map(({ search, ...move }) => ({ ...move, searched: search?.positions }));

test("moves beyond the tables are judged as the command judges them", async () => {
  const text = "2-1-1-1-4-1-1-1-0-0-0-2-17-17-S Aa";
  const positions = 1000;
  for (const cycles of ["split", "own-side"]) {
    const tables = await Tables.open(directory(folder(cycles)));
    const args = ["judge", "-", "--json", "--db", db, "--cycles", cycles, "--prove-positions", String(positions)];
    const said = JSON.parse(execFileSync(granero, args, { encoding: "utf8", input: text }));
    const judged = await tables.judge(text, 1, { positions });
    assert.deepEqual(timeless((await tables.judge(text, 1, { positions, worker: false })).moves), timeless(judged.moves));
    assert.deepEqual(timeless(judged.moves), timeless(said.moves));
    assert.deepEqual([judged.south, judged.north], [said.south, said.north]);
    assert.equal((await tables.judge(text)).moves.length, 0);
  }
});

test("a search proves what the command proves", async () => {
  const timed = ({ proven: { seconds, ...proven }, ...answer }) => (assert.ok(seconds >= 0), { ...answer, proven });
  for (const cycles of ["split", "own-side"]) {
    const tables = await Tables.sample(cycles);
    assert.deepEqual([tables.maxSeeds, tables.cycles], [8, cycles]);
    const within = await tables.prove(RANGE);
    assert.deepEqual(within, await tables.assess(RANGE));
    for (const p of ["0 0 1 0 2 3 / 2 0 1 1 0 2", "1 1 0 2 0 1 / 0 2 1 1 1 1", "1 2 0 0 1 1 / 2 0 3 1 0 1"]) {
      const said = ask("query", p, "--db", sample, "--cycles", cycles, "--prove-positions", "300");
      for (const worker of [true, false]) {
        const found = await tables.prove(p, { positions: 300, worker });
        assert.deepEqual(timed(found).proven, timed(said).proven);
        assert.deepEqual(found.moves.map(({ house, proven }) => [house, proven]), said.moves.map(({ house, proven }) => [house, proven]));
      }
    }
  }
});

test("a search ends in time, when a signal says so, and when the tables cannot be read", async () => {
  const tables = await Tables.sample();
  const start = Array(12).fill(4);
  const { proven } = await tables.prove(start, { seconds: 0.05 });
  assert.deepEqual([proven.ended, proven.positions > 0], ["time", true]);
  const game = await tables.judge("FfBeBc", 1, { seconds: 0.01 });
  assert.equal(game.moves.length, 6);
  for (const search of [(signal) => tables.prove(start, { seconds: 3600, signal }), (signal) => tables.judge("Ff", 1, { positions: 1e15, signal })]) {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 10);
    await assert.rejects(search(AbortSignal.timeout(500)), { name: "TimeoutError" });
    clearInterval(timer);
    assert.ok(ticks > 5, `the search left room for ${ticks} events`);
    await assert.rejects(search(AbortSignal.abort(new Error("no need"))), /no need/);
  }
  const source = directory(sample);
  const broken = await Tables.open({ ...source, read: () => Promise.reject(new Error("gone")) });
  await assert.rejects(broken.prove(start), /gone/);
  await assert.rejects(tables.judge("?", 1, { seconds: 1 }), { name: "GraneroError", code: "bad-game" });
});

const CHROMIUM = "/usr/bin/chromium";

test("in a browser, a search holds up nothing and ends when it should", { skip: !existsSync(CHROMIUM), timeout: 120_000 }, async () => {
  const page = fileURLToPath(new URL(`../.example-${process.pid}.html`, import.meta.url));
  const profile = mkdtempSync(join(tmpdir(), "granero-chromium-"));
  const results = createServer();
  const result = new Promise((resolve) => results.on("request", (request) => resolve(decodeURIComponent(request.url))));
  await new Promise((resolve) => results.listen(0, "127.0.0.1", () => resolve(undefined)));
  writeFileSync(page, `<!doctype html><script type="module">
    import { Tables } from "./index.js";
    const start = "4 4 4 4 4 4 / 4 4 4 4 4 4";
    let ticks = 0;
    const run = async () => {
      const tables = await Tables.sample("own-side");
      setInterval(() => ticks++, 10);
      const { proven } = await tables.prove(start, { positions: 5000 });
      const ended = await tables.prove(start, { seconds: 3600, signal: AbortSignal.timeout(500) }).catch(({ name }) => name);
      return [proven.positions >= 5000, proven.ended, ended, ticks > 5].join();
    };
    const text = await run().catch(String);
    await fetch("http://127.0.0.1:${results.address().port}/" + encodeURIComponent(text), { mode: "no-cors" });
  </script>`);
  let browser;
  let ended;
  try {
    await hosting([fileURLToPath(new URL("..", import.meta.url))], async ({ origin }) => {
      const options = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`];
      browser = spawn(CHROMIUM, [...options, `${origin}.example-${process.pid}.html`], { stdio: "ignore" });
      ended = new Promise((resolve) => browser.on("exit", () => resolve("the browser ended")));
      assert.equal(await Promise.race([result, ended]), "/true,positions,TimeoutError,true");
    });
  } finally {
    browser?.kill();
    await ended;
    rmSync(page);
    results.closeAllConnections();
    results.close();
    rmSync(profile, { recursive: true, maxRetries: 9, retryDelay: 200 });
  }
});

test("the package works outside the repository, as its README says", () => {
  const place = mkdtempSync(join(tmpdir(), "granero-package-"));
  try {
    const npm = (...args) => execFileSync("npm", [...args, "--offline", "--no-audit", "--no-fund"], { cwd: place, encoding: "utf8" });
    const packed = JSON.parse(npm("pack", fileURLToPath(new URL("..", import.meta.url)), "--json"));
    npm("install", join(place, packed[0].filename));
    const readme = readFileSync(join(place, "node_modules/granero/README.md"), "utf8");
    const [, program, printed] = /```js\n([^]*?)```\n\n```text\n([^]*?)```/.exec(readme);
    writeFileSync(join(place, "example.mjs"), program);
    assert.equal(execFileSync(process.execPath, ["example.mjs"], { cwd: place, encoding: "utf8" }), printed);
  } finally {
    rmSync(place, { recursive: true });
  }
});

test("only what is needed is loaded, and loaded once", () =>
  hosting([db], async ({ origin, sent }) => {
    const tables = await Tables.open(origin);
    const [first] = [nth(randomPositions(1, SEEDS), 0)];
    const twice = await Promise.all([tables.assess(first), tables.assess(first)]);
    assert.deepEqual(twice[0], twice[1]);
    const bytes = () => sent.reduce((sum, { bytes }) => sum + bytes, 0);
    assert.ok(bytes() < 150_000, `${bytes()} bytes`);
    const before = sent.length;
    await tables.assess(first);
    assert.equal(sent.length, before);
    const keys = sent.map(({ path, bytes }) => `${path} ${bytes}`);
    assert.ok(keys.length < 60, `${keys.length} requests`);
  }));

test("the beginnings of files come in one file, and those of other files are not used", () =>
  hosting([db], async ({ origin, sent }) => {
    const { files } = await Tables.open(directory(db));
    const beginnings = files.map(({ name }) => readFileSync(join(db, name)).subarray(0, 1024));
    const headers = gzipSync(Buffer.concat(beginnings.map((bytes) => bytes.subarray(0, 132))));
    const rests = beginnings.map((bytes) => gzipSync(bytes.subarray(132)));
    const position = nth(randomPositions(1, SEEDS), 0);
    const expected = await (await Tables.open(directory(db))).assess(position);
    /** The requests to the host. */
    const ask = async (bytes, hash = (sha256) => sha256.slice(0, 16)) => {
      const address = `data:application/octet-stream;base64,${bytes.toString("base64")}`;
      const named = files.map(({ sha256 }, at) => ({
        sha256: hash(sha256), bytes: beginnings[at].length, compressed: rests[at].length,
      }));
      const before = sent.length;
      const heads = { address, headers: headers.length, files: named };
      const tables = await Tables.open(http(origin, { heads }));
      assert.deepEqual(await tables.assess(position), expected);
      return sent.length - before;
    };
    const all = Buffer.concat([headers, ...rests]);
    const fewer = await ask(all);
    const most = await ask(Buffer.alloc(all.length));
    assert.ok(fewer + files.length <= most, `${fewer}, ${most}`);
    assert.equal(await ask(all, (sha256) => `${sha256.slice(1, 16)}-`), most);
    // The file ends within the rests of the beginnings.
    assert.ok(await ask(all.subarray(0, headers.length + 5)) < most);
  }));

for (const ranges of [true, false]) {
  test(`of a site only those beginnings are loaded that an answer needs, ${ranges ? "with" : "without"} ranges`, async () => {
    const place = join(db, "site");
    execFileSync(granero, ["site", place, "--db", db]);
    await hosting([place], async ({ origin }) => hosting([place, { ranges }], async ({ origin: other, sent }) => {
      const { places } = JSON.parse(readFileSync(join(place, "site.json"), "utf8"));
      const { at, heads } = places.find(({ cycles }) => cycles === "own-side");
      const listed = { ...heads, address: other + heads.at };
      const tables = await Tables.open(http(origin + at, { heads: listed }));
      const position = nth(randomPositions(1, SEEDS), 0);
      const expected = await (await Tables.open(directory(folder("own-side")))).assess(position);
      assert.deepEqual(await tables.assess(position), expected);
      const bytes = sent.reduce((sum, { bytes }) => sum + bytes, 0);
      const all = statSync(join(place, heads.at)).size;
      assert.ok(ranges ? bytes < all : bytes === all && sent.length === 1, `${bytes} of ${all}`);
    }));
    rmSync(place, { recursive: true });
  });
}

test("a host that ignores ranges sends small layers whole", () =>
  hosting([db, { ranges: false }], async ({ origin, sent }) => {
    const tables = await Tables.open(http(origin, { wholeBytes: 100_000 }));
    assert.equal(tables.maxSeeds, 10);
    const positions = randomPositions(2000, 10);
    const expected = rangesByRust(granero, db, "split", positions);
    assert.ok((await tables.ranges(positions)).every((value, at) => value === expected[at]));
    // Each file is requested once.
    const paths = sent.map(({ path }) => path).filter((path) => path.startsWith("layer"));
    assert.equal(new Set(paths).size, paths.length);
  }));

test("a host without the tables is an error, and asked again", () =>
  hosting([db], async ({ origin }) => {
    await assert.rejects(Tables.open(`${origin}nowhere`), { code: "unreachable", message: /404/ });
    await assert.rejects(Tables.open("http://127.0.0.1:9/"), { code: "unreachable" });
    let broken = true;
    const source = directory(db);
    const tables = await Tables.open({
      ...source,
      read: (file, start, end) => (broken ? Promise.reject(new Error("gone")) : source.read(file, start, end)),
    });
    await assert.rejects(tables.assess(RANGE), /gone/);
    broken = false;
    assert.equal((await tables.assess(RANGE)).seeds, 6);
  }));

test("a value is a number only if it is exact", async () => {
  const tables = await Tables.sample("own-side");
  assert.equal(await tables.value(Array(12).fill(0)), 0);
  assert.equal(await tables.value(RANGE), null);
});

test("tables without a layer know the rules", async () => {
  const tables = await Tables.empty("awari", "own-side");
  assert.equal(tables.maxSeeds, null);
  const { low, moves: found } = await tables.assess("1 1 0 2 4 0 0 0 0 0 0 0");
  assert.equal(low, null);
  assert.equal(await tables.value("1 1 0 2 4 0 0 0 0 0 0 0"), null);
  assert.ok(found.length > 0);
});
