// The page with the keyboard alone, and announcements for screen readers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { badges, house, shown, start, TEMPTING, visit } from "./explorer.mjs";

start();

/** Returns the house that has the focus. @param {any} page */
const focused = (page) => page.evaluate(() => document.activeElement?.closest("[data-house]")?.getAttribute("data-house"));

test("a game with the keyboard alone", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    await badges(page);
    await house(page, "A").focus();
    for (const [key, letter] of [
      ["ArrowRight", "B"], ["ArrowUp", "e"], ["ArrowLeft", "f"], ["ArrowDown", "A"],
      ["ArrowLeft", "A"],
    ]) {
      await page.keyboard.press(key);
      assert.equal(await focused(page), letter, key);
    }
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    await page.waitForFunction(() =>
      /^South sows A\. North to move\. South wins, 25 to 23\. Best: b, value −2\.$/.test(
        document.getElementById("live")?.textContent ?? ""));
    await page.keyboard.press("b");
    await page.getByRole("heading", { name: "South to move" }).waitFor();
    await page.keyboard.press("u");
    await page.keyboard.press("u");
    assert.equal(await shown(page), TEMPTING);
    await page.keyboard.press("r");
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    await page.keyboard.press("Home");
    // Without a house in focus, arrows go through the game, and space plays the best move.
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("ArrowRight");
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    await page.keyboard.press("End");
    await page.getByRole("heading", { name: "South to move" }).waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await shown(page), TEMPTING);
    await page.keyboard.press(" ");
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    assert.match(page.url(), /moves=Ab&at=1/);
    // So they do after a click, which leaves the focus on what was clicked.
    await house(page, "b").click();
    await page.getByRole("heading", { name: "South to move" }).waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    await page.getByRole("button", { name: "Turn board" }).click();
    await page.keyboard.press(" ");
    await page.getByRole("heading", { name: "South to move" }).waitFor();
    assert.match(page.url(), /turned=1/);
    await page.keyboard.press("t");
    await page.keyboard.press("Home");
    // The key plays the line, once it is known.
    await page.locator("#line .summary").waitFor();
    await page.keyboard.press("n");
    await page.getByRole("heading", { name: "North to move" }).waitFor();
  }));

test("on a turned board the arrows go where they point", () =>
  visit({ hash: `p=${TEMPTING}&turned=1` }, async (page) => {
    await badges(page);
    await house(page, "A").focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await focused(page), "B");
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(page), "e");
    await page.keyboard.press("t");
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(page), "B");
  }));

test("help, values and set-up have keys", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    await badges(page);
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Help" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#dialog").waitFor({ state: "hidden" });
    // The focus leaves the closed dialog when the page is next drawn.
    await page.waitForFunction(() => !document.activeElement?.closest("dialog"));
    await page.keyboard.press("v");
    await page.locator(".badge.shown").first().waitFor({ state: "detached" });
    await page.locator("#result", { hasText: "Who wins?" }).waitFor();
    await page.keyboard.press("v");
    await page.keyboard.press("s");
    await house(page, "D").focus();
    for (const key of ["+", "+", "-", "+"]) await page.keyboard.press(key);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("0");
    await page.keyboard.press("s");
    assert.equal(await shown(page), "1-0-2-2-0-2-0-1-0-0-0-1-20-19-S");
  }));

test("a label says all that is to be seen at a house", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    await badges(page);
    assert.equal(
      await house(page, "A").getAttribute("aria-label"),
      "House A of South: 1 seed. A sows 1 seed. Value +2: South wins, 25 to 23. No move is better.",
    );
    assert.match(await page.locator('[data-store="N"] .target').getAttribute("aria-label"), /captured 20/);
    // The twelve houses are one stop of the tab key.
    assert.equal(await page.locator('.house [tabindex="0"]').count(), 1);
  }));
