// The seeds in all houses and stores, and whose turn it is.
//
// Houses are numbered as they are sown: 0 to 5 are South's A to F, 6 to 11 North's a to f.

/** @typedef {"S" | "N"} Side */

/**
 * @typedef {object} Situation
 * @property {number[]} houses the seeds in A to F and a to f
 * @property {number} south the seeds that South has captured
 * @property {number} north the seeds that North has captured
 * @property {Side} toMove
 */

/** All seeds of the usual game, and of those that begin with fewer in each house. */
export const GAMES = [48, 36, 24, 12];

export const LETTERS = "ABCDEFabcdef";

/** Returns the situation in which a game begins. @param {number} game its seeds @returns {Situation} */
export const opening = (game) => ({ houses: Array(12).fill(game / 12), south: 0, north: 0, toMove: "S" });

export const START = opening(48);

/** @param {Side} side @returns {Side} */
export const other = (side) => (side === "S" ? "N" : "S");

/** Returns the owner of a house. @param {number} house @returns {Side} */
export const owner = (house) => (house < 6 ? "S" : "N");

/** Returns the first of a player's houses. @param {Side} side */
export const firstHouse = (side) => (side === "S" ? 0 : 6);

/** @param {number[]} houses */
export const sum = (houses) => houses.reduce((total, seeds) => total + seeds, 0);

/** Returns all seeds of the game. @param {Situation} situation */
export const total = ({ houses, south, north }) => sum(houses) + south + north;

/** Returns the seeds that a player has captured. @param {Situation} situation @param {Side} side */
export const store = (situation, side) => (side === "S" ? situation.south : situation.north);

/** Returns twelve houses as the other player sees them. @param {number[]} houses */
export const turned = (houses) => [...houses.slice(6), ...houses.slice(0, 6)];

/** Turns twelve houses so that the houses of the player to move come first, as in the API, or back.
 * @param {number[]} houses @param {Side} toMove */
export const seenBy = (houses, toMove) => (toMove === "S" ? houses : turned(houses));

/** Shares the seeds that are not on the board as equally as possible.
 * @param {number[]} houses @param {Side} toMove
 * @param {number} game all seeds
 * @returns {Situation} */
export function withEqualStores(houses, toMove, game = 48) {
  const captured = (sum(houses) > game ? 48 : game) - sum(houses);
  const south = Math.ceil(captured / 2);
  return { houses, south, north: captured - south, toMove };
}

/** Writes Aalina's notation: `4-4-4-4-4-4-4-4-4-4-4-4-0-0-S`. @param {Situation} situation */
export const write = ({ houses, south, north, toMove }) =>
  [...houses, south, north, toMove].join("-");

/** Reads Aalina's notation. @param {string} text @returns {Situation | null} `null` if it is none */
export function read(text) {
  const match = /^(\d+(?:-\d+){13})-([SN])$/.exec(text.trim());
  if (!match) return null;
  const numbers = match[1].split("-").map(Number);
  if (!GAMES.includes(sum(numbers))) return null;
  return {
    houses: numbers.slice(0, 12),
    south: numbers[12],
    north: numbers[13],
    toMove: /** @type {Side} */ (match[2]),
  };
}

/** Returns the situation after a move of the API.
 * @param {Situation} situation @param {{captured: number, conceded?: number, position: number[]}} move
 * @returns {Situation} */
export function after({ houses: _, south, north, toMove }, { captured, conceded = 0, position }) {
  const next = other(toMove);
  return {
    houses: seenBy(position, next),
    south: south + (toMove === "S" ? captured : conceded),
    north: north + (toMove === "N" ? captured : conceded),
    toMove: next,
  };
}
