// The worker in which the player thinks.

import * as library from "../reader/index.js";

addEventListener("message", async ({ data: { id, what, args } }) => {
  try {
    await library.load();
    postMessage({ id, answer: /** @type {any} */ (library)[what](...args) });
  } catch (error) {
    postMessage({ id, error: String(/** @type {Error} */ (error).message) });
  }
});
