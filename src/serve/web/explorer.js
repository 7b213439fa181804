// The state of the page: tables, a game, and what is known of its positions. It does not know how it
// is shown, and calls back after each change.

import * as api from "./api.js";
import { Game } from "./game.js";
import { prefer, preferences } from "./preferences.js";
import { Proofs } from "./proofs.js";
import { after, firstHouse, LETTERS, other, GAMES, owner, sum, total, write } from "./situation.js";
import { played } from "./sowing.js";
import { bounds } from "./worth.js";

/** @typedef {import("./situation.js").Situation} Situation */
/** @typedef {import("./situation.js").Side} Side */
/** @typedef {import("./permalink.js").Place} Place */
/** @typedef {import("./api.js").Answer} Answer */
/** @typedef {import("./api.js").Line} Line */
/** @typedef {import("./api.js").LineMove} LineMove */
/** @typedef {import("./game.js").Ply} Ply */

/** The time for which playback shows a move, in milliseconds. */
const PAUSE = 900;

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
  /** The move whose line is shown, in place of the best. @type {number | undefined} */
  selected;
  /** With a line for each bound: the side that cycles favour in the one that is played. @type {Side | undefined} */
  favoured;
  /** A situation that is looked at without going there. @type {Situation | undefined} */
  preview;
  /** While a position is set up, the game before. @type {Game | undefined} */
  before;
  /** What went wrong last. @type {Error | undefined} */
  trouble;
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
  /** True while the best line is played. */
  playing = false;
  /** @type {Map<string, any>} */
  #known = new Map();
  /** @type {Set<string>} */
  #asked = new Set();
  /** Searches beyond the tables. */
  #proofs;

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
    this.#proofs = new Proofs({
      change: on.change,
      trouble: (error) => {
        this.trouble = error;
        on.change();
      },
    });
    ({ rules: this.rules, cycles: this.cycles } = tables.default);
  }

  /** The situation that is shown. */
  get now() {
    return this.game.now;
  }

  /** The answer of the tables about it, once it is known. */
  get known() {
    return this.know(this.now);
  }

  /** The answer of the tables about it, with what is proven beyond them. */
  get answer() {
    return this.answerOf(this.now);
  }

  /** Returns what tables and searches tell of a situation.
   * @param {Situation} situation @returns {Answer | undefined} */
  answerOf(situation) {
    return this.#proofs.of(this.#key("position", situation))?.answer ?? this.know(situation);
  }

  /** The search from it, if there is one. */
  get proof() {
    return this.#proofs.of(this.#key("position", this.now));
  }

  /** Starts a search beyond the tables, if it is needed and the server searches.
   * @param {boolean} wanted true if the page shows what is known of the position */
  search(wanted) {
    const { known, rules, cycles, now } = this;
    const longest = this.tables.limits.prove_seconds;
    // Where the tables hold only what decides the game, a search is not needed.
    const isBeyond = known && !known.over && bounds(known) === null && !known.range;
    if (wanted && longest && isBeyond) {
      const p = write(now);
      this.#proofs.follow(this.#key("position", now), { rules, cycles, p }, longest);
    } else {
      this.#proofs.leave();
    }
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
    if (this.know(situation)?.over) return "over";
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

  /** Returns the answer about a situation; asks the server if it is not known yet.
   * @param {Situation} situation @returns {Answer | undefined} */
  know(situation) {
    return this.#ask("position", situation);
  }

  /** True if the best move is known, and easy to miss. */
  get easyToMiss() {
    const { known, now, cycles, rules } = this;
    const isTask = known && !known.over && cycles === "split" && bounds(known) && known.moves.some(({ best }) => !best);
    const key = this.#key("difficulty", now);
    // What is chosen comes first.
    if (isTask && !this.#asked.has(key) && this.#known.has(this.#key("line", now))) {
      this.#asked.add(key);
      import("./play/opponent.js").then(async ({ missed }) => {
        this.#known.set(key, await missed({ rules, cycles, ruleset: this.ruleset, most: -1, prove: 0 }, now, known));
        this.on.change();
      }).catch(() => this.#asked.delete(key));
    }
    return isTask && this.#known.get(key) === true;
  }

  /** The answers about what is shown by both conventions for endless play, where there are tables for both. */
  get both() {
    const { known, cycles, now, tables } = this;
    if (!known || known.over || bounds(known) === null) return undefined;
    const others = tables.tables.find((table) => table.rules === this.rules && table.cycles !== cycles);
    if (!others || sum(now.houses) > (others.max_seeds ?? -1)) return undefined;
    // What is chosen comes first.
    const isNext = this.#known.has(this.#key("line", now));
    const other = isNext ? this.#ask("position", now, others.cycles) : undefined;
    return { [cycles]: known, [others.cycles]: other };
  }

  /** Returns the best line from here, or after the selected move: one line, or the lines of the low and of the high
   * bound.
   * @returns {Line[] | undefined} */
  get lines() {
    const { known, now } = this;
    if (!known || known.over) return undefined;
    if (this.selected === undefined) {
      return linesOf(bounds(known) === null ? this.proof?.lines : this.#ask("line", now));
    }
    const move = this.moveOf(this.selected);
    if (!move || bounds(move) === null) return undefined;
    // A search from the position after it would not end when the page shows another one.
    if (sum(move.position) > (this.table?.max_seeds ?? -1)) return undefined;
    const next = after(now, move);
    const { captured, conceded, position } = move;
    const { south, north } = next;
    const first = { move: LETTERS[this.selected], captured, conceded, position, south, north };
    if (conceded !== undefined) {
      const score = { south, north, left: 0 };
      return [{ moves: [first], end: { reason: "grand-slam" }, score }];
    }
    return linesOf(this.#ask("line", next))?.map((line) => startedBy(first, line)).reverse();
  }

  /** Returns the line that is played. @returns {Line | undefined} */
  get line() {
    const { lines, favoured } = this;
    return lines?.find((line) => this.favours(line) === favoured) ?? lines?.[0];
  }

  /** Returns the side that cycles favour in a line. In the line of the low bound this is the opponent of the player to
   * move.
   * @param {Line} line */
  favours({ bound }) {
    const { toMove } = this.now;
    return bound && (bound === "high" ? toMove : other(toMove));
  }

  /** @param {Line} line the one to be played */
  choose(line) {
    this.stop();
    this.favoured = this.favours(line);
    this.on.change();
  }

  /** Returns the legal move that sows a house. @param {number} house */
  moveOf(house) {
    if (owner(house) !== this.now.toMove) return undefined;
    const letter = LETTERS[house % 6];
    return this.answer?.moves.find((move) => move.house === letter);
  }

  /** How many moves of best play there are to the next capture or to the end, as far as a line tells. */
  get distance() {
    const { known, now } = this;
    return known && !known.over && bounds(known) ? (this.#known.get(this.#key("line", now))?.distance ?? undefined) : undefined;
  }

  /** Returns the distance after a move, the move included. @param {import("./api.js").Move} move within the tables */
  distanceAfter(move) {
    if (move.captured || move.conceded) return 1;
    const next = after(this.now, move);
    // What is chosen comes first. Without a server each line would load more of the tables.
    const isNext = api.served && this.#known.has(this.#key("line", this.now));
    const line = isNext ? this.#ask("line", next) : this.#known.get(this.#key("line", next));
    return typeof line?.distance === "number" ? line.distance + 1 : undefined;
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
    this.stop();
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
    this.selected = undefined;
    this.favoured = undefined;
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
    this.stop();
    // Other rules have other moves: only what is shown stays.
    if (rules !== this.rules) {
      this.game = new Game(this.now);
      this.match = this.puzzle = undefined;
    }
    this.rules = rules;
    this.cycles = cycles ?? this.#conventionOf(rules);
    this.selected = undefined;
    this.favoured = undefined;
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
    this.selected = this.preview = undefined;
    this.game.play(house, move);
    const next = this.now;
    // Ask the server while seeds are sown.
    this.know(next);
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
    this.stop();
    if (this.editing) return;
    this.game.show(ply);
    this.selected = this.preview = undefined;
    this.on.change();
  }

  /** Goes along the line that is shown, which becomes a variation where the game went on otherwise.
   * @param {Line} line
   * @param {number} count of its moves */
  follow(line, count) {
    if (this.editing) return;
    this.stop();
    this.favoured = this.favours(line);
    for (const move of line.moves.slice(0, count)) this.game.play(LETTERS.indexOf(move.move), move);
    this.show(this.game.ply);
  }

  /** Shows a situation without going there, or no longer. @param {Situation} [situation] */
  glance(situation) {
    if (this.preview === situation) return;
    this.preview = situation;
    this.on.preview();
  }

  /** Plays the best move; of several the first of the line that is shown. */
  async playBest() {
    const { best } = this;
    const next = this.selected === undefined ? this.line?.moves[0] : undefined;
    const house = next ? LETTERS.indexOf(next.move) : best[0];
    if (!this.editing && house !== undefined) await this.play(house);
  }

  /** Plays the next move of the line that is shown. */
  async step() {
    const { line } = this;
    const next = line?.moves[0];
    if (!next || this.editing) return;
    this.favoured = this.favours(line);
    await this.play(LETTERS.indexOf(next.move));
  }

  /** Plays the line that is shown, move by move. */
  async playLine() {
    const line = this.line;
    if (!line || this.playing || this.editing) return;
    const houses = line.moves.map(({ move }) => LETTERS.indexOf(move));
    const { game } = this;
    this.favoured = this.favours(line);
    this.playing = true;
    this.on.change();
    for (const [number, house] of houses.entries()) {
      const answer = await api.position(this.rules, this.cycles, write(game.now)).catch(() => null);
      if (!answer || !this.playing || this.game !== game) break;
      this.#known.set(this.#key("position", game.now), answer);
      await this.play(house);
      if (number + 1 < houses.length) await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
    this.stop();
    this.on.change();
  }

  /** Ends playback. */
  stop() {
    this.playing = false;
  }

  /** @param {number | undefined} house */
  select(house) {
    this.selected = this.selected === house ? undefined : house;
    this.on.change();
  }

  turn() {
    this.turned = !this.turned;
    this.on.change();
  }

  /** @param {"board" | "statistics"} view @param {number} [layer] */
  look(view, layer) {
    this.stop();
    this.view = view;
    this.layer = layer;
    this.on.change();
  }

  /** Begins a game from a situation.
   * @param {Situation} situation
   * @param {boolean} [asking] true to hide what moves are worth until one is played */
  begin(situation, asking = false) {
    this.stop();
    this.asking = asking;
    this.match = this.puzzle = undefined;
    this.game = new Game(situation);
    this.selected = undefined;
    this.favoured = undefined;
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
    this.trouble = undefined;
    this.#asked.clear();
    this.#known.clear();
    this.#proofs.forget();
    api.forget();
    try {
      this.tables = await api.tables();
    } catch (error) {
      this.trouble = /** @type {Error} */ (error);
    }
    this.on.change();
  }

  /** @param {"position" | "line" | "difficulty"} what @param {Situation} situation */
  #key(what, situation, cycles = this.cycles) {
    return `${what} ${this.rules} ${cycles} ${write(situation)}`;
  }

  /** @param {"position" | "line"} what @param {Situation} situation */
  #ask(what, situation, cycles = this.cycles) {
    const key = this.#key(what, situation, cycles);
    const known = this.#known.get(key);
    if (!known && !this.#asked.has(key)) {
      this.#asked.add(key);
      const { rules } = this;
      api[what](rules, cycles, write(situation)).then(
        (answer) => {
          this.trouble = undefined;
          this.#known.set(key, answer);
          if (what === "position" && rules === this.rules) this.#check(situation, answer);
          this.on.change();
        },
        (error) => {
          this.trouble = error;
          this.on.change();
        },
      );
    }
    return known;
  }
}

/** Returns the lines in an answer, for both conventions.
 * @param {import("./api.js").Lines | undefined} answer
 * @returns {Line[] | undefined} `undefined` if they are not known */
function linesOf(answer) {
  if (!answer?.end) return undefined;
  if (answer.lines?.length) return answer.lines;
  // Beyond the tables no line may be proven.
  return answer.moves.length || answer.end.reason !== "unproven" ? [answer] : undefined;
}

/** Puts a move before a line. Its numbers are for the player to move, who is now the other player.
 * @param {LineMove} first @param {Line} line @returns {Line} */
function startedBy(first, { bound, moves, end, score }) {
  const { from, differences, counts } = /** @type {NonNullable<Line["end"]>} */ (end);
  return {
    bound: bound && (bound === "high" ? "low" : "high"),
    moves: [first, ...moves],
    end: end && {
      ...end,
      from: from === undefined ? undefined : from + 1,
      differences: differences?.map((difference) => -difference),
      counts: counts === undefined ? undefined : -counts,
    },
    score,
  };
}
