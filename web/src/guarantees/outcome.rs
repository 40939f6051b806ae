//! What one combination has come to, beside the truth.

use tidegate_protocol::GuaranteeOutcome;
use yew::prelude::*;

/// Properties of [`OutcomeView`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The columns' names.
    pub columns: Vec<String>,
    /// What it has come to.
    pub outcome: GuaranteeOutcome,
}

/// The rows of a combination: what is lost, doubled or wrong is marked and counted.
#[component(OutcomeView)]
pub fn outcome_view(props: &Props) -> Html {
    let GuaranteeOutcome { state, sink, rows } = &props.outcome;
    let name = format!("{state} state, {sink} sink");
    html! {
        <section class="outcome" id={format!("{state}-{sink}")} aria-label={name.clone()}>
            <h3>{name.clone()}</h3>
            <p class="verdict">{verdict(&props.outcome)}</p>
            <div class="scroll" tabindex="0" role="region" aria-label={format!("Rows: {name}")}>
                <table>
                    <thead><tr>{ for props.columns.iter().map(|name| html! { <th scope="col">{name}</th> }) }<th scope="col"><span class="unseen">{"Mark"}</span></th></tr></thead>
                    <tbody>{ for rows.iter().map(|(row, mark)| html! {
                        <tr class={mark.clone()}>
                            { for row.iter().map(|value| html! { <td>{value}</td> }) }
                            <td>{ if mark == "right" { "" } else { mark.as_str() } }</td>
                        </tr>
                    }) }</tbody>
                </table>
            </div>
        </section>
    }
}

/// How many rows are not as they should be.
fn verdict(outcome: &GuaranteeOutcome) -> Html {
    let counts =
        ["lost", "doubled", "wrong"].map(|mark| (mark, outcome.rows.iter().filter(|(_, of)| of == mark).count()));
    if counts.iter().all(|(_, count)| *count == 0) {
        return html! { <b class="right">{format!("all {} right", outcome.rows.len())}</b> };
    }
    let told = counts.into_iter().filter(|(_, count)| *count > 0);
    told.map(|(mark, count)| html! { <b class={mark}>{format!("{count} {mark}")}</b> }).collect()
}
