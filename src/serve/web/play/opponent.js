// Granero as an opponent: perfect where the tables know the position, with proofs near them if the server searches,
// and a search of the page's own, in a worker, everywhere else.

import * as api from "../api.js";
import { after, firstHouse, LETTERS, seenBy, sum, write } from "../situation.js";
import { bounds } from "../worth.js";
import { compare, INFORMED, isEasyToMiss, PERFECT } from "./player.js";

/** @typedef {import("../situation.js").Situation} Situation */
/** @typedef {import("../api.js").Answer} Answer */
/** @typedef {import("../api.js").Move} Move */
/** @typedef {import("./player.js").Difficulty} Difficulty */
/** @typedef {import("./player.js").Rules} Rules */
/** @typedef {{rules: string, cycles: string, ruleset: Rules, most: number, prove: number}} Table what is asked: the
 *   rules and their data, the most seeds of the tables, and the longest search of the server in seconds */

/** The longest that granero thinks about a move, in milliseconds. */
const TIME = 1000;

/** Proofs are asked for if there are at most this many seeds more than in the tables. */
const NEAR = 8;

/** @type {Worker | undefined} */
let worker;
/** @type {Map<number, {resolve: (answer: any) => void, reject: (error: Error) => void}>} */
const waiting = new Map();
let asked = 0;

/** Asks the worker. @param {object} question */
function think(question) {
  if (!worker) {
    worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data: { id, answer } }) => {
      waiting.get(id)?.resolve(answer);
      waiting.delete(id);
    });
    worker.addEventListener("error", ({ message }) => {
      for (const { reject } of waiting.values()) reject(new Error(message ?? "the player does not start"));
      waiting.clear();
      worker = undefined;
    });
  }
  const id = (asked += 1);
  worker.postMessage({ id, ...question });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

/** @param {Situation} situation */
const board = ({ houses, toMove }) => Uint8Array.from(seenBy(houses, toMove));

/** @param {Move} move */
const number = ({ house }) => LETTERS.indexOf(house);

/**
 * Tells how easily a player goes wrong where the tables know the position.
 * @param {Table} table
 * @param {Situation} situation
 * @param {Answer} answer about it
 * @returns {Promise<Difficulty>}
 */
const difficultyOf = ({ ruleset: rules }, situation, { moves }) =>
  think({ question: "difficulty", board: board(situation), rules, best: moves.filter(({ best }) => best).map(number) });

/** Returns true if the best move is easy to miss. @param {Table} table @param {Situation} situation @param {Answer} answer */
export const missed = async (table, situation, answer) => isEasyToMiss(await difficultyOf(table, situation, answer));

/**
 * Chooses a move.
 * @param {Table} table
 * @param {Situation} situation in which the game is not over
 * @param {number} level
 * @returns {Promise<number>} the house
 */
export async function chosen(table, situation, level) {
  const { rules, cycles, ruleset } = table;
  const first = firstHouse(situation.toMove);
  /** @type {Move[]} */
  let among = [];
  if (level >= INFORMED) {
    const answer = await api.position(rules, cycles, write(situation));
    among = await candidates(table, situation, answer);
    if (bounds(answer)) return first + number(await hardest(table, situation, answer, among));
  }
  const options = { time: TIME, among: among.length ? among.map(number) : undefined };
  return first + (await think({ question: "choose", board: board(situation), rules: ruleset, level, options }));
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
  return proved.length ? proved : moves.filter((move) => (bounds(move) ?? move.proven)?.high >= (proven?.low ?? 0));
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
    const answer = await api.position(rules, cycles, write(next));
    const task = answer.over ? { depth: 0, keeping: 1, moves: 1 } : await difficultyOf(table, next, answer);
    return { move, task };
  }));
  // Of equals, the largest capture, then the first house.
  tasks.sort((a, b) => compare(b.task, a.task) || b.move.captured - a.move.captured || number(a.move) - number(b.move));
  return tasks[0].move;
}
