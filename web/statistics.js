// The statistics page: what the positions with so many seeds are worth.

import * as api from "./api.js";
import { html, redraw } from "./dom.js";
import { grouped, percent, t } from "./i18n.js";
import { bars } from "./plot.js";
import { withEqualStores } from "./situation.js";
import { signed } from "./worth.js";

/** @typedef {import("./api.js").Layer} Layer */
/** @typedef {import("./api.js").Counts} Counts */
/** @typedef {import("./explorer.js").Explorer} Explorer */

export class Statistics {
  /** @type {Layer[] | undefined} */
  #layers;
  /** Of which tables they are. */
  #of = "";
  /** Which of the two bounds is looked at. @type {"low" | "high"} */
  #bound = "low";

  /** @param {HTMLElement} element @param {Explorer} explorer */
  constructor(element, explorer) {
    this.element = element;
    this.explorer = explorer;
  }

  show() {
    const { explorer } = this;
    const { rules, cycles } = explorer;
    const of = `${rules} ${cycles} ${explorer.table?.max_seeds}`;
    if (this.#of !== of) this.#load(of);
    const layers = this.#layers;
    const title = html("h1", {}, t("statistics.title"));
    if (!layers) return redraw(this.element, title, html("p", { class: "quiet" }, "…"));
    if (layers.length === 0) return redraw(this.element, title, html("p", {}, t("beyond.none")));
    const layer = layers[Math.min(explorer.layer ?? layers.length - 1, layers.length - 1)];
    redraw(
      this.element,
      title,
      html("p", { class: "lead" }, t("statistics.lead", {
        n: layers.length - 1,
        all: grouped(layers.reduce((total, { positions }) => total + positions, 0)),
      })),
      this.#controls(layers, layer),
      html("div", { class: "figures" }, this.#histogram(layer), this.#shares(layers, layer)),
      this.#facts(layer),
      this.#table(layers, layer),
    );
  }

  /** @param {string} of */
  async #load(of) {
    const { explorer } = this;
    this.#of = of;
    this.#layers = undefined;
    try {
      const { layers } = await api.stats(explorer.rules, explorer.cycles);
      if (this.#of !== of) return;
      this.#layers = layers;
    } catch (error) {
      this.#of = "";
      this.#layers = [];
      explorer.trouble = /** @type {Error} */ (error);
    }
    explorer.on.change();
  }

  /** @param {Layer} layer @returns {Counts} */
  #counts(layer) {
    return layer[this.#bound] ?? /** @type {Counts} */ (layer);
  }

  /** @param {Layer[]} layers @param {Layer} layer */
  #controls(layers, layer) {
    const field = /** @type {HTMLInputElement} */ (
      html("input", {
        type: "range", id: "layer", min: 0, max: layers.length - 1, "data-key": "layer",
        oninput: () => this.explorer.look("statistics", Number(field.value)),
      })
    );
    field.value = String(layer.seeds);
    const bounds = /** @type {const} */ (["low", "high"]).map((bound) =>
      html("button", {
        type: "button", class: "button", "data-key": bound,
        "aria-pressed": String(this.#bound === bound),
        onclick: () => {
          this.#bound = bound;
          this.show();
        },
      }, t(`statistics.${bound}`)));
    return html("div", { class: "controls" },
      html("label", { for: "layer" }, t("statistics.layer", { n: layer.seeds })), field,
      layer.low ? html("span", { class: "buttons" }, ...bounds) : null);
  }

  /** @param {Layer} layer */
  #histogram(layer) {
    const { histogram } = this.#counts(layer);
    const most = Math.max(...histogram.map(([, count]) => count)) / layer.positions;
    const title = t("statistics.histogram", { n: layer.seeds });
    return figure(title, bars({
      label: title,
      axis: t("statistics.value"),
      most,
      percent: (share) => percent(share, 1),
      name: signed,
      bars: histogram.map(([value, count]) => ({
        x: value,
        parts: [{ share: count / layer.positions, kind: value > 0 ? "won" : value < 0 ? "lost" : "drawn" }],
        title: `${signed(value)}: ${grouped(count)} (${percent(count, layer.positions)})`,
      })),
    }));
  }

  /** @param {Layer[]} layers @param {Layer} layer */
  #shares(layers, layer) {
    const title = t("statistics.shares");
    const plot = bars({
      label: title,
      axis: t("statistics.seeds"),
      most: 1,
      marked: layer.seeds,
      percent: (share) => percent(share, 1),
      name: String,
      onchoose: (seeds) => this.explorer.look("statistics", seeds),
      bars: layers.map((each) => {
        const { wins, draws, losses } = this.#counts(each);
        const { positions } = each;
        return {
          x: each.seeds,
          parts: [
            { share: wins / positions, kind: "won" },
            { share: draws / positions, kind: "drawn" },
            { share: losses / positions, kind: "lost" },
          ],
          title: `${each.seeds}: ${percent(wins, positions)} / ${percent(draws, positions)} / ${percent(losses, positions)}`,
        };
      }),
    });
    const legend = ["won", "drawn", "lost"].map((kind) =>
      html("span", {}, html("i", { class: kind }), t(`statistics.${kind}`)));
    return figure(title, plot, html("p", { class: "legend" }, ...legend));
  }

  /** @param {Layer} layer */
  #facts(layer) {
    const { positions, capturing, longest_capture: longest, exact, seeds } = layer;
    const facts = [
      t("statistics.capturing", { n: seeds, share: percent(capturing, positions) }),
      exact === undefined ? null : t("statistics.exact", { share: percent(exact, positions) }),
      longest && t("statistics.longest", { n: longest.captured }),
    ];
    const show = longest && html("button", {
      type: "button", class: "link", "data-key": "longest",
      onclick: () => {
        this.explorer.begin(withEqualStores(longest.position, "S"));
        this.explorer.look("board");
      },
    }, t("statistics.look"));
    return html("p", {}, facts.filter(Boolean).join(" "), " ", show);
  }

  /** @param {Layer[]} layers @param {Layer} marked */
  #table(layers, marked) {
    const heads = ["seeds", "positions", "won", "drawn", "lost", "mean"];
    const decimal = new Intl.NumberFormat(document.documentElement.lang, {
      signDisplay: "exceptZero", minimumFractionDigits: 3, maximumFractionDigits: 3,
    });
    return html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("statistics.title") },
      html("table", { class: "layers" },
        html("thead", {}, html("tr", {},
          ...heads.map((key) => html("th", { scope: "col" }, t(`statistics.${key}`))))),
        html("tbody", {}, ...layers.map((layer) => {
          const { wins, draws, losses, mean } = this.#counts(layer);
          return html("tr", { class: layer === marked ? "selected" : "" },
            html("th", { scope: "row" }, String(layer.seeds)),
            ...[layer.positions, wins, draws, losses].map((n) => html("td", {}, grouped(n))),
            html("td", {}, decimal.format(mean)));
        }))));
  }
}

/** @param {string} title @param {...Node} content */
const figure = (title, ...content) =>
  html("figure", {}, html("figcaption", {}, title), ...content);
