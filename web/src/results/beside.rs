//! Another job's result beside the chosen one's: two answers to the same input at once.

use yew::prelude::*;

use super::columns::{grid, job_name};
use crate::app::Desk;
use crate::state::Action;
use crate::ui::{ScrollRows, Window, cell, kind, rows};

/// The newest changes of the job beside, or its table.
#[component(BesideView)]
pub fn beside_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let as_table = use_state_eq(|| false);
    let (Some(number), Some(layout)) = (page.beside_job(), page.layout.as_ref()) else {
        return Html::default();
    };
    let Some(job) = layout.jobs.get(number) else { return Html::default() };
    let Some(columns) = job.results.first().map(|result| result.columns.clone()) else { return Html::default() };
    let Some(result) = page.frame.as_ref().and_then(|frame| frame.beside.as_ref()) else { return Html::default() };
    let name = job_name(&job.name, &job.sql, job.results.iter().all(|result| result.sink.is_none()));
    let choose = {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| desk.act(Action::Job(number)))
    };
    let show = |table: bool| {
        let as_table = as_table.setter();
        Callback::from(move |_: MouseEvent| as_table.set(table))
    };
    let (template, least) = grid(&columns, if *as_table { 0.0 } else { 28.0 }, 0.0);
    let list: Vec<Html> = if *as_table {
        let row = |(place, (values, _)): (usize, &(Vec<Option<String>>, _))| {
            html! { <div class="row" role="listitem" key={place} style={template.clone()}>{ for values.iter().map(cell) }</div> }
        };
        result.table.iter().enumerate().map(row).collect()
    } else {
        let row = |(place, row): (usize, &tidegate_protocol::ChangelogRow)| {
            html! {
                <div class="row" role="listitem" key={place} style={template.clone()} data-kind={row.kind.clone()}>
                    {kind(&row.kind)}{ for row.values.iter().map(cell) }
                </div>
            }
        };
        result.changelog.iter().enumerate().map(row).collect()
    };
    let (total, of) = if *as_table { (result.table_total, "now") } else { (result.total, "the newest of") };
    html! {
        <div class="dynamic" id="beside-view">
            <p class="label"><button class="small quiet cell" title="Choose this job" onclick={choose}>{name}</button>
                <span class="spring"></span>
                <button class="small quiet" aria-pressed={(!*as_table).to_string()} onclick={show(false)}>{"changelog"}</button>
                <button class="small quiet" aria-pressed={(*as_table).to_string()} onclick={show(true)}>{"table"}</button>
            </p>
            <div class="sheet"><div style={format!("min-width:{least:.0}px")}>
                <div class="row head" style={template.clone()}>
                    if !*as_table { <span></span> }
                    { for columns.iter().map(|(name, ty)| html! { <span class="cell" title={ty.clone()}>{name}</span> }) }
                </div>
                <ScrollRows key={as_table.to_string()} total={list.len() as u64} from={0} rows={list} follow={!*as_table} wants={Callback::from(|_: Window| ())}
                    label="The result beside" empty="No row yet." />
            </div></div>
            <div class="foot mute"><span class="cell">{format!("{of} {}", rows(total))}</span></div>
        </div>
    }
}
