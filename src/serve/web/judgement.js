// Asks for the judgement of a game, see docs/http-api.md.

import { post } from "./source.js";

/**
 * @typedef {{south: number, north: number, winner: string | null}} End
 * @typedef {{number: number, label: string, move: string, class: string, best: string[],
 *   given_away?: number, guaranteed_given_away?: number, attainable_given_up?: number,
 *   final?: End, final_low?: End, final_high?: End,
 *   final_played?: End, final_played_low?: End, final_played_high?: End}} JudgedMove
 * @typedef {{name?: string, judged: number, best: number, changed_winner: number,
 *   gave_away: number, harmless: number, given_away?: number, guaranteed_given_away?: number}} JudgedPlayer
 * @typedef {{rules: string, cycles: string, game: string, first: number, second: boolean,
 *   games: number, length: number, beyond: number, cut_off?: number, moves: JudgedMove[],
 *   south: JudgedPlayer, north: JudgedPlayer,
 *   error: null | {number: number, move: string}}} Judgement `cut_off` counts moves with
 *   values that deciding tables cut off; like those beyond the tables they are not among `moves`
 */

/** The most characters that are read: a server takes 64 KiB, including the JSON around the text. */
export const MOST = 60_000;

/**
 * Judges the moves of a game.
 * @param {string} rules
 * @param {string} cycles
 * @param {string} text games in any notation
 * @param {number} game its number, from 1
 * @returns {Promise<Judgement>}
 */
export const judge = (rules, cycles, text, game) => post(`${rules}/judge`, { cycles }, { text, game });
