// Settings for all positions, kept in this browser.

const KEY = "granero";

/**
 * @typedef {object} Preferences
 * @property {string} language empty for the language of the browser
 * @property {"auto" | "light" | "dark"} theme
 * @property {boolean} animated true if seeds are sown one by one
 * @property {boolean} values true if badges are shown
 * @property {string} cycles the convention for endless play that was chosen last
 */

/** @type {Preferences} */
const defaults = { language: "", theme: "auto", animated: true, values: true, cycles: "" };

/** @type {Preferences} */
export const preferences = { ...defaults, ...kept() };

/** @returns {Partial<Preferences>} */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    // Not allowed, or not ours: use the defaults.
    return {};
  }
}

/** @param {Partial<Preferences>} changes */
export function prefer(changes) {
  Object.assign(preferences, changes);
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // Not allowed: the settings last as long as the page.
  }
}

/** Returns true if sowing is shown seed by seed. */
export const animated = () =>
  preferences.animated && !matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Shows the page in light or dark. */
export function applyTheme() {
  if (preferences.theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = preferences.theme;
}
