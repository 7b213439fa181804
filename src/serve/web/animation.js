// Sowing, seed by seed.

import { svg } from "./dom.js";
import { inHouse, seed } from "./seeds.js";
import { captured, path } from "./sowing.js";
import { store } from "./situation.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./geometry.js").Point} Point */
/** @typedef {import("./situation.js").Situation} Situation */

/** The longest time to sow a house, in milliseconds; a seed takes at most half a second. */
const LONGEST = 2600;
const SEED = 190;
const CAPTURE = 420;

export class Sower {
  /** @type {Animation | undefined} */
  #animation;
  #skipping = false;
  /** The situation after the move that is being shown. @type {Situation | undefined} */
  next;
  /** Settled once the move is shown. @type {Promise<void>} */
  shown = Promise.resolve();

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /** True while a move is shown. */
  get busy() {
    return this.next !== undefined;
  }

  /** Ends the animation at once. */
  skip() {
    this.#skipping = true;
    this.#animation?.finish();
  }

  /** Shows a move. Call it before the board shows the situation after the move.
   * @param {Situation} before @param {number} house @param {Situation} next */
  show(before, house, next) {
    this.next = next;
    this.board.svg.classList.add("sowing");
    this.shown = this.#sow(before, house, next).finally(() => {
      this.next = undefined;
      this.board.svg.classList.remove("sowing");
    });
    return this.shown;
  }

  /** @param {Situation} before @param {number} house @param {Situation} next */
  async #sow(before, house, next) {
    this.#skipping = false;
    const steps = path(before.houses, house);
    const duration = Math.min(SEED, LONGEST / steps.length);
    const counts = [...before.houses];
    counts[house] = 0;
    const hand = this.#take(before.houses[house], house);
    this.board.setCounts(counts);
    let at = this.board.at(house);
    for (const step of steps) {
      const to = this.board.at(step);
      await this.#move(hand, at, to, duration);
      if (this.#skipping) break;
      hand.lastChild?.remove();
      counts[step] += 1;
      this.board.setCounts(counts);
      at = to;
    }
    hand.remove();
    const { toMove } = before;
    let taken = store(before, toMove);
    for (const full of captured(before.houses, house, next.houses)) {
      if (this.#skipping) break;
      const seeds = this.#take(counts[full], full);
      taken += counts[full];
      counts[full] = 0;
      this.board.setCounts(counts);
      await this.#move(seeds, this.board.at(full), this.board.storeAt(toMove), CAPTURE);
      seeds.remove();
      this.board.setStore(toMove, taken);
    }
  }

  /** Seeds in the hand, as they lay in their house. @param {number} count @param {number} house */
  #take(count, house) {
    const seeds = inHouse(count, house).map((at, i) => seed(at, house * 5 + i));
    const hand = svg("g", { class: "hand" }, ...seeds);
    this.board.svg.querySelector(".flying")?.append(hand);
    return hand;
  }

  /** @param {SVGElement} hand @param {Point} from @param {Point} to @param {number} duration */
  async #move(hand, from, to, duration) {
    if (this.#skipping) return;
    const at = (/** @type {Point} */ { x, y }, size = 1) =>
      `translate(${x}px, ${y}px) scale(${size})`;
    const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 - 14 };
    this.#animation = hand.animate(
      { transform: [at(from), at(middle, 1.12), at(to)] },
      { duration, fill: "forwards", easing: "ease-in-out" },
    );
    await this.#animation.finished;
  }
}
