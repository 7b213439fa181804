// Times the first moves and the best line of the page without a server, over a slow connection (80 ms, 5 Mbit/s), by
// the clock of the page. `npm run slow [TABLES]`, after `cargo build --release`; the default is tables to 15 seeds.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serveFolder } from "./static_server.mjs";

const ROUNDS = 5;
const POSITIONS = ["1-2-1-2-0-2-1-1-2-1-1-1-16-17-S", "1-0-2-0-1-2-0-1-0-0-0-1-20-20-S"];

const granero = process.env.GRANERO ?? fileURLToPath(new URL("../../target/release/granero", import.meta.url));
const place = mkdtempSync(join(tmpdir(), "granero-slow-"));
const db = process.argv[2] ?? join(place, "db");
if (!process.argv[2]) execFileSync(granero, ["build", "--seeds", "15", "--db", db, "--quiet"]);
const site = join(place, "site");
execFileSync(granero, ["site", site, "--db", db], { stdio: "ignore" });
const host = await serveFolder(site, { gzip: true });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });

/** Notes when elements appear first. @param {Record<string, string>} awaited */
function observe(awaited) {
  const times = (/** @type {any} */ (window).times = {});
  new MutationObserver(() => {
    for (const [name, selector] of Object.entries(awaited)) {
      if (!(name in times) && document.querySelector(selector)) times[name] = performance.now();
    }
  }).observe(document, { subtree: true, childList: true, attributes: true });
}

for (const position of POSITIONS) {
  /** @type {number[][]} */
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const connection = await context.newCDPSession(page);
    await connection.send("Network.enable");
    const rate = 5e6 / 8;
    const slow = { offline: false, latency: 80, downloadThroughput: rate, uploadThroughput: rate };
    await connection.send("Network.emulateNetworkConditions", slow);
    host.sent.length = 0;
    await page.addInitScript(observe, { moves: ".badge.shown", line: "#line .summary" });
    await page.goto(`${host.origin}#p=${position}`, { waitUntil: "commit" });
    await page.locator("#line .summary").waitFor();
    const { moves, line } = await page.evaluate("times");
    const bytes = host.sent.reduce((sum, file) => sum + file.bytes, 0);
    rounds.push([moves, line, host.sent.length, bytes / 1024]);
    await context.close();
  }
  const median = (/** @type {number} */ column) =>
    Math.round(rounds.map((round) => round[column]).sort((a, b) => a - b)[ROUNDS >> 1]);
  console.log(`${position}: moves after ${median(0)} ms, line after ${median(1)} ms, ${median(2)} requests, ${median(3)} KiB`);
}
await browser.close();
await host.close();
rmSync(place, { recursive: true });
