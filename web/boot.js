// Starts the page's wasm, and sees to it that the site is there without the net next time.
// The build puts the names in.
import init from "./PAGE.js";

init({ module_or_path: new URL("./PAGE.wasm", import.meta.url) }).catch((error) => {
  document.documentElement.dataset.startError = String(error);
  throw error;
});

const worker = document.querySelector("meta[name=tidegate-service-worker]")?.content;
if (worker && "serviceWorker" in navigator && window.self === window.top) {
  // After the first second, which belongs to the page. Not having it is no error: storage may be denied.
  addEventListener("load", () => setTimeout(() => navigator.serviceWorker.register(worker).catch(() => {}), 1000));
}
