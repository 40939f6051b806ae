//! What a person does with the keyboard alone: goes by Tab to what is wanted, and presses it.

use serde_json::json;

use crate::browser::{Browser, Element};

/// What a person has for getting about the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hands {
    /// A pointer, and a keyboard for typing.
    Pointer,
    /// The keyboard alone.
    Keyboard,
}

impl Default for Hands {
    /// `TIDEGATE_HANDS=keyboard` does every journey without a pointer.
    fn default() -> Hands {
        match std::env::var("TIDEGATE_HANDS").as_deref() {
            Ok("keyboard") => Hands::Keyboard,
            _ => Hands::Pointer,
        }
    }
}

pub(crate) const TAB: &str = "\u{e004}";
const SHIFT_TAB: &str = "\u{e008}\u{e004}";
const ENTER: &str = "\u{e007}";
const SPACE: &str = " ";
const ESCAPE: &str = "\u{e00c}";
const UP: &str = "\u{e013}";
const DOWN: &str = "\u{e015}";

/// More stops than any page of ours has.
const STOPS: usize = 400;

impl Browser {
    /// Whether there is a keyboard only.
    pub fn without_pointer(&self) -> bool {
        self.hands() == Hands::Keyboard
    }

    /// Goes by Tab, or back by Shift and Tab, until the focus is on the element; leaves the editor by Escape.
    /// False if the element went away meanwhile.
    ///
    /// # Panics
    /// If Tab never comes to it.
    pub(crate) fn reach(&self, what: &str, element: &Element) -> bool {
        let mut seen = Vec::new();
        for _ in 0..STOPS {
            let way = self.script_on(
                "const wanted = arguments[0], at = document.activeElement;
                 if (!wanted.isConnected) return ['gone', ''];
                 if (wanted.matches(':disabled')) return ['disabled', ''];
                 const name = at.id || at.getAttribute('aria-label') || at.textContent.trim().slice(0, 20);
                 if (wanted === at || (at !== document.body && wanted.contains(at))) return ['there', name];
                 const way = wanted.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING ? 'back' : 'on';
                 return [at.closest('.cm-editor') ? `${way} from the editor` : way, name];",
                element,
                &[],
            );
            let Some(way) = way else { return false };
            let keys: &[&str] = match way[0].as_str().unwrap_or_default() {
                "there" => return true,
                "gone" | "disabled" => return false,
                "on from the editor" => &[ESCAPE, TAB],
                "back from the editor" => &[ESCAPE, SHIFT_TAB],
                "back" => &[SHIFT_TAB],
                _ => &[TAB],
            };
            seen.push(way[1].as_str().unwrap_or_default().to_owned());
            self.press(keys);
        }
        seen.truncate(60);
        panic!("Tab never came to {what}; first it came by {seen:?}");
    }

    /// Presses what has the focus, by the key for what it is.
    pub(crate) fn press_focused(&self) {
        let kind = self.script(
            "const at = document.activeElement;
             if (at.matches('input[type=checkbox], input[type=radio]')) return 'box';
             return at.matches('input, select, textarea, [contenteditable], [tabindex]:not(button):not([role=button])') ? 'field' : 'button';",
            &[],
        );
        match kind.as_str() {
            // It has the focus, which is what a click on it does.
            Some("field") => {}
            Some("box") => self.press(&[SPACE]),
            _ => self.press(&[ENTER]),
        }
    }

    /// Presses the keys of a text, one after the other.
    pub(crate) fn press_text(&self, text: &str) {
        let keys: Vec<String> = text.chars().map(String::from).collect();
        self.press(&keys.iter().map(String::as_str).collect::<Vec<_>>());
    }

    /// Chooses an option of the `<select>` that has the focus, by the arrow keys.
    pub(crate) fn choose_by_arrows(&self, selector: &str, value: &str) {
        self.wait_for(&format!("the arrow keys to come to {value} of {selector}"), || {
            let steps = self.script(
                "const select = document.querySelector(arguments[0]);
                 const offers = [...select.options].filter((one) => !one.disabled);
                 return offers.findIndex((one) => one.value === arguments[1]) - offers.indexOf(select.selectedOptions[0]);",
                &[json!(selector), json!(value)],
            );
            match steps.as_i64().unwrap_or_default() {
                0 => Some(()),
                steps => {
                    self.press(&[if steps > 0 { DOWN } else { UP }]);
                    None
                }
            }
        });
    }
}
