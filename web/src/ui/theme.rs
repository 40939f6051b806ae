//! Light, dark, or as the system has it.

use yew::prelude::*;

const KEY: &str = "tidegate.theme";

/// The button that goes from one to the next.
#[component(Theme)]
pub fn theme() -> Html {
    let chosen = use_state(|| stored().unwrap_or_default());
    use_effect_with((*chosen).clone(), |chosen: &String| put(chosen));
    let next = match chosen.as_str() {
        "" => "dark",
        "dark" => "light",
        _ => "",
    };
    let name = |theme: &str| {
        if theme.is_empty() {
            "as the system"
        } else if theme == "dark" {
            "dark"
        } else {
            "light"
        }
    };
    let says = format!("Colours: {}. Next: {}", name(&chosen), name(next));
    let onclick = {
        let chosen = chosen.clone();
        Callback::from(move |_: MouseEvent| chosen.set(next.to_owned()))
    };
    html! {
        <button id="theme" class="quiet icon" aria-label={says.clone()} title={says} {onclick}>
            <svg width="15" height="15" viewBox="0 0 16 16" aria-hidden="true">
                <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="1.6" /><path d="M8 1.5a6.5 6.5 0 0 1 0 13z" fill="currentColor" />
            </svg>
        </button>
    }
}

/// The browser may keep nothing for the page: then the choice lasts as long as the page.
fn stored() -> Option<String> {
    let kept = web_sys::window()?.local_storage().ok()??.get_item(KEY).ok()??;
    ["dark", "light"].contains(&kept.as_str()).then_some(kept)
}

fn put(theme: &str) {
    let Some(window) = web_sys::window() else { return };
    let root = window.document().and_then(|document| document.document_element());
    // Without a choice, what the address or the frame around the page has said stays.
    match (root, theme) {
        (Some(root), "") if stored().is_some() => {
            let _ = root.remove_attribute("data-theme");
        }
        (Some(root), "dark" | "light") => {
            let _ = root.set_attribute("data-theme", theme);
        }
        _ => {}
    }
    if let Ok(Some(storage)) = window.local_storage() {
        let _ = if theme.is_empty() { storage.remove_item(KEY) } else { storage.set_item(KEY, theme) };
    }
}
