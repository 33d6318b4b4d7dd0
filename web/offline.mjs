// A service worker: the page, and each CPython that was used once, work without a network.

const CACHE = "depyf";

addEventListener("install", (event) => event.waitUntil((async () => {
  const about = await (await fetch("versions.json", { cache: "no-store" })).json();
  const cache = await caches.open(`${CACHE}-${about.digest}`);
  await cache.addAll(["./", "versions.json", ...about.page]);
  await skipWaiting();
})()));

addEventListener("activate", (event) => event.waitUntil((async () => {
  const about = await (await caches.match("versions.json")).json();
  for (const name of await caches.keys()) if (name.startsWith(CACHE) && !name.endsWith(about.digest)) await caches.delete(name);
  await clients.claim();
})()));

addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith((async () => {
    const known = await caches.match(event.request, { ignoreSearch: true });
    if (known) return known;
    const answer = await fetch(event.request);
    const [name] = await caches.keys();
    if (answer.ok && name && new URL(event.request.url).pathname.includes("/python/")) {
      await (await caches.open(name)).put(event.request, answer.clone());
    }
    return answer;
  })());
});
