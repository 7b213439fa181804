// Announcements for screen readers: moves, and the value of the position once it is known.

import { byId } from "./dom.js";
import { t } from "./i18n.js";
import { name, verdict } from "./phrases.js";
import { LETTERS, owner, write } from "./situation.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */

/** The situation that was announced last. */
let told = "";

/** The situation whose proven bounds were announced last. */
let toldProof = "";

/** Announces a text at once. @param {string} text */
export function say(text) {
  byId("live").textContent = text;
}

/** Announces what is shown, if it is known and was not announced yet. @param {Explorer} explorer */
export function tell(explorer) {
  const { game, answer, now } = explorer;
  const key = `${explorer.rules} ${explorer.cycles} ${write(now)}`;
  if (!answer) return;
  if (told === key) return tellProof(explorer, key);
  const first = told === "";
  told = key;
  if (first) return;
  const position = explorer.values || answer.over
    ? verdict(explorer)
    : `${t("turn.of", { name: name(now.toMove) })}.`;
  say(explorer.editing ? position : [lastMove(game), position].filter(Boolean).join(" "));
}

/** Announces the proven bounds once, when the search has ended: every step would be too much to listen to.
 * @param {Explorer} explorer @param {string} key */
function tellProof(explorer, key) {
  if (toldProof === key || !explorer.knowledge.proof?.ended || !explorer.values) return;
  toldProof = key;
  say(verdict(explorer));
}

/** @param {import("./game.js").Game} game */
function lastMove(game) {
  const { last } = game;
  if (last === undefined) return "";
  const { captured } = game.ply;
  const values = { name: name(owner(last)), house: LETTERS[last], n: captured };
  return t(captured ? "live.captures" : "live.sows", values);
}
