// axe finds nothing on any view, in light and dark.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { badges, BEYOND, proving, RANGE, start, TEMPTING, visit } from "./explorer.mjs";

start({ split: 9, "own-side": 8 }, "1s");

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** @param {any} page */
async function audit(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate("axe.run()");
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  assert.deepEqual(found, []);
}

const VIEWS = {
  board: async () => {},
  "a game": async (page) => {
    await page.keyboard.press("f");
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    await page.locator("#record .lost").waitFor();
    await page.locator('#moves [data-key]').last().click();
  },
  "set-up": (page) => page.keyboard.press("s"),
  help: (page) => page.keyboard.press("?"),
  rules: (page) => page.getByRole("button", { name: "How to play Oware" }).click(),
  settings: (page) => page.getByRole("button", { name: "Settings" }).click(),
  examples: (page) => page.getByRole("button", { name: "Examples" }).click(),
  "asked for a game": (page) => page.getByRole("button", { name: "Review a game" }).click(),
  "a review": async (page) => {
    await page.getByRole("button", { name: "Review a game" }).click();
    await page.locator("#review-text").fill("0-2-0-1-1-0-1-0-2-0-1-0-20-20-S BaDcEbFd");
    await page.locator("dialog button.main").click();
    await page.locator("#review .now").waitFor();
  },
  "asked how to play": (page) => page.getByRole("button", { name: "Play granero" }).click(),
  "a game against granero": async (page) => {
    await page.evaluate(() => (location.hash += "&play=south-5"));
    await page.locator("#match").getByRole("button", { name: "Hint" }).click();
    await page.locator("#match .advice").waitFor();
  },
  "asked for puzzles": async (page) => {
    await page.getByRole("button", { name: "Puzzles" }).click();
    await page.getByRole("button", { name: "Puzzle of the day" }).waitFor();
  },
  "a puzzle": async (page) => {
    await page.evaluate(() => (location.hash = "puzzle=0"));
    await page.getByRole("button", { name: "Show the answer" }).click();
    await page.locator("#training .advice").waitFor();
  },
  statistics: async (page) => {
    await page.locator("#to-statistics").click();
    await page.locator(".layers").waitFor();
  },
  estimates: async (page) => {
    await page.evaluate(() => (location.hash = "p=4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"));
    await page.locator(".house.guess").first().waitFor();
  },
  "proven bounds": async (page) => {
    const { next } = await proving(page, [{ low: 2, high: 6, moves: { A: { low: 2, high: 6 } } }, {}]);
    await page.evaluate((hash) => (location.hash = hash), `p=${BEYOND}`);
    next();
    await page.locator(".tag").waitFor();
  },
  "two bounds": async (page) => {
    await showRange(page);
    await page.locator(".choice").nth(1).getByRole("button").first().click();
  },
  "why a range": async (page) => {
    await showRange(page);
    await page.getByRole("button", { name: "Why a range?" }).click();
  },
  "statistics of bounds": async (page) => {
    await showRange(page);
    await page.locator("#to-statistics").click();
    await page.getByRole("button", { name: "Width of the range" }).click();
  },
};

async function showRange(page) {
  await page.evaluate((hash) => (location.hash = hash), `cycles=own-side&p=${RANGE}`);
  await page.locator(".choice").first().waitFor();
}

for (const [name, show] of Object.entries(VIEWS)) {
  test(`axe finds nothing: ${name}`, () =>
    visit({ hash: `p=${TEMPTING}` }, async (page) => {
      await badges(page);
      await show(page);
      await audit(page);
      await page.emulateMedia({ colorScheme: "dark" });
      await audit(page);
    }));
}
