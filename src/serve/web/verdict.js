// The texts above the board: the turn, the end of the game, and the seeds of both as a bar.

import { plain } from "./buttons.js";
import { byId, html, redraw } from "./dom.js";
import { t } from "./i18n.js";
import {
  beyond, cutOffText, ending, estimated, name, prospect, rangeText, result, scoresText, searchText, share, whyHalf,
} from "./phrases.js";
import { sum, total } from "./situation.js";
import { bounds, certainBounds, final, finals, isCutOff, isExact, UNKNOWN } from "./value.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */

/** The most seeds of tables that a machine with 8 GB of memory builds. */
const LARGEST = 30;

/** @param {Explorer} explorer @param {object} on
 * @param {() => void} on.range asks why the value is a range
 * @param {() => void} on.more asks how to get more tables */
export function showVerdict(explorer, on) {
  const { now, answer, knowledge } = explorer;
  const value = answer ? bounds(answer) : null;
  const over = answer?.over;
  const shown = explorer.values || over;
  byId("turn").textContent = over ? t("turn.over") : t("turn.of", { name: name(now.toMove) });
  byId("turn").dataset.side = now.toMove;
  byId("turn").classList.toggle("over", over != null);
  const certain = answer ? certainBounds(answer, sum(now.houses)) : null;
  const guess = answer?.estimate === undefined ? undefined : estimated(Math.round(final(now, answer.estimate).S), total(now));
  byId("result").textContent = !answer
    ? "…"
    : !shown
      ? t(hidden(explorer))
      : certain
        ? prospect(now, certain)
        : guess ?? t("result.unknown");
  const cut = answer && isCutOff(answer) ? answer.range : undefined;
  const tag = t(cut ? "cut.tag" : "proven.tag");
  if (certain && !value && shown) byId("result").append(" ", html("span", { class: "tag" }, tag));
  if (explorer.values && explorer.knowledge.easyToMiss) {
    byId("result").append(" ", html("span", { class: "tag", title: t("easy.text") }, t("easy.tag")));
  }
  if (guess && shown && !certain) {
    byId("result").append(" ", html("span", { class: "tag guess", title: t("review.estimate") }, t("estimate.tag")));
  }
  const [low, high] = certain && shown ? finals(now, certain) : [{ S: now.south, N: now.north }, null];
  showScore(byId("score"), now, low, high ?? low);
  const reason = byId("reason");
  if (!answer || !shown) return redraw(reason, html("p", {}, shown || explorer.secret ? "" : t("result.howToShow")));
  if (over && value) {
    const score = result(finals(now, value)[0]);
    return redraw(reason, html("p", {}, ending(explorer, over), " ", score));
  }
  const repeats = explorer.game.repeats !== undefined;
  redraw(
    reason,
    value ? html("p", {}, conventions(explorer)) : null,
    value
      ? html("p", {}, share(now, value), " ",
        knowledge.distance === undefined ? null : t("distance", { n: knowledge.distance }),
        isExact(value) ? null : ask("why.link", on.range))
      : cut
        ? html("p", {}, cutOffText(now, cut))
        : html("p", {}, beyond(explorer), " ", t("beyond.playable"), " ",
          sum(now.houses) <= LARGEST ? ask("beyond.link", on.more) : null),
    certain ? html("p", {}, whyHalf(prospect(now, certain))) : null,
    knowledge.proof ? html("p", {}, searchText(explorer)) : null,
    repeats ? html("p", { class: "repeats" }, t("record.repeats")) : null,
  );
}

/** Returns what is asked while values are hidden. @param {Explorer} explorer */
function hidden({ match, now, secret }) {
  if (!secret) return "result.hidden";
  return !match ? "puzzle.which" : now.toMove === match.side ? "play.yours" : "play.thinks";
}

/** Says which convention is which: with the results of both, where there are tables for both.
 * @param {Explorer} explorer */
function conventions({ knowledge: { both }, now, cycles }) {
  if (!both) return t(`only.${cycles}`);
  const [rulebook, shared] = ["own-side", "split"].map((cycles) => {
    const value = both[cycles] && bounds(both[cycles]);
    return value ? scoresText(finals(now, value)) : UNKNOWN;
  });
  return t("both", { rulebook, shared });
}

/** @param {string} key @param {() => void} onclick */
const ask = (key, onclick) => plain(t(key), onclick, { kind: "link", key });

/** Draws all seeds in a row: captured by South, certain to come to South, open, certain to come to North, captured by
 * North.
 * @param {HTMLElement} element @param {import("./situation.js").Situation} now
 * @param {import("./value.js").Score} low @param {import("./value.js").Score} high */
function showScore(element, now, low, high) {
  const parts = {
    "south-now": now.south,
    "south-later": low.S - now.south,
    open: total(now) - low.S - high.N,
    "north-later": high.N - now.north,
    "north-now": now.north,
  };
  const label = scoresText([low, high]);
  const bar = html(
    "div",
    { class: "bar-of-seeds", role: "img", "aria-label": `${name("S")} ${label} ${name("N")}` },
    ...Object.entries(parts).map(([part, seeds]) => {
      const box = html("span", { class: part });
      box.style.flexGrow = String(seeds);
      return box;
    }),
    html("i", {}),
  );
  element.replaceChildren(
    html("span", {}, rangeText(low.S, high.S)),
    bar,
    html("span", {}, rangeText(high.N, low.N)),
  );
}
