// Errors, and the checks of arguments.

/** An error: a text that is no position, or tables that cannot be read. */
export class GraneroError extends Error {
  /** @param {{code: string, message: string, hint?: string, at?: number}} error */
  constructor({ code, message, hint, at }) {
    super(message);
    this.name = "GraneroError";
    this.code = code;
    this.hint = hint;
    this.at = at;
  }
}

/** Throws an error unless `holds`. @param {unknown} holds @param {string} message says what is needed */
export function check(holds, message) {
  if (!holds) throw new GraneroError({ code: "bad-argument", message });
}

/** @param {unknown} it */
export const isObject = (it) => typeof it === "object" && it !== null;

/** True for a `Uint8Array`, also of another window, and for a `Buffer` of Node. @param {unknown} it */
export const isBytes = (it) => Object.prototype.toString.call(it) === "[object Uint8Array]";

/** True for an `ArrayBuffer`, also of another window or shared. @param {unknown} it */
export const isBuffer = (it) => /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(it));

/** True for whole numbers in a range. @param {unknown} it @param {number} least @param {number} most */
export const isWhole = (it, least, most) => Number.isInteger(it) && it >= least && it <= most;

/** True for numbers that are not negative, and for infinity. @param {unknown} it */
export const isAmount = (it) => typeof it === "number" && it >= 0;
