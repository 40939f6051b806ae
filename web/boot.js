// Starts the page's wasm, and sees to it that the site is there without the net next time.
// The build puts the names in.

const framed = new URLSearchParams(location.search).get("embed") ?? "0";

// A frame of another page begins once it comes near the view, however its author has put it there.
function near() {
  if (framed === "0" || window.self === window.top || typeof IntersectionObserver !== "function") return Promise.resolve();
  return new Promise((done) => {
    const watch = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        watch.disconnect();
        done();
      },
      { rootMargin: "600px" },
    );
    watch.observe(document.documentElement);
  });
}

async function start() {
  await near();
  if (typeof WebAssembly !== "object") throw new Error("this browser has no WebAssembly, or it is turned off");
  const { default: init } = await import("./PAGE.js");
  await init({ module_or_path: new URL("./PAGE.wasm", import.meta.url) });
}

// The text that index.html has for a page that does not start says why it did not, and leads to the page by itself.
function tell(error) {
  document.documentElement.dataset.startError = String(error);
  const place = document.querySelector("#not-started");
  if (!place) return;
  place.dataset.known = "";
  place.querySelector("#why-not").textContent = `The program could not be loaded: ${error?.message ?? error}`;
  const address = new URL(location.href);
  for (const name of ["embed", "height"]) address.searchParams.delete(name);
  place.querySelector("a").href = address.href;
}

start().then(
  () => document.querySelector("#not-started")?.remove(),
  (error) => {
    tell(error);
    throw error;
  },
);

const worker = document.querySelector("meta[name=tidegate-service-worker]")?.content;
if (worker && "serviceWorker" in navigator && window.self === window.top) {
  // After the first second, which belongs to the page. Not having it is no error: storage may be denied.
  addEventListener("load", () => setTimeout(() => navigator.serviceWorker.register(worker).catch(() => {}), 1000));
}
