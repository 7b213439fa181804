// The curve of a judged game: South's final seeds with best play after each move.

import { svg } from "./dom.js";
import { seedsText } from "./value.js";

/** @typedef {import("./judgement.js").JudgedMove} JudgedMove */
/** @typedef {import("./judgement.js").End} End */

const WIDTH = 360;
const HEIGHT = 150;
const LEFT = 24;
const RIGHT = 6;
const TOP = 20;
const BOTTOM = 12;

/** The least reach of the scale on both sides of an equal share. */
const LEAST = 4;

/** Returns the least and the most for South at the end.
 * @param {End | undefined} exact @param {End | undefined} low @param {End | undefined} high */
function souths(exact, low, high) {
  const ends = [exact ?? low, exact ?? high].map((end) => Number(end?.south));
  return { low: Math.min(...ends), high: Math.max(...ends) };
}

/** @param {object} curve
 * @param {JudgedMove[]} curve.moves the judged moves
 * @param {(number | null)[]} curve.estimates South's seeds before the first move and after each, not proven
 * @param {number} curve.length the number of moves of the game
 * @param {number | undefined} curve.at the number of moves before what is shown
 * @param {string} curve.label for screen readers
 * @param {string} curve.axis the name of the vertical axis
 * @param {(move: JudgedMove) => string} curve.title @param {(at: number) => void} curve.onchoose
 * @param {number} curve.half an equal share */
export function curve({ moves, estimates, length, at, label, axis, title, onchoose, half }) {
  const x = (/** @type {number} */ number) =>
    LEFT + ((WIDTH - LEFT - RIGHT) * number) / Math.max(length, 1);
  const points = moves.map((move) => ({
    move,
    x: x(move.number),
    ...souths(move.final_played, move.final_played_low, move.final_played_high),
  }));
  // No line joins moves across others that are not judged.
  /** @type {{x: number, low: number, high: number}[][]} */
  const runs = [];
  points.forEach((point, index) => {
    const { number, final, final_low, final_high } = point.move;
    if (number !== moves[index - 1]?.number + 1) {
      runs.push([{ x: x(number - 1), ...souths(final, final_low, final_high) }]);
    }
    runs.at(-1)?.push(point);
  });
  const all = runs.flat();
  const guesses = guessed(estimates, all.map((point) => ({ ...point, number: Math.round((point.x - x(0)) / (x(1) - x(0))) })));
  const reach = Math.ceil(Math.max(LEAST, ...all.flatMap(({ low, high }) => [half - low, high - half]),
    ...guesses.flat().map(({ seeds }) => Math.abs(seeds - half))));
  const y = (/** @type {number} */ seeds) =>
    TOP + ((HEIGHT - TOP - BOTTOM) * (half + reach - seeds)) / (2 * reach);
  const path = (/** @type {{x: number, low: number, high: number}[]} */ run, /** @type {"low" | "high"} */ bound) =>
    run.map((point) => `${point.x},${y(point[bound])}`);
  const isRange = all.some(({ low, high }) => low !== high);
  const pitch = (WIDTH - LEFT - RIGHT) / Math.max(length, 1);
  return svg(
    "svg",
    { class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
    svg("text", { x: 2, y: 10 }, axis),
    ...[half - reach, half, half + reach].map((seeds) =>
      svg("g", { class: seeds === half ? "middle" : "grid" },
        svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(seeds), y2: y(seeds) }),
        svg("text", { x: LEFT - 6, y: y(seeds), "text-anchor": "end", "dominant-baseline": "middle" },
          seedsText(seeds)))),
    ...runs.flatMap((run) => [
      isRange
        ? svg("polygon", { class: "range", points: [...path(run, "low"), ...path(run, "high").reverse()].join(" ") })
        : null,
      svg("polyline", { class: "promised", points: path(run, "low").join(" ") }),
      isRange ? svg("polyline", { class: "promised", points: path(run, "high").join(" ") }) : null,
    ]),
    ...guesses.map((run) =>
      svg("polyline", { class: "estimate", points: run.map(({ number, seeds }) => `${x(number)},${y(seeds)}`).join(" ") })),
    at === undefined ? null
      : svg("line", { class: "here", x1: x(at), x2: x(at), y1: TOP, y2: HEIGHT - BOTTOM }),
    ...points.map((point) =>
      point.move.class_at_least === "best" ? null
        : svg("circle", { class: point.move.class_at_least, cx: point.x, cy: y(point.low), r: 4 })),
    // On top of everything, so that each move can be clicked.
    ...points.map((point) =>
      svg("rect", {
        class: "column", x: point.x - pitch / 2, y: 0, width: pitch, height: HEIGHT,
        onclick: () => onchoose(point.move.number),
      }, svg("title", {}, title(point.move)))),
  );
}

/** Returns the estimates where nothing is proven, in runs that go on to what is.
 * @param {(number | null)[]} estimates @param {{number: number, low: number, high: number}[]} proven */
function guessed(estimates, proven) {
  const known = new Map(proven.map(({ number, low, high }) => [number, (low + high) / 2]));
  /** @type {{number: number, seeds: number}[][]} */
  const runs = [];
  estimates.forEach((seeds, number) => {
    if (seeds === null || known.has(number)) return;
    const before = known.get(number - 1);
    if (runs.at(-1)?.at(-1)?.number !== number - 1) {
      runs.push(before === undefined ? [] : [{ number: number - 1, seeds: before }]);
    }
    const after = known.get(number + 1);
    runs.at(-1)?.push({ number, seeds });
    if (after !== undefined) runs.at(-1)?.push({ number: number + 1, seeds: after });
  });
  return runs.filter((run) => run.length > 1);
}
