//! The results' panel: a tab per job, and under it the ways to look at the result.

use tidegate_protocol::ResultLayout;
use yew::prelude::*;

use super::batch::BatchView;
use super::checkpoints::CheckpointsView;
use super::columns::job_name;
use super::download::Download;
use super::failure::Failure;
use super::plan::PlanView;
use super::sink::SinkView;
use super::state_view::StateView;
use super::together::Together;
use crate::app::Desk;
use crate::commit::CommitView;
use crate::faults::FaultsView;
use crate::state::{Action, Region, Tab};
use crate::ui::{Expand, Tabs, use_choice, value_of_select};

/// The results' panel.
#[component(ResultsPanel)]
pub fn results_panel() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let choice = use_choice(page.result.to_string());
    let jobs = page.layout.as_ref().map_or(&[][..], |layout| &layout.jobs);
    let Some(job) = jobs.get(page.job) else {
        return html! { <><div class="tabs jobs"></div><div class="tabs"></div><p class="empty">{"Nothing runs yet: choose an example, or write a query and run it."}</p></> };
    };
    let frame = page.frame.as_ref();
    let completed = frame.and_then(|frame| frame.job.as_ref()).map_or(0, |job| job.checkpoints.completed);
    let external = job.results.iter().any(|result| result.external);
    let summary = frame.and_then(|frame| frame.jobs.get(page.job));
    let mut tabs = vec![(Tab::Changelog, "Changelog"), (Tab::State, "State"), (Tab::Checkpoints, "Checkpoints")];
    if external {
        tabs.push((Tab::Sink, "Sink"));
        tabs.push((Tab::Commit, "Commit"));
    }
    tabs.push((Tab::Faults, "Faults"));
    tabs.push((Tab::Plan, "Plan"));
    tabs.push((Tab::Batch, "Batch"));
    let tab = if matches!(page.tab, Tab::Sink | Tab::Commit) && !external { Tab::Changelog } else { page.tab };
    let onresult = {
        let desk = desk.clone();
        Callback::from(move |event: Event| {
            if let Ok(result) = value_of_select(&event).parse() {
                let mut wanted = desk.wanted.borrow_mut();
                (wanted.changelog_from, wanted.changelog_kinds, wanted.table_from) = (None, 0, 0);
                drop(wanted);
                desk.act(Action::Result(result));
            }
        })
    };
    let beside = {
        let (desk, beside) = (desk.clone(), !page.beside);
        Callback::from(move |_: MouseEvent| {
            desk.act(Action::Tab(Tab::Changelog));
            desk.act(Action::Beside(beside));
        })
    };
    html! {
            <>
                <div class={classes!("tabs", "jobs", (jobs.len() == 1).then_some("single"))}>
                    <Tabs label="Jobs" chosen={format!("{} of {}", page.job, jobs.len())}>
                        { for jobs.iter().enumerate().map(|(index, job)| {
                            let desk = desk.clone();
                            let state = frame.and_then(|frame| frame.jobs.get(index)).map_or("", |job| &job.state);
                            // What goes on as it should is not told.
                            let told = index != page.job && matches!(state, "FAILED" | "FAILING" | "RESTARTING" | "FINISHED" | "CANCELED");
                            html! {
                                <button key={index} role="tab" aria-selected={(index == page.job).to_string()} title={job.sql.clone()}
                                    onclick={move |_| desk.act(Action::Job(index))}>
                                    {job_name(&job.name, &job.sql, job.results.iter().all(|result| result.sink.is_none()))}
                                    if told { <span class={classes!("job-state", state.to_lowercase())}>{state}</span> }
                                </button>
                            }
                        }) }
                    </Tabs>
                    <span class="spring"></span>
                    if jobs.len() > 1 {
                        <button id="beside" class="small quiet" aria-pressed={page.beside.to_string()} title="The next job’s result beside this one’s"
                            onclick={beside}>{"Side by side"}</button>
                    }
                    // At the edge, where it stays whether there is another job or not.
                if let Some(summary) = summary {
                        <span class={classes!("job-state", summary.state.to_lowercase())} id="job-state">{&summary.state}</span>
                    }
                    <Expand region={Region::Results} />
                </div>
                <div class="tabs">
                    <Tabs label="Results" chosen={format!("{tab:?} of {}", tabs.len())}>
                    { for tabs.into_iter().map(|(offer, name)| {
                        let desk = desk.clone();
                        html! {
                            <button role="tab" id={format!("tab-{}", name.to_lowercase())} aria-selected={(offer == tab).to_string()}
                                onclick={move |_| desk.act(Action::Tab(offer))}>
                                {name}
                                // Its place is kept, so that the tabs behind it do not move.
                            if offer == Tab::Checkpoints {
                                <b class={classes!("count-place", (completed > 0).then_some("checkpoint-count"))}>
                                    { if completed > 0 { completed.to_string() } else { String::new() } }
                                </b>
                            }
                            </button>
                        }
                    }) }
                    </Tabs>
                    <span class="spring"></span>
                    if job.results.len() > 1 {
                        <select ref={choice} id="result" aria-label="Result" title="Whose changelog and table are shown" onchange={onresult}>
                            { for (0..job.results.len()).map(|place| html! {
                                <option value={place.to_string()} selected={place == page.result}>{result_name(&job.results, place)}</option>
                            }) }
                        </select>
                    }
                    <Download />
                </div>
                <div class="result" role="tabpanel">
                    { match tab {
                        Tab::Changelog => html! {
    <Together />
                        },
                        Tab::State => html! { <StateView /> },
                        Tab::Checkpoints => html! { <CheckpointsView /> },
                        Tab::Sink => html! { <SinkView /> },
                        Tab::Commit => html! { <CommitView /> },
                        Tab::Faults => html! { <FaultsView /> },
                        Tab::Batch => html! { <BatchView /> },
                        Tab::Plan => html! { <PlanView plan={job.plan.clone()} /> },
                    } }
                    if let Some(problem) = summary.and_then(|summary| summary.failure.as_ref()) {
                        <Failure problem={problem.clone()} />
                    }
                </div>
            </>
        }
}

/// A result's name among those of its job: its sink, with a number where several statements write to that.
fn result_name(results: &[ResultLayout], place: usize) -> String {
    let name = |result: &ResultLayout| result.sink.clone().unwrap_or_else(|| "SELECT".to_owned());
    let own = name(&results[place]);
    let before = results[..place].iter().filter(|other| name(other) == own).count();
    match results.iter().filter(|other| name(other) == own).count() {
        0 | 1 => own,
        _ => format!("{own} ({})", before + 1),
    }
}
