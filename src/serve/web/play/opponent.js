// Granero as an opponent: perfect where the tables know the position, with proofs near them if the server searches,
// and a search of its own everywhere else.

import * as api from "../api.js";
import { choose, difficulty } from "../player.js";
import { after, firstHouse, LETTERS, sum, write } from "../situation.js";
import { bounds } from "../value.js";

/** @typedef {import("../situation.js").Situation} Situation */
/** @typedef {import("../api.js").Answer} Answer */
/** @typedef {import("../api.js").Move} Move */
/** @typedef {import("../player.js").Difficulty} Difficulty */
/** @typedef {{rules: string, cycles: string, most: number, prove: number}} Table what is asked: the most seeds of the
 *   tables, and the longest search of the server in seconds */

/** The highest level: perfect where there are tables. */
export const PERFECT = 8;

/** The first level that uses tables and proofs. */
const INFORMED = 7;

/** The longest that granero thinks about a move, in milliseconds. */
const TIME = 1000;

/** Proofs are asked for if there are at most this many seeds more than in the tables. */
const NEAR = 8;

/** @param {{house: string}} move */
const number = ({ house }) => LETTERS.indexOf(house);

/**
 * Chooses a move.
 * @param {Table} table
 * @param {Situation} situation in which the game is not over
 * @param {number} level
 * @returns {Promise<number>} the house
 */
export async function chosen(table, situation, level) {
  const { rules, cycles } = table;
  const first = firstHouse(situation.toMove);
  /** @type {Move[]} */
  let among = [];
  if (level >= INFORMED) {
    const answer = await api.assess(rules, cycles, write(situation));
    among = await candidates(table, situation, answer);
    if (bounds(answer)) return first + number(await hardest(table, situation, answer, among));
  }
  const seconds = TIME / 1000;
  return first + number(await choose(situation, { rules, level, seconds, among: among.map(({ house }) => house) }));
}

/** Returns the best move as far as granero knows. @param {Table} table @param {Situation} situation */
export const advised = (table, situation) => chosen(table, situation, PERFECT);

/**
 * Returns the moves that are certainly best, or else those that may be; none if nothing is known of them.
 * @param {Table} table
 * @param {Situation} situation
 * @param {Answer} answer of the tables
 * @returns {Promise<Move[]>}
 */
async function candidates({ rules, cycles, most, prove }, situation, answer) {
  const best = answer.moves.filter(({ best }) => best);
  if (best.length || !prove || sum(situation.houses) > most + NEAR) return best;
  const time = Math.min(TIME / 2000, prove);
  const signal = new AbortController().signal;
  // A server that is too busy proves nothing.
  const { moves, proven } = await api.prove(rules, cycles, write(situation), time, signal).catch(() => answer);
  const proved = moves.filter(({ best }) => best);
  return proved.length ? proved : moves.filter((move) => Number((bounds(move) ?? move.proven)?.high) >= (proven?.low ?? 0));
}

/**
 * Of several best moves, chooses one that goes on to the end in a won position, otherwise the one that leaves the
 * opponent the hardest task.
 * @param {Table} table
 * @param {Situation} situation
 * @param {Answer} answer
 * @param {Move[]} best
 * @returns {Promise<Move>}
 */
async function hardest(table, situation, answer, best) {
  const { rules, cycles } = table;
  if (best.length === 1) return best[0];
  if (Number(bounds(answer)?.low) > 0) {
    const { lines, moves } = await api.line(rules, cycles, write(situation));
    const next = (lines?.[0]?.moves ?? moves)[0]?.move.toUpperCase();
    const move = best.find(({ house }) => house === next);
    if (move) return move;
  }
  const tasks = await Promise.all(best.map(async (move) => {
    const next = after(situation, move);
    const answer = await api.assess(rules, cycles, write(next));
    const task = answer.over ? undefined : await difficulty(next, answer.moves, rules);
    return { move, task };
  }));
  // Of equals, the largest capture, then the first house.
  tasks.sort((a, b) => compare(b.task, a.task) || b.move.captured - a.move.captured || number(a.move) - number(b.move));
  return tasks[0].move;
}

/** Orders positions from easy to hard, except by how long their traps are; an end of the game is easiest.
 * @param {Difficulty} [a] @param {Difficulty} [b] */
function compare(a, b) {
  if (!a || !b) return Number(Boolean(a)) - Number(Boolean(b));
  return a.depth - b.depth || (a.moves - a.keeping) / a.moves - (b.moves - b.keeping) / b.moves;
}
