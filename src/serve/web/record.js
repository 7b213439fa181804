// The moves of the game, and what each gave away.

import { html, redraw } from "./dom.js";
import { t } from "./i18n.js";
import { givenAway, givenAwayAtLeast } from "./phrases.js";
import { preferences } from "./preferences.js";
import { LETTERS, sum, write } from "./situation.js";
import { bounds, provenBounds, seedsText, short, shortProven, UNKNOWN } from "./worth.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */

/** @param {HTMLElement} element @param {Explorer} explorer */
export function showRecord(element, explorer) {
  const { game } = explorer;
  if (game.length === 0) return redraw(element, html("p", { class: "quiet" }, t("record.none")));
  const start = html("button", {
    type: "button",
    class: `chip ${game.at === 0 ? "now" : ""}`,
    "data-key": "record-start",
    onclick: () => explorer.go(0),
  }, t("record.start"));
  const pairs = [html("li", {}, start)];
  // South's moves are in the first column, as on a score sheet.
  for (let move = game.start.toMove === "S" ? 0 : -1; move < game.length; move += 2) {
    pairs.push(html("li", {}, `${pairs.length}.`, cell(explorer, move), cell(explorer, move + 1)));
  }
  redraw(
    element,
    html("ol", { class: "record" }, ...pairs),
    html("p", { class: "notation" }, html("code", {}, `${write(game.start)} ${game.letters}`)),
  );
  scrollTo(element.querySelector("ol"), element.querySelector(".now"));
}

/** @param {Explorer} explorer @param {number} number */
function cell(explorer, number) {
  const { game } = explorer;
  const house = game.houses[number];
  if (house === undefined) return number < 0 ? "…" : null;
  const captured = game.captures[number];
  const situation = game.situations[number];
  const answer = preferences.values ? explorer.answerOf(situation) : undefined;
  const move = answer?.moves.find(({ house: letter }) => letter === LETTERS[house % 6]);
  const exact = answer && move ? givenAway(answer, move) : null;
  const lost = exact ?? (answer && move ? givenAwayAtLeast(answer, move) : 0);
  const proven = move ? provenBounds(move) : null;
  const value = proven ? shortProven(proven, sum(situation.houses)) : short(move ? bounds(move) : null);
  const key = exact === null ? "move.givesAtLeast" : "move.gives";
  return html(
    "button",
    {
      type: "button",
      class: `chip ${game.at === number + 1 ? "now" : ""}`,
      "data-key": `record-${number}`,
      "aria-current": game.at === number + 1 ? "step" : undefined,
      title: lost ? t(key, { n: lost, seeds: seedsText(lost) }) : undefined,
      onclick: () => explorer.go(number + 1),
    },
    html("span", {}, LETTERS[house], captured ? html("b", {}, `+${captured}`) : null),
    value === UNKNOWN ? null : html("small", {}, value),
    lost ? html("small", { class: "lost" }, `▼${exact === null ? "≥" : ""}${seedsText(lost)}`) : null,
  );
}

/** Scrolls the list, but never the page. @param {Element | null} list @param {Element | null} item */
function scrollTo(list, item) {
  if (!(list instanceof HTMLElement) || !(item instanceof HTMLElement)) return;
  list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2;
}
