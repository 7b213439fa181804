// No view and no dialog is wider than the screen, in any language.

import assert from "node:assert/strict";
import { test } from "node:test";
import { badges, RANGE, start, TEMPTING, visit } from "./explorer.mjs";
import { played } from "../../src/serve/web/sowing.js";
import { read } from "../../src/serve/web/situation.js";

start({ split: 8, "own-side": 8 });

const WIDTHS = [320, 390, 500];

/** The position in which the long game begins. */
const FIRST = "0-2-0-1-1-0-1-0-2-0-1-0-20-20-S";

/** Returns moves without captures that leave both players seeds, many of them mistakes.
 * @param {import("../../src/serve/web/situation.js").Situation} situation @param {number} length
 * @returns {string | undefined} */
function wander(situation, length) {
  if (length === 0) return "";
  for (let i = 0; i < 6; i++) {
    const house = ((i + length) % 6) + (situation.toMove === "S" ? 0 : 6);
    const after = played({ slam_takes: "nothing", slam_ends_game: false }, situation, house);
    const { houses } = after?.situation ?? { houses: [] };
    const isOn = after?.captured === 0 && [houses.slice(0, 6), houses.slice(6)].every((row) => row.some(Boolean));
    const rest = isOn ? wander(after.situation, length - 1) : undefined;
    if (rest !== undefined) return "ABCDEFabcdef"[house] + rest;
  }
  return undefined;
}

const GAME = `p=${FIRST}&moves=${wander(read(FIRST), 120)}&review=1`;

/** Opens an address, and waits for what it shows. @param {string} hash @param {string} selector */
const address = (hash, selector) => async (page) => {
  await page.evaluate((hash) => (location.hash = hash), hash);
  await page.locator(selector).first().waitFor();
};

/** Presses a button of the toolbar. @param {string} key */
const tool = (key, hash = GAME) => async (page) => {
  await address(hash, "#board svg")(page);
  await page.locator(`[data-key="${key}"]`).evaluate((button) => button.click());
  await page.locator("#dialog[open]").waitFor();
};

/** @type {Record<string, (page: any) => Promise<void>>} */
const SHOWN = {
  "a review": address(GAME, "#review ol .now"),
  statistics: address("cycles=own-side&view=statistics", ".layers"),
  "a board": address(`p=${TEMPTING}`, ".badge.shown"),
  "two bounds": address(`cycles=own-side&p=${RANGE}`, ".choice"),
  "a game against granero": address("p=4-4-4-4-4-4-4-4-4-4-4-4-0-0-S&play=south-8", "#match h2"),
  "a puzzle": address("puzzle=3", "#training .strong"),
  "set-up": async (page) => {
    await address(`p=${RANGE}`, "#moves table")(page);
    await page.keyboard.press("s");
    await page.locator("#paste").waitFor();
  },
  help: async (page) => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
  },
  rules: (page) => page.evaluate(() => document.getElementById("show-rules")?.click()),
  settings: (page) => page.evaluate(() => document.getElementById("show-settings")?.click()),
  examples: tool("tools.examples"),
  "asked for a game": tool("tools.review"),
  "asked how to play": tool("tools.play"),
  "asked for puzzles": tool("tools.puzzles"),
  downloads: tool("tools.download"),
  "a comment": tool("record.comment"),
  "why a range": async (page) => {
    await address(`cycles=own-side&p=${RANGE}`, ".choice")(page);
    await page.locator('[data-key="why.link"]').evaluate((link) => link.click());
  },
  "more tables": tool("beyond.link", "p=1-0-2-1-1-2-0-1-1-0-2-1-18-18-S&rules=slam-leaves-first"),
};

for (const locale of ["en", "es", "ca", "fr", "it"]) {
  test(`nothing is wider than the screen, in ${locale}`, () =>
    visit({ locale, viewport: { width: 320, height: 700 } }, async (page) => {
      await badges(page);
      /** @type {string[]} */
      const wide = [];
      for (const [name, show] of Object.entries(SHOWN)) {
        await page.evaluate(() => /** @type {any} */ (document.getElementById("dialog")).close());
        await show(page);
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 700 });
          const found = await page.evaluate(() => {
            const page = document.documentElement;
            const dialog = /** @type {any} */ (document.getElementById("dialog"));
            return [page.scrollWidth, dialog.scrollWidth - dialog.clientWidth, dialog.open];
          });
          const isDialog = /help|rules|settings|examples|asked|downloads|comment|why|more/.test(name);
          if (String(found) !== String([width, 0, isDialog])) wide.push(`${name} at ${width}: ${found}`);
        }
      }
      assert.deepEqual(wide, []);
    }));
}

/** Returns the places of a list and of the move in it that is shown, once they are drawn. A review has no chip for the
 * start.
 * @param {string[]} shown */
const places = ([list, key]) => {
  const element = document.querySelector(list);
  const now = element?.querySelector(".now");
  const start = list === "#record ol" ? element?.querySelector(".chip") : null;
  const isDrawn = element?.checkVisibility() && (key === "Home" ? now === start : now && now !== start);
  return isDrawn && [element, now].map((shown) => shown?.getBoundingClientRect().toJSON());
};

test("a review and a game keep the move that is shown in sight", () =>
  visit({ hash: GAME, viewport: { width: 390, height: 844 } }, async (page) => {
    for (const list of ["#review ol", "#record ol"]) {
      for (const key of ["Home", "End", "Home"]) {
        await page.locator(`${list} .chip`).first().waitFor();
        await page.keyboard.press(key);
        await page.waitForFunction((at) => location.hash.includes("at=0") === at, key === "Home");
        const [box, now] = await (await page.waitForFunction(places, [list, key])).jsonValue();
        if (!now) continue;
        assert.ok(now.x >= box.x - 1 && now.x + now.width <= box.x + box.width + 1, `${list} ${key}: ${now.x} in ${box.width}`);
        assert.ok(now.y >= box.y - 1 && now.y + now.height <= box.y + box.height + 1, `${list} ${key}: ${now.y}`);
      }
    }
  }));

test("the toolbar keeps its ground when it is opened", () =>
  visit({ viewport: { width: 390, height: 844 } }, async (page) => {
    const tools = page.locator("#tools");
    const ground = () => tools.evaluate((element) => getComputedStyle(element).backgroundImage);
    const before = await ground();
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("button", { name: "Puzzles", exact: true }).waitFor();
    assert.equal(await ground(), before);
  }));
