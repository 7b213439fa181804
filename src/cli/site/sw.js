// Keeps the files of the page, so that it opens without a network. What is loaded of the tables is kept
// by the page itself, in `source.js`.

/** Of all these files; another one has another number. */
const VERSION = "@VERSION@";
/** @type {string[]} */
const FILES = [/* @FILES@ */];

/** The caches of one site do not mix with those of another at the same host. */
const PREFIX = `granero page ${new URL(registration.scope).pathname} `;
const NAME = PREFIX + VERSION;

addEventListener("install", (event) => {
  const fill = async () => {
    const cache = await caches.open(NAME);
    // Not from the cache of the browser, which may have older ones.
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

/** What is kept, or else what the network has. @param {Request} request @param {string} file */
async function kept(request, file) {
  const cache = await caches.open(NAME);
  return (await cache.match(new URL(file, registration.scope))) ?? fetch(request);
}

/** What the network has, or else what it had. @param {Request} request */
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
