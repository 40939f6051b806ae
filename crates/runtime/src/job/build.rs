//! From the job graph to subtasks and channels.

use tidegate_data::Chunk;
use tidegate_data::keys::key_groups_of;
use tidegate_data::sorted::SortedSet;
use tidegate_diag::Diagnostic;

use crate::chain::{Chain, Slot, Stage};
use crate::channel::Channel;
use crate::checkpoint::files::Files;
use crate::checkpoint::in_flight;
use crate::checkpoint::manifest::TableManifest;
use crate::errors;
use crate::graph::{Exchange, JobGraph};
use crate::operator::SubtaskInfo;
use crate::output::{OutputEdge, Outputs};
use crate::settings::{CheckpointMode, JobSettings};
use crate::snapshot;
use crate::subtask::Subtask;

/// The subtasks of an attempt and their channels.
pub(crate) struct Attempt {
    pub(crate) subtasks: Vec<Subtask>,
    pub(crate) channels: Vec<Channel>,
    /// Number of the first subtask of each vertex.
    pub(crate) first: Vec<usize>,
}

/// Refuses graphs and settings that cannot run.
pub(crate) fn check(graph: &JobGraph, settings: &JobSettings) -> Result<(), Diagnostic> {
    let graph_error = |message: String| Err(Diagnostic::error(errors::GRAPH, message));
    let setting_error = |message: String| {
        let hint = "Parallelism is 1 to 128, and no higher than the number of key groups.";
        Err(Diagnostic::error(errors::SETTING, message).hint(hint))
    };
    if settings.channel_capacity == 0 {
        return setting_error("A channel needs room for at least one element.".to_owned());
    }
    if settings.chunk_limit == 0 || settings.chunk_limit > Chunk::MAX_ROWS {
        return setting_error(format!("A chunk has 1 to {} rows, not {}.", Chunk::MAX_ROWS, settings.chunk_limit));
    }
    if settings.max_parallelism == 0 || settings.max_parallelism > 1 << 15 {
        return setting_error(format!("pipeline.max-parallelism is 1 to 32768, not {}.", settings.max_parallelism));
    }
    if settings.checkpoints.retained == 0 {
        return setting_error("execution.checkpointing.num-retained is at least 1.".to_owned());
    }
    let checkpoints = &settings.checkpoints;
    let alone = match checkpoints.mode {
        CheckpointMode::Unaligned { .. } => Some("Unaligned checkpoints come"),
        CheckpointMode::StopTheWorld => Some("Checkpoints that stop the world come"),
        _ => None,
    };
    if let Some(alone) = alone.filter(|_| checkpoints.concurrent > 1) {
        let message = format!(
            "{alone} one at a time: execution.checkpointing.max-concurrent-checkpoints is 1 with them, not {}.",
            checkpoints.concurrent
        );
        let hint = "Leave max-concurrent-checkpoints at 1, or take aligned checkpoints.";
        return Err(Diagnostic::error(errors::SETTING, message).hint(hint));
    }
    if settings.checkpoints.generations == 0 {
        return setting_error("A state table consists of at least one checkpoint's changes.".to_owned());
    }
    if graph.vertices.is_empty() {
        return graph_error("The job has no operator.".to_owned());
    }
    let mut uids = SortedSet::new();
    for (v, vertex) in graph.vertices.iter().enumerate() {
        if vertex.parallelism == 0 || vertex.parallelism > settings.max_parallelism {
            return setting_error(format!(
                "The parallelism of `{}` is {}, but 1 to {} (pipeline.max-parallelism) are possible.",
                vertex.name, vertex.parallelism, settings.max_parallelism
            ));
        }
        let source = vertex.source.iter().map(|source| &source.uid);
        for uid in source.chain(vertex.operators.iter().map(|operator| &operator.uid)) {
            if !uids.insert(uid) {
                return graph_error(format!("Two operators are called `{uid}`."));
            }
        }
        let has_inputs = graph.edges.iter().any(|edge| edge.to == v);
        if vertex.source.is_some() == has_inputs {
            return graph_error(format!("`{}` needs either a source or inputs.", vertex.name));
        }
        if vertex.source.is_none() && vertex.operators.is_empty() {
            return graph_error(format!("`{}` has no operator.", vertex.name));
        }
    }
    for edge in &graph.edges {
        let (Some(from), Some(to)) = (graph.vertices.get(edge.from), graph.vertices.get(edge.to)) else {
            return graph_error("An edge leads to a vertex that does not exist.".to_owned());
        };
        if edge.exchange == Exchange::Forward && from.parallelism != to.parallelism {
            return graph_error(format!(
                "`{}` and `{}` are joined one to one and differ in parallelism.",
                from.name, to.name
            ));
        }
    }
    if has_cycle(graph) {
        return graph_error("The graph has a cycle.".to_owned());
    }
    Ok(())
}

fn has_cycle(graph: &JobGraph) -> bool {
    let mut waiting: Vec<usize> =
        (0..graph.vertices.len()).map(|v| graph.edges.iter().filter(|edge| edge.to == v).count()).collect();
    let mut ready: Vec<usize> = (0..waiting.len()).filter(|v| waiting[*v] == 0).collect();
    let mut seen = 0;
    while let Some(v) = ready.pop() {
        seen += 1;
        for edge in graph.edges.iter().filter(|edge| edge.from == v) {
            waiting[edge.to] -= 1;
            if waiting[edge.to] == 0 {
                ready.push(edge.to);
            }
        }
    }
    seen < waiting.len()
}

impl Attempt {
    /// Makes all subtasks, with operators fresh from their factories.
    pub(crate) fn build(graph: &JobGraph, settings: &JobSettings, attempt: u64) -> Attempt {
        let mut first = Vec::new();
        let mut owners = Vec::new();
        for (v, vertex) in graph.vertices.iter().enumerate() {
            first.push(owners.len());
            owners.extend((0..vertex.parallelism).map(|index| (v, index)));
        }

        let mut channels: Vec<Channel> = Vec::new();
        let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); owners.len()];
        let mut numbers: Vec<Vec<usize>> = vec![Vec::new(); owners.len()];
        let mut outgoing: Vec<Vec<OutputEdge>> = owners.iter().map(|_| Vec::new()).collect();
        for (e, edge) in graph.edges.iter().enumerate() {
            for i in 0..graph.vertices[edge.from].parallelism as usize {
                let from = first[edge.from] + i;
                let receivers = match edge.exchange {
                    Exchange::Forward => i..i + 1,
                    _ => 0..graph.vertices[edge.to].parallelism as usize,
                };
                let mut ids = Vec::new();
                for j in receivers {
                    let to = first[edge.to] + j;
                    let counts = &mut numbers[to];
                    counts.resize(counts.len().max(edge.input + 1), 0);
                    let number = counts[edge.input];
                    counts[edge.input] += 1;
                    ids.push(channels.len());
                    incoming[to].push(channels.len());
                    channels.push(Channel::new(e, from, to, edge.input, number, settings.channel_capacity));
                }
                outgoing[from].push(OutputEdge::new(edge.exchange.clone(), ids, settings.max_parallelism));
            }
        }

        let mut subtasks = Vec::new();
        for (id, (v, index)) in owners.into_iter().enumerate() {
            let vertex = &graph.vertices[v];
            let info = SubtaskInfo {
                index,
                parallelism: vertex.parallelism,
                max_parallelism: settings.max_parallelism,
                attempt,
                job: settings.job.clone(),
            };
            let mut slots = Vec::new();
            if let Some(source) = &vertex.source {
                slots.push(Slot::new(source.uid.clone(), Stage::Source((source.factory)(&info))));
            }
            for operator in &vertex.operators {
                slots.push(Slot::new(operator.uid.clone(), Stage::Operator((operator.factory)(&info))));
            }
            let groups = key_groups_of(index, settings.max_parallelism, vertex.parallelism);
            let mut files = Files::new(id, (groups.start as u16, groups.end.saturating_sub(1) as u16));
            files.tables = snapshot::tables(&mut slots)
                .into_iter()
                .map(|table| TableManifest {
                    uid: table.uid,
                    table: table.table,
                    schema: table.schema,
                    scope: table.scope,
                    generations: Vec::new(),
                })
                .collect();
            if !incoming[id].is_empty() {
                files.tables.push(in_flight::table(graph));
            }
            let chain = Chain::new(slots, id, info);
            let outputs = Outputs::new(std::mem::take(&mut outgoing[id]));
            subtasks.push(Subtask::new(id, v, chain, files, outputs, std::mem::take(&mut incoming[id]), &numbers[id]));
        }
        Attempt { subtasks, channels, first }
    }

    /// The subtask of a vertex with this number.
    pub(crate) fn find(&self, vertex: usize, index: u32) -> Option<usize> {
        let id = self.first.get(vertex)? + index as usize;
        self.subtasks.get(id).filter(|subtask| subtask.vertex == vertex).map(|subtask| subtask.id)
    }
}
