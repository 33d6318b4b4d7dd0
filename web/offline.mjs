// A service worker: the page, and each CPython that was used once, work without a network.

const DIGEST = "of all files of the page";  // build.py writes it, so that another build is another worker
const CACHE = `depyf ${DIGEST}`;

addEventListener("install", (event) => event.waitUntil((async () => {
  const cache = await caches.open(CACHE);
  const asked = { cache: "no-cache" };
  const about = await (await fetch("versions.json", asked)).json();
  await cache.addAll(["./", "versions.json", ...about.page].map((path) => new Request(path, asked)));
  await skipWaiting();
})()));

addEventListener("activate", (event) => event.waitUntil((async () => {
  const old = (await caches.keys()).filter((name) => name.startsWith("depyf ") && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
})()));

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(registration.scope)) return;
  event.respondWith((async () => {
    const cache = await caches.open(CACHE);
    const known = await cache.match(request, { ignoreSearch: true });
    if (known) return known;
    const answer = await fetch(request);
    if (answer.ok && request.url.startsWith(`${registration.scope}python/`)) await cache.put(request, answer.clone());
    return answer;
  })());
});
