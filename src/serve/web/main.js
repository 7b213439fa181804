// The page: connects its state, its views and its controls.

import { tell, say } from "./announce.js";
import { Sower } from "./animation.js";
import * as api from "./api.js";
import { Board } from "./board.js";
import { boardView } from "./board_view.js";
import { plain } from "./buttons.js";
import { listenToChoices, showChoices } from "./choices.js";
import { close, showExamples, showHelp, showMore, showRange, showSettings } from "./dialogs.js";
import { byId, html, redraw } from "./dom.js";
import { EXAMPLES } from "./examples.js";
import { Explorer } from "./explorer.js";
import { speak, t } from "./i18n.js";
import { listen } from "./keyboard.js";
import { listenToLine, showLine } from "./line.js";
import { showMoves } from "./moves.js";
import { format, parse } from "./permalink.js";
import { explainIllegal } from "./phrases.js";
import { animated, applyTheme, prefer, preferences } from "./preferences.js";
import { showRecord } from "./record.js";
import { Review } from "./review.js";
import { showRules } from "./rules.js";
import { Setup } from "./setup.js";
import { GAMES, opening } from "./situation.js";
import { showTools } from "./tools.js";
import { showVerdict } from "./verdict.js";

/** @typedef {import("./preferences.js").Preferences} Preferences */

/** The longest part of a damaged link that is shown, in characters. */
const LONGEST = 60;

applyTheme();
if (!api.served) withoutServer();
await speak(preferences.language);
byId("plain").remove();
byId("app").hidden = false;
await start();

/** The note of a page that reads the tables itself. */
function withoutServer() {
  document.querySelector("[data-t='footer.about']")?.setAttribute("data-t", "footer.site");
  document.querySelector("[data-t='footer.api']")?.remove();
}

async function start() {
  try {
    run(await api.tables());
  } catch (error) {
    showError(/** @type {Error} */ (error), () => location.reload());
  }
}

/** @param {api.Tables} tables */
function run(tables) {
  // Tables of a smaller game begin with its opening; others with a position that they know.
  const { decides = 48 } = tables.default;
  const first = decides < 48 && GAMES.includes(decides) ? opening(decides) : EXAMPLES[0].situation;
  const explorer = new Explorer(tables, first, { change: show, preview, sow, refuse });
  const board = new Board(byId("board"), { house: choose, store: (side) => setup.store(side) });
  const sower = new Sower(board);
  const setup = new Setup(byId("setup"), explorer);
  const review = new Review(byId("review"), explorer);
  const statistics = later(async () => new (await import("./statistics.js")).Statistics(byId("statistics-view"), explorer));
  const downloads = later(() => import("./download.js"));
  const match = later(async () => new (await import("./play/match.js")).Match(byId("match"), explorer));
  const training = later(async () => new (await import("./play/training.js")).Training(byId("training"), explorer));
  let opened = false;

  /** Shows the current state, after a move that is being shown. */
  function show() {
    if (sower.busy) {
      if (explorer.now !== sower.next) sower.skip();
      return;
    }
    const onBoard = explorer.view === "board";
    byId("board-view").hidden = !onBoard;
    byId("statistics-view").hidden = onBoard;
    for (const [id, here] of /** @type {const} */ ([["to-board", onBoard], ["to-statistics", !onBoard]])) {
      if (here) byId(id).setAttribute("aria-current", "page");
      else byId(id).removeAttribute("aria-current");
    }
    showChoices(explorer);
    showError(explorer.error, () => explorer.retry());
    if (opened) showAddress();
    showDamage(explorer.damage.fields);
    explorer.knowledge.search(onBoard && explorer.values && !explorer.editing);
    if (onBoard) {
      board.show(boardView(explorer));
      board.svg.setAttribute("aria-label", t("board"));
      showVerdict(explorer, { range: () => showRange(explorer), more: () => showMore(explorer) });
      showMoves(byId("moves"), explorer);
      showLine(byId("line"), explorer);
      showRecord(byId("record"), explorer);
      showTools(byId("tools"), explorer, {
        examples,
        random,
        review: () => review.ask(),
        play: () => match.with((match) => match.ask()),
        puzzles: () => training.with((training) => training.ask()),
        copy,
        download: () => downloads.with(({ showDownloads }) => showDownloads(explorer, byId("board"), review.remarks)),
      });
      // What is to be found is not shown elsewhere.
      byId("board-view").classList.toggle("secret", explorer.secret);
      byId("match").hidden = explorer.match === undefined;
      byId("training").hidden = explorer.puzzle === undefined;
      if (explorer.match) match.with((match) => match.show());
      if (explorer.puzzle !== undefined) training.with((training) => training.show());
      review.show();
      setup.show();
      tell(explorer);
    } else {
      statistics.with((statistics) => statistics.show());
    }
  }

  function preview() {
    if (!sower.busy) board.show(boardView(explorer));
  }

  function showAddress() {
    // A puzzle of which the address has the number alone is posed soon.
    if (explorer.editing || (explorer.puzzle !== undefined && !explorer.given)) return;
    const { rules, cycles, game, turned, view, layer, match, puzzle } = explorer;
    const isLast = game.ply === game.main.at(-1);
    const at = isLast ? undefined : game.place;
    const { start, text: moves, names, first, reviewed } = game;
    const place = { rules, cycles, start, moves, at, names, first, reviewed, match, puzzle, turned, view, layer };
    const address = (explorer.address = format(place));
    byId("to-board").setAttribute("href", format({ ...place, view: "board" }));
    byId("to-statistics").setAttribute("href", format({ ...place, view: "statistics" }));
    const { damage } = explorer;
    if (damage.fields.length) {
      // A damaged link stays until something else is shown.
      damage.shown ??= address;
      if (damage.shown === address) return;
      explorer.damage = { fields: [], shown: undefined };
    }
    if (address === location.hash) return;
    // Playback and the slider of the statistics make one step in the history, not many.
    if (explorer.lines.playing || view === "statistics" && parse(location.hash).view === view) {
      history.replaceState(null, "", address);
    } else {
      history.pushState(null, "", address);
    }
  }

  /** @param {number} house @param {boolean} more */
  function choose(house, more) {
    if (explorer.editing) setup.click(house, more);
    else if (explorer.match && !match.now?.mayMove()) return;
    else if (explorer.puzzle !== undefined && explorer.secret && explorer.moveOf(house)) training.now?.answer(house);
    else {
      explorer.lines.stop();
      act(() => explorer.play(house));
    }
  }

  /** Ends the animation of the last move, then acts. @param {() => unknown} action */
  async function act(action) {
    sower.skip();
    await sower.shown;
    await action();
  }

  /** @type {Explorer["on"]["sow"]} */
  async function sow(before, house, next) {
    if (explorer.view === "board" && animated()) await sower.show(before, house, next);
  }

  /** @param {number} house */
  function refuse(house) {
    if (!explorer.answer) return;
    const why = explainIllegal(explorer.now, explorer.answer, house);
    board.refuse(house, why);
    say(why);
  }

  function examples() {
    showExamples(EXAMPLES, (number) => {
      close();
      explorer.begin(EXAMPLES[number].situation, EXAMPLES[number].asks);
    });
  }

  async function random() {
    const most = explorer.table?.max_seeds ?? 12;
    try {
      const { randomEndgame } = await import("./random.js");
      explorer.begin(await randomEndgame(explorer.rules, explorer.cycles, Math.min(most, explorer.seeds / 2), explorer.seeds));
    } catch (error) {
      showError(/** @type {Error} */ (error), () => explorer.retry());
    }
  }

  async function copy() {
    try {
      await navigator.clipboard.writeText(location.href);
      say(t("tools.copied"));
      flash(t("tools.copied"));
    } catch {
      // Not allowed here; the address of the page is the same link.
      flash(t("tools.notCopied"));
    }
  }

  /** @param {Partial<Preferences>} changes */
  async function change(changes) {
    prefer(changes);
    applyTheme();
    if (changes.language !== undefined) {
      await speak(preferences.language);
      showSettings(change);
    }
    show();
  }

  for (const [id, view] of /** @type {const} */ ([["to-board", "board"], ["to-statistics", "statistics"]])) {
    byId(id).addEventListener("click", (event) => {
      event.preventDefault();
      explorer.look(view, explorer.layer);
    });
  }
  byId("show-rules").addEventListener("click", () => showRules(explorer));
  byId("show-help").addEventListener("click", showHelp);
  byId("show-settings").addEventListener("click", () => showSettings(change));
  listenToChoices(explorer);
  listenToLine(byId("line"), explorer);
  listen(explorer, board, {
    sow: (house) => choose(house, true),
    change: (house, by) => setup.change(house, by),
    empty: (house) => setup.empty(house),
    values: () => explorer.reveal(),
    help: showHelp,
    back: () => (explorer.match && explorer.secret ? match.now?.back() : explorer.go(explorer.game.at - 1)),
    hint: () => match.now?.hint(),
    mistake: (step) => review.mistake(step),
  });
  // While tables are built, a return to the page brings the new ones.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && explorer.table?.building) explorer.retry();
  });
  const open = () => explorer.open(parse(location.hash), first);
  addEventListener("popstate", open);
  open();
  opened = true;
  history.replaceState(null, "", location.hash || location.pathname);
  show();
}

/**
 * Makes a part of the page that is loaded when it is first wanted.
 * @template T
 * @param {() => Promise<T>} load
 */
function later(load) {
  /** @type {Promise<T> | undefined} */
  let loading;
  return {
    /** The part, once it is there. @type {T | undefined} */
    now: undefined,
    /** Does something with it: at once if it is there. @param {(part: T) => unknown} use */
    with(use) {
      const failed = (/** @type {Error} */ error) => {
        loading = undefined;
        showError(error, () => location.reload());
      };
      if (!this.now) (loading ??= load().then((part) => (this.now = part))).then(use).catch(failed);
      else Promise.resolve(use(this.now)).catch(failed);
    },
  };
}

/** Shows a short note. @param {string} text */
function flash(text) {
  const note = html("p", { class: "flash" }, text);
  document.body.append(note);
  setTimeout(() => note.remove(), 2400);
}

/** Says which fields of the address cannot be used. @param {string[]} names */
function showDamage(names) {
  const fields = new URLSearchParams(location.hash.slice(1));
  const lines = [...new Set(names)].map((name) => {
    const text = `${name}=${fields.get(name)}`;
    return t(`link.${["p", "moves", "puzzle"].includes(name) ? name : "other"}`, {
      text: text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text,
    });
  });
  byId("damage").hidden = lines.length === 0;
  redraw(byId("damage"), lines.length ? html("p", {}, [t("link.damaged"), ...lines, t("link.kept")].join(" ")) : null);
}

/** @param {Error | undefined} error @param {() => void} again */
function showError(error, again) {
  const element = byId("error");
  element.hidden = !error;
  if (!error) return redraw(element);
  const { code, hint } = /** @type {import("./api_error.js").ApiError} */ (error);
  const said = t(api.served ? "error.answer" : "error.tables");
  redraw(
    element,
    html("p", {}, code ? `${said} ${error.message}` : t("error.silent"), hint ? ` – ${hint}` : ""),
    plain(t("error.again"), again),
  );
}
