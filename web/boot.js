// Starts the page's wasm. The names are put in when the site is built.
import init from "./PAGE.js";

init({ module_or_path: new URL("./PAGE.wasm", import.meta.url) }).catch((error) => {
  document.documentElement.dataset.startError = String(error);
  throw error;
});
