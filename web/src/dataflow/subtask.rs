//! A subtask: who it is, how it stands, what it waits for; as a box, as a line of a card, or as a chip.

use tidegate_protocol::{SubtaskFrame, VertexLayout};
use yew::prelude::*;

use super::geometry::{Geometry, Rect, Shape};
use crate::ui::{count, short};

/// Width of a character of a box's and of a card's figures, px.
const CHARACTER: f64 = 6.95;
const SMALL: f64 = 6.65;

/// Draws it. `open` is how many checkpoints are under way.
pub fn subtask(geometry: &Geometry, vertex: &VertexLayout, frame: &SubtaskFrame, open: usize) -> Html {
    let place = geometry.subtasks.get(frame.vertex as usize).and_then(|all| all.get(frame.index as usize));
    let Some(&place) = place else { return Html::default() };
    // Of several checkpoints, what it does for the next one says more than that it is through with one.
    let through = !frame.acknowledged.is_empty()
        && (frame.acknowledged.len() >= open || matches!(frame.status.as_str(), "running" | "idle"));
    let class = if through { "acknowledged" } else { class_of(&frame.status) };
    let inside = match geometry.shape {
        Shape::Boxes => as_box(geometry, vertex, frame, through, place),
        Shape::Cards => as_line(vertex, frame, through, place),
        Shape::Chips => as_chip(vertex, frame, through, place),
    };
    html! {
        <g class={classes!("subtask", class, frame.current.then_some("current"))}
            transform={format!("translate({:.1} {:.1})", place.x, place.y)}
            data-vertex={frame.vertex.to_string()} data-index={frame.index.to_string()} data-status={frame.status.clone()}
            data-acknowledged={(!frame.acknowledged.is_empty()).to_string()}>
            <title>{title(vertex, frame)}</title>
            {inside}
        </g>
    }
}

fn as_box(geometry: &Geometry, vertex: &VertexLayout, frame: &SubtaskFrame, through: bool, place: Rect) -> Html {
    let fits = ((place.w - 20.0) / CHARACTER) as usize;
    let index = if vertex.parallelism > 1 { format!("[{}]", frame.index) } else { String::new() };
    let status = if through { format!("✓ acknowledged {}", numbers(&frame.acknowledged)) } else { said(frame) };
    let told = figures(vertex, frame, count);
    let told = if told.chars().count() > fits { figures(vertex, frame, short) } else { told };
    // Where even that is too long, what is kept says more than what went out.
    let told = match told.chars().count() > fits && frame.kept > 0 {
        true => format!("{} in · {} kept", short(frame.rows_in), short(frame.kept)),
        false => told,
    };
    let last = place.h - 8.0;
    let chain = chain_of(vertex);
    let below = if chain.is_some() { 16.0 } else { 0.0 };
    let y = |more: f64| (37.0 + below + more).to_string();
    html! {
        <>
            <rect width={place.w.to_string()} height={place.h.to_string()} rx="9" />
            if frame.current { <path class="here" transform={format!("translate(-9 {:.1})", place.h / 2.0)} d="M0 -6l7 6l-7 6z" /> }
            <text class="name" x="12" y="20">{format!("{}{index}", fit(&short_name(vertex), fits - 3))}</text>
            if let Some(chain) = &chain { <text class="figure chain" x="12" y="36">{fit(chain, fits)}</text> }
            <text class="figure" x="12" y={y(0.0)}>{fit(&told, fits)}</text>
            if !geometry.timed {
            } else if let Some(watermark) = &frame.watermark {
                // Beside what came late, the time of day is enough.
                <text class="figure" x="12" y={y(16.0)}>
                    if frame.late > 0 {
                        {format!("◆ {} ", time_of_day(watermark))}<tspan class="late">{late(frame.late, fits.saturating_sub(time_of_day(watermark).chars().count() + 3))}</tspan>
                    } else {
                        {format!("◆ {}", fit(watermark.trim_end_matches(".000"), fits - 2))}
                    }
                </text>
            }
            <text class="status" x="12" y={last.to_string()}>{fit(&status, fits)}</text>
        </>
    }
}

/// A line of a card: number and rows at the left, what is special at the right.
fn as_line(vertex: &VertexLayout, frame: &SubtaskFrame, through: bool, place: Rect) -> Html {
    let right = special(frame, through);
    let fits = ((place.w - 18.0) / SMALL) as usize;
    let rows = if vertex.source && !vertex.sink { frame.rows_out } else { frame.rows_in };
    let index = if vertex.parallelism > 1 { format!("{} ", frame.index) } else { String::new() };
    let most = fits.saturating_sub(right.chars().count() + 1).max(3);
    let long = format!("{index}· {}", figures(vertex, frame, short));
    let y = (place.h / 2.0 + 4.0).to_string();
    let brief = format!("{index}· {} {}", short(rows), if vertex.source && !vertex.sink { "out" } else { "in" });
    let left = [long, brief].into_iter().find(|text| text.chars().count() <= most);
    let left = left.unwrap_or_else(|| fit(&format!("{index}· {}", short(rows)), most));
    html! {
        <>
            <rect class="row-ground" x="3" width={format!("{:.1}", place.w - 6.0)} height={format!("{:.1}", place.h - 1.0)} rx="4" />
            if frame.current { <path class="here" transform={format!("translate(-8 {:.1})", place.h / 2.0)} d="M0 -5l6 5l-6 5z" /> }
            <text class="figure small" x="9" y={y.clone()}>{left}</text>
            <text class="status small" x={format!("{:.1}", place.w - 9.0)} {y} text-anchor="end">{right}</text>
        </>
    }
}

/// A chip: the same in two lines.
fn as_chip(vertex: &VertexLayout, frame: &SubtaskFrame, through: bool, place: Rect) -> Html {
    let right = special(frame, through);
    let fits = ((place.w - 12.0) / SMALL) as usize;
    let index = if vertex.parallelism > 1 { format!("[{}]", frame.index) } else { String::new() };
    let wide = place.w > 150.0;
    let (status, rows) = if wide {
        (said(frame), figures(vertex, frame, count))
    } else {
        (right, short(if vertex.source && !vertex.sink { frame.rows_out } else { frame.rows_in }))
    };
    html! {
        <>
            <rect class="row-ground" width={format!("{:.1}", place.w)} height={format!("{:.1}", place.h)} rx="6" />
            <text class="status small" x="6" y="15">{fit(&format!("{index} {status}"), fits)}</text>
            <text class="figure small" x="6" y="31">{fit(&rows, fits)}</text>
        </>
    }
}

/// `12:00:20` of `2024-01-01 12:00:20.000`.
pub fn time_of_day(watermark: &str) -> &str {
    watermark.trim_end_matches(".000").split(' ').next_back().unwrap_or(watermark)
}

fn numbers(checkpoints: &[u64]) -> String {
    checkpoints.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

/// What is special about a subtask, in a few characters.
fn special(frame: &SubtaskFrame, through: bool) -> String {
    match frame.status.as_str() {
        _ if through && frame.acknowledged.len() > 1 => format!("✓ {}", numbers(&frame.acknowledged)),
        _ if through => "✓".to_owned(),
        "aligning" => {
            // `barrier 3: 1 of 2`
            let of = frame.detail.rsplit(": ").next().unwrap_or_default().replace(" of ", "/");
            format!("waits {of}")
        }
        "snapshotting" if frame.detail.starts_with("written") => "sent".to_owned(),
        "snapshotting" => "saves".to_owned(),
        "back-pressured" => "full".to_owned(),
        "waiting for store" => "store".to_owned(),
        "failed" => "✕".to_owned(),
        "restoring" => "…".to_owned(),
        "finished" => "end".to_owned(),
        _ if frame.late > 0 => format!("{} late", short(frame.late)),
        _ => String::new(),
    }
}

fn figures(vertex: &VertexLayout, frame: &SubtaskFrame, number: fn(u64) -> String) -> String {
    let entries = frame.kept;
    let figures = match (vertex.source, vertex.sink) {
        // A chain from source to sink gives nothing to others.
        (true, true) => format!("{} read", number(frame.rows_in)),
        (true, _) => format!("{} out", number(frame.rows_out)),
        (_, true) => format!("{} in", number(frame.rows_in)),
        _ => format!("{} in · {} out", number(frame.rows_in), number(frame.rows_out)),
    };
    if entries > 0 && !vertex.source { format!("{figures} · {} kept", number(entries)) } else { figures }
}

/// How many rows came too late, in so many characters at the most.
fn late(rows: u64, most: usize) -> String {
    let long = format!("{} late, dropped", short(rows));
    if long.chars().count() <= most { long } else { fit(&format!("{} late", short(rows)), most) }
}

fn title(vertex: &VertexLayout, frame: &SubtaskFrame) -> String {
    let mut title = format!("{}[{}]: {}", vertex.name, frame.index, said(frame));
    for (_, _, description) in &vertex.operators {
        title.push('\n');
        title.push_str(description);
    }
    title
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

/// The first telling word of a chain says most: `Source: numbers -> Calc` is the source, `GroupAggregate -> Sink: sums` the aggregate.
pub fn short_name(vertex: &VertexLayout) -> String {
    let parts: Vec<&str> = vertex.name.split(" -> ").collect();
    let told = |word: &&&str| !word.starts_with("Calc") && !word.starts_with("Constraint");
    parts.iter().find(told).or(parts.first()).map_or_else(String::new, |part| (*part).to_owned())
}

/// The operators of a chain behind the one that it is called by; `None` where it is one operator.
pub fn chain_of(vertex: &VertexLayout) -> Option<String> {
    let name = short_name(vertex);
    let mut parts = vertex
        .name
        .split(" -> ")
        .filter(|part| *part != name)
        .map(|part| part.split('[').next().unwrap_or(part))
        .peekable();
    parts.peek()?;
    Some(format!("→ {}", parts.collect::<Vec<_>>().join(" → ")))
}

/// A text cut to so many characters.
pub fn fit(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}
