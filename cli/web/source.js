// Where answers come from: the server's API. A site without a server has another file in place of
// this one, `cli/site/source.js`.

import { ApiError } from "./api_error.js";

/** Whether a server answers, which can search and notices new tables. */
export const served = true;

/**
 * Asks the API.
 * @param {string} path
 * @param {Record<string, string>} parameters
 * @param {AbortSignal} [signal]
 */
export async function get(path, parameters, signal) {
  const query = new URLSearchParams(parameters).toString();
  const address = `api/v1/${path}${query && `?${query}`}`;
  let response = await ask(address, signal);
  if (response.status === 503) {
    const seconds = Number(response.headers.get("Retry-After")) || 1;
    await new Promise((resolve) => setTimeout(resolve, 1000 * Math.min(seconds, 5)));
    response = await ask(address, signal);
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  const { message, code, hint } = body?.error ?? {};
  throw new ApiError(message ?? `HTTP ${response.status}`, code, hint);
}

/** @param {string} address @param {AbortSignal} [signal] */
async function ask(address, signal) {
  try {
    return await fetch(address, { signal });
  } catch (error) {
    throw new ApiError(String(error));
  }
}
