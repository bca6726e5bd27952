// The offline shell: the page itself is fetched fresh and kept for when the server can't be reached.
// Nothing of the API is ever kept.

const CACHE = "fanlens-shell";
const SHELL = [
  "./", "style.css", "manifest.webmanifest", "icon.svg", "icon-192.png", "icon-512.png",
  "main.js", "api.js", "context.js", "dom.js", "drag.js", "hand.js", "i18n.js", "match.js", "photo.js",
  "picker.js", "result.js", "share.js", "state.js", "tiles.js", "tray.js", "words.js",
];

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SHELL)));
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== location.origin || address.pathname.includes("/api/") || address.search) return;
  event.respondWith(fresh(request));
});

async function fresh(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok && !response.redirected) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}
