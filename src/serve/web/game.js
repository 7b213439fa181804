// A game: where it starts, what was played, and where in it one looks.

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
    /** How many of the moves were played before what is looked at. */
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

  /** The house sown last before what is looked at. */
  get last() {
    return this.at > 0 ? this.houses[this.at - 1] : undefined;
  }

  /** All moves as letters. */
  get letters() {
    return this.houses.map((house) => LETTERS[house]).join("");
  }

  /**
   * Plays a move from what is looked at; other moves that came after it are given up.
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

  /** Looks at the situation after so many moves. @param {number} at */
  go(at) {
    this.at = Math.max(0, Math.min(at, this.length));
  }

  /**
   * After how many moves what is looked at was there before, if it was.
   * @returns {number | undefined}
   */
  get repeats() {
    const now = write(this.now);
    const first = this.situations.findIndex((situation) => write(situation) === now);
    return first < this.at ? first : undefined;
  }
}
