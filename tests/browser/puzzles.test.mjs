// Puzzles: a series, the puzzle of the day, what is kept, and what is said of an answer.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { numberOf, parsed } from "../../src/serve/web/play/training.js";
import { badges, expectedBadges, house, PHONE, shown, start, visit } from "./explorer.mjs";

start({ split: 9, "own-side": 8 });

const PUZZLES = parsed(readFileSync(new URL("../../data/puzzles.tsv", import.meta.url), "utf8"));
const LETTERS = "ABCDEF";

test("a thousand puzzles, and another one every day", () => {
  assert.equal(PUZZLES.length, 1000);
  for (const { houses, right } of PUZZLES) assert.ok(houses.length === 12 && houses[right] > 0 && right < 6);
  const days = PUZZLES.map((_, day) => numberOf(new Date(2026, 10, 25 + day, 23, 59), PUZZLES.length));
  assert.equal(new Set(days).size, PUZZLES.length);
  assert.equal(numberOf(new Date(2026, 10, 25, 0, 0), PUZZLES.length), days[0]);
});

/** Opens the window of puzzles. @param {any} page */
async function openPuzzles(page) {
  // After a page is loaded, the one or the other appears.
  await page.getByRole("button", { name: /^(More|Puzzles)$/ }).first().waitFor();
  const more = page.getByRole("button", { name: "More", exact: true });
  if (await more.isVisible()) await more.click();
  await page.getByRole("button", { name: "Puzzles", exact: true }).click();
  await page.getByRole("button", { name: /^Puzzle of the day/ }).waitFor();
}

/** The puzzle of the address. @param {any} page */
const posed = (page) => PUZZLES[Number(/puzzle=(\d+)/.exec(page.url())[1])];

/** Waits until the moves of the puzzle are known. @param {any} page */
async function ready(page) {
  await page.getByText("Which move?", { exact: true }).waitFor();
  await page.locator("#training .strong").first().waitFor();
  await page.locator(".target:not([aria-disabled=true])").first().waitFor();
}

test("a series by theme and grade, with its score", () =>
  visit({}, async (page) => {
    await openPuzzles(page);
    await page.getByLabel("Theme").selectOption("sacrifice");
    await page.getByLabel("Difficulty").selectOption("2");
    await page.getByRole("button", { name: "Begin" }).click();
    const seen = new Set();
    for (let number = 1; number <= 10; number++) {
      await page.getByRole("heading", { name: `Puzzle ${number} of 10` }).waitFor();
      await ready(page);
      assert.equal(await page.locator(".badge.shown").count(), 0);
      assert.ok(await page.locator("#moves").isHidden() && await page.locator("#line").isHidden());
      const puzzle = posed(page);
      seen.add(puzzle);
      assert.deepEqual([puzzle.theme, puzzle.grade], ["sacrifice", 2]);
      assert.deepEqual((await shown(page)).split("-").slice(0, 12).map(Number), puzzle.houses);
      // Every second answer is wrong.
      const legal = await page.locator(".house:has(.target:not([aria-disabled=true]))")
        .evaluateAll((houses) => houses.map((house) => house.getAttribute("data-house")));
      const right = LETTERS[puzzle.right];
      const chosen = number % 2 ? right : legal.find((letter) => letter !== right);
      await house(page, chosen).click();
      const said = await page.locator("#training .advice").textContent();
      assert.match(said, chosen === right ? new RegExp(`^Right: ${right} is worth \\+`) : new RegExp(`^${chosen} is wrong\\..*The right move is ${right}, value \\+`));
      assert.equal(await page.locator("#live").textContent(), said);
      if (number === 4) {
        // A reload goes on, and an answer counts once.
        await page.reload();
        await page.locator("#training .advice", { hasText: said }).waitFor();
      }
      await page.locator("#training .marks").waitFor();
      assert.equal(await page.locator("#training .marks span").count(), number);
      // The keyboard is enough.
      if (number < 10 && number !== 4) await page.keyboard.press("Enter");
      else if (number < 10) await page.getByRole("button", { name: "Next puzzle" }).click();
    }
    assert.equal(seen.size, 10);
    await page.locator("#training").getByText("5 of 10 right").waitFor();
    await page.getByRole("button", { name: "More puzzles" }).click();
    await page.getByText("So far 5 of 10 right, 0 in a row, at most 1; 10 of the 1,000 puzzles seen.").waitFor();
  }));

test("an answer shows the values of the moves and the line", () => {
  // Within the tables of the tests.
  const number = PUZZLES.findIndex(({ houses }) => houses.reduce((sum, seeds) => sum + seeds) === 8);
  return visit({ hash: `puzzle=${number}&p=${PUZZLES[number].houses.join("-")}-20-20-S` }, async (page) => {
    await ready(page);
    const position = await shown(page);
    // Keys that would tell do nothing.
    for (const key of ["v", "n", "p", " "]) await page.keyboard.press(key);
    assert.equal(await page.locator(".badge.shown").count(), 0);
    assert.equal(await shown(page), position);
    const wrong = await page.locator(".house:has(.target:not([aria-disabled=true]))")
      .evaluateAll((houses, right) => houses.map((house) => house.getAttribute("data-house")).find((letter) => letter !== right),
        LETTERS[PUZZLES[number].right]);
    await page.keyboard.press(wrong);
    await page.locator("#training .advice", { hasText: /gives away \d/ }).waitFor();
    assert.deepEqual(await badges(page), expectedBadges(position));
    // What is wrong with it is how play goes on.
    await page.getByRole("heading", { name: `After ${wrong}` }).waitFor();
    await page.locator("#line .summary").waitFor();
    // From then on it is a position like any other.
    await page.keyboard.press(LETTERS[PUZZLES[number].right]);
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    await page.getByRole("button", { name: "Close" }).first().click();
    assert.ok(await page.locator("#training").isHidden());
    assert.doesNotMatch(page.url(), /puzzle=/);
  });
});

test("a puzzle has the same answer by the convention that was chosen, and keeps it", () => {
  const number = PUZZLES.findIndex(({ houses, theme }) => theme === "draw" && houses.reduce((sum, seeds) => sum + seeds) === 8);
  return visit({}, async (page) => {
    await badges(page);
    await page.getByLabel("Endless play").selectOption("own-side");
    await page.evaluate((number) => (location.hash = `puzzle=${number}`), number);
    await ready(page);
    await page.getByText("Only one move draws: find it.").waitFor();
    const right = LETTERS[PUZZLES[number].right];
    await house(page, right).click();
    await page.locator("#training .advice", { hasText: `Right: ${right} is worth 0.` }).waitFor();
    assert.deepEqual((await badges(page))[right], { text: "0", best: true });
    await page.locator("#result", { hasText: "A draw, 24 to 24." }).waitFor();
    await page.getByRole("button", { name: "Close" }).first().click();
    assert.ok(await page.locator("#training").isHidden());
    assert.equal(await page.locator("#cycles").inputValue(), "own-side");
  });
});

test("the puzzle of the day is the date's, and counts once", () =>
  visit(PHONE, async (page) => {
    await page.clock.setFixedTime(new Date("2026-11-25T10:00:00"));
    await page.reload();
    await openPuzzles(page);
    await page.getByRole("button", { name: "Puzzle of the day" }).click();
    await ready(page);
    const puzzle = posed(page);
    assert.equal(puzzle, PUZZLES[numberOf(new Date("2026-11-25T23:00:00"), PUZZLES.length)]);
    const task = page.locator("#training .strong").first();
    const [board, text] = await Promise.all([page.locator("#board").boundingBox(), task.boundingBox()]);
    assert.ok(board.y >= 0 && text.y + text.height <= 844, "the board and the task are in sight");
    await house(page, LETTERS[puzzle.right]).tap();
    await page.locator("#training .advice", { hasText: /^Right/ }).waitFor();
    await page.getByRole("button", { name: "More puzzles" }).click();
    await page.getByRole("button", { name: "Puzzle of the day: solved" }).waitFor();
    await page.clock.setFixedTime(new Date("2026-11-26T10:00:00"));
    await page.reload();
    await openPuzzles(page);
    await page.getByRole("button", { name: "Puzzle of the day", exact: true }).click();
    await ready(page);
    assert.notEqual(posed(page), puzzle);
  }));

test("who gives up is told the answer", () =>
  visit({ hash: "puzzle=3" }, async (page) => {
    // The number alone poses it.
    await ready(page);
    assert.deepEqual((await shown(page)).split("-").slice(0, 12).map(Number), PUZZLES[3].houses);
    await page.getByRole("button", { name: "Show the answer" }).click();
    await page.locator("#training .advice", { hasText: "The right move is" }).waitFor();
    await page.getByRole("button", { name: "More puzzles" }).click();
    await page.getByText("So far 0 of 1 right").waitFor();
  }));
