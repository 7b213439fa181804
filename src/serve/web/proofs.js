// Searches beyond the tables. The page asks again and again, each time for longer, so that bounds
// narrow while a position is shown. It stops when another position is shown.

import { prove, provenLine } from "./api.js";
import { narrowed } from "./value.js";

/** @typedef {import("./api.js").Answer} Answer */
/** @typedef {import("./api.js").Lines} Lines */

/** The times of the first searches in seconds. The last one takes as long as the server allows. */
const FIRST = [0.2, 1];

/** The pause while the server is busy, in milliseconds. */
const PAUSE = 3000;

/** The most positions that are remembered. */
const KEPT = 500;

/**
 * @typedef {object} Proof
 * @property {Answer} [answer] with what is proven so far
 * @property {number} step the number of searches so far
 * @property {boolean} ended true if there will be no more
 * @property {boolean} busy true if the server is too busy for now
 * @property {Lines} [lines] the best line, as far as it is proven
 */

export class Proofs {
  /** @type {Map<string, Proof>} */
  #proofs = new Map();
  /** The position that is searched. */
  #key = "";
  #search = new AbortController();

  /** @param {object} on
   * @param {() => void} on.change something has changed
   * @param {(error: Error) => void} on.error the server gives no answer */
  constructor(on) {
    this.on = on;
  }

  /** Returns what is proven of a position. @param {string} key */
  of(key) {
    return this.#proofs.get(key);
  }

  /** Ends the search. */
  leave() {
    this.#key = "";
    this.#search.abort();
  }

  forget() {
    this.leave();
    this.#proofs.clear();
  }

  /** Searches from a position, and from no other.
   * @param {string} key names it, with the rules and the convention for endless play
   * @param {object} what @param {string} what.rules @param {string} what.cycles
   * @param {string} what.p the position
   * @param {number} longest the longest time of a search, in seconds */
  follow(key, what, longest) {
    if (key === this.#key) return;
    this.leave();
    this.#key = key;
    this.#search = new AbortController();
    let proof = this.#proofs.get(key);
    if (!proof) {
      proof = { step: 0, ended: false, busy: false };
      if (this.#proofs.size >= KEPT) {
        this.#proofs.delete(/** @type {string} */ (this.#proofs.keys().next().value));
      }
      this.#proofs.set(key, proof);
    }
    const times = [...FIRST.filter((time) => time < longest), longest];
    const { signal } = this.#search;
    this.#improve(proof, what, times, signal).catch((error) => {
      if (!signal.aborted) this.on.error(error);
    });
  }

  /** @param {Proof} proof @param {{rules: string, cycles: string, p: string}} what @param {number[]} times
   * @param {AbortSignal} signal */
  async #improve(proof, { rules, cycles, p }, times, signal) {
    while (!proof.ended) {
      const answer = await prove(rules, cycles, p, times[proof.step], signal).catch((error) => {
        if (error.code !== "overloaded") throw error;
      });
      if (signal.aborted) return;
      proof.busy = !answer;
      if (answer) {
        proof.answer = narrowed(answer, proof.answer);
        proof.step += 1;
        proof.ended = proof.step === times.length || answer.proven?.ended !== "time";
      }
      this.on.change();
      if (!answer) await new Promise((resolve) => setTimeout(resolve, PAUSE));
      if (signal.aborted) return;
    }
    if (proof.lines || !proof.answer?.moves.some(({ best }) => best)) return;
    const longest = /** @type {number} */ (times.at(-1));
    const lines = await provenLine(rules, cycles, p, longest, signal).catch((error) => {
      if (error.code !== "overloaded") throw error;
    });
    if (signal.aborted || !lines) return;
    proof.lines = lines;
    this.on.change();
  }
}
