//! A list of any length: only the rows in view exist, and any of them can be reached although browsers cap an element's height.
//!
//! Up to the cap the browser scrolls. Above it the scroll bar stands for the list at a smaller scale: dragging it jumps, while the wheel and
//! the keys move by rows, and the place of the list is a number of rows of its own.

use std::cell::Cell;
use std::rc::Rc;

use yew::prelude::*;

/// Height of a row in px.
pub const ROW: f64 = 24.0;
/// The tallest spacer; browsers cap an element's height somewhat above.
const TALLEST: f64 = 4_000_000.0;
/// Most rows asked for at once.
const MOST: u64 = 120;

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
    /// How many rows have gone at the beginning: what is in view stays there when they do.
    #[prop_or(0)]
    pub gone: u64,
    /// Place of the first row in `rows`.
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

/// Where the list stands.
#[derive(Default)]
struct Place {
    /// The first row in view, a fraction included.
    first: Cell<f64>,
    /// The rows that fit.
    fit: Cell<f64>,
    /// Whether it stays at its end.
    following: Cell<bool>,
    /// Whether somebody has taken it by the scroll bar, the wheel or a finger since it stays there. What else moves it is the browser, when
    /// the list grows, shrinks or is laid out anew under load: it goes back to its end then.
    by_hand: Cell<bool>,
    /// Where the scroll bar was put: an event that says so is no news.
    put: Cell<i32>,
    total: Cell<u64>,
    gone: Cell<u64>,
}

impl Place {
    fn height(&self) -> f64 {
        (self.total.get() as f64 * ROW).min(TALLEST)
    }

    /// Rows per px of the scroll bar.
    fn scale(&self) -> f64 {
        let (total, height, shown) = (self.total.get() as f64 * ROW, self.height(), self.fit.get() * ROW);
        if total <= height { 1.0 / ROW } else { (total - shown) / (height - shown).max(1.0) / ROW }
    }

    fn is_tall(&self) -> bool {
        self.total.get() as f64 * ROW > TALLEST
    }

    fn last(&self) -> f64 {
        (self.total.get() as f64 - self.fit.get()).max(0.0)
    }

    /// Moves to a row and takes the scroll bar with it.
    fn go(&self, first: f64, follow: bool, element: &web_sys::Element) {
        let first = first.clamp(0.0, self.last());
        self.first.set(first);
        self.stay(follow && first >= self.last() - 0.5);
        element.set_scroll_top(if first >= self.last() {
            element.scroll_height()
        } else {
            (first / self.scale()).round() as i32
        });
        self.put.set(element.scroll_top());
    }

    /// Whether it stays at its end from now on; then somebody has to take it away from there.
    fn stay(&self, following: bool) {
        self.following.set(following);
        if following {
            self.by_hand.set(false);
        }
    }

    fn window(&self) -> Window {
        let limit = ((self.fit.get().ceil() as u64 + 6).min(MOST)) as u32;
        match self.following.get() {
            true => Window { from: None, limit },
            false => Window { from: Some((self.first.get().floor() as u64).saturating_sub(2)), limit },
        }
    }
}

/// A scrolled list of rows of equal height.
#[component(ScrollRows)]
pub fn scroll_rows(props: &Props) -> Html {
    let node = use_node_ref();
    let size = super::use_size(&node);
    let place = use_memo((), |()| {
        let place = Place::default();
        place.following.set(true);
        place
    });
    let redraw = use_force_update();
    let follow = props.follow;
    place.total.set(props.total);

    let told = {
        let (place, wants, redraw) = (place.clone(), props.wants.clone(), redraw.clone());
        move || {
            wants.emit(place.window());
            redraw.force_update();
        }
    };
    let told = Rc::new(told);
    // New rows, or another size: stay at the end if it was there.
    {
        let (node, place, told) = (node.clone(), place.clone(), told.clone());
        use_effect_with((props.total, props.gone, size), move |&(_, gone, size)| {
            let Some(element) = node.cast::<web_sys::Element>() else { return };
            place.fit.set(size.1 / ROW);
            let shift = gone.saturating_sub(place.gone.replace(gone)) as f64;
            if follow && place.following.get() {
                place.go(f64::MAX, true, &element);
            } else if shift > 0.0 || place.first.get() > place.last() {
                place.go(place.first.get() - shift, follow, &element);
            }
            told();
        });
    }
    let onscroll = {
        let (node, place, told) = (node.clone(), place.clone(), told.clone());
        Callback::from(move |_: Event| {
            let Some(element) = node.cast::<web_sys::Element>() else { return };
            let top = element.scroll_top();
            if top == place.put.replace(top) {
                return;
            }
            if follow && place.following.get() && !place.by_hand.get() {
                return place.go(f64::MAX, follow, &element);
            }
            let at_end =
                f64::from(top) + f64::from(element.client_height()) >= f64::from(element.scroll_height()) - 2.0;
            place.first.set(if at_end { place.last() } else { (f64::from(top) * place.scale()).min(place.last()) });
            place.stay(follow && at_end);
            told();
        })
    };
    let go = {
        let (node, place, told) = (node.clone(), place.clone(), told.clone());
        move |first: f64| {
            if let Some(element) = node.cast::<web_sys::Element>() {
                place.go(first, follow, &element);
                told();
            }
        }
    };
    let taken = {
        let (node, place) = (node.clone(), place.clone());
        move |x: i32| {
            // The bar, and not a row.
            let bar = node.cast::<web_sys::Element>().is_some_and(|element| x >= element.client_width());
            place.by_hand.set(place.by_hand.get() || bar);
        }
    };
    let onpointerdown = Callback::from(move |event: PointerEvent| taken(event.offset_x()));
    let ontouchmove = {
        let place = place.clone();
        Callback::from(move |_: TouchEvent| place.by_hand.set(true))
    };
    let onwheel = {
        let (place, go) = (place.clone(), go.clone());
        Callback::from(move |event: WheelEvent| {
            // Down there is nowhere to go from the end.
            place.by_hand.set(place.by_hand.get() || event.delta_y() < 0.0);
            let rows = match event.delta_mode() {
                WheelEvent::DOM_DELTA_LINE => event.delta_y(),
                WheelEvent::DOM_DELTA_PAGE => event.delta_y() * place.fit.get(),
                _ => event.delta_y() / ROW,
            };
            let at_edge = if rows < 0.0 { place.first.get() <= 0.0 } else { place.first.get() >= place.last() };
            // Below the cap the browser does it; at an end, what is around it scrolls.
            if place.is_tall() && !at_edge {
                event.prevent_default();
                go(place.first.get() + rows);
            }
        })
    };
    let onkeydown = {
        let place = place.clone();
        Callback::from(move |event: KeyboardEvent| {
            let (first, page) = (place.first.get(), (place.fit.get() - 1.0).max(1.0));
            let first = match event.key().as_str() {
                "Home" => 0.0,
                "End" => f64::MAX,
                "PageUp" => first - page,
                "PageDown" => first + page,
                "ArrowUp" => first - 1.0,
                "ArrowDown" => first + 1.0,
                _ => return,
            };
            if event.target() == event.current_target() || place.total.get() > 0 {
                event.prevent_default();
                go(first);
            }
        })
    };
    let following = follow && place.following.get();
    let first = if following { place.last() } else { place.first.get() };
    let top = node.cast::<web_sys::Element>().map_or(0.0, |element| f64::from(element.scroll_top()));
    // The rows at hand lie where they belong relative to what is in view. At the end they stick to it, wherever the
    // scroll bar has come to: it follows an effect later, and under load much later.
    let offset = if following { 0.0 } else { top + (props.from as f64 - first) * ROW };
    html! {
        <div class="rows" ref={node} tabindex="0" role="region" aria-label={props.label.clone()} {onscroll} {onwheel} {onpointerdown} {ontouchmove} {onkeydown}
            data-total={props.total.to_string()} data-first={format!("{first:.0}")}>
            if props.total == 0 {
                <p class="empty">{&props.empty}</p>
            } else {
                <div class={classes!("tall", following.then_some("following"))} style={format!("height:{}px", place.height())}>
                    <div class="held" role="list" style={format!("transform:translateY({offset:.1}px)")}>{ for props.rows.iter().cloned() }</div>
                </div>
            }
        </div>
    }
}
