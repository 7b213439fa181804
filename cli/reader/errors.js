// Why there is no answer.

/** What is wrong: a text that is no position, tables that cannot be read. */
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
