// The set-up of positions.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import {
  badges, expectedBadges, granero, here, house, query, serve, served, shown, start, TEMPTING, visit,
} from "./explorer.mjs";

start();

/** @param {any} page */
const edit = (page) => page.getByRole("button", { name: "Set up" }).click();

test("seeds go into houses and out of them, and all 48 stay", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    await badges(page);
    await edit(page);
    await house(page, "B").click();
    await house(page, "B").click();
    await house(page, "C").click({ button: "right" });
    await page.getByRole("button", { name: "Take", exact: true }).click();
    await house(page, "F").click();
    assert.equal(await shown(page), "1-2-1-0-1-1-0-1-0-0-0-1-20-20-S");
    await page.getByRole("button", { name: "Add a seed to the store of South" }).click();
    await page.getByRole("button", { name: "North to move" }).click();
    await page.getByRole("button", { name: "Done" }).click();
    assert.equal(await shown(page), "1-2-1-0-1-1-0-1-0-0-0-1-21-19-N");
    assert.deepEqual(await badges(page), expectedBadges(await shown(page)));
  }));

test("clear, start position, swap sides, cancel", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    await badges(page);
    await edit(page);
    await page.getByRole("button", { name: "Swap sides" }).click();
    assert.equal(await shown(page), "0-1-0-0-0-1-1-0-2-0-1-2-20-20-N");
    await page.getByRole("button", { name: "Clear" }).click();
    assert.equal(await shown(page), "0-0-0-0-0-0-0-0-0-0-0-0-24-24-N");
    await page.getByRole("button", { name: "Start position" }).click();
    assert.equal(await shown(page), "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S");
    await page.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await shown(page), TEMPTING);
  }));

test("a game with fewer seeds is set up and played", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    await badges(page);
    await edit(page);
    await page.getByRole("button", { name: "12 seeds", exact: true }).click();
    assert.equal(await shown(page), "1-1-1-1-1-1-1-1-1-1-1-1-0-0-S");
    await page.getByText("12 of 12 seeds are on the board.").waitFor();
    await house(page, "F").click({ button: "right" });
    await page.getByRole("button", { name: "Done" }).click();
    assert.equal(await shown(page), "1-1-1-1-1-0-1-1-1-1-1-1-1-0-S");
    await page.getByRole("button", { name: "New game" }).click();
    assert.equal(await shown(page), "1-1-1-1-1-1-1-1-1-1-1-1-0-0-S");
    // After a capture of each, the tables know how the game ends.
    await house(page, "F").click();
    await page.getByText("North to move").first().waitFor();
    await house(page, "f").click();
    await page.getByText("A draw, 6 to 6").first().waitFor();
  }));

test("with tables of a smaller game the page begins with its opening", { skip: !served }, async () => {
  const db = join(here.db, "game-12");
  execFileSync(granero, ["build", "--game", "12", "--db", db, "--quiet"]);
  const { server, origin } = await serve("--db", db);
  try {
    await visit({ origin }, async (page) => {
      await page.getByText("A draw, 6 to 6").first().waitFor();
      assert.equal(await shown(page), "1-1-1-1-1-1-1-1-1-1-1-1-0-0-S");
      // Only F keeps the draw.
      await house(page, "A").click();
      await page.getByText(/^North wins/).first().waitFor();
      await page.getByRole("button", { name: "New game" }).click();
      assert.equal(await shown(page), "1-1-1-1-1-1-1-1-1-1-1-1-0-0-S");
    });
  } finally {
    server.kill();
  }
});

for (const [what, text, expected] of [
  ["twelve numbers", "0 2 0 1 1 0 1 0 2 0 1 0", "0-2-0-1-1-0-1-0-2-0-1-0-20-20-S"],
  ["a board", "0 1 0 2 0 1 / 0 2 0 1 1 0", "0-2-0-1-1-0-1-0-2-0-1-0-20-20-S"],
  ["Aalina’s notation", "1-0-0-0-0-5-1-0-0-0-0-0-19-22-N", "1-0-0-0-0-5-1-0-0-0-0-0-19-22-N"],
]) {
  test(`${what} can be pasted`, () =>
    visit({}, async (page) => {
      await badges(page);
      await edit(page);
      await page.getByLabel("Or paste a position").fill(text);
      await page.getByRole("button", { name: "Use it" }).click();
      await page.waitForFunction(() => document.querySelector("textarea")?.value === "");
      await page.getByRole("button", { name: "Done" }).click();
      assert.equal(await shown(page), expected);
      const { value } = query(expected);
      await page.getByText(`: ${value > 0 ? `+${value}` : `−${-value}`}.`).first().waitFor();
    }));
}

test("a text that is not a position gets an error with its place", () =>
  visit({ expected: /400/ }, async (page) => {
    await badges(page);
    await edit(page);
    await page.getByLabel("Or paste a position").fill("4 4 4 x");
    await page.keyboard.press("Enter");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    assert.match(await alert.textContent(), /not a position:.*character 7.*`x`/);
    assert.equal(await page.getByLabel("Or paste a position").inputValue(), "4 4 4 x");
  }));
