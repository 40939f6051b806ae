//! The dataflow's panel: the sentence of what is happening, the graph, and what is known of the part at the focus.

use std::rc::Rc;

use tidegate_protocol::{JobFrame, JobLayout};
use yew::prelude::*;

use super::bundle::Load;
use super::graph::{Focus, Graph};
use crate::app::Desk;
use crate::ui::{Expand, use_more, use_size};

/// The dataflow's panel.
#[component(DataflowPanel)]
pub fn dataflow_panel() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let node = use_node_ref();
    let room = use_size(&node);
    let focus = use_state_eq(|| None::<Focus>);
    let onfocus = {
        let focus = focus.setter();
        Callback::from(move |at| focus.set(at))
    };
    let layout = page.layout.as_ref().and_then(|layout| layout.jobs.get(page.job));
    {
        // What had the focus is gone with its job, and says nothing of that itself.
        let focus = focus.setter();
        use_effect_with((page.job, layout.map(|layout| layout.sql.clone())), move |_| focus.set(None));
    }
    let drawn =
        page.layout.as_ref().map_or_else(String::new, |layout| format!("{:p} {}", Rc::as_ptr(layout), page.job));
    let frame = page.frame.as_ref().and_then(|frame| frame.job.as_ref());
    use_more(&node, (drawn.clone(), frame.is_some(), room));
    let sentence = page.frame.as_ref().map_or_else(String::new, |frame| frame.sentence.clone());
    let parallel = layout.and_then(|layout| layout.vertices.iter().map(|vertex| vertex.parallelism).max()).unwrap_or(1);
    let told = match (*focus, layout, frame) {
        (Some(focus), Some(layout), Some(frame)) => about(focus, layout, frame),
        _ => None,
    };
    html! {
        <>
            <h2>
                {"Dataflow"}<span class="mute sentence" id="sentence" title={sentence.clone()}>{sentence.clone()}</span><span class="spring"></span>
                if parallel > 1 { <span class="mute parallel">{format!("{parallel} × parallel")}</span> }
                <Expand region={crate::state::Region::Dataflow} />
            </h2>
            <div class="graph-place"><div class="graph" ref={node} role="region" tabindex="0" aria-label="Dataflow graph">
                { match (layout, frame) {
                    // Another run's graph is another one: none of its parts goes from its old place to a new one.
                    (Some(layout), Some(frame)) => html! {
                        <Graph key={drawn} layout={layout.clone()} frame={frame.clone()} {room} focus={*focus} {onfocus} label={sentence} />
                    },
                    _ => html! { <p class="empty">{"The dataflow appears once a query runs."}</p> },
                } }
            </div></div>
            <div class="legend mute">
                if let Some(told) = told {
                    <span class="cell told" title={told.clone()} id="told">{told}</span>
                } else {
                    <span><i class="dot"></i>{"row"}</span><span><i class="diamond"></i>{"watermark"}</span>
                    <span><i class="bar"></i>{"barrier"}</span><span><i class="gate"></i>{"blocked"}</span>
                    <span class="spring"></span>
                    if let Some(layout) = layout {
                        <span class="cell" id="settings">{ layout.settings.iter().map(|(key, value)| {
                            let key = match key.as_str() {
                                "pipeline.auto-watermark-interval" => "watermarks every",
                                "execution.checkpointing.interval" => "checkpoints every",
                                "table.exec.state.ttl" => "state kept for",
                                other => other,
                            };
                            format!("{key} {value}")
                        }).filter(|text| !text.ends_with(" off")).collect::<Vec<_>>().join(" · ") }</span>
                    }
                }
            </div>
        </>
    }
}

/// What is known of a part of the graph.
fn about(focus: Focus, layout: &JobLayout, frame: &JobFrame) -> Option<String> {
    match focus {
        Focus::Vertex(number) => {
            let vertex = layout.vertices.get(number as usize).filter(|vertex| !vertex.hidden)?;
            let mut told: Vec<String> =
                vertex.operators.iter().map(|(_, _, description)| description.clone()).collect();
            let waits = frame.subtasks.iter().filter(|subtask| subtask.vertex == number && !subtask.detail.is_empty());
            told.extend(waits.map(|subtask| format!("[{}] {}", subtask.index, subtask.detail)));
            Some(told.join(" · "))
        }
        Focus::Edge(from, to) => {
            let exchange = layout.edges.iter().find(|edge| (edge.0, edge.1) == (from, to))?;
            let between = frame.channels.iter().filter(|channel| (channel.from.0, channel.to.0) == (from, to));
            Some(format!("{} · {}", exchange.2, Load::of(between).told()))
        }
    }
}
