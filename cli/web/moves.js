// The legal moves with what they are worth, the best first.

import { html, redraw } from "./dom.js";
import { t } from "./i18n.js";
import { givenAway, rangeText } from "./phrases.js";
import { preferences } from "./preferences.js";
import { firstHouse, LETTERS } from "./situation.js";
import { bounds, finals, seedsText, short } from "./worth.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */
/** @typedef {import("./api.js").Move} Move */
/** @typedef {import("./worth.js").Score} Score */

/** @param {HTMLElement} element @param {Explorer} explorer */
export function showMoves(element, explorer) {
  const { answer } = explorer;
  if (!answer) return redraw(element, html("p", { class: "quiet" }, "…"));
  if (answer.over) return redraw(element, html("p", { class: "quiet" }, t("moves.none")));
  if (!preferences.values) return redraw(element, html("p", { class: "quiet" }, t("result.howToShow")));
  const heads = ["move", "captures", "value", "score", "gives"];
  const head = heads.map((key) => html("th", { scope: "col" }, t(`moves.${key}`)));
  redraw(
    element,
    html(
      "table",
      { class: "moves" },
      html("thead", {}, html("tr", {}, ...head)),
      html("tbody", {}, ...answer.moves.map((move) => row(explorer, move))),
    ),
    html("p", { class: "quiet" }, t("moves.note")),
  );
}

/** @param {Explorer} explorer @param {Move} move */
function row(explorer, move) {
  const { now, selected } = explorer;
  const house = firstHouse(now.toMove) + LETTERS.indexOf(move.house);
  const worth = bounds(move);
  const lost = explorer.answer ? givenAway(explorer.answer, move) : null;
  const button = html(
    "button",
    {
      type: "button",
      class: "chip",
      "data-key": `move-${LETTERS[house]}`,
      "aria-pressed": String(selected === house),
      "aria-label": t("moves.show", { house: LETTERS[house] }),
    },
    LETTERS[house],
  );
  return html(
    "tr",
    {
      class: `${move.best ? "best" : ""} ${selected === house ? "selected" : ""}`,
      onclick: () => explorer.select(house),
    },
    html("td", {}, button, move.best ? html("span", { class: "star", title: t("moves.best") }, "★") : null),
    html("td", {}, move.captured ? String(move.captured) : "–"),
    html("td", { class: "value" }, short(worth)),
    html("td", { class: "scores" }, ...(worth ? scores(finals(now, worth)) : ["?"])),
    html("td", { class: "lost" }, lost ? seedsText(lost) : lost === 0 && !move.best ? "0" : ""),
  );
}

/** Two ranges stand below each other where there is little room. @param {[Score, Score]} scores */
const scores = ([low, high]) => [
  html("span", {}, `${rangeText(low.S, high.S)} :`), " ", html("span", {}, rangeText(high.N, low.N)),
];
