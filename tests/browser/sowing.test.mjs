// Sowing and grand slams, which the page computes itself, compared with the library.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, moves, rulesets } from "../../bindings/wasm/index.js";
import { captured, isGrandSlam, played, sown } from "../../src/serve/web/sowing.js";
import { after, seenBy, sum, withEqualStores } from "../../src/serve/web/situation.js";

await load();

/** Positions of all kinds, the same in every run. */
function* positions(count) {
  let state = 1;
  const below = (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
  for (let i = 0; i < count; i++) {
    const seen = Array(12).fill(0);
    if (i % 2) {
      // Few seeds on both sides of the border: grand slams.
      for (const house of [3, 4, 5, 6, 7]) seen[house] = below(house < 6 ? 4 : 3);
    } else {
      // Many seeds in few houses: granaries.
      for (let seeds = 1 + below(48); seeds > 0; seeds--) seen[below(2) ? 3 : below(12)] += 1;
    }
    const toMove = below(2) ? "S" : "N";
    yield { seen, houses: seenBy(seen, toMove), toMove };
  }
}

/** The legal moves, with their houses on the board. @param {{seen: number[], toMove: string}} position @param {string} rules */
const legal = ({ seen, toMove }, rules) =>
  moves(seen, rules).moves.map((move) => ({ ...move, at: move.index + (toMove === "S" ? 0 : 6) }));

test("moves lead where the library's do, by all rules", () => {
  for (const rules of rulesets()) {
    let made = 0;
    for (const position of positions(200)) {
      const situation = withEqualStores(position.houses, position.toMove);
      for (const move of legal(position, rules.name)) {
        const next = after(situation, move);
        assert.deepEqual(played(rules, situation, move.at), { captured: move.captured, situation: next });
        made += 1;
      }
    }
    assert.ok(made > 400, `${rules.name}: ${made}`);
  }
});

test("captures are taken from where seeds were sown", () => {
  for (const position of positions(60)) {
    const { houses, toMove } = position;
    const situation = withEqualStores(houses, toMove);
    for (const move of legal(position, "slam-captures")) {
      const next = after(situation, move);
      assert.equal(sum(next.houses) + next.south + next.north, 48);
      const full = sown(houses, move.at);
      const taken = captured(houses, move.at, next.houses);
      assert.equal(sum(taken.map((at) => full[at])), move.captured);
      for (const at of taken) full[at] = 0;
      assert.deepEqual(full, next.houses);
    }
  }
});

test("grand slams are the moves that slam-illegal forbids and abapa does not", () => {
  let slams = 0;
  for (const position of positions(80)) {
    const situation = withEqualStores(position.houses, position.toMove);
    const some = legal(position, "slam-illegal").map(({ at }) => at);
    for (const { at } of legal(position, "abapa")) {
      const slam = isGrandSlam(situation, at);
      assert.equal(slam, !some.includes(at), `${position.seen} ${at}`);
      slams += Number(slam);
    }
  }
  assert.ok(slams > 5, `${slams} grand slams`);
});
