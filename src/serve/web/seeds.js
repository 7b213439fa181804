// The places of seeds in a house or a store.

import { svg } from "./dom.js";

/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./geometry.js").Point} Point */

export const SEED = 12.5;

/** The most seeds that are drawn in a house, which also has the number. */
const MOST_DRAWN = 18;

/** Rings of seeds: their number, and their distance from the middle. The first twelve seeds lie side by side, more lie
 * in a heap on top.
 * @type {Record<number, [number, number][]>} */
const RINGS = {
  1: [[1, 0]],
  2: [[2, 1.15]],
  3: [[3, 1.3]],
  4: [[4, 1.6]],
  5: [[5, 1.95]],
  6: [[1, 0], [5, 2.15]],
  7: [[1, 0], [6, 2.2]],
  8: [[1, 0], [7, 2.45]],
  9: [[2, 1.05], [7, 2.85]],
  10: [[3, 1.2], [7, 2.95]],
  11: [[3, 1.2], [8, 2.95]],
  12: [[3, 1.2], [9, 2.98]],
};

/** Returns a number between 0 and 1 that looks random and is always the same. @param {number} a @param {number} b */
export function scatter(a, b) {
  const wave = Math.sin(a * 127.1 + b * 311.7) * 43758.5453;
  return wave - Math.floor(wave);
}

/** Returns the places of seeds in a house, relative to its middle.
 * @param {number} count
 * @param {number} house turns them differently in each house
 * @returns {Point[]} */
export function inHouse(count, house) {
  const drawn = Math.min(count, MOST_DRAWN);
  const points = rings(Math.min(drawn, 12), house);
  return drawn > 12 ? [...points, ...rings(drawn - 12, house + 0.5)] : points;
}

/** @param {number} count @param {number} house @returns {Point[]} */
function rings(count, house) {
  return (RINGS[count] ?? []).flatMap(([seeds, distance], ring) => {
    const turn = 2 * Math.PI * (scatter(house, count) + ring * 0.17);
    return Array.from({ length: seeds }, (_, i) => {
      const angle = turn + (2 * Math.PI * i) / seeds;
      const from = SEED * distance;
      return {
        x: from * Math.cos(angle) + 2 * (scatter(house + i, ring) - 0.5),
        y: from * Math.sin(angle) + 2 * (scatter(ring, house + i) - 0.5),
      };
    });
  });
}

/** Returns the places of seeds in a store, strewn from its middle outwards.
 * @param {number} count @param {Box} box @returns {Point[]} */
export function inStore(count, box) {
  const golden = Math.PI * (3 - Math.sqrt(5));
  return Array.from({ length: count }, (_, i) => {
    const from = Math.sqrt((i + 0.5) / 48);
    return {
      x: (box.width / 2 - 20) * from * Math.cos(i * golden),
      y: (box.height / 2 - 20) * from * Math.sin(i * golden),
    };
  });
}

/** Draws a seed. @param {Point} at @param {number} number turns each one differently */
export const seed = (at, number) =>
  svg("use", {
    href: "#seed",
    class: `seed tint-${number % 3}`,
    transform: `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)}) rotate(${(number * 67) % 360})`,
  });
