// Figures: a histogram, and shares of a whole over the layers.

import { svg } from "./dom.js";

const WIDTH = 720;
const HEIGHT = 300;
const LEFT = 52;
const RIGHT = 10;
const TOP = 14;
const BOTTOM = 46;
const INNER = { width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM };

/**
 * @typedef {object} Bar
 * @property {number} x where it stands on the axis
 * @property {{share: number, kind: string}[]} parts from below upwards
 * @property {string} title
 */

/**
 * A figure of bars, each a stack of parts.
 * @param {object} figure
 * @param {string} figure.label for whoever does not see it
 * @param {string} figure.axis what stands on the horizontal axis
 * @param {Bar[]} figure.bars
 * @param {number} figure.most the share at the top of the vertical axis
 * @param {(share: number) => string} figure.percent
 * @param {(x: number) => string} figure.name of a place on the axis
 * @param {number} [figure.marked] a bar that is emphasised
 * @param {(x: number) => void} [figure.onchoose] a bar was clicked
 */
export function bars({ label, axis, bars, most, percent, name, marked, onchoose }) {
  const first = Math.min(...bars.map(({ x }) => x));
  const last = Math.max(...bars.map(({ x }) => x));
  const pitch = INNER.width / (last - first + 1);
  const scale = INNER.height / most;
  const at = (/** @type {number} */ x) => LEFT + (x - first + 0.5) * pitch;
  const every = Math.ceil((last - first + 1) / 18);
  return svg(
    "svg",
    { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
    ...[0, 0.25, 0.5, 0.75, 1].map((part) => {
      const y = TOP + INNER.height * (1 - part);
      return svg("g", { class: "grid" },
        svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }),
        svg("text", { x: LEFT - 8, y, "text-anchor": "end", "dominant-baseline": "middle" },
          percent(most * part)));
    }),
    ...bars.map(({ x, parts, title }) => {
      let y = TOP + INNER.height;
      const width = Math.max(1, pitch * 0.82);
      return svg("g", { class: `bar ${x === marked ? "marked" : ""}`, onclick: () => onchoose?.(x) },
        svg("title", {}, title),
        svg("rect", { class: "column", x: at(x) - pitch / 2, y: TOP, width: pitch, height: INNER.height }),
        ...parts.map(({ share, kind }) => {
          const height = share * scale;
          y -= height;
          return svg("rect", { class: kind, x: at(x) - width / 2, y, width, height });
        }));
    }),
    ...bars.filter(({ x }) => x % every === 0).map(({ x }) =>
      svg("text", { class: "tick", x: at(x), y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, name(x))),
    svg("text", { class: "axis", x: LEFT + INNER.width / 2, y: HEIGHT - 6, "text-anchor": "middle" }, axis),
  );
}
