//! Today's service from inside: the log that it reads, its batches, what it has recorded, and each row that it should not have written.

use tidegate_protocol::{BillBatch, BillLine, BillsFrame};
use yew::prelude::*;

/// Properties of [`BatchesView`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// How both stand.
    pub frame: BillsFrame,
}

/// The batches.
#[component(BatchesView)]
pub fn batches_view(props: &Props) -> Html {
    let frame = &props.frame;
    let recorded: Vec<String> =
        frame.recorded.iter().enumerate().map(|(partition, next)| format!("partition {partition}: {next}")).collect();
    html! {
        <>
            <p class="label" id="bills-recorded"><b>{"Recorded offsets"}</b><span class="mute">{recorded.join(" · ")}</span></p>
            <ol class="batches" aria-label="Batches of today’s service">
                { for frame.batches.iter().enumerate().map(|(place, batch)| {
                    let number = place as u32 + 1;
                    let crash = frame.crashes.iter().position(|crash| crash.batch == number).map(|place| place + 1);
                    html! {
                        <li class={classes!("batch", batch.lost.then_some("lost"), batch.recorded.then_some("recorded"))} data-batch={number.to_string()}>
                            <p><b>{format!("Batch {number}")}</b><span class="mute">{state(batch)}</span></p>
                            <ul>{ for batch.lines.iter().map(line) }</ul>
                            if let Some(crash) = crash {
                                <p class="crashed"><span aria-hidden="true">{"✕ "}</span>{format!("crash {crash} at tick {}{}", frame.crashes[crash - 1].tick, restored(frame, crash - 1))}</p>
                            }
                        </li>
                    }
                }) }
            </ol>
        </>
    }
}

fn restored(frame: &BillsFrame, crash: usize) -> String {
    match frame.crashes[crash].restored {
        Some(checkpoint) => format!("; the job went back to checkpoint {checkpoint}"),
        None => String::new(),
    }
}

fn state(batch: &BillBatch) -> &'static str {
    match (batch.recorded, batch.lost) {
        (true, _) => "written, offset recorded",
        (false, true) => "lost half-way, offset not recorded",
        (false, false) => "being written",
    }
}

fn line(line: &BillLine) -> Html {
    let (sign, says) = match line.fate.as_str() {
        "written" => ("✓", "written".to_owned()),
        "dropped" => ("⌀", "dropped: twice in this batch".to_owned()),
        "twice" => ("‼", format!("written twice: it was written before crash {}", line.by)),
        "through" => ("‼", format!("duplicate: batch {} had it", line.by)),
        _ => ("·", "not written".to_owned()),
    };
    let text = |place: usize| line.values.get(place).map_or("", String::as_str);
    html! {
        <li class={line.fate.clone()} title={format!("partition {}, offset {}", line.place.0, line.place.1)}>
            <span aria-hidden="true">{sign}</span>
            <span>{format!("#{}", text(0))}</span><span>{text(1)}</span><span class="right">{text(2)}</span>
            <span class="fate">{says}</span>
        </li>
    }
}
