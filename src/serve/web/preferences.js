// What people choose once for all positions; kept in this browser.

const KEY = "granero";

/**
 * @typedef {object} Preferences
 * @property {string} language empty: as the browser prefers
 * @property {"auto" | "light" | "dark"} theme
 * @property {boolean} animated whether seeds are sown one by one
 * @property {boolean} values whether badges are shown
 */

/** @type {Preferences} */
const defaults = { language: "", theme: "auto", animated: true, values: true };

/** @type {Preferences} */
export const preferences = { ...defaults, ...kept() };

/** @returns {Partial<Preferences>} */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    // Not allowed, or written by something else: nothing is kept.
    return {};
  }
}

/** @param {Partial<Preferences>} changes */
export function prefer(changes) {
  Object.assign(preferences, changes);
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // Not allowed: they last as long as the page.
  }
}

/** Whether sowing is to be shown seed by seed. */
export const animated = () =>
  preferences.animated && !matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Shows the page in light or dark. */
export function applyTheme() {
  if (preferences.theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = preferences.theme;
}
