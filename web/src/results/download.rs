//! A result as a file: the engine writes it part by part, the browser keeps it.

use js_sys::Array;
use tidegate_protocol::{Answer, Command, ExportFormat, ExportPart};
use yew::prelude::*;

use crate::app::Desk;
use crate::engine::download;
use crate::state::Action;
use crate::ui::hide_popover;

const OFFERS: [(&str, &str, ExportPart, ExportFormat); 4] = [
    ("changelog-csv", "Changelog as CSV", ExportPart::Changelog, ExportFormat::Csv),
    ("changelog-json", "Changelog as JSON lines", ExportPart::Changelog, ExportFormat::JsonLines),
    ("table-csv", "Dynamic table as CSV", ExportPart::Table, ExportFormat::Csv),
    ("table-json", "Dynamic table as JSON lines", ExportPart::Table, ExportFormat::JsonLines),
];

/// The button and what it offers.
#[component(Download)]
pub fn download_menu() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let job = desk.page.layout.as_ref().and_then(|layout| layout.jobs.get(desk.page.job));
    let sink = desk.page.result_layout().and_then(|result| result.sink.clone());
    let name = sink.or_else(|| job.map(|job| job.name.clone()));
    let begin = |part: ExportPart, format: ExportFormat| {
        let (desk, name) = (desk.clone(), name.clone().unwrap_or_else(|| "result".to_owned()));
        Callback::from(move |_: MouseEvent| {
            hide_popover("download-menu");
            let word = if part == ExportPart::Changelog { "changelog" } else { "table" };
            let (ending, kind) = match format {
                ExportFormat::Csv => ("csv", "text/csv"),
                ExportFormat::JsonLines => ("jsonl", "application/jsonl"),
            };
            let name = format!("{}-{word}.{ending}", name.replace(|char: char| !char.is_ascii_alphanumeric(), "-"));
            fetch(&desk, part, format, 0, Array::new(), (name, kind));
        })
    };
    html! {
        <>
            <button class="small quiet" id="download" popovertarget="download-menu" title="Keep this result as a file" aria-label="Download"><span class="wide">{"Download…"}</span><span class="slim" aria-hidden="true">{"⤓"}</span></button>
            <div id="download-menu" popover="auto" role="menu" aria-label="Download">
                { for OFFERS.into_iter().map(|(id, says, part, format)| html! {
                    <button role="menuitem" id={format!("download-{id}")} onclick={begin(part, format)}>{says}</button>
                }) }
            </div>
        </>
    }
}

/// Asks for part after part, then hands all of them to the browser.
fn fetch(desk: &Desk, part: ExportPart, format: ExportFormat, from: u64, parts: Array, file: (String, &'static str)) {
    let again = desk.clone();
    let command = Command::Export { job: desk.page.job as u32, result: desk.page.result as u32, part, format, from };
    desk.link.send(command, move |answer| match answer {
        Answer::Exported { text, next } => {
            parts.push(&text.into());
            match next {
                Some(next) => fetch(&again, part, format, next, parts, file),
                None => download(&file.0, file.1, &parts),
            }
        }
        Answer::Failed { code, message } => again.act(Action::Message(Some(format!("{code}: {message}")))),
        _ => {}
    });
}
