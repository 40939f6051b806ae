//! The changelog, row by row, each with the input row that caused it.

use yew::prelude::*;

use crate::app::Desk;
use crate::ui::{ScrollRows, Window, cell, count, kind};

/// The changelog of the chosen job's first result.
#[component(ChangelogView)]
pub fn changelog_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let layout = page.layout.as_ref().and_then(|layout| layout.jobs.get(page.job)).and_then(|job| job.results.first());
    let result = page.frame.as_ref().and_then(|frame| frame.job.as_ref()).and_then(|job| job.results.first());
    let (Some(layout), Some(result)) = (layout, result) else {
        return html! { <div class="changelog"><p class="empty">{"No result yet."}</p></div> };
    };
    let several = |table: &str| {
        let inputs = page.layout.iter().flat_map(|layout| &layout.inputs);
        inputs.into_iter().any(|input| input.table == table && input.splits > 1)
    };
    let first = result.first;
    let wants = {
        let wanted = desk.wanted.clone();
        Callback::from(move |window: Window| {
            let mut wanted = wanted.borrow_mut();
            wanted.changelog_from = window.from.map(|from| first + from);
            wanted.changelog_limit = window.limit.max(8);
        })
    };
    let columns =
        format!("grid-template-columns:34px repeat({}, minmax(44px, 1fr)) minmax(108px, 1.2fr)", layout.columns.len());
    let rows = result
        .changelog
        .iter()
        .map(|row| {
            let cause = row.cause.as_ref().map_or_else(String::new, |(table, split, offset)| match several(table) {
                true => format!("{table}[{split}] #{offset}"),
                false => format!("{table} #{offset}"),
            });
            html! {
                <div class="row" role="listitem" key={row.number} style={columns.clone()} data-kind={row.kind.clone()}>
                    {kind(&row.kind)}
                    { for row.values.iter().map(cell) }
                    <span class="mute cell" title={cause.clone()}>{cause}</span>
                </div>
            }
        })
        .collect::<Vec<_>>();
    let from = result.changelog.first().map_or(0, |row| row.number.saturating_sub(first));
    html! {
        <div class="changelog" id="changelog">
            <div class="row head" style={columns.clone()}>
                <span></span>
                { for layout.columns.iter().map(|(name, ty)| html! { <span class="cell" title={ty.clone()}>{name}</span> }) }
                <span class="cell">{"because of"}</span>
            </div>
            <ScrollRows total={result.total - first} {from} {rows} follow=true {wants} label="Changelog"
                empty="No row yet: send an event, or let the generator do it." />
            <p class="foot mute">
                {crate::ui::rows(result.total)}
                if first > 0 { {format!(", the first {} no longer kept", count(first))} }
                {format!(" · {}", layout.changelog_mode)}
            </p>
        </div>
    }
}
