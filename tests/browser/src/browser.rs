//! A headless Chromium with a fresh profile, and what a person does with it.

use crate::driver::{Driver, Refusal};
use crate::{Hands, PATIENCE};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How the browser starts.
#[derive(Clone, Debug)]
pub struct Options {
    /// Width of the view in CSS pixels.
    pub width: u32,
    /// Height of the view in CSS pixels.
    pub height: u32,
    /// Whether the system prefers dark colours.
    pub dark: bool,
    /// Whether the system prefers reduced motion.
    pub reduced_motion: bool,
    /// Whether the browser refuses to keep anything for sites: no cookies, no storage, no IndexedDB.
    pub deny_storage: bool,
    /// Whether there are scroll bars to drag.
    pub scroll_bars: bool,
    /// What the person has for getting about.
    pub hands: Hands,
    /// Keeps the profile in this folder, for a browser that is started again; without it, it is fresh and goes.
    pub profile: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            width: 1280,
            height: 800,
            dark: false,
            reduced_motion: false,
            deny_storage: false,
            scroll_bars: false,
            hands: Hands::default(),
            profile: None,
        }
    }
}

/// A message of the browser's console.
#[derive(Clone, Debug)]
pub struct ConsoleEntry {
    /// `SEVERE`, `WARNING`, `INFO` or `DEBUG`.
    pub level: String,
    /// The text, with the place it came from before it.
    pub text: String,
}

/// A running Chromium. It ends when it is dropped; if the test is failing then, it leaves a picture behind.
pub struct Browser {
    driver: Driver,
    hands: Hands,
    console: RefCell<Vec<ConsoleEntry>>,
    /// Where the profile lies, if it is ours to remove.
    fresh_profile: Option<PathBuf>,
}

/// An element of the page. One that was found may be gone a moment later: prefer the methods of [`Browser`] that
/// take a selector and try again.
#[derive(Clone, Debug)]
pub struct Element(String);

const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
static STARTED: AtomicU32 = AtomicU32::new(0);

impl Browser {
    /// Starts Chromium; `CHROMIUM` and `CHROMEDRIVER` name the programs, if they are not on PATH.
    pub fn start(options: &Options) -> Browser {
        let (profile, fresh_profile) = match &options.profile {
            Some(folder) => (folder.clone(), None),
            None => {
                let number = STARTED.fetch_add(1, Ordering::Relaxed);
                let folder = std::env::temp_dir().join(format!("tidegate-profile-{}-{number}", std::process::id()));
                let _ = std::fs::remove_dir_all(&folder);
                (folder.clone(), Some(folder))
            }
        };
        let mut args: Vec<String> = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-default-apps",
            "--disable-sync",
            "--force-device-scale-factor=1",
        ]
        .map(str::to_owned)
        .to_vec();
        args.push(format!("--user-data-dir={}", profile.display()));
        args.push(format!("--window-size={},{}", options.width, options.height));
        if !options.scroll_bars {
            args.push("--hide-scrollbars".to_owned());
        }
        let mut chrome = json!({ "args": args });
        if options.deny_storage {
            chrome["prefs"] = json!({ "profile.default_content_setting_values.cookies": 2 });
        }
        if let Some(program) = std::env::var_os("CHROMIUM") {
            chrome["binary"] = json!(program.to_string_lossy());
        }
        let capabilities = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": chrome,
            "goog:loggingPrefs": { "browser": "ALL" },
            "timeouts": { "script": 120_000, "pageLoad": 60_000, "implicit": 0 },
        }}});
        let driver = Driver::start(&capabilities);
        let browser = Browser { driver, hands: options.hands, console: RefCell::default(), fresh_profile };
        browser.cdp(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": options.width, "height": options.height, "deviceScaleFactor": 1, "mobile": false }),
        );
        let scheme = if options.dark { "dark" } else { "light" };
        let motion = if options.reduced_motion { "reduce" } else { "no-preference" };
        browser.cdp(
            "Emulation.setEmulatedMedia",
            json!({ "features": [
                { "name": "prefers-color-scheme", "value": scheme },
                { "name": "prefers-reduced-motion", "value": motion },
            ]}),
        );
        browser
    }

    /// What the person has for getting about.
    pub fn hands(&self) -> Hands {
        self.hands
    }

    /// Opens an address and waits for the page's load event.
    pub fn goto(&self, url: &str) {
        self.done("open the page", self.driver.post("/url", &json!({ "url": url })));
    }

    /// Loads the page again, as F5 does.
    pub fn reload(&self) {
        self.done("reload", self.driver.post("/refresh", &json!({})));
    }

    /// The address that the page has now.
    pub fn address(&self) -> String {
        self.done("ask for the address", self.driver.get("/url")).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the page has such an element, and returns the first.
    pub fn find(&self, selector: &str) -> Element {
        self.wait_for(&format!("an element {selector}"), || self.find_all(selector).into_iter().next())
    }

    /// The elements that there are now, none included.
    pub fn find_all(&self, selector: &str) -> Vec<Element> {
        let body = json!({ "using": "css selector", "value": selector });
        let found = self.done(&format!("look for {selector}"), self.driver.post("/elements", &body));
        let elements = found.as_array().into_iter().flatten();
        elements.filter_map(|element| element[ELEMENT].as_str().map(|id| Element(id.to_owned()))).collect()
    }

    /// Clicks the first such element, as soon as it is there and nothing covers it; without a pointer, goes to it and
    /// presses it.
    pub fn click(&self, selector: &str) {
        self.press_on(&format!("click {selector}"), || self.find(selector));
    }

    /// Clicks the first element of the selector whose text contains the given one.
    pub fn click_text(&self, selector: &str, text: &str) {
        self.press_on(&format!("click {selector} with the text {text:?}"), || self.find_text(selector, text));
    }

    fn press_on(&self, what: &str, find: impl Fn() -> Element) {
        if self.without_pointer() {
            self.wait_for(what, || self.reach(what, &find()).then_some(()));
            self.press_focused();
            return;
        }
        self.retried(what, || self.driver.post(&format!("/element/{}/click", find().0), &json!({})));
    }

    /// Moves the focus to the first such element as the person can: by Tab where there is no pointer.
    pub fn focus(&self, selector: &str) {
        if self.without_pointer() {
            self.wait_for(selector, || self.reach(selector, &self.find(selector)).then_some(()));
        } else {
            self.find(selector);
            self.script("document.querySelector(arguments[0]).focus();", &[json!(selector)]);
        }
    }

    /// Waits for the first element of the selector whose text contains the given one.
    pub fn find_text(&self, selector: &str, text: &str) -> Element {
        self.wait_for(&format!("{selector} with the text {text:?}"), || {
            let elements = self.find_all(selector);
            elements.into_iter().find(|element| self.text_of(element).is_some_and(|is| is.contains(text)))
        })
    }

    /// Types into the first such element, key by key.
    pub fn type_into(&self, selector: &str, text: &str) {
        if self.without_pointer() {
            self.focus(selector);
            self.press_text(text);
            return;
        }
        self.retried(&format!("type into {selector}"), || {
            let element = self.find(selector);
            self.driver.post(&format!("/element/{}/value", element.0), &json!({ "text": text }))
        });
    }

    /// Selects what is in a field, and types over it.
    pub fn fill(&self, selector: &str, text: &str) {
        self.focus(selector);
        if self.without_pointer() {
            self.press(&["\u{e009}a"]);
        } else {
            self.script("document.querySelector(arguments[0]).select();", &[json!(selector)]);
        }
        // Nothing typed over it would leave it as it is: Backspace.
        self.type_into(selector, if text.is_empty() { "\u{e003}" } else { text });
    }

    /// Presses keys, one after the other, wherever the focus is. A key is a character or one of WebDriver's code
    /// points (`\u{e007}` Enter, `\u{e004}` Tab, `\u{e00c}` Escape); several in one string are held together:
    /// `"\u{e009}a"` is Control and A.
    pub fn press(&self, keys: &[&str]) {
        let mut actions = Vec::new();
        for chord in keys {
            let down = chord.chars().map(|key| json!({ "type": "keyDown", "value": key.to_string() }));
            let up = chord.chars().rev().map(|key| json!({ "type": "keyUp", "value": key.to_string() }));
            actions.extend(down.chain(up));
        }
        let body = json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": actions }] });
        self.done("press keys", self.driver.post("/actions", &body));
    }

    /// Turns the wheel over an element by so many px.
    pub fn wheel(&self, selector: &str, pixels: i32) {
        let origin = json!({ ELEMENT: self.find(selector).0 });
        let turn = json!({ "type": "scroll", "x": 0, "y": 0, "deltaX": 0, "deltaY": pixels, "origin": origin });
        let body = json!({ "actions": [{ "type": "wheel", "id": "wheel", "actions": [turn] }] });
        self.done("turn the wheel", self.driver.post("/actions", &body));
    }

    /// What axe-core finds wrong with the page as it is now: rule, and the first element that breaks it.
    ///
    /// # Panics
    /// If axe-core is not there; `cargo xtask test` installs it.
    pub fn axe(&self) -> Vec<String> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("node_modules/axe-core/axe.min.js");
        let axe = std::fs::read_to_string(&file).expect("axe-core: `npm ci` in tests/browser, or `cargo xtask test`");
        self.script(&axe, &[]);
        let found = self.script(
            "return axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations.map((rule) =>
               `${rule.id}: ${rule.nodes.map((node) => `${node.target} ${node.any.map((check) => check.message)}`).slice(0, 3).join('; ')}`));",
            &[],
        );
        found.as_array().into_iter().flatten().filter_map(|one| one.as_str().map(str::to_owned)).collect()
    }

    /// The visible text of the first such element, as soon as it is there.
    pub fn text(&self, selector: &str) -> String {
        self.wait_for(&format!("the text of {selector}"), || self.text_of(&self.find(selector)))
    }

    /// The visible text of an element, unless it is gone.
    pub fn text_of(&self, element: &Element) -> Option<String> {
        let answer = self.driver.get(&format!("/element/{}/text", element.0)).ok()?;
        answer.as_str().map(str::to_owned)
    }

    /// The visible texts of all such elements that there are now.
    pub fn texts(&self, selector: &str) -> Vec<String> {
        self.find_all(selector).iter().filter_map(|element| self.text_of(element)).collect()
    }

    /// An attribute of the first such element.
    pub fn attribute(&self, selector: &str, name: &str) -> Option<String> {
        let element = self.find(selector);
        let answer = self.driver.get(&format!("/element/{}/attribute/{name}", element.0));
        answer.ok()?.as_str().map(str::to_owned)
    }

    /// Waits until the text of the first such element contains the given one.
    pub fn wait_for_text(&self, selector: &str, text: &str) {
        let mut last = String::new();
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            last = self.text(selector);
            if last.contains(text) {
                return;
            }
            pause();
        }
        panic!("{selector} never had the text {text:?}; the last it had was {last:?}");
    }

    /// Waits until the probe has something, and returns it.
    ///
    /// # Panics
    /// If it has nothing while [`PATIENCE`] lasts.
    pub fn wait_for<T>(&self, what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = probe() {
                return found;
            }
            assert!(Instant::now() < deadline, "waited {} s in vain for {what}", PATIENCE.as_secs());
            pause();
        }
    }

    /// Waits until an expression of JavaScript is truthy, and returns its value.
    pub fn wait_for_script(&self, expression: &str) -> Value {
        self.wait_for(&format!("`{expression}` in the page"), || {
            let value = self.script(&format!("return ({expression});"), &[]);
            let falsy = matches!(&value, Value::Null | Value::Bool(false)) || value == json!("") || value == json!(0);
            (!falsy).then_some(value)
        })
    }

    /// Runs JavaScript in the page: `arguments` are there, `return` gives the value, a promise is waited for.
    pub fn script(&self, script: &str, args: &[Value]) -> Value {
        self.done("run a script", self.driver.post("/execute/sync", &json!({ "script": script, "args": args })))
    }

    /// The same with an element before the other arguments; nothing if it is gone.
    pub(crate) fn script_on(&self, script: &str, element: &Element, args: &[Value]) -> Option<Value> {
        let args: Vec<Value> = std::iter::once(json!({ ELEMENT: element.0 })).chain(args.iter().cloned()).collect();
        match self.driver.post("/execute/sync", &json!({ "script": script, "args": args })) {
            Err(refusal) if refusal.code == "stale element reference" => None,
            answer => Some(self.done("run a script", answer)),
        }
    }

    /// Presses the pointer at one place of the view, moves it to another and lets go.
    pub fn drag(&self, from: (f64, f64), to: (f64, f64)) {
        let go = |(x, y): (f64, f64), duration: u32| json!({ "type": "pointerMove", "x": x.round(), "y": y.round(), "duration": duration });
        let actions = json!([go(from, 0), { "type": "pointerDown", "button": 0 }, go(to, 200), { "type": "pointerUp", "button": 0 }]);
        let pointer =
            json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions });
        self.done("drag", self.driver.post("/actions", &json!({ "actions": [pointer] })));
    }

    /// Chooses files in the first such input, as the browser's own dialogue does.
    pub fn choose_file(&self, selector: &str, file: &Path) {
        let element = self.find(selector);
        let body = json!({ "text": file.display().to_string() });
        self.done("choose a file", self.driver.post(&format!("/element/{}/value", element.0), &body));
    }

    /// A command of the DevTools protocol.
    #[allow(clippy::needless_pass_by_value)]
    pub fn cdp(&self, command: &str, params: Value) -> Value {
        let body = json!({ "cmd": command, "params": params });
        self.done(command, self.driver.post("/goog/cdp/execute", &body))
    }

    /// Saves a picture of the view as `target/screenshots/<name>.png`.
    pub fn screenshot(&self, name: &str) -> PathBuf {
        let data = self.done("take a picture", self.driver.get("/screenshot"));
        let bytes = base64(data.as_str().unwrap_or_default());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/screenshots");
        std::fs::create_dir_all(&folder).expect("a folder for pictures");
        let file = folder.join(format!("{name}.png"));
        std::fs::write(&file, bytes).expect("a picture can be written");
        file
    }

    /// All that the console has said since the browser started.
    pub fn console(&self) -> Vec<ConsoleEntry> {
        // The driver hands each entry out once.
        let new = self.done("read the console", self.driver.post("/se/log", &json!({ "type": "browser" })));
        let entries = new.as_array().into_iter().flatten().map(|entry| ConsoleEntry {
            level: entry["level"].as_str().unwrap_or_default().to_owned(),
            text: entry["message"].as_str().unwrap_or_default().to_owned(),
        });
        self.console.borrow_mut().extend(entries);
        self.console.borrow().clone()
    }

    /// The errors among what the console has said.
    pub fn errors(&self) -> Vec<ConsoleEntry> {
        self.console().into_iter().filter(|entry| entry.level == "SEVERE").collect()
    }

    /// Fails the test if the console has said an error.
    pub fn assert_no_errors(&self) {
        let errors = self.errors();
        let texts: Vec<&str> = errors.iter().map(|entry| entry.text.as_str()).collect();
        assert!(errors.is_empty(), "the console has errors:\n{}", texts.join("\n"));
    }

    /// The tab that is acted on.
    pub fn tab(&self) -> String {
        self.done("ask for the tab", self.driver.get("/window")).as_str().unwrap_or_default().to_owned()
    }

    /// All tabs.
    pub fn tabs(&self) -> Vec<String> {
        let tabs = self.done("ask for the tabs", self.driver.get("/window/handles"));
        tabs.as_array().into_iter().flatten().filter_map(|tab| tab.as_str().map(str::to_owned)).collect()
    }

    /// Opens an empty tab and acts on it from now on. Sizes and media of the first tab are not its own.
    pub fn new_tab(&self) -> String {
        let made = self.done("open a tab", self.driver.post("/window/new", &json!({ "type": "tab" })));
        let tab = made["handle"].as_str().unwrap_or_default().to_owned();
        self.switch_to(&tab);
        tab
    }

    /// Acts on another tab from now on.
    pub fn switch_to(&self, tab: &str) {
        self.done("change to a tab", self.driver.post("/window", &json!({ "handle": tab })));
    }

    /// Closes the tab that is acted on; call [`Browser::switch_to`] next.
    pub fn close_tab(&self) {
        self.done("close the tab", self.driver.delete("/window"));
    }

    /// Acts inside the first such `iframe`, or, without a selector, in the page again.
    pub fn frame(&self, selector: Option<&str>) {
        let id = match selector {
            Some(selector) => json!({ ELEMENT: self.find(selector).0 }),
            None => Value::Null,
        };
        self.done("enter a frame", self.driver.post("/frame", &json!({ "id": id })));
    }

    /// Tries again while an element is not there yet, covered, or just being replaced.
    fn retried(&self, what: &str, mut act: impl FnMut() -> Result<Value, Refusal>) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let refusal = match act() {
                Ok(value) => return value,
                Err(refusal) => refusal,
            };
            let passing = [
                "stale element reference",
                "element click intercepted",
                "element not interactable",
                "invalid element state",
                "no such element",
            ];
            let again = passing.contains(&refusal.code.as_str()) && Instant::now() < deadline;
            assert!(again, "could not {what}: {} ({})", refusal.message, refusal.code);
            pause();
        }
    }

    fn done(&self, what: &str, answer: Result<Value, Refusal>) -> Value {
        answer.unwrap_or_else(|refusal| panic!("could not {what}: {} ({})", refusal.message, refusal.code))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let test = std::thread::current().name().unwrap_or("test").replace("::", "-");
            let url = self.driver.get("/url").ok();
            if self.driver.get("/screenshot").is_ok() {
                let picture = self.screenshot(&format!("failed-{test}"));
                eprintln!("a picture of {} is in {}", url.unwrap_or_default(), picture.display());
            }
            if let Ok(log) = self.driver.post("/se/log", &json!({ "type": "browser" })) {
                let old = self.console.borrow().iter().map(|e| format!("{} {}", e.level, e.text)).collect::<Vec<_>>();
                let new = log.as_array().cloned().unwrap_or_default();
                let new = new.iter().map(|entry| format!("{} {}", entry["level"], entry["message"]));
                old.into_iter().chain(new).for_each(|line| eprintln!("console: {line}"));
            }
        }
        if let Some(folder) = &self.fresh_profile {
            // Chromium may still be writing; what is left goes with the system's temporary files.
            let _ = self.driver.delete("");
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// Between two looks at the page.
fn pause() {
    std::thread::sleep(Duration::from_millis(30));
}

fn base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for six in text.bytes().filter_map(value) {
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
