//! What a person does on this site: writes a query, sends rows, looks at the result, breaks things.

use std::ops::Deref;

use serde_json::{Value, json};

use crate::site::Builder;
use crate::{Browser, Options, Site};

/// Adds up the shifts of the layout that no input of the person explains.
const SHIFTS: &str = "
window.shifts = [];
new PerformanceObserver((list) => {
  for (const shift of list.getEntries()) {
    if (shift.hadRecentInput || shift.value <= 0.002) continue;
    const name = (node) => `${node?.nodeName}.${node?.className?.baseVal ?? node?.className}`;
    // A text that is edited moves.
    const moved = shift.sources.filter((one) => !(one.node?.closest ? one.node : one.node?.parentElement)?.closest('.cm-editor'));
    if (moved.length === 0) continue;
    const place = (box) => [box.x, box.y, box.width, box.height].map(Math.round).join(' ');
    const sources = moved.map((one) => `${name(one.node)} in ${one.node?.parentElement?.className} (${place(one.previousRect)} to ${place(one.currentRect)})`);
    window.shifts.push(`${shift.value.toFixed(4)} after ${Math.round(shift.startTime)} ms: ${sources}`);
  }
}).observe({ type: 'layout-shift', buffered: true });";

/// The page, open in a browser of its own.
pub struct Playground {
    browser: Browser,
    site: Site,
}

impl Deref for Playground {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        &self.browser
    }
}

impl Playground {
    /// Opens the built site and waits until something runs. `query` is the part of the address from `?` on.
    pub fn open(options: &Options, query: &str) -> Playground {
        let playground = Playground { browser: Browser::start(options), site: Site::built().serve() };
        playground.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": SHIFTS }));
        playground.goto(&playground.site.url(&format!("/{query}")));
        playground.wait_until_live();
        playground
    }

    /// The same with a script that is run in the page before the page's own.
    pub fn open_with_script(options: &Options, script: &str) -> Playground {
        Playground::open_site(Site::built(), options, script)
    }

    /// The same on another site than the built one.
    pub fn open_site(site: Builder, options: &Options, script: &str) -> Playground {
        let playground = Playground { browser: Browser::start(options), site: site.serve() };
        for source in [SHIFTS, script] {
            playground.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
        }
        playground.goto(&playground.site.url("/"));
        playground.wait_until_live();
        playground
    }

    /// The page's address.
    pub fn url(&self) -> String {
        self.site.url("/")
    }

    /// Fails the test if the console has said an error, or if something moved by itself since the page was loaded.
    pub fn assert_no_errors(&self) {
        self.browser.assert_no_errors();
        let shifts = self.script("return window.shifts ?? [];", &[]);
        assert!(shifts.as_array().is_some_and(Vec::is_empty), "the layout shifts: {shifts:#}");
    }

    /// Waits until the run's line tells of something.
    pub fn wait_for_event(&self, text: &str) {
        self.wait_for_script(&format!(
            "[...document.querySelectorAll('#go-to option')].some((one) => one.textContent.includes({text:?}))"
        ));
    }

    /// Waits until a script runs and the page shows it.
    pub fn wait_until_live(&self) {
        self.find("main[data-live=true] .editor[data-ready=true]");
    }

    /// Replaces the editor's text, as pasting does.
    pub fn write_query(&self, sql: &str) {
        self.click(".cm-content");
        self.press(&["\u{e009}a"]);
        self.script(
            "const data = new DataTransfer(); data.setData('text/plain', arguments[0]);
             document.querySelector('.cm-content').dispatchEvent(
               new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));",
            &[json!(sql)],
        );
        // That the text is another one is said at once.
        self.settled();
    }

    /// Replaces the editor's text and runs it.
    pub fn run_query(&self, sql: &str) {
        self.write_query(sql);
        self.wait_for_text("section[aria-label=Query] h2", "changed since it was run");
        self.click("#run");
        self.wait_for_text("section[aria-label=Query] h2", "continuous");
        self.wait_until_live();
        self.settled();
    }

    /// Another script has another picture, which is as it should be: from now on nothing moves by itself.
    pub fn settled(&self) {
        self.script(
            "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => { window.shifts = []; done(true); })));",
            &[],
        );
    }

    /// Chooses an example by its place in the list.
    pub fn run_example(&self, index: usize) {
        self.choose("#example", &index.to_string());
        self.wait_for_script(&format!("document.querySelector('#example').selectedIndex === {index}"));
        self.wait_until_live();
        self.settled();
    }

    /// Chooses an option of a `<select>` by its value.
    pub fn choose(&self, selector: &str, value: &str) {
        self.find(&format!("{selector}:enabled option[value=\"{value}\"]"));
        // A key that does nothing: whoever chooses has touched something.
        self.press(&["\u{e039}"]);
        if self.without_pointer() {
            self.focus(selector);
            self.choose_by_arrows(selector, value);
            return;
        }
        self.script(
            "const select = document.querySelector(arguments[0]); select.value = arguments[1];
             select.dispatchEvent(new Event('change', { bubbles: true }));",
            &[json!(selector), json!(value)],
        );
    }

    /// Types a row into the form of a table's partition and sends it; waits until it has arrived.
    pub fn send(&self, table: &str, split: u32, values: &[&str]) {
        let before = self.sent();
        self.send_off(table, split, values);
        self.wait_for("the row to arrive", || (self.sent() > before).then_some(()));
    }

    /// The same, whatever becomes of the row.
    pub fn send_off(&self, table: &str, split: u32, values: &[&str]) {
        for (column, value) in values.iter().enumerate() {
            self.fill(&format!("[id=\"{table}-{split}-{column}\"]"), value);
        }
        // Enter in the last field.
        self.type_into(&format!("[id=\"{table}-{split}-{}\"]", values.len() - 1), "\u{e007}");
    }

    /// The number of rows sent to all inputs, as the page says it.
    pub fn sent(&self) -> u64 {
        let text = self.text("#sent");
        text.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0)
    }

    /// The changelog rows in view: kind, then values (without the cause).
    pub fn changelog(&self) -> Vec<Vec<String>> {
        let rows = self.script(
            "return [...document.querySelectorAll('#changelog .rows .row')].map((row) =>
               [...row.children].slice(0, -1).map((cell) => cell.textContent));",
            &[],
        );
        strings(&rows)
    }

    /// The rows of the dynamic table in view.
    pub fn table(&self) -> Vec<Vec<String>> {
        self.cells("#dynamic-table .rows .row", ".cell")
    }

    /// Waits until the dynamic table has exactly these rows, in any order.
    pub fn wait_for_table(&self, wanted: &[&[&str]]) {
        self.wait_for(&format!("the table {wanted:?}"), || same(self.table(), wanted).then_some(()));
    }

    /// Opens a tab of the results.
    pub fn tab_of(&self, name: &str) {
        self.click(&format!("#tab-{name}"));
        self.find(&format!("#tab-{name}[aria-selected=true]"));
    }

    /// What a committed reader of the sink sees. The tab has to be open.
    pub fn committed(&self) -> Vec<Vec<String>> {
        self.cells("#committed tbody tr", "td")
    }

    /// Waits until a committed reader sees exactly these rows, in any order.
    pub fn wait_for_committed(&self, wanted: &[&[&str]]) {
        let mut last = Vec::new();
        let deadline = std::time::Instant::now() + crate::PATIENCE;
        while std::time::Instant::now() < deadline {
            last = self.committed();
            if same(last.clone(), wanted) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("a committed reader never saw {wanted:?}; last it saw {last:?}");
    }

    /// The number of completed checkpoints that the tab shows.
    pub fn completed(&self) -> u64 {
        let script = "return Number(document.querySelector('.checkpoint-count')?.textContent ?? 0);";
        self.script(script, &[]).as_u64().unwrap_or(0)
    }

    /// A checkpoint by hand, to its end; one that is refused because another runs is tried again.
    pub fn checkpoint(&self) {
        let before = self.completed();
        let mut asked = 0;
        self.wait_for("a completed checkpoint", || {
            if self.completed() > before {
                return Some(());
            }
            if asked % 40 == 0 {
                self.click("#checkpoint");
            }
            asked += 1;
            None
        });
    }

    /// Crashes what the menu's entry of this id says.
    pub fn crash(&self, what: &str) {
        self.click("#crash");
        self.click(&format!("#crash-{what}"));
    }

    /// Stands still, or plays.
    pub fn play(&self, play: bool) {
        let (shows, wanted) = if play { ("Play", "Pause") } else { ("Pause", "Play") };
        if self.attribute("#play", "aria-label").as_deref() == Some(shows) {
            self.click("#play");
        }
        self.find(&format!("#play[aria-label={wanted}]"));
    }

    /// Goes to a step of the run by the slider; to the end, if it is beyond that.
    pub fn travel(&self, step: u64) {
        if self.without_pointer() {
            const HOME: &str = "\u{e011}";
            const END: &str = "\u{e010}";
            const RIGHT: &str = "\u{e014}";
            self.focus("#travel");
            let end = self.script("return Number(document.querySelector('#travel').max);", &[]);
            if step >= end.as_u64().unwrap_or_default() {
                return self.press(&[END]);
            }
            self.press(&[HOME]);
            self.wait_for_text("#past", "Step 0 of");
            for at in 1..=step {
                self.press(&[RIGHT]);
                self.wait_for_text("#past", &format!("Step {at} of"));
            }
            return;
        }
        self.script(
            "const slider = document.querySelector('#travel'); slider.value = arguments[0];
             slider.dispatchEvent(new Event('change', { bubbles: true }));",
            &[json!(step)],
        );
    }

    /// Drops a file on a source; without a pointer, chooses it in the source's dialogue.
    pub fn give_file(&self, table: &str, name: &str, text: &str) {
        if self.without_pointer() {
            let folder = std::env::temp_dir().join(format!("tidegate-files-{}", std::process::id()));
            std::fs::create_dir_all(&folder).expect("a folder for files");
            let file = folder.join(name);
            std::fs::write(&file, text).expect("a file can be written");
            let selector = format!("#file-{table}");
            self.focus(&selector);
            return self.choose_file(&selector, &file);
        }
        self.script(
            "const data = new DataTransfer(); data.items.add(new File([arguments[2]], arguments[1]));
             const source = document.querySelector(`.source[data-table=${arguments[0]}]`);
             for (const type of ['dragover', 'drop']) {
               source.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
             }",
            &[json!(table), json!(name), json!(text)],
        );
    }

    fn cells(&self, rows: &str, cell: &str) -> Vec<Vec<String>> {
        let script = "return [...document.querySelectorAll(arguments[0])].map((row) =>
            [...row.querySelectorAll(arguments[1])].map((cell) => cell.textContent));";
        strings(&self.script(script, &[json!(rows), json!(cell)]))
    }
}

fn strings(rows: &Value) -> Vec<Vec<String>> {
    let texts = |row: &Value| {
        let cells = row.as_array().into_iter().flatten();
        cells.map(|cell| cell.as_str().unwrap_or_default().to_owned()).collect()
    };
    rows.as_array().into_iter().flatten().map(texts).collect()
}

fn same(mut rows: Vec<Vec<String>>, wanted: &[&[&str]]) -> bool {
    let mut wanted: Vec<Vec<String>> =
        wanted.iter().map(|row| row.iter().map(|text| (*text).to_owned()).collect()).collect();
    rows.sort();
    wanted.sort();
    rows == wanted
}
