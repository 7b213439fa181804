// The statistics page: the values of all positions with the same number of seeds.

import * as api from "./api.js";
import { plain } from "./buttons.js";
import { html, redraw } from "./dom.js";
import { grouped, percent, t } from "./i18n.js";
import { bars } from "./plot.js";
import { withEqualStores } from "./situation.js";
import { signed } from "./value.js";

/** @typedef {import("./api.js").Layer} Layer */
/** @typedef {import("./explorer.js").Explorer} Explorer */

export class Statistics {
  /** @type {Layer[] | undefined} */
  #layers;
  /** The tables that they belong to. */
  #of = "";
  /** The property of ranges that is shown. @type {"low" | "high" | "gaps"} */
  #looked = "low";

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
    if ((explorer.layer ?? 0) >= layers.length) {
      explorer.layer = undefined;
      explorer.damaged("layer");
      return explorer.on.change();
    }
    const layer = layers[Math.min(explorer.layer ?? layers.length - 1, layers.length - 1)];
    redraw(
      this.element,
      title,
      html("p", { class: "lead" }, t(layer.high ? "statistics.lead.own-side" : "statistics.lead", {
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
      explorer.error = /** @type {Error} */ (error);
    }
    explorer.on.change();
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
    const choices = /** @type {const} */ (["low", "high", "gaps"]).map((which) =>
      plain(t(`statistics.${which}`), () => {
        this.#looked = which;
        this.show();
      }, { pressed: this.#looked === which }));
    return html("div", { class: "controls" },
      html("label", { for: "layer" }, t("statistics.layer", { n: layer.seeds })), field,
      layer.high ? html("span", { class: "buttons" }, ...choices) : null);
  }

  /** @param {Layer} layer */
  #histogram(layer) {
    const { positions, seeds: n } = layer;
    const which = layer.high ? this.#looked : undefined;
    const gaps = which === "gaps";
    const histogram = (gaps ? layer.gaps : (which ? layer[which] : layer)?.histogram) ?? [];
    const name = gaps ? String : signed;
    const title = t(gaps ? "statistics.gapsTitle" : "statistics.histogram", { n });
    const caption = which && !gaps ? `${title}: ${t(`statistics.${which}`)}` : title;
    return figure(caption, bars({
      label: caption,
      axis: t(gaps ? "statistics.gap" : "statistics.value"),
      most: Math.max(...histogram.map(([, count]) => count)) / positions,
      percent: (share) => percent(share, 1),
      name,
      bars: histogram.map(([value, count]) => ({
        x: value,
        parts: [{
          share: count / positions,
          kind: gaps ? "gap" : value > 0 ? "won" : value < 0 ? "lost" : "drawn",
        }],
        title: `${name(value)}: ${grouped(count)} (${percent(count, positions)})`,
      })),
    }));
  }

  /** @param {Layer[]} layers @param {Layer} layer */
  #shares(layers, layer) {
    const title = t("statistics.shares");
    const outcomes = layer.high
      ? /** @type {const} */ (["won", "drawn", "undecided", "lost"])
      : /** @type {const} */ (["won", "drawn", "lost"]);
    const plot = bars({
      label: title,
      axis: t("statistics.seeds"),
      most: 1,
      marked: layer.seeds,
      percent: (share) => percent(share, 1),
      name: String,
      onchoose: (seeds) => this.explorer.look("statistics", seeds),
      bars: layers.map((each) => {
        const { positions, seeds } = each;
        const counts = countsOf(each);
        return {
          x: seeds,
          parts: outcomes.map((kind) => ({ share: counts[kind] / positions, kind })),
          title: `${seeds}: ${outcomes.map((kind) => percent(counts[kind], positions)).join(" / ")}`,
        };
      }),
    });
    const legend = outcomes.map((kind) =>
      html("span", {}, html("i", { class: kind }), t(`statistics.${kind}`)));
    return figure(title, plot, html("p", { class: "legend" }, ...legend));
  }

  /** @param {Layer} layer */
  #facts(layer) {
    const { positions, capturing, longest_capture: longest, exact, seeds } = layer;
    const facts = [
      t("statistics.capturing", { n: seeds, share: percent(capturing, positions) }),
      exact === undefined ? null : t("statistics.exact", { share: percent(exact, positions) }),
      exact === undefined ? null
        : t("statistics.open", { share: percent(countsOf(layer).undecided, positions) }),
      longest && t("statistics.longest", { n: longest.captured }),
    ];
    const show = longest && plain(t("statistics.look"), () => {
      this.explorer.begin(withEqualStores(longest.position, "S", this.explorer.seeds));
      this.explorer.look("board");
    }, { kind: "link" });
    return html("p", {}, facts.filter(Boolean).join(" "), " ", show);
  }

  /** @param {Layer[]} layers @param {Layer} marked */
  #table(layers, marked) {
    const heads = marked.high
      ? ["seeds", "positions", "won", "drawn", "lost", "undecided", "single", "means"]
      : ["seeds", "positions", "won", "drawn", "lost", "mean"];
    const decimal = new Intl.NumberFormat(document.documentElement.lang, {
      signDisplay: "exceptZero", minimumFractionDigits: 3, maximumFractionDigits: 3,
    });
    return html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("statistics.title") },
      html("table", { class: "layers" },
        html("thead", {}, html("tr", {},
          ...heads.map((key) => html("th", { scope: "col" }, t(`statistics.${key}`))))),
        html("tbody", {}, ...layers.map((layer) => {
          const { positions, exact, low, high, mean } = layer;
          const { won, drawn, lost, undecided } = countsOf(layer);
          const counts = [positions, won, drawn, lost];
          if (exact !== undefined) counts.push(undecided, exact);
          const means = low && high ? [low.mean, high.mean] : [mean ?? 0];
          return html("tr", { class: layer === marked ? "selected" : "" },
            html("th", { scope: "row" }, String(layer.seeds)),
            ...counts.map((n) => html("td", {}, grouped(n))),
            html("td", {}, means.map((mean) => decimal.format(mean)).join("…")));
        }))));
  }
}

/** @param {string} title @param {...Node} content */
const figure = (title, ...content) =>
  html("figure", {}, html("figcaption", {}, title), ...content);

/** Counts the positions that are won, drawn and lost; with bounds, those that certainly are, and the rest as undecided.
 * @param {Layer} layer */
function countsOf({ positions, low, high, wins = 0, losses = 0, undecided = 0 }) {
  const [won, lost] = low && high ? [low.wins, high.losses] : [wins, losses];
  return { won, drawn: positions - won - lost - undecided, lost, undecided };
}
