// The address of what is shown: all that is needed to show it again, after the `#`.

import { read, write } from "./situation.js";

/** @typedef {import("./situation.js").Situation} Situation */

/**
 * @typedef {object} Place
 * @property {string} [rules]
 * @property {string} [cycles]
 * @property {Situation} [start]
 * @property {string} moves letters, with variations and comments as `Game` writes them
 * @property {number} [at] the place of the move that is shown among these letters; the last one of the game by
 *   default
 * @property {boolean} turned true if North sits below
 * @property {"board" | "statistics"} view
 * @property {number} [layer] of the statistics
 */

/** @param {string} hash @returns {Place} */
export function parse(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (/** @type {string} */ name) => {
    const text = fields.get(name) ?? "";
    return /^\d{1,4}$/.test(text) ? Number(text) : undefined;
  };
  const moves = fields.get("moves") ?? "";
  return {
    rules: fields.get("rules") ?? undefined,
    cycles: fields.get("cycles") ?? undefined,
    start: read(fields.get("p") ?? "") ?? undefined,
    moves,
    at: number("at"),
    turned: fields.get("turned") === "1",
    view: fields.get("view") === "statistics" ? "statistics" : "board",
    layer: number("layer"),
  };
}

/** @param {Omit<Place, "at"> & {start: Situation, rules: string, cycles: string, at?: number}} place */
export function format({ rules, cycles, start, moves, at, turned, view, layer }) {
  const fields = new URLSearchParams({ rules, cycles, p: write(start) });
  if (moves) fields.set("moves", moves);
  if (at !== undefined) fields.set("at", String(at));
  if (turned) fields.set("turned", "1");
  if (view !== "board") fields.set("view", view);
  if (view === "statistics" && layer !== undefined) fields.set("layer", String(layer));
  // Parentheses need no escape, and an address is easier to read without.
  return `#${fields}`.replaceAll("%28", "(").replaceAll("%29", ")");
}
