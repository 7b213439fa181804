// The buttons under the board.

import { button } from "./buttons.js";
import { redraw } from "./dom.js";
import { opening } from "./situation.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */

/** @param {HTMLElement} element @param {Explorer} explorer
 * @param {{examples: () => void, random: () => void, review: () => void, play: () => void, puzzles: () => void,
 *   copy: () => void, download: () => void}} on */
export function showTools(element, explorer, on) {
  const { game } = explorer;
  element.hidden = explorer.editing;
  const undo = button("undo", "tools.undo", () => explorer.go(game.at - 1));
  const redo = button("redo", "tools.redo", () => explorer.go(game.at + 1));
  // Not `disabled`: that would take the focus from a button after its last press.
  undo.setAttribute("aria-disabled", String(game.at === 0));
  redo.setAttribute("aria-disabled", String(game.at === game.length));
  const values = button("eye", "tools.values", () => explorer.reveal());
  values.setAttribute("aria-pressed", String(explorer.values));
  const isOpen = element.classList.contains("open");
  const more = button("more", "tools.more", () => {
    element.classList.toggle("open");
    showTools(element, explorer, on);
  });
  more.classList.add("more");
  more.setAttribute("aria-expanded", String(isOpen));
  redraw(
    element,
    undo,
    redo,
    button("plus", "tools.new", () => explorer.begin(opening(explorer.seeds))),
    button("players", "tools.play", on.play),
    button("review", "tools.review", on.review),
    // On a phone the rest is behind this button.
    more,
    button("puzzle", "tools.puzzles", on.puzzles),
    button("setup", "tools.setup", () => explorer.edit()),
    button("book", "tools.examples", on.examples),
    button("dice", "tools.random", on.random),
    button("turn", "tools.turn", () => explorer.turn()),
    explorer.secret ? null : values,
    button("link", "tools.link", on.copy),
    button("download", "tools.download", on.download),
  );
}
