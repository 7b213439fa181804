// Answers on a site without a server: from the tables themselves, of which the library in `reader/` loads the
// parts that it needs. This file replaces `src/serve/web/source.js`.

import { ApiError } from "./api_error.js";
import { http, load, Tables } from "./reader/index.js";

/** True if a server answers. */
export const served = false;

/** The position that the page begins with. */
const FIRST = "1-0-2-0-1-2-0-1-0-0-0-1-20-20-S";

/** From a host that ignores range requests, larger layers are left out. */
const WHOLE = 4 << 20;

/** @param {string} name */
const beside = (name) => new URL(name, import.meta.url);

/** The cache for parts of tables. Each site has its own caches, even at the same host. */
const KEPT = `granero tables ${beside("./").pathname} `;

/**
 * @typedef {{at: string, headers: number, files: {sha256: string, bytes: number, compressed: number}[]}} Heads
 * @typedef {{rules: string, cycles: string, at: string, first: {name: string, bytes: number, sha256: string},
 *   heads: Heads}} Place where tables are; `first`: one of their files; `heads`: where the beginnings of
 *   all are
 * @typedef {import("./api.js").Table & {layers: {seeds: number, bytes: number}[]}} Layered
 * @typedef {{catalogue: Omit<import("./api.js").Tables, "tables"> & {tables: Layered[]}, places: Place[],
 *   fingerprint: string}} Site
 */

/** The description of the tables that `granero site` has written. @type {Promise<Site> | undefined} */
let site;

/** @type {Map<string, Promise<Tables>>} */
const opened = new Map();

/** @type {Map<Place, ReturnType<typeof ask>>} */
const sources = new Map();

/** True if the host of the tables answers range requests; undefined until that is known.
 * @type {boolean | undefined} */
let ranges;

/** @type {Promise<boolean | undefined> | undefined} */
let probing;

/** The question about a position that is being answered. @type {Promise<unknown> | undefined} */
let answering;

// Starts while the page shows its introduction, and the modules of the page are on their way. If it fails, the first
// use of the library reports it.
load().catch(() => {});
ahead().catch(() => {});
texts().catch(() => {});

/** Asks for what the page will ask for first: the position of its address, or the first example. */
async function ahead() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const { default: first } = await get("tables", {});
  const [rules, cycles] = ["rules", "cycles"].map((name) => asked.get(name) ?? first[name]);
  await get(`${rules}/position`, { p: asked.get("p") ?? FIRST, cycles });
}

/** Asks for the texts of the page, which otherwise come after all modules. */
async function texts() {
  const [{ load }, { preferences }] = await Promise.all([import("./i18n.js"), import("./preferences.js")]);
  await load(preferences.language);
}

/**
 * Answers as the API does.
 * @param {string} path
 * @param {Record<string, string>} parameters
 */
export function get(path, { p = "", cycles = "" }) {
  return answered(async (site) => {
    if (path === "tables") return catalogue(site);
    const [rules, what] = path.split("/");
    if (what === "stats") return statistics(site, rules, cycles);
    const tables = await open(site, rules, cycles);
    if (what !== "line") return (answering = tables.assess(p));
    // A line takes many more bytes, and is less urgent.
    await new Promise((resolve) => setTimeout(resolve));
    await answering?.catch(() => {});
    return tables.line(p);
  });
}

/**
 * Answers as the API does to a document, which is a game to judge.
 * @param {string} path
 * @param {Record<string, string>} parameters
 * @param {{text: string, game: number}} asked
 */
export const post = (path, { cycles }, { text, game }) =>
  answered(async (site) => {
    const [rules] = path.split("/");
    return (await open(site, rules, cycles)).judge(text, game);
  });

/** Turns errors into errors of the API. @template T @param {(site: Site) => Promise<T>} answer */
async function answered(answer) {
  try {
    site ??= json("site.json", { cache: "no-cache" });
    site.catch(() => (site = undefined));
    return await answer(await site);
  } catch (error) {
    const { message, code, hint } = /** @type {import("./reader/index.js").GraneroError} */ (error);
    throw new ApiError(message, code ?? "failed", hint);
  }
}

/** @param {string} name @param {RequestInit} [options] */
async function json(name, options) {
  const response = await fetch(beside(name), options).catch((error) => error);
  if (response.ok) return response.json();
  throw new ApiError(`${beside(name)}: ${response.status || response.message}`, "unreachable");
}

/** The tables, as far as this host has them. @param {Site} site */
async function catalogue({ catalogue, places: [place], fingerprint }) {
  forgetOthers(fingerprint);
  ranges ??= await (probing ??= probe(place, fingerprint));
  if (ranges !== false) return catalogue;
  const tables = catalogue.tables.map((table) => {
    const large = table.layers.find(({ bytes }) => bytes > WHOLE);
    return large ? { ...table, max_seeds: Math.max(large.seeds - 1, 0), limited: true } : table;
  });
  return { ...catalogue, tables };
}

/** Finds out whether the host of the tables answers range requests. @param {Place | undefined} place
 * @param {string} fingerprint */
async function probe(place, fingerprint) {
  try {
    const host = place && (await sourceOf(place, fingerprint)).host;
    await host?.reach([{ .../** @type {Place} */ (place).first, seeds: 0 }]);
    return host?.ranges;
  } finally {
    probing = undefined;
  }
}

/** @param {Site} site @param {string} rules @param {string} cycles */
async function statistics({ places }, rules, cycles) {
  const there = places.some((place) => place.rules === rules && place.cycles === cycles);
  return there ? json(`statistics/${rules}-${cycles}.json`) : { rules, cycles, layers: [] };
}

/** @param {Site} site @param {string} rules @param {string} cycles */
function open({ places, fingerprint }, rules, cycles) {
  const key = `${rules} ${cycles}`;
  let tables = opened.get(key);
  if (!tables) {
    const place = places.find((place) => place.rules === rules && place.cycles === cycles);
    tables = place ? loadTables(place, fingerprint) : Tables.empty(/** @type {any} */ (rules), /** @type {any} */ (cycles));
    tables.catch(() => opened.delete(key));
    opened.set(key, tables);
  }
  return tables;
}

/** @param {Place} place @param {string} fingerprint */
async function loadTables(place, fingerprint) {
  const { host, manifest } = await sourceOf(place, fingerprint);
  sources.delete(place);
  return Tables.open(Object.create(host, { manifest: { value: () => manifest } }));
}

/** @param {Place} place @param {string} fingerprint */
function sourceOf(place, fingerprint) {
  let known = sources.get(place);
  if (!known) {
    known = ask(place, fingerprint);
    sources.set(place, known);
    // Ask again after a failure.
    known.then(({ manifest }) => manifest).catch(() => sources.delete(place));
  }
  return known;
}

/** Asks for the manifest and the headers of tables, beside the library. @param {Place} place
 * @param {string} fingerprint */
async function ask({ at, heads }, fingerprint) {
  // Not if the page has no address of its own.
  const cache = await self.caches?.open(KEPT + fingerprint).catch(() => undefined);
  const listed = { ...heads, address: beside(heads.at) };
  const host = http(beside(at), { wholeBytes: WHOLE, ranges, cache, heads: listed });
  const manifest = host.manifest();
  host.heads([]);
  return { host, manifest };
}

/** Deletes cached parts of tables that were replaced. @param {string} fingerprint */
async function forgetOthers(fingerprint) {
  const names = (await self.caches?.keys().catch(() => [])) ?? [];
  for (const name of names) if (name.startsWith(KEPT) && name !== KEPT + fingerprint) caches.delete(name);
}

// Keeps the page itself, so that it opens without a network. Browsers allow that only over HTTPS and from
// this machine.
navigator.serviceWorker?.register(beside("sw.js")).catch(() => {});
