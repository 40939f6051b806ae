//! Batch = stream: the same query computed as a batch, beside what the stream has come to.

use tidegate_protocol::{Answer, Command, Compared};
use yew::prelude::*;

use super::table::TableView;
use crate::app::Desk;
use crate::ui::{cell, count, rows};

/// The comparison.
#[component(BatchView)]
pub fn batch_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let compared = use_state(|| None::<((usize, usize), Result<Compared, String>)>);
    let (job, result) = (page.job, page.result);
    let Some(layout) = page.result_layout() else {
        return Html::default();
    };
    let compute = {
        let (desk, compared) = (desk.clone(), compared.clone());
        Callback::from(move |_: MouseEvent| {
            let compared = compared.clone();
            desk.link.send(Command::Compare { job: job as u32, result: result as u32 }, move |answer| match answer {
                Answer::Compared(found) => compared.set(Some(((job, result), Ok(found)))),
                Answer::Failed { code, message } => {
                    compared.set(Some(((job, result), Err(format!("{code}: {message}")))))
                }
                _ => {}
            });
        })
    };
    let answer = compared.as_ref().filter(|(of, _)| *of == (job, result)).map(|(_, found)| found);
    let found = answer.and_then(|answer| answer.as_ref().ok());
    let says = match answer {
        Some(Ok(found)) => {
            let now = page.frame.as_ref().and_then(|frame| frame.jobs.get(job)).map_or(0, |job| job.step);
            let since = if now > found.step { "; the stream has gone on since" } else { "" };
            format!("{} · as of step {}, with {} read{since}", verdict(found), count(found.step), rows(found.rows))
        }
        Some(Err(why)) => why.clone(),
        None => "the same query, over all that it has read so far".to_owned(),
    };
    html! {
        <div class="pair even">
            <div class="changelog" id="batch">
                <p class="label"><button id="compute-batch" class="small" onclick={compute}>{"Compute as a batch"}</button>
                    <span class="mute" role="status">{says}</span></p>
                <div class="scroll" tabindex="0" role="region" aria-label="Batch beside stream">
                    if let Some(found) = found {
                        <table>
                            <thead><tr><th scope="col">{"in"}</th>{ for layout.columns.iter().map(|(name, _)| html! { <th scope="col">{name}</th> }) }</tr></thead>
                            <tbody>
                                { part("stream only", "differs", &found.stream) }
                                { part("batch only", "differs", &found.batch) }
                                { part("both", "equal", &found.same) }
                            </tbody>
                        </table>
                    }
                </div>
            </div>
            <TableView key={result} />
        </div>
    }
}

fn part(name: &'static str, class: &'static str, found: &[Vec<Option<String>>]) -> Html {
    let each = found.iter().map(|values| {
        html! { <tr class={class}><td>{name}</td>{ for values.iter().map(|value| html! { <td>{cell(value)}</td> }) }</tr> }
    });
    each.collect()
}

/// What the comparison says, in a sentence.
fn verdict(found: &Compared) -> String {
    let [same, stream, batch] = found.totals;
    if stream == 0 && batch == 0 {
        return format!("equal: {}", rows(same));
    }
    let late = "a stream may still wait for its watermark, or have dropped rows that came late";
    format!("{} differ: {late}", rows(stream + batch))
}
