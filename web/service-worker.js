// Keeps the site for visits without the net. The build puts in its id and the list of its files.

// A host may have several of these sites, under different paths.
const OURS = `tidegate ${self.registration.scope} `;
const CACHE = `${OURS}BUILD_ID`;
const FILES = "FILES";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(["./", ...FILES.filter((name) => name !== "index.html")])));
});

// Only when no page of an older build is open any more: such a page may still want an older file.
self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith(OURS) && name !== CACHE;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

// The page comes from the net while there is one, so that a new build is seen; what it loads has a hash in its name.
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== self.location.origin) return;
  const kept = (what) => caches.open(CACHE).then((cache) => cache.match(what));
  event.respondWith(
    request.mode === "navigate"
      ? fetch(request).catch(async () => (await kept(request)) ?? (await kept("./")) ?? Response.error())
      : kept(request).then((file) => file ?? fetch(request)),
  );
});
