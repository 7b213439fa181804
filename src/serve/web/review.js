// Reviews a game: it is pasted, opened or dropped, judged, and shown with marks, a curve of its end
// with best play, and a summary of both players.

import { button, plain } from "./buttons.js";
import { curve } from "./curve.js";
import { close, open } from "./dialogs.js";
import { byId, html, redraw, reveal } from "./dom.js";
import { t } from "./i18n.js";
import { judge, least, MOST } from "./judgement.js";
import { estimated, name, whyHalf } from "./phrases.js";
import { movesOf, ogn } from "./ogn.js";
import { LETTERS, read, total, write } from "./situation.js";
import { seedsText, UNKNOWN } from "./value.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */
/** @typedef {import("./judgement.js").Judgement} Judgement */
/** @typedef {import("./judgement.js").JudgedMove} JudgedMove */

/** The time of a request for proofs in seconds, and the pause while the server is busy in milliseconds. */
const TIME = 1;
const PAUSE = 3000;

/** What stands behind a move: as in a game record, where a harmless one has only a comment. @type {Record<string, string>} */
const SYMBOLS = { "changed-winner": "??", "gave-away": "?", harmless: "○", best: "" };

export class Review {
  /** @type {Judgement | undefined} */
  #judgement;
  /** Names the game, the rules and the convention that it is of. */
  #key = "";
  /** The text that was read last, and the number of the game in it, of how many. */
  #text = "";
  #number = 1;
  #games = 1;
  /** What is wrong with the text. */
  #complaint = "";
  /** The mistake that the player looks for a better move for. @type {JudgedMove | undefined} */
  #lesson;
  /** Ends the requests for the game before. */
  #requests = new AbortController();

  /** @param {HTMLElement} panel @param {Explorer} explorer */
  constructor(panel, explorer) {
    this.panel = panel;
    this.explorer = explorer;
    addEventListener("dragover", (event) => {
      if (isGame(event)) event.preventDefault();
    });
    addEventListener("drop", (event) => {
      const file = event.dataTransfer?.files[0];
      const text = event.dataTransfer?.getData("text/plain");
      if ((!file && !text) || !isGame(event)) return;
      event.preventDefault();
      if (file) this.#take(file);
      else {
        this.#text = text ?? "";
        this.#start();
      }
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
          plain(t("review.start"), () => this.#start(), { kind: "button main" }))),
    );
    field.focus();
  }

  /** @param {File} file */
  async #take(file) {
    this.#text = file.size > 2 * MOST ? " ".repeat(MOST + 1) : await file.text();
    await this.#start();
  }

  /** Reads a game of the text, and shows it. @param {number} [number] which one */
  async #start(number = 1) {
    this.#requests.abort();
    this.#requests = new AbortController();
    const { signal } = this.#requests;
    const { explorer } = this;
    const { rules, cycles, turned } = explorer;
    try {
      const text = this.#text;
      if (text.length > MOST) throw new Error(t("review.tooLong", { max: Math.floor(MOST / 1000) }));
      const judgement = await judge(rules, cycles, { text, game: number }, signal);
      if (signal.aborted) return;
      const [start, letters] = judgement.game.split(" ");
      const { first, south, north, error } = judgement;
      if (!letters) throw new Error(error ? t("review.impossible", { move: error.label }) : t("review.empty"));
      this.#number = number;
      this.#games = judgement.games;
      this.#complaint = "";
      close();
      // At the first mistake.
      const at = judgement.moves.find((move) => move.class_at_least !== "best")?.number ?? 0;
      const place = {
        rules, cycles, turned, first, reviewed: true, names: { S: south.name ?? "", N: north.name ?? "" },
        start: read(start) ?? undefined, view: /** @type {const} */ ("board"),
      };
      const whole = judgement.games === 1 ? movesOf(text) : "";
      this.#judgement = judgement;
      this.#key = "read";
      explorer.open({ ...place, moves: whole, at: 0 }, explorer.now);
      // The variations of the record, if they belong to the game.
      if (explorer.game.letters !== letters) explorer.open({ ...place, moves: letters, at: 0 }, explorer.now);
      explorer.show(explorer.game.main[Math.min(at, letters.length)]);
      // On a phone, all of it is in sight below the board.
      const isNarrow = matchMedia("(max-width: 640px)").matches;
      if (isNarrow) byId("board").scrollIntoView();
      else this.panel.querySelector("h2")?.scrollIntoView({ block: "nearest" });
    } catch (error) {
      if (signal.aborted) return;
      const { message, hint } = /** @type {import("./api_error.js").ApiError} */ (error);
      this.#complaint = [message, hint].filter(Boolean).join(" – ");
      if (this.#text.length > MOST) this.#text = "";
      this.ask();
    }
  }

  /** Judges the game that is shown. @param {string} key @param {string} text */
  async #follow(key, text) {
    const { rules, cycles } = this.explorer;
    // What was just read is known already, with what is wrong at its end.
    const { game } = this.explorer;
    const isRead = this.#key === "read" && this.#judgement?.game === `${write(game.start)} ${game.letters}`;
    this.#key = key;
    this.#lesson = undefined;
    this.#requests.abort();
    this.#requests = new AbortController();
    const { signal } = this.#requests;
    const asked = { text, game: 1 };
    try {
      if (!isRead) {
        const judgement = await judge(rules, cycles, asked, signal);
        if (signal.aborted) return;
        this.#judgement = judgement;
        this.explorer.on.change();
      }
      await this.#prove(rules, cycles, asked, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.explorer.error = /** @type {Error} */ (error);
      this.explorer.on.change();
    }
  }

  /** Has the server prove what moves beyond the tables are worth, a few at a time.
   * @param {string} rules @param {string} cycles @param {{text: string, game: number}} asked
   * @param {AbortSignal} signal */
  async #prove(rules, cycles, asked, signal) {
    const longest = this.explorer.tables.limits.prove_seconds ?? 0;
    while (this.#judgement?.to_search && !signal.aborted) {
      const answer = await judge(rules, cycles, asked, signal, Math.min(TIME, longest)).catch((error) => {
        if (error.code !== "overloaded") throw error;
      });
      if (signal.aborted) return;
      if (answer) {
        this.#judgement = { ...answer, error: this.#judgement.error };
        this.explorer.on.change();
      } else {
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
      }
    }
  }

  /** The number of moves that the judgement and the game have in common. */
  get #common() {
    const { start, letters } = this.explorer.game;
    const [position, judged = ""] = (this.#judgement?.game ?? "").split(" ");
    if (position !== write(start)) return 0;
    let common = 0;
    while (common < judged.length && judged[common] === letters[common]) common += 1;
    return common;
  }

  /** What is said of the moves that are not best. @returns {Map<import("./game.js").Ply, import("./ogn.js").Remark>} */
  get remarks() {
    const { main, reviewed } = this.explorer.game;
    const moves = (reviewed && this.#judgement?.moves) || [];
    return new Map(moves.slice(0, this.#common).filter(({ class_at_least: kind }) => SYMBOLS[kind]).map((move) =>
      [main[move.number], { symbol: SYMBOLS[move.class_at_least].replace("○", ""), text: this.#title(move).replace(/^.*?\. \S+\. /, "") }]));
  }

  /** Shows the game after a number of moves. @param {number} at */
  #look(at) {
    this.explorer.show(this.explorer.game.main[at]);
  }

  /** The judged moves of the game that cost something. */
  get #mistakes() {
    const moves = (this.#isShown && this.#judgement?.moves) || [];
    return moves.filter(({ class_at_least: kind, number }) =>
      number <= this.#common && (kind === "changed-winner" || kind === "gave-away"));
  }

  /** The number of moves of the game before what is shown, or before its variation. */
  get #at() {
    const { main, line, ply } = this.explorer.game;
    return line.slice(0, line.indexOf(ply) + 1).findLastIndex((ply, at) => main[at] === ply);
  }

  /** Shows the next mistake or the one before; returns false if no review is shown. @param {1 | -1} step */
  mistake(step) {
    if (!this.#isShown) return false;
    const ordered = step > 0 ? this.#mistakes : this.#mistakes.reverse();
    const next = ordered.find(({ number }) => step * (number - this.#at) > 0);
    if (next) this.#look(next.number);
    return true;
  }

  /** Asks for a better move than a mistake: the one that is shown, or the next. */
  #learn() {
    const mistakes = this.#mistakes;
    this.#lesson = mistakes.find(({ number }) => number >= this.#at) ?? mistakes[0];
    this.explorer.asking = true;
    this.#look(this.#lesson.number - 1);
  }

  /** Shows what is asked in a lesson, or whether the answer was right; nothing once the player goes elsewhere. */
  #taught() {
    const { explorer } = this;
    const { ply, main } = explorer.game;
    const mistake = this.#lesson;
    const before = mistake && main[mistake.number - 1];
    if (!mistake || (ply !== before && ply.parent !== before)) {
      this.#lesson = undefined;
      if (mistake && explorer.asking) {
        explorer.asking = false;
        queueMicrotask(explorer.on.change);
      }
      return null;
    }
    const task = t("learn.task", { move: mistake.label, name: name(/[A-F]/.test(mistake.move) ? "S" : "N") });
    if (ply === before) {
      return html("div", {}, html("p", { class: "advice" }, task),
        explorer.asking
          ? html("p", { class: "buttons small" }, button("eye", "puzzle.tell", () => explorer.reveal()))
          : html("p", {}, this.#title(mistake)));
    }
    const house = LETTERS[ply.house];
    const isRight = [...mistake.best, ...(mistake.best_known ?? [])].includes(house);
    return html("div", {}, html("p", { class: "advice" }, t(isRight ? "learn.right" : "puzzle.wrong", { house })),
      html("p", { class: "buttons small" },
        isRight ? null : button("undo", "learn.again", () => (this.#look(mistake.number), this.#learn()))));
  }

  #end() {
    this.#requests.abort();
    this.#judgement = undefined;
    this.#text = this.#key = "";
    this.#games = 1;
    this.#lesson = undefined;
    this.explorer.asking = this.explorer.game.reviewed = false;
    this.explorer.on.change();
  }

  get #isShown() {
    const { game, editing } = this.explorer;
    return game.reviewed && game.main.length > 1 && !editing;
  }

  show() {
    const { panel, explorer } = this;
    const { game, rules, cycles } = explorer;
    panel.hidden = !this.#isShown;
    if (!this.#isShown) return redraw(panel);
    const text = ogn(game, rules);
    const key = `${rules} ${cycles} ${text}`;
    if (key !== this.#key) this.#follow(key, text);
    const judgement = this.#judgement;
    if (!judgement) return redraw(panel, html("h2", {}, t("review.title")), html("p", { class: "quiet" }, "…"));
    const place = game.main.indexOf(game.ply);
    const at = place < 0 ? undefined : place;
    const { length, beyond, cut_off: cut = 0, error, searched, to_search: open } = judgement;
    const common = this.#common;
    const moves = judgement.moves.filter(({ unknown, number }) => !unknown && number <= common);
    const unknown = beyond - moves.filter(({ search }) => search).length;
    const estimates = (judgement.estimates ?? []).slice(0, common + 1);
    const isGuessed = estimates.some((seeds) => seeds !== null);
    const { letters } = game;
    const played = letters.length;
    const head = html("h2", {}, t("review.title"), " ",
      plain(t("review.end"), () => this.#end(), { kind: "link" }));
    const taught = this.#taught();
    // What is to be found is told by everything else.
    if (taught && explorer.asking) return redraw(panel, head, taught);
    const hasMistakes = this.#mistakes.length > 0;
    redraw(
      panel,
      head,
      taught,
      this.#which(),
      moves.length === 0 && cut === 0 ? html("p", { class: "quiet" }, t("review.none")) : null,
      moves.length === 0 && !isGuessed ? null : curve({
        moves, estimates, length: played, at,
        label: t("review.curve", { name: name("S") }),
        axis: t("review.axis", { name: name("S") }),
        title: (move) => this.#title(move),
        onchoose: (number) => this.#look(number),
        half: total(this.explorer.game.start) / 2,
      }),
      isGuessed
        ? html("p", { class: "quiet" }, html("span", { class: "estimated", "aria-hidden": "true" }, "╌╌ "), t("review.estimate"))
        : null,
      html("ol", { class: "record reviewed" },
        ...Array.from(letters, (letter, index) => this.#cell(
          moves.find(({ number }) => number === index + 1) ?? bare(judgement, letter, index), at))),
      hasMistakes ? html("p", { class: "buttons small mistakes" },
        button("undo", "review.previous", () => this.mistake(-1)),
        button("step", "review.next", () => this.mistake(1)),
        button("puzzle", "learn.begin", () => this.#learn())) : null,
      moves.length > 0 ? summary(judgement, played) : null,
      open > 0
        ? html("p", { class: "quiet" }, t("review.proving", { n: searched, all: searched + open }), " ",
          html("progress", { value: searched, max: searched + open, "aria-hidden": "true" }))
        : null,
      unknown > 0 && (moves.length > 0 || cut > 0)
        ? html("p", { class: "quiet" }, t("review.beyond", { n: unknown }))
        : null,
      cut > 0 ? html("p", { class: "quiet" }, t("review.cut", { n: cut })) : null,
      error && length > 0
        ? html("p", { class: "wrong" }, t("review.impossible", { move: error.label }))
        : null,
    );
    reveal(panel.querySelector("ol"), panel.querySelector(".now"));
  }

  /** Offers a choice of several games. */
  #which() {
    const games = this.#games;
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
    const { class_at_least: kind } = move;
    const symbol = SYMBOLS[kind];
    const side = /[A-F]/.test(move.move) ? "south" : "north";
    return html("li", {},
      html("button", {
        type: "button",
        class: `chip ${side} ${kind ?? "unknown"} ${at === move.number ? "now" : ""}`,
        "data-key": `review-${move.number}`,
        "aria-current": at === move.number ? "step" : undefined,
        title: this.#title(move),
        onclick: () => this.#look(move.number),
      },
      move.label,
      symbol ? html("b", { class: kind }, symbol) : null,
      symbol ? html("span", { class: "unseen" }, ` ${t(`review.${kind}`)}`) : null));
  }

  /** @param {JudgedMove} move */
  #title(move) {
    const { label, class_at_least: kind, best, best_known: known = [], given_up: missed } = move;
    if (!kind) {
      const seeds = this.#judgement?.estimates?.[move.number];
      const guess = seeds == null ? "" : ` ${estimated(seeds, total(this.explorer.game.start))}`;
      return `${label}. ${t("move.unknown")}${guess}`;
    }
    const lost = least(move, "given_away");
    if (kind === "best") {
      return lost.settled && missed !== null ? `${label}. ${t("move.best")}` : label;
    }
    const key = missed ? "move.givesUp" : lost.settled ? "move.gives" : "move.givesAtLeast";
    const n = missed || lost.n;
    const most = best.length ? `${t("moves.best")}: ${best.join(", ")}.`
      : known.length ? `${t("moves.bestKnown")}: ${known.join(", ")}.` : "";
    return `${label}. ${t(`review.${kind}`)}. ${t(key, { n, seeds: seedsText(n) })} ${most}`;
  }
}

/** Returns true for a file, and for text that is not dropped on a field, which takes it itself. @param {DragEvent} event */
function isGame({ dataTransfer, target }) {
  const isField = target instanceof Element && target.closest("input, textarea") !== null;
  const types = dataTransfer?.types ?? [];
  return types.includes("Files") || (types.includes("text/plain") && !isField);
}

/** Describes a move of which nothing is known, with its number in the record.
 * @param {Judgement} judgement @param {string} move @param {number} index @returns {any} */
function bare({ first, second }, move, index) {
  const place = index + Number(second);
  const round = `${first + Math.floor(place / 2)}${place % 2 ? "…" : "."}`;
  return { number: index + 1, label: `${round} ${move}`, move };
}

/** Sums up the judged moves of both players.
 * @param {Judgement} judgement
 * @param {number} played the number of moves of the game */
function summary({ south, north }, played) {
  const heads = ["player", "judged", "best", "changed", "lost"];
  const shown = (/** @type {import("./judgement.js").JudgedPlayer} */ player, /** @type {string} */ key) => {
    const { n, settled } = least(player, key);
    return settled ? seedsText(n) : n > 0 ? `≥${seedsText(n)}` : UNKNOWN;
  };
  const row = (/** @type {"S" | "N"} */ side, /** @type {import("./judgement.js").JudgedPlayer} */ player) =>
    html("tr", {},
      html("th", { scope: "row" }, player.name ? `${player.name} (${name(side)})` : name(side)),
      ...[String(player.judged), String(player.best), shown(player, "changed_winner"), shown(player, "given_away")]
        .map((number) => html("td", {}, number)));
  const rows = [row("S", south), row("N", north)];
  const judged = south.judged + north.judged;
  return html("div", {},
    html("table", { class: "reviewed-players" },
      judged < played
        ? html("caption", { class: "quiet" }, t("review.only", { n: judged, all: played }))
        : null,
      html("thead", {}, html("tr", {},
        ...heads.map((key) => html("th", { scope: "col" }, t(`review.${key}`))))),
      html("tbody", {}, ...rows)),
    html("p", { class: "quiet" }, rows.map((row) => whyHalf(row.textContent)).find(Boolean) ?? ""));
}
