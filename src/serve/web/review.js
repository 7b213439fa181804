// Reviews a game: it is pasted, opened or dropped, judged, and shown with marks, a curve of its end
// with best play, and a summary of both players.

import { curve } from "./curve.js";
import { close, open } from "./dialogs.js";
import { html, redraw } from "./dom.js";
import { t } from "./i18n.js";
import { judge, MOST } from "./judgement.js";
import { name } from "./phrases.js";
import { read, write } from "./situation.js";
import { seedsText } from "./worth.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */
/** @typedef {import("./judgement.js").Judgement} Judgement */
/** @typedef {import("./judgement.js").JudgedMove} JudgedMove */
/** @typedef {import("./situation.js").Situation} Situation */

/** What stands behind a move, as in a game record. @type {Record<string, string>} */
const SYMBOLS = { "changed-winner": "??", "gave-away": "?", harmless: "?!", best: "" };

export class Review {
  /** @type {Judgement | undefined} */
  #judgement;
  /** The text, and the number of the game in it. */
  #text = "";
  #number = 1;
  /** What is wrong with the text. */
  #complaint = "";
  /** Counts requests, so that an outdated answer is dropped. */
  #asked = 0;

  /** @param {HTMLElement} panel @param {Explorer} explorer */
  constructor(panel, explorer) {
    this.panel = panel;
    this.explorer = explorer;
    addEventListener("dragover", (event) => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    });
    addEventListener("drop", (event) => {
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      this.#take(file);
    });
  }

  /** Asks for a game. */
  ask() {
    const field = /** @type {HTMLTextAreaElement} */ (
      html("textarea", {
        id: "review-text", rows: 6, spellcheck: "false", autocomplete: "off",
        "aria-describedby": "review-help",
        "aria-invalid": this.#complaint ? "true" : undefined,
        oninput: () => (this.#text = field.value),
      })
    );
    field.value = this.#text;
    const file = /** @type {HTMLInputElement} */ (
      html("input", {
        id: "review-file", type: "file", accept: ".ogn,.pgn,.txt,text/plain",
        onchange: () => file.files?.[0] && this.#take(file.files[0]),
      })
    );
    open(
      t("tools.review"),
      html("div", { class: "review-form" },
        html("label", { for: "review-text" }, t("review.text")),
        field,
        html("p", { id: "review-help", class: this.#complaint ? "wrong" : "quiet", role: this.#complaint ? "alert" : undefined },
          this.#complaint || t("review.how")),
        html("label", { for: "review-file" }, t("review.file")),
        file,
        html("p", { class: "buttons" },
          html("button", { type: "button", class: "button main", onclick: () => this.#start() },
            t("review.start")))),
    );
    field.focus();
  }

  /** @param {File} file */
  async #take(file) {
    this.#text = file.size > 2 * MOST ? " ".repeat(MOST + 1) : await file.text();
    await this.#start();
  }

  /** @param {number} [number] which game of the text @param {boolean} [isNew] whether it is to be shown */
  async #start(number = 1, isNew = true) {
    const asked = ++this.#asked;
    const { explorer } = this;
    const { rules, cycles } = explorer;
    try {
      if (this.#text.length > MOST) throw new Error(t("review.tooLong", { max: Math.floor(MOST / 1000) }));
      const judgement = await judge(rules, cycles, this.#text, number);
      if (asked !== this.#asked) return;
      this.#judgement = judgement;
      this.#number = number;
      this.#complaint = "";
      if (!isNew) return explorer.on.change();
      close();
      // At the first mistake.
      await this.#look(judgement.moves.find((move) => move.class !== "best")?.number ?? 0);
      this.panel.querySelector("h2")?.scrollIntoView({ block: "nearest" });
    } catch (error) {
      if (asked !== this.#asked) return;
      const { message, hint } = /** @type {import("./api_error.js").ApiError} */ (error);
      this.#complaint = [message, hint].filter(Boolean).join(" – ");
      if (this.#text.length > MOST) this.#text = "";
      this.ask();
    }
  }

  /** Returns the first situation of the game and its letters. */
  get #played() {
    const [start, letters = ""] = (this.#judgement?.game ?? "").split(" ");
    return { start: read(start), letters };
  }

  /** Returns true if the page shows this game, at any of its moves. */
  get #isShown() {
    const { game } = this.explorer;
    const { start, letters } = this.#played;
    return start !== null && write(game.start) === write(start) && game.letters === letters;
  }

  /** Shows the game after a number of moves. @param {number} at */
  async #look(at) {
    const { explorer } = this;
    if (this.#isShown) return explorer.go(at);
    const { start, letters } = this.#played;
    if (!start) return;
    const { rules, cycles, turned } = explorer;
    // The answer may be of other tables than those shown now.
    await explorer.open({ rules, cycles, start, moves: letters, at, turned, view: "board" }, start);
  }

  #end() {
    this.#judgement = undefined;
    this.#text = "";
    this.explorer.on.change();
  }

  show() {
    const { panel, explorer } = this;
    const judgement = this.#judgement;
    panel.hidden = !judgement || explorer.editing;
    if (!judgement || explorer.editing) return redraw(panel);
    const { rules, cycles } = explorer;
    if (judgement.rules !== rules || judgement.cycles !== cycles) {
      // Other tables judge differently.
      judgement.rules = rules;
      judgement.cycles = cycles;
      this.#start(this.#number, false);
    }
    const at = this.#isShown ? explorer.game.at : undefined;
    const { moves, length, beyond, cut_off: cut = 0, error } = judgement;
    const played = this.#played.letters.length;
    redraw(
      panel,
      html("h2", {}, t("review.title"), " ",
        html("button", {
          type: "button", class: "link", "data-key": "review-end", onclick: () => this.#end(),
        }, t("review.end"))),
      this.#which(judgement),
      moves.length === 0 && cut > 0 ? null
      : moves.length === 0 ? html("p", { class: "quiet" }, t("review.none")) : curve({
        moves, length: played, at,
        label: t("review.curve", { name: name("S") }),
        title: (move) => this.#title(move),
        onchoose: (number) => this.#look(number),
      }),
      html("ol", { class: "record reviewed" }, ...moves.map((move) => this.#cell(move, at))),
      moves.length > 0 ? summary(judgement, played) : null,
      beyond > 0 && (moves.length > 0 || cut > 0)
        ? html("p", { class: "quiet" }, t("review.beyond", { n: beyond }))
        : null,
      cut > 0 ? html("p", { class: "quiet" }, t("review.cut", { n: cut })) : null,
      error && length > 0
        ? html("p", { class: "wrong" }, t("review.impossible", { move: error.move, n: error.number }))
        : null,
    );
    const list = panel.querySelector("ol");
    const here = panel.querySelector(".now");
    if (list && here instanceof HTMLElement) {
      list.scrollTop = here.offsetTop - list.offsetTop - list.clientHeight / 2;
    }
  }

  /** Offers a choice of several games. @param {Judgement} judgement */
  #which({ games }) {
    if (games < 2) return null;
    const select = /** @type {HTMLSelectElement} */ (
      html("select", {
        "data-key": "review-game", "aria-label": t("review.text"),
        onchange: () => this.#start(Number(select.value)),
      }, ...Array.from({ length: games }, (_, index) =>
        html("option", { value: index + 1 }, t("review.which", { n: index + 1, all: games }))))
    );
    select.value = String(this.#number);
    return html("p", {}, select);
  }

  /** @param {JudgedMove} move @param {number | undefined} at */
  #cell(move, at) {
    const symbol = SYMBOLS[move.class];
    const side = /[A-F]/.test(move.move) ? "south" : "north";
    return html("li", {},
      html("button", {
        type: "button",
        class: `chip ${side} ${move.class} ${at === move.number ? "now" : ""}`,
        "data-key": `review-${move.number}`,
        "aria-current": at === move.number ? "step" : undefined,
        title: this.#title(move),
        onclick: () => this.#look(move.number),
      },
      move.label,
      symbol ? html("b", { class: move.class }, symbol) : null,
      symbol ? html("span", { class: "unseen" }, ` ${t(`review.${move.class}`)}`) : null));
  }

  /** @param {JudgedMove} move */
  #title(move) {
    if (move.class === "best") return `${move.label}. ${t("move.best")}`;
    const lost = move.given_away ?? move.guaranteed_given_away ?? 0;
    const missed = move.attainable_given_up ?? 0;
    const what = lost > 0
      ? t("move.gives", { n: lost, seeds: seedsText(lost) })
      : t("move.givesUp", { n: missed, seeds: seedsText(missed) });
    const best = `${t("moves.best")}: ${move.best.join(", ")}.`;
    return `${move.label}. ${t(`review.${move.class}`)}. ${what} ${best}`;
  }
}

/**
 * Sums up the judged moves of both players.
 * @param {Judgement} judgement
 * @param {number} played the number of moves of the game
 */
function summary({ south, north, moves }, played) {
  const heads = ["player", "judged", "best", "changed", "lost"];
  const row = (/** @type {"S" | "N"} */ side, /** @type {import("./judgement.js").JudgedPlayer} */ player) =>
    html("tr", {},
      html("th", { scope: "row" }, player.name ? `${player.name} (${name(side)})` : name(side)),
      ...[player.judged, player.best, player.changed_winner,
        player.given_away ?? player.guaranteed_given_away ?? 0].map((number) =>
        html("td", {}, String(number))));
  return html("table", { class: "reviewed-players" },
    moves.length < played
      ? html("caption", { class: "quiet" }, t("review.only", { n: moves.length, all: played }))
      : null,
    html("thead", {}, html("tr", {},
      ...heads.map((key) => html("th", { scope: "col" }, t(`review.${key}`))))),
    html("tbody", {}, row("S", south), row("N", north)));
}
