// The board: its drawing, and clicks and keys on its houses.

import { html, set, svg } from "./dom.js";
import { geometry, RADIUS } from "./geometry.js";
import { inHouse, inStore, seed } from "./seeds.js";
import { LETTERS, owner, store } from "./situation.js";
import { planks } from "./wood.js";

/** @typedef {import("./geometry.js").Geometry} Geometry */
/** @typedef {import("./situation.js").Situation} Situation */
/** @typedef {import("./situation.js").Side} Side */

/**
 * The view of a house.
 * @typedef {object} HouseView
 * @property {string} label for screen readers
 * @property {string} [hint] for the pointer
 * @property {"play" | "locked" | "edit"} kind whether it can be sown, not, or set up
 * @property {string} [badge] the value of the move
 * @property {boolean} [best]
 * @property {boolean} [proven] true if the badge has proven bounds that are not yet exact
 * @property {boolean} [guess] true if the badge has an estimate
 * @property {boolean} [last] true if it was sown last
 */

/**
 * @typedef {object} BoardView
 * @property {Situation} situation
 * @property {boolean} turned true if North sits below
 * @property {HouseView[]} houses
 * @property {{S: string, N: string}} names
 * @property {{S: string, N: string}} storeLabels
 * @property {boolean} editing
 * @property {boolean} [preview] true if it is only looked at
 * @property {boolean} over true if the game is over
 */

/** The time to show why a house cannot be sown, in milliseconds. */
const REFUSAL = 4000;

export class Board {
  /** The house that the arrow keys start from. */
  #current = 0;
  /** @type {SVGElement[]} */
  #houses = [];
  /** @type {Record<Side, SVGElement>} */
  #stores;
  #narrow = matchMedia("(max-width: 640px)");
  /** @type {BoardView | undefined} */
  #view;
  /** The layout that it was drawn for. */
  #shape = "";
  /** The timer that hides the text about a refused house. @type {number | undefined} */
  #refusal;
  /** The house that has a text. @type {number | undefined} */
  #tipped;
  /** @type {Geometry} */
  geometry;

  /** @param {HTMLElement} holder @param {object} on
   * @param {(house: number, more: boolean) => void} on.house a house was chosen; `more` is false with the right
   *   button or the minus key
   * @param {(side: Side) => void} on.store a store was chosen */
  constructor(holder, on) {
    this.holder = holder;
    this.on = on;
    this.svg = svg("svg", { class: "board", role: "group" });
    this.tip = html("p", { class: "tip", role: "tooltip", id: "tip", hidden: true });
    this.#narrow.addEventListener("change", () => this.#view && this.show(this.#view));
    this.geometry = geometry(this.#narrow.matches);
    this.#stores = { S: this.svg, N: this.svg };
  }

  /** @param {BoardView} view */
  show(view) {
    const shape = `${this.#narrow.matches} ${view.turned}`;
    if (this.#shape !== shape) {
      this.#shape = shape;
      this.#build(view.turned);
    }
    this.#view = view;
    this.svg.classList.toggle("editing", view.editing);
    this.svg.classList.toggle("preview", view.preview ?? false);
    for (const side of /** @type {const} */ (["S", "N"])) {
      const turn = !view.over && view.situation.toMove === side;
      this.svg.classList.toggle(`to-move-${side}`, turn);
      this.#showStore(side, view);
    }
    view.houses.forEach((house, number) => this.#showHouse(number, house));
    this.setCounts(view.situation.houses);
    this.#rove(this.#current);
    if (this.#tipped !== undefined) this.#showTip(this.#tipped);
  }

  /** Draws the seeds of all houses and nothing else, while seeds are sown. @param {number[]} houses */
  setCounts(houses) {
    houses.forEach((count, number) => {
      const house = this.#houses[number];
      if (house.dataset.count === String(count)) return;
      house.dataset.count = String(count);
      part(house, "seeds").replaceChildren(
        ...inHouse(count, number).map((at, i) => seed(at, number * 5 + i)),
      );
      part(house, "count-text").textContent = String(count);
      house.classList.toggle("granary", count >= 12);
    });
  }

  /** @param {Side} side @param {number} count */
  setStore(side, count) {
    const group = this.#stores[side];
    const box = this.geometry.store((side === "S") !== this.#view?.turned);
    part(group, "seeds").replaceChildren(
      ...inStore(count, box).map((at, i) => seed(at, i + (side === "S" ? 0 : 7))),
    );
    part(group, "count-text").textContent = String(count);
  }

  /** Returns the middle of a house. @param {number} house */
  at(house) {
    return this.geometry.house(this.#place(house));
  }

  /** Returns the middle of a store. @param {Side} side */
  storeAt(side) {
    const box = this.geometry.store((side === "S") !== this.#view?.turned);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  /** @param {number} house */
  focus(house) {
    this.#rove(house);
    this.#target(house).focus();
  }

  /** Returns the house that has the focus, if any. */
  get focused() {
    const number = this.#houses.findIndex((house) => house.contains(document.activeElement));
    return number < 0 ? undefined : number;
  }

  /** Shakes a house that cannot be sown, and says why. @param {number} house @param {string} why */
  refuse(house, why) {
    const element = this.#houses[house];
    element.classList.remove("refused");
    // The animation starts again only if the browser has seen the class gone.
    element.getBoundingClientRect();
    this.#showTip(house, why);
    element.classList.add("refused");
    this.#refusal = setTimeout(() => {
      element.classList.remove("refused");
      this.#hideTip();
    }, REFUSAL);
  }

  /** Returns the element that is clicked and takes the focus. @param {number} house */
  #target(house) {
    return part(this.#houses[house], "target");
  }

  /** @param {number} house */
  #place(house) {
    return this.#view?.turned ? (house + 6) % 12 : house;
  }

  /** @param {boolean} turned */
  #build(turned) {
    const focused = this.focused;
    const shape = (this.geometry = geometry(this.#narrow.matches));
    const place = (/** @type {number} */ house) => (turned ? (house + 6) % 12 : house);
    set(this.svg, { viewBox: `0 0 ${shape.width} ${shape.height}` });
    this.svg.classList.toggle("narrow", shape.narrow);
    this.#houses = Array.from({ length: 12 }, (_, house) => this.#buildHouse(house, place(house)));
    this.#stores = { S: this.#buildStore("S", !turned), N: this.#buildStore("N", turned) };
    this.holder.replaceChildren(planks(shape), this.svg, this.tip);
    this.svg.replaceChildren(
      this.#stores.N,
      this.#stores.S,
      ...this.#houses,
      svg("g", { class: "flying", "aria-hidden": "true" }),
    );
    if (focused !== undefined) this.focus(focused);
  }

  /** @param {number} house @param {number} place */
  #buildHouse(house, place) {
    const shape = this.geometry;
    const middle = shape.house(place);
    /** @param {import("./geometry.js").Point} point */
    const move = (point) => `translate(${point.x - middle.x} ${point.y - middle.y})`;
    const wide = shape.narrow ? 118 : 96;
    const high = shape.narrow ? 50 : 40;
    return svg(
      "g",
      {
        class: `house ${owner(house) === "S" ? "south" : "north"}`,
        "data-house": LETTERS[house],
        transform: `translate(${middle.x} ${middle.y})`,
      },
      drawn(
        svg("circle", { class: "hollow", r: RADIUS, fill: "url(#hollow)" }),
        svg("circle", { class: "lip", r: RADIUS, stroke: "url(#lip)" }),
        svg("circle", { class: "ring", r: RADIUS + 4 }),
        svg("g", { class: "seeds" }),
        svg("text", { class: "letter", transform: move(shape.letter(place)) }, LETTERS[house]),
        svg("g", { class: "count", transform: move(shape.count(place)) },
          svg("rect", { x: -26, y: -16, width: 52, height: 32, rx: 16 }),
          svg("text", { class: "count-text" })),
        svg("g", { class: "badge", transform: move(shape.badge(place)) },
          svg("rect", { x: -wide / 2, y: -high / 2, width: wide, height: high, rx: high / 2 }),
          svg("text", { class: "badge-text" })),
      ),
      svg("circle", {
        class: "target",
        role: "button",
        r: RADIUS + 10,
        onclick: () => {
          this.#hideTip();
          this.on.house(house, true);
        },
        oncontextmenu: (/** @type {Event} */ event) => {
          if (!this.#view?.editing) return;
          event.preventDefault();
          this.on.house(house, false);
        },
        onpointerenter: () => this.#showTip(house),
        onpointerleave: () => this.#hideTip(),
        onfocus: () => {
          this.#rove(house);
          // A clicked house has the focus, too, but needs no text.
          if (this.#target(house).matches(":focus-visible")) this.#showTip(house);
        },
        onblur: () => this.#hideTip(),
      }),
    );
  }

  /** @param {Side} side @param {boolean} below */
  #buildStore(side, below) {
    const box = this.geometry.store(below);
    const { narrow } = this.geometry;
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const round = Math.min(box.width, box.height) / 2;
    const frame = { x: -box.width / 2, y: -box.height / 2, width: box.width, height: box.height, rx: round };
    const name = narrow ? { x: -box.width / 2 + 34, y: 0 } : { x: 0, y: -box.height / 2 - 18 };
    const count = narrow ? { x: box.width / 2 - 50, y: 0 } : { x: 0, y: box.height / 2 - 34 };
    return svg(
      "g",
      {
        class: "store",
        "data-store": side,
        transform: `translate(${middle.x} ${middle.y})`,
      },
      drawn(
        svg("rect", { ...frame, class: "hollow", fill: "url(#hollow)" }),
        svg("rect", { ...frame, class: "lip", stroke: "url(#lip)" }),
        svg("rect", { ...frame, class: "ring" }),
        svg("g", { class: "seeds" }),
        svg("text", { class: "store-name", ...name }),
        svg("g", { class: "count", transform: `translate(${count.x} ${count.y})` },
          svg("rect", { x: -34, y: -22, width: 68, height: 44, rx: 22 }),
          svg("text", { class: "count-text" })),
      ),
      svg("rect", {
        ...frame,
        class: "target",
        onclick: () => this.#view?.editing && this.on.store(side),
        onkeydown: (/** @type {any} */ event) => event.key === "Enter" && this.on.store(side),
      }),
    );
  }

  /** @param {Side} side @param {BoardView} view */
  #showStore(side, view) {
    const group = this.#stores[side];
    part(group, "store-name").textContent = view.names[side];
    set(part(group, "target"), {
      role: view.editing ? "button" : "img",
      tabindex: view.editing ? 0 : undefined,
      "aria-label": view.storeLabels[side],
    });
    this.setStore(side, store(view.situation, side));
  }

  /** @param {number} number @param {HouseView} view */
  #showHouse(number, view) {
    const house = this.#houses[number];
    set(this.#target(number), { "aria-label": view.label, "aria-disabled": view.kind === "locked" ? "true" : undefined });
    house.dataset.kind = view.kind;
    house.classList.toggle("best", view.best ?? false);
    house.classList.toggle("proven", view.proven ?? false);
    house.classList.toggle("guess", view.guess ?? false);
    house.classList.toggle("last", view.last ?? false);
    house.classList.remove("refused");
    const badge = part(house, "badge");
    badge.classList.toggle("shown", view.badge !== undefined);
    part(house, "badge-text").textContent = view.badge ?? "";
    const { length } = view.badge ?? "";
    badge.classList.toggle("long", length > 3);
    badge.classList.toggle("longest", length > 5);
  }

  /** Makes one house the stop of the tab key; the arrow keys lead on from there. @param {number} house */
  #rove(house) {
    this.#current = house;
    this.#houses.forEach((_, number) =>
      set(this.#target(number), { tabindex: number === house ? 0 : -1 }),
    );
  }

  /** Shows a text outside the board, next to the house, so that it covers no seeds.
   * @param {number} house @param {string} [text] */
  #showTip(house, text = this.#view?.houses[house].hint) {
    clearTimeout(this.#refusal);
    this.#houses.forEach((element) => element.classList.remove("refused"));
    this.#tipped = house;
    this.tip.hidden = !text;
    if (!text) return;
    this.tip.textContent = text;
    const { width, height } = this.holder.getBoundingClientRect();
    const { x, y } = this.at(house);
    const { offsetWidth, offsetHeight } = this.tip;
    const left = (x / this.geometry.width) * width - offsetWidth / 2;
    const above = y < this.geometry.height / 2;
    this.tip.style.left = `${Math.max(0, Math.min(width - offsetWidth, left))}px`;
    this.tip.style.top = `${above ? -8 - offsetHeight : height + 8}px`;
  }

  #hideTip() {
    this.#tipped = undefined;
    this.tip.hidden = true;
  }
}

/** Hides parts from screen readers, which have labels instead. @param {...SVGElement} parts */
const drawn = (...parts) => svg("g", { "aria-hidden": "true" }, ...parts);

/** Finds the part of a drawing with a class. @param {SVGElement} within @param {string} name @returns {SVGElement} */
function part(within, name) {
  return /** @type {SVGElement} */ (within.querySelector(`.${name}`));
}
