//! The results' panel: a tab per job, and under it the ways to look at the result.

use yew::prelude::*;

use super::batch::BatchView;
use super::changelog::ChangelogView;
use super::checkpoints::CheckpointsView;
use super::columns::job_name;
use super::download::Download;
use super::plan::PlanView;
use super::sink::SinkView;
use super::state_view::StateView;
use super::table::TableView;
use crate::app::Desk;
use crate::state::{Action, Tab};

/// The results' panel.
#[component(ResultsPanel)]
pub fn results_panel() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let jobs = page.layout.as_ref().map_or(&[][..], |layout| &layout.jobs);
    let Some(job) = jobs.get(page.job) else {
        return html! { <><h2>{"Results"}</h2><p class="empty">{"Nothing runs yet."}</p></> };
    };
    let frame = page.frame.as_ref();
    let completed = frame.and_then(|frame| frame.job.as_ref()).map_or(0, |job| job.checkpoints.completed);
    let external = job.results.iter().any(|result| result.external);
    let summary = frame.and_then(|frame| frame.jobs.get(page.job));
    let mut tabs = vec![(Tab::Changelog, "Changelog"), (Tab::State, "State"), (Tab::Checkpoints, "Checkpoints")];
    if external {
        tabs.push((Tab::Sink, "Sink"));
    }
    tabs.push((Tab::Plan, "Plan"));
    tabs.push((Tab::Batch, "Batch"));
    let tab = if page.tab == Tab::Sink && !external { Tab::Changelog } else { page.tab };
    html! {
        <>
            if jobs.len() > 1 {
                <div class="tabs jobs" role="tablist" aria-label="Jobs">
                    { for jobs.iter().enumerate().map(|(index, job)| {
                        let desk = desk.clone();
                        let state = frame.and_then(|frame| frame.jobs.get(index)).map_or("", |job| &job.state);
                        // What goes on as it should is not told.
                        let told = matches!(state, "FAILED" | "FAILING" | "RESTARTING" | "FINISHED" | "CANCELED");
                        html! {
                            <button role="tab" aria-selected={(index == page.job).to_string()} title={job.sql.clone()}
                                onclick={move |_| desk.act(Action::Job(index))}>
                                {job_name(&job.name, &job.sql, job.results.iter().all(|result| result.sink.is_none()))}
                                if told { <span class={classes!("job-state", state.to_lowercase())}>{state}</span> }
                            </button>
                        }
                    }) }
                </div>
            }
            <div class="tabs">
                <div class="tablist" role="tablist" aria-label="Results">
                { for tabs.into_iter().map(|(offer, name)| {
                    let desk = desk.clone();
                    html! {
                        <button role="tab" id={format!("tab-{}", name.to_lowercase())} aria-selected={(offer == tab).to_string()}
                            onclick={move |_| desk.act(Action::Tab(offer))}>
                            {name}
                            if offer == Tab::Checkpoints && completed > 0 { <b class="checkpoint-count">{completed}</b> }
                        </button>
                    }
                }) }
                </div>
                <span class="spring"></span>
                <Download />
                if let Some(summary) = summary {
                    <span class={classes!("job-state", summary.state.to_lowercase())} id="job-state">{&summary.state}</span>
                }
            </div>
            if let Some(problem) = summary.and_then(|summary| summary.failure.as_ref()) {
                <div class="failure" role="alert" id="failure"><b>{&problem.code}</b>{" "}{&problem.message}
                    { for problem.hints.iter().map(|hint| html! { <span class="hint">{hint}</span> }) }
                </div>
            }
            <div class="result" role="tabpanel">
                { match tab {
                    Tab::Changelog => html! { <div class="pair"><ChangelogView /><TableView /></div> },
                    Tab::State => html! { <StateView /> },
                    Tab::Checkpoints => html! { <CheckpointsView /> },
                    Tab::Sink => html! { <SinkView /> },
                    Tab::Batch => html! { <BatchView /> },
                    Tab::Plan => html! { <PlanView plan={job.plan.clone()} /> },
                } }
            </div>
        </>
    }
}
