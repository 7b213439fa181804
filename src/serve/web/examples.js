// Positions to begin with. All but the start have at most eight seeds, which the sample tables of the
// program have.
//
// `granero find --layer 8` finds `tempting` with `--only-winning --stake 6`, `harvest` with
// `--only-winning --value 8 --stake 12`, and `feed` with `--moves 1 --value 2`; the rest show rules.

import { read } from "./situation.js";

/** @typedef {import("./situation.js").Situation} Situation */

const TEXTS = {
  "example.tempting": "1-0-2-0-1-2-0-1-0-0-0-1-20-20-S",
  "example.harvest": "0-1-1-1-0-2-1-1-0-0-0-1-18-22-S",
  "example.slam": "0-0-0-2-1-2-2-1-0-0-0-0-20-20-S",
  "example.feed": "1-1-0-2-4-0-0-0-0-0-0-0-20-20-S",
  "example.endless": "1-1-0-0-0-0-1-1-0-0-0-0-22-22-S",
  "example.start": "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S",
};

/** What is asked rather than shown. */
const QUESTIONS = ["example.tempting", "example.harvest", "example.feed"];

/** @type {{key: string, situation: Situation, asks: boolean}[]} */
export const EXAMPLES = Object.entries(TEXTS).map(([key, text]) => {
  const situation = read(text);
  if (!situation) throw new Error(`${text} is not a position`);
  return { key, situation, asks: QUESTIONS.includes(key) };
});
