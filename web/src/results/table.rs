//! The dynamic table, as of now; a cell that changes flashes, at most three times a second.

use std::collections::HashMap;

use yew::prelude::*;

use super::columns::grid;
use crate::app::Desk;
use crate::ui::{ScrollRows, Window, cell, rows};

/// A cell flashes again only after this time, ms.
const APART: f64 = 400.0;
/// Rows remembered at the most, to see what changes.
const REMEMBERED: usize = 400;

/// What a row showed, and when each cell flashed last and how often it has.
struct Shown {
    values: Vec<Option<String>>,
    flashes: Vec<(f64, u32)>,
}

/// The dynamic table of the chosen result.
#[component(TableView)]
pub fn table_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let memory = use_mut_ref(HashMap::<u64, Shown>::new);
    let (Some(layout), Some(result)) = (page.result_layout(), page.result_frame()) else {
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
    let (columns, least) = grid(&layout.columns, 0.0, 0.0);
    let now = web_sys::window().and_then(|window| window.performance()).map_or(0.0, |clock| clock.now());
    let mut memory = memory.borrow_mut();
    if memory.len() > REMEMBERED || result.table_total == 0 {
        memory.clear();
    }
    // What a first look shows is no change.
    let known = !memory.is_empty();
    let shown = result
        .table
        .iter()
        .enumerate()
        .map(|(place, (values, _))| {
            let place = from + place as u64;
            let entry = memory.entry(place).or_insert_with(|| {
                let values = if known { Vec::new() } else { values.clone() };
                Shown { flashes: vec![(f64::MIN, 0); values.len()], values }
            });
            entry.flashes.resize(values.len(), (f64::MIN, 0));
            for (column, value) in values.iter().enumerate() {
                let flash = &mut entry.flashes[column];
                if entry.values.get(column) != Some(value) && now - flash.0 >= APART {
                    *flash = (now, flash.1 + 1);
                }
            }
            entry.values.clone_from(values);
            html! {
                <div class="row" role="listitem" key={place} style={columns.clone()}>
                    { for values.iter().zip(&entry.flashes).map(|(value, (_, times))| {
                        // Another name of the same animation begins it anew.
                        let class = match times { 0 => None, odd if odd % 2 == 1 => Some("flash"), _ => Some("flash-again") };
                        html! { <span class={classes!("slot", class)}>{cell(value)}</span> }
                    }) }
                </div>
            }
        })
        .collect::<Vec<_>>();
    html! {
        <div class="dynamic" id="dynamic-table">
            <p class="label mute">{format!("Dynamic table, now: {}", rows(result.table_total))}</p>
            <div class="sheet"><div style={format!("min-width:{least:.0}px")}>
            <div class="row head" style={columns.clone()}>
                { for layout.columns.iter().map(|(name, ty)| html! { <span class="cell" title={ty.clone()}>{name}</span> }) }
            </div>
            <ScrollRows total={result.table_total} {from} rows={shown} {wants} label="Dynamic table" empty="The table is empty." />
            </div></div>
        </div>
    }
}
