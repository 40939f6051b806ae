//! The menu: copy the link, or download the run; open one from a file; copy the code of a frame.

use tidegate_protocol::{Answer, Command};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::browser::{address_of, chosen_text, copy_text, download_text};
use super::open::open;
use crate::app::Desk;
use crate::state::{Action, Phase};
use crate::ui::{bytes, hide_popover, value_of_input, value_of_select};

/// The longest link on offer, in letters: longer ones get lost on their way through chats and mails.
const LONGEST: usize = 32 * 1024;

/// The button and its menu.
#[component(ShareMenu)]
pub fn share_menu() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let live = desk.page.phase == Phase::Live && desk.page.running.is_some();
    let run = use_state(|| None::<String>);
    let digest = use_state(|| None::<String>);
    let (theme, height) = (use_state(String::new), use_state(|| "420".to_owned()));
    let ask = {
        let (desk, run, digest) = (desk.clone(), run.clone(), digest.clone());
        Callback::from(move |_: MouseEvent| {
            let (run, page) = (run.clone(), desk.page.dispatcher());
            run.set(None);
            let digest = digest.setter();
            digest.set(None);
            desk.link.send(Command::Digest, move |answer| {
                if let Answer::Digest { digest: text } = answer {
                    digest.set(Some(text));
                }
            });
            desk.link.send(Command::Share, move |answer| match answer {
                Answer::Shared { text } => run.set(Some(text)),
                Answer::Failed { code, message } => {
                    hide_popover("share-menu");
                    page.dispatch(Action::Message(Some(format!("{code}: {message}"))));
                }
                _ => {}
            });
        })
    };
    let copy = |text: String, said: &'static str| {
        let page = desk.page.dispatcher();
        Callback::from(move |_: MouseEvent| {
            let (text, page) = (text.clone(), page.clone());
            wasm_bindgen_futures::spawn_local(async move {
                let copied = copy_text(&text).await.is_truthy();
                let refused = "The browser does not let this page copy; mark the text and copy it by hand.";
                page.dispatch(Action::Message(Some(if copied { said } else { refused }.to_owned())));
            });
        })
    };
    let onfile = {
        let desk = desk.clone();
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            let desk = desk.clone();
            hide_popover("share-menu");
            wasm_bindgen_futures::spawn_local(async move {
                if let Some(text) = chosen_text(&input).await.ok().and_then(|text| text.as_string())
                    && !text.is_empty()
                {
                    open(&desk, text);
                }
            });
        })
    };
    let address = run.as_ref().map(|run| address_of(run, ""));
    let short = address.as_ref().is_some_and(|address| address.len() <= LONGEST);
    let tab = format!("{:?}", desk.page.tab).to_lowercase();
    let code = |run: &str| {
        let (theme, height) = (&*theme, height.trim().parse::<u32>().unwrap_or(420).clamp(240, 4000));
        let theme = if theme.is_empty() { String::new() } else { format!("&amp;theme={theme}") };
        let source = address_of(run, &format!("?embed=1&amp;tab={tab}{theme}&amp;height={height}"));
        format!(
            "<iframe src=\"{source}\" title=\"Tidegate\" width=\"100%\" height=\"{height}\" loading=\"lazy\" style=\"border:0\"></iframe>"
        )
    };
    let ontheme = {
        let theme = theme.setter();
        Callback::from(move |event: Event| theme.set(value_of_select(&event)))
    };
    let onheight = {
        let height = height.setter();
        Callback::from(move |event: InputEvent| height.set(value_of_input(&event)))
    };
    html! {
        <>
            <button id="share" disabled={!live} popovertarget="share-menu" onclick={ask}>{"Share…"}</button>
            <div id="share-menu" class="share" popover="auto" role="dialog" aria-label="Share this run">
                <h2>{"Share this run"}</h2>
                <p class="mute">{"Query, inputs, settings and seed: who opens it sees the same run. Nothing is sent to a server."}</p>
                if let (Some(run), Some(address)) = (&*run, &address) {
                    if short {
                        <input id="share-link" readonly=true aria-label="Link" value={address.clone()} />
                        <p class="choices">
                            <button class="primary" id="copy-link" onclick={copy(address.clone(), "The link is copied.")}>{"Copy link"}</button>
                            <span class="mute">{bytes(address.len() as u64)}</span>
                        </p>
                        <p class="choices frame">
                            <button id="copy-embed" onclick={copy(code(run), "The code of the frame is copied.")}>{"Copy embed code"}</button>
                            <label>{"theme "}<select id="embed-theme" onchange={ontheme}>
                                { for [("", "the page’s"), ("light", "light"), ("dark", "dark")].map(|(value, says)| html! { <option {value} selected={*theme == value}>{says}</option> }) }
                            </select></label>
                            <label>{"height "}<input id="embed-height" type="text" inputmode="numeric" value={height.to_string()} oninput={onheight} />{" px"}</label>
                        </p>
                        <p class="mute">{format!("A frame for a page of yours, with this run in it; it opens on the tab that is open here ({tab}).")}</p>
                    } else {
                        <p id="share-long">{format!("As a link it would be {} long, more than 32 kB: links of that length get lost on their way. It fits into a file.", bytes(address.len() as u64))}</p>
                    }
                    <p class="choices">
                        <button id="share-file" class={classes!((!short).then_some("primary"))}
                            onclick={ let run = run.clone(); move |_| download_text("run.tidegate", &run) }>{"Download as a file"}</button>
                    </p>
                    if let Some(digest) = &*digest {
                        <p class="mute" title="Of all changelogs and all state; equal where two runs are the same">{"Digest of what is shown: "}<code id="digest">{digest}</code></p>
                    }
                } else {
                    <p class="mute">{"One moment…"}</p>
                }
                <label class="file">{"Open a file: "}<input type="file" id="open-file" accept=".tidegate,text/plain" onchange={onfile} /></label>
            </div>
        </>
    }
}
