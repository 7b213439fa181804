import type { Source } from "./index.js";

/** Tables in a directory. */
export function directory(path: string | URL): Source;
