// The legal moves with their values, the best first.

import { html, redraw } from "./dom.js";
import { t } from "./i18n.js";
import { givenAway, givenAwayAtLeast, outcome, rangeText, scoresText, whyHalf } from "./phrases.js";
import { firstHouse, LETTERS, sum } from "./situation.js";
import {
  about, bounds, certainBounds, finals, isCutOff, isOpen, provenBounds, seedsText, UNKNOWN, valueText,
} from "./value.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */
/** @typedef {import("./api.js").Move} Move */
/** @typedef {import("./value.js").Score} Score */

/** @param {HTMLElement} element @param {Explorer} explorer */
export function showMoves(element, explorer) {
  const { answer } = explorer;
  if (!answer) return redraw(element, html("p", { class: "quiet" }, "…"));
  if (answer.over) return redraw(element, html("p", { class: "quiet" }, t("moves.none")));
  if (!explorer.values) return redraw(element, html("p", { class: "quiet" }, t("result.howToShow")));
  const heads = ["move", "captures", "value", "score", "gives"];
  const head = heads.map((key) => html("th", { scope: "col" }, t(`moves.${key}`)));
  const rows = answer.moves.map((move) => row(explorer, move));
  const half = rows.map((row) => whyHalf(row.textContent)).find(Boolean);
  redraw(
    element,
    html(
      "table",
      { class: "moves" },
      html("thead", {}, html("tr", {}, ...head)),
      html("tbody", {}, ...rows),
    ),
    html("p", { class: "quiet note" }, t("moves.note")),
    half ? html("p", { class: "quiet" }, half) : null,
    answer.moves.some(({ estimate }) => estimate !== undefined)
      ? html("p", { class: "quiet" }, html("span", { class: "estimated" }, "~ "), t("review.estimate"))
      : null,
    answer.moves.some((move) => provenBounds(move) && !isOpen(move, answer.seeds))
      ? html("p", { class: "quiet" }, t(answer.moves.some(isCutOff) ? "cut.note" : "proven.note"))
      : null,
  );
}

/** @param {Explorer} explorer @param {Move} move */
function row(explorer, move) {
  const { now, lines: { selected } } = explorer;
  const house = firstHouse(now.toMove) + LETTERS.indexOf(move.house);
  const certain = certainBounds(move, sum(now.houses));
  const lost = explorer.answer ? givenAway(explorer.answer, move) : null;
  const least = explorer.answer && lost === null ? givenAwayAtLeast(explorer.answer, move) : 0;
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
      onclick: () => explorer.lines.select(house),
    },
    html("td", {}, button, move.best ? html("span", { class: "star", title: t("moves.best") }, "★") : null),
    html("td", {}, move.captured ? String(move.captured) : "–"),
    html("td", { class: "value" }, ...valueOf(move, sum(now.houses))),
    html("td", { class: "scores" }, ...(certain ? result(explorer, move, certain) : [UNKNOWN])),
    html(
      "td",
      { class: "lost" },
      lost ? seedsText(lost) : least ? `≥${seedsText(least)}` : lost === 0 && !move.best ? "0" : "",
    ),
  );
}

/** Shows a value: with a mark if it is not exact, or the estimate in its place if nothing is known.
 * @param {Move} move @param {number} n the seeds on the board */
function valueOf(move, n) {
  const { estimate } = move;
  const value = valueText(move, n);
  if (bounds(move) || (value === UNKNOWN && estimate === undefined)) return [value];
  const [kind, text, tag] = estimate === undefined
    ? ["proven", value, isCutOff(move) ? "cut.tag" : "proven.tag"] : ["estimated", about(estimate), "estimate.tag"];
  return [html("span", { class: kind }, text), html("span", { class: "unseen" }, ` (${t(tag)})`)];
}

/** Says how the game ends for the player who makes the move, with the final score, and how far the end is.
 * @param {Explorer} explorer @param {Move} move @param {import("./value.js").Bounds} value */
function result(explorer, move, value) {
  const { now, table } = explorer;
  const how = outcome(now, value);
  const isNear = bounds(move) !== null && sum(move.position) <= (table?.max_seeds ?? -1);
  const n = isNear ? explorer.knowledge.distanceAfter(move) : undefined;
  return [
    html("span", { class: "outcome", "data-how": how }, t(`outcome.${how}`)), " ", ...scores(finals(now, value)),
    n === undefined ? null : html("small", { class: "quiet", title: t("distance", { n }) }, " ", t("distance.short", { n })),
  ];
}

/** Puts two ranges below each other where there is little room. @param {[Score, Score]} scores */
const scores = ([low, high]) => low.S === high.S ? [html("span", {}, scoresText([low, high]))] : [
  html("span", {}, `${rangeText(low.S, high.S)} :`), " ", html("span", {}, rangeText(high.N, low.N)),
];
