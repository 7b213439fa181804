// Sentences about a position and its moves.

import { t } from "./i18n.js";
import { isGrandSlam } from "./sowing.js";
import { LETTERS, other, owner, store, sum, total } from "./situation.js";
import { about, bounds, ends, final, finals, isCutOff, isExact, provenBounds, seedsText, short, signed } from "./value.js";

/** @typedef {import("./situation.js").Situation} Situation */
/** @typedef {import("./situation.js").Side} Side */
/** @typedef {import("./api.js").Answer} Answer */
/** @typedef {import("./api.js").Move} Move */
/** @typedef {import("./value.js").Bounds} Bounds */
/** @typedef {import("./value.js").Score} Score */
/** @typedef {import("./explorer.js").Explorer} Explorer */

/** @param {Side} side */
export const name = (side) => t(side === "S" ? "south" : "north");

/** Returns “`n` seeds” in the language of the page. @param {number} n */
export const seeds = (n) => t("seeds", { n, seeds: seedsText(n) });

/** `26`, or `24–26`. @param {number} low @param {number} high */
export const rangeText = (low, high) =>
  low === high ? seedsText(low) : `${seedsText(low)}–${seedsText(high)}`;

/** `26 : 22`, or `24–26 : 22–24`, South first. @param {[Score, Score]} scores the least and the most for South */
export const scoresText = ([low, high]) =>
  `${rangeText(low.S, high.S)} : ${rangeText(high.N, low.N)}`;

/** @param {Score} score @returns {Side | null} `null` in a draw */
export function winner({ S, N }) {
  return S > N ? "S" : N > S ? "N" : null;
}

/** Names how the game ends for the player to move: `won`, `drawn`, `lost`, or `open` where bounds differ.
 * @param {Situation} situation @param {Bounds} value */
export function outcome(situation, value) {
  const [low, high] = [value.low, value.high].map((value) => winner(final(situation, value)));
  if (low !== high) return "open";
  return !low ? "drawn" : low === situation.toMove ? "won" : "lost";
}

/** Says why there are half seeds, if a text has some. @param {string | null} text */
export const whyHalf = (text) => (text?.includes("½") ? t("half.why") : "");

/** Says who wins and with how many seeds. @param {Score} score */
export function result(score) {
  const side = winner(score);
  if (!side) return t("result.draw", { a: seedsText(score.S), b: seedsText(score.N) });
  const values = { name: name(side), a: seedsText(score[side]), b: seedsText(score[other(side)]) };
  return t("result.wins", values);
}

/** Says how the game ends with best play. @param {Situation} situation @param {Bounds} value */
export function prospect(situation, value) {
  if (isExact(value)) return result(final(situation, value.low));
  const [low, high] = finals(situation, value);
  const values = { name: name("S"), a: seedsText(low.S), b: seedsText(high.S), all: total(situation) };
  const [first, second] = [winner(low), winner(high)];
  if (first && first === second) {
    const mine = [low[first], high[first]].sort((a, b) => a - b).map(seedsText);
    return t("result.winsBetween", { name: name(first), a: mine[0], b: mine[1] });
  }
  return t("result.between", values);
}

/** Says what a player still gets of the seeds on the board. @param {Situation} situation @param {Bounds} value */
export function share(situation, value) {
  const n = sum(situation.houses);
  const side = situation.toMove;
  const written = short(value);
  if (!isExact(value)) {
    // No line break within a range.
    const joined = written.replace("…", "\u2060…\u2060");
    return t("share.between", { n, name: name(side), value: joined });
  }
  const mine = (n + value.low) / 2;
  const names = { name: name(side), other: name(other(side)) };
  return t("share.exact", { n, ...names, a: seedsText(mine), b: seedsText(n - mine), value: written });
}

/** Says how the game ends by an estimate. @param {number} souths South's seeds @param {number} all */
export const estimated = (souths, all) =>
  t("result.estimate", { south: name("S"), north: name("N"), a: souths, b: all - souths });

/** Says why the game is over. @param {Explorer} explorer @param {{reason: string}} over */
export function ending({ now }, { reason }) {
  return t(`over.${reason}`, { name: name(now.toMove), other: name(other(now.toMove)) });
}

/** Says how far the tables reach, for a position beyond them. @param {Explorer} explorer */
export function beyond({ table, now }) {
  const n = sum(now.houses);
  return table && table.max_seeds !== null
    ? t("beyond.reach", { n, max: table.max_seeds })
    : t("beyond.none");
}

/** Says what is proven of a position or a move. @param {Bounds} proven @param {number} n the seeds on the board */
export function provenText(proven, n) {
  const { low, high } = ends(proven, n);
  if (low !== null && high !== null) {
    return t("proven.both", { low: signed(low), high: signed(high) });
  }
  if (low !== null) return t("proven.atLeast", { value: signed(low) });
  return high !== null ? t("proven.atMost", { value: signed(high) }) : t("proven.nothing");
}

/** Says what deciding tables know of a position whose value they have cut off.
 * @param {Situation} now @param {Bounds} range */
export const cutOffText = (now, range) =>
  t("cut.reason", { name: name(now.toMove), bounds: provenText(range, sum(now.houses)) });

/** Says what the search beyond the tables has found, and whether it goes on. @param {Explorer} explorer */
export function searchText({ answer, knowledge: { proof }, now }) {
  if (!proof) return "";
  const proven = answer && provenBounds(answer);
  const n = sum(now.houses);
  const parts = [];
  if (proven) parts.push(t("proven.sofar", { bounds: provenText(proven, n) }));
  else if (answer && bounds(answer)) parts.push(t("proven.exact"));
  if (proof.busy) parts.push(t("proven.busy"));
  else if (!proof.ended) parts.push(t("proven.searching"));
  else if (proven) parts.push(t("proven.ended"));
  return parts.join(" ");
}

/** Returns how many seeds a move gives away at least, from what is proven. @param {Answer} answer @param {Move} move */
export function givenAwayAtLeast(answer, move) {
  const [best, value] = [answer, move].map((of) => bounds(of) ?? provenBounds(of));
  return best && value ? Math.max(best.low - value.high, 0) / 2 : 0;
}

/** Returns how many seeds a move gives away at least, compared with the best.
 * @param {Answer} answer @param {Move} move */
export function givenAway(answer, move) {
  const [best, value] = [bounds(answer), bounds(move)];
  return best && value ? (best.low - value.low) / 2 : null;
}

/** Says what a move does: sowing, captures, value.
 * @param {Situation} now @param {Answer} answer @param {number} house @param {Move} move */
export function explainMove(now, answer, house, move) {
  const parts = [t("move.sows", { house: LETTERS[house], n: now.houses[house] })];
  if (move.captured > 0) parts.push(t("move.captures", { n: move.captured }));
  else if (isGrandSlam(now, house)) parts.push(t("move.slam"));
  if (move.conceded) parts.push(t("move.concedes", { n: move.conceded }));
  const value = bounds(move);
  if (!value) {
    const proven = provenBounds(move);
    const text = proven && provenText(proven, sum(now.houses));
    const how = isCutOff(move) ? "move.cut" : "move.proven";
    if (move.estimate !== undefined) parts.push(t("move.estimate", { value: about(move.estimate) }));
    else parts.push(text ? t(how, { bounds: text }) : t("move.unknown"));
    const least = givenAwayAtLeast(answer, move);
    if (least) parts.push(t("move.givesAtLeast", { n: least, seeds: seedsText(least) }));
    return parts.join(" ");
  }
  parts.push(t("move.value", { value: short(value), result: prospect(now, value) }));
  const lost = givenAway(answer, move);
  const best = answer.moves.find(({ best }) => best);
  const missed = (((best && bounds(best)?.high) ?? value.high) - value.high) / 2;
  if (move.best) parts.push(t("move.best"));
  else if (lost) parts.push(t("move.gives", { n: lost, seeds: seedsText(lost) }));
  else if (missed > 0) parts.push(t("move.givesUp", { n: missed, seeds: seedsText(missed) }));
  return parts.join(" ");
}

/** Says why a house cannot be sown. @param {Situation} now @param {Answer} answer @param {number} house */
export function explainIllegal(now, answer, house) {
  const side = owner(house);
  const names = { house: LETTERS[house], name: name(side), other: name(other(side)) };
  if (answer.over) return t("illegal.game-over", names);
  if (side !== now.toMove) return t("illegal.not-yours", names);
  const illegal = answer.illegal.find((illegal) => illegal.house === LETTERS[house % 6]);
  return t(`illegal.${illegal?.reason ?? "empty"}`, names);
}

/** Returns the position in a sentence, for the live region. @param {Explorer} explorer */
export function verdict(explorer) {
  const { now, answer } = explorer;
  if (!answer) return "";
  const value = bounds(answer);
  if (answer.over && value) {
    return `${t("turn.over")} ${ending(explorer, answer.over)} ${prospect(now, value)}`;
  }
  const turn = `${t("turn.of", { name: name(now.toMove) })}.`;
  if (answer.range && isCutOff(answer)) {
    return `${turn} ${prospect(now, answer.range)} ${cutOffText(now, answer.range)}`;
  }
  if (!value) return [turn, beyond(explorer), searchText(explorer)].filter(Boolean).join(" ");
  const best = explorer.best.map((house) => LETTERS[house]).join(", ");
  return `${turn} ${prospect(now, value)} ${t("live.best", { houses: best, value: short(value) })}`;
}

/** Returns the label of a store. @param {Situation} situation @param {Side} side */
export const storeLabel = (situation, side) =>
  t("store", { name: name(side), n: store(situation, side) });
