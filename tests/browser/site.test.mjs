// The page without a server: what it loads, also without a network and from hosts of limited abilities.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  ask, badges, expectedBadges, granero, here, house, RANGE, start, TEMPTING, visit,
} from "./explorer.mjs";
import { randomPositions, rangesByRust } from "./random_positions.mjs";
import { serveFolder } from "./static_server.mjs";

const SEEDS = 11;
start({ split: SEEDS, "own-side": 8 }, "off", true);

/** A position with the most seeds of the tables. */
const LARGE = "1-2-0-1-0-2-1-0-2-1-1-0-18-19-S";

/** Without the service worker, so that it hides no request. */
const ALONE = { serviceWorkers: "block", expected: /registration blocked by Playwright/ };

/** Starts another host of the same site for a test. */
async function hosting(options, use, folder = here.site) {
  const host = await serveFolder(folder, options);
  try {
    await use(host);
  } finally {
    await host.close();
  }
}

test("10,000 positions in the browser are worth what the program says", () =>
  visit({}, async (page) => {
    await badges(page);
    const positions = randomPositions(10_000, SEEDS);
    const ranges = await page.evaluate(async (positions) => {
      const { Tables } = await import(new URL("reader/index.js", document.baseURI).href);
      const tables = await Tables.open(new URL("tables/abapa-split", document.baseURI));
      return [...(await tables.ranges(Uint8Array.from(positions)))];
    }, [...positions]);
    const expected = rangesByRust(granero, here.db, "split", positions);
    assert.ok(ranges.length === expected.length && ranges.every((value, at) => value === expected[at]));
  }));

test("a first answer loads little, and nothing twice", () =>
  hosting({ path: "/oware/" }, async ({ origin, sent }) => {
    // The line is asked for as soon as the moves are shown.
    const before = () => new MutationObserver(() => {
      if (document.querySelector(".badge.shown")) globalThis.shownAt ??= performance.now();
    }).observe(document, { childList: true, subtree: true, attributes: true });
    await visit({ origin, hash: `p=${LARGE}`, before, ...ALONE }, async (page) => {
      assert.deepEqual(await badges(page), expectedBadges(LARGE));
      const tables = await page.evaluate(() =>
        performance.getEntriesByType("resource")
          .filter(({ name, responseEnd }) => /\/oware\/(?:tables|heads|site\.json)/.test(name) && responseEnd <= globalThis.shownAt)
          .map(({ encodedBodySize }) => encodedBodySize));
      const bytes = tables.reduce((sum, bytes) => sum + bytes, 0);
      assert.ok(bytes > 10_000 && bytes < 150_000, `${bytes} bytes of tables`);
      assert.ok(tables.length < 40, `${tables.length} requests`);
      await page.locator("#line .summary").waitFor();
      const before = sent.length;
      await page.reload();
      assert.deepEqual(await badges(page), expectedBadges(LARGE));
      await page.locator("#line .summary").waitFor();
      const again = sent.slice(before).filter(({ path }) => /\.granero$|^heads/.test(path));
      // Except one that finds out what the host can do.
      assert.ok(again.length <= 1, JSON.stringify(again));
    });
  }));

test("a line takes few requests, also from hosts that send one part at a time", async () => {
  const counts = [];
  for (const ranges of [true, "single"]) {
    await hosting({ ranges }, ({ origin, sent }) =>
      visit({ origin, hash: `p=${LARGE}`, ...ALONE }, async (page) => {
        assert.deepEqual(await badges(page), expectedBadges(LARGE));
        await page.locator("#line .summary").waitFor();
        const { moves } = ask("line", "--prove", "off", "--db", here.db, LARGE);
        const chips = await page.locator("#line .chip").evaluateAll((chips) => chips.map(({ childNodes }) => childNodes[1].textContent));
        assert.deepEqual(chips, moves.map(({ move }) => move));
        counts.push(sent.filter(({ path }) => /^tables|^heads/.test(path)).length);
      }));
  }
  const [several, single] = counts;
  assert.ok(several < single && several <= 40, counts.join());
});

test("without a network the page opens, and knows what it has seen", () =>
  visit({ expected: /ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to fetch/, hash: `p=${TEMPTING}` }, async (page) => {
    await badges(page);
    await page.locator("#line .summary").waitFor();
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    // With the network again, under the service worker.
    await page.reload();
    await badges(page);
    await page.locator("#to-statistics").click();
    await page.locator(".layers").waitFor();
    await page.locator("#to-board").click();
    await page.context().setOffline(true);
    await page.reload();
    assert.deepEqual(await badges(page), expectedBadges(TEMPTING));
    await page.locator("#to-statistics").click();
    await page.locator(".layers").waitFor();
    await page.locator("#to-board").click();
    await page.evaluate((p) => (location.hash = `p=${p}`), LARGE);
    await page.getByText("The tables cannot be read:").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("The tables cannot be read:").waitFor({ state: "hidden" });
    assert.deepEqual(await badges(page), expectedBadges(LARGE));
  }));

test("without a network one can play against granero, and solve puzzles", () =>
  visit({ expected: /ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to fetch/, hash: `p=${TEMPTING}` }, async (page) => {
    await badges(page);
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Play granero" }).click();
    await page.getByRole("button", { name: "Begin" }).click();
    await page.getByText("Your move", { exact: true }).waitFor();
    await page.keyboard.press("c");
    await page.waitForFunction(() => document.querySelectorAll("#record [data-key^=record-]").length === 3);
    await page.getByRole("button", { name: "Puzzles" }).click();
    await page.getByRole("button", { name: "Begin" }).click();
    await page.getByRole("button", { name: "Show the answer" }).click();
    await page.getByText(/The right move is [A-F], value/).first().waitFor();
  }));

test("a host that ignores ranges serves the small layers", () =>
  hosting({ ranges: false }, async ({ origin }) => {
    await visit({ origin, hash: `p=${LARGE}` }, async (page) => {
      assert.deepEqual(await badges(page), expectedBadges(LARGE));
    });
    // As if the layers were larger.
    await visit({ origin, hash: `p=${LARGE}`, ...ALONE }, async (page) => {
      await page.route("**/source.js", async (route) => {
        const text = await (await route.fetch()).text();
        await route.fulfill({ body: text.replace("4 << 20", "100_000"), contentType: "text/javascript" });
      });
      await page.reload();
      await page.getByText("the tables reach up to 10").first().waitFor();
      await page.getByRole("button", { name: "How to get more tables" }).click();
      await page.getByText("sends files only as a whole").waitFor();
    });
  }));

test("tables at another address", async () => {
  const elsewhere = join(here.db, "elsewhere");
  await hosting({ headers: { "Access-Control-Allow-Origin": "*" } }, async (files) => {
    const said = execFileSync(granero, [
      "site", elsewhere, "--db", here.db, "--tables-at", `${files.origin}tables`,
    ], { encoding: "utf8" });
    assert.match(said, /which it reads from http/);
    await hosting({}, async ({ origin }) => {
      const context = await here.browser.newContext({ locale: "en-GB" });
      const page = await context.newPage();
      await page.goto(`${origin}#cycles=own-side&p=${RANGE}`);
      assert.deepEqual(await badges(page), expectedBadges(RANGE, "own-side"));
      await context.close();
    }, elsewhere);
  });
  rmSync(elsewhere, { recursive: true });
});

test("tables that are replaced under their address are not read with what was kept of others", async () => {
  const [place, newer, other] = ["replaced", "newer", "other"].map((name) => join(here.db, name));
  // Other files with the same values.
  for (const cycles of ["split", "own-side"]) {
    execFileSync(granero, ["build", "--deciding", "--seeds", "8", "--cycles", cycles, "--db", other, "--quiet"]);
  }
  const site = (place, db) => execFileSync(granero, ["site", place, "--db", db, "--seeds", "8"]);
  const heads = () => readdirSync(join(place, "heads"));
  site(place, here.db);
  site(newer, other);
  const before = heads();
  await hosting({}, async ({ origin }) => {
    await visit({ origin, hash: `p=${TEMPTING}` }, async (page) => {
      const answers = async () => {
        assert.deepEqual(await badges(page), expectedBadges(TEMPTING));
        await page.locator("#line .summary").waitFor();
      };
      await answers();
      await page.waitForFunction(() => navigator.serviceWorker.controller);
      // Only the tables, as if from another address.
      rmSync(join(place, "tables"), { recursive: true });
      cpSync(join(newer, "tables"), join(place, "tables"), { recursive: true });
      await page.reload();
      await answers();
      // The whole site, with the former values.
      site(place, other);
      assert.ok(heads().length === 2 && !heads().some((name) => before.includes(name)));
      await page.reload();
      await answers();
    });
  }, place);
  for (const folder of [place, newer, other]) rmSync(folder, { recursive: true });
});

test("damaged tables are an error that says which file it is", async () => {
  const damaged = join(here.db, "damaged");
  cpSync(here.site, damaged, { recursive: true });
  rmSync(join(damaged, "tables/abapa-split/layer-11.granero"));
  await hosting({}, async ({ origin }) => {
    await visit({ origin, hash: `p=${LARGE}`, expected: /404/ }, async (page) => {
      await page.getByText("The tables cannot be read:").waitFor();
      await page.getByText("layer-11.granero").first().waitFor();
    });
  }, damaged);
  rmSync(damaged, { recursive: true });
});

test("beyond the tables the page says how far they reach", () =>
  visit({ hash: "p=2-2-2-2-2-2-2-2-2-2-2-2-12-12-S" }, async (page) => {
    await page.getByText("the tables reach up to 11").first().waitFor();
    await house(page, "A").click();
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    await page.getByRole("button", { name: "How to get more tables" }).click();
    await page.getByText("On a machine of your own, build them").waitFor();
  }));

test("a ruleset without tables still has its moves", () =>
  visit({ hash: `rules=awari&p=${TEMPTING}` }, async (page) => {
    await page.getByText("There are no tables for these rules here.").first().waitFor();
    assert.ok(ask("moves", TEMPTING, "--rules", "awari").moves.length > 0);
    await house(page, "A").click();
    await page.getByRole("heading", { name: "North to move" }).waitFor();
  }));
