// What sharing needs of the browser: the address, the clipboard, files.

const MARK = "#run=";
// As it was when the page was opened.
const first = new URL(location.href);

// The run in the page's address. What was put behind it, as the full stop of a sentence, is no part of it.
export function runInAddress() {
  const hash = location.hash;
  return hash.startsWith(MARK) ? hash.slice(MARK.length).match(/^[\w-]*/)[0] : undefined;
}

// Takes the run out of the page's address: a reload resumes what has become of it.
export function forgetRun() {
  if (location.hash.startsWith(MARK)) history.replaceState(null, "", location.pathname + location.search);
}

// Calls back when somebody puts another run into the address.
export function onRun(callback) {
  addEventListener("hashchange", () => location.hash.startsWith(MARK) && callback());
}

// The address of this page with a run in it; `search` takes the place of the part after `?`.
export function addressOf(run, search) {
  return location.origin + location.pathname + search + (run ? MARK + run : "");
}

// The address of the whole page that shows what this frame showed first.
export function fullAddress() {
  const full = new URL(first);
  for (const name of ["embed", "height", "theme"]) full.searchParams.delete(name);
  return full.href;
}

// Resolves to whether it was copied.
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export function downloadText(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// The text of the file chosen in an <input type=file>, and the choice is forgotten.
export async function chosenText(input) {
  const text = (await input.files?.[0]?.text()) ?? "";
  input.value = "";
  return text;
}
