// What this browser keeps: settings, games and puzzles. Nothing of it goes elsewhere.

/**
 * @template {object} T
 * @param {string} key
 * @param {T} nothing what is there at first
 * @returns {T}
 */
export function kept(key, nothing) {
  try {
    return { ...nothing, ...JSON.parse(localStorage.getItem(key) ?? "{}") };
  } catch {
    // Not allowed, or not ours.
    return nothing;
  }
}

/** @param {string} key @param {object} value */
export function keep(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Not allowed: it lasts as long as the page.
  }
}
