// Tables in a directory, for Node.

import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { check } from "./errors.js";

/**
 * Tables in a directory.
 * @param {string | URL} place
 */
export function directory(place) {
  const path = place instanceof URL ? fileURLToPath(place) : place;
  check(typeof path === "string", "the path of a directory must be text or a URL");
  return {
    manifest: () => readFile(join(path, "granero.json"), "utf8"),
    /** @param {{name: string}} file @param {number} start @param {number} end */
    async read({ name }, start, end) {
      const file = await open(join(path, name));
      try {
        const { buffer, bytesRead } = await file.read(new Uint8Array(end - start), 0, end - start, start);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
  };
}
