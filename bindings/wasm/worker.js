// The worker of a search: it asks for the bytes of the tables, and posts the answer.

import { load, Tables } from "./index.js";

/** @param {any} question see `inWorker` in search.js */
async function answer({ port, module, manifest, cacheBytes, maxSeeds, asked }) {
  /** @type {((bytes: Uint8Array) => void)[]} */
  const waiting = [];
  port.onmessage = (/** @type {MessageEvent} */ { data: { number, bytes } }) => waiting[number](bytes);
  const source = {
    manifest: async () => manifest,
    read: (/** @type {{name: string}} */ { name }, /** @type {number} */ start, /** @type {number} */ end) =>
      new Promise((resolve) => {
        const number = waiting.push(resolve) - 1;
        port.postMessage({ wanted: { number, name, start, end } });
      }),
  };
  try {
    await load(module);
    /** @type {any} */
    const tables = await Tables.open(source, { maxSeeds, cacheBytes });
    const { what, position, text, game, positions, seconds } = asked;
    const options = { positions, seconds, worker: false };
    const answer = what === "prove" ? tables.prove(position, options) : tables.judge(text, game, options);
    port.postMessage({ answer: await answer });
  } catch ({ code = "no-answer", message, hint, at }) {
    port.postMessage({ error: { code, message, hint, at } });
  }
}

if (typeof WorkerGlobalScope === "function") onmessage = ({ data }) => answer(data);
else import("node:worker_threads").then(({ workerData }) => answer(workerData));
