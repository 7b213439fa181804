// Estimates of moves beyond the tables, of one position at a time.

import { estimate } from "./player.js";

/** @typedef {import("./player.js").Estimate} Estimate */

export class Estimates {
  /** Nothing where the player did not answer. @type {Map<string, Estimate | undefined>} */
  #found = new Map();
  #busy = false;

  /** @param {() => void} onchange */
  constructor(onchange) {
    this.onchange = onchange;
  }

  /** @param {string} key */
  of(key) {
    return this.#found.get(key);
  }

  /** Asks the player, unless it thinks about another position: after that, what is shown then is asked for.
   * @param {string} key names the position, with the rules
   * @param {import("./situation.js").Situation} situation @param {string} rules */
  async ask(key, situation, rules) {
    if (this.#busy || this.#found.has(key)) return;
    this.#busy = true;
    this.#found.set(key, await estimate(situation, rules).catch(() => undefined));
    this.#busy = false;
    this.onchange();
  }

  forget() {
    this.#found.clear();
  }
}
