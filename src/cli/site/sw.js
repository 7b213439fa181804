// Keeps the files of the page, so that it opens without a network. The page itself keeps parts of tables, in
// `source.js`.

/** The hash of all these files: each version of the page has its own. */
const VERSION = "@VERSION@";
/** @type {string[]} */
const FILES = [/* @FILES@ */];

/** Each site has its own caches, even at the same host. */
const PREFIX = `granero page ${new URL(registration.scope).pathname} `;
const NAME = PREFIX + VERSION;

addEventListener("install", (event) => {
  const fill = async () => {
    const cache = await caches.open(NAME);
    // Not from the cache of the browser, which may have older files.
    await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
    await skipWaiting();
  };
  event.waitUntil(fill());
});

addEventListener("activate", (event) => {
  const clear = async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith(PREFIX) && name !== NAME) await caches.delete(name);
    }
    await clients.claim();
  };
  event.waitUntil(clear());
});

addEventListener("fetch", (event) => {
  const { request } = event;
  // Parts of tables are not files.
  if (request.method !== "GET" || request.headers.has("Range")) return;
  const { origin, pathname } = new URL(request.url);
  const address = origin + pathname;
  if (/\/(?:granero|site)\.json$|\/statistics\/[^/]*\.json$/.test(pathname)) {
    event.respondWith(newest(request));
  } else if (address.startsWith(registration.scope)) {
    const file = address.slice(registration.scope.length) || "./";
    if (FILES.includes(file)) event.respondWith(kept(request, file));
  }
});

/** Answers from the cache, otherwise from the network. @param {Request} request @param {string} file */
async function kept(request, file) {
  const cache = await caches.open(NAME);
  return (await cache.match(new URL(file, registration.scope))) ?? fetch(request);
}

/** Answers from the network, otherwise from the cache. @param {Request} request */
async function newest(request) {
  const cache = await caches.open(NAME);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}
