// The requests of the page and their answers, see docs/http-api.md.

import { get } from "./source.js";

export { served } from "./source.js";

/**
 * @typedef {object} ValueOrBounds value fields: `value` with the convention `split`, the rest with `own-side`
 * @property {number | null} [value]
 * @property {number | null} [low]
 * @property {number | null} [high]
 * @property {number | null} [nominal]
 *
 * @typedef {{low: number, high: number}} Proven beyond the tables: the least and the most
 *
 * @typedef {ValueOrBounds & {house: string, captured: number, conceded?: number, best: boolean,
 *   position: number[], proven?: Proven, range?: Proven, estimate?: number}} Move `range` where deciding tables cut
 *   off, `estimate` where nothing is known
 *
 * @typedef {ValueOrBounds & {position: number[], seeds: number, proven?: Proven & {ended: string}, range?: Proven, estimate?: number,
 *   situation?: {notation: string, to_move: "south" | "north", south: number, north: number},
 *   over: null | {reason: string, mover: number, opponent: number}, moves: Move[],
 *   illegal: {house: string, reason: string}[]}} Answer
 *
 * @typedef {{move: string, captured: number, conceded?: number, position: number[],
 *   south: number, north: number}} LineMove
 * @typedef {{bound?: "low" | "high", value?: number, moves: LineMove[],
 *   end: null | {reason: string, from?: number, differences?: number[], counts?: number},
 *   score: null | {south: number, north: number, left: number}}} Line `bound` with `own-side`
 * @typedef {Line & {lines?: Line[], distance?: number | null}} Lines `lines` with `own-side`
 *
 * @typedef {{rules: string, cycles: string, decides?: number, sample: boolean, max_seeds: number | null,
 *   positions: number, bytes: number, building: boolean, more: string | null,
 *   limited?: boolean}} Table `limited`: larger layers cannot be loaded from this host
 * @typedef {{tables: Table[], default: {rules: string, cycles: string, decides?: number},
 *   rulesets: {name: string, tables: string[], slam_takes: string, slam_ends_game: boolean}[], cycles: {name: string}[],
 *   limits: {buildable_seeds: number, prove_seconds: number | null}}} Tables
 *
 * @typedef {[number, number][]} Histogram pairs of a number and how many positions have it
 * @typedef {{wins: number, draws: number, losses: number, mean: number, histogram: Histogram}} Counts
 * @typedef {{low: Counts, high: Counts, exact: number, undecided: number, gaps: Histogram}} Bounds
 * @typedef {Partial<Counts & Bounds> & {seeds: number, positions: number, capturing: number,
 *   longest_capture: null | {captured: number, position: number[], house: string}}} Layer
 *   `Counts` with `split`, `Bounds` with `own-side`
 */

/** The most answers that are kept. */
const KEPT = 2000;
/** @type {Map<string, Promise<any>>} */
const kept = new Map();

/** @returns {Promise<Tables>} */
export const tables = () => get("tables", {});

/** @param {string} rules @param {string} cycles @param {string} p @returns {Promise<Answer>} */
export const assess = (rules, cycles, p) => keep(`${rules}/position`, { p, cycles });

/** @param {string} rules @param {string} cycles @param {string} p @returns {Promise<Lines>} */
export const line = (rules, cycles, p) => keep(`${rules}/line`, { p, cycles });

/** Asks for the line beyond the tables, as far as searches of some seconds prove it. A signal ends them.
 * @param {string} rules @param {string} cycles @param {string} p @param {number} seconds @param {AbortSignal} signal
 * @returns {Promise<Lines>} */
export const provenLine = (rules, cycles, p, seconds, signal) =>
  get(`${rules}/line`, { p, cycles, time: `${Math.round(1000 * seconds)}ms` }, signal);

/** Searches for some seconds. A signal ends the search.
 * @param {string} rules @param {string} cycles @param {string} p @param {number} seconds @param {AbortSignal} signal
 * @returns {Promise<Answer>} */
export const prove = (rules, cycles, p, seconds, signal) =>
  get(`${rules}/prove`, { p, cycles, time: `${Math.round(1000 * seconds)}ms` }, signal);

/** @param {string} rules @param {string} cycles @returns {Promise<{layers: Layer[]}>} */
export const stats = (rules, cycles) => get(`${rules}/stats`, { cycles });

/** Forgets all answers, because there may be more tables now. */
export const forget = () => kept.clear();

/** @param {string} path @param {Record<string, string>} parameters */
function keep(path, parameters) {
  const key = `${path}?${new URLSearchParams(parameters)}`;
  const known = kept.get(key);
  if (known) return known;
  if (kept.size >= KEPT) kept.delete(/** @type {string} */ (kept.keys().next().value));
  const answer = get(path, parameters);
  kept.set(key, answer);
  answer.catch(() => kept.delete(key));
  return answer;
}
