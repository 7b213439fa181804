// Endless play with own-side: bounds at every house, the explanation of ranges, a line for each bound.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ask, badges, BEYOND, expectedBadges, here, house, PHONE, query, RANGE, served, short, shown, sign, start, TEMPTING, visit,
} from "./explorer.mjs";

start({ split: 8, "own-side": 8 });

const OWN_SIDE = `cycles=own-side&p=${RANGE}`;

/** Positions with exact values and with ranges, for both players. */
const POSITIONS = [
  TEMPTING,
  "1-1-0-0-0-0-1-1-0-0-0-0-22-22-S",
  "0-0-0-0-0-1-0-0-0-1-1-5-20-20-S",
  "0-0-0-1-1-5-0-0-0-0-0-1-20-20-N",
  "0-2-0-1-1-0-1-0-2-0-1-0-20-20-S",
  "1-0-2-0-0-0-0-2-0-1-1-1-18-22-N",
  "0-1-0-0-2-1-1-0-0-1-0-0-21-21-N",
  "2-0-0-1-0-0-0-0-3-0-0-1-24-17-S",
];

/** Opens a position with the current convention, and waits until it is shown. */
async function open(page, position) {
  const go = () => page.evaluate((position) => (location.hash = location.hash.replace(/p=[^&]*/, `p=${position}`)), position);
  if (served) {
    const shown = page.waitForResponse((answer) => answer.url().includes(`/line?p=${position}`));
    await go();
    await shown;
    return;
  }
  await go();
  // The page keeps the answer, so it asks once.
  await page.evaluate(async (position) => {
    const { line } = await import(new URL("api.js", document.baseURI).href);
    await line("abapa", "own-side", position);
  }, position);
}

/** Returns a line of `granero line` as the page must show it: its moves, and the differences in its cycle. */
function expectedChips({ moves, end }) {
  return moves.map(({ move, captured }, number) => {
    const place = number + 1 - end.from;
    const difference = end.reason === "cycle" && place > 0
      ? sign(end.differences[place % end.differences.length])
      : "";
    return `${move}${captured ? `+${captured}` : ""}${difference}`;
  });
}

/** Returns the chips of all lines that are shown. */
const chips = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("#line ol.line")].map((list) =>
      [...list.querySelectorAll(".chip")].map((chip) =>
        [...chip.childNodes].filter((node) => node.className !== "unseen")
          .map((node) => node.textContent).join(""))));

const lines = (position) => ask("line", "--prove", "off", "--cycles", "own-side", "--db", here.db, position).lines;

test("chosen in the switch, every badge is what granero query says", () =>
  visit({ hash: `p=${RANGE}` }, async (page) => {
    assert.deepEqual(await badges(page), expectedBadges(RANGE));
    await page.getByLabel("Endless play").selectOption("own-side");
    let ranges = 0;
    for (const position of POSITIONS) {
      await open(page, position);
      const expected = expectedBadges(position, "own-side");
      assert.deepEqual(await badges(page), expected, position);
      ranges += Number(Object.values(expected).some(({ text }) => text.includes("…")));
    }
    assert.ok(ranges >= 4);
  }));

test("a range is explained: both bounds are exact, and what each of them means", () =>
  visit({ hash: OWN_SIDE }, async (page) => {
    await page.getByText("South ends up with 24 to 26 of the 48 seeds.").first().waitFor();
    assert.deepEqual(await badges(page), {
      D: { text: "+2…+6", best: true },
      F: { text: "−6", best: false },
    });
    const { low, high } = query(RANGE, "own-side").final;
    assert.deepEqual([low.south, high.south], [24, 26]);
    await page.getByRole("button", { name: "Why a range?" }).click();
    const why = await page.locator("#dialog-body").textContent();
    assert.match(why, /the rulebook does not say which position of the cycle counts/);
    assert.match(why, /Both are exact/);
    assert.match(why, /At least \+2: South can be sure of 24 of the 48 seeds, whichever position counts/);
    assert.match(why, /At most \+6: North can make sure that South gets no more than 26, whichever/);
    await page.getByRole("button", { name: "Close" }).click();
    // An exact value needs no explanation.
    await house(page, "F").click();
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    await page.getByText("With best play North gets").waitFor();
    assert.equal(await page.getByRole("button", { name: "Why a range?" }).count(), 0);
  }));

test("each bound has its line, as granero line finds it", () =>
  visit({ hash: OWN_SIDE }, async (page) => {
    await page.locator(".choice").first().waitFor();
    const [low, high] = lines(RANGE);
    assert.deepEqual(await chips(page), [low, high].map(expectedChips));
    const texts = await page.locator(".choice").allTextContents();
    assert.match(texts[0], /^At least \+2, if the position of a cycle that is best for North counts\./);
    assert.match(texts[0], /The one that counts is 0\. A draw, 24 to 24\.$/);
    assert.match(texts[1], /^At most \+6, if the position of a cycle that is best for South counts\./);
    assert.match(texts[1], /The one that counts is \+2\. South wins, 26 to 22\.$/);
    // An exact value has one line.
    await page.locator('[data-key="move-F"]').click();
    await page.getByRole("heading", { name: "After F" }).waitFor();
    await page.locator("#line .summary").waitFor();
    assert.equal(await page.locator(".choice").count(), 0);
    assert.match(await page.locator("#line .summary").textContent(), /North wins, 28 to 20\.$/);
  }));

test("the bounds of a move are those of the other player, the other way round", () =>
  visit({ hash: OWN_SIDE }, async (page) => {
    await page.locator('[data-key="move-D"]').click();
    await page.getByRole("heading", { name: "After D" }).waitFor();
    await page.locator(".choice").first().waitFor();
    const [position] = query(RANGE, "own-side").moves.map(({ position }) => position);
    const next = [...position.slice(6), ...position.slice(0, 6), 20, 22, "N"].join("-");
    const later = lines(next).reverse().map(({ moves, end }) => expectedChips({
      moves: [{ move: "D", captured: 0 }, ...moves],
      end: { ...end, from: end.from + 1, differences: end.differences?.map((difference) => -difference) },
    }));
    assert.deepEqual(await chips(page), later);
    const texts = await page.locator(".choice").allTextContents();
    assert.match(texts[0], /^At least \+2, .* best for North counts\..*A draw, 24 to 24\.$/);
    assert.match(texts[1], /^At most \+6, .* best for South counts\..*South wins, 26 to 22\.$/);
  }));

test("the line that is chosen is played, and stays chosen for both players", () =>
  visit({ hash: OWN_SIDE }, async (page) => {
    await page.locator(".choice").first().waitFor();
    const chosen = () => page.locator(".choice.chosen").textContent();
    assert.match(await chosen(), /^At least \+2/);
    await page.getByRole("button", { name: "At most +6" }).click();
    assert.match(await chosen(), /^At most \+6/);
    await page.getByRole("button", { name: "Next move" }).click();
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    await page.getByRole("button", { name: /^At least −6, .* best for South/ }).waitFor();
    assert.match(await chosen(), /^At least −6/);
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("heading", { name: "South to move" }).waitFor();
    const [, high] = lines(RANGE);
    await page.locator('[data-key="line-high-4"]').click();
    await page.waitForFunction(() => document.querySelectorAll("#record [data-key^=record-]").length === 6);
    const played = await page.locator("#record .notation").textContent();
    assert.equal(played, `${RANGE} ${high.moves.slice(0, 5).map(({ move }) => move).join("")}`);
  }));

test("an address restores the convention, and going back leaves it", () =>
  visit({ hash: OWN_SIDE }, async (page) => {
    await badges(page);
    await house(page, "D").click();
    await page.getByRole("heading", { name: "North to move" }).waitFor();
    assert.match(page.url(), /cycles=own-side.*moves=D/);
    const own = await badges(page);
    assert.deepEqual(own, expectedBadges(await shown(page), "own-side"));
    await page.reload();
    assert.deepEqual(await badges(page), own);
    assert.equal(await page.locator("#cycles").inputValue(), "own-side");
    await page.locator("#cycles").selectOption("split");
    await page.waitForURL(/cycles=split/);
    const split = expectedBadges(await shown(page));
    await page.waitForFunction(() => !document.querySelector("#board")?.textContent?.includes("…"));
    assert.deepEqual(await badges(page), split);
    await page.goBack();
    await page.waitForURL(/cycles=own-side/);
    assert.equal(await page.locator("#cycles").inputValue(), "own-side");
  }));

test("statistics have both bounds, how far they are apart, and what is undecided", () =>
  visit({ hash: "view=statistics&cycles=own-side&layer=8" }, async (page) => {
    await page.locator(".layers").waitFor();
    const { layers } = ask("stats", "--cycles", "own-side", "--db", here.db);
    // In granero stats, positions are won, drawn or lost whichever position of a cycle counts.
    const rows = await page.locator(".layers tbody tr").evaluateAll((rows) =>
      rows.map((row) => [...row.children].slice(0, 7).map((cell) => Number(cell.textContent.replaceAll(",", "")))));
    assert.deepEqual(rows, layers.map(({ seeds, positions, wins, draws, losses, exact }) =>
      [seeds, positions, wins, draws, losses, positions - wins - draws - losses, exact]));
    const { histogram, high, positions, exact } = layers[8];
    for (const [choice, expected, name] of [
      ["Lower bound", histogram, sign],
      ["Upper bound", high.histogram, sign],
      ["Width of the range", high.gaps, String],
    ]) {
      await page.getByRole("button", { name: choice }).click();
      const bars = await page.locator("figure").first().locator(".bar title").allTextContents();
      assert.deepEqual(bars.map((text) => text.replace(/ .*/, "")), expected.map(([value, count]) =>
        `${name(value)}: ${count.toLocaleString("en")}`.replace(/ .*/, "")), choice);
      assert.ok(bars.every((text, i) => text.includes(` ${expected[i][1].toLocaleString("en")} (`)), choice);
    }
    const share = `${Math.round((1000 * exact) / positions) / 10}%`;
    await page.getByText(`${share} have one exact value`).waitFor();
    await page.getByText("Undecided").first().waitFor();
    // Values have no bounds.
    await page.locator("#cycles").selectOption("split");
    await page.getByText("Mean value").waitFor();
    assert.equal(await page.getByRole("button", { name: "Upper bound" }).count(), 0);
  }));

test("the longest badges fit under their houses", { skip: !served }, async () => {
  for (const options of [PHONE, {}]) {
    await visit({ ...options, hash: "cycles=own-side&p=1-1-1-1-1-1-0-0-0-0-0-1-20-21-S" }, async (page) => {
      await badges(page);
      // Wider than any in small tables.
      await page.route(/position\?/, async (route) => {
        const answer = await (await route.fetch()).json();
        for (const value of [answer, ...answer.moves]) Object.assign(value, { low: -10, high: 12 });
        await route.fulfill({ json: answer });
      });
      await page.reload();
      await page.locator(".badge-text", { hasText: short({ low: -10, high: 12 }) }).first().waitFor();
      const boxes = await page.locator(".badge.shown").evaluateAll((badges) =>
        badges.map((badge) => {
          const [rect, text] = ["rect", "text"].map((part) =>
            badge.querySelector(part)?.getBoundingClientRect().toJSON());
          return { rect, text };
        }));
      assert.ok(boxes.length >= 3);
      boxes.sort((a, b) => a.rect.left - b.rect.left).forEach(({ rect, text }, i) => {
        assert.ok(rect.left < text.left && text.right < rect.right);
        assert.ok(i === 0 || boxes[i - 1].rect.right <= rect.left);
      });
    });
  }
});

test("beyond the tables the page says how to have more of these", { skip: !served }, () =>
  visit({ hash: `cycles=own-side&p=${BEYOND}` }, async (page) => {
    await page.getByText("There are 12 seeds on the board; the tables reach up to 8.").waitFor();
    await page.locator(".house.guess").first().waitFor();
    const found = Object.values(await badges(page));
    assert.ok(found.length === 5 && found.every(({ text, best }) => text.startsWith("~") && !best));
    await page.getByRole("button", { name: "How to get more tables" }).click();
    assert.deepEqual(await page.locator("#dialog code").allTextContents(),
      ["granero build --seeds 15 --cycles own-side --db DIR"]);
    await page.getByRole("button", { name: "Close" }).click();
    await page.locator("#rules").selectOption("italian");
    await page.locator("#cycles").selectOption("own-side");
    await page.locator("#reason", { hasText: "There are no tables for these rules here." }).waitFor();
    await page.getByRole("button", { name: "How to get more tables" }).click();
    assert.deepEqual(await page.locator("#dialog code").allTextContents(), [
      "granero build --seeds 15 --rules italian --cycles own-side --db granero-italian",
      "granero serve --db granero-italian",
    ]);
  }));
