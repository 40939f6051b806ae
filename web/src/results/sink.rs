//! The sink's table or log, as a committed and as an uncommitted reader sees it.

use tidegate_protocol::{ResultFrame, ResultLayout};
use yew::prelude::*;

use crate::app::Desk;
use crate::ui::{cell, count, rows};

/// The two readers, side by side, for every external sink of the job.
#[component(SinkView)]
pub fn sink_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let layout = page.layout.as_ref().and_then(|layout| layout.jobs.get(page.job));
    let job = page.frame.as_ref().and_then(|frame| frame.job.as_ref());
    let (Some(layout), Some(job)) = (layout, job) else {
        return Html::default();
    };
    let head = |columns: &[(String, String)]| {
        html! {
            <thead><tr>{ for columns.iter().map(|(name, ty)| html! { <th scope="col" title={ty.clone()}>{name}</th> }) }</tr></thead>
        }
    };
    // A sink that several statements write to is one place.
    let first = |(place, (result, _)): &(usize, (&ResultLayout, &ResultFrame))| {
        result.external && !layout.results[..*place].iter().any(|other| other.sink == result.sink)
    };
    let sinks = layout.results.iter().zip(&job.results).enumerate().filter(first).enumerate();
    let id = |name: &str, number: usize| if number == 0 { name.to_owned() } else { format!("{name}-{number}") };
    html! {
        <div class="sinks scroll" tabindex="0" aria-label="Sink">
            { for sinks.map(|(number, (_, (result, frame)))| html! {
                <div class="pair even">
                    <div class="reader" id={id("committed", number)}>
                        <p class="label"><b>{"read-committed"}</b>{seen(frame.committed.len(), frame.committed_total, result)}</p>
                        <table>{head(&result.columns)}<tbody>
                            { for frame.committed.iter().map(|row| html! { <tr>{ for row.iter().map(|value| html! { <td>{cell(value)}</td> }) }</tr> }) }
                        </tbody></table>
                        if frame.committed.is_empty() { <p class="empty">{"Nothing committed yet: a checkpoint commits."}</p> }
                    </div>
                    <div class="reader" id={id("uncommitted", number)}>
                        <p class="label"><b>{"read-uncommitted"}</b>{seen(frame.uncommitted.len(), frame.uncommitted_total, result)}</p>
                        <table>{head(&result.columns)}<tbody>
                            { for frame.uncommitted.iter().map(|(row, committed)| html! {
                                <tr class={classes!((!committed).then_some("pending"))}>{ for row.iter().map(|value| html! { <td>{cell(value)}</td> }) }</tr>
                            }) }
                        </tbody></table>
                        if frame.uncommitted.iter().any(|(_, committed)| !committed) {
                            <p class="foot mute">{"Rows with a mark are pending: they commit with the checkpoint, or are rolled back."}</p>
                        }
                    </div>
                </div>
            }) }
        </div>
    }
}

/// How many rows a reader sees, and how many of them are shown.
fn seen(shown: usize, total: u64, result: &ResultLayout) -> String {
    let sink = result.sink.as_deref().unwrap_or_default();
    match shown as u64 {
        shown if shown < total => format!(" · {} of {} of {sink} shown", count(shown), rows(total)),
        _ => format!(" · {} of {sink}", rows(total)),
    }
}
