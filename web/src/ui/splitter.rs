//! The lines between the regions, which can be dragged, or moved by the arrow keys.

use wasm_bindgen::JsCast;
use yew::prelude::*;

/// The share of the left column and of the upper row, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// Left.
    pub x: f64,
    /// Upper.
    pub y: f64,
}

impl Default for Split {
    fn default() -> Split {
        Split { x: 39.0, y: 50.0 }
    }
}

/// How far a line goes, and how far a key moves it, in percent.
const RANGE: (f64, f64) = (20.0, 80.0);
const STEP: f64 = 2.0;

/// Properties of [`Splitter`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Whether it lies between left and right.
    pub vertical: bool,
    /// Where the lines are.
    pub split: Split,
    /// They are moved.
    pub onsplit: Callback<Split>,
}

/// A line.
#[component(Splitter)]
pub fn splitter(props: &Props) -> Html {
    let (vertical, split) = (props.vertical, props.split);
    let value = if vertical { split.x } else { split.y };
    let put = {
        let onsplit = props.onsplit.clone();
        move |value: f64| {
            let value = value.clamp(RANGE.0, RANGE.1);
            onsplit.emit(if vertical { Split { x: value, ..split } } else { Split { y: value, ..split } });
        }
    };
    let onpointerdown = Callback::from(|event: PointerEvent| {
        if let Some(handle) = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()) {
            event.prevent_default();
            let _ = handle.set_pointer_capture(event.pointer_id());
        }
    });
    let onpointermove = {
        let put = put.clone();
        Callback::from(move |event: PointerEvent| {
            let handle = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
            let Some(handle) = handle.filter(|handle| handle.has_pointer_capture(event.pointer_id())) else { return };
            if let Some(main) = handle.parent_element().map(|main| main.get_bounding_client_rect()) {
                put(match vertical {
                    true => (f64::from(event.client_x()) - main.left()) * 100.0 / main.width().max(1.0),
                    false => (f64::from(event.client_y()) - main.top()) * 100.0 / main.height().max(1.0),
                });
            }
        })
    };
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        let step = match (vertical, event.key().as_str()) {
            (true, "ArrowLeft") | (false, "ArrowUp") => -STEP,
            (true, "ArrowRight") | (false, "ArrowDown") => STEP,
            _ => return,
        };
        event.prevent_default();
        put(value + step);
    });
    html! {
        <div class={classes!("splitter", if vertical { "across" } else { "down" })} role="separator" tabindex="0"
            aria-orientation={if vertical { "vertical" } else { "horizontal" }}
            aria-label={if vertical { "Between left and right" } else { "Between upper and lower" }}
            aria-valuemin="20" aria-valuemax="80" aria-valuenow={format!("{value:.0}")}
            {onpointerdown} {onpointermove} {onkeydown}></div>
    }
}
