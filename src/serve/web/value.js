// The value of positions and moves: a number, two bounds, or unknown.

import { sum } from "./situation.js";

/** @typedef {import("./situation.js").Situation} Situation */
/** @typedef {import("./situation.js").Side} Side */

/** @typedef {{low: number, high: number}} Bounds for the player to move; the same if exact */

/** Returns the bounds in an answer, for both conventions.
 * @param {import("./api.js").ValueOrBounds} value
 * @returns {Bounds | null} `null` beyond the tables */
export function bounds({ value, low, high }) {
  if (typeof value === "number") return { low: value, high: value };
  if (typeof low === "number" && typeof high === "number") return { low, high };
  return null;
}

/** @param {Bounds} bounds */
export const isExact = ({ low, high }) => low === high;

/** Writes a number with its sign. @param {number} seeds */
export const signed = (seeds) => (seeds > 0 ? `+${seeds}` : seeds < 0 ? `−${-seeds}` : "0");

/** Stands for what is not known yet. A question mark would blame a move. */
export const UNKNOWN = "…";

/** Writes a value for a badge: `+4`, `−2…+4`, or `UNKNOWN`. @param {Bounds | null} value */
export const short = (value) =>
  value === null
    ? UNKNOWN
    : isExact(value)
      ? signed(value.low)
      : `${signed(value.low)}…${signed(value.high)}`;

/** @typedef {import("./api.js").ValueOrBounds & {proven?: Bounds, range?: Bounds}} Known */

/** Returns the bounds of a position or a move whose value is not known exactly: proven bounds, or those of deciding
 * tables.
 * @param {Known} of @returns {Bounds | null} */
export const provenBounds = (of) => (bounds(of) === null ? (of.proven ?? of.range ?? null) : null);

/** Returns true if deciding tables have cut its value off. @param {Known} of */
export const isCutOff = (of) => bounds(of) === null && !of.proven && of.range !== undefined;

/** Returns the ends of proven bounds that say more than that there are `n` seeds. Bounds that hold most values say
 * nothing.
 * @param {Bounds} proven @param {number} n */
export const ends = ({ low, high }, n) =>
  high - low > 1.5 * n
    ? { low: null, high: null }
    : { low: low > -n ? low : null, high: high < n ? high : null };

/** Writes proven bounds for a badge: `≥+4`, `≤−2`, `−2…+4` or `UNKNOWN`. @param {Bounds} proven @param {number} n */
function shortProven(proven, n) {
  const { low, high } = ends(proven, n);
  if (low !== null && high !== null) return short(proven);
  if (low !== null) return `≥${signed(low)}`;
  return high !== null ? `≤${signed(high)}` : UNKNOWN;
}

/** Writes what is known of a position or a move, for a badge. @param {Known} of @param {number} n the seeds on the board */
export function valueText(of, n) {
  const proven = provenBounds(of);
  return proven ? shortProven(proven, n) : short(bounds(of));
}

/** Returns true if nothing is known of a position or a move. @param {Known} of @param {number} n the seeds on the board */
export const isOpen = (of, n) => valueText(of, n) === UNKNOWN;

/** Returns the bounds of a position or a move, exact or proven, if they say something.
 * @param {Known} of @param {number} n the seeds on the board */
export const certainBounds = (of, n) => (isOpen(of, n) ? null : (bounds(of) ?? provenBounds(of)));

/** Writes an estimate: `~+1.5`. @param {number} seeds */
export const about = (seeds) => `~${seeds < 0 ? "−" : "+"}${Math.abs(seeds).toFixed(1)}`;

/** Adds estimates where nothing is known.
 * @param {import("./api.js").Answer} answer @param {import("./player.js").Estimate} found
 * @returns {import("./api.js").Answer} */
export function withEstimates(answer, found) {
  const { seeds: n } = answer;
  const moves = answer.moves.map((move) => (isOpen(move, n) ? { ...move, estimate: found.moves[move.house] } : move));
  // The best first, unless some are known.
  if (moves.every(({ estimate }) => estimate !== undefined)) moves.sort((a, b) => Number(b.estimate) - Number(a.estimate));
  return { ...answer, moves, estimate: isOpen(answer, n) ? (found.estimate ?? undefined) : undefined };
}

/** Joins what is proven in an answer and in an earlier one. The bounds of both hold.
 * @param {import("./api.js").Answer} answer @param {import("./api.js").Answer} [earlier]
 * @returns {import("./api.js").Answer} */
export function narrowed(answer, earlier) {
  /** @template {Bounds} T @param {T | undefined} now @param {Bounds | undefined} before */
  const narrow = (now, before) =>
    now && before
      ? { ...now, low: Math.max(now.low, before.low), high: Math.min(now.high, before.high) }
      : now;
  const moves = answer.moves.map((move) => {
    const before = earlier?.moves.find(({ house }) => house === move.house);
    return { ...move, proven: narrow(move.proven, before?.proven) };
  });
  return { ...answer, moves, proven: narrow(answer.proven, earlier?.proven) };
}

/**
 * @typedef {{S: number, N: number}} Score
 */

/** Returns the final score if the player to move gets `value` more of the seeds on the board.
 * @param {Situation} situation @param {number} value @returns {Score} */
export function final({ houses, south, north, toMove }, value) {
  const seeds = sum(houses);
  const mine = (seeds + value) / 2;
  return toMove === "S"
    ? { S: south + mine, N: north + seeds - mine }
    : { S: south + seeds - mine, N: north + mine };
}

/** Returns the final scores that are the least and the most for South.
 * @param {Situation} situation @param {Bounds} value @returns {[Score, Score]} */
export function finals(situation, { low, high }) {
  const scores = /** @type {[Score, Score]} */ ([final(situation, low), final(situation, high)]);
  return scores[0].S <= scores[1].S ? scores : [scores[1], scores[0]];
}

/** Writes a number with halves, which come from an odd number that endless play shares. @param {number} seeds */
export const seedsText = (seeds) =>
  Number.isInteger(seeds) ? String(seeds) : `${Math.floor(seeds) || ""}½`;
