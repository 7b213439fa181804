// The error of a failed request.

/** An error of the API; without a `code`, there was no answer at all. */
export class ApiError extends Error {
  /** @param {string} message @param {string} [code] @param {string} [hint] */
  constructor(message, code, hint) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
