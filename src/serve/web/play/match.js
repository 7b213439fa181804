// A game against granero: it is set up in a window, played on the board, and reviewed at its end. Its address restores
// it, and the browser keeps the one that was played last, and the results.

import { say } from "../announce.js";
import { button, plain } from "../buttons.js";
import { choice, close, open } from "../dialogs.js";
import { html, redraw } from "../dom.js";
import { t } from "../i18n.js";
import { name, result, whyHalf, winner } from "../phrases.js";
import { difficulty } from "../player.js";
import { firstHouse, LETTERS, opening, other, sum, write } from "../situation.js";
import { bounds, final } from "../value.js";
import { advised, chosen, PERFECT } from "./opponent.js";
import { keep, kept } from "../store.js";

/** @typedef {import("../explorer.js").Explorer} Explorer */
/** @typedef {import("../situation.js").Side} Side */

/** What is kept: the address of the game in progress, the last choices, and how many games were won, drawn and lost. */
const KEY = "granero-play";
const NOTHING = { going: "", side: "S", level: 3, results: /** @type {Record<string, number[]>} */ ({}) };

export class Match {
  /** Names the position that granero thinks about. */
  #thinking = "";
  /** The position that the advice is for, and the advice. */
  #advised = "";
  #advice = "";
  /** The game that was in progress when it was shown last. @type {import("../game.js").Game | undefined} */
  #going;

  /** @param {HTMLElement} panel @param {Explorer} explorer */
  constructor(panel, explorer) {
    this.panel = panel;
    this.explorer = explorer;
  }

  get #kept() {
    return kept(KEY, NOTHING);
  }

  /** The tables and rules that are asked. */
  get #table() {
    const { rules, cycles, table, tables } = this.explorer;
    return { rules, cycles, most: table?.max_seeds ?? -1, prove: tables.limits.prove_seconds ?? 0 };
  }

  /** Asks how to play. */
  ask() {
    const { explorer } = this;
    const { going, side, level, results } = this.#kept;
    const start = opening(explorer.seeds);
    const isStart = write(explorer.now) === write(start);
    const [sideRow, sides] = choice("play.side", side, [["S", name("S")], ["N", name("N")], ["", t("play.anySide")]]);
    const about = html("p", { class: "quiet", "aria-live": "polite" });
    const [levelRow, levels] = choice("play.level", String(level),
      Array.from({ length: PERFECT }, (_, i) => [String(i + 1), `${i + 1} · ${t(`level.${i + 1}`)}`]), () => tell());
    const [fromRow, from] = choice("play.from", "start",
      [["start", t("play.fromStart")], ...(isStart || explorer.known?.over ? [] : [["here", t("play.fromHere")]])]);
    const tell = () => {
      const [won, drawn, lost] = results[levels.value] ?? [0, 0, 0];
      about.textContent = won + drawn + lost ? t("play.results", { won, drawn, lost }) : t("play.noResults");
    };
    tell();
    open(
      t("tools.play"),
      sideRow, levelRow, about, fromRow,
      html("p", { class: "quiet" }, t("play.how")),
      html("p", { class: "buttons" },
        plain(t("play.begin"), () => {
          close();
          const side = /** @type {Side} */ (sides.value || (Math.random() < 0.5 ? "S" : "N"));
          keep(KEY, { ...this.#kept, side: sides.value, level: Number(levels.value) });
          this.#begin(side, Number(levels.value), from.value === "here" ? explorer.now : start);
        }, { kind: "button main" }),
        going && !explorer.match
          ? plain(t("play.goOn"), () => (close(), (location.hash = going)))
          : null),
    );
    levels.focus();
  }

  /** @param {Side} side @param {number} level @param {import("../situation.js").Situation} start */
  #begin(side, level, start) {
    const { explorer } = this;
    explorer.turned = side === "N";
    explorer.begin(start);
    explorer.match = { side, level };
    explorer.game.names = { S: "", N: "", [side]: t("play.you"), [other(side)]: t("play.granero", { level }) };
    explorer.on.change();
  }

  /** Returns true if the player may make a move now; otherwise shows where the game stands. */
  mayMove() {
    const { explorer } = this;
    const { game, match } = explorer;
    const end = game.main[game.main.length - 1];
    if (explorer.ended) return true;
    if (game.ply !== end) {
      explorer.show(end);
      return false;
    }
    if (game.now.toMove === match?.side) return true;
    say(t("play.thinks"));
    return false;
  }

  /** Takes back the player's last move and the answer to it. */
  back() {
    const { explorer } = this;
    const { game, match } = explorer;
    const last = game.main.findLast(({ parent }) => parent?.situation.toMove === match?.side);
    if (!last) return;
    game.remove(last);
    explorer.lines.selected = undefined;
    explorer.on.change();
  }

  /** Tells which move is best, as far as granero knows. */
  async hint() {
    const { explorer } = this;
    const { now, known } = explorer;
    if (!known || explorer.ended || now.toMove !== explorer.match?.side) return;
    const key = write(now);
    const isKnown = bounds(known) !== null;
    const houses = isKnown ? explorer.best : [await advised(this.#table, now)];
    if (write(explorer.now) !== key) return;
    let advice = t(isKnown ? "play.hintBest" : "play.hintGuess", { house: houses.map((house) => LETTERS[house]).join(", ") });
    if (isKnown && (await difficulty(now, known.moves, explorer.rules)).easy_to_miss) advice += ` ${t("easy.text")}`;
    [this.#advised, this.#advice] = [key, advice];
    say(advice);
    this.show();
  }

  /** Ends the game; what was played stays, with its review. */
  stop() {
    const { explorer } = this;
    keep(KEY, { ...this.#kept, going: "" });
    explorer.match = undefined;
    explorer.game.reviewed = explorer.game.main.length > 1;
    explorer.on.change();
  }

  show() {
    const { panel, explorer } = this;
    const { game, match, now } = explorer;
    panel.hidden = !match || explorer.editing;
    if (!match || explorer.editing) return redraw(panel);
    const ended = explorer.ended;
    const isKnown = explorer.knowledge.of(game.main[game.main.length - 1].situation) !== undefined;
    if (ended && this.#going === game) return this.#finish();
    if (!ended && isKnown) this.#going = game;
    const names = { name: name(match.side), level: match.level };
    const score = ended && this.#score;
    redraw(
      panel,
      html("h2", {}, t("play.title", names)),
      html("p", { class: "quiet" }, t(`level.${match.level}`)),
      score ? html("p", { class: "strong" }, this.#outcome(score)) : null,
      score && ended === "repeated" ? html("p", {}, t("play.repeated"), " ", whyHalf(result(score))) : null,
      !ended && this.#advised === write(now) ? html("p", { class: "advice" }, this.#advice) : null,
      html("p", { class: "buttons small" },
        ...(ended
          ? [button("play", "play.again", () => this.ask()), button("clear", "play.close", () => this.stop())]
          : [
            button("undo", "play.back", () => this.back()),
            button("eye", "play.hint", () => this.hint()),
            button("clear", "play.stop", () => this.stop()),
          ])),
    );
    if (ended) return;
    keep(KEY, { ...this.#kept, going: explorer.address });
    this.#answer();
  }

  /** The final score of a game that has ended. */
  get #score() {
    const { explorer } = this;
    const { situation } = explorer.game.main[explorer.game.main.length - 1];
    const answer = explorer.knowledge.answer(situation);
    const over = answer?.over && bounds(answer);
    if (over) return final(situation, over.low);
    const first = firstHouse(situation.toMove);
    // Of an endless game, as the convention says.
    const ahead = 2 * sum(situation.houses.slice(first, first + 6)) - sum(situation.houses);
    return final(situation, explorer.cycles === "split" ? 0 : ahead);
  }

  /** @param {import("../value.js").Score} score */
  #outcome(score) {
    const won = winner(score);
    const key = !won ? "play.drew" : won === this.explorer.match?.side ? "play.won" : "play.lost";
    return `${t(key)} ${result(score)}`;
  }

  /** Lets granero move, if it is its turn. */
  async #answer() {
    const { explorer } = this;
    const { game, match, now } = explorer;
    const isEnd = game.ply.children.length === 0 && game.main.includes(game.ply);
    if (!match || !isEnd || now.toMove === match.side || !explorer.known || explorer.lines.playing) return;
    const key = `${explorer.rules} ${explorer.cycles} ${write(game.start)} ${game.letters}`;
    if (this.#thinking === key) return;
    this.#thinking = key;
    const { ply } = game;
    try {
      const house = await chosen(this.#table, now, match.level);
      if (explorer.match !== match || explorer.game !== game || game.ply !== ply || explorer.editing) return;
      await explorer.play(house);
    } catch (error) {
      explorer.error = /** @type {Error} */ (error);
      explorer.on.change();
    } finally {
      if (this.#thinking === key) this.#thinking = "";
    }
  }

  /** Counts the result and begins the review when a game has just ended. */
  #finish() {
    const { explorer } = this;
    const { game } = explorer;
    const { side, level } = /** @type {NonNullable<Explorer["match"]>} */ (explorer.match);
    this.#going = undefined;
    const score = this.#score;
    const won = winner(score);
    const results = this.#kept.results;
    const counts = results[level] ?? [0, 0, 0];
    counts[!won ? 1 : won === side ? 0 : 2] += 1;
    keep(KEY, { ...this.#kept, going: "", results: { ...results, [level]: counts } });
    game.reviewed = true;
    say(this.#outcome(score));
    explorer.on.change();
  }
}
