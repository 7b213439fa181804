// Random positions, the same in every run, and the answers of the program about them.

import { execFileSync } from "node:child_process";

/** A small generator of numbers below a limit. @param {number} seed */
function generator(seed) {
  let state = seed;
  return (/** @type {number} */ limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** @param {number} count @param {number} most seeds @returns {Uint8Array} twelve numbers for each */
export function randomPositions(count, most) {
  const below = generator(2026);
  const positions = new Uint8Array(12 * count);
  for (let at = 0; at < positions.length; at += 12) {
    const seeds = below(most + 1);
    for (let seed = 0; seed < seeds; seed++) positions[at + below(12)] += 1;
  }
  return positions;
}

/** Writes a position as text. @param {Uint8Array} positions @param {number} number */
export const nth = (positions, number) => positions.slice(12 * number, 12 * number + 12).join(" ");

/** Returns what `granero query --batch` answers: two bounds of each position, or -128 twice.
 * @param {string} granero the program
 * @param {string} db @param {string} cycles @param {Uint8Array} positions */
export function rangesByRust(granero, db, cycles, positions) {
  const lines = Array.from({ length: positions.length / 12 }, (_, number) => nth(positions, number));
  const asked = ["query", "--batch", "-", "--format", "tsv", "--cycles", cycles, "--db", db];
  const output = execFileSync(granero, asked, { input: lines.join("\n"), encoding: "utf8", maxBuffer: 1 << 26 });
  const numbers = output.trimEnd().split("\n").flatMap((line) => {
    const ends = line.split("\t").slice(1).flatMap((text) => (text === "-" ? [-128] : text.split("..").map(Number)));
    return [ends[0], ends[ends.length - 1]];
  });
  return Int8Array.from(numbers);
}
