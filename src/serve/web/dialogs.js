// Windows: help, settings, examples, explanations.

import { served } from "./api.js";
import { byId, html } from "./dom.js";
import { LANGUAGES, t } from "./i18n.js";
import { KEYS } from "./keyboard.js";
import { name, prospect } from "./phrases.js";
import { preferences } from "./preferences.js";
import { other, sum, total } from "./situation.js";
import { bounds, final, seedsText, signed } from "./value.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */
/** @typedef {import("./preferences.js").Preferences} Preferences */

/** @param {string} title @param {...(Node | string | null)} body */
export function open(title, ...body) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("dialog"));
  byId("dialog-title").textContent = title;
  byId("dialog-body").replaceChildren(...body.filter((part) => part !== null));
  if (!dialog.open) dialog.showModal();
}

export const close = () => /** @type {HTMLDialogElement} */ (byId("dialog")).close();

/** @param {string} key @param {Record<string, string | number>} [values] */
const paragraph = (key, values) => html("p", {}, t(key, values));

export function showHelp() {
  const keys = KEYS.map(([names, text]) =>
    html("tr", {},
      html("th", { scope: "row" }, ...names.map((key) => html("kbd", {}, key))),
      html("td", {}, t(text))));
  open(
    t("help.title"),
    paragraph("help.board"),
    paragraph("help.values"),
    paragraph("help.best"),
    paragraph("help.proven"),
    paragraph("help.estimate"),
    paragraph("help.line"),
    html("h3", {}, t("help.keys")),
    html("table", { class: "keys" }, html("tbody", {}, ...keys)),
  );
}

/** @param {(changes: Partial<Preferences>) => void} change */
export function showSettings(change) {
  const [theme] = choice("settings.theme", preferences.theme,
    [["auto", t("theme.auto")], ["light", t("theme.light")], ["dark", t("theme.dark")]],
    (theme) => change({ theme: /** @type {Preferences["theme"]} */ (theme) }));
  const [language] = choice("settings.language", preferences.language,
    [["", t("settings.asBrowser")], ...Object.entries(LANGUAGES)],
    (language) => change({ language }));
  open(
    t("settings.title"),
    language,
    theme,
    check("settings.animated", preferences.animated, (animated) => change({ animated })),
    check("settings.values", preferences.values, (values) => change({ values })),
  );
}

/** Makes a choice with its label, and returns both the row and the field.
 * @param {string} key of the label
 * @param {string} chosen
 * @param {string[][]} options values and texts
 * @param {(value: string) => void} [onchoose] @returns {[HTMLElement, HTMLSelectElement]} */
export function choice(key, chosen, options, onchoose = () => {}) {
  const field = /** @type {HTMLSelectElement} */ (
    html("select", { id: key, onchange: () => onchoose(field.value) },
      ...options.map(([value, text]) => html("option", { value }, text)))
  );
  field.value = chosen;
  return [html("p", { class: "setting" }, html("label", { for: key }, t(key)), field), field];
}

/** @param {string} key @param {boolean} checked @param {(on: boolean) => void} onchoose */
function check(key, checked, onchoose) {
  const box = /** @type {HTMLInputElement} */ (
    html("input", { id: key, type: "checkbox", checked, onchange: () => onchoose(box.checked) })
  );
  return html("p", { class: "setting" }, html("label", { for: key }, t(key)), box);
}

/** Explains why the value of the position is a range. @param {Explorer} explorer */
export function showRange({ now, answer }) {
  const value = answer && bounds(answer);
  if (!value) return;
  const side = now.toMove;
  const bound = (/** @type {"low" | "high"} */ which) =>
    html("li", {}, t(`why.${which}`, {
      name: name(side), other: name(other(side)),
      value: signed(value[which]), a: seedsText(final(now, value[which])[side]), all: total(now),
    }));
  open(
    t("why.title"),
    paragraph("why.cycle"),
    paragraph("why.rule"),
    paragraph("why.bounds"),
    html("ul", { class: "bounds" }, bound("low"), bound("high")),
    html("p", { class: "strong" }, prospect(now, value)),
    paragraph("why.exact"),
    paragraph("why.split"),
  );
}

/** Explains how to get tables that reach the position. @param {Explorer} explorer */
export function showMore({ now, rules, cycles, table, tables }) {
  const seeds = sum(now.houses);
  const options = [
    rules === tables.rulesets[0].name ? "" : ` --rules ${rules}`,
    cycles === "split" ? "" : ` --cycles ${cycles}`,
  ].join("");
  // One directory holds both conventions; a server does not tell where its own is.
  const directory = table && !table.sample && served ? "DIR" : `granero-${rules}`;
  const build = `granero build --seeds ${Math.max(seeds, 15)}${options} --db ${directory}`;
  const serve = [paragraph("beyond.serve"), code(`granero serve --db ${directory}`)];
  open(
    t("beyond.link"),
    table && table.max_seeds !== null
      ? paragraph("beyond.reach", { n: seeds, max: table.max_seeds })
      : paragraph("beyond.none"),
    ...(table?.limited ? [paragraph("beyond.whole")] : []),
    paragraph(served ? "beyond.build" : "beyond.site"),
    code(build),
    ...(served && table && !table.sample ? [] : serve),
    paragraph("beyond.estimate"),
  );
}

/** @param {string} text */
const code = (text) => html("pre", {}, html("code", {}, text));

/** Offers positions to begin with. @param {{key: string}[]} examples @param {(number: number) => void} choose */
export function showExamples(examples, choose) {
  const items = examples.map(({ key }, number) =>
    html("li", {},
      html("button", { type: "button", class: "example", onclick: () => choose(number) },
        html("strong", {}, t(`${key}.title`)), " ", html("span", {}, t(`${key}.text`)))));
  open(t("tools.examples"), html("ul", { class: "examples" }, ...items));
}
