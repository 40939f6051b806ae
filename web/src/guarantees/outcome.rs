//! What one combination has come to, beside the truth, and which crash each difference is due to.

use tidegate_protocol::{GuaranteeCrash, GuaranteeOutcome, GuaranteeRow};
use yew::prelude::*;

use super::run_line::RunLine;

/// Properties of [`OutcomeView`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The columns' names.
    pub columns: Vec<String>,
    /// What it has come to.
    pub outcome: GuaranteeOutcome,
}

/// What is looked at: a crash, and the row from which somebody came to it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Chosen {
    crash: u32,
    row: Option<usize>,
}

/// The rows of a combination: what is lost, doubled or wrong is marked, counted, and traced to its crash.
#[component(OutcomeView)]
pub fn outcome_view(props: &Props) -> Html {
    let chosen = use_state_eq(|| None::<Chosen>);
    let GuaranteeOutcome { state, sink, rows, crashes, .. } = &props.outcome;
    let name = format!("{state} state, {sink} sink");
    let choose = |now: Chosen| {
        let chosen = chosen.clone();
        // Once more: nothing is chosen.
        Callback::from(move |()| chosen.set((*chosen != Some(now)).then_some(now)))
    };
    let onchoose = {
        let chosen = chosen.clone();
        Callback::from(move |crash: u32| {
            let now = Chosen { crash, row: None };
            chosen.set((*chosen != Some(now)).then_some(now));
        })
    };
    let crash_of = |place: usize, row: &GuaranteeRow, number: u32| {
        let now = Chosen { crash: number, row: Some(place) };
        let (choose, step) = (choose(now), step_of(crashes, number));
        html! {
            <button class="of" data-crash={number.to_string()} aria-pressed={(*chosen == Some(now)).to_string()}
                title={format!("Crash {number} at step {step}: {}", row.why)} onclick={move |_| choose.emit(())}>
                <span aria-hidden="true">{"✕"}</span>{format!("crash {number}")}
                <span class="unseen">{format!(" at step {step}: {}", row.why)}</span>
            </button>
        }
    };
    let marked = chosen.map(|chosen| chosen.crash);
    html! {
        <section class="outcome" id={format!("{state}-{sink}")} aria-label={name.clone()}>
            <h3>{name.clone()}</h3>
            <p class="verdict">{verdict(&props.outcome)}</p>
            <RunLine outcome={props.outcome.clone()} crash={marked} {onchoose} />
            <p class="why" role="status" tabindex="0">{ says(&props.outcome, *chosen) }</p>
            <div class="scroll" tabindex="0" role="region" aria-label={format!("Rows: {name}")}>
                <table>
                    <thead><tr>
                        { for props.columns.iter().map(|name| html! { <th scope="col">{name}</th> }) }
                        <th scope="col">{"truth"}</th><th scope="col">{"mark"}</th><th scope="col">{"due to"}</th>
                    </tr></thead>
                    <tbody>{ for rows.iter().enumerate().map(|(place, row)| {
                        let here = marked.is_some_and(|crash| row.crashes.contains(&crash));
                        html! {
                            <tr class={classes!(row.mark.clone(), here.then_some("here"))}>
                                { for row.values.iter().map(|value| html! { <td>{value}</td> }) }
                                <td class="truth">{truth(row)}</td>
                                <td class="mark">{ if row.mark == "right" { "" } else { row.mark.as_str() } }</td>
                                <td class="due">{ for row.crashes.iter().map(|number| crash_of(place, row, *number)) }</td>
                            </tr>
                        }
                    }) }</tbody>
                </table>
            </div>
        </section>
    }
}

/// What stands in the truth where a row stands here.
fn truth(row: &GuaranteeRow) -> String {
    match row.mark.as_str() {
        "doubled" => "once".to_owned(),
        _ => row.truth.clone(),
    }
}

fn step_of(crashes: &[GuaranteeCrash], number: u32) -> u64 {
    crashes.iter().find(|crash| crash.number == number).map_or(0, |crash| crash.step)
}

/// How many rows are not as they should be.
fn verdict(outcome: &GuaranteeOutcome) -> Html {
    let counts = counts(outcome.rows.iter());
    if counts.is_empty() {
        return html! { <b class="right">{format!("all {} right", outcome.rows.len())}</b> };
    }
    counts.into_iter().map(|(mark, count)| html! { <b class={mark}>{format!("{count} {mark}")}</b> }).collect()
}

fn counts<'a>(rows: impl Iterator<Item = &'a GuaranteeRow> + Clone) -> Vec<(&'static str, usize)> {
    let count = |mark| (mark, rows.clone().filter(|row| row.mark == mark).count());
    ["lost", "doubled", "wrong"].map(count).into_iter().filter(|(_, count)| *count > 0).collect()
}

/// A sentence or two about what is chosen.
fn says(outcome: &GuaranteeOutcome, chosen: Option<Chosen>) -> String {
    let found = chosen.and_then(|chosen| outcome.crashes.iter().find(|crash| crash.number == chosen.crash));
    let (Some(chosen), Some(crash)) = (chosen, found) else {
        return match outcome.crashes.len() {
            0 => "No crash.".to_owned(),
            _ => "Choose a crash on the line, or beside a row.".to_owned(),
        };
    };
    let at = format!("Crash {} at step {}", crash.number, crash.step);
    if let Some(row) = chosen.row.and_then(|row| outcome.rows.get(row)) {
        let id = row.values.first().map_or("", String::as_str);
        return format!("{at}. Payment {id} is {}: {}.", row.mark, row.why);
    }
    let back = match crash.restored {
        Some(checkpoint) => format!("back to checkpoint {checkpoint}"),
        None => "begun again from nothing".to_owned(),
    };
    let mut parts = vec![back];
    for (ids, what) in [(&crash.again, "read again"), (&crash.skipped, "never read"), (&crash.forgotten, "forgotten")] {
        if !ids.is_empty() {
            let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
            parts.push(format!("{what}: {}", ids.join(", ")));
        }
    }
    let due = counts(outcome.rows.iter().filter(|row| row.crashes.contains(&crash.number)));
    let due: Vec<String> = due.into_iter().map(|(mark, count)| format!("{count} {mark}")).collect();
    let due = if due.is_empty() { "nothing went wrong by it".to_owned() } else { format!("by it {}", due.join(", ")) };
    format!("{at}: {}; {due}.", parts.join("; "))
}
