//! The changelog, row by row, each with the input row that caused it; any of the kept rows can be reached, by kind as well.

use yew::prelude::*;

use super::columns::grid;
use super::encoding::Encoding;
use crate::app::Desk;
use crate::state::Action;
use crate::ui::{ScrollRows, Window, cell, count, kind, short, value_of_select};

/// The kinds, in the order of their bits.
const KINDS: [(&str, &str); 4] = [("+I", "insert"), ("-U", "update before"), ("+U", "update after"), ("-D", "delete")];
/// All bits, and that of `-U`.
const ALL: u8 = 15;
const UPDATE_BEFORE: u8 = 2;

/// The changelog of the chosen result.
#[component(ChangelogView)]
pub fn changelog_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let encoding = use_state(|| Encoding::Changelog);
    let (Some(layout), Some(result)) = (page.result_layout(), page.result_frame()) else {
        return html! { <div class="changelog"><p class="empty">{"No result yet."}</p></div> };
    };
    let several = |table: &str| {
        let inputs = page.layout.iter().flat_map(|layout| &layout.inputs);
        inputs.into_iter().any(|input| input.table == table && input.splits > 1)
    };
    let mask = match (*encoding, page.kinds) {
        // The old rows of updates are no messages of their own there.
        (Encoding::Upsert, _) => ALL & !UPDATE_BEFORE,
        (Encoding::Changelog, kinds @ 1..) => kinds,
        _ => ALL,
    };
    let refusal = encoding.refusal(layout);
    // Without a filter, rows are asked for by their number, so that they stay in view while old ones go.
    let first = if mask == ALL { result.first } else { 0 };
    let wants = {
        let wanted = desk.wanted.clone();
        Callback::from(move |window: Window| {
            let mut wanted = wanted.borrow_mut();
            wanted.changelog_from = window.from.map(|from| first + from);
            wanted.changelog_limit = window.limit.max(8);
            wanted.changelog_kinds = mask;
        })
    };
    let onencoding = {
        let (encoding, wanted) = (encoding.clone(), desk.wanted.clone());
        Callback::from(move |event: Event| {
            let value = value_of_select(&event);
            if let Some((chosen, ..)) = Encoding::ALL.into_iter().find(|(_, name, _)| *name == value) {
                encoding.set(chosen);
                wanted.borrow_mut().changelog_from = None;
            }
        })
    };
    let filter = |bit: u8| {
        let desk = desk.clone();
        Callback::from(move |_: MouseEvent| {
            // From all to this one; then one more or less; none is all again.
            let next = match (mask, mask ^ bit) {
                (ALL, _) => bit,
                (_, 0) => ALL,
                (_, next) => next,
            };
            desk.act(Action::Kinds(next));
            let mut wanted = desk.wanted.borrow_mut();
            (wanted.changelog_kinds, wanted.changelog_from) = (next, None);
        })
    };
    let (columns, least) = grid(&layout.columns, if *encoding == Encoding::Changelog { 28.0 } else { 58.0 }, 84.0);
    let rows = result
        .changelog
        .iter()
        .enumerate()
        .map(|(place, row)| {
            let cause = row.cause.as_ref().map_or_else(String::new, |(table, split, offset)| match several(table) {
                true => format!("{table}[{split}] #{offset}"),
                false => format!("{table} #{offset}"),
            });
            html! {
                <div class="row" role="listitem" key={place} style={columns.clone()} data-kind={row.kind.clone()} data-number={row.number.to_string()}>
                    if *encoding == Encoding::Changelog {
                        {kind(&row.kind)}
                    } else {
                        { { let (word, class) = encoding.word(&row.kind); html! { <span class={classes!("kind", class)} title={row.kind.clone()}>{word}</span> } } }
                    }
                    { for row.values.iter().map(cell) }
                    <span class="mute cell" title={format!("row {} of the changelog, because of {cause}", row.number)}>{cause}</span>
                </div>
            }
        })
        .collect::<Vec<_>>();
    let timed = page.layout.iter().flat_map(|layout| &layout.inputs).any(|input| input.watermark.is_some());
    let read = page.frame.iter().flat_map(|frame| &frame.inputs).any(|input| input.rows.iter().any(|rows| *rows > 0));
    let none = match (mask == ALL, timed && read) {
        _ if layout.dropped => "This sink keeps no rows: with 'connector' = 'print' they are shown.",
        (false, _) => "No row of this kind is kept.",
        (true, true) => {
            "No row yet. What is computed per window comes when the watermark passes the window’s end: send a later row, or advance the watermark."
        }
        (true, false) => "No row yet: send an event, or let the generator do it.",
    };
    let total = if mask == ALL { result.total - result.first } else { result.matching };
    html! {
        <div class="changelog" id="changelog">
            <p class="label mute" id="changelog-total" title={format!("{} · {} in all", layout.changelog_mode, crate::ui::rows(result.total))}>
                {"Changelog: "}
                { match result.first {
                    0 => crate::ui::rows(result.total),
                    _ => format!("{} rows, the newest {} kept", short(result.total), short(result.total - result.first)),
                } }
            </p>
            <div class="sheet"><div style={format!("min-width:{least:.0}px")}>
            <div class="row head" style={columns.clone()}>
                <span></span>
                { for layout.columns.iter().map(|(name, ty)| html! { <span class="cell" title={ty.clone()}>{name}</span> }) }
                <span class="cell">{"because of"}</span>
            </div>
            if let Some(refusal) = refusal {
                <p class="empty" id="no-encoding">{refusal}</p>
            } else {
            <ScrollRows key={mask.to_string()} {total} gone={first} from={result.changelog_at} {rows} follow=true {wants} label="Changelog"
                empty={none} />
            }
            </div></div>
            <div class="foot mute">
                <select id="encoding" aria-label="Shown as" onchange={onencoding} title="How a stream would carry this result">
                    { for Encoding::ALL.into_iter().map(|(offer, value, says)| html! {
                        <option {value} selected={offer == *encoding}>{says}</option>
                    }) }
                </select>
                if *encoding == Encoding::Changelog {
                <span class="kinds" role="group" aria-label="Kinds shown">
                    { for KINDS.iter().enumerate().map(|(place, (text, says))| {
                        let bit = 1 << place;
                        let rows = result.kinds[place];
                        html! {
                            <button class="small quiet" aria-pressed={(mask != ALL && mask & bit != 0).to_string()} onclick={filter(bit)}
                                disabled={rows == 0 && (mask == ALL || mask & bit == 0)}
                                title={format!("Only {text} ({says}): {} kept", count(rows))} data-filter={*text}>
                                {kind(text)}<span class="number">{short(rows)}</span>
                            </button>
                        }
                    }) }
                </span>
                }
            </div>
        </div>
    }
}
