// Sowing, which is the same in all rulesets. The server knows captures and legal moves.

import { firstHouse, other, sum } from "./situation.js";

/** @typedef {import("./situation.js").Situation} Situation */

/**
 * Returns the houses that get a seed, one after the other; the house that is sown is skipped.
 * @param {number[]} houses
 * @param {number} from
 * @returns {number[]}
 */
export function path(houses, from) {
  const steps = [];
  for (let house = from; steps.length < houses[from]; ) {
    house = (house + 1) % 12;
    if (house !== from) steps.push(house);
  }
  return steps;
}

/**
 * Returns the houses after sowing, before any capture.
 * @param {number[]} houses
 * @param {number} from
 */
export function sown(houses, from) {
  const after = [...houses];
  after[from] = 0;
  for (const house of path(houses, from)) after[house] += 1;
  return after;
}

/**
 * Returns the houses that a move captures, in the order in which their seeds are taken.
 * @param {number[]} before
 * @param {number} from
 * @param {number[]} after the houses after the move
 */
export function captured(before, from, after) {
  const full = sown(before, from);
  const taken = full.flatMap((seeds, house) => (after[house] < seeds ? [house] : []));
  return taken.reverse();
}

/**
 * Returns true if a move is a grand slam: all houses in which the opponent then has seeds are in its
 * chain of captures.
 * @param {Situation} situation
 * @param {number} from
 */
export function isGrandSlam({ houses, toMove }, from) {
  const first = firstHouse(other(toMove));
  const full = sown(houses, from);
  let left = sum(full.slice(first, first + 6));
  let house = path(houses, from).at(-1) ?? from;
  const lastIsTheirs = house >= first && house < first + 6;
  for (; house >= first && house < first + 6 && (full[house] === 2 || full[house] === 3); house--) {
    left -= full[house];
  }
  return lastIsTheirs && left === 0;
}
