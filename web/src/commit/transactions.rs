//! The transactions of the sinks, newest first: whose, for which checkpoint, how far, and how long they have.

use tidegate_protocol::{JobLayout, TransactionFrame};
use yew::prelude::*;

use crate::ui::{count, rows};

/// Transactions shown.
const SHOWN: usize = 20;

/// Properties of [`Transactions`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The job.
    pub layout: JobLayout,
    /// Its transactions, oldest first.
    pub transactions: Vec<TransactionFrame>,
}

/// The table of transactions.
#[component(Transactions)]
pub fn transactions(props: &Props) -> Html {
    if props.transactions.is_empty() {
        return html! { <p class="empty">{"No transaction yet: the first row that reaches the sink begins one."}</p> };
    }
    let participant = |(vertex, index): (u32, u32)| {
        let name = props.layout.vertices.get(vertex as usize).map_or("", |vertex| vertex.name.as_str());
        format!("{name}[{index}]")
    };
    html! {
        <table class="transactions" id="transactions">
            <thead><tr>
                <th scope="col">{"participant"}</th><th scope="col">{"transaction"}</th><th scope="col">{"checkpoint"}</th>
                <th scope="col">{"state"}</th><th scope="col" class="right">{"times out in"}</th><th scope="col">{"so far"}</th>
            </tr></thead>
            <tbody>{ for props.transactions.iter().rev().take(SHOWN).map(|one| html! {
                <tr key={one.name.clone()} class={one.state.replace(' ', "-")}>
                    <td class="cell">{participant(one.subtask)}</td>
                    <td class="number" title={one.name.clone()}>{short(&one.name)}</td>
                    <td>{one.checkpoint.map(|id| id.to_string()).unwrap_or_default()}</td>
                    <td><b>{&one.state}</b>if one.rows > 0 { {format!(" · {}", rows(one.rows))} }</td>
                    <td class="right number">{one.left.map(time_left).unwrap_or_default()}</td>
                    <td class="mute">{ one.steps.iter().map(|(state, step)| format!("{state} at step {}", count(*step))).collect::<Vec<_>>().join(", ") }</td>
                </tr>
            }) }</tbody>
        </table>
    }
}

/// Epoch and number, without the zeros before them.
pub fn short(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    last.split('-').map(|part| part.trim_start_matches('0')).collect::<Vec<_>>().join("-")
}

/// A time that is left, in words.
pub fn time_left(ms: u64) -> String {
    match ms {
        0 => "its time is over".to_owned(),
        ms if ms < 120_000 => format!("{:.1} s", ms as f64 / 1000.0),
        ms => format!("{} min", ms / 60_000),
    }
}
