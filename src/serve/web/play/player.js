// The player of the page: it chooses moves by a search, and tells how easily a position is misplayed. It knows no
// tables, and works in a worker. Its search, its estimate and its levels are those of `src/play/player/`, and tests
// hold it to them.

import { SLAM_TAKES } from "../sowing.js";

/**
 * @typedef {{slam: string, slam_takes: string, slam_ends_game: boolean, starving: string}} Rules as the API gives
 *   them
 * @typedef {Uint8Array} Board twelve houses, those of the player to move first
 * @typedef {{house: number, captured: number, conceded: number, gain: number, board: Board}} Step a move: `gain` is
 *   by how many seeds the mover captures more than the opponent gets at once
 * @typedef {{depth: number, keeping: number, moves: number}} Difficulty see docs/engines.md
 */

/** The score of a seed, and more than any score. */
const SEED = 100;
const INFINITE = 1e6;

/** What a house with seeds is worth to its owner, by its number, and what a large house is worth in addition. */
const OCCUPIED = [250, 200, 150, 120, 90, 90];
const LARGE = 120;
const LARGE_SEEDS = 12;

/** The percentage of moves made at random, and the most moves looked ahead, for each level. */
const LEVELS = [[100, 1], [50, 1], [25, 2], [10, 3], [0, 4], [0, 7], [0, 10], [0, 64]];

/** The highest level: perfect where there are tables. */
export const PERFECT = LEVELS.length;

/** The first level that uses tables and proofs. */
export const INFORMED = 7;

/** The deepest search that tells how difficult a position is, and one that does not find what is easy to miss. */
const DEEPEST = 6;
const MISSED = 3;

/** The positions after which the clock is looked at. */
const PATIENCE = 1024;

/** The number of positions that a search remembers. */
const KEPT = 1 << 17;

/** Thrown when the time of a search is over. */
const STOPPED = Symbol("stopped");

/** @param {ArrayLike<number>} houses @param {number} [from] @param {number} [to] */
function seeds(houses, from = 0, to = 12) {
  let sum = 0;
  for (let house = from; house < to; house++) sum += houses[house];
  return sum;
}

/**
 * Returns the legal moves of a board; none if the game is over.
 * @param {Board} board
 * @param {Rules} rules
 * @returns {Step[]}
 */
export function steps(board, rules) {
  const always = [];
  const lastResort = [];
  for (let house = 0; house < 6; house++) {
    if (board[house] === 0) continue;
    const sown = new Uint8Array(12);
    // Seen by the opponent, who moves next.
    for (let i = 0; i < 12; i++) sown[(i + 6) % 12] = board[i];
    sown[house + 6] = 0;
    let last = house;
    for (let left = board[house]; left > 0;) {
      last = (last + 1) % 12;
      if (last === house) continue;
      sown[(last + 6) % 12] += 1;
      left -= 1;
    }
    const theirs = seeds(sown, 0, 6);
    let first = last - 5;
    while (first > 0 && last >= 6 && (sown[first - 1] === 2 || sown[first - 1] === 3)) first -= 1;
    /** @type {[number, number]} */
    let chain = last >= 6 ? [first, last - 5] : [0, 0];
    const isSlam = theirs > 0 && seeds(sown, ...chain) === theirs;
    if (isSlam) chain = SLAM_TAKES[rules.slam_takes](chain);
    const captured = seeds(sown, ...chain);
    sown.fill(0, ...chain);
    const ends = isSlam && rules.slam_ends_game;
    const conceded = ends ? seeds(sown) : 0;
    if (ends) sown.fill(0);
    const may = theirs === 0 ? rules.starving : isSlam ? rules.slam : "always";
    const step = { house, captured, conceded, gain: captured - conceded, board: sown };
    if (may === "always") always.push(step);
    else if (may === "last-resort") lastResort.push(step);
  }
  return always.length ? always : lastResort;
}

/** Estimates the worth of a board without looking ahead. @param {Board} board */
function estimate(board) {
  let score = 0;
  for (let house = 0; house < 12; house++) {
    if (board[house] === 0) continue;
    const worth = OCCUPIED[house % 6] + (board[house] >= LARGE_SEEDS ? LARGE : 0);
    score += house < 6 ? worth : -worth;
  }
  const most = SEED * seeds(board);
  return Math.max(-most, Math.min(most, score));
}

/** The score of a board where the game is over. @param {Board} board */
const rest = (board) => SEED * (seeds(board, 0, 6) - seeds(board, 6));

/** What earlier searches found out about boards, each in a place of its own. */
class Memory {
  #boards = new Uint8Array(12 * KEPT);
  #scores = new Int16Array(KEPT);
  #depths = new Uint8Array(KEPT);
  /** -1: at most the score, 1: at least, 0: exactly. */
  #kinds = new Int8Array(KEPT);
  #houses = new Uint8Array(KEPT);

  /** @param {Board} board */
  #place(board) {
    let hash = 0;
    for (let house = 0; house < 12; house++) hash = Math.imul(hash ^ board[house], 0x9e3779b1) ^ (hash >>> 15);
    return (hash ^ (hash >>> 13)) & (KEPT - 1);
  }

  /** @param {Board} board */
  find(board) {
    const place = this.#place(board);
    for (let house = 0; house < 12; house++) if (this.#boards[12 * place + house] !== board[house]) return undefined;
    return {
      depth: this.#depths[place], score: this.#scores[place], kind: this.#kinds[place], house: this.#houses[place],
    };
  }

  /** @param {Board} board @param {number} depth @param {number} score @param {number} kind @param {number} house */
  keep(board, depth, score, kind, house) {
    const place = this.#place(board);
    this.#boards.set(board, 12 * place);
    this.#depths[place] = depth;
    this.#scores[place] = score;
    this.#kinds[place] = kind;
    this.#houses[place] = house;
  }
}

/** A search: alpha-beta with null windows, one move deeper each time. */
export class Search {
  #memory = new Memory();
  #history = [new Float64Array(6), new Float64Array(6)];
  #visited = 0;
  /** True once there is a move to make. */
  #mayStop = false;

  /**
   * @param {Rules} rules
   * @param {object} [limits]
   * @param {number} [limits.end] when it stops, by `performance.now()`
   * @param {boolean} [limits.selective] true to look less far ahead after moves that are unlikely to be best
   */
  constructor(rules, { end = Infinity, selective = false } = {}) {
    this.rules = rules;
    this.end = end;
    this.selective = selective;
  }

  /**
   * Chooses the best of some moves.
   * @param {Step[]} plays at least one
   * @param {number} deepest
   */
  deepen(plays, deepest) {
    // Captures are likely to be best.
    const order = [...plays].sort((a, b) => Number(a.captured === 0) - Number(b.captured === 0));
    let [play, score, depth] = [order[0], 0, 0];
    for (let deeper = 1; deeper <= deepest; deeper++) {
      const best = { place: -1, score: -INFINITE };
      let isStopped = false;
      try {
        this.#best(order, deeper, best);
      } catch (error) {
        if (error !== STOPPED) throw error;
        isStopped = true;
      }
      if (best.place >= 0) {
        ({ score } = best);
        [play] = order.splice(best.place, 1);
        order.unshift(play);
      }
      if (isStopped) break;
      depth = deeper;
      this.#mayStop = true;
      // Nothing is left to choose.
      if (order.length === 1) break;
    }
    return { house: play.house, score, depth };
  }

  /** Returns the score of the best of some moves. @param {Step[]} plays @param {number} depth */
  scoreOfBest(plays, depth) {
    const best = { place: -1, score: -INFINITE };
    this.#best(plays, depth, best);
    return best.score;
  }

  /** @param {Step[]} plays @param {number} depth @param {{place: number, score: number}} best */
  #best(plays, depth, best) {
    plays.forEach((play, place) => {
      const score = this.#after(play, depth - 1, depth - 1, 1, place > 0, best.score, INFINITE);
      if (score > best.score) Object.assign(best, { place, score });
    });
  }

  /**
   * Returns the score of a move. One that is `unlikely` to be best is first only compared with `alpha`, by the
   * smaller depth.
   * @param {Step} step @param {number} least @param {number} depth @param {number} made
   * @param {boolean} unlikely @param {number} alpha @param {number} beta
   */
  #after({ gain, board }, least, depth, made, unlikely, alpha, beta) {
    const now = SEED * gain;
    if (unlikely) {
      let score = now - this.#score(board, least, made, now - alpha - 1, now - alpha);
      if (score > alpha && least < depth) score = now - this.#score(board, depth, made, now - alpha - 1, now - alpha);
      if (score <= alpha || score >= beta) return score;
    }
    return now - this.#score(board, depth, made, now - beta, now - alpha);
  }

  /**
   * Returns the score of a board after `made` moves; outside `alpha` to `beta` only a bound.
   * @param {Board} board @param {number} depth @param {number} made @param {number} alpha @param {number} beta
   * @returns {number}
   */
  #score(board, depth, made, alpha, beta) {
    if (depth === 0) return this.#quiet(board, alpha, beta);
    this.#look();
    const known = this.#memory.find(board);
    // The result of a deeper search would make the score depend on earlier searches.
    if (known?.depth === depth) {
      const { kind, score } = known;
      if (kind === 0 || (kind > 0 ? score >= beta : score <= alpha)) return score;
    }
    const plays = steps(board, this.rules);
    if (plays.length === 0) return rest(board);
    const history = this.#history[made % 2];
    const urgency = (/** @type {Step} */ { house, gain }) =>
      house === known?.house ? 1e12 : gain > 0 ? 1e9 + gain : history[house];
    plays.sort((a, b) => urgency(b) - urgency(a));
    let [best, house] = [-INFINITE, 0];
    for (let number = 0; number < plays.length; number++) {
      const play = plays[number];
      const less = this.selective ? lostDepth(number, play.gain, depth) : 0;
      const score = this.#after(play, depth - 1 - less, depth - 1, made + 1, number > 0, Math.max(alpha, best), beta);
      if (score > best) [best, house] = [score, play.house];
      if (best >= beta) {
        if (play.gain <= 0) history[play.house] += depth * depth;
        break;
      }
    }
    this.#memory.keep(board, depth, best, best >= beta ? 1 : best <= alpha ? -1 : 0, house);
    return best;
  }

  /**
   * Returns the score of a board if the players only capture, or stop.
   * @param {Board} board @param {number} alpha @param {number} beta
   * @returns {number}
   */
  #quiet(board, alpha, beta) {
    this.#look();
    const plays = steps(board, this.rules);
    if (plays.length === 0) return rest(board);
    let best = estimate(board);
    for (const { gain, board } of plays) {
      if (gain <= 0) continue;
      if (best >= beta) break;
      const now = SEED * gain;
      best = Math.max(best, now - this.#quiet(board, now - beta, now - Math.max(alpha, best)));
    }
    return best;
  }

  #look() {
    this.#visited += 1;
    if (this.#visited % PATIENCE === 0 && this.#mayStop && performance.now() > this.end) throw STOPPED;
  }
}

/** The depth that a selective search loses after a move. @param {number} number @param {number} gain @param {number} depth */
const lostDepth = (number, gain, depth) =>
  number === 0 || gain > 0 || depth < 3 ? 0 : 1 + Number(number >= 3 && depth >= 6);

/**
 * Chooses a move at a level.
 * @param {Board} board
 * @param {Rules} rules
 * @param {number} level
 * @param {object} options
 * @param {number[]} [options.among] houses to choose from, if not all
 * @param {number} options.time in milliseconds
 * @param {() => number} [options.random]
 * @returns {number | undefined} the house, or nothing if the game is over
 */
export function choose(board, rules, level, { among, time, random = Math.random }) {
  const plays = steps(board, rules).filter(({ house }) => among?.includes(house) ?? true);
  if (plays.length === 0) return undefined;
  const [careless, depth] = LEVELS[level - 1];
  if (100 * random() < careless) return plays[Math.floor(random() * plays.length)].house;
  const limits = { end: performance.now() + time, selective: level === PERFECT };
  return new Search(rules, limits).deepen(plays, depth).house;
}

/**
 * Tells how easily a player goes wrong.
 * @param {Board} board
 * @param {Rules} rules
 * @param {number[]} best the houses of the best moves
 * @returns {Difficulty}
 */
export function difficulty(board, rules, best) {
  const plays = steps(board, rules);
  const right = plays.filter(({ house }) => best.includes(house));
  const wrong = plays.filter(({ house }) => !best.includes(house));
  const found = { depth: 0, keeping: right.length, moves: plays.length };
  if (wrong.length === 0 || right.length === 0) return found;
  const search = new Search(rules);
  found.depth = 1;
  for (let depth = DEEPEST; depth > 0 && found.depth === 1; depth--) {
    if (search.scoreOfBest(right, depth) <= search.scoreOfBest(wrong, depth)) found.depth = depth + 1;
  }
  return found;
}

/** Returns true if even a search of three moves prefers a mistake. @param {Difficulty} difficulty */
export const isEasyToMiss = ({ depth }) => depth > MISSED;

/** Orders positions from easy to hard, except by how long their traps are. @param {Difficulty} a @param {Difficulty} b */
export const compare = (a, b) =>
  a.depth - b.depth || (a.moves - a.keeping) / a.moves - (b.moves - b.keeping) / b.moves;
