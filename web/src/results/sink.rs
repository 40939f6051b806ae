//! The sink's table or log, as a committed and as an uncommitted reader sees it.

use yew::prelude::*;

use crate::app::Desk;
use crate::ui::{cell, rows};

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
    html! {
        <div class="sinks scroll" tabindex="0" aria-label="Sink">
            { for layout.results.iter().zip(&job.results).filter(|(result, _)| result.external).map(|(result, frame)| html! {
                <div class="pair even">
                    <div class="reader" id="committed">
                        <p class="label"><b>{"read-committed"}</b>{format!(" · {} of {}", rows(frame.committed_total), result.sink.as_deref().unwrap_or_default())}</p>
                        <table>{head(&result.columns)}<tbody>
                            { for frame.committed.iter().map(|row| html! { <tr>{ for row.iter().map(|value| html! { <td>{cell(value)}</td> }) }</tr> }) }
                        </tbody></table>
                        if frame.committed.is_empty() { <p class="empty">{"Nothing committed yet: a checkpoint commits."}</p> }
                    </div>
                    <div class="reader" id="uncommitted">
                        <p class="label"><b>{"read-uncommitted"}</b>{format!(" · {}", rows(frame.uncommitted_total))}</p>
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
