// Buttons with a picture and a text.

import { html, svg } from "./dom.js";
import { t } from "./i18n.js";

/** Strokes on a square of 24 units. */
const PICTURES = {
  undo: "M9 6 4 11l5 5M5 11h9a5 5 0 0 1 0 10h-3",
  redo: "M15 6l5 5-5 5M19 11h-9a5 5 0 0 0 0 10h3",
  first: "M18 6l-7 6 7 6M7 6v12",
  last: "M6 6l7 6-7 6M17 6v12",
  step: "M7 5l8 7-8 7M18 5v14",
  play: "M7 5l12 7-12 7z",
  pause: "M8 5v14M16 5v14",
  setup: "M4 20l4-1L19 8l-3-3L5 16zM14 7l3 3",
  turn: "M5 9a8 8 0 0 1 14-1M19 4v4h-4M19 15a8 8 0 0 1-14 1M5 20v-4h4",
  dice: "M5 5h14v14H5zM9 9h.01M15 9h.01M12 12h.01M9 15h.01M15 15h.01",
  book: "M12 7c-2-2-5-2-8-2v13c3 0 6 0 8 2 2-2 5-2 8-2V5c-3 0-6 0-8 2zM12 7v13",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  review: "M4 5h16M4 10h16M4 15h7M13 17l3 3 5-6",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 .01 0",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  comment: "M4 5h16v11H11l-5 4v-4H4z",
  promote: "M12 20V5M6 11l6-6 6 6",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  clear: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  swap: "M8 4v16M8 4 4 8M8 4l4 4M16 20V4M16 20l-4-4M16 20l4-4",
  players: "M8 11a3 3 0 1 0-.01 0M3 20c0-4 2-6 5-6s5 2 5 6M16 10a2.5 2.5 0 1 0-.01 0M15 14c4-1 6 2 6 5",
  puzzle: "M9 9a3 3 0 1 1 4 3c-1 .5-1 1-1 2M12 18h.01M12 3a9 9 0 1 0 .01 0",
  start: "M4 20V10l8-6 8 6v10zM10 20v-6h4v6",
};

/** @param {keyof typeof PICTURES} name */
export const picture = (name) =>
  svg("svg", { class: "picture", viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("path", { d: PICTURES[name] }));

/** Makes a button with a text alone.
 * @param {string} text @param {() => void} onclick
 * @param {{kind?: string, key?: string, pressed?: boolean}} [more] its class, what finds it again when it is
 *   redrawn, and whether it is pressed if it can be */
export const plain = (text, onclick, { kind = "button", key = text, pressed } = {}) =>
  html("button", {
    type: "button", class: kind, "data-key": key, "aria-pressed": pressed === undefined ? undefined : String(pressed), onclick,
  }, text);

/** Makes a button with a picture and a text.
 * @param {keyof typeof PICTURES} image
 * @param {string} text the key of its text
 * @param {() => void} onclick
 * @param {string} [key] finds it again when it is redrawn */
export const button = (image, text, onclick, key = text) =>
  html("button", { type: "button", class: "button", "data-key": key, onclick },
    picture(image), html("span", {}, t(text)));
