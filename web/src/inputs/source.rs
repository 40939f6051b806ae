//! One source: its forms, its generator, its recent rows and its watermarks.

use tidegate_protocol::{Command, InputFrame, InputLayout, InputMark};
use yew::prelude::*;

use super::advance::Advance;
use super::file::{FileDrop, on_file};
use super::form::{Form, is_long};
use crate::app::Desk;
use crate::engine::chosen_text;
use crate::ui::{cell, count, kind, use_choice, value_of_select};

/// Rows per second that the generator offers.
const RATES: &[f64] = &[0.0, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0, 1000.0];

/// Properties of [`Source`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// Its place among the inputs.
    pub index: usize,
    /// What it is.
    pub layout: InputLayout,
    /// How it stands.
    pub frame: InputFrame,
}

/// One source.
#[component(Source)]
pub fn source(props: &Props) -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let (layout, frame) = (&props.layout, &props.frame);
    let rate = {
        let (desk, table) = (desk.clone(), layout.table.clone());
        Callback::from(move |event: Event| {
            if let Ok(rate) = value_of_select(&event).parse() {
                desk.tell(Command::Generate { table: table.clone(), rate });
            }
        })
    };
    let chosen = {
        let (desk, table) = (desk.clone(), layout.table.clone());
        Callback::from(move |event: Event| {
            on_file(&desk, table.clone(), chosen_text(event.as_ref()));
        })
    };
    // One button is the next to press: Run for a text that was changed, Play in a pause, and else this.
    let playing = desk.page.frame.as_ref().is_some_and(|frame| frame.playing);
    let first = props.index == 0 && playing && !desk.page.edited();
    let choice = use_choice(frame.rate.to_string());
    let rate_id = format!("rate-{}", layout.table);
    html! {
        <FileDrop table={layout.table.clone()} takes={layout.by_hand}>
            <div class="source-head">
                <b>{&layout.table}</b><span class="mute">{&layout.connector}</span>
                <span class="spring"></span>
                if let Some(rate) = layout.makes {
                    <span class="mute makes" title="'rows-per-second' of the table">{format!("makes {} rows/s", count(rate))}</span>
                }
                if layout.by_hand {
                    <label class="button small quiet" title="CSV, JSON (lines or an array) or Debezium JSON; dropping or pasting it here does the same">
                        {"File…"}<input type="file" class="unseen" id={format!("file-{}", layout.table)}
                            accept=".csv,.json,.jsonl,.ndjson,.txt" onchange={chosen} />
                    </label>
                    <span class="rate"><label for={rate_id.clone()} class="mute">{"Generate"}</label>
                    <select ref={choice} id={rate_id} onchange={rate}>
                        { for RATES.iter().map(|&offer| html! {
                            <option value={offer.to_string()} selected={offer == frame.rate}>
                                { if offer == 0.0 { "off".to_owned() } else { format!("{offer} / s") } }
                            </option>
                        }) }
                    </select></span>
                }
            </div>
            if let Some(watermark) = &layout.watermark {
                <p class="mute declared">{"WATERMARK FOR "}{watermark}</p>
            }
            <div class={classes!("splits", (layout.splits > 1).then_some("several"))}>
                { for (0..layout.splits).map(|split| split_part(&desk, layout, frame, split, first && split == 0)) }
            </div>
        </FileDrop>
    }
}

fn split_part(desk: &Desk, layout: &InputLayout, frame: &InputFrame, split: u32, primary: bool) -> Html {
    let place = split as usize;
    let idle = frame.idle.get(place).copied().unwrap_or(false);
    let watermark = frame.watermarks.get(place).cloned().flatten();
    let mark_idle = {
        let (desk, table) = (desk.clone(), layout.table.clone());
        Callback::from(move |_: MouseEvent| {
            desk.tell(Command::Mark { table: table.clone(), split, mark: InputMark::Idle });
        })
    };
    // A column keeps its place whatever comes.
    let kinds = layout.kinds.len() > 1;
    let widths =
        layout.columns.iter().map(|column| if is_long(&column.1) { "minmax(0,1.6fr)" } else { "minmax(0,1fr)" });
    let columns = std::iter::once(if kinds { "62px 28px" } else { "62px" }).chain(widths).collect::<Vec<_>>().join(" ");
    html! {
        <div class="split">
            if layout.splits > 1 { <p class="split-name">{format!("partition {split}")}</p> }
            if layout.by_hand { <Form layout={layout.clone()} {split} {primary} /> }
            if layout.watermark.is_some() {
                <p class="watermark">
                    <span class="says"><b aria-hidden="true">{"◆"}</b>
                    { match &watermark {
                        Some(text) => format!(" watermark {text}"),
                        None => " no watermark yet".to_owned(),
                    } }
                    { if idle { " · idle" } else { "" } }</span>
                    if layout.idle_marks {
                        <button class="small" onclick={mark_idle} disabled={idle}
                            title="Until its next row, this input holds no watermark back">{"Mark idle"}</button>
                    }
                    if layout.marks {
                        <Advance layout={layout.clone()} frame={frame.clone()} {split} />
                    }
                    if let Some(why) = &layout.no_marks { <span class="why-not" title={why.clone()}>{if layout.idle_marks { "no advance by hand" } else { "no marks by hand" }}</span> }
                </p>
            }
            <ol class="recent" aria-label={format!("Newest rows of {} {split}", layout.table)}>
                { for frame.recent.iter().filter(|row| row.0 == split).enumerate().map(|(place, (_, offset, row_kind, values))| html! {
                    <li key={place} style={format!("grid-template-columns:{columns}")}>
                        <span class="mute number">{format!("#{offset}")}</span>
                        { if kinds { kind(row_kind) } else { Html::default() } }
                        { for values.iter().map(cell) }
                    </li>
                }) }
            </ol>
        </div>
    }
}
