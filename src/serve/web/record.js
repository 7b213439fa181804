// The moves of the game and its variations, what each gave away, and comments.

import { button } from "./buttons.js";
import { close, open } from "./dialogs.js";
import { html, redraw, reveal } from "./dom.js";
import { forkOf } from "./game.js";
import { t } from "./i18n.js";
import { givenAway, givenAwayAtLeast } from "./phrases.js";
import { LETTERS, owner, sum, write } from "./situation.js";
import { seedsText, UNKNOWN, valueText } from "./value.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */
/** @typedef {import("./game.js").Ply} Ply */

/** @param {HTMLElement} element @param {Explorer} explorer */
export function showRecord(element, explorer) {
  const { game } = explorer;
  const { main, root, ply } = game;
  if (root.children.length === 0) return redraw(element, html("p", { class: "quiet" }, t("record.none")));
  const places = new Map(game.plies.map((ply, place) => [ply, place]));
  const cell = (/** @type {Ply} */ ply) => chip(explorer, ply, Number(places.get(ply)) - 1);
  const start = html("button", {
    type: "button",
    class: `chip ${ply === root ? "now" : ""}`,
    "data-key": "record-start",
    onclick: () => explorer.go(0),
  }, t("record.start"));
  const items = [html("li", {}, start, note(root))];
  let round = game.first - 1;
  let goesOn = false;
  for (const ply of main.slice(1)) {
    // South's moves are in the first column, as on a score sheet.
    const isSouths = owner(ply.house) === "S";
    if (isSouths || ply === main[1]) round += 1;
    if (isSouths || !goesOn) items.push(html("li", {}, `${round}${isSouths ? "." : "…"}`));
    items.at(-1)?.append(cell(ply), note(ply) ?? "");
    const others = ply.parent?.children.slice(1) ?? [];
    items.push(...others.map((other) => html("li", { class: "variation" },
      html("span", { class: "unseen" }, t("record.variation")), ...variation(other, round, cell))));
    goesOn = others.length === 0;
  }
  redraw(
    element,
    html("ol", { class: "record" }, ...items),
    actions(explorer),
    html("p", { class: "notation" }, html("code", {}, `${write(game.start)} ${game.letters}`)),
  );
  reveal(element.querySelector("ol"), element.querySelector(".now"));
}

/** Shows a variation in a row, with its own variations in parentheses.
 * @param {Ply} first
 * @param {number} round the number of its first round
 * @param {(ply: Ply) => HTMLElement} cell @returns {(Node | string | null)[]} */
function variation(first, round, cell) {
  /** @type {(Node | string | null)[]} */
  const row = [];
  for (let ply = /** @type {Ply | undefined} */ (first); ply; ply = ply.children[0]) {
    const isSouths = owner(ply.house) === "S";
    if (isSouths && ply !== first) round += 1;
    row.push(isSouths ? `${round}.` : ply === first ? `${round}…` : null, cell(ply), note(ply));
    if (ply === first) continue;
    for (const other of ply.parent?.children.slice(1) ?? []) {
      row.push("(", ...variation(other, round, cell), ")");
    }
  }
  return row;
}

/** Shows the comment on a move. @param {Ply} ply */
const note = ({ comment }) => (comment ? html("span", { class: "comment" }, comment) : null);

/** What can be done with the move that is shown. @param {Explorer} explorer */
function actions(explorer) {
  const { game } = explorer;
  const { ply } = game;
  const change = (/** @type {() => void} */ act) => () => {
    act();
    explorer.on.change();
  };
  return html("p", { class: "buttons small" },
    button("comment", "record.comment", () => askComment(explorer)),
    forkOf(ply) ? button("promote", "record.promote", change(() => game.promote(ply))) : null,
    ply.parent ? button("clear", "record.delete", change(() => game.remove(ply))) : null);
}

/** @param {Explorer} explorer */
function askComment(explorer) {
  const { game } = explorer;
  const { ply } = game;
  const field = /** @type {HTMLTextAreaElement} */ (html("textarea", { id: "comment", rows: 3, maxlength: 600 }));
  field.value = ply.comment;
  open(t("record.comment"), html("form", {
    class: "review-form",
    onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      game.comment(ply, field.value);
      close();
      explorer.on.change();
    },
  },
    html("label", { for: "comment" },
      ply.parent ? t("record.commentOn", { house: LETTERS[ply.house] }) : t("record.start")),
    field,
    html("p", { class: "buttons" }, html("button", { class: "button main" }, t("record.save")))));
  field.focus();
}

/** @param {Explorer} explorer @param {Ply} ply @param {number} place among all moves */
function chip(explorer, ply, place) {
  const { game } = explorer;
  const { house, captured } = ply;
  const { situation } = /** @type {Ply} */ (ply.parent);
  const answer = explorer.values ? explorer.knowledge.answer(situation) : undefined;
  const move = answer?.moves.find(({ house: letter }) => letter === LETTERS[house % 6]);
  const exact = answer && move ? givenAway(answer, move) : null;
  const lost = exact ?? (answer && move ? givenAwayAtLeast(answer, move) : 0);
  const value = move ? valueText(move, sum(situation.houses)) : UNKNOWN;
  const key = exact === null ? "move.givesAtLeast" : "move.gives";
  const isNow = game.ply === ply;
  return html(
    "button",
    {
      type: "button",
      class: `chip ${isNow ? "now" : ""}`,
      "data-key": `record-${place}`,
      "aria-current": isNow ? "step" : undefined,
      title: lost ? t(key, { n: lost, seeds: seedsText(lost) }) : undefined,
      onclick: () => explorer.show(ply),
    },
    html("span", {}, LETTERS[house], captured ? html("b", {}, `+${captured}`) : null),
    value === UNKNOWN ? null : html("small", {}, value),
    lost ? html("small", { class: "lost" }, `▼${exact === null ? "≥" : ""}${seedsText(lost)}`) : null,
  );
}
