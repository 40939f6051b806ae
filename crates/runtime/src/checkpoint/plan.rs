//! Which segments of a checkpoint go into which subtask of the new attempt, also at another parallelism.

use std::collections::BTreeMap;

use tidegate_data::keys::subtask_of;
use tidegate_diag::Diagnostic;

use crate::checkpoint::in_flight;
use crate::checkpoint::manifest::{Generation, Manifest, SegmentRef, TableManifest};
use crate::errors;
use crate::graph::JobGraph;
use crate::job::build::Attempt;
use crate::state::{LOOKED_AT, Scope};

/// Where the entries of a segment go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    /// Into the tables of these subtasks, each as far as its key groups go.
    Subtasks(Vec<usize>),
    /// Into this collection first, as part of what this old subtask had.
    Gather(usize, usize),
    /// Back into channels.
    InFlight,
}

/// One segment to load.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub(crate) uid: String,
    pub(crate) table: String,
    pub(crate) scope: Scope,
    pub(crate) segment: SegmentRef,
    pub(crate) spread: Spread,
}

/// A table whose entries are collected and then dealt out.
#[derive(Clone, Debug)]
pub(crate) struct Gather {
    pub(crate) uid: String,
    pub(crate) table: String,
    pub(crate) scope: Scope,
    pub(crate) subtasks: Vec<usize>,
    /// What each old subtask had.
    pub(crate) parts: Vec<BTreeMap<Vec<u8>, Vec<u8>>>,
}

impl Gather {
    /// What all old subtasks had together.
    pub(crate) fn take_entries(&mut self) -> BTreeMap<Vec<u8>, Vec<u8>> {
        self.parts.drain(..).flatten().collect()
    }
}

/// What a restore has to do.
#[derive(Clone, Debug, Default)]
pub(crate) struct RestorePlan {
    /// In the order in which entries have to be applied.
    pub(crate) loads: Vec<Load>,
    pub(crate) gathers: Vec<Gather>,
    /// Subtask, position of the table, segments that it goes on with.
    pub(crate) inherited: Vec<(usize, usize, Vec<Generation>)>,
    /// Subtasks of each vertex of the job that made the checkpoint.
    pub(crate) layout: Vec<usize>,
}

impl RestorePlan {
    /// # Errors
    /// TG4022 to TG4024 when the checkpoint and the job do not fit together. The first misfit says of what kind it is; what else does not fit
    /// is said with it, operator by operator.
    pub(crate) fn new(
        manifest: &Manifest,
        graph: &JobGraph,
        attempt: &Attempt,
        max_parallelism: u32,
        ignore_unclaimed: bool,
    ) -> Result<RestorePlan, Diagnostic> {
        RestorePlan::of(manifest, graph, attempt, max_parallelism, ignore_unclaimed).map_err(|misfits| {
            let joined = misfits.into_iter().reduce(|mut first, misfit| {
                first.message.push('\n');
                first.message.push_str(&misfit.message);
                first
                    .hints
                    .extend(misfit.hints.into_iter().filter(|hint| !first.hints.contains(hint)).collect::<Vec<_>>());
                first
            });
            joined.unwrap_or_else(|| Diagnostic::error(errors::UNCLAIMED_STATE, "The checkpoint does not fit."))
        })
    }

    /// As [`RestorePlan::new`], each misfit by itself.
    pub(crate) fn of(
        manifest: &Manifest,
        graph: &JobGraph,
        attempt: &Attempt,
        max_parallelism: u32,
        ignore_unclaimed: bool,
    ) -> Result<RestorePlan, Vec<Diagnostic>> {
        if manifest.max_parallelism != max_parallelism {
            let message = format!(
                "Checkpoint {} was made with {} key groups, the job has {max_parallelism}.",
                manifest.id, manifest.max_parallelism
            );
            let hint = "pipeline.max-parallelism cannot change while state is kept.";
            return Err(vec![Diagnostic::error(errors::MAX_PARALLELISM_CHANGED, message).hint(hint)]);
        }
        let layout = manifest.vertices.iter().map(|vertex| vertex.subtasks.len()).collect();
        let mut plan = RestorePlan { layout, ..RestorePlan::default() };
        let mut misfits: Vec<Diagnostic> = Vec::new();
        for vertex in &manifest.vertices {
            // The same tables in every subtask, each with segments of its own.
            let Some(first) = vertex.subtasks.first() else { continue };
            for (t, table) in first.iter().enumerate() {
                let parts: Vec<&TableManifest> = vertex.subtasks.iter().filter_map(|tables| tables.get(t)).collect();
                let is_empty = parts.iter().all(|part| part.generations.is_empty());
                let only_looked_at = table.schema.starts_with(LOOKED_AT);
                if table.uid == in_flight::UID {
                    let new = in_flight::table(graph);
                    if !is_empty && new.schema != table.schema {
                        misfits.push(schema_changed(manifest, table, &new));
                        continue;
                    }
                    let segments = parts.iter().flat_map(|part| &part.generations).flat_map(|part| &part.segments);
                    plan.loads.extend(segments.map(|segment| Load {
                        uid: table.uid.clone(),
                        table: table.table.clone(),
                        scope: table.scope,
                        segment: *segment,
                        spread: Spread::InFlight,
                    }));
                    continue;
                }
                let Some(owner) = find_vertex(graph, &table.uid) else {
                    if is_empty || ignore_unclaimed || only_looked_at {
                        continue;
                    }
                    misfits.push(unclaimed(manifest, table));
                    continue;
                };
                let n = graph.vertices[owner].parallelism;
                let subtasks: Vec<usize> = (0..n as usize).map(|i| attempt.first[owner] + i).collect();
                let tables = &attempt.subtasks[subtasks[0]].files.tables;
                let Some(position) = tables.iter().position(|new| new.uid == table.uid && new.table == table.table)
                else {
                    if is_empty || ignore_unclaimed || only_looked_at {
                        continue;
                    }
                    misfits.push(unclaimed(manifest, table));
                    continue;
                };
                let new = &tables[position];
                let differs = new.schema != table.schema || new.scope != table.scope;
                if differs && only_looked_at {
                    continue;
                }
                if !is_empty && differs {
                    misfits.push(schema_changed(manifest, table, new));
                    continue;
                }
                plan.add(&parts, &subtasks, position, max_parallelism, attempt);
            }
        }
        if misfits.is_empty() { Ok(plan) } else { Err(misfits) }
    }

    fn add(
        &mut self,
        parts: &[&TableManifest],
        subtasks: &[usize],
        position: usize,
        max_parallelism: u32,
        attempt: &Attempt,
    ) {
        let TableManifest { uid, table, scope, .. } = parts[0];
        let load = |segment: &SegmentRef, spread| Load {
            uid: uid.clone(),
            table: table.clone(),
            scope: *scope,
            segment: *segment,
            spread,
        };
        let segments = |part: &TableManifest| -> Vec<SegmentRef> {
            part.generations.iter().flat_map(|generation| generation.segments.clone()).collect()
        };
        let n = subtasks.len() as u32;
        match scope {
            Scope::Keyed => {
                for part in parts {
                    for segment in segments(part) {
                        let (from, to) = segment.key_groups;
                        let owner = |group: u16| subtask_of(u32::from(group), max_parallelism, n) as usize;
                        let targets = subtasks[owner(from)..=owner(to)].to_vec();
                        self.loads.push(load(&segment, Spread::Subtasks(targets)));
                    }
                }
                for id in subtasks {
                    let generations = inherit(parts, attempt.subtasks[*id].files.key_groups());
                    self.inherited.push((*id, position, generations));
                }
            }
            Scope::Split if parts.len() == subtasks.len() => {
                for (part, id) in parts.iter().zip(subtasks) {
                    let targets = segments(part).into_iter().map(|s| load(&s, Spread::Subtasks(vec![*id])));
                    self.loads.extend(targets);
                    self.inherited.push((*id, position, part.generations.clone()));
                }
            }
            Scope::Split | Scope::Union => {
                let gather = self.gathers.len();
                self.gathers.push(Gather {
                    uid: uid.clone(),
                    table: table.clone(),
                    scope: *scope,
                    subtasks: subtasks.to_vec(),
                    parts: vec![BTreeMap::new(); parts.len()],
                });
                for (p, part) in parts.iter().enumerate() {
                    let spread = Spread::Gather(gather, p);
                    self.loads.extend(segments(part).iter().map(|segment| load(segment, spread.clone())));
                }
            }
        }
    }
}

/// The segments of all old subtasks as far as they reach into these key groups. Old subtasks have no key group in common, so their n-th
/// generations may stand side by side.
fn inherit(parts: &[&TableManifest], (first, last): (u16, u16)) -> Vec<Generation> {
    let depth = parts.iter().map(|part| part.generations.len()).max().unwrap_or(0);
    let mut generations = Vec::new();
    for i in 0..depth {
        let mut joined = Generation::default();
        for generation in parts.iter().filter_map(|part| part.generations.get(i)) {
            joined.checkpoint = joined.checkpoint.max(generation.checkpoint);
            for segment in &generation.segments {
                let (from, to) = segment.key_groups;
                let key_groups = (from.max(first), to.min(last));
                if key_groups.0 <= key_groups.1 {
                    joined.segments.push(SegmentRef { key_groups, ..*segment });
                }
            }
        }
        if !joined.segments.is_empty() {
            generations.push(joined);
        }
    }
    generations
}

fn find_vertex(graph: &JobGraph, uid: &str) -> Option<usize> {
    graph.vertices.iter().position(|vertex| {
        vertex.source.iter().any(|source| source.uid == uid)
            || vertex.operators.iter().any(|operator| operator.uid == uid)
    })
}

fn unclaimed(manifest: &Manifest, table: &TableManifest) -> Diagnostic {
    let message = format!(
        "Cannot map state of checkpoint {} to the job: operator `{}` with its table `{}` is not available in it.",
        manifest.id, table.uid, table.table
    );
    let hint = "Restore it with the query that made it, or set execution.state-recovery.ignore-unclaimed-state to leave this state out.";
    Diagnostic::error(errors::UNCLAIMED_STATE, message).hint(hint)
}

fn schema_changed(manifest: &Manifest, old: &TableManifest, new: &TableManifest) -> Diagnostic {
    let message = format!(
        "The state table `{}` of operator `{}` has changed: checkpoint {} has {}, the job has {}.",
        old.table, old.uid, manifest.id, old.schema, new.schema
    );
    Diagnostic::error(errors::SCHEMA_CHANGED, message).hint(
        "State can only be restored into a query with the same keys and aggregates; start without state otherwise.",
    )
}
