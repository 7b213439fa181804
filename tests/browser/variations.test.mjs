// The tree of variations, and addresses that restore it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, badges, here, house, query, shown, start, TEMPTING, visit } from "./explorer.mjs";

start({ split: 9, "own-side": 8 });

const record = (page) => page.locator("#record");
const moves = (page) => new URL(page.url().replace("#", "?")).searchParams.get("moves");

test("a click on a line goes there at once, and the game stays", () =>
  visit({ hash: `p=${TEMPTING}&moves=Fa`, reducedMotion: "no-preference" }, async (page) => {
    await badges(page);
    await page.keyboard.press("Home");
    await page.locator("#line .summary").waitFor();
    const { moves: line } = ask("line", "--prove", "off", "--db", here.db, TEMPTING);
    // The line of this position, after the one of the former.
    await page.waitForFunction((letters) =>
      [...document.querySelectorAll("#line .chip")].map(({ childNodes }) => childNodes[1].textContent).join("") === letters,
    line.map(({ move }) => move).join(""));
    const sixth = page.locator("#line .chip").nth(5);
    // The pointer shows what it leads to, and nothing more.
    const position = new RegExp(`^${line[5].position.join("-")}`);
    await sixth.hover();
    await page.locator(".board.preview").waitFor();
    assert.match(await shown(page), position);
    assert.equal(moves(page), "Fa");
    await page.mouse.move(0, 0);
    await page.locator(".board.preview").waitFor({ state: "detached" });
    assert.equal(await shown(page), TEMPTING);
    await sixth.click();
    const six = line.slice(0, 6).map(({ move }) => move).join("");
    assert.equal(moves(page), `F(${six})a`);
    // Also when the next line has come, below the pointer.
    await page.waitForFunction((letter) => document.querySelector("#line .chip")?.childNodes[1].textContent === letter, line[6].move);
    assert.match(await shown(page), position);
    assert.equal(await page.locator(".hand").count(), 0);
    assert.equal(await record(page).locator(".variation .chip").count(), 6);
  }));

test("variations are promoted, deleted and commented, and the address restores them", () =>
  visit({ hash: `p=${TEMPTING}&moves=Fa` }, async (page) => {
    await badges(page);
    await page.keyboard.press("Home");
    await house(page, "A").click();
    await page.waitForURL(/moves=F\(A\)a&at=2/);
    await record(page).getByRole("button", { name: "Comment" }).click();
    await page.getByLabel("About A").fill("better {than} F");
    await page.getByRole("button", { name: "Save" }).click();
    await record(page).getByText("better than F").waitFor();
    await page.reload();
    await badges(page);
    await record(page).locator(".variation").getByText("better than F").waitFor();
    await record(page).locator(".now", { hasText: /^A\+2$/ }).waitFor();
    await record(page).getByRole("button", { name: "Promote variation" }).click();
    assert.equal(moves(page), "A{better than F}(Fa)");
    assert.equal(await record(page).getByRole("button", { name: "Promote variation" }).count(), 0);
    await page.goBack();
    assert.equal(moves(page), "F(A{better than F})a");
    await page.goForward();
    await record(page).locator(".variation .chip").first().click();
    await record(page).getByRole("button", { name: "Delete from here" }).click();
    assert.equal(moves(page), "A{better than F}");
    assert.equal(await shown(page), TEMPTING);
  }));

for (const [field, message, hash] of [
  ["p", "is not a position", "rules=abapa&p=2-1-1-1-4-1-1-1-0-0-0-2-17-17"],
  ["p", "is not a position", "p=2-1-1-1-4-1-1-1-0-0-0-2-17-16-S&moves=A"],
  ["puzzle", "there is no such puzzle", `p=${TEMPTING}&puzzle=99999`],
  ["puzzle", "there is no such puzzle", "puzzle=5000"],
  ["puzzle", "there is no such puzzle", `rules=abapa&cycles=split&p=${TEMPTING}&puzzle=3`],
  ["play", "has no meaning here", `p=${TEMPTING}&play=south-99`],
  ["moves", "not all of these moves can be played", `p=${TEMPTING}&moves=FaZz`],
  ["moves", "not all of these moves can be played", `p=${TEMPTING}&moves=Fa(C`],
  ["moves", "not all of these moves can be played", "p=1-1-0-2-4-0-0-0-0-0-0-0-20-20-S&moves=AaB"],
  ["at", "has no meaning here", `p=${TEMPTING}&moves=Fa&at=7`],
  ["rules", "has no meaning here", `rules=chess&p=${TEMPTING}`],
  ["cycles", "has no meaning here", `cycles=none&p=${TEMPTING}`],
  ["layer", "has no meaning here", `rules=abapa&cycles=split&p=${TEMPTING}&view=statistics&layer=40`],
  ["q", "has no meaning here", "q=1-0-2-0-1-2-0-1-0-0-0-1-20-20-S"],
]) {
  test(`a damaged link is kept, and says what is wrong: ${hash.slice(-30)}`, () =>
    visit({ hash }, async (page) => {
      const alert = page.locator("#damage");
      await alert.getByText(message).waitFor();
      const text = new URLSearchParams(hash).get(field);
      assert.ok((await alert.textContent()).includes(`“${field}=${text}”`), await alert.textContent());
      // All answers have come.
      if (!hash.includes("statistics")) await badges(page);
      await page.waitForLoadState("networkidle");
      assert.equal(decodeURIComponent(new URL(page.url()).hash), `#${hash}`);
      await page.locator("#to-board").click();
      await page.keyboard.press("t");
      await alert.waitFor({ state: "hidden" });
      assert.match(page.url(), /p=.*turned=1/);
    }));
}

test("a sound link is not called damaged, and a damaged one is left behind", () =>
  visit({ hash: `p=${TEMPTING}&moves=F(A{better; than} [F]!)a&at=2` }, async (page) => {
    await badges(page);
    assert.ok(await page.locator("#damage").isVisible());
    await page.evaluate((hash) => (location.hash = hash), `p=${TEMPTING}&moves=F(A{better; than [F]!})a&at=2`);
    await page.locator("#damage").waitFor({ state: "hidden" });
    await badges(page);
    assert.equal(moves(page), "F(A{better; than [F]!})a");
    await page.evaluate(() => (location.hash = "p=1"));
    await page.locator("#damage").waitFor();
    await page.goBack();
    await page.locator("#damage").waitFor({ state: "hidden" });
    assert.equal(moves(page), "F(A{better; than [F]!})a");
  }));

test("moves of an address that the rules do not allow are left out", () =>
  visit({ hash: "p=1-1-0-2-4-0-0-0-0-0-0-0-20-20-S&moves=D(Ee)(Fa)(B)A" }, async (page) => {
    await badges(page);
    // North has no seeds, and only E gives some; F is empty, and e belongs to nobody who gets a turn.
    assert.equal(query("1-1-0-2-4-0-0-0-0-0-0-0-20-20-S").moves.map(({ house }) => house).join(), "E");
    await page.locator("#damage").getByText("not all of these moves can be played").waitFor();
    await page.waitForFunction(() => !document.querySelector("#record .notation")?.textContent?.includes("D"));
    await page.keyboard.press("t");
    await page.waitForURL(/turned=1/);
    assert.match(moves(page), /^E/);
  }));

test("with tables of both conventions the page shows both results, and remembers the choice", () =>
  visit({ hash: `p=${TEMPTING}` }, async (page) => {
    await page.getByText("By the rulebook, where each keeps").waitFor();
    const own = query(TEMPTING, "own-side").final;
    const { south: low } = own.low ?? own;
    const text = await page.locator("#reason").textContent();
    assert.ok(text.includes(`: ${low}`) && text.includes("Endless play shared equally: 25 : 23."), text);
    await page.getByLabel("Endless play").selectOption("own-side");
    await page.goto(`${here.origin}?again#p=${TEMPTING}`);
    await badges(page);
    assert.equal(await page.locator("#cycles").inputValue(), "own-side");
  }));
