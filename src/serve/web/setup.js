// Sets up a position: moves seeds between houses and stores, and reads positions as text.

import * as api from "./api.js";
import { button, picture, plain } from "./buttons.js";
import { html, redraw } from "./dom.js";
import { t } from "./i18n.js";
import { name, seeds, storeLabel } from "./phrases.js";
import {
  GAMES, opening, other, read, sum, total, turned, withEqualStores, write,
} from "./situation.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */
/** @typedef {import("./situation.js").Situation} Situation */
/** @typedef {import("./situation.js").Side} Side */

/** Adds a seed to a house from the fuller store, or moves one to the emptier store.
 * @param {Situation} situation @param {number} house @param {number} change
 * @returns {Situation | null} `null` if there is no such seed */
function changed({ houses, south, north, toMove }, house, change) {
  const seeds = houses[house] + change;
  const left = south + north - change;
  if (seeds < 0 || left < 0) return null;
  const fromSouth = change > 0 ? south >= north : south <= north;
  return {
    houses: houses.with(house, seeds),
    south: fromSouth ? south - change : south,
    north: fromSouth ? north : north - change,
    toMove,
  };
}

/** Moves a seed into a player's store from the other one.
 * @param {Situation} situation @param {Side} side @returns {Situation | null} */
function stored(situation, side) {
  const change = side === "S" ? 1 : -1;
  const [south, north] = [situation.south + change, situation.north - change];
  return south < 0 || north < 0 ? null : { ...situation, south, north };
}

/** Swaps the players. @param {Situation} situation @returns {Situation} */
const swapped = ({ houses, south, north, toMove }) => ({
  houses: turned(houses),
  south: north,
  north: south,
  toMove: other(toMove),
});

export class Setup {
  /** True if a click takes seeds away. */
  taking = false;
  /** The error of the text that was pasted. */
  #complaint = "";
  #text = "";

  /** @param {HTMLElement} element @param {Explorer} explorer */
  constructor(element, explorer) {
    this.element = element;
    this.explorer = explorer;
  }

  /** @param {number} house @param {number} change */
  change(house, change) {
    this.#begin(changed(this.explorer.now, house, change));
  }

  /** @param {number} house */
  empty(house) {
    let { now } = this.explorer;
    while (now.houses[house] > 0) now = changed(now, house, -1) ?? now;
    this.#begin(now);
  }

  /** Handles a click on a house of the board. @param {number} house @param {boolean} more */
  click(house, more) {
    this.change(house, more !== this.taking ? 1 : -1);
  }

  /** @param {Side} side */
  store(side) {
    this.#begin(stored(this.explorer.now, side));
  }

  /** @param {Situation | null} situation */
  #begin(situation) {
    if (situation) this.explorer.begin(situation);
  }

  show() {
    const { element, explorer } = this;
    const opened = element.hidden && explorer.editing;
    element.hidden = !explorer.editing;
    if (!explorer.editing) {
      this.taking = false;
      this.#complaint = this.#text = "";
      return redraw(element);
    }
    const { now } = explorer;
    redraw(
      element,
      html("div", { class: "buttons" },
        ...[true, false].map((keep) => {
          const key = keep ? "setup.done" : "setup.cancel";
          return plain(t(key), () => explorer.endEdit(keep), { key, kind: keep ? "button main" : "button" });
        }),
        html("span", { class: "quiet" }, t("setup.count", { n: sum(now.houses), all: total(now) }))),
      html("div", { class: "buttons", role: "group", "aria-label": t("setup.click") },
        this.#mode(false), this.#mode(true)),
      html("div", { class: "buttons", role: "group", "aria-label": t("setup.toMove") },
        ...(/** @type {Side[]} */ (["S", "N"])).map((toMove) =>
          plain(t("turn.of", { name: name(toMove) }), () => explorer.begin({ ...now, toMove }), { pressed: now.toMove === toMove }))),
      html("div", { class: "buttons" },
        button("swap", "setup.swap", () => explorer.begin(swapped(now))),
        button("clear", "setup.clear", () =>
          explorer.begin(withEqualStores(Array(12).fill(0), now.toMove, total(now)))),
        button("start", "setup.start", () => explorer.begin(opening(total(now))))),
      html("div", { class: "buttons", role: "group", "aria-label": t("setup.game") },
        ...GAMES.map((game) => plain(seeds(game), () => explorer.begin(opening(game)), { pressed: total(now) === game }))),
      html("div", { class: "buttons" }, this.#store("S"), this.#store("N")),
      this.#paste(),
      html("p", { class: "quiet" }, t("setup.how")),
    );
    // The page may have been scrolled to the game.
    if (opened && element.getBoundingClientRect().top < 0) scrollTo(0, 0);
    // The button that had the focus may be gone.
    if (opened && document.activeElement?.closest("[hidden]")) {
      element.querySelector("button")?.focus({ preventScroll: true });
    }
  }

  /** @param {boolean} taking */
  #mode(taking) {
    const choice = button(taking ? "minus" : "plus", taking ? "setup.take" : "setup.add", () => {
      this.taking = taking;
      this.show();
    });
    choice.setAttribute("aria-pressed", String(this.taking === taking));
    return choice;
  }

  /** @param {Side} side */
  #store(side) {
    const { now } = this.explorer;
    return html("span", { class: "stepper" },
      storeLabel(now, side),
      html("button", {
        type: "button",
        class: "icon",
        "data-key": `store-${side}`,
        "aria-label": t("setup.store", { name: name(side) }),
        onclick: () => this.store(side),
      }, picture("plus")));
  }

  #paste() {
    const field = /** @type {HTMLTextAreaElement} */ (
      html("textarea", {
        id: "paste", rows: 1, spellcheck: "false", autocomplete: "off", "data-key": "paste",
        placeholder: write(this.explorer.now),
        "aria-describedby": "paste-help",
        "aria-invalid": this.#complaint ? "true" : undefined,
        oninput: () => (this.#text = field.value),
        onkeydown: (/** @type {any} */ event) => {
          if (event.key !== "Enter" || event.shiftKey) return;
          event.preventDefault();
          this.#read();
        },
      })
    );
    field.value = this.#text;
    return html("form", {
      class: "paste",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.#read();
      },
    },
      html("label", { for: "paste" }, t("setup.paste")),
      field,
      html("button", { class: "button", "data-key": "read" }, t("setup.read")),
      html("p", { id: "paste-help", class: this.#complaint ? "wrong" : "quiet", role: this.#complaint ? "alert" : undefined },
        this.#complaint || t("setup.notations")));
  }

  /** Reads the text that was pasted, with the server, which knows all notations. */
  async #read() {
    const { explorer } = this;
    const text = this.#text.trim();
    if (!text) return;
    try {
      const { situation, position } = await api.assess(explorer.rules, explorer.cycles, text);
      const written = situation && read(situation.notation);
      this.#complaint = this.#text = "";
      explorer.begin(written ?? withEqualStores(position, "S", explorer.seeds));
    } catch (error) {
      const { message, hint } = /** @type {import("./api_error.js").ApiError} */ (error);
      this.#complaint = `${t("setup.wrong")} ${[message, hint].filter(Boolean).join(" – ")}`;
      this.show();
    }
  }
}
