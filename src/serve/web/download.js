// Downloads of the game and of the board.

import { close, open } from "./dialogs.js";
import { html } from "./dom.js";
import { t } from "./i18n.js";
import { annotated, ogn, playStrategy } from "./ogn.js";
import { drawing, pixels } from "./picture.js";

/** Offers the game in all its forms.
 * @param {import("./explorer.js").Explorer} explorer @param {HTMLElement} board
 * @param {Map<import("./game.js").Ply, import("./ogn.js").Remark>} remarks */
export function showDownloads({ game, rules }, board, remarks) {
  const named = Object.values(game.names).filter(Boolean).join("-").replace(/[^\p{L}\p{N}]+/gu, "-");
  const text = (/** @type {string} */ text) => new Blob([text], { type: "text/plain" });
  /** @type {[string, string, () => Blob | Promise<Blob>][]} */
  const forms = [
    ["ogn", "ogn", () => text(ogn(game, rules))],
    ["annotated", "ogn", () => text(annotated(game, rules, remarks))],
    ["playstrategy", "pgn", () => text(playStrategy(game, rules))],
    ["svg", "svg", () => new Blob([drawing(board)], { type: "image/svg+xml" })],
    ["png", "png", () => pixels(drawing(board))],
  ];
  open(t("tools.download"), html("ul", { class: "examples" }, ...forms.map(([form, ending, make]) =>
    html("li", {}, html("button", {
      type: "button", class: "example",
      onclick: async () => {
        const blob = await make();
        close();
        save(blob, `${named || "granero"}.${ending}`);
      },
    }, html("strong", {}, t(`download.${form}`)), html("span", {}, t(`download.${form}.about`)))))));
}

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const address = URL.createObjectURL(blob);
  html("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
