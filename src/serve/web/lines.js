// The lines of best play from what is shown: which ones there are, and playing them.

import { after, LETTERS, other, sum } from "./situation.js";
import { bounds } from "./value.js";

/** @typedef {import("./situation.js").Situation} Situation */
/** @typedef {import("./situation.js").Side} Side */
/** @typedef {import("./api.js").Line} Line */
/** @typedef {import("./api.js").LineMove} LineMove */

/** The time for which playback shows a move, in milliseconds. */
const PAUSE = 900;

export class Lines {
  /** The move whose line is shown, in place of the best. @type {number | undefined} */
  selected;
  /** With a line for each bound: the side that cycles favour in the one that is played. @type {Side | undefined} */
  #favoured;
  /** True while a line is played. */
  playing = false;

  /** @param {import("./explorer.js").Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
  }

  /** The best line, or the one after the selected move: one, or those of the low and of the high bound.
   * @returns {Line[] | undefined} */
  get all() {
    const { known, knowledge, now, table } = this.explorer;
    if (!known || known.over) return undefined;
    if (this.selected === undefined) {
      return linesOf(bounds(known) === null ? knowledge.proof?.lines : knowledge.line(now));
    }
    const move = this.explorer.moveOf(this.selected);
    if (!move || bounds(move) === null) return undefined;
    // A search from the position after it would not end when the page shows another one.
    if (sum(move.position) > (table?.max_seeds ?? -1)) return undefined;
    const next = after(now, move);
    const { captured, conceded, position } = move;
    const { south, north } = next;
    const first = { move: LETTERS[this.selected], captured, conceded, position, south, north };
    if (conceded !== undefined) {
      const score = { south, north, left: 0 };
      return [{ moves: [first], end: { reason: "grand-slam" }, score }];
    }
    return linesOf(knowledge.line(next))?.map((line) => startedBy(first, line)).reverse();
  }

  /** The line that is played. @returns {Line | undefined} */
  get chosen() {
    const { all } = this;
    return all?.find((line) => this.favours(line) === this.#favoured) ?? all?.[0];
  }

  /** Returns the side that cycles favour in a line. In the line of the low bound this is the opponent of the player to
   * move.
   * @param {Line} line */
  favours({ bound }) {
    const { toMove } = this.explorer.now;
    return bound && (bound === "high" ? toMove : other(toMove));
  }

  /** @param {Line} line the one to be played */
  choose(line) {
    this.stop();
    this.#favoured = this.favours(line);
    this.explorer.on.change();
  }

  /** @param {number | undefined} house */
  select(house) {
    this.selected = this.selected === house ? undefined : house;
    this.explorer.on.change();
  }

  /** Goes along a line, which becomes a variation where the game went on otherwise.
   * @param {Line} line
   * @param {number} count of its moves */
  follow(line, count) {
    const { editing, game } = this.explorer;
    if (editing) return;
    this.#favoured = this.favours(line);
    for (const move of line.moves.slice(0, count)) game.play(LETTERS.indexOf(move.move), move);
    this.explorer.show(game.ply);
  }

  /** Plays the best move; of several the first of the line that is shown. */
  async playBest() {
    const { best, editing } = this.explorer;
    const next = this.selected === undefined ? this.chosen?.moves[0] : undefined;
    const house = next ? LETTERS.indexOf(next.move) : best[0];
    if (!editing && house !== undefined) await this.explorer.play(house);
  }

  /** Plays the next move of the line. */
  async step() {
    const line = this.chosen;
    const next = line?.moves[0];
    if (!next || this.explorer.editing) return;
    this.#favoured = this.favours(line);
    await this.explorer.play(LETTERS.indexOf(next.move));
  }

  /** Plays the line, move by move. */
  async play() {
    const line = this.chosen;
    const { explorer } = this;
    if (!line || this.playing || explorer.editing) return;
    const houses = line.moves.map(({ move }) => LETTERS.indexOf(move));
    const { game } = explorer;
    this.#favoured = this.favours(line);
    this.playing = true;
    explorer.on.change();
    for (const [number, house] of houses.entries()) {
      const answer = await explorer.knowledge.wait(game.now);
      if (!answer || !this.playing || explorer.game !== game) break;
      await explorer.play(house);
      if (number + 1 < houses.length) await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
    this.stop();
    explorer.on.change();
  }

  /** Ends playback. */
  stop() {
    this.playing = false;
  }

  /** Ends playback, and forgets what was chosen. */
  reset() {
    this.stop();
    this.selected = this.#favoured = undefined;
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
