// Positions to begin with. All have eight seeds at most, so that the sample that is part of the
// program answers, too.

import { read } from "./situation.js";

/** @typedef {import("./situation.js").Situation} Situation */

const TEXTS = {
  "example.first": "0-2-0-1-1-0-1-0-2-0-1-0-20-20-S",
};

/** @type {{key: string, situation: Situation}[]} */
export const EXAMPLES = Object.entries(TEXTS).map(([key, text]) => {
  const situation = read(text);
  if (!situation) throw new Error(`${text} is no position`);
  return { key, situation };
});
