//! A subtask's box: who it is, how it stands, what it waits for.

use tidegate_protocol::{SubtaskFrame, VertexLayout};
use yew::prelude::*;

use super::geometry::{Geometry, WIDTH};
use crate::ui::count;

/// Characters that fit a line of the box.
const FIT: usize = 24;

/// Draws a box. `checkpoint` is the one under way.
pub fn subtask(geometry: &Geometry, vertex: &VertexLayout, frame: &SubtaskFrame, checkpoint: Option<u64>) -> Html {
    let corner = geometry.boxes.get(frame.vertex as usize).and_then(|boxes| boxes.get(frame.index as usize));
    let Some(&(x, y)) = corner else { return Html::default() };
    let last = geometry.height - 8.0;
    let name = short_name(vertex);
    let index = if vertex.parallelism > 1 { format!("[{}]", frame.index) } else { String::new() };
    let entries: u64 = frame.state.iter().map(|(_, _, entries, _)| entries).sum();
    let mut figures = format!("{} in · {} out", count(frame.rows_in), count(frame.rows_out));
    if vertex.source {
        figures = format!("{} out", count(frame.rows_out));
    } else if vertex.sink {
        figures = format!("{} in", count(frame.rows_in));
    }
    if entries > 0 && !vertex.source {
        figures = format!("{figures} · {} kept", count(entries));
    }
    let (status, class) = match (checkpoint, frame.acknowledged) {
        (Some(id), true) => (format!("✓ acknowledged {id}"), "acknowledged"),
        _ => (said(frame), class_of(&frame.status)),
    };
    let title = format!(
        "{}[{}]: {}{}",
        vertex.name,
        frame.index,
        frame.status,
        vertex.operators.iter().map(|(_, _, description)| format!("\n{description}")).collect::<String>()
    );
    html! {
        <g class={classes!("subtask", class, frame.current.then_some("current"))} transform={format!("translate({x:.1} {y:.1})")}
            data-vertex={frame.vertex.to_string()} data-index={frame.index.to_string()} data-status={frame.status.clone()}
            data-acknowledged={frame.acknowledged.to_string()}>
            <title>{title}</title>
            <rect width={WIDTH.to_string()} height={geometry.height.to_string()} rx="9" />
            if frame.current { <path class="here" transform={format!("translate(-9 {:.1})", geometry.height / 2.0)} d="M0 -6l7 6l-7 6z" /> }
            <text class="name" x="12" y="20">{format!("{}{index}", fit(&name, FIT - 4))}</text>
            <text class="figure" x="12" y="37">{fit(&figures, FIT)}</text>
            if !geometry.timed {
            } else if frame.late > 0 {
                <text class="figure late" x="12" y="53">{format!("{} late, dropped", count(frame.late))}</text>
            } else if let Some(watermark) = &frame.watermark {
                <text class="figure" x="12" y="53">{format!("◆ {}", fit(watermark, FIT - 2))}</text>
            }
            <text class="status" x="12" y={last.to_string()}>{fit(&status, FIT)}</text>
        </g>
    }
}

fn said(frame: &SubtaskFrame) -> String {
    if frame.detail.is_empty() { frame.status.clone() } else { frame.detail.clone() }
}

fn class_of(status: &str) -> &'static str {
    match status {
        "aligning" | "back-pressured" | "waiting for store" => "waits",
        "snapshotting" => "snapshots",
        "failed" => "failed",
        "finished" => "finished",
        _ => "runs",
    }
}

/// The last word of a chain says most: `Source: numbers -> Calc` is the source, `GroupAggregate -> Sink: sums` the aggregate.
fn short_name(vertex: &VertexLayout) -> String {
    let parts: Vec<&str> = vertex.name.split(" -> ").collect();
    let told = |word: &&&str| !word.starts_with("Calc") && !word.starts_with("Constraint");
    parts.iter().find(told).or(parts.first()).map_or_else(String::new, |part| (*part).to_owned())
}

fn fit(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}
