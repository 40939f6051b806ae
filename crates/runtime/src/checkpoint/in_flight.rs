//! What was on its way in channels as of an unaligned checkpoint: how it is kept, and how it gets back on its way.
//!
//! It is a table of every subtask that has channels, `in-flight`, whose entries are written anew for each checkpoint. Where the parallelism is the
//! same each element goes back into its channel. Otherwise rows are spread anew as their exchange spreads rows, and watermarks are left out.

use crate::checkpoint::manifest::TableManifest;
use crate::element::Element;
use crate::graph::{Exchange, JobGraph};
use crate::job::build::Attempt;
use crate::state::Scope;

/// The name under which it is found in manifests; no operator is called that.
pub(crate) const UID: &str = "\u{1}channels";

/// The empty table of a subtask.
pub(crate) fn table(graph: &JobGraph) -> TableManifest {
    TableManifest {
        uid: UID.to_owned(),
        table: "in-flight".to_owned(),
        schema: schema(graph),
        scope: Scope::Split,
        generations: Vec::new(),
    }
}

/// All connections of a job, in their order: what is kept of one job can only get back on its way in a job that has the same.
fn schema(graph: &JobGraph) -> String {
    let head = |vertex: usize| {
        let vertex = &graph.vertices[vertex];
        vertex.source.as_ref().map_or_else(|| &vertex.operators[0].uid, |source| &source.uid)
    };
    let edges = graph.edges.iter().map(|edge| format!("{} -> {} {}", head(edge.from), head(edge.to), edge.input));
    edges.collect::<Vec<_>>().join(", ")
}

/// Where an element was: the edge, the subtasks at its ends (by their numbers in the whole job), and its place in the channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InFlightKey {
    pub(crate) edge: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) number: usize,
}

impl InFlightKey {
    /// Ordered as the elements of a channel are.
    pub(crate) fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        let parts = [self.edge, self.from, self.to, self.number];
        for (part, place) in parts.into_iter().zip(bytes.chunks_exact_mut(4)) {
            place.copy_from_slice(&(part as u32).to_be_bytes());
        }
        bytes
    }

    /// What [`InFlightKey::to_bytes`] wrote.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<InFlightKey> {
        let part = |i: usize| Some(u32::from_be_bytes(bytes.get(4 * i..4 * i + 4)?.try_into().ok()?) as usize);
        Some(InFlightKey { edge: part(0)?, from: part(1)?, to: part(2)?, number: part(3)? })
    }
}

/// Puts an element back on its way; `layout` is the number of subtasks of each vertex of the job that made the checkpoint.
///
/// # Errors
/// When the job has no such channel, for people.
pub(crate) fn put_back(
    key: InFlightKey,
    element: Element,
    layout: &[usize],
    graph: &JobGraph,
    attempt: &mut Attempt,
) -> Result<(), String> {
    let unknown = || "rows that were on their way belong to a connection that the job does not have".to_owned();
    let edge = graph.edges.get(key.edge).ok_or_else(unknown)?;
    let first = |vertex: usize| layout.iter().take(vertex).sum::<usize>();
    let (from, to) = (key.from.checked_sub(first(edge.from)), key.to.checked_sub(first(edge.to)));
    let (from, to) = (from.ok_or_else(unknown)?, to.ok_or_else(unknown)?);
    let before = [layout.get(edge.from).copied(), layout.get(edge.to).copied()];
    let now = [edge.from, edge.to].map(|vertex| graph.vertices[vertex].parallelism as usize);
    let sender = attempt.first[edge.from] + from % now[0];
    if before == now.map(Some) {
        let receiver = attempt.first[edge.to] + to;
        let mut channels = attempt.channels.iter_mut();
        let channel = channels.find(|channel| (channel.edge, channel.from, channel.to) == (key.edge, sender, receiver));
        channel.ok_or_else(unknown)?.restore(element);
        return Ok(());
    }
    let Element::Chunk(chunk) = element else { return Ok(()) };
    if edge.exchange == Exchange::Broadcast && to > 0 {
        return Ok(());
    }
    let number = graph.edges[..key.edge].iter().filter(|other| other.from == edge.from).count();
    for (channel, element) in attempt.subtasks[sender].outputs.spread(number, chunk) {
        attempt.channels[channel].restore(element);
    }
    Ok(())
}
