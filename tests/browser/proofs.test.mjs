// Beyond the tables: proven bounds, which narrow and are never taken for exact.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ask, badges, BEYOND, here, house, PHONE, proving, serve, short, start, TEMPTING, visit,
} from "./explorer.mjs";

start({ split: 9, "own-side": 8 }, "5s");

/** Returns the badges, and which of them are marked as not yet exact. @param {any} page */
async function marked(page) {
  const found = await badges(page);
  const dashed = await page.locator(".house.proven").evaluateAll((houses) =>
    houses.map((house) => house.getAttribute("data-house")));
  return Object.fromEntries(
    Object.entries(found).map(([house, { text }]) => [house, [text, dashed.includes(house)]]),
  );
}

/** Shows a position, by default one beyond the tables. @param {any} page @param {string} p */
const look = (page, p = BEYOND) => page.evaluate((hash) => (location.hash = hash), `p=${p}`);

/** Waits for a text about the search. @param {any} page @param {string} text */
const says = (page, text) => page.locator("#reason").getByText(text).waitFor();

test("bounds narrow while one looks, and are marked until they are exact", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    const moves = { A: { low: -12, high: 4 }, C: { low: 0, high: 8 }, D: { low: -12, high: -2 } };
    const { times, next } = await proving(page, [
      { low: -12, high: 12, moves: {} },
      { low: 0, high: 8, moves },
      // A later search that proves less takes nothing back.
      { low: -4, high: 6, moves: { ...moves, C: { low: -4, high: 6 } } },
    ]);
    await look(page);
    await says(page, "The search goes on…");
    await page.locator(".house.guess").first().waitFor();
    const [first, dashed] = Object.values(await marked(page))[0];
    assert.ok(/^~[+−]\d+\.\d$/.test(first) && !dashed, first);
    next();
    await says(page, "Proven so far: nothing yet.");
    await page.locator("#result", { hasText: /^South about \d+, North about \d+\. estimate, not proven$/ }).waitFor();
    next();
    await says(page, "Proven so far: at least 0 and at most +8. The search goes on…");
    await page.getByText("South ends up with 24 to 28 of the 48 seeds. proven, not yet exact").waitFor();
    const second = await marked(page);
    // What is proven takes the place of estimates; of E and F it says next to nothing.
    const guesses = await page.locator(".house.guess").evaluateAll((houses) => houses.map((house) => house.getAttribute("data-house")));
    assert.deepEqual(guesses, ["E", "F"]);
    assert.equal(await page.locator("#moves .estimated").count(), 2 + 1);
    assert.equal(await page.locator("#result .guess").count(), 0);
    assert.deepEqual([second.A, second.C, second.D], [["≤+4", true], ["0…+8", true], ["≤−2", true]]);
    assert.equal(await page.locator('[data-house="C"] .target').getAttribute("aria-label").then((label) =>
      label.includes("Proven so far, not yet exact: at least 0 and at most +8.")), true);
    // D gives away at least one seed, whatever the exact values are.
    const lost = page.locator("#moves tr", { has: page.locator('[data-key="move-D"]') }).locator(".lost");
    assert.equal(await lost.textContent(), "≥1");
    next();
    await says(page, "Proven so far: at least 0 and at most +6. The search has ended");
    assert.deepEqual((await marked(page)).C, ["0…+6", true]);
    assert.deepEqual(times, ["200ms", "1000ms", "5000ms"]);
    // A screen reader gets one announcement, in the end.
    const told = await page.locator("#live").textContent();
    assert.match(told, /Proven so far: at least 0 and at most \+6\./);
  }));

test("what is proven in the end is the value", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    // This is enough time on any machine.
    const found = ask("query", "--cycles", "split", "--db", here.db, "--prove", "1h", BEYOND);
    const { next } = await proving(page, [
      { low: -10, high: 6 },
      { value: found.value, moves: Object.fromEntries(found.moves.map(({ house, proven }) => [house, proven])) },
    ]);
    await look(page);
    next();
    await page.locator(".tag").waitFor();
    next();
    await says(page, "This value is exact: a search has proven it.");
    assert.equal(await page.locator(".tag").count(), 0);
    assert.equal(found.proven.ended, "settled");
    // The bounds of the real server always hold.
    const answer = await (await fetch(
      `${here.origin}api/v1/abapa/prove?cycles=split&time=5s&p=${BEYOND}`)).json();
    assert.ok(answer.proven.low <= found.value && found.value <= answer.proven.high);
  }));

test("a line follows what is proven down into the tables", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    const args = ["--cycles", "split", "--db", here.db, "--prove", "1h", BEYOND];
    const [found, line] = [ask("query", ...args), ask("line", ...args)];
    const moves = Object.fromEntries(found.moves.map(({ house, proven }) => [house, proven]));
    const best = found.proven.best_known;
    await page.route(/\/prove\?/, async (route) => {
      const asked = new URL(route.request().url());
      asked.pathname = asked.pathname.replace("prove", "position");
      asked.searchParams.delete("time");
      const answer = await (await route.fetch({ url: asked.href })).json();
      answer.proven = { ...found.proven };
      answer.value = found.value;
      for (const move of answer.moves) {
        move.proven = moves[move.house];
        move.best = best.includes(move.house);
      }
      await route.fulfill({ json: answer });
    });
    // The command has no limit of time.
    await page.route(/\/line\?.*time=/, (route) => route.fulfill({ json: { ...line, unit: "seeds" } }));
    await look(page);
    await page.locator("#line .chip").first().waitFor();
    const shown = await page.locator("#line .chip").evaluateAll((chips) =>
      chips.map((chip) => chip.textContent.replace(/^\w+ /, "").replace(/\+.*/, "")));
    assert.deepEqual(shown, line.moves.map(({ move }) => move));
    // The line can be played, from beyond the tables on.
    await page.getByRole("button", { name: "Next move" }).click();
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    // The list of moves shows what is proven.
    const value = await page.locator('[data-key="record-0"] small').textContent();
    assert.equal(value, short({ low: found.value, high: found.value }));
  }));

test("a line stops where nothing more is proven", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    const { next } = await proving(page, [{ value: 2 }]);
    await page.route(/\/prove\?/, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      json.moves[0].best = true;
      await route.fulfill({ json });
    });
    const moves = [{ move: "A", captured: 0, position: [0, 2, 1, 1, 2, 0, 1, 1, 0, 2, 1, 0], south: 18, north: 18 }];
    await page.route(/\/line\?.*time=/, (route) =>
      route.fulfill({ json: { moves, end: { reason: "unproven" }, score: { south: 18, north: 18, left: 12 } } }));
    next();
    await look(page);
    await page.getByText("The line stops here: no further move is proven to be best.").waitFor();
  }));

test("the server itself narrows bounds, with either convention", async () => {
  for (const cycles of ["split", "own-side"]) {
    await visit({ hash: `cycles=${cycles}&p=${BEYOND}` }, async (page) => {
      // The result depends on the machine, but the search always ends.
      await page.locator("#reason").getByText(/This value is exact|The search has ended/)
        .waitFor({ timeout: 60_000 });
      const played = ask("moves", BEYOND).moves;
      assert.equal(Object.keys(await badges(page)).length, played.length);
    });
  }
});

test("showing another position ends the search", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    const { times } = await proving(page, [{}, {}]);
    await page.evaluate(() => {
      const { fetch } = window;
      window.given_up = 0;
      window.fetch = (address, options) => {
        options?.signal?.addEventListener("abort", () => (window.given_up += 1));
        return fetch(address, options);
      };
    });
    const givenUp = (count) => page.waitForFunction((count) => window.given_up === count, count);
    await look(page);
    await says(page, "The search goes on…");
    await givenUp(0);
    await look(page, TEMPTING);
    await page.getByText("South wins, 25 to 23.", { exact: true }).waitFor();
    await givenUp(1);
    // So does hiding the values.
    await look(page);
    await says(page, "The search goes on…");
    // The request is under way, too.
    while (times.length < 2) await page.waitForTimeout(20);
    await page.keyboard.press("v");
    await givenUp(2);
    assert.deepEqual(times, ["200ms", "200ms"]);
  }));

test("a server that does not prove is not asked to", async () => {
  const { server, origin } = await serve("--db", here.db, "--prove", "off");
  try {
    await visit({ origin, hash: `p=${BEYOND}` }, async (page) => {
      /** @type {string[]} */
      const asked = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.reload();
      await page.locator(".house.guess").first().waitFor();
      await house(page, "A").click();
      await page.getByRole("heading", { name: "North to move" }).waitFor();
      await page.waitForLoadState("networkidle");
      assert.ok(asked.some((url) => url.includes("/position?")));
      assert.deepEqual(asked.filter((url) => url.includes("/prove")), []);
      assert.equal(await page.getByText("The search").count(), 0);
    });
  } finally {
    server.kill();
  }
});

test("a busy server is asked again", () =>
  visit({ hash: `p=${TEMPTING}`, expected: /503/ }, async (page) => {
    let busy = true;
    await proving(page, [{ value: 2 }]).then(({ next }) => next());
    await page.route(/\/prove\?/, (route) =>
      busy
        ? route.fulfill({ status: 503, json: { error: { code: "overloaded", message: "busy", hint: "" } } })
        : route.fallback());
    await look(page);
    await says(page, "The server is busy with other searches; the page asks again soon.");
    assert.equal(await page.locator("#error").isVisible(), false);
    busy = false;
    await says(page, "This value is exact: a search has proven it.");
  }));

for (const [locale, tag, text] of [
  ["en", "proven, not yet exact", "Proven so far: at least +2 and at most +6."],
  ["es", "demostrado, aún no exacto", "Demostrado hasta ahora: al menos +2 y como mucho +6."],
  ["ca", "demostrat, encara no exacte", "Demostrat fins ara: almenys +2 i com a molt +6."],
  ["fr", "prouvé, pas encore exact", "Prouvé jusqu’ici : au moins +2 et au plus +6."],
  ["it", "dimostrato, non ancora esatto", "Dimostrato finora: almeno +2 e al più +6."],
]) {
  test(`proven bounds in ${locale}, also on a phone`, () =>
    visit({ ...PHONE, locale, hash: `p=${TEMPTING}` }, async (page) => {
      const { next } = await proving(page, [{ low: 2, high: 6, moves: { C: { low: 2, high: 6 } } }, {}]);
      await look(page);
      next();
      await page.locator(".tag", { hasText: tag }).waitFor();
      await says(page, text);
      assert.deepEqual((await marked(page)).C, [short({ low: 2, high: 6 }), true]);
      await page.setViewportSize({ width: 320, height: 844 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    }));
}

for (const [locale, tag, text] of [
  ["en", "not exact: only what decides the game", "Value for South: at least +9."],
  ["es", "no exacto: solo lo que decide la partida", "Valor para Sur: al menos +9."],
  ["ca", "no exacte: només el que decideix la partida", "Valor per a Sud: almenys +9."],
  ["fr", "pas exact : seulement ce qui décide de la partie", "Valeur pour Sud : au moins +9."],
  ["it", "non esatto: solo ciò che decide la partita", "Valore per Sud: almeno +9."],
]) {
  test(`what deciding tables have cut off, in ${locale}`, () =>
    visit({ ...PHONE, locale, hash: `p=${TEMPTING}` }, async (page) => {
      /** @type {string[]} */
      const asked = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.route(/\/position\?/, async (route) => {
        const answer = await (await route.fetch()).json();
        const { seeds, moves } = answer;
        answer.extent = "deciding";
        answer.range = { low: 9, high: seeds };
        moves[0].range = { low: 9, high: seeds };
        moves[0].best = true;
        moves[1].range = { low: -seeds, high: -9 };
        await route.fulfill({ json: answer });
      });
      await look(page);
      await page.locator(".tag", { hasText: tag }).waitFor();
      await says(page, text);
      const found = Object.values(await marked(page));
      assert.ok(found.some(([badge, dashed]) => badge === "≥+9" && dashed));
      assert.ok(found.some(([badge, dashed]) => badge === "≤−9" && dashed));
      // Nothing is shown as exact, and there is no search for values that the tables cut off.
      assert.equal(found.some(([badge]) => badge === "+9" || badge === "−9"), false);
      assert.deepEqual(asked.filter((url) => url.includes("/prove")), []);
      await page.setViewportSize({ width: 320, height: 844 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    }));
}
