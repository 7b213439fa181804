// Asks for the judgement of a game, see docs/http-api.md.

import { post } from "./source.js";

/**
 * @typedef {{south: number, north: number, winner: string | null}} End
 * @typedef {{number: number, label: string, move: string, class_at_least: string, unknown?: boolean,
 *   best: string[], best_known: string[], given_away?: number, given_away_at_least?: number,
 *   given_up?: number | null, search?: object, final?: End, final_low?: End, final_high?: End,
 *   final_played?: End, final_played_low?: End, final_played_high?: End}} JudgedMove
 * @typedef {{name?: string, judged: number, best: number} & Record<string, any>} JudgedPlayer with counts,
 *   see `least`
 * @typedef {{rules: string, cycles: string, game: string, first: number, second: boolean,
 *   games: number, length: number, beyond: number, cut_off?: number, moves: JudgedMove[],
 *   south: JudgedPlayer, north: JudgedPlayer, searched: number, to_search: number,
 *   estimates?: (number | null)[],
 *   error: null | {label: string}}} Judgement `estimates`: South's seeds at the end before the first move and
 *   after each, not proven; `cut_off` counts moves with values that deciding tables
 *   cut off; they are not among `moves`
 */

/** Returns a number of a document: as it is settled, or the least that it can be.
 * @param {Record<string, any>} of @param {string} key @returns {{n: number, settled: boolean}} */
export const least = (of, key) => ({ n: of[key] ?? of[`${key}_at_least`] ?? 0, settled: key in of });

/** The most characters that are read: a server takes 64 KiB, including the JSON around the text. */
export const MOST = 60_000;

/** Judges the moves of a game by what is known. With a time, the server searches first.
 * @param {string} rules @param {string} cycles
 * @param {{text: string, game: number}} asked games in any notation, and the number of one, from 1
 * @param {AbortSignal} signal @param {number} [seconds] @returns {Promise<Judgement>} */
export const judge = (rules, cycles, asked, signal, seconds) => {
  /** @type {Record<string, string>} */
  const time = seconds === undefined ? {} : { time: `${Math.round(1000 * seconds)}ms` };
  return post(`${rules}/judge`, { cycles, ...time }, asked, signal);
};
