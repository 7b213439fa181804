// A game: a tree of situations. The first child of each is its main continuation, the rest are variations.

import { after, LETTERS, owner, write } from "./situation.js";

/** @typedef {import("./situation.js").Situation} Situation */

/** The longest comment that is kept, in characters. */
const LONGEST = 600;

/**
 * @typedef {object} Ply a move and what it leads to; the root has no move
 * @property {Ply | undefined} parent
 * @property {number} house the house that was sown, -1 at the root
 * @property {number} captured
 * @property {Situation} situation after the move
 * @property {string} comment
 * @property {Ply[]} children
 */

/** @param {Situation} situation @returns {Ply} */
const root = (situation) =>
  ({ parent: undefined, house: -1, captured: 0, situation, comment: "", children: [] });

export class Game {
  /** The move that is shown. @type {Ply} */
  ply;
  /** The moves to it and the main continuation, the root first. @type {Ply[]} */
  line = [];

  /** The names of the players, empty if they are not known. */
  names = { S: "", N: "" };
  /** The number of the first round. */
  first = 1;
  /** True if the game is reviewed. */
  reviewed = false;

  /** @param {Situation} start */
  constructor(start) {
    this.root = root(start);
    this.ply = this.root;
    this.show(this.root);
  }

  get start() {
    return this.root.situation;
  }

  get now() {
    return this.ply.situation;
  }

  /** The number of moves before what is shown. */
  get at() {
    return depth(this.ply);
  }

  /** The moves of the line that is shown. */
  get length() {
    return this.line.length - 1;
  }

  /** Returns the house of the last move before what is shown. */
  get last() {
    return this.ply.parent && this.ply.house;
  }

  /** Returns the moves of the game without variations, the root first. */
  get main() {
    return continued(this.root);
  }

  /** Returns the moves of the game without variations, as letters. */
  get letters() {
    return this.main.slice(1).map(({ house }) => LETTERS[house]).join("");
  }

  /** Shows a move. @param {Ply} ply */
  show(ply) {
    this.ply = ply;
    this.line = continued(ply);
    for (let above = ply.parent; above; above = above.parent) this.line.unshift(above);
  }

  /** Shows the situation after a number of moves of the line. @param {number} at */
  go(at) {
    this.show(this.line[Math.max(0, Math.min(at, this.length))]);
  }

  /** Plays a move from what is shown: one that is there already, or a new one. Where others are there, the new one is a
   * variation.
   * @param {number} house @param {{captured: number, conceded?: number, position: number[]}} move */
  play(house, move) {
    this.show(child(this.ply, house) ?? add(this.ply, house, move.captured, after(this.now, move)));
  }

  /** Makes the variation that a move is in the main one, one fork further up. @param {Ply} ply */
  promote(ply) {
    const first = forkOf(ply);
    const siblings = first?.parent?.children;
    if (!first || !siblings) return;
    siblings.splice(siblings.indexOf(first), 1);
    siblings.unshift(first);
    this.show(this.ply);
  }

  /** Deletes a move and all that follows. @param {Ply} ply */
  remove({ parent, house }) {
    if (!parent) return;
    parent.children = parent.children.filter((child) => child.house !== house);
    this.show(parent);
  }

  /** @param {Ply} ply @param {string} text */
  comment(ply, text) {
    ply.comment = text.replace(/[{}\s]+/g, " ").trim().slice(0, LONGEST);
  }

  /** Writes the moves, with variations in parentheses behind the move that they replace, and comments in braces. */
  get text() {
    return written(this.root);
  }

  /** Returns the number of the move that is shown in this text, the root as 0. */
  get place() {
    return plies(this.root).indexOf(this.ply);
  }

  /** Reads the moves that follow the start, as far as they are possible. Returns the fields of the address that are
   * not: `moves`, `at`, or both.
   * @param {string} text as `text` writes it
   * @param {(situation: Situation, house: number) => {captured: number, situation: Situation} | undefined} next
   * @param {number} [place] of the move that is shown, otherwise the last one of the game */
  read(text, next, place) {
    let ply = this.root;
    /** @type {Ply[]} */
    const forks = [];
    // Variations of a move that is not possible are skipped, and so is what follows.
    let skipped = 0;
    /** @type {Ply[]} */
    const read = [ply];
    let isWhole = true;
    for (const [token] of text.matchAll(/\{[^}]*\}|[^]/g)) {
      if (token === "(") {
        isWhole &&= ply.parent !== undefined;
        if (skipped || !ply.parent) skipped += 1;
        else {
          forks.push(ply);
          ply = ply.parent;
        }
      } else if (token === ")") {
        isWhole &&= skipped > 0 || forks.length > 0;
        if (skipped) skipped -= 1;
        else ply = forks.pop() ?? ply;
      } else if (token.length > 1) {
        if (!skipped) this.comment(ply, token.slice(1, -1));
      } else if (!skipped) {
        const house = LETTERS.indexOf(token);
        const found = house >= 0 && owner(house) === ply.situation.toMove ? next(ply.situation, house) : undefined;
        if (!found) {
          isWhole = false;
          if (forks.length === 0) break;
          // To the end of the variation.
          ply = /** @type {Ply} */ (forks.pop());
          skipped = 1;
        } else {
          ply = child(ply, house) ?? add(ply, house, found.captured, found.situation);
          read.push(ply);
        }
      }
    }
    this.show(read[place ?? -1] ?? this.main[this.main.length - 1]);
    return [isWhole && forks.length + skipped === 0 ? "" : "moves", read[place ?? 0] ? "" : "at"].filter(Boolean);
  }

  /** Returns all moves, the main ones before their variations, as in `text`; the root first. */
  get plies() {
    return plies(this.root);
  }

  /** Returns the number of moves after which the same situation occurred before, if it did.
   * @returns {number | undefined} */
  get repeats() {
    const now = write(this.now);
    const first = this.line.findIndex(({ situation }) => write(situation) === now);
    return first < this.at ? first : undefined;
  }
}

/** Returns the number of moves before a situation. @param {Ply} ply */
export function depth(ply) {
  let moves = 0;
  for (let above = ply.parent; above; above = above.parent) moves += 1;
  return moves;
}

/** Returns the move where the innermost variation of a move begins; `undefined` in the game. @param {Ply} ply */
export function forkOf(ply) {
  /** @type {Ply | undefined} */
  let first = ply;
  while (first?.parent && first.parent.children[0] === first) first = first.parent;
  return first?.parent && first;
}

/** @param {Ply} ply @param {number} house */
const child = (ply, house) => ply.children.find((child) => child.house === house);

/** @param {Ply} parent @param {number} house @param {number} captured @param {Situation} situation */
function add(parent, house, captured, situation) {
  const ply = { ...root(situation), parent, house, captured };
  parent.children.push(ply);
  return ply;
}

/** Returns a move and its main continuation. @param {Ply} ply */
function continued(ply) {
  const line = [ply];
  for (let next = ply.children[0]; next; next = next.children[0]) line.push(next);
  return line;
}

/** Writes what follows a move. @param {Ply} ply */
function written(ply) {
  let text = comment(ply);
  // A loop, because games are long; variations are not nested as deeply.
  for (let above = ply; above.children.length > 0; above = above.children[0]) {
    const [main, ...others] = above.children;
    text += LETTERS[main.house] + comment(main);
    for (const other of others) text += `(${LETTERS[other.house]}${written(other)})`;
  }
  return text;
}

/** @param {Ply} ply */
const comment = ({ comment }) => (comment ? `{${comment}}` : "");

/** Returns a move and all after it, in the order of `written`. @param {Ply} ply @returns {Ply[]} */
function plies(ply) {
  const all = [ply];
  for (let above = ply; above.children.length > 0; above = above.children[0]) {
    const [main, ...others] = above.children;
    all.push(main);
    for (const other of others) all.push(...plies(other));
  }
  return all;
}
