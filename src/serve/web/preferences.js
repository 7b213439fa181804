// Settings for all positions, kept in this browser.

import { keep, kept } from "./store.js";

const KEY = "granero";

/**
 * @typedef {object} Preferences
 * @property {string} language empty for the language of the browser
 * @property {"auto" | "light" | "dark"} theme
 * @property {boolean} animated true if seeds are sown one by one
 * @property {boolean} values true if badges are shown
 * @property {string} cycles the convention for endless play that was chosen last
 */

export const preferences = kept(KEY, /** @type {Preferences} */ ({ language: "", theme: "auto", animated: true, values: true, cycles: "" }));

/** @param {Partial<Preferences>} changes */
export function prefer(changes) {
  Object.assign(preferences, changes);
  keep(KEY, preferences);
}

/** Returns true if sowing is shown seed by seed. */
export const animated = () =>
  preferences.animated && !matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Shows the page in light or dark. */
export function applyTheme() {
  if (preferences.theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = preferences.theme;
}
