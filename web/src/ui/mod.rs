//! Small things that several parts of the page use.

mod choice;
mod expand;
mod more;
mod scroll;
mod size;
mod splitter;
mod tabs;
mod theme;

pub use choice::use_choice;
pub use expand::Expand;
pub use more::use_more;
pub use scroll::{ScrollRows, Window};
pub use size::use_size;
pub use splitter::{Split, Splitter};
pub use tabs::Tabs;
pub use theme::Theme;

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// The value of the `<select>` that an event comes from.
pub fn value_of_select(event: &Event) -> String {
    event
        .target()
        .and_then(|target| target.dyn_into::<HtmlSelectElement>().ok())
        .map_or_else(String::new, |select| select.value())
}

/// The value of the `<input>` that an event comes from.
pub fn value_of_input(event: &InputEvent) -> String {
    event
        .target()
        .and_then(|target| target.dyn_into::<HtmlInputElement>().ok())
        .map_or_else(String::new, |input| input.value())
}

/// Closes the popover of this id, once something in it was chosen.
pub fn hide_popover(id: &str) {
    let element =
        web_sys::window().and_then(|window| window.document()).and_then(|document| document.get_element_by_id(id));
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // It fails where it is not open, which is as well.
        let _ = element.hide_popover();
    }
}

/// What the keys for Run are called here.
pub fn run_keys() -> &'static str {
    if on_apple() { "⌘↵" } else { "Ctrl ↵" }
}

/// What the keys for Undo are called here.
pub fn undo_keys() -> &'static str {
    if on_apple() { "⌘Z" } else { "Ctrl+Z" }
}

fn on_apple() -> bool {
    let navigator = web_sys::window().and_then(|window| js_sys::Reflect::get(&window, &"navigator".into()).ok());
    let platform = navigator.and_then(|navigator| js_sys::Reflect::get(&navigator, &"platform".into()).ok());
    let name = platform.and_then(|platform| platform.as_string());
    name.is_some_and(|name| name.starts_with("Mac") || name.starts_with("iP"))
}

/// A value as text; NULL is set apart from the word.
pub fn cell(value: &Option<String>) -> Html {
    match value {
        Some(text) => html! { <span class="cell" title={text.clone()}>{text}</span> },
        None => html! { <span class="cell null">{"NULL"}</span> },
    }
}

/// A row kind, as word and colour.
pub fn kind(text: &str) -> Html {
    let (class, says) = match text {
        "+I" => ("insert", "insert: a row that was not there before"),
        "-U" => ("before", "update before: takes the old row of an update back"),
        "+U" => ("after", "update after: the new row of an update"),
        _ => ("delete", "delete: a row that is gone"),
    };
    html! { <span class={classes!("kind", class)} title={says}>{text}</span> }
}

/// A number of bytes for people.
pub fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}

/// `1 row`, `2 rows`.
pub fn rows(number: u64) -> String {
    format!("{} row{}", count(number), if number == 1 { "" } else { "s" })
}

/// A count with thin spaces between thousands.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A count in few characters: `1 234`, `12.3k`, `4.5M`.
pub fn short(number: u64) -> String {
    match number {
        0..10_000 => count(number),
        10_000..1_000_000 => format!("{:.1}k", (number / 100) as f64 / 10.0),
        _ => format!("{:.1}M", (number / 100_000) as f64 / 10.0),
    }
}
