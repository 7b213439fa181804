// Puzzles: positions with one right move, drawn by theme and grade, alone, in a series, or one a day. Progress is kept
// in this browser.

import { say } from "../announce.js";
import { button, plain } from "../buttons.js";
import { choice, close, open } from "../dialogs.js";
import { html, redraw } from "../dom.js";
import { grouped, t } from "../i18n.js";
import { givenAway } from "../phrases.js";
import { LETTERS, withEqualStores } from "../situation.js";
import { seedsText, signed } from "../value.js";
import { keep, kept } from "../store.js";

/** @typedef {import("../explorer.js").Explorer} Explorer */
/** @typedef {{theme: string, grade: number, houses: number[], value: number, right: number}} Puzzle */

export const THEMES = ["win", "sacrifice", "zugzwang", "draw"];
const GRADES = 5;

/** The rules that they are by. */
const RULES = "abapa";

/** The puzzles of a series. */
const SERIES = 10;

/** From day to day the number of the puzzle goes on by this: it has no factor in common with their number, so that
 * all come before one comes again, and neighbours in the file come on different days. */
const STEP = 367;

/** What is kept: all answers, the right ones in a row now and at most, the puzzles that were answered, the choices, the
 * series with its results so far, the puzzle of the day that was answered last, and the puzzle on the board, if it is
 * answered. */
const KEY = "granero-puzzles";
const NOTHING = {
  tried: 0, right: 0, row: 0, longest: 0, seen: /** @type {number[]} */ ([]), theme: "", grade: "",
  series: /** @type {number[]} */ ([]), results: /** @type {boolean[]} */ ([]),
  day: { date: "", right: false }, answered: { number: -1, house: -1 },
};

/** Reads `data/puzzles.tsv`. @param {string} text @returns {Puzzle[]} */
export const parsed = (text) =>
  text.split("\n").filter((line) => line && !line.startsWith("#")).map((line) => {
    const [theme, grade, houses, value, right] = line.split("\t");
    return {
      theme, grade: Number(grade), houses: houses.split(" ").map(Number), value: Number(value),
      right: LETTERS.indexOf(right),
    };
  });

/** Returns the number of a day's puzzle. @param {Date} date of the reader @param {number} count */
export function numberOf(date, count) {
  const day = Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000;
  return (day * STEP) % count;
}

/** Writes a date as `2026-11-25`. @param {Date} date */
const written = (date) =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");

export class Training {
  /** @type {Puzzle[] | undefined} */
  #puzzles;

  /** @param {HTMLElement} panel @param {Explorer} explorer */
  constructor(panel, explorer) {
    this.panel = panel;
    this.explorer = explorer;
  }

  get #kept() {
    return kept(KEY, NOTHING);
  }

  /** Loads the puzzles, once. */
  async #load() {
    if (this.#puzzles) return this.#puzzles;
    const response = await fetch(new URL("puzzles.tsv", import.meta.url));
    if (!response.ok) throw new Error(`puzzles.tsv: HTTP ${response.status}`);
    return (this.#puzzles = parsed(await response.text()));
  }

  /** Asks which puzzles to pose. */
  async ask() {
    const puzzles = await this.#load();
    const { tried, right, row, longest, seen, theme, grade, day } = this.#kept;
    const any = ["", t("puzzle.any")];
    const [themeRow, themes] = choice("puzzle.theme", theme, [any, ...THEMES.map((theme) => [theme, t(`puzzle.${theme}`)])]);
    const [gradeRow, grades] = choice("puzzle.grade", grade,
      [any, ...Array.from({ length: GRADES }, (_, i) => [String(i + 1), t("puzzle.gradeOf", { n: i + 1, most: GRADES })])]);
    const today = written(new Date());
    const isDone = day.date === today;
    open(
      t("tools.puzzles"),
      html("p", { class: "buttons" },
        plain(t(isDone ? (day.right ? "puzzle.dayRight" : "puzzle.dayWrong") : "puzzle.day"),
          () => (close(), this.#today()), { kind: "button main" })),
      html("h3", {}, t("puzzle.series", { n: SERIES })),
      themeRow, gradeRow,
      html("p", { class: "buttons" },
        plain(t("puzzle.begin"), () => (close(), this.#draw(themes.value, grades.value)), { kind: "button main" })),
      html("p", { class: "quiet" },
        tried ? t("puzzle.progress", { right, tried, row, longest, seen: seen.length, all: grouped(puzzles.length) }) : t("puzzle.how")),
    );
  }

  async #today() {
    keep(KEY, { ...this.#kept, series: [], results: [] });
    this.#pose(numberOf(new Date(), (await this.#load()).length));
  }

  /** Draws a series, those first that were not seen. @param {string} theme @param {string} grade */
  #draw(theme, grade) {
    const puzzles = this.#puzzles ?? [];
    const state = this.#kept;
    const seen = new Set(state.seen);
    const series = puzzles.flatMap((puzzle, number) =>
      (!theme || puzzle.theme === theme) && (!grade || puzzle.grade === Number(grade))
        ? [{ number, puzzle, luck: Math.random() + Number(seen.has(number)) }] : [])
      .sort((a, b) => a.luck - b.luck).slice(0, SERIES)
      .sort((a, b) => a.puzzle.grade - b.puzzle.grade)
      .map(({ number }) => number);
    keep(KEY, { ...state, theme, grade, series, results: [] });
    this.#pose(series[0]);
  }

  /** @param {number} number */
  #pose(number) {
    const { explorer } = this;
    const { houses } = /** @type {Puzzle[]} */ (this.#puzzles)[number];
    keep(KEY, { ...this.#kept, answered: NOTHING.answered });
    explorer.open({
      rules: RULES, start: withEqualStores(houses, "S"), moves: "", turned: false, view: "board", puzzle: number,
    }, explorer.now);
  }

  /** The puzzle that is posed. */
  get #puzzle() {
    return this.#puzzles?.[this.explorer.puzzle ?? -1];
  }

  /** True if it is answered, or the answer is shown. */
  get #isDone() {
    return this.#kept.answered.number === this.explorer.puzzle;
  }

  /** Takes a legal move as the answer. @param {number} [house] none to be told */
  answer(house) {
    const { explorer } = this;
    const puzzle = this.#puzzle;
    if (!puzzle || this.#isDone) return;
    const number = /** @type {number} */ (explorer.puzzle);
    const isRight = house === puzzle.right;
    const state = this.#kept;
    const row = isRight ? state.row + 1 : 0;
    const isFromSeries = state.series[state.results.length] === number;
    const date = written(new Date());
    const isToday = number === numberOf(new Date(), (this.#puzzles ?? []).length) && state.day.date !== date;
    keep(KEY, {
      ...state,
      tried: state.tried + 1,
      right: state.right + Number(isRight),
      row,
      longest: Math.max(row, state.longest),
      seen: [...new Set([...state.seen, number])],
      results: isFromSeries ? [...state.results, isRight] : state.results,
      day: isToday ? { date, right: isRight } : state.day,
      answered: { number, house: house ?? -1 },
    });
    explorer.asking = false;
    // What is wrong with a move is how play goes on after it.
    explorer.lines.selected = isRight ? undefined : house;
    say(this.#verdict());
    explorer.on.change();
    /** @type {HTMLElement | null} */ (this.panel.querySelector("[data-key=puzzle-next]"))?.focus({ preventScroll: true });
  }

  /** Says whether the answer is right, and why. */
  #verdict() {
    const { explorer } = this;
    const puzzle = /** @type {Puzzle} */ (this.#puzzle);
    const { house } = this.#kept.answered;
    const best = { house: LETTERS[puzzle.right], value: signed(puzzle.value) };
    if (house === puzzle.right) return t("puzzle.right", best);
    const right = t("puzzle.value", best);
    if (house < 0) return right;
    const move = explorer.game.at === 0 ? explorer.moveOf(house) : undefined;
    const lost = move && explorer.known ? givenAway(explorer.known, move) : null;
    const gives = lost ? ` ${t("move.gives", { n: lost, seeds: seedsText(lost) })}` : "";
    return `${t("puzzle.wrong", { house: LETTERS[house] })}${gives} ${right}`;
  }

  /** Goes on to the next puzzle of the series, or asks for more. */
  next() {
    const { series, results } = this.#kept;
    const next = series[results.length];
    if (next === undefined) this.ask();
    else this.#pose(next);
  }

  #close() {
    this.explorer.puzzle = undefined;
    this.explorer.asking = false;
    this.explorer.on.change();
  }

  show() {
    const { panel, explorer } = this;
    const { puzzle: number } = explorer;
    panel.hidden = number === undefined || explorer.editing;
    if (panel.hidden || number === undefined) return redraw(panel);
    if (!this.#puzzles) {
      this.#load().then(() => this.show(), (error) => {
        explorer.error = error;
        explorer.puzzle = undefined;
        explorer.on.change();
      });
      return;
    }
    const puzzle = this.#puzzle;
    // An address may have only its number, or tell more.
    const { rules, game } = explorer;
    const isOther = rules !== RULES || String(game.start.houses) !== String(puzzle?.houses);
    if (!puzzle || (isOther && explorer.given)) {
      explorer.damaged("puzzle");
      return this.#close();
    }
    if (isOther || (!this.#isDone && game.main.length > 1)) return this.#pose(number);
    const { series, results } = this.#kept;
    const isDone = this.#isDone;
    if (isDone && explorer.asking) {
      explorer.asking = false;
      return explorer.on.change();
    }
    const place = isDone ? results.length : results.length + 1;
    const isSeries = series[place - 1] === number;
    const isOver = isSeries && isDone && results.length === series.length;
    redraw(
      panel,
      html("h2", {}, isSeries ? t("puzzle.of", { n: place, most: series.length }) : t("puzzle.title"), " ",
        plain(t("close"), () => this.#close(), { kind: "link" })),
      html("p", { class: "strong" }, t(`puzzle.${puzzle.theme}.task`)),
      html("p", { class: "quiet" }, `${t(`puzzle.${puzzle.theme}`)} · ${t("puzzle.gradeOf", { n: puzzle.grade, most: GRADES })}`),
      isSeries ? html("p", { class: "marks", "aria-label": t("puzzle.score", { right: results.filter(Boolean).length, n: results.length }) },
        ...results.map((right) => html("span", { class: right ? "best" : "lost", "aria-hidden": "true" }, right ? "★" : "✗"))) : null,
      isDone ? html("p", { class: "advice" }, this.#verdict()) : null,
      isOver ? html("p", { class: "strong" }, t("puzzle.score", { right: results.filter(Boolean).length, n: results.length })) : null,
      html("p", { class: "buttons small" },
        isDone
          ? button("step", isSeries && !isOver ? "puzzle.next" : "puzzle.more", () => this.next(), "puzzle-next")
          : button("eye", "puzzle.tell", () => this.answer())),
    );
  }
}
