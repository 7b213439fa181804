// Reviewing a game: pasted, opened or dropped, it is judged, marked and drawn.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ask, here, query, serve, served, shown, start, visit } from "./explorer.mjs";

start();

const START = "0-2-0-1-1-0-1-0-2-0-1-0-20-20-S";
const GAME = `[South "Ama"]\n[North "Kofi"]\n[FEN "${START}"]\n\n35. B a 36. D c 37. E b 38. F d *\n`;

/** @param {any} page */
const dialog = (page) => page.getByRole("dialog");
const panel = (page) => page.locator("#review");

/** @param {any} page @param {string} text */
async function paste(page, text) {
  await page.getByRole("button", { name: "Review a game" }).click();
  await dialog(page).getByLabel("Game").fill(text);
  await dialog(page).getByRole("button", { name: "Review", exact: true }).click();
}

/** Does so in any language. @param {any} page @param {string} text */
async function review(page, text) {
  await page.locator('[data-key="tools.review"]').click();
  await dialog(page).locator("textarea").fill(text);
  await dialog(page).locator("button.main").click();
}

/** Returns how the command judges the game. */
function judgedGame() {
  const file = join(here.db, "game.ogn");
  writeFileSync(file, GAME);
  return ask("judge", file, "--db", here.db);
}

test("a pasted game has marks, a curve and a summary, as the command judges it", () =>
  visit({}, async (page) => {
    await paste(page, GAME);
    await panel(page).getByRole("heading", { name: "Review" }).waitFor();
    const judged = judgedGame();
    const labels = await panel(page).locator("ol button").evaluateAll((buttons) =>
      buttons.map((button) => button.firstChild.textContent));
    assert.deepEqual(labels, judged.moves.map(({ label }) => label));
    const symbols = { best: "", harmless: "○", "gave-away": "?", "changed-winner": "??" };
    const marks = await panel(page).locator("ol button").evaluateAll((buttons) =>
      buttons.map((button) => button.querySelector("b")?.textContent ?? ""));
    assert.deepEqual(marks, judged.moves.map((move) => symbols[move.class]));
    assert.equal(await panel(page).locator("circle").count(), marks.filter(Boolean).length);
    const rows = await panel(page).locator("tbody tr").allInnerTexts();
    assert.match(rows[0], /^Ama \(South\)\s+4\s+2\s+1\s+5$/);
    assert.match(rows[1], /^Kofi \(North\)\s+4\s+4\s+0\s+0$/);
    // It starts at the first mistake.
    const first = await panel(page).locator("[aria-current=step]").textContent();
    assert.equal(first, "35. B?? Changed who wins");
  }));

for (const [locale, beyond, only] of [
  ["en-GB", "1 move beyond the tables is not known yet.", "Only judged moves count here: 3 of 4."],
  ["es", "Aún no se sabe nada de 1 jugada fuera de las tablas.", "Aquí solo cuentan las jugadas juzgadas: 3 de 4."],
  ["ca", "Encara no se sap res de 1 jugada fora de les taules.", "Aquí només compten les jugades jutjades: 3 de 4."],
  ["fr", "On ne sait encore rien de 1 coup au-delà des tables.", "Seuls les coups jugés comptent ici : 3 sur 4."],
  ["it", "Non si sa ancora nulla di 1 mossa oltre le tabelle.", "Qui contano solo le mosse giudicate: 3 su 4."],
]) {
  test(`a summary does not pass for that of the whole game, in ${locale}`, () =>
    visit({ locale }, async (page) => {
      // The position before the first capture is beyond the tables.
      await review(page, "2-0-1-1-0-1-1-1-0-0-2-1-19-19-S FeDb");
      await panel(page).getByText(beyond).waitFor();
      assert.equal(await panel(page).locator("caption").innerText(), only);
      // A game within the tables has no such caption, and a game beyond them no summary.
      await review(page, GAME);
      await panel(page).getByText("Kofi").waitFor();
      assert.equal(await panel(page).locator("caption").count(), 0);
      await review(page, "FfBe");
      await panel(page).locator("table").waitFor({ state: "detached" });
    }));
}

test("mistakes are gone through with buttons and keys, and the curve has a scale with a name", () =>
  visit({}, async (page) => {
    await paste(page, GAME);
    await panel(page).locator("[aria-current=step]").waitFor();
    const mistakes = judgedGame().moves
      .filter(({ class: kind }) => ["changed-winner", "gave-away"].includes(kind)).map(({ label }) => label);
    assert.ok(mistakes.length > 1);
    const at = () => panel(page).locator("[aria-current=step]").evaluate((step) => step.firstChild.textContent);
    await panel(page).getByRole("button", { name: "Next mistake" }).click();
    assert.equal(await at(), mistakes[1]);
    await page.keyboard.press("n");
    assert.equal(await at(), mistakes.at(-1));
    for (const _ of mistakes) await page.keyboard.press("p");
    assert.equal(await at(), mistakes[0]);
    await page.keyboard.press("Home");
    await page.keyboard.press("n");
    assert.equal(await at(), mistakes[0]);
    await panel(page).locator(".curve text", { hasText: "South’s seeds at the end" }).waitFor();
  }));

test("a mistake becomes a question", () =>
  visit({}, async (page) => {
    await paste(page, GAME);
    await panel(page).locator("[aria-current=step]").waitFor();
    const [first] = judgedGame().moves;
    const learn = panel(page).getByRole("button", { name: "Learn from it" });
    await learn.click();
    await panel(page).getByText("35. B was a mistake. Find a better move for South.").waitFor();
    assert.equal(await shown(page), START);
    // Nothing tells the answer.
    assert.equal(await page.locator(".badge.shown").count(), 0);
    assert.ok(!(await page.locator("#board-view").textContent()).includes("Best:"));
    assert.equal(await panel(page).locator("ol, .curve").count(), 0);
    const wrong = query(START).moves.find(({ house }) => !first.best.includes(house));
    await page.keyboard.press(wrong.house);
    await panel(page).getByText(`${wrong.house} is wrong.`).waitFor();
    await panel(page).getByRole("button", { name: "Try again" }).click();
    await page.locator(".badge.shown").first().waitFor({ state: "detached" });
    await page.keyboard.press(first.best[0]);
    await panel(page).getByText(`Right: no move is better than ${first.best[0]}.`).waitFor();
    await page.locator(".badge.shown").first().waitFor();
    // Elsewhere the lesson is over.
    await learn.click();
    await page.keyboard.press("End");
    await panel(page).locator(".curve").waitFor();
    assert.equal(await panel(page).locator(".advice").count(), 0);
    await page.keyboard.press("ArrowLeft");
    await page.locator(".badge.shown").first().waitFor();
    await learn.click();
    await panel(page).getByRole("button", { name: "Show the answer" }).click();
    await page.locator(".badge.shown").first().waitFor();
    // Nothing stays hidden after the review.
    await learn.click();
    await panel(page).getByRole("button", { name: "Close" }).click();
    await page.locator(".badge.shown").first().waitFor();
  }));

test("a click leads to any move, by the list or the curve, and back from other moves", () =>
  visit({}, async (page) => {
    await paste(page, GAME);
    const move = (label) => panel(page).getByRole("button", { name: new RegExp(`^${label}`) });
    await move("36… c").click();
    const position = await shown(page);
    await panel(page).locator("rect.column").nth(0).click();
    await page.getByRole("button", { name: "Next move" }).click();
    assert.equal(await panel(page).locator("[aria-current=step]").count(), 1);
    // After another move than the recorded one the review stays, and leads back.
    await page.keyboard.press("u");
    await page.keyboard.press("e");
    assert.equal(await panel(page).locator("[aria-current=step]").count(), 0);
    await move("36… c").click();
    await panel(page).locator("[aria-current=step]").waitFor();
    assert.equal(await shown(page), position);
    await panel(page).getByRole("button", { name: "Close" }).click();
    await panel(page).waitFor({ state: "hidden" });
  }));

test("a review survives a reload with names and numbers, and is downloaded in all forms", () =>
  visit({}, async (page) => {
    await paste(page, GAME.replace("B a 36.", "B {hurried} (35. E) a 36."));
    await panel(page).getByText("Ama (South)").waitFor();
    const record = page.locator("#record");
    await record.getByText("hurried").waitFor();
    assert.equal(await record.locator(".variation .chip").count(), 1);
    await page.reload();
    await panel(page).getByText("Kofi (North)").waitFor();
    assert.equal(await panel(page).locator("[aria-current=step]").textContent(), "35. B?? Changed who wins");
    const download = async (name) => {
      await page.getByRole("button", { name: "Download" }).click();
      const saved = page.waitForEvent("download");
      await dialog(page).getByRole("button", { name }).click();
      const file = join(here.db, (await saved).suggestedFilename());
      await (await saved).saveAs(file);
      return file;
    };
    const plain = ask("judge", await download(/^Game/), "--db", here.db);
    const file = join(here.db, "asked.ogn");
    writeFileSync(file, GAME);
    const expected = ask("judge", file, "--db", here.db);
    assert.deepEqual([plain.moves, plain.south], [expected.moves, expected.south]);
    assert.deepEqual(ask("judge", await download(/^PlayStrategy/), "--db", here.db).moves, expected.moves);
    const annotated = await download(/^Annotated/);
    assert.deepEqual(ask("judge", annotated, "--db", here.db).moves, expected.moves);
    const text = readFileSync(annotated, "utf8");
    assert.match(text, /35\. B\?\? \{hurried Changed who wins\. It gives away 2 seeds\. Best: E\.\} \(35\. E\) a/);
    const svg = readFileSync(await download(/drawing/), "utf8");
    assert.match(svg, /^<svg [^]*data-house="A"/);
    const png = readFileSync(await download(/picture/));
    assert.ok(png.subarray(1, 4).toString() === "PNG" && png.length > 50_000);
    // The review follows the game.
    await record.locator(".variation .chip").click();
    await record.getByRole("button", { name: "Promote variation" }).click();
    await panel(page).locator("ol button").nth(1).waitFor({ state: "detached" });
    assert.match(await panel(page).locator("ol button").innerText(), /^35\. E$/);
  }));

test("before the tables the curve is an estimate, until something is proven", { skip: !served }, () =>
  visit({}, async (page) => {
    // The last of these moves reaches the tables.
    await paste(page, "2-0-1-1-0-1-1-1-0-0-2-1-19-19-S FeDb");
    await panel(page).getByText("Estimate, not proven").waitFor();
    const ends = await panel(page).locator("polyline").evaluateAll((lines) =>
      lines.map((line) => [line.getAttribute("class"), ...[line.points[0], line.points[line.points.length - 1]].map(({ x }) => Math.round(x))]));
    const [guess, proven] = [...ends].sort(([one], [other]) => one.localeCompare(other));
    assert.deepEqual([guess[0], proven[0]], ["estimate", "promised"]);
    // So is the verdict, there and in the list of moves; what is proven takes its place.
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.locator("#result", { hasText: /^South about \d+½?, North about \d+½?\. estimate, not proven$/ }).waitFor();
    await page.keyboard.press("End");
    await page.locator("#result", { hasText: "South wins" }).or(page.locator("#result", { hasText: "North wins" }))
      .or(page.locator("#result", { hasText: "A draw" })).first().waitFor();
    assert.equal(await page.locator("#result .guess").count(), 0);
    // From the beginning to where the proven curve begins.
    assert.equal(guess[1], 24);
    assert.equal(guess[2], proven[1]);
    await paste(page, "FfBe");
    await panel(page).getByText("No move of this game").waitFor();
    await panel(page).locator("polyline.estimate").waitFor();
    assert.equal(await panel(page).locator("polyline").count(), 1);
    assert.match(await panel(page).locator("ol button").first().getAttribute("title"), /value is not known\. South about \d+, North about \d+\.$/);
    await paste(page, GAME);
    await panel(page).getByText("Kofi").waitFor();
    assert.equal(await panel(page).locator("polyline.estimate").count(), 0);
  }));

test("files are opened and dropped, and several games are chosen from", () =>
  visit({}, async (page) => {
    const both = `${GAME}\n[South "Esi"]\n[FEN "${START}"]\n1. E a *\n`;
    await page.getByRole("button", { name: "Review a game" }).click();
    await dialog(page).getByLabel("Open a file").setInputFiles({
      name: "games.ogn", mimeType: "text/plain", buffer: Buffer.from(both),
    });
    await panel(page).getByRole("combobox").selectOption("2");
    await panel(page).getByText("Esi (South)").waitFor();
    const drop = await page.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], "game.ogn"));
      return transfer;
    }, GAME);
    await page.dispatchEvent("body", "drop", { dataTransfer: drop });
    await panel(page).getByText("Kofi (North)").waitFor();
    assert.equal(await panel(page).getByRole("combobox").count(), 0);
    // Text is dropped, too, here in PlayStrategy's form.
    const text = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.setData("text/plain", '[P1 "Ama"]\n[P2 "Esi"]\n\n1. f1c2 *');
      return transfer;
    });
    await page.dispatchEvent("body", "drop", { dataTransfer: text });
    await page.locator("#record .notation", { hasText: "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S F" }).waitFor();
    await panel(page).getByRole("heading", { name: "Review" }).waitFor();
  }));

test("what is no game is said, and the text stays", () =>
  visit({ expected: /400/ }, async (page) => {
    await paste(page, "1. F f\n2. 3 5");
    await dialog(page).getByRole("alert").getByText(/line 2, column 4: expected a move/).waitFor();
    assert.equal(await dialog(page).getByLabel("Game").inputValue(), "1. F f\n2. 3 5");
    await dialog(page).getByLabel("Game").fill("FfBe");
    await dialog(page).getByRole("button", { name: "Review", exact: true }).click();
    await panel(page).getByText("No move of this game lies within the tables.").waitFor();
  }));

for (const [what, text, message] of [
  ["braces", "{}", "There is no move in this text."],
  ["a record without moves", "[South \"Ama\"]", "There is no move in this text."],
  ["nothing", "", "expected a game, found the end of the text"],
  ["a first move that is illegal", "1-0-2-0-1-2-0-1-0-0-0-1-20-20-S B", "its move 1. B is not legal"],
]) {
  test(`${what} cannot be reviewed`, () =>
    visit({ expected: /400/ }, async (page) => {
      await paste(page, text);
      await dialog(page).getByRole("alert").getByText(message).waitFor();
      assert.ok(await panel(page).isHidden());
    }));
}

for (const [locale, note] of [
  ["en-GB", "1 move is not judged: the tables hold only what decides the game there."],
  ["es", "1 jugada no se juzga: ahí las tablas guardan solo lo que decide la partida."],
  ["ca", "1 jugada no es jutja: allà les taules guarden només el que decideix la partida."],
  ["fr", "1 coup n’est pas jugé : les tables n’y gardent que ce qui décide de la partie."],
  ["it", "1 mossa non è giudicata: lì le tabelle contengono solo ciò che decide la partita."],
]) {
  test(`what deciding tables have cut off is not shown as judged, in ${locale}`, { skip: !served }, () =>
    visit({ locale }, async (page) => {
      let left = ({ number }) => number !== 4;
      await page.route(/\/judge\?/, async (route) => {
        const answer = await (await route.fetch()).json();
        const moves = answer.moves.filter(left);
        Object.assign(answer, { extent: "deciding", cut_off: answer.moves.length - moves.length, moves });
        await route.fulfill({ json: answer });
      });
      await review(page, GAME);
      await panel(page).getByText(note).waitFor();
      assert.equal(await panel(page).locator("ol button.unknown").count(), 1);
      // No line crosses moves that are not judged.
      assert.equal(await panel(page).locator("polyline").count(), 2);
      if (locale !== "en-GB") return;
      left = () => false;
      await review(page, GAME);
      await panel(page).getByText("8 moves are not judged").waitFor();
      assert.equal(await panel(page).getByText("No move of this game").count(), 0);
    }));
}

test("the keyboard is enough", () =>
  visit({}, async (page) => {
    await page.getByRole("button", { name: "Review a game" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type(GAME);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await panel(page).getByRole("heading", { name: "Review" }).waitFor();
    await panel(page).locator("ol button").nth(0).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const here = panel(page).locator("[aria-current=step]");
    assert.match(await here.innerText(), /^35… a/);
    // The move keeps the focus although the panel was redrawn.
    assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ""), /^35… a/);
  }));

test("proofs beyond the tables come in one after the other, until the review is closed", { skip: !served }, async () => {
  const { server, origin } = await serve("--db", here.db, "--prove", "4s");
  try {
    await visit({ origin }, async (page) => {
      // C changes who wins, and so does a.
      const game = "2-0-1-1-0-1-1-1-0-0-2-1-19-19-S Ca";
      await paste(page, game);
      await panel(page).locator("ol b").nth(1).waitFor();
      await panel(page).locator("progress").waitFor({ state: "detached" });
      const marks = await panel(page).locator("ol button").evaluateAll((buttons) =>
        buttons.map((button) => button.firstChild.textContent + (button.querySelector("b")?.textContent ?? "")));
      assert.deepEqual(marks, ["1. C??", "1… a??"]);
      const rows = await panel(page).locator("tbody tr").allInnerTexts();
      assert.match(rows[0], /^South\s+1\s+0\s+1\s+≥?[1-5]$/);
      assert.match(rows[1], /^North\s+1\s+0\s+1\s+≥?[1-4]$/);
      assert.equal(await panel(page).getByText("not known yet").count(), 0);
      // No search settles the start of a game. The page says how far it is, and stops when it is closed.
      let asked = 0;
      await page.route(/\/judge\?.*time=/, async (route) => {
        asked += 1;
        const answer = await (await route.fetch()).json();
        await new Promise((resolve) => setTimeout(resolve, 400));
        await route.fulfill({ json: { ...answer, searched: asked, to_search: 7 - asked } });
      });
      await paste(page, "FfBeBc");
      await panel(page).getByText(/: [12] of 7 positions/).waitFor();
      assert.equal(await panel(page).locator("ol button.unknown").count(), 6);
      assert.equal(await panel(page).locator("ol b").count(), 0);
      await panel(page).getByRole("button", { name: "Close" }).click();
      const before = asked;
      await page.waitForTimeout(1500);
      assert.ok(asked <= before + 1 && asked < 7, `${asked} requests`);
    });
  } finally {
    server.kill();
  }
});
