//! The dataflow's panel: the sentence of what is happening, and the graph.

use yew::prelude::*;

use super::channel::channel;
use super::geometry::Geometry;
use super::subtask::subtask;
use crate::app::Desk;

/// How far the graph shrinks to fit, before it scrolls instead: its text stays legible.
const LEAST: f64 = 0.88;

/// The dataflow's panel.
#[component(DataflowPanel)]
pub fn dataflow_panel() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let layout = page.layout.as_ref().and_then(|layout| layout.jobs.get(page.job));
    let geometry = use_memo(layout.cloned(), |layout| layout.as_ref().map(Geometry::of));
    let sentence = page.frame.as_ref().map_or_else(String::new, |frame| frame.sentence.clone());
    let parallel = layout.and_then(|layout| layout.vertices.iter().map(|vertex| vertex.parallelism).max()).unwrap_or(1);
    let graph = match (layout, &*geometry, page.frame.as_ref().and_then(|frame| frame.job.as_ref())) {
        (Some(layout), Some(geometry), Some(job)) => {
            let checkpoint = job.checkpoints.current.as_ref().map(|checkpoint| checkpoint.id);
            let (width, height) = geometry.size;
            html! {
                <svg role="img" aria-label={format!("The dataflow: {sentence}")} width={width.to_string()} height={height.to_string()}
                    viewBox={format!("0 0 {width} {height}")}
                    style={format!("min-width:{:.0}px;min-height:{:.0}px", width * LEAST, height * LEAST)}>
                    { for job.channels.iter().map(|frame| channel(geometry, frame)) }
                    { for job.subtasks.iter().filter_map(|frame| {
                        let vertex = layout.vertices.get(frame.vertex as usize)?;
                        Some(subtask(geometry, vertex, frame, checkpoint))
                    }) }
                </svg>
            }
        }
        _ => html! { <p class="empty">{"The dataflow appears once a query runs."}</p> },
    };
    html! {
        <>
            <h2>
                {"Dataflow"}<span class="mute sentence" id="sentence">{sentence}</span><span class="spring"></span>
                if parallel > 1 { <span class="mute">{format!("{parallel} × parallel")}</span> }
            </h2>
            <div class="graph" tabindex="0" aria-label="Dataflow graph">{graph}</div>
            <p class="legend mute" aria-hidden="true">
                <span><i class="dot"></i>{"row"}</span><span><i class="diamond"></i>{"watermark"}</span>
                <span><i class="bar"></i>{"barrier"}</span><span><i class="gate"></i>{"blocked"}</span>
            </p>
        </>
    }
}
