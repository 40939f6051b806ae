//! The store's worker: everything that outlives the engine, on IndexedDB, or in memory where that is denied.
//!
//! It serves the engine over a port, one request after the other, and outlives the engine's crash. A write counts when IndexedDB says
//! that the transaction is complete.

mod backend;
mod cleanup;
mod database;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use backend::Backend;
use tidegate::store::StoreResponse;
use tidegate_protocol::{FromStore, ToStore, UP};
use tidegate_worker::host;
use tidegate_worker::wire::{Answered, Asked, decode, encode};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, MessagePort};

/// When other workspaces are looked at, ms after the start.
const CLEANUP_AFTER: f64 = 3000.0;

/// The store's worker.
struct Server {
    backend: RefCell<Option<Backend>>,
    delay_ms: Cell<u32>,
    port: RefCell<Option<(MessagePort, Closure<dyn FnMut(MessageEvent)>)>>,
    /// Counts the ports: what an earlier engine asked is still carried out, but not answered to a later one.
    epoch: Cell<u32>,
    queue: RefCell<VecDeque<Waiting>>,
    busy: Cell<bool>,
}

/// A request in line.
struct Waiting {
    /// The port it came by.
    epoch: u32,
    /// When it came, ms of the worker's clock.
    at: f64,
    asked: Asked,
}

fn main() {
    host::speak_on_panic();
    let server = Rc::new(Server {
        backend: RefCell::default(),
        delay_ms: Cell::new(0),
        port: RefCell::default(),
        epoch: Cell::new(0),
        queue: RefCell::default(),
        busy: Cell::new(false),
    });
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| server.clone().page_says(&event));
    host::scope().set_onmessage(Some(listener.as_ref().unchecked_ref()));
    listener.forget();
    host::post(&UP.into());
}

impl Server {
    fn page_says(self: Rc<Self>, event: &MessageEvent) {
        let message = match decode::<ToStore>(event.data()) {
            Ok(message) => message,
            Err(error) => wasm_bindgen::throw_str(&format!("a message of the page could not be read: {error}")),
        };
        match message {
            ToStore::Open { build, .. } if build != host::build() => tell(&FromStore::OtherBuild),
            ToStore::Open { workspace, fork_of, delay_ms, .. } => {
                self.delay_ms.set(delay_ms);
                wasm_bindgen_futures::spawn_local(async move {
                    let (backend, reason) = Backend::open(workspace.as_deref(), fork_of.as_deref()).await;
                    let persistent = backend.is_persistent();
                    *self.backend.borrow_mut() = Some(backend);
                    tell(&FromStore::Opened { persistent, reason });
                    self.work();
                    if let (Some(workspace), true) = (workspace, persistent) {
                        // The first seconds belong to the page.
                        sleep_until(host::clock() + CLEANUP_AFTER).await;
                        cleanup::clean(&workspace).await;
                    }
                });
            }
            ToStore::Attach => {
                if let Ok(port) = event.ports().get(0).dyn_into::<MessagePort>() {
                    self.attach(port);
                }
            }
            ToStore::Delay { delay_ms } => self.delay_ms.set(delay_ms),
            ToStore::Clear => wasm_bindgen_futures::spawn_local(async move {
                let backend = self.backend.borrow_mut().take();
                if let Some(mut backend) = backend {
                    backend.clear().await;
                    *self.backend.borrow_mut() = Some(backend);
                }
                tell(&FromStore::Cleared);
                self.work();
            }),
        }
    }

    fn attach(self: Rc<Self>, port: MessagePort) {
        let epoch = self.epoch.get() + 1;
        self.epoch.set(epoch);
        let server = self.clone();
        let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            if let Ok(asked) = decode::<Vec<Asked>>(event.data()) {
                let at = host::clock();
                let waiting = asked.into_iter().map(|asked| Waiting { epoch, at, asked });
                server.queue.borrow_mut().extend(waiting);
                server.clone().work();
            }
        });
        port.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        *self.port.borrow_mut() = Some((port, listener));
    }

    /// Works off the queue, one request at a time.
    fn work(self: Rc<Self>) {
        if self.busy.get() || self.backend.borrow().is_none() {
            return;
        }
        self.busy.set(true);
        wasm_bindgen_futures::spawn_local(async move {
            loop {
                let Some(waiting) = self.queue.borrow_mut().pop_front() else {
                    break;
                };
                let backend = self.backend.borrow_mut().take();
                let Some(mut backend) = backend else {
                    self.queue.borrow_mut().push_front(waiting);
                    break;
                };
                let Waiting { epoch, at, asked } = waiting;
                let delay = f64::from(self.delay_ms.get());
                sleep_until(at + delay / 2.0).await;
                let was_persistent = backend.is_persistent();
                let (response, degraded) = backend.execute(asked.request).await;
                if let (true, Some(reason)) = (was_persistent, degraded) {
                    tell(&FromStore::Degraded { reason });
                }
                *self.backend.borrow_mut() = Some(backend);
                sleep_until(at + delay).await;
                self.answer(epoch, asked.tag, response);
            }
            self.busy.set(false);
        });
    }

    fn answer(&self, epoch: u32, tag: u64, response: StoreResponse) {
        if epoch != self.epoch.get() {
            return;
        }
        if let (Some((port, _)), Ok(message)) = (&*self.port.borrow(), encode(&Answered { tag, response })) {
            let _ = port.post_message(&message);
        }
    }
}

fn tell(message: &FromStore) {
    if let Ok(message) = encode(message) {
        host::post(&message);
    }
}

/// Waits, for storage that is slow on purpose.
async fn sleep_until(at: f64) {
    let ms = at - host::clock();
    if ms < 1.0 {
        return;
    }
    let promise = js_sys::Promise::new(&mut |done, _| {
        let _ = host::scope().set_timeout_with_callback_and_timeout_and_arguments_0(&done, ms as i32);
    });
    let _ = wasm_bindgen_futures::JsFuture::from(promise).await;
}
