// Why there is no answer.

/** What was said instead of an answer; without a `code`, nothing was said at all. */
export class ApiError extends Error {
  /** @param {string} message @param {string} [code] @param {string} [hint] */
  constructor(message, code, hint) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
