// How play goes on, after the best move or the one that is selected.

import { byId, html, redraw } from "./dom.js";
import { button } from "./buttons.js";
import { t } from "./i18n.js";
import { name, result, seeds } from "./phrases.js";
import { preferences } from "./preferences.js";
import { LETTERS, owner } from "./situation.js";
import { bounds, seedsText } from "./worth.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */
/** @typedef {import("./api.js").Line} Line */
/** @typedef {import("./api.js").LineMove} LineMove */

/** @param {HTMLElement} element @param {Explorer} explorer */
export function showLine(element, explorer) {
  const { answer, line, selected, playing } = explorer;
  byId("line-title").textContent =
    selected === undefined ? t("line.best") : t("line.after", { house: LETTERS[selected] });
  const message = !answer
    ? "…"
    : answer.over
      ? t("line.over")
      : bounds(answer) === null
        ? t("line.unknown")
        : !preferences.values && !playing
          ? t("result.howToShow")
          : !line
            ? "…"
            : undefined;
  if (message !== undefined || !line) return redraw(element, html("p", { class: "quiet" }, message));
  const chips = line.moves.map((move, number) => chip(explorer, move, number));
  redraw(
    element,
    html("ol", { class: "line" }, ...chips),
    html("p", { class: "summary" }, summary(explorer, line)),
    explorer.editing ? null : html(
      "p",
      { class: "buttons" },
      button("step", "line.step", () => explorer.step()),
      playing
        ? button("pause", "line.pause", () => {
            explorer.stop();
            explorer.on.change();
          }, "line-play")
        : button("play", "line.play", () => explorer.playLine(), "line-play"),
    ),
  );
}

/** @param {Explorer} explorer @param {LineMove} move @param {number} number */
function chip(explorer, { move, captured }, number) {
  const side = owner(LETTERS.indexOf(move));
  return html(
    "li",
    {},
    html(
      "button",
      {
        type: "button",
        class: `chip ${side === "S" ? "south" : "north"}`,
        "data-key": `line-${number}`,
        title: t("line.upTo"),
        onclick: () => explorer.playLine(number + 1),
      },
      html("span", { class: "unseen" }, `${name(side)} `),
      move,
      captured ? html("b", {}, `+${captured}`) : null,
    ),
  );
}

/** What both get in the line, and how it ends. @param {Explorer} explorer @param {Line} line */
function summary({ now, cycles }, line) {
  const last = line.moves.at(-1) ?? now;
  const gained = { S: last.south - now.south, N: last.north - now.north };
  const parts = [t("line.captures", { south: name("S"), north: name("N"), a: gained.S, b: gained.N })];
  const { end, score } = line;
  if (!end || !score) return parts.join(" ");
  if (end.reason === "cycle") {
    const n = score.left;
    parts.push(t(`line.end.cycle.${cycles}`, { n, seeds: seeds(n) }));
    if (cycles !== "split") return parts.join(" ");
    return [...parts, result({ S: score.south + n / 2, N: score.north + n / 2 })].join(" ");
  }
  if (end.reason === "unexplored") return [...parts, t("line.end.unexplored")].join(" ");
  for (const side of /** @type {const} */ (["S", "N"])) {
    const kept = (side === "S" ? score.south : score.north) - (side === "S" ? last.south : last.north);
    if (kept > 0) parts.push(t("line.end.takes", { name: name(side), n: kept, seeds: seedsText(kept) }));
  }
  return [...parts, result({ S: score.south, N: score.north })].join(" ");
}
