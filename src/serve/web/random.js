// Random endgames in which there is something to find.

import * as api from "./api.js";
import { withEqualStores, write } from "./situation.js";
import { bounds } from "./value.js";

/** @typedef {import("./situation.js").Situation} Situation */

/** The attempts after which an endgame without a choice is accepted. */
const TRIES = 12;

/** Draws an endgame within reach of the tables in which not every move is best.
 * @param {string} rules @param {string} cycles
 * @param {number} most seeds
 * @param {number} game all seeds of the game
 * @returns {Promise<Situation>} */
export async function randomEndgame(rules, cycles, most, game) {
  let situation = draw(most, game);
  for (let tries = 0; tries < TRIES; tries++) {
    const { moves } = await api.assess(rules, cycles, write(situation));
    const values = new Set(moves.map((move) => bounds(move)?.low));
    if (moves.length >= 3 && values.size >= 2) break;
    situation = draw(most, game);
  }
  return situation;
}

/** @param {number} most @param {number} game @returns {Situation} */
function draw(most, game) {
  const least = Math.min(most, Math.max(3, most - 6));
  const seeds = least + below(most - least + 1);
  const houses = Array(12).fill(0);
  for (let i = 0; i < seeds; i++) houses[below(12)] += 1;
  return withEqualStores(houses, "S", game);
}

/** @param {number} limit */
const below = (limit) => Math.floor(Math.random() * limit);
