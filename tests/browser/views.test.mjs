// Languages, colours, phones, statistics, and messages when something is missing.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ask, badges, here, house, PHONE, served, start, TEMPTING, visit } from "./explorer.mjs";

import { path, sown } from "../../src/serve/web/sowing.js";

start();

for (const [locale, turn, result] of [
  ["es-ES", "Juega Sur", "Gana Sur, 25 a 23."],
  ["ca", "Juga Sud", "Guanya Sud, 25 a 23."],
  ["fr-CA", "Sud joue", "Sud gagne, 25 à 23."],
  ["it-IT", "Muove Sud", "Vince Sud, 25 a 23."],
  ["ja-JP", "South to move", "South wins, 25 to 23."],
]) {
  test(`a browser in ${locale} gets its language, or English`, () =>
    visit({ locale, hash: `p=${TEMPTING}` }, async (page) => {
      await page.getByRole("heading", { name: turn }).waitFor();
      await page.getByText(result).first().waitFor();
      const language = await page.locator("html").getAttribute("lang");
      assert.equal(language, locale === "ja-JP" ? "en" : locale.slice(0, 2));
    }));
}

test("another language can be chosen, and is kept", () =>
  visit({}, async (page) => {
    await badges(page);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByLabel("Language").selectOption("ca");
    await page.getByRole("heading", { name: "Preferències" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Juga Sud" }).waitFor();
  }));

test("all languages have the same texts, with the same values in them", () => {
  const folder = new URL("../../src/serve/web/i18n/", import.meta.url);
  const places = (text) =>
    [...new Set(Object.values([text].flatMap((t) => (typeof t === "string" ? t : Object.values(t))))
      .flatMap((form) => form.match(/\{\w+\}/g) ?? []))].sort();
  const load = (file) => JSON.parse(readFileSync(new URL(file, folder), "utf8"));
  const english = load("en.json");
  const files = readdirSync(folder);
  assert.equal(files.length, 5);
  for (const file of files) {
    const texts = load(file);
    assert.deepEqual(Object.keys(texts).sort(), Object.keys(english).sort(), file);
    for (const [key, text] of Object.entries(texts)) {
      assert.deepEqual(places(text), places(english[key]), `${file}: ${key}`);
    }
  }
});

for (const viewport of [{ width: 1280, height: 900 }, PHONE.viewport, { width: 844, height: 390 }]) {
  test(`the first sentence says what the page is, and the rules are one click away, ${viewport.width} pixels wide`, () =>
    visit({ viewport }, async (page) => {
      await badges(page);
      const first = await page.evaluate(() => document.querySelector("#app p:not([hidden])")?.textContent);
      assert.match(first, /^granero tells exactly what each move of an Oware endgame is worth\./);
      const button = page.getByRole("button", { name: "How to play Oware" });
      const { y, height } = await button.boundingBox();
      assert.ok(y + height <= viewport.height);
      await button.click();
      await page.getByRole("heading", { name: "How to play Oware" }).waitFor();
      assert.equal(await page.locator("#dialog .rules > li").count(), 5);
      assert.equal(await page.locator("#dialog .diagram").count(), 3);
      await page.getByText("A grand slam is a legal move, but captures nothing.").waitFor();
    }));
}

test("the pictures of the rules follow the rules", async () => {
  const { PICTURES } = await import("../../src/serve/web/rules.js");
  for (const { houses, notes, marks } of Object.values(PICTURES)) {
    const [from] = Object.keys(marks).filter((house) => marks[house] === "sown").map(Number);
    assert.deepEqual(Object.keys(notes).map(Number), path(houses, from));
    const position = houses.join(" ");
    const moves = ask("moves", position).moves;
    const after = moves.find(({ house }) => house === "ABCDEF"[from]);
    const taken = Object.keys(marks).filter((house) => marks[house] === "captured").map(Number);
    const full = sown(houses, from);
    assert.equal(after.captured, taken.reduce((sum, house) => sum + full[house], 0), position);
    const barred = Object.keys(marks).filter((house) => marks[house] === "barred").map((house) => "ABCDEF"[Number(house)]);
    if (barred.length) assert.deepEqual([...moves.map(({ house }) => house), ...barred].sort(), [..."ABCDEF"].filter((_, house) => houses[house]));
  }
});

test("dark is the system's choice or one's own", async () => {
  const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await visit({ colorScheme: "dark" }, async (page) => {
    const dark = await ground(page);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByLabel("Colours").selectOption("light");
    const light = await ground(page);
    assert.notEqual(light, dark);
    await page.reload();
    assert.equal(await ground(page), light);
  });
});

test("a phone shows the whole board, and houses that a thumb finds", () =>
  visit({ ...PHONE, hash: `p=${TEMPTING}` }, async (page) => {
    await badges(page);
    const board = await page.locator(".board").boundingBox();
    assert.ok(board.y + board.height < 844);
    const target = await house(page, "C").boundingBox();
    assert.ok(target.width >= 44 && target.height >= 44);
    await house(page, "A").tap();
    await page.getByRole("heading", { name: "North to move" }).waitFor();
  }));

for (const [name, viewport] of Object.entries({ upright: PHONE.viewport, "on its side": { width: 844, height: 390 } })) {
  test(`a phone ${name} shows the board with the moves and the review, and sets up without scrolling`, () =>
    visit({ ...PHONE, viewport, hash: `p=${TEMPTING}` }, async (page) => {
      await badges(page);
      await page.locator('[data-key="tools.review"]').tap();
      await page.locator("#review-text").fill("0-2-0-1-1-0-1-0-2-0-1-0-20-20-S BaDcEbFd");
      await page.locator("dialog button.main").tap();
      await page.locator("#review .now").waitFor();
      await page.locator("#moves table").waitFor();
      const inSight = async (selector) => {
        const found = await page.waitForFunction(
          (selector) => document.querySelector(selector)?.getBoundingClientRect().toJSON(), selector);
        const { y, height } = await found.jsonValue();
        assert.ok(y >= -1 && y + Math.min(height, 40) <= viewport.height, `${selector}: ${y} ${height}`);
      };
      await inSight("#moves tbody tr:last-child");
      await inSight(".curve");
      await inSight(".board");
      // However far the page is scrolled, a tap changes a board that is in sight.
      await page.locator("#record .chip").last().scrollIntoViewIfNeeded();
      await page.locator("#record .chip").last().tap();
      await inSight(".board");
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), viewport.width);
      for (const language of ["en", "es", "ca", "fr", "it"]) {
        await page.keyboard.press("s");
        await inSight('[data-key="setup.done"]');
        for (const selector of [".board", "#paste", '[data-key="read"]']) {
          const { y, height } = await page.locator(selector).boundingBox();
          assert.ok(y >= 0 && y + height <= viewport.height, `${language}, ${selector}: ${y} ${height}`);
        }
        await page.keyboard.press("Escape");
        await page.evaluate((language) => localStorage.setItem("granero", JSON.stringify({ language })), language);
        await page.reload();
        await badges(page);
      }
    }));
}

test("statistics are those of granero stats", () =>
  visit({ hash: "view=statistics&layer=6" }, async (page) => {
    await page.locator(".layers").waitFor();
    const { layers } = ask("stats", "--db", here.db);
    const rows = await page.locator(".layers tbody tr").evaluateAll((rows) =>
      rows.map((row) => [...row.children].slice(0, 5).map((cell) => Number(cell.textContent.replaceAll(",", "")))));
    assert.deepEqual(rows, layers.map(({ seeds, positions, wins, draws, losses }) =>
      [seeds, positions, wins, draws, losses]));
    const bars = page.locator("figure").first().locator(".bar title");
    assert.equal(await bars.count(), layers[6].histogram.length);
    const [value, count] = layers[6].histogram.at(-1);
    assert.match(await bars.last().textContent(), new RegExp(`^\\+${value}: ${count.toLocaleString("en")} `));
    await page.locator("#layer").fill("7");
    await page.getByText("Values of the positions with 7 seeds").first().waitFor();
    assert.match(page.url(), /view=statistics&layer=7/);
  }));

test("without an answer the page says so, and tries again", { skip: !served }, () =>
  visit({ expected: /ERR_FAILED/ }, async (page) => {
    await badges(page);
    await page.route("**/api/**", (route) => route.abort());
    await house(page, "A").click();
    await page.getByText("The server does not answer.").waitFor();
    await page.unroute("**/api/**");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("The server does not answer.").waitFor({ state: "hidden" });
    await badges(page);
  }));

test("without JavaScript the page says where answers are", () =>
  visit({ javaScriptEnabled: false }, async (page) => {
    await page.getByText("This page draws its board with JavaScript").waitFor();
    await page.getByText("Esta página dibuja").waitFor();
  }));
