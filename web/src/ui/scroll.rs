//! A list of any length: only the rows in view exist, and the scroll bar stays within what browsers allow.

use wasm_bindgen::JsCast;
use yew::prelude::*;

/// Height of a row in px.
const ROW: f64 = 24.0;
/// The tallest spacer; browsers cap an element's height somewhat above.
const TALLEST: f64 = 4_000_000.0;
/// Most rows asked for at once.
const MOST: u64 = 80;

/// The rows that should be in the next frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The first; `None` when the list follows its end.
    pub from: Option<u64>,
    /// How many.
    pub limit: u32,
}

/// Properties of [`ScrollRows`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// How many rows there are.
    pub total: u64,
    /// Number of the first row in `rows`.
    pub from: u64,
    /// The rows at hand.
    pub rows: Vec<Html>,
    /// Whether a list scrolled to its end stays there.
    #[prop_or(false)]
    pub follow: bool,
    /// Called when other rows come into view.
    pub wants: Callback<Window>,
    /// What it is, for those who cannot see it.
    pub label: AttrValue,
    /// What to say when there is no row.
    pub empty: AttrValue,
}

/// A scrolled list of rows of equal height.
#[component(ScrollRows)]
pub fn scroll_rows(props: &Props) -> Html {
    let node = use_node_ref();
    let following = use_mut_ref(|| true);
    let view = use_state(|| (0.0f64, 240.0f64));
    let height = (props.total as f64 * ROW).min(TALLEST);
    let stretch = stretch(props.total, height, view.1);

    let onscroll = {
        let (node, view, following, wants) = (node.clone(), view.clone(), following.clone(), props.wants.clone());
        let (total, follow) = (props.total, props.follow);
        Callback::from(move |_: Event| {
            let Some(element) = node.cast::<web_sys::Element>() else {
                return;
            };
            let (top, shown) = (f64::from(element.scroll_top()), f64::from(element.client_height()));
            let at_end = top + shown >= f64::from(element.scroll_height()) - 2.0;
            *following.borrow_mut() = follow && at_end;
            view.set((top, shown));
            wants.emit(window(total, follow && at_end, top, shown, height));
        })
    };
    // New rows: stay at the end if it was there.
    {
        let (node, following, view, wants, follow) =
            (node.clone(), following.clone(), view.clone(), props.wants.clone(), props.follow);
        use_effect_with(props.total, move |&total| {
            if let Some(element) = node.cast::<web_sys::Element>() {
                let shown = f64::from(element.client_height());
                if follow && *following.borrow() {
                    element.set_scroll_top(element.scroll_height());
                }
                let top = f64::from(element.scroll_top());
                if (top, shown) != *view {
                    view.set((top, shown));
                }
                wants.emit(window(total, follow && *following.borrow(), top, shown, height));
            }
        });
    }
    let onkeydown = {
        let (node, total) = (node.clone(), props.total);
        Callback::from(move |event: KeyboardEvent| {
            let Some(element) = node.cast::<web_sys::HtmlElement>() else {
                return;
            };
            let page = (f64::from(element.client_height()) / stretch) as i32;
            let step = ((ROW / stretch).ceil() as i32).max(1);
            let top = match event.key().as_str() {
                "Home" => 0,
                "End" => element.scroll_height(),
                "PageUp" => element.scroll_top() - page,
                "PageDown" => element.scroll_top() + page,
                "ArrowUp" => element.scroll_top() - step,
                "ArrowDown" => element.scroll_top() + step,
                _ => return,
            };
            if total > 0 {
                event.prevent_default();
                element.unchecked_ref::<web_sys::Element>().set_scroll_top(top);
            }
        })
    };
    // The rows at hand lie where they belong relative to what is in view.
    let first_in_view = view.0 * stretch / ROW;
    let offset = view.0 + (props.from as f64 - first_in_view) * ROW;
    html! {
        <div class="rows" ref={node} tabindex="0" role="list" aria-label={props.label.clone()} {onscroll} {onkeydown}>
            if props.total == 0 {
                <p class="empty">{&props.empty}</p>
            } else {
                <div class="tall" style={format!("height:{height}px")}>
                    <div class="held" style={format!("transform:translateY({:.1}px)", offset.max(0.0))}>{ for props.rows.iter().cloned() }</div>
                </div>
            }
        </div>
    }
}

/// Rows' height in all over the scroll bar's height: 1 while the list fits below the cap.
fn stretch(total: u64, height: f64, shown: f64) -> f64 {
    let real = total as f64 * ROW;
    if real <= height { 1.0 } else { (real - shown) / (height - shown).max(1.0) }
}

fn window(total: u64, at_end: bool, top: f64, shown: f64, height: f64) -> Window {
    let limit = ((shown / ROW).ceil() as u64 + 4).min(MOST);
    if at_end {
        return Window { from: None, limit: limit as u32 };
    }
    let first = (top * stretch(total, height, shown) / ROW).floor() as u64;
    Window { from: Some(first.saturating_sub(2)), limit: limit as u32 }
}
