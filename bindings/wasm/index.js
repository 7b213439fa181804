// Exact endgame tables for Oware, for browsers and Node. The rules, the notations and the reader of
// the tables are the library granero itself, compiled to WebAssembly; see README.md.

import init, * as library from "./dist/granero.js";
import { GraneroError } from "./errors.js";
import { joined } from "./ranges.js";
import { http } from "./sources.js";

export { GraneroError } from "./errors.js";
export { http, memory } from "./sources.js";

/** What `worths` says of a position that the tables do not reach. */
export const UNKNOWN = -128;

/** So many bytes take less time than another request: where few are needed, as for a position, and where
 * many are, which wait for each other. */
const GAP = { few: 1 << 10, many: 8 << 10 };

/** @type {Promise<void> | undefined} */
let loading;

/**
 * Loads the library. Everything but `Tables.open` needs it first.
 * @param {BufferSource | WebAssembly.Module} [wasm] the file `granero_bg.wasm`, where it is not to be
 *   loaded from beside this file
 */
export function load(wasm) {
  loading ??= start(wasm).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** @param {BufferSource | WebAssembly.Module} [wasm] */
async function start(wasm) {
  await init({ module_or_path: wasm ?? (await bytes(new URL("dist/granero_bg.wasm", import.meta.url))) });
}

/** @param {URL} url */
async function bytes(url) {
  if (url.protocol === "file:") return (await import("node:fs/promises")).readFile(url);
  const response = await fetch(url).catch((error) => error);
  if (response.ok) return response.arrayBuffer();
  const why = response.status ? `HTTP ${response.status}` : response.message;
  throw new GraneroError({ code: "unreachable", message: `cannot load ${url}: ${why}` });
}

/** Reads an answer. @param {string} text */
function read(text) {
  const answer = JSON.parse(text);
  // A judgement may say what is wrong with a move, without a code.
  if (answer.error?.code) throw new GraneroError(answer.error);
  return answer;
}

/** @param {string | ArrayLike<number>} position */
const written = (position) => (typeof position === "string" ? position : Array.from(position).join(" "));

/** The legal moves of a position, or why the game is over.
 * @param {string | ArrayLike<number>} position @param {string} [rules] */
export const moves = (position, rules = "abapa") => read(library.moves(rules, written(position)));

/** The rulesets. */
export const rulesets = () => read(library.rulesets()).rulesets;

/** Tables, of which only those bytes are loaded that an answer needs. */
export class Tables {
  #reader;
  #source;
  #about;
  /** What is being loaded. @type {Map<string, Promise<void>>} */
  #loading = new Map();

  /** @param {library.Reader} reader @param {any} source */
  constructor(reader, source) {
    this.#reader = reader;
    this.#source = source;
    this.#about = JSON.parse(reader.about());
  }

  /**
   * Opens the tables of a directory.
   * @param {string | URL | object} source an address, or another source
   * @param {{maxSeeds?: number, cacheBytes?: number}} [options]
   */
  static async open(source, { maxSeeds = 48, cacheBytes = 32 << 20 } = {}) {
    const from = typeof source === "string" || source instanceof URL ? http(source) : source;
    const [manifest] = await Promise.all([from.manifest(), load()]);
    const tables = new Tables(reader(manifest, maxSeeds, cacheBytes), from);
    const [reach, heads = []] = await Promise.all([from.reach?.(tables.files), from.heads?.(tables.files)]);
    const reaches = reach === undefined || reach >= (tables.maxSeeds ?? 0);
    const opened = reaches ? tables : new Tables(reader(manifest, reach, cacheBytes), from);
    opened.files.forEach((_, file) => heads[file] && opened.#reader.supply(file, 0, heads[file]));
    return opened;
  }

  /** Tables without a layer: only the rules are known. @param {string} rules @param {string} cycles */
  static async empty(rules, cycles) {
    await load();
    return new Tables(reader(library.empty_manifest(rules, cycles), 0, 0), undefined);
  }

  get rules() {
    return this.#about.rules;
  }

  get cycles() {
    return this.#about.cycles;
  }

  get extent() {
    return this.#about.extent;
  }

  /** The most seeds of a position in the tables, or `null` without any. */
  get maxSeeds() {
    return this.#about.max_seeds;
  }

  /** Their files. */
  get files() {
    return this.#about.files;
  }

  /** What a position and its moves are worth. @param {string | ArrayLike<number>} position */
  async position(position) {
    const text = written(position);
    return read(await this.#ask((reader) => reader.position(text), GAP.few));
  }

  /** The best line from a position. @param {string | ArrayLike<number>} position */
  async line(position) {
    const text = written(position);
    return read(await this.#ask((reader) => reader.line(text)));
  }

  /**
   * What the moves of a game were worth.
   * @param {string} text games in any notation
   * @param {number} [game] which of them, counted from 1
   */
  async judge(text, game = 1) {
    return read(await this.#ask((reader) => reader.judge(text, game)));
  }

  /**
   * What many positions are worth, twelve numbers each: for each the least and the most.
   * @param {Uint8Array} positions
   */
  worths(positions) {
    return this.#ask((reader) => {
      try {
        return reader.worths(positions);
      } catch (error) {
        throw new GraneroError({ code: "no-answer", message: String(error) });
      }
    });
  }

  /**
   * Asks until all bytes that the answer needs are there.
   * @template T
   * @param {(reader: library.Reader) => T | undefined} question
   * @param {number} [gap]
   * @returns {Promise<T>}
   */
  async #ask(question, gap = GAP.many) {
    this.#reader.begin();
    for (;;) {
      const answer = question(this.#reader);
      if (answer !== undefined) return answer;
      const ranges = joined(inThrees(this.#reader.wanted()), gap);
      await Promise.all(ranges.map(({ file, start, end }) => this.#load(file, start, end)));
    }
  }

  /** Loads bytes, once for all who want them. @param {number} file @param {number} start @param {number} end */
  #load(file, start, end) {
    const key = `${file} ${start} ${end}`;
    const known = this.#loading.get(key);
    if (known) return known;
    const load = async () => {
      const bytes = await this.#source.read(this.files[file], start, end);
      if (bytes.length !== end - start) {
        const message = `${this.files[file].name} is shorter than its manifest says`;
        throw new GraneroError({ code: "damaged-tables", message });
      }
      this.#reader.supply(file, start, bytes);
    };
    const loading = load().finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }
}

/** Ranges of files, three numbers each. @param {Float64Array} wanted */
function inThrees(wanted) {
  const ranges = [];
  for (let at = 0; at < wanted.length; at += 3) {
    const [file, start, end] = wanted.subarray(at, at + 3);
    ranges.push({ file, start, end });
  }
  return ranges;
}

/** @param {string} manifest @param {number} maxSeeds @param {number} cacheBytes */
function reader(manifest, maxSeeds, cacheBytes) {
  try {
    return new library.Reader(manifest, maxSeeds, cacheBytes);
  } catch (error) {
    const hint = "is it the file granero.json of a directory of tables?";
    throw new GraneroError({ code: "damaged-tables", message: String(error), hint });
  }
}
