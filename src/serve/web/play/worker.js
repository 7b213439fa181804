// The worker in which the player thinks.

import { choose, difficulty } from "./player.js";

addEventListener("message", ({ data: { id, question, board, rules, level, best, options } }) =>
  postMessage({
    id,
    answer: question === "choose" ? choose(board, rules, level, options) : difficulty(board, rules, best),
  }));
