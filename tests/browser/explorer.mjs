// The ground of the tests: a server with its own tables, a browser, and pages that report everything
// that must not happen. With SITE set, there is no server: a plain host for static files serves what
// `granero site` writes, in a folder.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serveFolder } from "./static_server.mjs";

const repository = fileURLToPath(new URL("../../", import.meta.url));

/** The program under test. */
export const granero = process.env.GRANERO ?? join(repository, "target/release/granero");

/** True if a server answers, and not the page itself. */
export const served = !process.env.SITE;

/** A position with a capture that loses: only A wins. */
export const TEMPTING = "1-0-2-0-1-2-0-1-0-0-0-1-20-20-S";

/** A position that is worth +2 to +6 with own-side; only D keeps that. */
export const RANGE = "0-0-0-3-0-1-0-0-0-0-0-2-20-22-S";

/** A position with more seeds than the tables of the tests. */
export const BEYOND = "1-0-2-1-1-2-0-1-1-0-2-1-18-18-S";

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Chromium without requests to its maker. */
const SWITCHES = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const here = { origin: "", db: "", site: "", browser: /** @type {any} */ (null) };

/** Runs `granero` with `--json`. @param {...string} args */
export const ask = (...args) =>
  JSON.parse(execFileSync(granero, [...args, "--json"], { encoding: "utf8" }));

/** Asks `granero query` about a position. @param {string} position @param {string} cycles */
export const query = (position, cycles = "split") =>
  ask("query", "--prove", "off", "--cycles", cycles, "--db", here.db, position);

/** Starts a server, and returns its address. @param {...string} args */
export async function serve(...args) {
  const server = spawn(granero, ["serve", "--listen", "127.0.0.1:0", ...args]);
  let output = "";
  for await (const text of server.stdout) {
    output += text;
    const address = /http:\/\/\S+/.exec(output);
    if (address) return { server, origin: address[0] };
  }
  throw new Error("granero serve has ended");
}

/** Starts a server and a browser for all tests of a file.
 * @param {Record<string, number>} [tables] their most seeds, by convention
 * @param {string} [prove] the longest time of searches beyond them
 * @param {boolean} [site] true for a page without a server */
export function start(tables = { split: 9 }, prove = "off", site = !served) {
  /** @type {() => unknown} */
  let close = () => {};
  before(async () => {
    here.db = mkdtempSync(join(tmpdir(), "granero-browser-"));
    for (const [cycles, seeds] of Object.entries(tables)) {
      const asked = ["--cycles", cycles, "--seeds", String(seeds)];
      execFileSync(granero, ["build", ...asked, "--db", here.db, "--quiet"]);
    }
    if (!site) {
      const { server, origin } = await serve("--db", here.db, "--prove", prove);
      here.origin = origin;
      close = () => server.kill();
    } else {
      here.site = join(here.db, "site");
      execFileSync(granero, ["site", here.site, "--db", here.db, "--tables", "link"]);
      const host = await serveFolder(here.site, { path: "/club/oware/" });
      here.origin = host.origin;
      close = host.close;
    }
    here.browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: SWITCHES });
  });
  after(async () => {
    await here.browser?.close();
    await close();
    rmSync(here.db, { recursive: true });
  });
}

/** Opens the page, lets a test use it, and checks that nothing went wrong: no request to another server, nothing on the
 * console, and so nothing that the content security policy stopped.
 * @param {object} options of the browser, and:
 * @param {string} [options.hash] the address after the `#`
 * @param {RegExp} [options.expected] messages that the console may have
 * @param {string} [options.origin] another server
 * @param {() => void} [options.before] runs in the page before its own scripts
 * @param {(page: any) => Promise<void>} use */
export async function visit({ hash = "", expected, origin = here.origin, before, ...options }, use) {
  const context = await here.browser.newContext({
    locale: "en-GB",
    reducedMotion: "reduce",
    viewport: { width: 1280, height: 900 },
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  /** @type {string[]} */
  const wrong = [];
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type())) return;
    if (!expected?.test(message.text())) wrong.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => wrong.push(`script: ${error.stack}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(origin)) wrong.push(`elsewhere: ${request.url()}`);
  });
  try {
    if (before) await page.addInitScript(before);
    await page.goto(`${origin}#${hash}`);
    await use(page);
    assert.deepEqual(wrong, []);
  } finally {
    // A request may still be on its way through a test.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  }
}

/** Makes searches prove what a test wants, when it wants: the first search proves the first of `steps`, and so on. The
 * last one ends the search.
 * @param {any} page
 * @param {object[]} steps the proof of the position in each, and with `moves` of its moves; with `value`, the exact
 *   value
 * @returns {Promise<{times: string[], next: () => void}>} the times of the searches; `next` lets the next search end */
export async function proving(page, steps) {
  /** @type {string[]} */
  const times = [];
  /** @type {(() => void)[]} */
  const waiting = [];
  let free = 0;
  const turn = () => new Promise((resolve) => (free > 0 ? resolve(free--) : waiting.push(resolve)));
  await page.route(/\/prove\?/, async (route) => {
    const asked = new URL(route.request().url());
    const { moves, value, low = value, high = value } = steps[times.length];
    times.push(asked.searchParams.get("time"));
    const ended = times.length === steps.length ? "settled" : "time";
    await turn();
    asked.pathname = asked.pathname.replace("prove", "position");
    asked.searchParams.delete("time");
    const answer = await (await route.fetch({ url: asked.href })).json();
    answer.proven = { low, high, best: [], positions: 1000, seconds: 0.1, ended };
    if (value !== undefined) answer.value = value;
    for (const move of answer.moves) move.proven = moves?.[move.house] ?? { low: -12, high };
    // The page may not be waiting for it any more.
    await route.fulfill({ json: answer }).catch(() => {});
  });
  const next = () => {
    const first = waiting.shift();
    if (first) first();
    else free += 1;
  };
  return { times, next };
}

/** Finds a house of the board. @param {any} page @param {string} letter */
export const house = (page, letter) => page.locator(`[data-house="${letter}"] .target`);

/** Waits for the badges of the position, and returns them by house. */
export async function badges(page) {
  await page.locator(".badge.shown").first().waitFor();
  return page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll(".house:has(.badge.shown)")].map((house) => [
        house.getAttribute("data-house"),
        {
          text: house.querySelector(".badge-text")?.textContent,
          best: house.classList.contains("best"),
        },
      ]),
    ),
  );
}

/** Writes a value with its sign. @param {number} value */
export const sign = (value) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0");

/** Writes a value or bounds as on a badge.
 * @param {{value?: number | null, low?: number | null, high?: number | null}} of */
export const short = ({ value, low = value, high = value }) =>
  low === null ? "?" : low === high ? sign(low) : `${sign(low)}…${sign(high)}`;

/** Returns the expected badges. @param {string} position in Aalina's notation @param {string} [cycles] */
export function expectedBadges(position, cycles) {
  const north = position.endsWith("N");
  return Object.fromEntries(
    query(position, cycles).moves.map((move) => [
      north ? move.house.toLowerCase() : move.house,
      { text: short(move), best: move.best },
    ]),
  );
}

/** Returns the position of the address of the page, with its moves played. @param {any} page */
export async function shown(page) {
  return page.evaluate(() => {
    const count = (selector) =>
      [...document.querySelectorAll(`${selector} .count-text`)].map((text) => text.textContent);
    const order = "ABCDEFabcdef";
    const houses = [...order].map(
      (letter) => document.querySelector(`[data-house="${letter}"]`)?.getAttribute("data-count"),
    );
    const side = document.getElementById("turn")?.dataset.side;
    return [...houses, ...count('[data-store="S"]'), ...count('[data-store="N"]'), side].join("-");
  });
}
