//! Messages between page and workers keep every bit: 64-bit numbers, text of any kind, nothing at all.
#![cfg(target_arch = "wasm32")]

use tidegate_protocol::{Answer, Frame, FromEngine, JobSummary};
use tidegate_worker::wire::{decode, encode};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

fn round(frame: Frame) {
    let message = FromEngine { id: u32::MAX, answer: Answer::Frame(Box::new(frame)) };
    let value = encode(&message).expect("a message can be sent");
    assert_eq!(decode::<FromEngine>(value).expect("a message can be read"), message);
}

#[wasm_bindgen_test]
fn numbers_beyond_what_a_double_holds() {
    for now in [i64::MIN, i64::MIN + 1, -(1 << 53) - 1, -1, 0, (1 << 53) + 1, i64::MAX - 1, i64::MAX] {
        round(Frame { now, ..Frame::default() });
    }
    for step in [0, 1, (1 << 53) + 1, u64::MAX - 1, u64::MAX] {
        round(Frame { jobs: vec![JobSummary { step, ..JobSummary::default() }], ..Frame::default() });
    }
}

#[wasm_bindgen_test]
fn text_and_doubles() {
    for sentence in ["", "\0", "<b>&amp;</b>", "Füße, 潮門, 🌊", "\u{2028}\r\n\t"] {
        round(Frame { sentence: sentence.to_owned(), ..Frame::default() });
    }
    for speed in [0.0, 0.1, f64::MAX, f64::INFINITY] {
        round(Frame { speed, ..Frame::default() });
    }
}
