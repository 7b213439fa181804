// The keys of the page.

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./explorer.js").Explorer} Explorer */

/** What stands in the help. @type {[string[], string][]} */
export const KEYS = [
  [["←", "→"], "keys.through"],
  [["Home", "End"], "keys.ends"],
  [["␣"], "keys.best"],
  [["↹"], "keys.board"],
  [["←", "→", "↑", "↓"], "keys.arrows"],
  [["Enter"], "keys.sow"],
  [["A–F"], "keys.letters"],
  [["U"], "keys.undo"],
  [["R"], "keys.redo"],
  [["N"], "keys.step"],
  [["P"], "keys.play"],
  [["N", "P"], "keys.mistakes"],
  [["V"], "keys.values"],
  [["T"], "keys.turn"],
  [["S"], "keys.setup"],
  [["+", "−", "0"], "keys.seeds"],
  [["H"], "keys.hint"],
  [["?"], "keys.help"],
];

/** Returns the house that an arrow key leads to.
 * @param {number} house @param {string} key
 * @param {boolean} turned true if North sits below */
function neighbour(house, key, turned) {
  const below = house < 6 !== turned;
  const place = house % 6;
  const right = key === "ArrowRight";
  if (right || key === "ArrowLeft") {
    const step = right === below ? 1 : -1;
    return place + step < 0 || place + step > 5 ? house : house + step;
  }
  const leaves = (key === "ArrowUp") === below;
  return leaves ? 11 - house : house;
}

/** @param {Explorer} explorer @param {Board} board @param {object} on @param {(house: number) => void} on.sow
 * @param {(house: number, change: number) => void} on.change while a position is set up
 * @param {(house: number) => void} on.empty @param {() => void} on.values @param {() => void} on.help
 * @param {() => void} on.back
 * @param {() => void} on.hint in a game against granero
 * @param {(step: 1 | -1) => boolean} on.mistake shows the next mistake or the one before, if a game is reviewed */
export function listen(explorer, board, on) {
  // A click leaves the focus behind, but means nothing to the keys.
  let pointed = false;
  addEventListener("pointerdown", () => (pointed = true));
  addEventListener("keyup", (event) => {
    if (event.key === " " && pointed && !isField(event)) event.preventDefault();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Tab") pointed = false;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isField(event)) return;
    if (explorer.view !== "board" && event.key !== "?") return;
    if (onBoard(event) || anywhere(event)) event.preventDefault();
  });

  /** Handles keys on the house that has the focus. @param {KeyboardEvent} event */
  function onBoard({ key }) {
    const house = pointed && !explorer.editing ? undefined : board.focused;
    if (house === undefined) return false;
    if (key.startsWith("Arrow")) {
      board.focus(neighbour(house, key, explorer.turned));
    } else if (key === "Enter" || key === " ") {
      board.on.house(house, true);
    } else if (explorer.editing && (key === "+" || key === "-" || key === "−")) {
      on.change(house, key === "+" ? 1 : -1);
    } else if (explorer.editing && (key === "0" || key === "Delete" || key === "Backspace")) {
      on.empty(house);
    } else {
      return false;
    }
    return true;
  }

  /** @param {KeyboardEvent} event */
  function anywhere({ key, target }) {
    const letter = key.toLowerCase();
    // A button that was reached with the keyboard is pressed with it.
    if (key === " " && !pointed && /** @type {Element} */ (target).closest("button, a")) return false;
    if (!explorer.editing && /^[a-f]$/.test(letter)) {
      on.sow("abcdef".indexOf(letter) + (explorer.now.toMove === "S" ? 0 : 6));
      return true;
    }
    // What is to be found is not played, shown or left with a key.
    if (explorer.secret && " npvs".includes(letter)) return false;
    /** @type {Record<string, () => unknown>} */
    const keys = {
      u: on.back,
      h: on.hint,
      r: () => explorer.go(explorer.game.at + 1),
      arrowleft: () => explorer.go(explorer.game.at - 1),
      arrowright: () => explorer.go(explorer.game.at + 1),
      " ": () => explorer.lines.playBest(),
      home: () => explorer.go(0),
      end: () => explorer.go(explorer.game.length),
      n: () => on.mistake(1) || explorer.lines.step(),
      p: () => on.mistake(-1) || (explorer.lines.playing ? explorer.go(explorer.game.at) : explorer.lines.play()),
      v: on.values,
      t: () => explorer.turn(),
      s: () => (explorer.editing ? explorer.endEdit(true) : explorer.edit()),
      escape: () => explorer.editing && explorer.endEdit(false),
      "?": on.help,
    };
    keys[letter]?.();
    return letter in keys;
  }
}

/** Returns true for keys that belong to a field or a window. @param {Event} event */
const isField = ({ target }) =>
  target instanceof Element && target.closest("input, select, textarea, dialog") !== null;
