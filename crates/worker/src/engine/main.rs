//! The engine's worker: runs the jobs in short slices and answers the page.

mod bills;
mod compare;
mod costs;
mod desk;
mod drive;
mod faults;
mod files;
mod frame;
mod generate;
mod guarantees;
mod inputs;
mod journal;
mod mishaps;
mod outside;
mod past;
mod pieces;
mod port;
mod recover;
mod resume;
mod share;
mod workspace;

use std::rc::Rc;

use serde::Serialize;
use tidegate::bench::BenchOptions;
use tidegate::runtime::Effect;
use tidegate_protocol::{Answer, FromEngine, ToEngine, UP};
use tidegate_worker::host;
use tidegate_worker::wire::{Asked, decode, encode};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{MessageChannel, MessageEvent, MessagePort};

use desk::Desk;

fn main() {
    host::speak_on_panic();
    if let Some((options, checkpoints)) = bench_wanted() {
        return measure(options, checkpoints);
    }
    let desk = Desk::new();
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| hear(&desk, &event));
    host::scope().set_onmessage(Some(listener.as_ref().unchecked_ref()));
    listener.forget();
    host::post(&UP.into());
}

fn hear(desk: &Rc<Desk>, event: &MessageEvent) {
    let port = event.ports().get(0).dyn_into::<MessagePort>().ok();
    match decode::<ToEngine>(event.data()) {
        Ok(ToEngine { id, command }) => desk.clone().command(id, command, port),
        Err(error) => wasm_bindgen::throw_str(&format!("a message of the page could not be read: {error}")),
    }
}

/// Answers a command of the page.
fn answer(id: u32, answer: Answer) {
    match encode(&FromEngine { id, answer }) {
        Ok(message) => host::post(&message),
        Err(error) => wasm_bindgen::throw_str(&format!("an answer could not be written: {error}")),
    }
}

/// Whether this worker was started to measure: with `#bench` or `#bench-quick` at the end of its address, or `#bench-checkpoints` for what
/// checkpoints cost.
fn bench_wanted() -> Option<(BenchOptions, bool)> {
    let location = js_sys::Reflect::get(&js_sys::global(), &"location".into()).ok()?;
    let fragment = js_sys::Reflect::get(&location, &"hash".into()).ok()?.as_string()?;
    match fragment.as_str() {
        "#bench" => Some((BenchOptions::FULL, false)),
        "#bench-quick" => Some((BenchOptions::QUICK, false)),
        "#bench-checkpoints" => Some((BenchOptions::FULL, true)),
        "#bench-checkpoints-quick" => Some((BenchOptions::QUICK, true)),
        _ => None,
    }
}

/// Measures, posts the figures as JSON text, and answers nothing else.
fn measure(options: BenchOptions, checkpoints: bool) {
    // Nobody listens at the other end: what counts is how long it takes here to send.
    let line = MessageChannel::new().ok();
    let mut send = |effect: &Effect| {
        if let (Effect::Store { request, body }, Some(line)) = (effect, &line)
            && let Ok(message) = encode(&Asked { tag: *request, request: body.clone() })
        {
            let _ = line.port1().post_message(&message);
        }
    };
    let figures = match checkpoints {
        true => tidegate::bench::modes::checkpoints(options, &host::clock),
        false => tidegate::bench::bench(options, &host::clock, &mut send),
    };
    match figures {
        // The browser writes the numbers: a table for that would be part of every first visit.
        Ok(figures) => match figures.serialize(&serde_wasm_bindgen::Serializer::json_compatible()) {
            Ok(figures) => host::post(&js_sys::JSON::stringify(&figures).map_or(JsValue::NULL, JsValue::from)),
            Err(error) => wasm_bindgen::throw_str(&format!("the figures could not be written: {error}")),
        },
        Err(why) => wasm_bindgen::throw_str(&format!("the measurement failed: {why}")),
    }
}
