// Figures: a histogram, and shares of a whole over the layers.

import { svg } from "./dom.js";

const HEIGHT = 300;
const LEFT = 52;
const RIGHT = 10;
const TOP = 14;
const BOTTOM = 46;
const INNER_HEIGHT = HEIGHT - TOP - BOTTOM;
/** Narrow screens get a narrower figure, so that its text stays legible. */
const narrow = matchMedia("(max-width: 640px)");

/** Distances between the lines of a figure. */
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25];

/**
 * @typedef {object} Bar
 * @property {number} x its place on the axis
 * @property {{share: number, kind: string}[]} parts from below upwards
 * @property {string} title
 */

/** Draws a figure of bars, each a stack of parts.
 * @param {object} figure
 * @param {string} figure.label for screen readers
 * @param {string} figure.axis the title of the horizontal axis
 * @param {Bar[]} figure.bars
 * @param {number} figure.most the largest share
 * @param {(share: number) => string} figure.percent
 * @param {(x: number) => string} figure.name the label of a place on the axis
 * @param {number} [figure.marked] a bar that is emphasised
 * @param {(x: number) => void} [figure.onchoose] a bar was clicked */
export function bars({ label, axis, bars, most, percent, name, marked, onchoose }) {
  const first = Math.min(...bars.map(({ x }) => x));
  const last = Math.max(...bars.map(({ x }) => x));
  const width = narrow.matches ? 420 : 720;
  const inner = width - LEFT - RIGHT;
  const pitch = inner / (last - first + 1);
  const step = STEPS.find((step) => most <= 5 * step) ?? 0.25;
  const lines = Math.ceil(most / step - 1e-9);
  const scale = INNER_HEIGHT / (lines * step);
  const at = (/** @type {number} */ x) => LEFT + (x - first + 0.5) * pitch;
  const every = Math.ceil((last - first + 1) / (inner / 36));
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => first + i).filter(
    (x) => x % every === 0,
  );
  return svg(
    "svg",
    { class: "plot", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label },
    ...Array.from({ length: lines + 1 }, (_, line) => {
      const y = TOP + INNER_HEIGHT - line * step * scale;
      return svg("g", { class: "grid" },
        svg("line", { x1: LEFT, x2: width - RIGHT, y1: y, y2: y }),
        svg("text", { x: LEFT - 8, y, "text-anchor": "end", "dominant-baseline": "middle" },
          percent(line * step)));
    }),
    ...bars.map(({ x, parts, title }) => {
      let y = TOP + INNER_HEIGHT;
      const thick = Math.max(1, pitch * 0.82);
      return svg("g", { class: `bar ${x === marked ? "marked" : ""}`, onclick: () => onchoose?.(x) },
        svg("title", {}, title),
        svg("rect", { class: "column", x: at(x) - pitch / 2, y: TOP, width: pitch, height: INNER_HEIGHT }),
        ...parts.map(({ share, kind }) => {
          const height = share * scale;
          y -= height;
          return svg("rect", { class: kind, x: at(x) - thick / 2, y, width: thick, height });
        }));
    }),
    ...ticks.map((x) =>
      svg("text", { class: "tick", x: at(x), y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, name(x))),
    svg("text", { class: "axis", x: LEFT + inner / 2, y: HEIGHT - 6, "text-anchor": "middle" }, axis),
  );
}
