// The best line, from the position or after the selected move. A position with bounds has a line for
// each, and one of them is chosen to be played.

import { byId, html, redraw } from "./dom.js";
import { button } from "./buttons.js";
import { t } from "./i18n.js";
import { name, result, seeds, whyHalf } from "./phrases.js";
import { LETTERS, other, owner, seenBy } from "./situation.js";
import { bounds, isCutOff, seedsText, signed } from "./value.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */
/** @typedef {import("./api.js").Line} Line */

/** The ends of lines that would go on, but are not known any further. */
const STOPS = ["unexplored", "unproven", "no-progress"];

/** What the moves of the lines lead to. @type {WeakMap<Element, import("./situation.js").Situation>} */
const situations = new WeakMap();

/** Shows the position after a move while the pointer or the focus is on it. @param {HTMLElement} element @param {Explorer} explorer */
export function listenToLine(element, explorer) {
  // After a click, another line comes to lie under the pointer that did not move.
  let clicked = "";
  const place = (/** @type {any} */ { clientX, clientY }) => `${clientX} ${clientY}`;
  element.addEventListener("click", (event) => (clicked = place(event)));
  const look = (/** @type {Event} */ event) => {
    const { type, target } = event;
    if (type === "mouseover" && place(event) === clicked) return;
    const chip = type.endsWith("out") ? null : /** @type {Element} */ (target).closest(".chip");
    if (type !== "focusin" || chip?.matches(":focus-visible")) {
      explorer.glance(chip ? situations.get(chip) : undefined);
    }
  };
  for (const type of ["mouseover", "mouseout", "focusin", "focusout"]) element.addEventListener(type, look);
}

/** @param {HTMLElement} element @param {Explorer} explorer */
export function showLine(element, explorer) {
  const { known, lines: { all: lines, selected, playing } } = explorer;
  byId("line-title").textContent =
    selected === undefined ? t("line.best") : t("line.after", { house: LETTERS[selected] });
  const message = !known
    ? "…"
    : known.over
      ? t("line.over")
      : bounds(known) === null && !lines
        ? t(isCutOff(known) ? "line.cut" : "line.unknown")
        : !explorer.values && !playing
          ? t("result.howToShow")
          : !lines
            ? "…"
            : undefined;
  if (message !== undefined || !lines) return redraw(element, html("p", { class: "quiet" }, message));
  redraw(
    element,
    ...(lines.length === 1 ? whole(explorer, lines[0]) : lines.map((line) => choice(explorer, line))),
    explorer.editing ? null : html(
      "p",
      { class: "buttons" },
      button("step", "line.step", () => explorer.lines.step()),
      playing
        ? button("pause", "line.pause", () => {
            explorer.lines.stop();
            explorer.on.change();
          }, "line-play")
        : button("play", "line.play", () => explorer.lines.play(), "line-play"),
    ),
  );
}

/** Shows the moves of a line and its end. @param {Explorer} explorer @param {Line} line */
const whole = (explorer, line) => [
  html("ol", { class: "line" }, ...chips(explorer, line)),
  html("p", { class: "summary" }, summary(explorer, line)),
];

/** Shows one of two lines, with its bound. @param {Explorer} explorer @param {Line} line */
function choice(explorer, line) {
  const { answer, lines } = explorer;
  const { selected } = lines;
  const of = selected === undefined ? answer : explorer.moveOf(selected);
  const chosen = line === lines.chosen;
  const favoured = /** @type {import("./situation.js").Side} */ (lines.favours(line));
  const value = signed(Number(of?.[line.bound ?? "low"] ?? line.value));
  return html(
    "div",
    { class: `choice ${chosen ? "chosen" : ""}` },
    html("button", {
      type: "button",
      "data-key": `line-${line.bound}`,
      "aria-pressed": String(chosen),
      onclick: () => lines.choose(line),
    }, t(`line.${line.bound}`, { value, name: name(favoured) })),
    ...whole(explorer, line),
  );
}

/** @param {Explorer} explorer @param {Line} line */
function chips(explorer, line) {
  const { from = Infinity, differences, counts } = line.end ?? {};
  return line.moves.flatMap(({ move, captured, position, south, north }, number) => {
    const side = owner(LETTERS.indexOf(move));
    const toMove = other(side);
    // The last move leads back to the first position of the cycle.
    const difference = number >= from ? differences?.[(number + 1 - from) % differences.length] : undefined;
    const chip = html(
      "button",
      {
        type: "button",
        class: `chip ${side === "S" ? "south" : "north"}`,
        "data-key": `line-${line.bound}-${number}`,
        title: t("line.upTo"),
        onclick: () => explorer.lines.follow(line, number + 1),
      },
      html("span", { class: "unseen" }, `${name(side)} `),
      move,
      captured ? html("b", {}, `+${captured}`) : null,
      difference === undefined ? null
        : html("small", { class: difference === counts ? "counts" : "" }, signed(difference)),
    );
    situations.set(chip, { houses: seenBy(position, toMove), south, north, toMove });
    const round = number === from ? [html("li", { class: "round", "aria-hidden": "true" }, "↻")] : [];
    return [...round, html("li", {}, chip)];
  });
}

/** Says what both get in the line, and how it ends. @param {Explorer} explorer @param {Line} line */
function summary({ now }, line) {
  const last = line.moves.at(-1) ?? now;
  const gained = { S: last.south - now.south, N: last.north - now.north };
  const parts = [t("line.captures", { south: name("S"), north: name("N"), a: gained.S, b: gained.N })];
  const { end, score } = line;
  if (!end || !score) return parts.join(" ");
  if (end.reason === "cycle") {
    const { toMove } = now;
    const n = score.left;
    const ahead = end.counts ?? 0;
    const names = { name: name(toMove), other: name(other(toMove)) };
    const how = end.counts === undefined ? "split" : "own-side";
    parts.push(t(`line.end.cycle.${how}`, { n, seeds: seeds(n), ...names, value: signed(ahead) }));
    const souths = (n + (toMove === "S" ? ahead : -ahead)) / 2;
    const final = result({ S: score.south + souths, N: score.north + n - souths });
    return [...parts, final, whyHalf(final)].filter(Boolean).join(" ");
  }
  if (STOPS.includes(end.reason)) return [...parts, t(`line.end.${end.reason}`)].join(" ");
  for (const side of /** @type {const} */ (["S", "N"])) {
    const kept = (side === "S" ? score.south : score.north) - (side === "S" ? last.south : last.north);
    if (kept > 0) parts.push(t("line.end.takes", { name: name(side), n: kept, seeds: seedsText(kept) }));
  }
  return [...parts, result({ S: score.south, N: score.north })].join(" ");
}
