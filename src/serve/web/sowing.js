// Sowing, which is the same in all rulesets. The server knows captures and legal moves.

import { firstHouse, other, sum } from "./situation.js";

/** @typedef {import("./situation.js").Situation} Situation */

/** Returns the houses that get a seed, one after the other; the house that is sown is skipped.
 * @param {number[]} houses @param {number} from @returns {number[]} */
export function path(houses, from) {
  const steps = [];
  for (let house = from; steps.length < houses[from]; ) {
    house = (house + 1) % 12;
    if (house !== from) steps.push(house);
  }
  return steps;
}

/** Returns the houses after sowing, before any capture. @param {number[]} houses @param {number} from */
export function sown(houses, from) {
  const after = [...houses];
  after[from] = 0;
  for (const house of path(houses, from)) after[house] += 1;
  return after;
}

/** Returns the houses that a move captures, in the order in which their seeds are taken.
 * @param {number[]} before @param {number} from
 * @param {number[]} after the houses after the move */
export function captured(before, from, after) {
  const full = sown(before, from);
  const taken = full.flatMap((seeds, house) => (after[house] < seeds ? [house] : []));
  return taken.reverse();
}

/** Returns true if a move is a grand slam: all houses in which the opponent then has seeds are in its chain of
 * captures.
 * @param {Situation} situation @param {number} from */
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

/** By what a grand slam takes: the houses that it captures, given its chain by the first house and the one after the
 * last.
 * @type {Record<string, (chain: [number, number]) => [number, number]>} */
export const SLAM_TAKES = {
  nothing: ([first]) => [first, first],
  everything: (chain) => chain,
  "all-but-last": ([first, end]) => [first + 1, end],
  "all-but-first": ([first, end]) => [first, end - 1],
};

/** Returns what a move leads to, if it is legal.
 * @param {{slam_takes: string, slam_ends_game: boolean}} rules @param {Situation} situation @param {number} from
 * @returns {{captured: number, situation: Situation} | undefined} `undefined` for an empty house */
export function played({ slam_takes: takes, slam_ends_game: ends }, situation, from) {
  const { houses, south, north, toMove } = situation;
  if (houses[from] === 0) return undefined;
  const after = sown(houses, from);
  const first = firstHouse(other(toMove));
  const end = (path(houses, from).at(-1) ?? from) + 1;
  let begin = end;
  /** @param {number} house */
  const isTaken = (house) => house >= first && house < first + 6 && (after[house] === 2 || after[house] === 3);
  while (isTaken(begin - 1)) begin -= 1;
  const slam = isGrandSlam(situation, from);
  /** @type {[number, number]} */
  const all = [begin, end];
  const chain = slam ? SLAM_TAKES[takes](all) : all;
  const captured = sum(after.slice(...chain));
  after.fill(0, ...chain);
  // The opponent gets what is left.
  const conceded = slam && ends ? sum(after) : 0;
  if (conceded) after.fill(0);
  const [mine, theirs] = toMove === "S" ? [south, north] : [north, south];
  const stores = [mine + captured, theirs + conceded];
  const [souths, norths] = toMove === "S" ? stores : stores.reverse();
  return { captured, situation: { houses: after, south: souths, north: norths, toMove: other(toMove) } };
}
