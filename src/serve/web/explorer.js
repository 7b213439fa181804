// The state of the page: tables, a game, and what is known of its positions. It does not know how it
// is shown, and calls back after each change.

import * as api from "./api.js";
import { Game } from "./game.js";
import { Knowledge } from "./knowledge.js";
import { Lines } from "./lines.js";
import { prefer, preferences } from "./preferences.js";
import { after, firstHouse, LETTERS, GAMES, owner, total, write } from "./situation.js";
import { played } from "./sowing.js";

/** @typedef {import("./situation.js").Situation} Situation */
/** @typedef {import("./permalink.js").Place} Place */
/** @typedef {import("./api.js").Answer} Answer */
/** @typedef {import("./game.js").Ply} Ply */

/** A position that occurs so often ends a game against granero. */
const REPETITIONS = 3;

export class Explorer {
  /** @type {api.Tables} */
  tables;
  rules = "";
  cycles = "";
  game;
  turned = false;
  /** @type {"board" | "statistics"} */
  view = "board";
  /** @type {number | undefined} */
  layer;
  /** A situation that is looked at without going there. @type {Situation | undefined} */
  preview;
  /** While a position is set up, the game before. @type {Game | undefined} */
  before;
  /** What went wrong last. @type {Error | undefined} */
  error;
  /** True while the position is a question, whose answer is hidden. */
  asking = false;
  /** A game against granero: the side of the player, and the level. @type {Place["match"]} */
  match;
  /** The number of the puzzle that is posed. @type {number | undefined} */
  puzzle;
  /** The address of what is shown. */
  address = "";
  /** The fields of the address that cannot be used, and the address of what is shown in place of it. */
  damage = { fields: /** @type {string[]} */ ([]), shown: /** @type {string | undefined} */ (undefined) };
  /** True if the address has a position. */
  given = false;
  /** What is known of positions. */
  knowledge;
  /** The lines of best play. */
  lines;

  /** @param {api.Tables} tables @param {Situation} start @param {object} on
   * @param {() => void} on.change something has changed
   * @param {() => void} on.preview another situation is looked at
   * @param {(before: Situation, house: number, next: Situation) => Promise<void>} on.sow shows a move before the
   *   situation after it
   * @param {(house: number) => void} on.refuse a house cannot be sown */
  constructor(tables, start, on) {
    this.tables = tables;
    this.on = on;
    this.game = new Game(start);
    this.knowledge = new Knowledge(this, (situation, answer) => this.#check(situation, answer));
    this.lines = new Lines(this);
    ({ rules: this.rules, cycles: this.cycles } = tables.default);
  }

  /** The situation that is shown. */
  get now() {
    return this.game.now;
  }

  /** The answer of the tables about it, once it is known. */
  get known() {
    return this.knowledge.of(this.now);
  }

  /** The answer of the tables about it, with what is known beyond them. */
  get answer() {
    return this.knowledge.answer(this.now);
  }

  /** True if the page shows what moves are worth. */
  get values() {
    return preferences.values && !this.hides;
  }

  /** True if what moves are worth is the player's to find. */
  get hides() {
    return this.asking || (this.match !== undefined && !this.ended);
  }

  /** True in a game against granero and in a puzzle, until it has ended. */
  get secret() {
    return this.hides && (this.match !== undefined || this.puzzle !== undefined);
  }

  /** Returns how the game against granero has ended, if it has: by the rules, or by a position for the third time. */
  get ended() {
    const { main } = this.game;
    const { situation } = main[main.length - 1];
    if (this.knowledge.of(situation)?.over) return "over";
    const end = write(situation);
    return main.filter(({ situation }) => write(situation) === end).length >= REPETITIONS ? "repeated" : undefined;
  }

  /** Shows or hides what moves are worth. */
  reveal() {
    if (this.secret) return;
    if (!this.asking) prefer({ values: !preferences.values });
    this.asking = false;
    this.on.change();
  }

  /** True while a position is set up. */
  get editing() {
    return this.before !== undefined;
  }

  /** The tables that are asked, if there are any. */
  get table() {
    const { rules, cycles } = this;
    return this.tables.tables.find((table) => table.rules === rules && table.cycles === cycles);
  }

  /** All seeds of the game: of the one that the tables decide if it is smaller and has an opening, or of the one shown. */
  get seeds() {
    const { decides = 48 } = this.table ?? {};
    return decides < 48 && GAMES.includes(decides) ? decides : total(this.now);
  }

  /** Returns the legal move that sows a house. @param {number} house */
  moveOf(house) {
    if (owner(house) !== this.now.toMove) return undefined;
    const letter = LETTERS[house % 6];
    return this.answer?.moves.find((move) => move.house === letter);
  }

  /** Returns the houses of the best moves. */
  get best() {
    const first = firstHouse(this.now.toMove);
    const best = this.answer?.moves.filter((move) => move.best) ?? [];
    return best.map((move) => first + LETTERS.indexOf(move.house));
  }

  /** Shows what an address describes.
   * @param {Place & {damage?: string[]}} place
   * @param {Situation} start if the address has no position */
  open(place, start) {
    this.lines.reset();
    const wrong = place.damage ?? [];
    this.given = place.start !== undefined;
    this.match = place.match;
    this.puzzle = place.puzzle;
    this.asking = place.puzzle !== undefined;
    const { tables } = this;
    const rules = place.rules ?? tables.default.rules;
    const known = tables.rulesets.some(({ name }) => name === rules);
    this.rules = known ? rules : tables.default.rules;
    if (!known) wrong.push("rules");
    const cycles = tables.cycles.find(({ name }) => name === place.cycles)?.name;
    this.cycles = cycles ?? this.#conventionOf(this.rules);
    if (place.cycles !== undefined && !cycles) wrong.push("cycles");
    this.turned = place.turned;
    this.view = place.view;
    this.layer = place.layer;
    this.before = undefined;
    const game = new Game(place.start ?? start);
    const { names = game.names, first = 1, reviewed = false } = place;
    Object.assign(game, { names, first, reviewed });
    // Moves from another position would mean nothing.
    const moves = wrong.includes("p") ? "" : place.moves;
    wrong.push(...game.read(moves, (situation, house) => played(this.ruleset, situation, house), place.at));
    this.game = game;
    this.damage = { fields: wrong, shown: undefined };
    this.on.change();
  }

  /** Says that a field of the address cannot be used. @param {string} field */
  damaged(field) {
    const { fields } = this.damage;
    this.damage = { fields: fields.includes(field) ? fields : [...fields, field], shown: undefined };
  }

  /** The rules that are played. */
  get ruleset() {
    const { rulesets } = this.tables;
    return rulesets.find(({ name }) => name === this.rules) ?? rulesets[0];
  }

  /** Returns the convention that was chosen last, if there are tables for it. @param {string} rules */
  #conventionOf(rules) {
    const tables = this.tables.rulesets.find(({ name }) => name === rules)?.tables ?? [];
    return [preferences.cycles, "split", ...tables].find((name) => tables.includes(name)) ?? "split";
  }

  /** Deletes the moves of an address that an answer does not allow.
   * @param {Situation} situation @param {Answer} answer */
  #check(situation, { moves }) {
    const { game } = this;
    const text = write(situation);
    for (const ply of game.plies) {
      if (write(ply.situation) !== text) continue;
      for (const next of ply.children) {
        const move = moves.find(({ house }) => house === LETTERS[next.house % 6]);
        if (move && write(after(situation, move)) === write(next.situation)) continue;
        const { ply: shown } = game;
        this.damaged("moves");
        game.remove(next);
        // What was shown may not be among what follows.
        if (game.plies.includes(shown)) game.show(shown);
      }
    }
  }

  /** Asks other tables about the position. @param {string} rules @param {string} [cycles] */
  ask(rules, cycles) {
    this.lines.reset();
    // Other rules have other moves: only what is shown stays.
    if (rules !== this.rules) {
      this.game = new Game(this.now);
      this.match = this.puzzle = undefined;
    }
    this.rules = rules;
    this.cycles = cycles ?? this.#conventionOf(rules);
    this.layer = undefined;
    this.on.change();
  }

  /** Sows a house. @param {number} house */
  async play(house) {
    const move = this.moveOf(house);
    if (!move) {
      if (this.answer) this.on.refuse(house);
      return;
    }
    const { now } = this;
    this.asking = false;
    this.lines.selected = this.preview = undefined;
    this.game.play(house, move);
    const next = this.now;
    // Ask the server while seeds are sown.
    this.knowledge.of(next);
    await this.on.sow(now, house, next);
    this.on.change();
  }

  /** @param {number} at */
  go(at) {
    const { line, length } = this.game;
    this.show(line[Math.max(0, Math.min(at, length))]);
  }

  /** Shows a move of the game or of a variation. @param {Ply} ply */
  show(ply) {
    this.lines.stop();
    if (this.editing) return;
    this.game.show(ply);
    this.lines.selected = this.preview = undefined;
    this.on.change();
  }

  /** Shows a situation without going there, or no longer. @param {Situation} [situation] */
  glance(situation) {
    if (this.preview === situation) return;
    this.preview = situation;
    this.on.preview();
  }

  turn() {
    this.turned = !this.turned;
    this.on.change();
  }

  /** @param {"board" | "statistics"} view @param {number} [layer] */
  look(view, layer) {
    this.lines.stop();
    this.view = view;
    this.layer = layer;
    this.on.change();
  }

  /** Begins a game from a situation.
   * @param {Situation} situation
   * @param {boolean} [asking] true to hide what moves are worth until one is played */
  begin(situation, asking = false) {
    this.lines.reset();
    this.asking = asking;
    this.match = this.puzzle = undefined;
    this.game = new Game(situation);
    this.on.change();
  }

  /** Starts to set up a position. */
  edit() {
    this.before = this.game;
    this.begin(this.now);
  }

  /** Ends setting up. @param {boolean} keep true to keep the position */
  endEdit(keep) {
    const { before } = this;
    this.before = undefined;
    if (!keep && before) this.game = before;
    this.on.change();
  }

  /** Asks the server again for its tables and for all failed answers. */
  async retry() {
    this.error = undefined;
    this.knowledge.forget();
    try {
      this.tables = await api.tables();
    } catch (error) {
      this.error = /** @type {Error} */ (error);
    }
    this.on.change();
  }
}
