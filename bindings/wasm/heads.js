// The beginnings of the files of tables, which `granero site` has compressed into one file: first all
// headers, then the rest of each beginning by itself. Each part is loaded when it is first needed.

import { check } from "./errors.js";
import { joined, within } from "./ranges.js";

/** The bytes of a header. */
const HEADER = 132;

/** The largest gap between parts that are loaded with one request. */
const GAP = 1 << 10;

/**
 * @typedef {{start: number, end: number, plain?: Promise<Uint8Array>}} Part its place in the file, and its
 *   bytes once they were requested
 * @typedef {{address: string | URL, headers: number,
 *   files: {sha256: string, bytes: number, compressed: number}[]}} Listed
 */

export class Heads {
  /** The beginnings of other tables have another address. */
  #address;
  #cache;
  /** Loads several parts with one request; none if the host does not answer such requests. */
  #together;
  /** @type {Part} */
  #headers;
  /** By the beginnings of the hashes of files. @type {Map<string, {number: number, bytes: number, rest: Part}>} */
  #files = new Map();
  /** The parts to load next. @type {{part: Part, take: (bytes: Promise<Uint8Array>) => void}[]} */
  #asked = [];
  /** The whole file, from a host that ignores range requests. @type {Uint8Array | undefined} */
  #whole;

  /** @param {Listed} listed @param {Cache | undefined} cache
   * @param {(parts: {start: number, end: number}[], ask: (options: RequestInit) => Promise<Response>) =>
   *   Promise<{start: number, bytes: Uint8Array}[]>} together */
  constructor({ address, headers, files }, cache, together) {
    check(Array.isArray(files), "the files of heads must be an array, as granero site writes it");
    this.#address = String(address);
    this.#cache = cache;
    this.#together = together;
    this.#headers = { start: 0, end: headers };
    let start = headers;
    files.forEach(({ sha256, bytes, compressed }, number) => {
      const end = start + compressed;
      this.#files.set(sha256, { number, bytes, rest: { start, end } });
      start = end;
    });
  }

  /** The headers of files by their hashes, as far as this file has them. @param {string[]} hashes */
  async headers(hashes) {
    const all = await this.#plain(this.#headers);
    if (all.length !== HEADER * this.#files.size) throw new Error("other headers");
    return hashes.map((hash) => {
      const file = this.#files.get(hash);
      return file && all.subarray(HEADER * file.number, HEADER * (file.number + 1));
    });
  }

  /**
   * The part of a file that is here, found by the file's hash: the bytes from `start` to `end`.
   * @param {string} hash
   * @returns {undefined | {start: number, end: number, bytes: () => Promise<Uint8Array>}}
   */
  of(hash) {
    const file = this.#files.get(hash);
    if (!file) return undefined;
    const length = file.bytes - HEADER;
    const bytes = async () => {
      const plain = await this.#plain(file.rest);
      if (plain.length !== length) throw new Error("another beginning");
      return plain;
    };
    return { start: HEADER, end: file.bytes, bytes };
  }

  /** @param {Part} part */
  #plain(part) {
    part.plain ??= this.#load(part).then(inflated);
    part.plain.catch(() => (part.plain = undefined));
    return part.plain;
  }

  /** Loads a part, together with all parts that are requested at the same time. @param {Part} part */
  #load(part) {
    if (this.#asked.length === 0) queueMicrotask(() => this.#loadAsked());
    return new Promise((take) => this.#asked.push({ part, take }));
  }

  async #loadAsked() {
    const asked = this.#asked.sort((one, other) => one.part.start - other.part.start);
    this.#asked = [];
    const kept = await Promise.all(asked.map(({ part }) => this.#cache?.match(this.#key(part)).catch(() => undefined)));
    kept.forEach((kept, number) => kept && asked[number].take(bytesOf(kept)));
    const missing = asked.filter((_, number) => !kept[number]);
    const ranges = joined(missing.map(({ part }) => part), GAP);
    const together = this.#whole ? Promise.resolve([]) : this.#together(ranges, (options) => this.#fetch(options));
    for (const range of ranges) {
      const coming = together.then((found) => within(found, range.start, range.end) ?? this.#range(range));
      for (const { part, take } of missing) {
        if (part.start < range.start || part.end > range.end) continue;
        const bytes = coming.then((bytes) => bytes.slice(part.start - range.start, part.end - range.start));
        // If the cache has no room, it is loaded again. Only gzip is kept, not a page that came instead.
        const keep = async () => {
          const [compressed] = await Promise.all([bytes, bytes.then(inflated)]);
          await this.#cache?.put(this.#key(part), new Response(compressed));
        };
        keep().catch(() => (this.#whole = undefined));
        take(bytes);
      }
    }
  }

  /** @param {{start: number, end: number}} range */
  async #range({ start, end }) {
    if (this.#whole) return this.#whole.slice(start, end);
    const response = await this.#fetch({ headers: { Range: `bytes=${start}-${end - 1}` } });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const bytes = await bytesOf(response);
    if (response.status === 206) {
      if (bytes.length !== end - start) throw new Error("a part of another length");
      return bytes;
    }
    this.#whole = bytes;
    return bytes.slice(start, end);
  }

  /** @param {RequestInit} options */
  #fetch(options) {
    // Parts of one file would wait for each other at the cache of the browser.
    return fetch(this.#address, { cache: this.#cache ? "no-store" : "default", ...options });
  }

  /** @param {Part} part */
  #key = ({ start, end }) => `${this.#address}?${start}-${end}`;
}

/** @param {Response} response */
const bytesOf = async (response) => new Uint8Array(await response.arrayBuffer());

/** @param {Uint8Array} bytes */
async function inflated(bytes) {
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return bytesOf(new Response(plain));
}
