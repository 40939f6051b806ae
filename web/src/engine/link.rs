//! Starts, greets, terminates and replaces the workers, and matches answers to commands.
//!
//! The store's worker lives as long as the page. The engine's worker may be terminated at any moment (a crash); the next one gets a
//! new port to the same store and resumes from what lies there.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use tidegate_protocol::{Answer, Command, FromEngine, FromStore, Storage, ToEngine, ToStore, UP};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageChannel, MessageEvent, Worker, WorkerOptions, WorkerType};
use yew::Callback;

use super::codec::{decode, encode};
use super::script::{claim_workspace, early_worker};

/// What the link tells the page.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkEvent {
    /// The engine is up; whether the workspace holds something to resume.
    Ready {
        /// There is a script to resume.
        resumable: bool,
    },
    /// Where things are kept, and why not in the browser's database.
    Storage {
        /// Whether it outlives the page.
        persistent: bool,
        /// Why not.
        reason: Option<String>,
    },
    /// The engine's worker died: code and message.
    Died(String, String),
    /// Page and workers are of different builds.
    OtherBuild,
}

type Then = Box<dyn FnOnce(Answer)>;
type Listener = Closure<dyn FnMut(MessageEvent)>;
type ErrorListener = Closure<dyn FnMut(ErrorEvent)>;

struct Running {
    worker: Worker,
    _message: Listener,
    _error: ErrorListener,
}

/// What is still on its way from a terminated worker finds nobody, instead of closures that are gone.
impl Drop for Running {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// The line to the workers.
pub struct Link {
    events: Callback<LinkEvent>,
    build: String,
    store: RefCell<Option<Running>>,
    engine: RefCell<Option<Running>>,
    /// Whether it is known where things are kept.
    stored: Cell<bool>,
    /// Whether the engine's program has been loaded.
    loaded: Cell<bool>,
    /// Whether the engine takes commands.
    up: Cell<bool>,
    starts: Cell<u32>,
    storage: RefCell<Storage>,
    next: Cell<u32>,
    waiting: RefCell<HashMap<u32, Then>>,
}

impl Link {
    /// Claims the workspace and starts both workers; what comes of it arrives as events.
    pub fn start(events: Callback<LinkEvent>) -> Rc<Link> {
        let link = Rc::new(Link {
            events,
            build: meta("tidegate-build").unwrap_or_default(),
            store: RefCell::default(),
            engine: RefCell::default(),
            stored: Cell::new(false),
            loaded: Cell::new(false),
            up: Cell::new(false),
            starts: Cell::new(0),
            storage: RefCell::new(Storage::Memory(String::new())),
            next: Cell::new(1),
            waiting: RefCell::default(),
        });
        // The larger program is on its way while the store opens.
        link.start_engine();
        let starting = link.clone();
        wasm_bindgen_futures::spawn_local(async move {
            if crate::embed::is_embedded() {
                return starting.open_store(None, None, Some("a frame of another page keeps nothing".to_owned()));
            }
            let claimed = claim_workspace().await;
            let text = |name: &str| field(&claimed, name).as_string();
            match text("id") {
                Some(id) => starting.open_store(Some(id), text("forkOf"), None),
                None => starting.open_store(None, None, text("error")),
            }
        });
        link
    }

    /// A line to nobody.
    #[cfg(feature = "parts")]
    pub fn idle() -> Rc<Link> {
        Rc::new(Link {
            events: Callback::noop(),
            build: String::new(),
            store: RefCell::default(),
            engine: RefCell::default(),
            stored: Cell::new(false),
            loaded: Cell::new(false),
            up: Cell::new(false),
            starts: Cell::new(0),
            storage: RefCell::new(Storage::Memory(String::new())),
            next: Cell::new(1),
            waiting: RefCell::default(),
        })
    }

    /// Sends a command; `then` is called with the answer, or never if the engine dies first.
    pub fn send(&self, command: Command, then: impl FnOnce(Answer) + 'static) {
        if !self.up.get() {
            return;
        }
        let id = self.next.get();
        self.next.set(id.wrapping_add(1).max(1));
        self.waiting.borrow_mut().insert(id, Box::new(then));
        self.post(&ToEngine { id, command }, &JsValue::UNDEFINED);
    }

    /// Terminates the engine's worker for real and starts another.
    pub fn crash_worker(self: &Rc<Self>) {
        self.stop_engine();
        self.start_engine();
    }

    /// Terminates the engine's worker and leaves it so.
    pub fn stop_engine(&self) {
        self.loaded.set(false);
        self.up.set(false);
        self.waiting.borrow_mut().clear();
        let running = self.engine.borrow_mut().take();
        drop(running);
    }

    fn post(&self, message: &ToEngine, transfer: &JsValue) {
        let value = match encode(message) {
            Ok(value) => value,
            Err(error) => {
                return self.died("TG9001", &format!("A message could not be written: {error}"));
            }
        };
        if let Some(running) = &*self.engine.borrow() {
            let sent = if transfer.is_undefined() {
                running.worker.post_message(&value)
            } else {
                running.worker.post_message_with_transfer(&value, transfer)
            };
            if sent.is_err() {
                self.died("TG9001", "A message could not be sent to the engine's worker.");
            }
        }
    }

    fn died(&self, code: &str, message: &str) {
        self.stop_engine();
        self.events.emit(LinkEvent::Died(code.to_owned(), message.to_owned()));
    }

    fn open_store(self: &Rc<Self>, workspace: Option<String>, fork_of: Option<String>, reason: Option<String>) {
        if let Some(id) = &workspace {
            *self.storage.borrow_mut() = Storage::Workspace(id.clone());
        }
        let link = self.clone();
        let delay_ms = query("store-delay").and_then(|text| text.parse().ok()).unwrap_or(0);
        let open = ToStore::Open { build: self.build.clone(), workspace, fork_of, delay_ms };
        let mut open = Some((open, reason));
        let on_message = move |event: MessageEvent| {
            if event.data().as_string().as_deref() == Some(UP) {
                if let Some((open, _)) = &open
                    && let (Ok(value), Some(running)) = (encode(open), &*link.store.borrow())
                {
                    let _ = running.worker.post_message(&value);
                }
                return;
            }
            match decode::<FromStore>(event.data()) {
                Ok(FromStore::Opened { persistent, reason }) => {
                    let reason = open.take().and_then(|(_, earlier)| earlier).or(reason);
                    if !persistent {
                        *link.storage.borrow_mut() = Storage::Memory(reason.clone().unwrap_or_default());
                    }
                    link.events.emit(LinkEvent::Storage { persistent, reason });
                    link.stored.set(true);
                    link.greet();
                }
                Ok(FromStore::OtherBuild) => link.events.emit(LinkEvent::OtherBuild),
                Ok(FromStore::Degraded { reason }) => {
                    link.events.emit(LinkEvent::Storage { persistent: false, reason: Some(reason) });
                }
                Ok(FromStore::Cleared) | Err(_) => {}
            }
        };
        let events = self.events.clone();
        let started = start_worker("tidegate-store", on_message, move |message| {
            events.emit(LinkEvent::Died("TG9003".into(), format!("The store's worker failed: {message}")));
        });
        match started {
            Ok(running) => *self.store.borrow_mut() = Some(running),
            Err(message) => self.events.emit(LinkEvent::Died("TG9002".into(), message)),
        }
    }

    fn start_engine(self: &Rc<Self>) {
        let start = self.starts.get();
        self.starts.set(start + 1);
        let (link, failing) = (self.clone(), self.clone());
        let on_message = move |event: MessageEvent| {
            // A worker that was terminated may have left messages on the way.
            if link.starts.get() != start + 1 {
                return;
            }
            if event.data().as_string().as_deref() == Some(UP) {
                link.loaded.set(true);
                link.greet();
                return;
            }
            match decode::<FromEngine>(event.data()) {
                Ok(FromEngine { id, answer }) => {
                    let then = link.waiting.borrow_mut().remove(&id);
                    if let Some(then) = then {
                        then(answer);
                    }
                }
                Err(error) => link.died("TG9001", &format!("An answer of the engine could not be read: {error}")),
            }
        };
        let on_error = move |message: String| {
            if failing.starts.get() == start + 1 {
                let code = if message.contains("memory") { "TG9005" } else { "TG9004" };
                failing.died(code, &format!("The engine stopped: {message}"));
            }
        };
        match start_worker("tidegate-engine", on_message, on_error) {
            Ok(running) => *self.engine.borrow_mut() = Some(running),
            Err(message) => self.events.emit(LinkEvent::Died("TG9002".into(), message)),
        }
    }

    /// Once both are there, hands a fresh port to both workers and waits for the engine's word.
    fn greet(self: &Rc<Self>) {
        if !self.loaded.get() || !self.stored.get() || self.up.get() {
            return;
        }
        let Ok(channel) = MessageChannel::new() else {
            return self.died("TG9002", "The browser gave no message channel.");
        };
        if let (Ok(attach), Some(store)) = (encode(&ToStore::Attach), &*self.store.borrow()) {
            let _ = store.worker.post_message_with_transfer(&attach, &js_sys::Array::of1(&channel.port1()));
        }
        self.up.set(true);
        let link = self.clone();
        self.waiting.borrow_mut().insert(
            0,
            Box::new(move |answer| match answer {
                Answer::Ready { resumable } => link.events.emit(LinkEvent::Ready { resumable }),
                Answer::OtherBuild => link.events.emit(LinkEvent::OtherBuild),
                Answer::Failed { code, message } => link.died(&code, &message),
                _ => link.died("TG9001", "The engine gave an unexpected first answer."),
            }),
        );
        let memory_limit = query("memory-limit").and_then(|text| text.parse().ok());
        let hello = Command::Hello { build: self.build.clone(), storage: self.storage.borrow().clone(), memory_limit };
        self.post(&ToEngine { id: 0, command: hello }, &js_sys::Array::of1(&channel.port2()));
    }
}

fn start_worker(
    name: &str,
    on_message: impl FnMut(MessageEvent) + 'static,
    mut on_error: impl FnMut(String) + 'static,
) -> Result<Running, String> {
    let address = meta(name).ok_or_else(|| format!("The page does not say where its worker {name} lies."))?;
    let early = early_worker(name);
    let worker = match field(&early, "worker").dyn_into::<Worker>() {
        Ok(worker) => worker,
        Err(_) => {
            let options = WorkerOptions::new();
            options.set_type(WorkerType::Module);
            Worker::new_with_options(&address, &options)
                .map_err(|_| "This browser (or the frame that this page is in) starts no workers.".to_owned())?
        }
    };
    let message = Listener::new(on_message);
    worker.set_onmessage(Some(message.as_ref().unchecked_ref()));
    let error = ErrorListener::new(move |event: ErrorEvent| {
        event.prevent_default();
        let message = event.message();
        // The browser's own words before it differ, and help nobody.
        let plain = ["Uncaught ", "Error: ", "RuntimeError: "]
            .iter()
            .fold(&*message, |text, word| text.strip_prefix(word).unwrap_or(text));
        on_error(if plain.is_empty() { "its program could not be loaded".into() } else { plain.to_owned() });
    });
    worker.set_onerror(Some(error.as_ref().unchecked_ref()));
    for (kind, listener) in [("messages", message.as_ref()), ("errors", error.as_ref())] {
        let (events, listener) = (field(&early, kind), listener.unchecked_ref::<js_sys::Function>().clone());
        if let Ok(events) = events.dyn_into::<js_sys::Array>() {
            // Once the caller holds the worker, and before anything else that it says.
            wasm_bindgen_futures::spawn_local(async move {
                events.iter().for_each(|event| drop(listener.call1(&JsValue::NULL, &event)));
            });
        }
    }
    Ok(Running { worker, _message: message, _error: error })
}

/// A field of an object; undefined where there is none.
fn field(object: &JsValue, name: &str) -> JsValue {
    js_sys::Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

/// The content of `<meta name=..>`.
pub fn meta(name: &str) -> Option<String> {
    let element = web_sys::window()?.document()?.query_selector(&format!("meta[name={name}]")).ok()??;
    element.get_attribute("content")
}

/// A parameter of the page's address.
pub fn query(name: &str) -> Option<String> {
    let search = web_sys::window()?.location().search().ok()?;
    web_sys::UrlSearchParams::new_with_str(&search).ok()?.get(name)
}
