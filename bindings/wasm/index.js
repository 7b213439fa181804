// Exact endgame tables for Oware, for browsers and Node. The rules, the notations and the reader of
// the tables are the library granero itself, compiled to WebAssembly; see README.md.

import init, * as library from "./dist/granero.js";
import { check, GraneroError, isAmount, isBuffer, isBytes, isObject, isWhole } from "./errors.js";
import { joined } from "./ranges.js";
import { http, isAddress } from "./sources.js";

export { GraneroError } from "./errors.js";
export { http, memory } from "./sources.js";

/** Marks positions beyond the tables in `ranges`. */
export const UNKNOWN = -128;

/** The largest gaps between bytes that are loaded with one request: for a few bytes, as for a position, and
 * for many requests that wait for each other. */
const GAP = { few: 1 << 10, many: 8 << 10 };

/** For many requests that wait for each other, files up to this size are loaded whole, with all smaller layers. */
const SMALL = 288 << 10;

/** The most seeds on a board. */
const SEEDS = 48;

/** The highest level of the player. */
const PERFECT = 8;

/** @type {Promise<WebAssembly.Module> | undefined} */
let loading;
let loaded = false;

/**
 * Loads the library. Call it before anything except `Tables.open`.
 * @param {BufferSource | WebAssembly.Module} [wasm] the file `granero_bg.wasm` (default: the one beside this
 *   file)
 */
export async function load(wasm) {
  const known = wasm === undefined || wasm instanceof WebAssembly.Module || ArrayBuffer.isView(wasm) || isBuffer(wasm);
  check(known, "load() takes nothing, or the file granero_bg.wasm as bytes or as a WebAssembly.Module");
  loading ??= start(wasm).catch((error) => {
    loading = undefined;
    throw error;
  });
  await loading;
}

/** @param {BufferSource | WebAssembly.Module} [wasm] */
async function start(wasm) {
  const module = wasm instanceof WebAssembly.Module ? wasm : await (wasm ? WebAssembly.compile(wasm) : compiled());
  await init({ module_or_path: module });
  loaded = true;
  return module;
}

/** The module beside this file. A browser compiles it while it arrives, if the host names its type. */
async function compiled() {
  const url = new URL("dist/granero_bg.wasm", import.meta.url);
  if (url.protocol === "file:") return WebAssembly.compile(await (await import("node:fs/promises")).readFile(url));
  const response = await fetch(url).catch((error) => error);
  if (!response.ok) {
    const why = response.status ? `HTTP ${response.status}` : response.message;
    throw new GraneroError({ code: "unreachable", message: `cannot load ${url}: ${why}` });
  }
  // Nothing may follow the type, or the browser refuses.
  const isNamed = response.headers.get("Content-Type")?.trim().toLowerCase() === "application/wasm";
  return isNamed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** @returns {typeof library} the library, once it is loaded */
function needed() {
  if (loaded) return library;
  throw new GraneroError({ code: "not-loaded", message: "the library is not there yet: await load() first" });
}

/** Asks the library a question that needs no tables. @param {object} question */
const ask = (question) => read(needed().ask(JSON.stringify(question)));

/** Turns a thrown text into an error.
 * @template T @param {() => T} question @param {string} code @param {string} [hint] */
function attempt(question, code, hint) {
  try {
    return question();
  } catch (error) {
    throw new GraneroError({ code, message: String(error), hint });
  }
}

/** Reads an answer. @param {string} text */
function read(text) {
  const answer = JSON.parse(text);
  // A judgement may have an error about a move, without a code.
  if (answer.error?.code) throw new GraneroError(answer.error);
  return answer;
}

/** A position as text. @param {string | ArrayLike<number>} position */
function written(position) {
  if (typeof position === "string") return position;
  const seeds = isObject(position) && position.length === 12 ? Array.from(position) : [];
  check(seeds.length === 12 && seeds.every(Number.isInteger), "a position is text, or twelve whole numbers of seeds");
  return seeds.join(" ");
}

/** How a search is made.
 * @param {{positions?: number, seconds?: number, signal?: AbortSignal, worker?: boolean}} options
 * @param {[number, number]} usual the positions and the seconds without a limit */
function search(options, usual) {
  check(isObject(options), "options are an object, as { positions, seconds, signal, worker }");
  const { positions = Infinity, seconds = Infinity, signal, worker = true } = options;
  check(isAmount(positions), "positions must be a number of positions");
  check(isAmount(seconds), "seconds must be a number of seconds");
  check(signal === undefined || signal instanceof AbortSignal, "signal must be an AbortSignal");
  check(typeof worker === "boolean", "worker must be true or false");
  const isOpen = options.positions === undefined && options.seconds === undefined;
  return { limits: isOpen ? usual : [positions, seconds], signal, worker };
}

/** @param {unknown} text @param {string} what */
const checkText = (text, what) => check(typeof text === "string", `${what} must be text`);

/** The legal moves of a position, or why the game is over.
 * @param {string | ArrayLike<number>} position @param {string} [rules] */
export function moves(position, rules = "abapa") {
  checkText(rules, "the name of a ruleset");
  return ask({ what: "moves", rules, position: written(position) });
}

/**
 * Chooses a move without tables.
 * @param {string | ArrayLike<number>} position
 * @param {{rules?: string, level?: number, seconds?: number, among?: string[], luck?: number}} [options]
 * @returns {{house: string | null}}
 */
export function choose(position, options = {}) {
  check(isObject(options), "options are an object, as { rules, level, seconds, among, luck }");
  const { rules = "abapa", level = PERFECT, seconds = 1, among = [], luck = Math.random() } = options;
  checkText(rules, "the name of a ruleset");
  check(isWhole(level, 1, PERFECT), `level must be a whole number from 1 to ${PERFECT}`);
  check(isAmount(seconds), "seconds must be a number of seconds");
  check(isAmount(luck), "luck must be a number");
  return ask({ what: "choose", rules, position: written(position), level, seconds, luck, houses: houses(among) });
}

/** Estimates what each move of a position is worth, without tables.
 * @param {string | ArrayLike<number>} position @param {string} [rules] */
export function estimate(position, rules = "abapa") {
  checkText(rules, "the name of a ruleset");
  return ask({ what: "estimate", rules, position: written(position) });
}

/** Tells how easily a player goes wrong in a position whose best moves are known.
 * @param {string | ArrayLike<number>} position @param {string[]} best @param {string} [rules] */
export function difficulty(position, best, rules = "abapa") {
  checkText(rules, "the name of a ruleset");
  return ask({ what: "difficulty", rules, position: written(position), houses: houses(best) });
}

/** Houses as a text. @param {string[]} letters */
function houses(letters) {
  const areHouses = Array.isArray(letters) && letters.every((letter) => /^[A-F]$/.test(letter));
  check(areHouses, "houses are an array of the letters A to F");
  return letters.join("");
}

/** The rulesets. */
export const rulesets = () => read(needed().rulesets()).rulesets;

/** Tables. Only the bytes that an answer needs are loaded. */
export class Tables {
  #reader;
  #source;
  #opened;
  #about;
  /** Small files that were loaded whole. @type {Set<number>} */
  #whole = new Set();
  /** The loads in progress. @type {Map<string, Promise<void>>} */
  #loading = new Map();

  /** @param {library.Reader} reader @param {any} source @param {{manifest: string, cacheBytes: number}} opened */
  constructor(reader, source, opened) {
    check(reader instanceof library.Reader, "new Tables() is not for programs: use Tables.open or Tables.empty");
    this.#reader = reader;
    this.#source = source;
    this.#opened = opened;
    this.#about = JSON.parse(reader.about());
  }

  /**
   * Opens the tables of a directory.
   * @param {string | URL | object} source an address, or another source
   * @param {{maxSeeds?: number, cacheBytes?: number}} [options]
   */
  static async open(source, options = {}) {
    check(isObject(options), "options are an object, as { maxSeeds, cacheBytes }");
    const { maxSeeds = SEEDS, cacheBytes = 32 << 20 } = options;
    check(isWhole(maxSeeds, 0, SEEDS), `maxSeeds must be a whole number from 0 to ${SEEDS}`);
    check(isAmount(cacheBytes), "cacheBytes must be a number of bytes");
    const from = isAddress(source) ? http(source) : source;
    const isSource = typeof from?.manifest === "function" && typeof from.read === "function";
    check(isSource, "tables are at an address, as text or URL, or in a source with the functions manifest and read");
    const [manifest] = await Promise.all([from.manifest(), load()]);
    /** @param {number} seeds */
    const upTo = (seeds) => new Tables(reader(manifest, seeds, cacheBytes), from, { manifest, cacheBytes });
    const tables = upTo(maxSeeds);
    const [reach, heads = []] = await Promise.all([from.reach?.(tables.files), from.heads?.(tables.files)]);
    check(reach === undefined || isWhole(reach, 0, SEEDS), "reach() of a source must give a number of seeds");
    const areBytes = Array.isArray(heads) && heads.every((head) => head === undefined || isBytes(head));
    check(areBytes, "heads() of a source must give an array with a Uint8Array or undefined for each file");
    const reaches = reach === undefined || reach >= (tables.maxSeeds ?? 0);
    const opened = reaches ? tables : upTo(reach);
    opened.files.forEach((_, file) => heads[file] && opened.#reader.supply(file, 0, heads[file]));
    return opened;
  }

  /** The sample tables inside this package: "abapa", up to 8 seeds. @param {string} [cycles] */
  static async sample(cycles = "split") {
    check(["split", "own-side"].includes(cycles), "the convention for endless play is split or own-side");
    const address = new URL(cycles === "split" ? "sample/" : "sample/own-side/", import.meta.url);
    if (address.protocol !== "file:") return Tables.open(address);
    const { directory } = await import("./node.js");
    return Tables.open(directory(address));
  }

  /** Tables without a layer: only the rules are known. @param {string} rules @param {string} cycles */
  static async empty(rules, cycles) {
    checkText(rules, "the name of a ruleset");
    checkText(cycles, "the convention for endless play");
    await load();
    const manifest = attempt(() => library.empty_manifest(rules, cycles), "bad-argument");
    return new Tables(reader(manifest, 0, 0), undefined, { manifest, cacheBytes: 0 });
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

  /**
   * The exact value of a position; `null` if the tables do not have it, or its bounds differ.
   * @param {string | ArrayLike<number>} position
   */
  async value(position) {
    const { value, low, high } = await this.assess(position);
    return value ?? (low === high ? low : null) ?? null;
  }

  /** The value of a position and its moves. @param {string | ArrayLike<number>} position */
  async assess(position) {
    return this.#document({ what: "position", position: written(position) }, GAP.few);
  }

  /** The best line from a position. @param {string | ArrayLike<number>} position */
  async line(position) {
    return this.#document({ what: "line", position: written(position) });
  }

  /**
   * The value of a position and its moves: beyond the tables what a search proves, within a second unless the
   * options say otherwise.
   * @param {string | ArrayLike<number>} position
   * @param {{positions?: number, seconds?: number, signal?: AbortSignal, worker?: boolean}} [options]
   */
  async prove(position, options = {}) {
    return this.#search({ what: "prove", position: written(position) }, search(options, [Infinity, 1]));
  }

  /**
   * Judges the moves of a game.
   * @param {string} text games in any notation
   * @param {number} [game] the number of one of them, counted from 1
   * @param {{positions?: number, seconds?: number, signal?: AbortSignal, worker?: boolean}} [options] the limits of
   *   a search from each position beyond the tables; without a limit there is none
   */
  async judge(text, game = 1, options = {}) {
    checkText(text, "a record of games");
    check(isWhole(game, 1, 2 ** 32 - 1), "a game is chosen by its number in the text, counted from 1");
    return this.#search({ what: "judge", text, game }, search(options, [0, 0]));
  }

  /**
   * Asks a question that may need a search, in a worker unless the caller wants it in this thread.
   * @param {object} question without the limits
   * @param {ReturnType<typeof search>} how
   */
  async #search(question, { limits, signal, worker }) {
    signal?.throwIfAborted();
    const [positions, seconds] = limits;
    const asked = { ...question, positions, seconds };
    if (!worker || positions === 0) return this.#document(asked);
    const { inWorker } = await import("./search.js");
    const data = { module: await loading, ...this.#opened, maxSeeds: this.maxSeeds ?? 0, asked };
    return inWorker(data, (name, start, end) => this.#bytes(name, start, end), signal);
  }

  /**
   * The ranges of many positions, twelve numbers each: for each the least and the most.
   * @param {Uint8Array} positions
   */
  async ranges(positions) {
    check(isBytes(positions), "positions must be a Uint8Array, twelve bytes each");
    // The caller may change the array before all bytes are loaded.
    const asked = new Uint8Array(positions);
    return this.#ask((reader) => attempt(() => reader.ranges(asked), "no-answer"));
  }

  /** @param {object} question @param {number} [gap] */
  async #document(question, gap) {
    const text = JSON.stringify(question);
    return read(await this.#ask((reader) => reader.ask(text), gap));
  }

  /**
   * Asks until all bytes that the answer needs are loaded.
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
      const wanted = inThrees(this.#reader.wanted());
      const ranges = joined(gap === GAP.many ? this.#withSmall(wanted) : wanted, gap);
      await Promise.all(ranges.map(({ file, start, end }) => this.#load(file, start, end)));
    }
  }

  /** Adds small layers as a whole, once a line reaches one: it goes on to those below.
   * @param {{file: number, start: number, end: number}[]} wanted */
  #withSmall(wanted) {
    const isSmall = (/** @type {number} */ file) => this.files[file].bytes <= SMALL;
    const reached = Math.max(-1, ...wanted.map(({ file }) => file).filter(isSmall));
    const small = this.files.flatMap(({ bytes }, file) =>
      file <= reached && isSmall(file) && !this.#whole.has(file) ? [{ file, start: 0, end: bytes }] : []);
    for (const { file } of small) this.#whole.add(file);
    return [...small, ...wanted.filter(({ file }) => !small.some((whole) => whole.file === file))];
  }

  /** Loads bytes, once for all questions that need them. @param {number} file @param {number} start @param {number} end */
  #load(file, start, end) {
    const key = `${file} ${start} ${end}`;
    const known = this.#loading.get(key);
    if (known) return known;
    const load = async () => this.#reader.supply(file, start, await this.#bytes(this.files[file].name, start, end));
    const loading = load().finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }

  /** Reads bytes of a file from the source. @param {string} name @param {number} start @param {number} end */
  async #bytes(name, start, end) {
    const bytes = await this.#source.read(this.files.find((/** @type {any} */ file) => file.name === name), start, end);
    check(isBytes(bytes), "read() of a source must give a Uint8Array");
    if (bytes.length === end - start) return bytes;
    throw new GraneroError({ code: "damaged-tables", message: `${name} is shorter than its manifest says` });
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
  checkText(manifest, "what manifest() of a source gives");
  const hint = "is it the file granero.json of a directory of tables?";
  return attempt(() => new library.Reader(manifest, maxSeeds, cacheBytes), "damaged-tables", hint);
}
