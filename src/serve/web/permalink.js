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
 * @property {{S: string, N: string}} [names] of the players
 * @property {number} [first] the number of the first round
 * @property {boolean} [reviewed] true if the game is reviewed
 * @property {{side: import("./situation.js").Side, level: number}} [match] a game against granero: the side of the
 *   player, and the level
 * @property {number} [puzzle] the number of the puzzle that is posed
 * @property {boolean} turned true if North sits below
 * @property {"board" | "statistics"} view
 * @property {number} [layer] of the statistics
 */

const number = (/** @type {string} */ text) => (/^\d{1,4}$/.test(text) ? Number(text) : undefined);
const flag = (/** @type {string} */ text) => text === "1" || undefined;

/** Reads a field; `undefined` if that is not possible. @type {Record<string, (text: string) => any>} */
const FIELDS = {
  rules: String, cycles: String, moves: String, south: String, north: String,
  at: number, first: number, puzzle: number, layer: number, review: flag, turned: flag,
  p: (text) => read(text) ?? undefined,
  view: (text) => ["board", "statistics"].find((view) => view === text),
  play: (text) => {
    const [, side, level] = /^(south|north)-([1-8])$/.exec(text) ?? [];
    return side && { side: side === "south" ? "S" : "N", level: Number(level) };
  },
};

/** @param {string} hash @returns {Place & {damage: string[]}} `damage`: the fields that cannot be read */
export function parse(hash) {
  /** @type {Record<string, any>} */
  const found = {};
  const damage = [];
  for (const [name, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
    found[name] = Object.hasOwn(FIELDS, name) ? FIELDS[name](text) : undefined;
    if (found[name] === undefined) damage.push(name);
  }
  const { rules, cycles, p: start, moves = "", at, south: S = "", north: N = "", first, puzzle, layer } = found;
  const { review: reviewed = false, play: match, turned = false, view = "board" } = found;
  return { rules, cycles, start, moves, at, names: { S, N }, first, reviewed, match, puzzle, turned, view, layer, damage };
}

/** @param {Omit<Place, "at"> & {start: Situation, rules: string, cycles: string, at?: number}} place */
export function format(place) {
  const { rules, cycles, start, moves, at, names, first = 1, reviewed, match, puzzle, turned, view, layer } = place;
  const fields = new URLSearchParams({ rules, cycles, p: write(start) });
  if (moves) fields.set("moves", moves);
  if (at !== undefined) fields.set("at", String(at));
  if (names?.S) fields.set("south", names.S);
  if (names?.N) fields.set("north", names.N);
  if (first !== 1) fields.set("first", String(first));
  if (reviewed) fields.set("review", "1");
  if (match) fields.set("play", `${match.side === "S" ? "south" : "north"}-${match.level}`);
  if (puzzle !== undefined) fields.set("puzzle", String(puzzle));
  if (turned) fields.set("turned", "1");
  if (view !== "board") fields.set("view", view);
  if (view === "statistics" && layer !== undefined) fields.set("layer", String(layer));
  // Parentheses need no escape, and an address is easier to read without.
  return `#${fields}`.replaceAll("%28", "(").replaceAll("%29", ")");
}
