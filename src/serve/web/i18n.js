// The texts of the page in five languages.

/** @typedef {string | {one: string, other: string}} Text `{name}` is filled in; two for plurals */

export const LANGUAGES = {
  en: "English",
  es: "Español",
  ca: "Català",
  fr: "Français",
  it: "Italiano",
};

/** @type {Record<string, Text>} */
let texts = {};
/** @type {Record<string, Promise<Record<string, Text>>>} */
const loaded = {};
let plural = new Intl.PluralRules("en");
let grouping = new Intl.NumberFormat("en");

export let language = "en";

/** Returns the first language of the browser that the page has. */
function preferred() {
  const codes = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  return codes.find((code) => code in LANGUAGES) ?? "en";
}

/** Loads the texts of a language, or of the one that the browser prefers. @param {string} wanted */
export function load(wanted) {
  language = wanted in LANGUAGES ? wanted : preferred();
  loaded[language] ??= fetch(new URL(`i18n/${language}.json`, import.meta.url)).then((response) => response.json());
  return loaded[language];
}

/** Shows the page in a language, or in the one that the browser prefers. @param {string} wanted */
export async function speak(wanted) {
  texts = await load(wanted);
  plural = new Intl.PluralRules(language);
  grouping = new Intl.NumberFormat(language, { useGrouping: "always" });
  document.documentElement.lang = language;
  document.title = `granero – ${t("title")}`;
  for (const element of document.querySelectorAll("[data-t]")) {
    element.textContent = t(/** @type {HTMLElement} */ (element).dataset.t ?? "");
  }
  for (const element of document.querySelectorAll("[data-t-label]")) {
    const label = t(/** @type {HTMLElement} */ (element).dataset.tLabel ?? "");
    element.setAttribute("aria-label", label);
    element.setAttribute("title", label);
  }
}

/** Returns a text. If it has a plural, `n` is the number.
 * @param {string} key @param {Record<string, string | number>} [values] */
export function t(key, values = {}) {
  const text = texts[key] ?? key;
  const form = typeof text === "string" ? text : pluralForm(text, Number(values.n));
  return form.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** @param {{one: string, other: string}} text @param {number} n */
const pluralForm = (text, n) => (plural.select(n) === "one" ? text.one : text.other);

/** Formats a number. @param {number} number */
export const grouped = (number) => grouping.format(number);

/** Formats a share of a whole. @param {number} part @param {number} whole */
export const percent = (part, whole) =>
  new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 }).format(
    whole === 0 ? 0 : part / whole,
  );

/** Returns true if there is such a text. @param {string} key */
export const has = (key) => key in texts;
