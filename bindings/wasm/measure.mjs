// Measures how much a page without a server loads for the value of a position and its moves, with nothing
// kept from before: for positions of the largest layer of a site, drawn evenly.
//
//     granero site SITE --db DB --tables link
//     node bindings/wasm/measure.mjs SITE CYCLES [POSITIONS]
//
// It counts the bodies of all answers, as they are sent: `site.json`, the manifest, the beginnings of
// the files, and all parts of files.

import { openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { http, load, Tables } from "./index.js";

const [site, cycles, count = "1000"] = process.argv.slice(2);
const folder = pathToFileURL(join(site, "/"));

/** The requests and bytes of an answer. */
let sent = { bytes: 0, requests: 0, ranges: 0 };

/** @type {Map<string, number>} */
const files = new Map();

/** A host of the site. */
globalThis.fetch = async (address, { headers } = {}) => {
  const path = fileURLToPath(String(address).split("?")[0]);
  const part = /^bytes=(\d+)-(\d+)$/.exec(headers?.Range ?? "");
  let body;
  if (part) {
    const file = files.get(path) ?? openSync(path, "r");
    files.set(path, file);
    const [start, last] = part.slice(1).map(Number);
    body = new Uint8Array(last + 1 - start);
    readSync(file, body, 0, body.length, start);
    sent.ranges += body.length;
  } else {
    body = readFileSync(path);
  }
  sent.bytes += body.length;
  sent.requests += 1;
  return new Response(body, { status: part ? 206 : 200 });
};

/** Numbers below a limit, the same in every run. */
function generator(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Draws a position; all positions with `seeds` seeds are equally likely. */
function position(seeds, below) {
  const houses = Array(12).fill(0);
  // In a row of seeds and eleven borders between houses, the places of the borders.
  let borders = 11;
  let house = 0;
  for (let left = seeds + 11; left > 0; left--) {
    if (below(left) < borders) {
      borders -= 1;
      house += 1;
    } else {
      houses[house] += 1;
    }
  }
  return houses;
}

await load(readFileSync(new URL("dist/granero_bg.wasm", import.meta.url)));
const below = generator(2026);
const all = [];
for (let number = 0; number < Number(count); number++) {
  sent = { bytes: 0, requests: 0, ranges: 0 };
  const { places } = await (await fetch(new URL("site.json", folder))).json();
  const { at, heads } = places.find((place) => place.cycles === cycles);
  const source = http(new URL(at, folder), { heads: { ...heads, address: new URL(heads.at, folder) } });
  const tables = await Tables.open(source);
  await tables.assess(position(tables.maxSeeds, below));
  all.push(sent);
}

for (const what of ["bytes", "requests", "ranges"]) {
  const sorted = all.map((sent) => sent[what]).sort((one, other) => one - other);
  const mean = sorted.reduce((sum, number) => sum + number, 0) / sorted.length;
  const part = (share) => sorted[Math.ceil(sorted.length * share) - 1];
  console.log(
    `${what}: mean ${mean.toFixed(0)}, half ${part(0.5)}, 99 of 100 ${part(0.99)}, most ${part(1)}`,
  );
}
const above = all.filter(({ bytes }) => bytes > 300 << 10).length;
console.log(`${above} of ${all.length} above 300 KiB`);
