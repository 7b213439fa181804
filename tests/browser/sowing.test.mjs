// Sowing and grand slams, which the page computes itself, compared with the program.

import assert from "node:assert/strict";
import { test } from "node:test";
import { captured, isGrandSlam, sown } from "../../src/serve/web/sowing.js";
import { after, seenBy, sum, withEqualStores } from "../../src/serve/web/situation.js";
import { ask } from "./explorer.mjs";

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

test("seeds go where the program sows them, and captures are taken from there", () => {
  for (const { seen, houses, toMove } of positions(60)) {
    const situation = withEqualStores(houses, toMove);
    const { moves } = ask("moves", ...seen.map(String), "--rules", "slam-captures");
    for (const move of moves) {
      const house = move.index + (toMove === "S" ? 0 : 6);
      const next = after(situation, move);
      assert.equal(sum(next.houses) + next.south + next.north, 48);
      const full = sown(houses, house);
      const taken = captured(houses, house, next.houses);
      assert.equal(sum(taken.map((at) => full[at])), move.captured);
      for (const at of taken) full[at] = 0;
      assert.deepEqual(full, next.houses);
    }
  }
});

test("grand slams are the moves that slam-illegal forbids and abapa does not", () => {
  let slams = 0;
  for (const { seen, houses, toMove } of positions(80)) {
    const situation = withEqualStores(houses, toMove);
    const [all, some] = ["abapa", "slam-illegal"].map((rules) =>
      ask("moves", ...seen.map(String), "--rules", rules).moves.map(({ index }) => index));
    for (const index of all) {
      const slam = isGrandSlam(situation, index + (toMove === "S" ? 0 : 6));
      assert.equal(slam, !some.includes(index), `${seen} ${index}`);
      slams += Number(slam);
    }
  }
  assert.ok(slams > 5, `${slams} grand slams`);
});
