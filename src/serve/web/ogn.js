// Games as text: OGN with or without variations, and PlayStrategy's form of it. See docs/rules.md.

import { LETTERS, owner, START, turned, write } from "./situation.js";
import { path } from "./sowing.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./game.js").Ply} Ply */
/** @typedef {import("./situation.js").Situation} Situation */

/** What is said of a move: a symbol behind it, and a comment. @typedef {{symbol: string, text: string}} Remark */

/** Writes the game without its variations. @param {Game} game @param {string} rules */
export const ogn = (game, rules) =>
  record(game, rules, ["South", "North"], write(game.start), ({ house }) => LETTERS[house]);

/** @param {Game} game @param {string} rules */
export const playStrategy = (game, rules) =>
  record(game, rules, ["P1", "P2"], rowsOf(game.start, game.first), ({ parent, house }) => {
    const last = path(/** @type {Ply} */ (parent).situation.houses, house).at(-1) ?? house;
    return place(house) + place(last);
  });

/** Writes the game with variations, comments, and what is said of its moves.
 * @param {Game} game @param {string} rules @param {Map<Ply, Remark>} remarks */
export function annotated(game, rules, remarks) {
  const braces = (/** @type {string} */ text) => (text ? ` {${text}}` : "");
  const word = (/** @type {Ply} */ ply) => {
    const { symbol = "", text = "" } = remarks.get(ply) ?? {};
    return LETTERS[ply.house] + symbol + braces([ply.comment, text].filter(Boolean).join(" "));
  };
  /** @param {Ply} ply @param {number} number of its round @returns {string} */
  const variation = (ply, number) => {
    let text = `${number}${owner(ply.house) === "S" ? "." : "..."} ${word(ply)}`;
    for (let next = ply.children[0], above = ply; next; above = next, next = next.children[0]) {
      if (owner(next.house) === "S") text += ` ${(number += 1)}.`;
      text += ` ${word(next)}`;
      for (const other of above.children.slice(1)) text += ` (${variation(other, number)})`;
    }
    return text;
  };
  return record(game, rules, ["South", "North"], write(game.start), (ply, number) => {
    const others = ply.parent?.children.slice(1) ?? [];
    return word(ply) + others.map((other) => ` (${variation(other, number)})`).join("");
  }, braces(game.root.comment).trim());
}

/** Returns the moves of a record in letters, with variations and comments, as `Game` reads them.
 * @param {string} text */
export const movesOf = (text) =>
  text
    .replace(/^\s*\[\w+\s+"(?:[^"\\]|\\.)*"\]\s*$/gm, "")
    .replace(/(\{[^}]*\})|;([^\n]*)/g, (_, braces, line) => braces ?? `{${line.trim()}}`)
    .replace(/(\{[^}]*\})|\d+\.+|[+x]\d*|\$\d+|[^A-Fa-f()]/g, (_, braces) => braces ?? "");

/** @param {Game} game @param {string} rules
 * @param {[string, string]} players the tags of South and North
 * @param {string} start @param {(ply: Ply, number: number) => string} word @param {string} [comment] */
function record({ main, start: { toMove }, names, first, start: situation }, rules, players, start, word, comment = "") {
  const tags = [["Variant", rules], [players[0], names.S], [players[1], names.N], ["FEN", start]]
    .filter(([name, value]) => value && (name !== "FEN" || write(situation) !== write(START)))
    .map(([name, value]) => `[${name} "${value.replace(/[\\"]/g, "\\$&")}"]\n`);
  let number = first - (toMove === "S" ? 1 : 0);
  const words = main.slice(1).map((ply, index) => {
    const isSouths = owner(ply.house) === "S";
    if (isSouths) number += 1;
    return `${isSouths ? `${number}. ` : index === 0 ? `${number}... ` : ""}${word(ply, number)}`;
  });
  return `${tags.join("")}\n${[comment, ...words, "*"].filter(Boolean).join(" ")}\n`;
}

/** Writes a house as PlayStrategy does: columns from South's left, rows 1 and 2. @param {number} house */
const place = (house) => (house < 6 ? `${"abcdef"[house]}1` : `${"fedcba"[house - 6]}2`);

/** Writes a situation as PlayStrategy does. @param {Situation} situation @param {number} first */
function rowsOf({ houses, south, north, toMove }, first) {
  const row = (/** @type {number[]} */ seeds) =>
    seeds.map((n) => (n ? `${n}S` : "-")).join(",").replace(/-(?:,-)*/g, (empty) => String((empty.length + 1) / 2));
  const norths = turned(houses).slice(0, 6).reverse();
  return `${row(norths)}/${row(houses.slice(0, 6))} ${south} ${north} ${toMove} ${first}`;
}
