// The choice of rules and of the convention for endless play.

import { byId, html } from "./dom.js";
import { has, t } from "./i18n.js";
import { prefer } from "./preferences.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */

const rulesField = () => /** @type {HTMLSelectElement} */ (byId("rules"));
const cyclesField = () => /** @type {HTMLSelectElement} */ (byId("cycles"));

/** @param {Explorer} explorer */
export function listenToChoices(explorer) {
  rulesField().addEventListener("change", () => explorer.ask(rulesField().value));
  cyclesField().addEventListener("change", () => {
    prefer({ cycles: cyclesField().value });
    explorer.ask(explorer.rules, cyclesField().value);
  });
}

/** @param {Explorer} explorer */
export function showChoices({ tables, rules, cycles }) {
  const here = tables.rulesets.find(({ name }) => name === rules)?.tables ?? [];
  fill(rulesField(), rules, tables.rulesets.map(({ name, tables }) =>
    [name, label(`rules.${name}`, name, tables.length > 0)]));
  fill(cyclesField(), cycles, tables.cycles.map(({ name }) =>
    [name, label(`cycles.${name}`, name, here.includes(name))]));
  rulesField().title = has(`rules.${rules}.about`) ? t(`rules.${rules}.about`) : rules;
  cyclesField().title = t(`cycles.${cycles}.about`);
}

/** @param {string} key @param {string} name @param {boolean} there */
function label(key, name, there) {
  const text = has(key) ? t(key) : name;
  return there ? text : `${text} ${t("tables.missing")}`;
}

/** @param {HTMLSelectElement} field @param {string} chosen @param {string[][]} options */
function fill(field, chosen, options) {
  field.replaceChildren(...options.map(([value, text]) => html("option", { value }, text)));
  field.value = chosen;
}
