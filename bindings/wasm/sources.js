// Sources of the bytes of tables. A source has two functions, `manifest` and `read`; write one for tables
// in another place.

import { check, GraneroError, isAmount, isBuffer, isBytes, isObject } from "./errors.js";
import { Heads } from "./heads.js";
import { partsOf, within } from "./ranges.js";

const MANIFEST = "granero.json";

/** True for text and URLs. @param {unknown} source */
export const isAddress = (source) => typeof source === "string" || source instanceof URL;

/** Files with more bytes are not loaded whole. */
const WHOLE = 4 << 20;

/** The most parts of a file in one request. */
const TOGETHER = 50;

/**
 * Tables at an address. Parts of files are loaded with range requests. From a host that ignores them,
 * small files are loaded whole, and larger layers are left out.
 * @param {string | URL} address of the directory
 * @param {{wholeBytes?: number, ranges?: boolean, cache?: Cache,
 *   heads?: import("./heads.js").Listed}} [options] `ranges`: whether the host answers range requests,
 *   if that is known; `cache`: keeps the loaded bytes; `heads`: a file with the beginnings of all files,
 *   compressed, with the beginnings of their hashes
 */
export function http(address, options = {}) {
  check(isAddress(address), "the address of tables must be text or a URL");
  check(isObject(options), "options are an object, as { wholeBytes, ranges, cache, heads }");
  let { wholeBytes = WHOLE, ranges, cache, heads: listed } = options;
  check(isAmount(wholeBytes), "wholeBytes must be a number of bytes");
  check(ranges === undefined || typeof ranges === "boolean", "ranges must be true, false or undefined");
  const keeps = typeof cache?.match === "function" && typeof cache.put === "function";
  check(cache === undefined || keeps, "cache must be a Cache, as of caches.open()");
  check(listed === undefined || isObject(listed), "heads must be an object, as granero site writes it");
  // An older page listed them differently.
  const heads = listed?.headers ? new Heads(listed, cache, askTogether) : undefined;
  const directory = String(address).replace(/\/*$/, "/");
  /** True if the host answers requests for several parts; undefined until that is known. Of another origin,
   * browsers would first ask whether they may. @type {boolean | undefined} */
  let several = globalThis.location && new URL(directory, location.href).origin === location.origin ? undefined : false;
  /** Parts that are asked for together, when all of them have been looked up in the cache.
   * @type {Map<{name: string, bytes: number, sha256: string}, {start: number, end: number, take: (bytes: Promise<Uint8Array>) => void}[]>} */
  const waiting = new Map();
  let lookups = 0;
  /** Files that were loaded whole. @type {Map<string, Promise<Uint8Array>>} */
  const whole = new Map();

  /** @param {string} name @param {RequestInit} [options] */
  async function ask(name, options) {
    const url = directory + name;
    const response = await fetch(url, options).catch((error) => error);
    if (response.ok) return response;
    const why = response.status ? `HTTP ${response.status}` : response.message;
    throw new GraneroError({
      code: "unreachable",
      message: `cannot load ${url}: ${why}`,
      hint: response.status ? "is it there?" : "is the network there, and may this page ask that host?",
    });
  }

  /** The bytes of an answer. @param {Response} response @param {string} name @param {number} length */
  async function bytes(response, name, length) {
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (bytes.length === length) return bytes;
    throw new GraneroError({
      code: "damaged-tables",
      message: `${directory}${name}: ${bytes.length} bytes came instead of ${length}`,
      hint: "are all files those of the same tables, and whole?",
    });
  }

  /**
   * A file of the tables. Each version of the file has its own address, so that caches do not mix them.
   * @param {{name: string, sha256: string}} file @param {RequestInit} [options]
   */
  const askFor = (file, options) => ask(`${file.name}?${hash(file)}`, options);

  /** @param {{name: string, bytes: number}} file @param {() => Promise<Response>} response */
  function keepWhole(file, response) {
    let known = whole.get(file.name);
    if (!known) {
      known = response().then((response) => bytes(response, file.name, file.bytes));
      known.catch(() => whole.delete(file.name));
      whole.set(file.name, known);
    }
    return known;
  }

  /** @param {{name: string, bytes: number, sha256: string}} file @param {number} start @param {number} end */
  async function load(file, start, end) {
    const { name } = file;
    if (whole.has(name) || ranges === false && file.bytes <= wholeBytes) {
      return (await keepWhole(file, () => askFor(file))).slice(start, end);
    }
    const stop = new AbortController();
    const headers = { Range: `bytes=${start}-${end - 1}` };
    const response = await askFor(file, { headers, signal: stop.signal });
    if (response.status === 206) {
      ranges = true;
      return bytes(response, name, end - start);
    }
    ranges ??= false;
    if (file.bytes <= wholeBytes) {
      return (await keepWhole(file, async () => response)).slice(start, end);
    }
    stop.abort();
    throw new GraneroError({
      code: "no-ranges",
      message: `${directory} sends whole files only, and ${name} is too large for that`,
      hint: "the host of the tables has to answer range requests, as nearly all do",
    });
  }

  /** Asks for a part with the next requests. @param {{name: string, bytes: number, sha256: string}} file
   * @param {number} start @param {number} end @returns {Promise<Uint8Array>} */
  function together(file, start, end) {
    if (several === false || ranges === false) return load(file, start, end);
    return new Promise((take) => {
      const parts = waiting.get(file) ?? [];
      parts.push({ start, end, take });
      waiting.set(file, parts);
    });
  }

  /** Sends all that waits: one request for the parts of a file. */
  function send() {
    if (lookups > 0) return;
    for (const [file, all] of waiting) {
      waiting.delete(file);
      while (all.length > 0) {
        const parts = all.splice(0, TOGETHER);
        const answer = askTogether(parts, (options) => askFor(file, options));
        for (const { start, end, take } of parts) {
          take(answer.then((found) => within(found, start, end) ?? load(file, start, end)));
        }
      }
    }
  }

  /** Loads several parts; none if the host does not answer such requests.
   * @param {{start: number, end: number}[]} parts @param {(options: RequestInit) => Promise<Response>} ask */
  async function askTogether(parts, ask) {
    if (parts.length < 2 || several === false) return [];
    const stop = new AbortController();
    const headers = { Range: `bytes=${parts.map(({ start, end }) => `${start}-${end - 1}`).join(",")}` };
    const response = await ask({ headers, signal: stop.signal }).catch(() => undefined);
    if (!response?.ok) return [];
    several = response.status === 206 && /^multipart\/byteranges/i.test(response.headers.get("Content-Type") ?? "");
    if (several) return partsOf(new Uint8Array(await response.arrayBuffer()));
    stop.abort();
    return [];
  }

  /** @param {{name: string, bytes: number, sha256: string}} file @param {number} start @param {number} end */
  async function read(file, start, end) {
    const key = `${directory}${file.name}?${hash(file)}-${start}-${end}`;
    lookups += 1;
    const kept = await cache?.match(key).catch(() => undefined);
    const asked = kept ? undefined : together(file, start, end);
    lookups -= 1;
    if (lookups === 0) queueMicrotask(send);
    if (kept) return new Uint8Array(await kept.arrayBuffer());
    const bytes = /** @type {Uint8Array} */ (await asked);
    // If the cache has no room, the bytes are loaded again.
    cache?.put(key, new Response(bytes)).catch(() => {});
    return bytes;
  }

  return {
    /** True if the host answers range requests; undefined until that is known. */
    get ranges() {
      return ranges;
    },

    async manifest() {
      // It lists the files, so it must be current.
      return (await ask(MANIFEST, { cache: "no-cache" })).text();
    },

    /** @param {{name: string, bytes: number, sha256: string}} file @param {number} start @param {number} end */
    async read(file, start, end) {
      // A file that is loaded whole includes its beginning.
      const head = ranges === false ? undefined : heads?.of(hash(file));
      if (!head || start < head.start || start >= head.end) return read(file, start, end);
      const middle = Math.min(end, head.end);
      const known = head.bytes().then((bytes) => bytes.subarray(start - head.start, middle - head.start));
      const [first, rest] = await Promise.all([
        known.catch(() => read(file, start, middle)),
        middle < end ? read(file, middle, end) : new Uint8Array(),
      ]);
      const both = new Uint8Array(end - start);
      both.set(first);
      both.set(rest, first.length);
      return both;
    },

    /**
     * The most seeds of layers that can be loaded from this host.
     * @param {{name: string, bytes: number, sha256: string, seeds: number}[]} files of the layers, in order
     */
    async reach(files) {
      // Without a network, the cache may suffice.
      if (ranges === undefined && files.length > 0) await load(files[0], 0, 1).catch(() => {});
      if (ranges !== false) return undefined;
      const large = files.find((file) => file.bytes > wholeBytes);
      return large && Math.max(large.seeds - 1, 0);
    },

    /**
     * The headers of files, as far as the file of beginnings has them. It may belong to an earlier version of
     * the tables.
     * @param {{sha256: string}[]} files
     */
    async heads(files) {
      return heads?.headers(files.map(hash)).catch(() => undefined);
    },
  };
}

/** The beginning of the hash of a file. @param {{sha256: string}} file */
const hash = ({ sha256 }) => sha256.slice(0, 16);

/**
 * Tables in memory.
 * @param {Record<string, ArrayBuffer | Uint8Array>} files by their names
 */
export function memory(files) {
  check(isObject(files), "files must be an object with the bytes of each by its name");
  /** @param {string} name */
  const bytes = (name) => {
    const file = files[name];
    if (file === undefined) {
      throw new GraneroError({ code: "unreachable", message: `there is no file ${name} among those given` });
    }
    check(isBytes(file) || isBuffer(file), `the file ${name} must be an ArrayBuffer or a Uint8Array`);
    return isBytes(file) ? file : new Uint8Array(file);
  };
  return {
    async manifest() {
      return new TextDecoder().decode(bytes(MANIFEST));
    },
    /** @param {{name: string}} file @param {number} start @param {number} end */
    async read({ name }, start, end) {
      return bytes(name).slice(start, end);
    },
  };
}
