// The view of the board for the state of the explorer.

import { t } from "./i18n.js";
import { explainIllegal, explainMove, name, storeLabel } from "./phrases.js";
import { LETTERS, owner, sum } from "./situation.js";
import { about, bounds, UNKNOWN, valueText } from "./value.js";

/** @typedef {import("./board.js").BoardView} BoardView */
/** @typedef {import("./board.js").HouseView} HouseView */
/** @typedef {import("./explorer.js").Explorer} Explorer */

/** @param {Explorer} explorer @returns {BoardView} */
export function boardView(explorer) {
  const { now: situation, turned, editing, answer, preview } = explorer;
  if (preview) return glance(preview, turned);
  return {
    situation,
    turned,
    editing,
    over: answer?.over != null,
    names: { S: name("S"), N: name("N") },
    storeLabels: { S: storeLabel(situation, "S"), N: storeLabel(situation, "N") },
    houses: situation.houses.map((_, house) => houseView(explorer, house)),
  };
}

/** Shows the position that a move of a line leads to.
 * @param {import("./situation.js").Situation} situation @param {boolean} turned @returns {BoardView} */
const glance = (situation, turned) => ({
  situation,
  turned,
  editing: false,
  preview: true,
  over: false,
  names: { S: name("S"), N: name("N") },
  storeLabels: { S: storeLabel(situation, "S"), N: storeLabel(situation, "N") },
  houses: situation.houses.map((n, house) => ({
    label: t("house", { house: LETTERS[house], name: name(owner(house)), n }),
    kind: "locked",
  })),
});

/** @param {Explorer} explorer @param {number} house @returns {HouseView} */
function houseView(explorer, house) {
  const { now, answer, game } = explorer;
  const n = now.houses[house];
  const what = t("house", { house: LETTERS[house], name: name(owner(house)), n });
  if (explorer.editing) {
    return { label: `${what} ${t("setup.house")}`, kind: "edit" };
  }
  const last = game.last === house;
  if (!answer) return { label: what, kind: "locked", last };
  const move = explorer.moveOf(house);
  if (!move) {
    const why = explainIllegal(now, answer, house);
    // Obvious reasons are not shown unasked.
    const hint = owner(house) === now.toMove && !answer.over ? why : undefined;
    return { label: `${what} ${why}`, hint, kind: "locked", last };
  }
  if (!explorer.values) {
    return { label: what, kind: "play", last };
  }
  const hint = explainMove(now, answer, house, move);
  const known = valueText(move, sum(now.houses));
  const proven = bounds(move) === null && known !== UNKNOWN;
  const guess = move.estimate !== undefined;
  const badge = move.estimate === undefined ? known : about(move.estimate);
  return { label: `${what} ${hint}`, hint, kind: "play", badge, proven, guess, best: move.best, last };
}
