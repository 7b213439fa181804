// A game: its start, its moves, and the number of moves before what is shown.

import { after, LETTERS, write } from "./situation.js";

/** @typedef {import("./situation.js").Situation} Situation */
/** @typedef {import("./api.js").Move} Move */

export class Game {
  /** @param {Situation} start */
  constructor(start) {
    /** All situations, the start first. */
    this.situations = [start];
    /** The houses played, one between each two situations. @type {number[]} */
    this.houses = [];
    /** The captures of these moves. @type {number[]} */
    this.captures = [];
    /** The number of moves before what is shown. */
    this.at = 0;
  }

  get start() {
    return this.situations[0];
  }

  get now() {
    return this.situations[this.at];
  }

  get length() {
    return this.houses.length;
  }

  /** Returns the house of the last move before what is shown. */
  get last() {
    return this.at > 0 ? this.houses[this.at - 1] : undefined;
  }

  /** Returns all moves as letters. */
  get letters() {
    return this.houses.map((house) => LETTERS[house]).join("");
  }

  /**
   * Plays a move from what is shown, and drops the moves after that.
   * @param {number} house
   * @param {Move} move
   */
  play(house, move) {
    if (this.houses[this.at] !== house) {
      this.houses.splice(this.at, Infinity, house);
      this.captures.splice(this.at, Infinity, move.captured);
      this.situations.splice(this.at + 1, Infinity, after(this.now, move));
    }
    this.at += 1;
  }

  /** Shows the situation after a number of moves. @param {number} at */
  go(at) {
    this.at = Math.max(0, Math.min(at, this.length));
  }

  /**
   * Returns the number of moves after which the same situation occurred before, if it did.
   * @returns {number | undefined}
   */
  get repeats() {
    const now = write(this.now);
    const first = this.situations.findIndex((situation) => write(situation) === now);
    return first < this.at ? first : undefined;
  }
}
