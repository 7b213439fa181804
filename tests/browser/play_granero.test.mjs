// Playing against granero: from the first move to the verdict, over a reload, with hints and taking back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, house, PHONE, query, served, shown, start, TEMPTING, visit } from "./explorer.mjs";

start();

/** Begins a game. @param {any} page @param {{side?: string, level?: number, from?: string}} how */
async function begin(page, { side = "S", level = 3, from = "start" }) {
  await page.getByRole("button", { name: "Play granero" }).click();
  await page.getByLabel("You play").selectOption(side);
  await page.getByLabel("Strength").selectOption(String(level));
  if (from === "here") await page.getByLabel("From").selectOption("here");
  await page.getByRole("button", { name: "Begin" }).click();
}

/** The number of moves of the record. @param {any} page */
const length = (page) => page.locator("#record [data-key^=record-]").evaluateAll(({ length }) => Math.max(0, length - 1));

const yourMove = (page) => page.getByText("Your move", { exact: true }).waitFor();

/** Waits for the player's turn, or the end of the game: returns false at the end. @param {any} page @param {number} moves made at least */
async function turn(page, moves) {
  await page.waitForFunction((moves) => {
    const isOver = !document.querySelector("#board-view.secret");
    const count = Math.max(0, document.querySelectorAll("#record [data-key^=record-]").length - 1);
    return isOver || (document.getElementById("result")?.textContent === "Your move" && count >= moves);
  }, moves);
  return (await page.locator("#board-view.secret").count()) > 0;
}

/** Plays the first legal move. @param {any} page */
async function playOn(page) {
  const moves = await length(page);
  await page.locator(".house:has(.target:not([aria-disabled=true])) .target").first().click();
  return turn(page, moves + 1);
}

test("granero answers, values stay hidden, and a reload goes on", () =>
  visit({}, async (page) => {
    await begin(page, {});
    await yourMove(page);
    assert.equal(await page.locator(".badge.shown").count(), 0);
    assert.ok(await page.locator("#moves").isHidden() && await page.locator("#line").isHidden());
    await page.keyboard.press("c");
    await yourMove(page);
    await page.waitForFunction(() => document.querySelectorAll("#record [data-key^=record-]").length === 3);
    assert.match(await page.locator("#live").textContent(), /^North sows [a-f].*South to move\.$/);
    // Keys that would tell do nothing.
    for (const key of ["v", "n", "p", " "]) await page.keyboard.press(key);
    assert.equal(await page.locator(".badge.shown").count(), 0);
    assert.equal(await length(page), 2);
    const position = await shown(page);
    await page.reload();
    await yourMove(page);
    assert.equal(await shown(page), position);
    await page.getByRole("heading", { name: "You are South against granero, level 3" }).waitFor();
    await page.getByRole("button", { name: "Take back" }).click();
    await page.waitForFunction(() => !document.querySelector("#record [data-key=record-0]"));
    await yourMove(page);
    assert.equal(await shown(page), "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S");
  }));

test("North, too, and on a phone", () =>
  visit(PHONE, async (page) => {
    await begin(page, { side: "N", level: 1 });
    await page.getByRole("heading", { name: "You are North against granero, level 1" }).waitFor();
    await yourMove(page);
    assert.equal(await length(page), 1);
    // The player sits below.
    const [north, south] = await Promise.all(["a", "A"].map(async (letter) => (await house(page, letter).boundingBox()).y));
    assert.ok(north > south);
    await house(page, "b").tap();
    await page.waitForFunction(() => document.querySelectorAll("#record [data-key^=record-]").length === 4);
    await yourMove(page);
    const board = await page.locator("#board").boundingBox();
    const hint = await page.getByRole("button", { name: "Hint" }).boundingBox();
    assert.ok(board.y >= 0 && hint.y + hint.height <= 844, "board and buttons are in sight together");
  }));

test("perfect play from a position: the hint is the best move, and who errs loses", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    await page.locator("#line .summary").waitFor();
    await begin(page, { level: 8, from: "here" });
    await yourMove(page);
    await page.keyboard.press("h");
    await page.locator("#match .advice", { hasText: "Best: A." }).waitFor();
    assert.match(await page.locator("#live").textContent(), /^Best: A\./);
    // The tempting capture loses.
    await page.keyboard.press("f");
    for (let isOn = await turn(page, 1); isOn; isOn = await playOn(page)) {
      // Perfect play gives nothing back: North still gets what the error gave.
      const position = await shown(page);
      const { final } = query(position);
      assert.ok(final.winner === "north" && final.north >= 26, position);
    }
    await page.locator("#match", { hasText: "granero has won." }).waitFor();
    // The verdict is the review of the game, with values, and survives a reload.
    await page.locator("#review .reviewed").waitFor();
    await page.locator("#review .reviewed-players", { hasText: "You (South)" }).waitFor();
    await page.reload();
    await page.locator("#match", { hasText: "granero has won." }).waitFor();
    await page.locator("#review b.changed-winner").first().waitFor();
    await page.getByRole("button", { name: "Play again" }).click();
    await page.getByLabel("Strength").selectOption("8");
    await page.getByText("At this level: 0 won, 0 drawn, 1 lost.").waitFor();
  }));

test("a game that was left is there again", () =>
  visit({}, async (page) => {
    await begin(page, {});
    await yourMove(page);
    await page.keyboard.press("d");
    await page.waitForFunction(() => document.querySelectorAll("#record [data-key^=record-]").length === 3);
    await yourMove(page);
    const position = await shown(page);
    await page.goto("about:blank");
    await page.goBack();
    await page.evaluate(() => (location.hash = ""));
    await page.reload();
    await page.getByRole("button", { name: "Play granero" }).click();
    await page.getByRole("button", { name: "Go on with the last game" }).click();
    await yourMove(page);
    assert.equal(await shown(page), position);
    await page.getByRole("button", { name: "End the game" }).click();
    await page.locator("#review").waitFor();
    assert.ok(await page.locator("#match").isHidden());
    await page.getByRole("button", { name: "Play granero" }).click();
    await page.getByRole("button", { name: "Begin" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Go on with the last game" }).count(), 0);
  }));

test("a position for the third time ends the game", () =>
  // The two seeds run round the board.
  visit({ hash: "rules=abapa&cycles=split&p=0-0-0-0-0-1-0-0-0-0-0-1-23-23-S&play=south-8" }, async (page) => {
    await yourMove(page);
    for (let isOn = true; isOn; isOn = await playOn(page));
    await page.locator("#match").getByText("Nobody has won. A draw, 24 to 24.").waitFor();
    await page.locator("#match").getByText("The position occurred three times").waitFor();
  }));

test("rules without tables are played, too", { skip: !served && "the same player" }, () =>
  visit({ hash: "rules=italian&p=4-4-4-4-4-4-4-4-4-4-4-4-0-0-S&play=north-5" }, async (page) => {
    await yourMove(page);
    assert.equal(await length(page), 1);
    await page.keyboard.press("h");
    await page.getByText("that is not proven").first().waitFor();
  }));

test("the verdict says where the best move is easy to miss, as granero does", async () => {
  for (const [depth, isEasy] of [[2, false], [6, true]]) {
    const { examples } = ask("find", "--layer", "8", "--difficulty", String(depth), "--random", "1", "--seed", "3");
    const [{ position, difficulty }] = examples;
    assert.equal(difficulty.easy_to_miss, isEasy);
    await visit({ hash: `p=${position.join("-")}-20-20-S` }, async (page) => {
      await page.locator("#line .summary").waitFor();
      const tag = page.locator("#result .tag", { hasText: "easy to miss" });
      if (isEasy) await tag.waitFor();
      else await page.waitForTimeout(1500);
      assert.equal(await tag.count(), Number(isEasy));
    });
  }
});
