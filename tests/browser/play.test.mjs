// Playing: values at every house, back and forward, the list of moves, the best line, addresses.

import assert from "node:assert/strict";
import { test } from "node:test";
import { badges, BEYOND, expectedBadges, house, query, served, shown, start, TEMPTING, visit } from "./explorer.mjs";

start();

test("every badge is what granero query says, all through a game", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    for (let moves = 0; moves < 12; moves++) {
      const values = await badges(page);
      const position = await shown(page);
      assert.deepEqual(values, expectedBadges(position), position);
      const best = await page.locator(".house.best").first().getAttribute("data-house");
      await house(page, best).click();
      await page.waitForFunction((before) => {
        const record = document.querySelectorAll("#record [data-key^=record-]");
        return record.length === before + 2;
      }, moves);
    }
    assert.equal(await page.locator("#record .chip.now").count(), 1);
  }));

test("a player finds the winning move and sees why the capture loses", () =>
  visit({}, async (page) => {
    // Waits for the answer.
    const values = await badges(page);
    assert.equal(await page.locator("#result").textContent(), "South wins, 25 to 23.");
    assert.deepEqual(values.A, { text: "+2", best: true });
    assert.deepEqual(values.F, { text: "−4", best: false });
    await house(page, "F").hover();
    const tip = await page.locator("#tip").textContent();
    assert.match(tip, /captures 2 seeds.*North wins, 26 to 22.*gives away 3 seeds/);
    await page.locator('[data-key="move-F"]').click();
    await page.getByRole("heading", { name: "After F" }).waitFor();
    assert.match(await page.locator("#line .summary").textContent(), /North wins, 26 to 22\.$/);
  }));

test("each move says how the game ends for the player who moves, and how far the end is", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    const row = (house) => page.locator("#moves tr", { has: page.locator(`[data-key="move-${house}"]`) }).locator(".scores");
    const { moves, distance } = query(TEMPTING);
    assert.equal(distance, 17);
    await page.getByText("The next capture or the end is 17 moves away.").waitFor();
    for (const { house, captured, position, best } of moves) {
      const after = query(position.join(" "));
      const how = best ? "wins" : "loses";
      const n = captured ? 1 : after.distance + 1;
      await page.waitForFunction(([house, text]) => document.querySelector(`[data-key="move-${house}"]`)?.closest("tr")
        ?.querySelector(".scores")?.textContent?.endsWith(text), [house, served ? ` in ${n}` : ""]);
      assert.match(await row(house).textContent(), new RegExp(`^${how} `));
    }
    // North's moves are seen by North.
    await house(page, "A").click();
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    await page.locator("#moves .outcome[data-how=lost]").first().waitFor();
    assert.equal(await page.locator("#moves .outcome[data-how=won]").count(), 0);
    await page.evaluate(() => (location.hash = "cycles=split&p=1-1-0-0-0-0-1-1-0-0-0-0-22-22-S"));
    await page.locator("#moves .outcome[data-how=drawn]").first().waitFor();
  }));

test("a house that cannot be sown says why", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    await badges(page);
    await house(page, "B").hover();
    assert.equal(await page.locator("#tip").textContent(), "B is empty.");
    assert.equal(await house(page, "B").getAttribute("aria-disabled"), "true");
    await house(page, "b").click({ force: true });
    assert.match(await page.locator("#tip").textContent(), /b belongs to North/);
    assert.match(await page.locator("#live").textContent(), /b belongs to North/);
    await page.goto(page.url().replace(/p=[^&]*/, "p=1-1-0-2-4-0-0-0-0-0-0-0-20-20-S"));
    await page.getByText("With best play South gets").waitFor();
    await house(page, "D").hover();
    assert.match(await page.locator("#tip").textContent(), /North has no seeds, and D gives none/);
  }));

test("back, forward and the list of moves go to any position", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    await badges(page);
    const first = await shown(page);
    await house(page, "F").click();
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    const second = await shown(page);
    assert.notEqual(second, first);
    // The loss of the capture is shown next to it.
    await page.locator("#record .lost", { hasText: "3" }).waitFor();
    await page.getByRole("button", { name: "Back" }).click();
    assert.equal(await shown(page), first);
    await page.getByRole("button", { name: "Forward" }).click();
    assert.equal(await shown(page), second);
    await page.getByRole("button", { name: "Start", exact: true }).click();
    assert.equal(await shown(page), first);
    await page.goBack();
    assert.equal(await shown(page), second);
  }));

test("the best line is played to the end of the game, as granero says it ends", () =>
  visit({ hash: "p=0-1-1-1-0-2-1-1-0-0-0-1-18-22-S" }, async (page) => {
    await page.getByRole("button", { name: "Next move" }).click();
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.getByRole("heading", { name: "The game is over." }).waitFor();
    const { final } = query("0-1-1-1-0-2-1-1-0-0-0-1-18-22-S");
    assert.deepEqual(final, { south: 26, north: 22, winner: "south" });
    assert.match(await page.locator("#result").textContent(), /South wins, 26 to 22/);
  }));

test("playback can be paused", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    const moves = await page.locator("#record [data-key^=record-]").count();
    await page.waitForTimeout(1300);
    assert.equal(await page.locator("#record [data-key^=record-]").count(), moves);
  }));

test("an address restores everything", async () => {
  let address = "";
  await visit({ hash: `p=${TEMPTING}` }, async (page) => {
    await badges(page);
    await house(page, "A").click();
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    await house(page, "b").click();
    await page.getByRole("heading", { name: "South to move" }).waitFor();
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("button", { name: "Turn board" }).click();
    address = page.url();
  });
  const hash = address.slice(address.indexOf("#") + 1);
  assert.match(hash, /rules=abapa&cycles=split/);
  await visit({ hash }, async (page) => {
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    assert.equal(await page.locator("#record [data-key^=record-]").count(), 3);
    await page.locator("#record .now", { hasText: /^A\+2$/ }).waitFor();
    // The board is turned: North's houses lie below South's.
    const [north, south] = await Promise.all(
      ["a", "A"].map(async (letter) => (await house(page, letter).boundingBox()).y),
    );
    assert.ok(north > south);
    assert.deepEqual(await badges(page), expectedBadges(await shown(page)));
  });
});

test("beyond the tables one can play on, and is told how to have more", () =>
  visit({ hash: "p=4-4-4-4-4-4-4-4-4-4-4-4-0-0-S" }, async (page) => {
    await page.locator(".house.guess").first().waitFor();
    const values = await badges(page);
    // Estimates of the player, as in granero query, and marked as such wherever they are.
    const { moves, estimate } = query("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S");
    const about = (seeds) => `~${seeds < 0 ? "−" : "+"}${Math.abs(seeds).toFixed(1)}`;
    assert.deepEqual(values, Object.fromEntries(moves.map(({ house, estimate }) => [house, { text: about(estimate), best: false }])));
    assert.equal(await page.locator(".house.guess").count(), 6);
    const south = Math.round(24 + estimate / 2);
    assert.equal(await page.locator("#result").textContent(), `South about ${south}, North about ${48 - south}. estimate, not proven`);
    const rows = await page.locator("#moves .value").allTextContents();
    const sorted = moves.map(({ estimate }) => estimate).sort((a, b) => b - a);
    assert.deepEqual(rows, sorted.map((seeds) => `${about(seeds)} (estimate, not proven)`));
    await house(page, "A").hover();
    assert.match(await page.locator("#tip").textContent(), /“~.*” is an estimate, not proven\.$/);
    await page.getByText("There are 48 seeds on the board; the tables reach up to 9.").waitFor();
    await house(page, "C").click();
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    // No machine builds tables for so many seeds, so there is no advice to do it.
    assert.equal(await page.getByRole("button", { name: "How to get more tables" }).count(), 0);
    await page.goto(`${page.url().split("#")[0]}#p=${BEYOND}`);
    await page.getByRole("button", { name: "How to get more tables" }).click();
    await page.locator("#dialog code", { hasText: "granero build --seeds 15" }).first().waitFor();
  }));

test("other rules are asked with a choice; without tables they can be played all the same", () =>
  visit({ hash: "p=0-0-0-2-1-2-2-1-0-0-0-0-20-20-S" }, async (page) => {
    await badges(page);
    await page.locator("#rules").selectOption("slam-illegal");
    await page.locator("#reason", { hasText: "There are no tables for these rules here." }).waitFor();
    await house(page, "F").hover();
    assert.match(await page.locator("#tip").textContent(), /forbid a grand slam/);
    await page.locator("#rules").selectOption("abapa");
    await house(page, "F").hover();
    await page.getByText("A grand slam, which captures nothing.").waitFor();
  }));

test("an example that asks a question hides the answer until a move is played", () =>
  visit({}, async (page) => {
    await badges(page);
    await page.getByRole("button", { name: "Examples" }).click();
    await page.getByRole("button", { name: /^One move decides/ }).click();
    await page.locator("#result", { hasText: "Who wins?" }).waitFor();
    assert.equal(await page.locator(".badge.shown").count(), 0);
    await page.keyboard.press("b");
    await badges(page);
    await page.getByRole("button", { name: "Examples" }).click();
    await page.getByRole("button", { name: /^An endless cycle/ }).click();
    await badges(page);
    await page.getByRole("button", { name: "New game" }).click();
    await page.waitForURL(/p=4-4-4-4-4-4-4-4-4-4-4-4-0-0-S/);
  }));

test("random endgames lie within reach and have a choice", () =>
  visit({}, async (page) => {
    await badges(page);
    await page.getByRole("button", { name: "Random endgame" }).click();
    await page.waitForFunction((first) => !location.hash.includes(first), TEMPTING);
    const values = await badges(page);
    assert.ok(Object.values(values).every(({ text }) => text !== "…"));
    assert.deepEqual(values, expectedBadges(await shown(page)));
  }));

test("seeds are sown one by one, unless that is turned off", () =>
  visit({ hash: `p=${TEMPTING}`, reducedMotion: "no-preference" }, async (page) => {
    await badges(page);
    await house(page, "F").click();
    await page.locator(".hand").first().waitFor({ state: "attached" });
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    assert.equal(await page.locator(".hand").count(), 0);
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByLabel("Sow seed by seed").uncheck();
    await page.getByRole("button", { name: "Close" }).click();
    await page.evaluate(() => {
      new MutationObserver((changes) => {
        const added = changes.flatMap((change) => [...change.addedNodes]);
        if (added.some((node) => node.classList?.contains("hand"))) document.title = "animated";
      }).observe(document.body, { childList: true, subtree: true });
    });
    await house(page, "F").click();
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    assert.notEqual(await page.title(), "animated");
  }));
