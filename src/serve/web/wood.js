// The material of the board: gradients, grain, and the shape of a seed.

import { svg } from "./dom.js";
import { scatter, SEED } from "./seeds.js";

/** @typedef {import("./geometry.js").Geometry} Geometry */

/** @param {string} offset @param {string} name */
const stop = (offset, name) => svg("stop", { offset, class: `stop-${name}` });

/** Definitions for all drawings of the board. */
function definitions() {
  return svg(
    "defs",
    {},
    svg("linearGradient", { id: "wood", x1: 0, y1: 0, x2: 0, y2: 1 },
      stop("0", "wood-top"), stop("0.5", "wood"), stop("1", "wood-bottom")),
    svg("linearGradient", { id: "frame", x1: 0, y1: 0, x2: 0, y2: 1 },
      stop("0", "frame-top"), stop("1", "frame-bottom")),
    svg("radialGradient", { id: "hollow", cx: 0.5, cy: 0.62, r: 0.62 },
      stop("0", "hollow-ground"), stop("0.62", "hollow"), stop("1", "hollow-edge")),
    svg("linearGradient", { id: "lip", x1: 0, y1: 0, x2: 0, y2: 1 },
      stop("0", "lip-dark"), stop("0.55", "lip-none"), stop("1", "lip-light")),
    svg("radialGradient", { id: "shine", cx: 0.36, cy: 0.3, r: 0.75 },
      stop("0", "seed-light"), stop("0.45", "seed-none"), stop("1", "seed-dark")),
    svg("symbol", { id: "seed", overflow: "visible" },
      svg("ellipse", { class: "seed-shadow", cx: 1, cy: 1.5, rx: SEED + 1.5, ry: SEED + 0.5 }),
      svg("ellipse", { class: "seed-skin", rx: SEED, ry: SEED - 1.3 }),
      svg("ellipse", { fill: "url(#shine)", rx: SEED, ry: SEED - 1.3 })),
    svg("filter", { id: "grain", x: 0, y: 0, width: 1, height: 1 },
      svg("feTurbulence", { type: "fractalNoise", baseFrequency: "0.0025 0.055", numOctaves: 5, seed: 12 }),
      svg("feColorMatrix", { values: "0 0 0 0 0.2  0 0 0 0 0.08  0 0 0 0 0.01  1.3 0 0 0 -0.5" })),
  );
}

/** Draws the board without its houses, as a drawing of its own: the grain need not be computed again when something
 * moves above it.
 * @param {Geometry} geometry */
export function planks({ width, height, narrow }) {
  const inset = narrow ? 8 : 16;
  const top = narrow ? 132 : 40;
  const board = { x: 2, y: 2, width: width - 4, height: height - 4, rx: 34 };
  return svg(
    "svg",
    { "aria-hidden": "true", class: `planks ${narrow ? "narrow" : ""}`, viewBox: `0 0 ${width} ${height}` },
    definitions(),
    svg("rect", { ...board, fill: "url(#frame)" }),
    svg("rect", {
      x: inset, y: top, width: width - 2 * inset, height: height - 2 * top, rx: 22,
      class: "field", fill: "url(#wood)",
    }),
    svg("rect", { ...board, filter: "url(#grain)", class: "grain", "clip-path": "inset(0 round 34px)" }),
    rays(width, height),
    svg("rect", { ...board, class: "edge" }),
  );
}

/** Draws a few darker lines along the grain. @param {number} width @param {number} height */
function rays(width, height) {
  const lines = Array.from({ length: 16 }, (_, i) => {
    const y = 14 + ((height - 28) * (i + scatter(i, 1))) / 16;
    const bend = 10 * (scatter(i, 2) - 0.5);
    const from = width * 0.5 * scatter(i, 3);
    const to = Math.min(width - 8, from + width * (0.35 + 0.6 * scatter(i, 4)));
    const third = (to - from) / 3;
    return svg("path", {
      d: `M${from + 8} ${y} c${third} ${bend} ${2 * third} ${-bend} ${to - from} ${bend / 2}`,
      class: "ray",
    });
  });
  return svg("g", {}, ...lines);
}
