// The rules in five sentences and three pictures.

import { open } from "./dialogs.js";
import { html, svg } from "./dom.js";
import { t } from "./i18n.js";
import { LETTERS, owner } from "./situation.js";

/** The seeds of a picture, what stands at its houses, and how they are marked: sown, captured, or not to be played. */
export const PICTURES = {
  sowing: { houses: [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4], notes: { 4: "+1", 5: "+1", 6: "+1", 7: "+1" }, marks: { 3: "sown" } },
  capture: {
    houses: [0, 2, 0, 1, 3, 1, 2, 1, 4, 0, 1, 3], notes: { 5: "+1", 6: "+1", 7: "+1" },
    marks: { 4: "sown", 6: "captured", 7: "captured" },
  },
  feeding: {
    houses: [1, 0, 2, 0, 1, 3, 0, 0, 0, 0, 0, 0], notes: { 6: "+1", 7: "+1", 8: "+1" },
    marks: { 0: "barred", 2: "barred", 4: "barred", 5: "sown" },
  },
};

/** Draws a board of numbers. @param {keyof typeof PICTURES} name */
function picture(name) {
  const { houses, notes, marks } = /** @type {{houses: number[], notes: Record<number, string>, marks: Record<number, string>}} */ (PICTURES[name]);
  return svg("svg", { class: "diagram", viewBox: "0 0 312 120", role: "img", "aria-label": t(`howto.${name}.picture`) },
    ...houses.map((seeds, house) => {
      const isSouths = owner(house) === "S";
      return svg("g", { class: marks[house], transform: `translate(${26 + 52 * (isSouths ? house : 11 - house)} ${isSouths ? 88 : 32})` },
        svg("circle", { r: 23 }),
        svg("text", {}, String(seeds)),
        svg("text", { class: "beside", x: 18, y: -22 }, notes[house]),
        svg("text", { class: "beside", x: -20, y: -21 }, marks[house] && LETTERS[house]));
    }));
}

/** @param {import("./explorer.js").Explorer} explorer */
export function showRules({ rules, cycles }) {
  const sentences = ["board", "sowing", "capture", "feeding"].map((name) =>
    html("li", {}, t(`howto.${name}`), name in PICTURES ? picture(/** @type {keyof typeof PICTURES} */ (name)) : null));
  open(
    t("howto.title"),
    html("ol", { class: "rules" }, ...sentences,
      html("li", {}, t("howto.slam"), " ", t(`rules.${rules}.about`), " ", t(`cycles.${cycles}.about`))),
  );
}
