// Gets answers from the API of the server. A site without a server has another file in place of this
// one, `src/cli/site/source.js`.

import { ApiError } from "./api_error.js";

/** True with a server, which can search and picks up new tables. */
export const served = true;

/** Asks the API. @param {string} path @param {Record<string, string>} parameters @param {AbortSignal} [signal] */
export async function get(path, parameters, signal) {
  const query = new URLSearchParams(parameters).toString();
  const address = `api/v1/${path}${query && `?${query}`}`;
  let response = await ask(address, { signal });
  if (response.status === 503) {
    const seconds = Number(response.headers.get("Retry-After")) || 1;
    await new Promise((resolve) => setTimeout(resolve, 1000 * Math.min(seconds, 5)));
    response = await ask(address, { signal });
  }
  return read(response);
}

/** Sends the API a document.
 * @param {string} path @param {Record<string, string>} parameters @param {object} document
 * @param {AbortSignal} [signal] */
export async function post(path, parameters, document, signal) {
  const options = {
    method: "POST",
    signal,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(document),
  };
  return read(await ask(`api/v1/${path}?${new URLSearchParams(parameters)}`, options));
}

/** @param {Response} response */
async function read(response) {
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  const { message, code, hint } = body?.error ?? {};
  throw new ApiError(message ?? `HTTP ${response.status}`, code, hint);
}

/** @param {string} address @param {RequestInit} options */
async function ask(address, options) {
  try {
    return await fetch(address, options);
  } catch (error) {
    throw new ApiError(String(error));
  }
}
