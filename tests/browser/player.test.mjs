// The page's own player against the one of the program: moves by all rules, searches to a fixed depth, difficulty.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { choose, difficulty, isEasyToMiss, PERFECT, Search, steps } from "../../src/serve/web/play/player.js";
import { numberOf, parsed } from "../../src/serve/web/play/training.js";
import { ask, granero, serve } from "./explorer.mjs";
import { nth, randomPositions } from "./random_positions.mjs";

const { rulesets } = ask("rules");
const abapa = rulesets.find(({ name }) => name === "abapa");

/** @param {number} count @param {number} most seeds */
function boards(count, most) {
  const houses = randomPositions(count, most);
  return Array.from({ length: count }, (_, number) => ({
    board: houses.slice(12 * number, 12 * number + 12), text: nth(houses, number),
  }));
}

test("the moves are the program's, by all rules", async () => {
  const { server, origin } = await serve("--prove", "off");
  try {
    assert.ok(rulesets.length > 7);
    for (const rules of rulesets) {
      let moves = 0;
      for (const { board, text } of [...boards(60, 48), ...boards(140, 10)]) {
        const asked = `${origin}api/v1/${rules.name}/position?p=${encodeURIComponent(text)}`;
        const { moves: legal } = await (await fetch(asked)).json();
        const found = steps(board, rules).map(({ house, captured, conceded, board }) =>
          ({ house: "ABCDEF"[house], captured, conceded, position: [...board] }));
        const expected = legal.map(({ house, captured, conceded = 0, position }) => ({ house, captured, conceded, position }));
        assert.deepEqual(found, expected.sort((a, b) => a.house.localeCompare(b.house)), `${rules.name}: ${text}`);
        moves += found.length;
      }
      assert.ok(moves > 400, String(moves));
    }
  } finally {
    server.kill();
  }
});

test("a search to a depth finds what the program's search finds", () => {
  const drawn = boards(40, 48).filter(({ board }) => steps(board, abapa).length > 1);
  const depths = [1, 2, 3, 4, 7];
  const input = drawn.flatMap(({ board }) => depths.flatMap((depth) =>
    [`position fen ${[...board].join("-")}-0-${48 - board.reduce((sum, n) => sum + n, 0)}-S`, `go depth ${depth}`]));
  const { stdout } = spawnSync(granero, ["uci", "--db", "none"], { input: ["uci", ...input, ""].join("\n"), encoding: "utf8" });
  const found = [...stdout.matchAll(/^info depth (\d+) score cp (-?\d+)(?:.*\n)*?bestmove (\w+)/gm)];
  assert.equal(found.length, drawn.length * depths.length);
  found.forEach(([, depth, score], at) => {
    const { board, text } = drawn[Math.floor(at / depths.length)];
    const search = new Search(abapa).deepen(steps(board, abapa), Number(depth));
    const seeds = Math.sign(search.score) * Math.round(Math.abs(search.score) / 100);
    // The engine counts the seeds that North has, too.
    const north = 48 - board.reduce((sum, n) => sum + n, 0);
    assert.equal(100 * (seeds - north), Number(score), `${text}, ${depth}: ${search.score}`);
  });
});

test("difficulty is the program's", () => {
  let found = 0;
  for (let depth = 0; depth <= 7; depth++) {
    const { examples } = ask("find", "--layer", "8", "--difficulty", String(depth), "--random", "12", "--seed", "5");
    for (const { position, best, difficulty: expected } of examples) {
      const task = difficulty(Uint8Array.from(position), abapa, best.map((letter) => "ABCDEF".indexOf(letter)));
      const { keeping, moves, easy_to_miss: missed } = expected;
      assert.deepEqual(task, { depth, keeping, moves }, position.join(" "));
      assert.equal(isEasyToMiss(task), missed);
      found += 1;
    }
  }
  assert.ok(found > 70, String(found));
});

test("each level beats the one before", () => {
  const start = Uint8Array.from(Array(12).fill(4));
  let state = 7;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  /** Plays a game, and returns how many seeds the first player is ahead. @param {[number, number]} levels */
  const game = (levels) => {
    let board = start;
    const stores = [0, 0];
    for (let ply = 0; ply < 200; ply++) {
      const level = ply < 4 ? 1 : levels[ply % 2];
      const house = choose(board, abapa, level, { time: 1e4, random });
      if (house === undefined) break;
      const step = steps(board, abapa).find((step) => step.house === house);
      stores[ply % 2] += step.captured;
      ({ board } = step);
    }
    return stores[0] - stores[1];
  };
  for (let level = 2; level <= 6; level++) {
    let ahead = 0;
    for (let number = 0; number < 8; number++) ahead += game([level, level - 1]) - game([level - 1, level]);
    assert.ok(ahead > 16, `level ${level} is ${ahead} seeds ahead in 16 games`);
  }
  // Time ends a search of the highest level, which has a move all the same.
  const begun = performance.now();
  assert.ok(Number(choose(start, abapa, PERFECT, { time: 50 })) < 6);
  assert.ok(performance.now() - begun < 5000);
});

test("a thousand puzzles, and another one every day", () => {
  const puzzles = parsed(readFileSync(new URL("../../data/puzzles.tsv", import.meta.url), "utf8"));
  assert.equal(puzzles.length, 1000);
  for (const { houses, right } of puzzles) {
    assert.equal(houses.length, 12);
    assert.ok(steps(Uint8Array.from(houses), abapa).some(({ house }) => house === right));
  }
  const days = Array.from({ length: puzzles.length }, (_, day) => numberOf(new Date(2026, 10, 25 + day, 23, 59), puzzles.length));
  assert.equal(new Set(days).size, puzzles.length);
  assert.equal(numberOf(new Date(2026, 10, 25, 0, 0), puzzles.length), days[0]);
});
