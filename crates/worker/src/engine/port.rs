//! The line to the store's worker: requests out, answers in.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use tidegate::store::{StoreRequest, StoreResponse};
use tidegate_worker::wire::{Answered, Asked, decode, encode};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, MessagePort};

/// What is done with an answer.
pub type Then = Box<dyn FnOnce(StoreResponse)>;

/// The line to the store.
#[derive(Default)]
pub struct Port {
    port: RefCell<Option<(MessagePort, Closure<dyn FnMut(MessageEvent)>)>>,
    next: Cell<u64>,
    waiting: RefCell<BTreeMap<u64, Then>>,
}

impl Port {
    /// Uses this port from now on.
    pub fn open(self: &Rc<Self>, port: MessagePort) {
        let line = self.clone();
        let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            if let Ok(Answered { tag, response }) = decode::<Answered>(event.data()) {
                let then = line.waiting.borrow_mut().remove(&tag);
                if let Some(then) = then {
                    then(response);
                }
            }
        });
        port.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        *self.port.borrow_mut() = Some((port, listener));
    }

    /// Sends a request; `then` is called with the answer.
    pub fn send(&self, request: StoreRequest, then: impl FnOnce(StoreResponse) + 'static) {
        self.send_all(vec![(request, Box::new(then))]);
    }

    /// Sends requests on one way: all of them arrive, or none.
    pub fn send_all(&self, requests: Vec<(StoreRequest, Then)>) {
        if requests.is_empty() {
            return;
        }
        let mut asked = Vec::with_capacity(requests.len());
        for (request, then) in requests {
            let tag = self.next.get();
            self.next.set(tag + 1);
            self.waiting.borrow_mut().insert(tag, then);
            asked.push(Asked { tag, request });
        }
        let posted = match (&*self.port.borrow(), encode(&asked)) {
            (Some((port, _)), Ok(message)) => port.post_message(&message).is_ok(),
            _ => false,
        };
        if !posted {
            for Asked { tag, .. } in asked {
                let then = self.waiting.borrow_mut().remove(&tag);
                if let Some(then) = then {
                    then(StoreResponse::Failed {
                        message: "The store's worker cannot be reached.".into(),
                        uncertain: false,
                    });
                }
            }
        }
    }

    /// Sends a request and waits for the answer.
    pub fn ask(&self, request: StoreRequest) -> impl Future<Output = StoreResponse> + 'static {
        let slot = Rc::new(RefCell::new(Slot::default()));
        let filled = slot.clone();
        self.send(request, move |response| {
            let waker = {
                let mut slot = filled.borrow_mut();
                slot.response = Some(response);
                slot.waker.take()
            };
            if let Some(waker) = waker {
                waker.wake();
            }
        });
        Reply(slot)
    }
}

#[derive(Default)]
struct Slot {
    response: Option<StoreResponse>,
    waker: Option<Waker>,
}

struct Reply(Rc<RefCell<Slot>>);

impl Future for Reply {
    type Output = StoreResponse;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<StoreResponse> {
        let mut slot = self.0.borrow_mut();
        match slot.response.take() {
            Some(response) => Poll::Ready(response),
            None => {
                slot.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}
