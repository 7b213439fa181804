// A plain host for static files, with and without range requests; with `"single"`, without requests for several.
// With `gzip`, whole files are compressed, as most hosts do.

import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Serves a folder, below a path.
 * @param {string} folder
 * @param {{ranges?: boolean | "single", gzip?: boolean, path?: string, headers?: Record<string, string>}} [options]
 * @returns {Promise<{origin: string, sent: {path: string, bytes: number}[], close: () => Promise<void>}>} `sent`:
 *   the files that were sent so far */
export async function serveFolder(folder, { ranges = true, gzip = false, path = "/", headers = {} } = {}) {
  /** @type {{path: string, bytes: number}[]} */
  const sent = [];
  const server = createServer((request, response) => {
    const asked = decodeURIComponent(new URL(request.url ?? "/", "http://host").pathname);
    const within = asked.startsWith(path) ? asked.slice(path.length) : undefined;
    const file = within !== undefined && join(folder, normalize(`/${within || "index.html"}`));
    const found = file && statSync(file, { throwIfNoEntry: false });
    if (!found || !found.isFile()) {
      response.writeHead(404, headers).end("not here");
      return;
    }
    const head = { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream", ...headers };
    if (gzip && !request.headers.range) {
      const bytes = gzipSync(readFileSync(file));
      sent.push({ path: within, bytes: bytes.length });
      response.writeHead(200, { ...head, "Content-Encoding": "gzip", "Content-Length": bytes.length });
      return response.end(bytes);
    }
    const several = ranges === true && /^bytes=(\d+-\d+(?:,\d+-\d+)+)$/.exec(request.headers.range ?? "");
    if (several) {
      const bytes = readFileSync(file);
      const parts = several[1].split(",").map((part) => part.split("-").map(Number)).flatMap(([start, end]) => [
        `\r\n--part\r\nContent-Type: ${head["Content-Type"]}\r\nContent-Range: bytes ${start}-${end}/${found.size}\r\n\r\n`,
        bytes.subarray(start, end + 1),
      ]);
      const body = Buffer.concat([...parts, "\r\n--part--\r\n"].map((part) => Buffer.from(part)));
      sent.push({ path: within, bytes: body.length });
      response.writeHead(206, { ...head, "Content-Type": "multipart/byteranges; boundary=part", "Content-Length": body.length });
      return response.end(body);
    }
    const part = ranges && /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    const start = part ? Number(part[1]) : 0;
    const end = part ? Math.min(Number(part[2]) + 1, found.size) : found.size;
    if (start >= end && part) {
      response.writeHead(416, { ...head, "Content-Range": `bytes */${found.size}` }).end();
      return;
    }
    const place = part ? { "Content-Range": `bytes ${start}-${end - 1}/${found.size}` } : {};
    response.writeHead(part ? 206 : 200, { ...head, ...place, "Content-Length": end - start });
    const entry = { path: within, bytes: 0 };
    sent.push(entry);
    if (end === start) return response.end();
    const stream = createReadStream(file, { start, end: end - 1 });
    stream.on("data", (data) => (entry.bytes += data.length));
    stream.pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    origin: `http://127.0.0.1:${address.port}${path}`,
    sent,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve(undefined)));
    },
  };
}
