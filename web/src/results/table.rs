//! The dynamic table, as of now; what the newest rows changed is marked.

use yew::prelude::*;

use crate::app::Desk;
use crate::ui::{ScrollRows, Window, cell, rows};

/// How many changelog rows back count as news.
const NEWS: u64 = 2;

/// The dynamic table of the chosen job's first result.
#[component(TableView)]
pub fn table_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let layout = page.layout.as_ref().and_then(|layout| layout.jobs.get(page.job)).and_then(|job| job.results.first());
    let result = page.frame.as_ref().and_then(|frame| frame.job.as_ref()).and_then(|job| job.results.first());
    let (Some(layout), Some(result)) = (layout, result) else {
        return Html::default();
    };
    let wants = {
        let wanted = desk.wanted.clone();
        Callback::from(move |window: Window| {
            let mut wanted = wanted.borrow_mut();
            wanted.table_from = window.from.unwrap_or(0) as u32;
            wanted.table_limit = window.limit.max(8);
        })
    };
    let from = u64::from(desk.wanted.borrow().table_from).min(result.table_total);
    let columns = format!("grid-template-columns:repeat({}, minmax(56px, 1fr))", layout.columns.len().max(1));
    let shown = result
        .table
        .iter()
        .map(|(values, changed)| {
            let fresh = changed + NEWS >= result.total && result.total > 0;
            html! {
                <div class={classes!("row", fresh.then_some("fresh"))} role="listitem" style={columns.clone()}>
                    { for values.iter().map(cell) }
                </div>
            }
        })
        .collect::<Vec<_>>();
    html! {
        <div class="dynamic" id="dynamic-table">
            <p class="label mute">{format!("Dynamic table, now: {}", rows(result.table_total))}</p>
            <div class="row head" style={columns.clone()}>
                { for layout.columns.iter().map(|(name, ty)| html! { <span class="cell" title={ty.clone()}>{name}</span> }) }
            </div>
            <ScrollRows total={result.table_total} {from} rows={shown} {wants} label="Dynamic table" empty="The table is empty." />
        </div>
    }
}
