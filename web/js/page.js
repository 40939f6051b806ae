// What the page needs of the browser that has no ready binding: locks, and the editor's lazily loaded module.

let held = null;

// Takes the lock of a workspace for as long as the page lives. Resolves to whether it was free.
function take(id) {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((done) => {
    navigator.locks
      .request(`tidegate:${id}`, { ifAvailable: true }, (lock) => {
        done(lock !== null);
        if (!lock) return undefined;
        held?.();
        return new Promise((release) => {
          held = release;
        });
      })
      .catch(() => done(true));
  });
}

const fresh = () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`;

const EXAMPLE = () => new URLSearchParams(location.search).get("example");

// The address names the example that runs (its number, from 1), if it was chosen or asked for; and none once something else runs.
export function nameExample(number, chosen) {
  if (EXAMPLE() === (number?.toString() ?? null) || (EXAMPLE() === null && !chosen)) return;
  const address = new URL(location.href);
  if (number === undefined) address.searchParams.delete("example");
  else address.searchParams.set("example", number);
  history.replaceState(history.state, "", address);
}

// The workspace of this page: { id, forkOf, resumed }, or { error } where the browser keeps nothing for us.
// A reload finds its id in sessionStorage; a duplicated tab finds it locked by the first, and forks.
export async function claimWorkspace() {
  let stored;
  try {
    stored = sessionStorage.getItem("tidegate.workspace");
  } catch (error) {
    return { error: String(error.message ?? error) };
  }
  // A link to a run begins in a workspace of its own.
  if (location.hash.startsWith("#run=")) stored = null;
  // So does an address that names an example, unless it is only loaded again.
  if (EXAMPLE() !== null && performance.getEntriesByType("navigation")[0]?.type === "navigate") stored = null;
  let forkOf = null;
  if (stored) {
    if (await take(stored)) return { id: stored, forkOf, resumed: true };
    // The page before a reload may not have let go yet.
    for (let turn = 0; turn < 4 && performance.getEntriesByType("navigation")[0]?.type === "reload"; turn += 1) {
      await new Promise((done) => setTimeout(done, 50));
      if (await take(stored)) return { id: stored, forkOf, resumed: true };
    }
    forkOf = stored;
  }
  const id = fresh();
  await take(id);
  try {
    sessionStorage.setItem("tidegate.workspace", id);
  } catch (error) {
    return { error: String(error.message ?? error) };
  }
  return { id, forkOf, resumed: forkOf !== null };
}

const DRAFT = "tidegate.draft";

// Keeps the text that was not run yet, for a reload of this tab; null forgets it.
export function keepDraft(text) {
  try {
    if (text === null) sessionStorage.removeItem(DRAFT);
    else sessionStorage.setItem(DRAFT, text);
  } catch {
    // Where the browser keeps nothing (or no more), it is as it was.
  }
}

// The text that was not run before the reload, or null.
export function keptDraft() {
  try {
    return sessionStorage.getItem(DRAFT);
  } catch {
    return null;
  }
}

// The worker of this name that was started before the page: { worker, messages, errors }; the first to ask has it.
export function earlyWorker(name) {
  const early = globalThis.tidegateWorkers?.get(name);
  globalThis.tidegateWorkers?.delete(name);
  return early;
}

// Loads the editor and puts it into `parent`.
export async function createEditor(address, parent, options) {
  const { create } = await import(new URL(address, document.baseURI).href);
  return create(parent, options);
}

// Has the browser keep texts as a file.
export function download(name, type, parts) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// The text of the first file of a drop, or the text that was dropped.
export async function droppedText(event) {
  const file = event.dataTransfer?.files?.[0];
  return file ? textOf(file) : (event.dataTransfer?.getData("text/plain") ?? "");
}

// A file's text; an error where it is none, or is in an encoding of old.
async function textOf(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error(`${file.name} is not a text in UTF-8, so nothing of it was sent. Save it as UTF-8 first.`);
  }
}

// The text of the file chosen in an input, which is then free for the same file again.
export async function chosenText(event) {
  const input = event.target;
  const file = input.files?.[0];
  input.value = "";
  return file ? textOf(file) : "";
}

// The text that was pasted.
export function pastedText(event) {
  return event.clipboardData?.getData("text/plain") ?? "";
}
