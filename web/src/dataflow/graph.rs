//! The graph: edges below, vertices above; what has the focus shows each of its channels.

use tidegate_protocol::{JobFrame, JobLayout, SubtaskFrame};
use yew::prelude::*;

use super::bundle::{Load, bundle};
use super::card::card;
use super::channel::channel;
use super::geometry::{Geometry, Shape};
use super::subtask::subtask;

/// How much larger than drawn a graph may get, and in a room of a projector's width.
const LARGEST: f64 = 1.35;
const LARGEST_WIDE: f64 = 1.8;
const WIDE: f64 = 1000.0;

/// What the pointer or the keyboard is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// A vertex.
    Vertex(u32),
    /// The channels from one vertex to another.
    Edge(u32, u32),
}

impl Focus {
    fn opens(self, from: u32, to: u32) -> bool {
        match self {
            Focus::Vertex(vertex) => vertex == from || vertex == to,
            Focus::Edge(one, other) => (one, other) == (from, to),
        }
    }
}

/// Properties of [`Graph`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The job.
    pub layout: JobLayout,
    /// How it stands.
    pub frame: JobFrame,
    /// The room that there is.
    pub room: (f64, f64),
    /// What is at the focus.
    pub focus: Option<Focus>,
    /// It changes.
    pub onfocus: Callback<Option<Focus>>,
    /// What happens, in a sentence.
    pub label: AttrValue,
}

/// The graph.
#[component(Graph)]
pub fn graph(props: &Props) -> Html {
    let (layout, frame, focus) = (&props.layout, &props.frame, props.focus);
    let geometry = use_memo((layout.clone(), props.room), |(layout, room)| Geometry::of(layout, *room));
    let geometry = &*geometry;
    let open_checkpoints = usize::from(frame.checkpoints.current.is_some()) + frame.checkpoints.others.len();
    let (width, height) = geometry.size;
    let scale = match geometry.shape {
        Shape::Boxes if props.room.0 > 0.0 => (props.room.0 / width)
            .min(props.room.1 / height)
            .clamp(1.0, if props.room.0 >= WIDE { LARGEST_WIDE } else { LARGEST }),
        _ => 1.0,
    };
    let mut pairs: Vec<(u32, u32)> = layout.edges.iter().map(|(from, to, _)| (*from, *to)).collect();
    pairs.dedup();
    let open = |from: u32, to: u32| geometry.shape == Shape::Boxes || focus.is_some_and(|focus| focus.opens(from, to));
    let onedge = props.onfocus.reform(|edge: Option<(u32, u32)>| edge.map(|(from, to)| Focus::Edge(from, to)));
    let bundles = pairs.iter().map(|&(from, to)| {
        let between = frame.channels.iter().filter(|channel| (channel.from.0, channel.to.0) == (from, to));
        if geometry.shape == Shape::Boxes {
            return Html::default();
        }
        // It keeps its place and its focus while it is open.
        html! {
            <g class={classes!(open(from, to).then_some("opened"))}>{bundle(geometry, from, to, &Load::of(between), &onedge)}</g>
        }
    });
    let channels = frame.channels.iter().filter(|one| open(one.from.0, one.to.0)).map(|one| channel(geometry, one));
    let vertices = layout.vertices.iter().enumerate().filter_map(|(number, vertex)| {
        let place = geometry.vertices.get(number).copied().flatten()?;
        let subtasks: Vec<&SubtaskFrame> =
            frame.subtasks.iter().filter(|subtask| subtask.vertex as usize == number).collect();
        let number = number as u32;
        let focus = |on: bool| {
            let onfocus = props.onfocus.clone();
            move || onfocus.emit(on.then_some(Focus::Vertex(number)))
        };
        let (enter, leave, focused, blurred) = (focus(true), focus(false), focus(true), focus(false));
        Some(html! {
            <g class="vertex" tabindex="0" role="group" aria-label={vertex.name.clone()} key={number}
                onmouseenter={move |_| enter()} onmouseleave={move |_| leave()} onfocus={move |_| focused()} onblur={move |_| blurred()}>
                if geometry.shape != Shape::Boxes { { card(place, geometry.timed, number, vertex, &subtasks) } }
                { for subtasks.iter().map(|frame| subtask(geometry, vertex, frame, open_checkpoints)) }
            </g>
        })
    });
    let shape = match geometry.shape {
        Shape::Boxes => "boxes",
        Shape::Cards => "cards",
        Shape::Chips => "chips",
    };
    html! {
        <svg role="group" aria-label={format!("The dataflow: {}", props.label)} data-shape={shape}
            class={classes!(focus.is_some().then_some("focussed"))}
            width={format!("{:.0}", width * scale)} height={format!("{:.0}", height * scale)} viewBox={format!("0 0 {width:.1} {height:.1}")}>
            // Lists of their own: where channels come and go, the others keep their elements, and with them the focus.
            <g>{ for bundles }</g>
            <g class="channels">{ for channels }</g>
            <g>{ for vertices }</g>
        </svg>
    }
}
