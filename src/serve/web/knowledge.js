// What is known of situations: by the tables, by searches beyond them, and by estimates.

import * as api from "./api.js";
import { Estimates } from "./estimates.js";
import { difficulty } from "./player.js";
import { Proofs } from "./proofs.js";
import { after, sum, write } from "./situation.js";
import { bounds, isOpen, withEstimates } from "./value.js";

/** @typedef {import("./situation.js").Situation} Situation */
/** @typedef {import("./api.js").Answer} Answer */
/** @typedef {import("./api.js").Lines} Lines */

export class Knowledge {
  /** @type {Map<string, any>} */
  #known = new Map();
  /** @type {Set<string>} */
  #asked = new Set();
  #proofs;
  #estimates;

  /** @param {import("./explorer.js").Explorer} explorer the rules and the situation that are asked about
   * @param {(situation: Situation, answer: Answer) => void} onanswer the tables have answered */
  constructor(explorer, onanswer) {
    this.explorer = explorer;
    this.onanswer = onanswer;
    this.#proofs = new Proofs({ change: explorer.on.change, error: (error) => this.#fail(error) });
    this.#estimates = new Estimates(explorer.on.change);
  }

  /** Returns what the tables tell of a situation; asks them if that is not known yet.
   * @param {Situation} situation @returns {Answer | undefined} */
  of(situation) {
    return this.#ask("assess", situation);
  }

  /** Returns what tables and searches tell of a situation, with estimates where they tell nothing.
   * @param {Situation} situation @returns {Answer | undefined} */
  answer(situation) {
    const answer = this.#proofs.of(this.#key("assess", situation))?.answer ?? this.of(situation);
    const found = this.#estimates.of(this.#key("estimate", situation));
    return answer && found ? withEstimates(answer, found) : answer;
  }

  /** The search from the situation that is shown, if there is one. */
  get proof() {
    return this.#proofs.of(this.#key("assess", this.explorer.now));
  }

  /** Starts what is needed beyond the tables: estimates, and a search if the server searches.
   * @param {boolean} wanted true if the page shows what is known of the position */
  search(wanted) {
    const { rules, cycles, now, tables } = this.explorer;
    const known = this.of(now);
    const longest = tables.limits.prove_seconds;
    if (wanted && known?.moves.some((move) => isOpen(move, known.seeds))) {
      this.#estimates.ask(this.#key("estimate", now), now, rules);
    }
    // Where the tables hold only what decides the game, a search is not needed.
    const isBeyond = known && !known.over && bounds(known) === null && !known.range;
    if (wanted && longest && isBeyond) {
      this.#proofs.follow(this.#key("assess", now), { rules, cycles, p: write(now) }, longest);
    } else {
      this.#proofs.leave();
    }
  }

  /** True if the best move is known, and easy to miss. */
  get easyToMiss() {
    const { now, cycles, rules } = this.explorer;
    const known = this.of(now);
    const isTask = known && !known.over && cycles === "split" && bounds(known) && known.moves.some(({ best }) => !best);
    const key = this.#key("difficulty", now);
    // What is chosen comes first.
    if (isTask && !this.#asked.has(key) && this.#hasLine) {
      this.#asked.add(key);
      difficulty(now, known.moves, rules).then((found) => {
        this.#known.set(key, found.easy_to_miss);
        this.explorer.on.change();
      }).catch(() => this.#asked.delete(key));
    }
    return isTask && this.#known.get(key) === true;
  }

  /** The answers about what is shown by both conventions for endless play, where there are tables for both. */
  get both() {
    const { now, rules, cycles, tables } = this.explorer;
    const known = this.of(now);
    if (!known || known.over || bounds(known) === null) return undefined;
    const others = tables.tables.find((table) => table.rules === rules && table.cycles !== cycles);
    if (!others || sum(now.houses) > (others.max_seeds ?? -1)) return undefined;
    const other = this.#hasLine ? this.#ask("assess", now, others.cycles) : undefined;
    return { [cycles]: known, [others.cycles]: other };
  }

  /** Returns the best line from a situation. @param {Situation} situation @returns {Lines | undefined} */
  line(situation) {
    return this.#ask("line", situation);
  }

  /** True once the line from the situation that is shown is known: other questions come later. */
  get #hasLine() {
    return this.#known.has(this.#key("line", this.explorer.now));
  }

  /** How many moves of best play there are to the next capture or to the end, as far as a line tells. */
  get distance() {
    const { now } = this.explorer;
    const known = this.of(now);
    return known && !known.over && bounds(known) ? (this.#known.get(this.#key("line", now))?.distance ?? undefined) : undefined;
  }

  /** Returns the distance after a move, the move included. @param {import("./api.js").Move} move within the tables */
  distanceAfter(move) {
    if (move.captured || move.conceded) return 1;
    const next = after(this.explorer.now, move);
    // Without a server each line would load more of the tables.
    const line = api.served && this.#hasLine ? this.line(next) : this.#known.get(this.#key("line", next));
    return typeof line?.distance === "number" ? line.distance + 1 : undefined;
  }

  /** Waits for the answer about a situation. @param {Situation} situation @returns {Promise<Answer | null>} */
  async wait(situation) {
    const { rules, cycles } = this.explorer;
    const answer = await api.assess(rules, cycles, write(situation)).catch(() => null);
    if (answer) this.#known.set(this.#key("assess", situation), answer);
    return answer;
  }

  /** Forgets everything, because there may be more tables now. */
  forget() {
    this.#asked.clear();
    this.#known.clear();
    this.#proofs.forget();
    this.#estimates.forget();
    api.forget();
  }

  /** @param {"assess" | "line" | "difficulty" | "estimate"} what @param {Situation} situation */
  #key(what, situation, cycles = this.explorer.cycles) {
    return `${what} ${this.explorer.rules} ${cycles} ${write(situation)}`;
  }

  /** @param {"assess" | "line"} what @param {Situation} situation */
  #ask(what, situation, cycles = this.explorer.cycles) {
    const key = this.#key(what, situation, cycles);
    const known = this.#known.get(key);
    if (!known && !this.#asked.has(key)) {
      this.#asked.add(key);
      const { rules } = this.explorer;
      api[what](rules, cycles, write(situation)).then((answer) => {
        this.explorer.error = undefined;
        this.#known.set(key, answer);
        if (what === "assess" && rules === this.explorer.rules) this.onanswer(situation, /** @type {Answer} */ (answer));
        this.explorer.on.change();
      }, (error) => this.#fail(error));
    }
    return known;
  }

  /** @param {Error} error */
  #fail(error) {
    this.explorer.error = error;
    this.explorer.on.change();
  }
}
