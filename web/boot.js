// Starts the page's wasm, and sees to it that the site is there without the net next time.
// The build puts the names in.

const framed = new URLSearchParams(location.search).get("embed") ?? "0";

// Before anything is drawn, so that nothing moves.
if (framed !== "0") {
  const asked = new URLSearchParams(location.search);
  const root = document.documentElement;
  root.dataset.embed = "";
  if (["light", "dark"].includes(asked.get("theme"))) root.dataset.theme = asked.get("theme");
  const height = Math.min(Math.max(Number.parseInt(asked.get("height"), 10), 240), 4000);
  if (height) root.style.setProperty("--embed-height", `${height}px`);
}

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

// The workers' programs are on their way while the page's is. What they say before it listens waits for it; where none can be
// started, the page finds that out by itself and says so.
const workers = (globalThis.tidegateWorkers = new Map());
function begin(name) {
  const address = document.querySelector(`meta[name=${name}]`)?.content;
  if (!address) return;
  try {
    const worker = new Worker(address, { type: "module" });
    const early = { worker, messages: [], errors: [] };
    worker.onmessage = (event) => early.messages.push(event);
    worker.onerror = (event) => early.errors.push(event);
    workers.set(name, early);
  } catch {}
}

const text = document.querySelector("#not-started");

// On a slow line there is time to read.
function say(title, why) {
  if (!text) return;
  text.querySelector("b").textContent = title;
  text.querySelector("#why-not").textContent = why;
}

async function start() {
  say("Tidegate is on its way.", "The line is slow: there are almost 2 MB to load, the first time.");
  if (text) text.dataset.waits = "";
  await near();
  if (text) delete text.dataset.waits;
  ["tidegate-engine", "tidegate-store"].forEach(begin);
  if (typeof WebAssembly !== "object") throw new Error("this browser has no WebAssembly, or it is turned off");
  const { default: init } = await import("./PAGE.js");
  await init({ module_or_path: new URL("./PAGE.wasm", import.meta.url) });
}

// The text that index.html has for a page that does not start says why it did not, and leads to the page by itself.
function tell(error) {
  document.documentElement.dataset.startError = String(error);
  if (!text) return;
  text.dataset.known = "";
  say("Tidegate has not started.", `The program could not be loaded: ${error?.message ?? error}`);
  const address = new URL(location.href);
  for (const name of ["embed", "height"]) address.searchParams.delete(name);
  text.querySelector("a").href = address.href;
}

start().then(
  () => text?.remove(),
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
