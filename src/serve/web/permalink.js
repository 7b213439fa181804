// The address of what is shown: all that is needed to show it again, after the `#`.

import { read, write } from "./situation.js";

/** @typedef {import("./situation.js").Situation} Situation */

/**
 * @typedef {object} Place
 * @property {string} [rules]
 * @property {string} [cycles]
 * @property {Situation} [start]
 * @property {string} moves letters
 * @property {number} [at] the number of moves that were played; all by default
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
    moves: /^[A-Fa-f]*$/.test(moves) ? moves : "",
    at: number("at"),
    turned: fields.get("turned") === "1",
    view: fields.get("view") === "statistics" ? "statistics" : "board",
    layer: number("layer"),
  };
}

/** @param {Place & {start: Situation, at: number, rules: string, cycles: string}} place */
export function format({ rules, cycles, start, moves, at, turned, view, layer }) {
  const fields = new URLSearchParams({ rules, cycles, p: write(start) });
  if (moves) fields.set("moves", moves);
  if (at < moves.length) fields.set("at", String(at));
  if (turned) fields.set("turned", "1");
  if (view !== "board") fields.set("view", view);
  if (view === "statistics" && layer !== undefined) fields.set("layer", String(layer));
  return `#${fields}`;
}
