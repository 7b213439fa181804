// Asks the server what the moves of a game were worth, see docs/http-api.md.

import { ApiError } from "./api_error.js";

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
 *   error: null | {number: number, move: string}}} Judgement `cut_off` moves have values that
 *   deciding tables cut off; like those beyond the tables they are not among `moves`
 */

/** The most characters that the server is sent: it takes 64 KiB with what is around the text. */
export const MOST = 60_000;

/**
 * What the moves of a game were worth.
 * @param {string} rules
 * @param {string} cycles
 * @param {string} text games in any notation
 * @param {number} game which of them, counted from 1
 * @returns {Promise<Judgement>}
 */
export async function judge(rules, cycles, text, game) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(`api/v1/${rules}/judge?${new URLSearchParams({ cycles })}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text, game }),
    });
  } catch (error) {
    throw new ApiError(String(error));
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  const { message, code, hint } = body?.error ?? {};
  throw new ApiError(message ?? `HTTP ${response.status}`, code, hint);
}
