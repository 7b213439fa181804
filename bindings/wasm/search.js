// Searches in a worker, so that they hold up nothing, and can be ended.

import { GraneroError } from "./errors.js";

/** Starts a worker with data for `worker.js`. @param {{port: MessagePort}} data */
async function start(data) {
  if (typeof Worker === "function") {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.postMessage(data, [data.port]);
    return worker;
  }
  const { Worker: Thread } = await import("node:worker_threads");
  // Options of this process, like --input-type, are not for the worker.
  const options = { workerData: data, transferList: [data.port], execArgv: [] };
  return new Thread(new URL("./worker.js", import.meta.url), /** @type {any} */ (options));
}

/**
 * Asks tables a question in a worker.
 * @param {{module: WebAssembly.Module | undefined, manifest: string, cacheBytes: number, maxSeeds: number,
 *   asked: object}} question
 * @param {(name: string, start: number, end: number) => Promise<Uint8Array>} bytes reads bytes of a file
 * @param {AbortSignal} [signal] ends the worker
 */
export async function inWorker(question, bytes, signal) {
  const { port1: here, port2: port } = new MessageChannel();
  /** @type {any} */
  const worker = await start({ ...question, port });
  /** @type {() => void} */
  let abort;
  try {
    return await new Promise((resolve, reject) => {
      abort = () => reject(signal.reason);
      signal?.addEventListener("abort", abort);
      if (signal?.aborted) abort();
      const fail = (/** @type {any} */ error) => reject(new Error(`the worker for a search failed: ${error.message}`));
      worker.onerror = fail;
      worker.on?.("error", fail);
      here.onmessage = async ({ data: { answer, error, wanted } }) => {
        if (error) return reject(new GraneroError(error));
        if (!wanted) return resolve(answer);
        try {
          const copy = new Uint8Array(await bytes(wanted.name, wanted.start, wanted.end));
          here.postMessage({ number: wanted.number, bytes: copy }, [copy.buffer]);
        } catch (error) {
          reject(error);
        }
      };
    });
  } finally {
    signal?.removeEventListener("abort", abort);
    worker.terminate();
    here.close();
  }
}
