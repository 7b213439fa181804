// The player, who chooses and estimates moves by a search without tables. It is granero's own, in WebAssembly, and
// thinks in a worker that starts when it is first asked.

import { seenBy } from "./situation.js";

/** @typedef {import("./situation.js").Situation} Situation */
/** @typedef {{depth: number, keeping: number, moves: number, easy_to_miss: boolean}} Difficulty see docs/engines.md */
/** @typedef {{estimate: number | null, moves: Record<string, number>}} Estimate seeds, by the letters of houses */

/** @type {Worker | undefined} */
let worker;
/** @type {Map<number, {resolve: (answer: any) => void, reject: (error: Error) => void}>} */
const waiting = new Map();
let asked = 0;

/** Asks the worker. @param {string} what a function of the library @param {...unknown} args */
function think(what, ...args) {
  if (!worker) {
    worker = new Worker(new URL("play/worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data: { id, answer, error } }) => {
      const { resolve, reject } = waiting.get(id) ?? {};
      waiting.delete(id);
      if (error) reject?.(new Error(error));
      else resolve?.(answer);
    });
    worker.addEventListener("error", ({ message }) => {
      for (const { reject } of waiting.values()) reject(new Error(message ?? "the player does not start"));
      waiting.clear();
      worker = undefined;
    });
  }
  const id = (asked += 1);
  worker.postMessage({ id, what, args });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

/** @param {Situation} situation */
const position = ({ houses, toMove }) => seenBy(houses, toMove);

/** Chooses a move. @param {Situation} situation
 * @param {{rules: string, level: number, seconds: number, among: string[]}} how `among`: houses, none for all
 * @returns {Promise<{house: string}>} */
export const choose = (situation, how) => think("choose", position(situation), how);

/** Estimates what each move is worth. @param {Situation} situation @param {string} rules
 * @returns {Promise<Estimate>} */
export const estimate = (situation, rules) => think("estimate", position(situation), rules);

/** Tells how easily a player goes wrong. @param {Situation} situation
 * @param {{house: string, best: boolean}[]} moves as the tables know them @param {string} rules
 * @returns {Promise<Difficulty>} */
export const difficulty = (situation, moves, rules) =>
  think("difficulty", position(situation), moves.filter(({ best }) => best).map(({ house }) => house), rules);
