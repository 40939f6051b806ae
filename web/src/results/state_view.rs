//! Keyed state, table by table: what an operator keeps, and what its entries say.

use tidegate_protocol::{Answer, Command, StateTablePage};
use yew::prelude::*;

use crate::app::Desk;
use crate::ui::{bytes, count, value_of_select};

/// Entries of one table shown at once.
const LIMIT: u32 = 100;

/// The state of the chosen job.
#[component(StateView)]
pub fn state_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let chosen = use_state(|| None::<usize>);
    let entries = use_state(|| None::<StateTablePage>);
    let layout = page.layout.as_ref().and_then(|layout| layout.jobs.get(page.job));
    let frame = page.frame.as_ref().and_then(|frame| frame.job.as_ref());
    let tables: Vec<_> = frame
        .into_iter()
        .flat_map(|job| &job.subtasks)
        .flat_map(|subtask| {
            subtask.state.iter().map(move |(uid, table, rows, size)| {
                (subtask.vertex, subtask.index, uid.clone(), table.clone(), *rows, *size)
            })
        })
        .collect();
    // Keyed state is what people come for; where a source stands is told second.
    let is_source = |vertex: u32| {
        layout.and_then(|layout| layout.vertices.get(vertex as usize)).is_some_and(|vertex| vertex.source)
    };
    let first = tables.iter().position(|(vertex, ..)| !is_source(*vertex)).unwrap_or(0);
    let index = (*chosen).unwrap_or(first).min(tables.len().saturating_sub(1));
    // Asked again whenever the job has taken a step.
    let step = page.frame.as_ref().and_then(|frame| frame.jobs.get(page.job)).map_or(0, |job| job.step);
    let target =
        tables.get(index).map(|(vertex, subtask, uid, table, _, _)| (*vertex, *subtask, uid.clone(), table.clone()));
    {
        let (desk, entries) = (desk.clone(), entries.clone());
        use_effect_with((target, step), move |(target, _)| {
            if let Some((vertex, subtask, uid, table)) = target.clone() {
                let job = desk.page.job as u32;
                desk.link.send(
                    Command::State { job, vertex, subtask, uid, table, offset: 0, limit: LIMIT },
                    move |answer| {
                        if let Answer::State(page) = answer {
                            entries.set(Some(page));
                        }
                    },
                );
            }
        });
    }
    let onchange = {
        let chosen = chosen.clone();
        Callback::from(move |event: Event| chosen.set(value_of_select(&event).parse().ok()))
    };
    if tables.is_empty() {
        return html! { <p class="empty">{"No operator of this job keeps state."}</p> };
    }
    let name = |vertex: u32, subtask: u32, table: &str| {
        let vertex = layout.and_then(|layout| layout.vertices.get(vertex as usize)).map_or("", |vertex| &vertex.name);
        format!("{vertex}[{subtask}] · {table}")
    };
    html! {
        <div class="state" id="state">
            <div class="choice">
                <select aria-label="State table" {onchange}>
                    { for tables.iter().enumerate().map(|(place, (vertex, subtask, _, table, rows, size))| html! {
                        <option value={place.to_string()} selected={place == index}>
                            {format!("{} · {} entries · {}", name(*vertex, *subtask, table), count(*rows), bytes(*size))}
                        </option>
                    }) }
                </select>
            </div>
            <div class="scroll" tabindex="0" aria-label="Entries">
                <table>
                    <thead><tr><th scope="col">{"key"}</th><th scope="col">{"value"}</th></tr></thead>
                    <tbody>{ for entries.iter().flat_map(|page| &page.entries).map(|(key, value)| html! {
                        <tr><td>{key}</td><td>{value}</td></tr>
                    }) }</tbody>
                </table>
                if let Some(page) = &*entries {
                    if page.total > u64::from(LIMIT) { <p class="foot mute">{format!("The first {LIMIT} of {}", count(page.total))}</p> }
                }
            </div>
        </div>
    }
}
