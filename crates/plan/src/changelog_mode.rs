//! Changelog modes, in two passes as in Flink: which changes each node yields (and whether the node above takes them), then
//! who needs to see `-U`.

use tidegate_data::{ChangelogMode, RowKind};
use tidegate_diag::Diagnostic;

use crate::codes::{BAD_CHANGES, BAD_PLAN};
use crate::config::Config;
use crate::explain::node_text;
use crate::logical::JoinKind;
use crate::phys::{Changes, Phys, PhysKind, RankStrategy, Updates};
use crate::rex::Rex;
use crate::text::Form;
use crate::upsert_keys::upsert_keys;

/// Fills in the changelog traits of a plan whose root is a sink. A collecting sink takes everything.
///
/// # Errors
/// Changes that a sink does not take, in Flink's words.
pub fn infer(sink: Phys, config: &Config) -> Result<Phys, Diagnostic> {
    let PhysKind::Sink { target, mode, .. } = &sink.kind else { return Ok(sink) };
    let requester = format!("Table sink '{}'", crate::catalog::path_of(&target.name));
    let accepted = mode.map_or(Changes::ALL, Changes::of);
    let (kind, schema) = (sink.kind.clone(), sink.schema.clone());
    let mode = *mode;
    let input = with_changes(sink.into_input(), accepted, &requester)?;
    let mut root = Phys::new(kind, Vec::new(), schema);
    root.inputs.push(input);
    finish(root, mode, config)
}

/// Fills in the traits of a plan without a sink, as EXPLAIN of a SELECT shows it: nobody asks for `-U`.
///
/// # Errors
/// A plan for which there is no changelog mode.
pub fn infer_query(query: Phys) -> Result<Phys, Diagnostic> {
    let query = with_changes(query, Changes::ALL, "ROOT")?;
    let wanted = match query.changes.contains(Changes::UPDATE) {
        true => [Updates::After, Updates::Both].to_vec(),
        false => vec![Updates::None],
    };
    wanted.into_iter().find_map(|updates| with_updates(&query, updates)).ok_or_else(no_plan)
}

fn no_plan() -> Diagnostic {
    Diagnostic::error(BAD_PLAN, "Can't generate a valid execution plan for the given query.")
}

/// The first pass. `required` are the changes that the node above takes, `requester` is its name.
fn with_changes(node: Phys, required: Changes, requester: &str) -> Result<Phys, Diagnostic> {
    let Phys { kind, inputs, schema, .. } = node;
    // What a node asks of its inputs: that of the node above where it passes changes on, else its own.
    let (asks, name) = match &kind {
        PhysKind::Calc { .. }
        | PhysKind::Exchange(_)
        | PhysKind::WatermarkAssigner { .. }
        | PhysKind::WindowTableFunction(_)
        | PhysKind::Expand(_)
        | PhysKind::Correlate(_)
        | PhysKind::Lookup(_)
        | PhysKind::DropUpdateBefore
        | PhysKind::Union => (required, requester),
        PhysKind::TemporalSort(_) => (Changes::INSERT, "StreamPhysicalTemporalSort"),
        PhysKind::Match(_) => (Changes::INSERT, "Match Recognize"),
        PhysKind::WindowRank(rank) if crate::rank::window_deduplication(rank, &inputs[0]).is_some() => {
            (Changes::INSERT, "StreamPhysicalWindowDeduplicate")
        }
        PhysKind::WindowRank(_) => (Changes::INSERT, "StreamPhysicalWindowRank"),
        PhysKind::OverAggregate(group) if crate::rank::by_time(group, &inputs[0]) => {
            (Changes::INSERT, "StreamPhysicalOverAggregate")
        }
        PhysKind::Join(join) if join.interval.is_some() => (Changes::INSERT, "StreamPhysicalIntervalJoin"),
        PhysKind::Join(join) if join.windows.is_some() => (Changes::INSERT, "StreamPhysicalWindowJoin"),
        _ => (Changes::ALL, "ROOT"),
    };
    let inputs =
        inputs.into_iter().map(|input| with_changes(input, asks, name)).collect::<Result<Vec<Phys>, Diagnostic>>()?;
    let provided = match &kind {
        PhysKind::Scan { mode, .. } => Changes::of(*mode),
        PhysKind::Values(_) | PhysKind::WindowAggregate { .. } => Changes::INSERT,
        PhysKind::GroupAggregate { .. } => {
            let changes = Changes::INSERT.with(Changes::UPDATE);
            if inputs[0].changes.is_insert_only() { changes } else { changes.with(Changes::DELETE) }
        }
        PhysKind::ChangelogNormalize { .. } => Changes::ALL,
        PhysKind::Rank { .. } | PhysKind::SortLimit { .. } => crate::rank::changes(&kind, &inputs[0]),
        PhysKind::TemporalSort(_) | PhysKind::WindowRank(_) | PhysKind::Match(_) => Changes::INSERT,
        PhysKind::OverAggregate(group) => crate::rank::over_changes(group, &inputs[0]),
        PhysKind::Join(join) if join.is_bounded() => Changes::INSERT,
        PhysKind::Join(join) if join.versions.is_some() => inputs[0].changes,
        PhysKind::Join(join) => match join.kind {
            JoinKind::Inner | JoinKind::Semi => {
                inputs.iter().fold(Changes::default(), |all, input| all.with(input.changes))
            }
            _ => Changes::ALL,
        },
        PhysKind::Sink { .. } => Changes::default(),
        PhysKind::Calc { .. }
        | PhysKind::Exchange(_)
        | PhysKind::WatermarkAssigner { .. }
        | PhysKind::WindowTableFunction(_)
        | PhysKind::Expand(_)
        | PhysKind::Correlate(_)
        | PhysKind::Lookup(_)
        | PhysKind::DropUpdateBefore
        | PhysKind::Union => inputs.iter().fold(Changes::default(), |all, input| all.with(input.changes)),
    };
    let node = Phys { kind, inputs, schema, changes: provided, updates: Updates::None };
    let refused = provided.minus(required);
    if !refused.is_empty() {
        let message = format!(
            "{requester} doesn't support consuming {} changes which is produced by node {}",
            refused.words(),
            node_text(&node, Form::Execution)
        );
        return Err(Diagnostic::error(BAD_CHANGES, message).hint(advice(refused)));
    }
    Ok(node)
}

fn advice(refused: Changes) -> &'static str {
    if refused.contains(Changes::UPDATE) {
        "The query updates rows that it gave before. Write to a sink that takes updates, or make the query append-only, for example by a window."
    } else {
        "The query deletes rows that it gave before. Write to a sink that takes deletes."
    }
}

/// The second pass over a plan with a sink.
fn finish(mut sink: Phys, mode: Option<ChangelogMode>, config: &Config) -> Result<Phys, Diagnostic> {
    let input = sink.inputs.swap_remove(0);
    let changes = input.changes;
    let (only_after, both) = match changes.contains(Changes::UPDATE) {
        true => (Updates::After, Updates::Both),
        false => (Updates::None, Updates::None),
    };
    // A sink that takes everything is asked with the query's own changes, updates with their -U.
    let after_only =
        mode.is_some_and(|mode| mode.contains(RowKind::UpdateAfter) && !mode.contains(RowKind::UpdateBefore));
    let takes_updates = mode.is_none_or(|mode| mode.contains(RowKind::UpdateAfter));
    let PhysKind::Sink { target, .. } = &sink.kind else { return Err(no_plan()) };
    let sink_key = target.table.as_ref().and_then(|table| table.physical_key()).map(|mut key| {
        key.sort_unstable();
        key
    });
    let keys = upsert_keys(&input);
    let wanted: Vec<Updates> = if after_only {
        match &sink_key {
            // A key that is not the query's own: a +U may move a row away from its key, so its -U must be seen.
            Some(key) if !keys.contains(key) => vec![both],
            _ => vec![only_after, both],
        }
    } else if takes_updates {
        vec![both]
    } else {
        vec![Updates::None]
    };
    let materialize = match &sink_key {
        None => false,
        Some(_) if config.is("table.exec.sink.upsert-materialize", "FORCE") => after_only,
        Some(_) if config.is("table.exec.sink.upsert-materialize", "NONE") => false,
        Some(key) => {
            // Only an upsert sink: one that takes inserts only, or -U as well, needs nothing kept for it.
            let covered = keys.iter().any(|own| own.iter().all(|column| key.contains(column)));
            after_only && !changes.is_insert_only() && !covered
        }
    };
    let found = wanted.into_iter().find_map(|updates| with_updates(&input, updates)).ok_or_else(no_plan)?;
    sink.inputs.push(found);
    if let PhysKind::Sink { materialize: own, .. } = &mut sink.kind {
        *own = materialize;
    }
    Ok(sink)
}

/// The second pass: the node such that it yields updates as `required`, if it can.
fn with_updates(node: &Phys, required: Updates) -> Option<Phys> {
    let updates = |node: &Phys, both: bool| match (node.changes.contains(Changes::UPDATE), both) {
        (false, _) => Updates::None,
        (true, true) => Updates::Both,
        (true, false) => Updates::After,
    };
    let build = |inputs: Vec<Phys>, provided: Updates| Phys { inputs, updates: provided, ..node.clone() };
    match &node.kind {
        PhysKind::GroupAggregate { .. } | PhysKind::WindowAggregate { .. } => {
            // Retraction needs the old row.
            let input = satisfied(node.input(), updates(node.input(), true))?;
            let provided = if node.changes.contains(Changes::UPDATE) { required } else { Updates::None };
            Some(build(vec![input], provided))
        }
        // A lone +U or -U of a row whose condition turned would be lost on the way. A condition on an upsert key never turns.
        PhysKind::Calc { condition: Some(condition), .. }
            if required == Updates::After && !on_upsert_key(condition, node.input()) =>
        {
            None
        }
        PhysKind::Calc { .. }
        | PhysKind::Exchange(_)
        | PhysKind::WatermarkAssigner { .. }
        | PhysKind::WindowTableFunction(_)
        | PhysKind::Expand(_)
        | PhysKind::Correlate(_)
        | PhysKind::Lookup(_)
        | PhysKind::DropUpdateBefore => {
            let input = satisfied(node.input(), required)?;
            let provided = input.updates;
            Some(build(vec![input], provided))
        }
        PhysKind::Union => {
            let inputs = node
                .inputs
                .iter()
                .map(|input| {
                    with_updates(input, if input.changes.contains(Changes::UPDATE) { required } else { Updates::None })
                })
                .collect::<Option<Vec<Phys>>>()?;
            let mut provided = Updates::None;
            for input in &inputs {
                match (provided, input.updates) {
                    (own, Updates::None) => provided = own,
                    (Updates::None, other) => provided = other,
                    (own, other) if own == other => {}
                    _ => return None,
                }
            }
            Some(build(inputs, provided))
        }
        PhysKind::Join(join) if join.versions.is_some() => {
            // Left rows come out as they are; of the right side a version replaces the one before.
            let left = satisfied(&node.inputs[0], updates(&node.inputs[0], required != Updates::After))?;
            let right = [false, true].map(|both| satisfied(&node.inputs[1], updates(&node.inputs[1], both)));
            let right = right.into_iter().flatten().next()?;
            let provided = left.updates;
            Some(build(vec![left, right], provided))
        }
        PhysKind::Join(join) => {
            // Without -U a row must stay where it is: a key of each side holds its join key.
            let mut inputs = Vec::with_capacity(2);
            for (input, keys) in node.inputs.iter().zip([&join.left_keys, &join.right_keys]) {
                let updating = input.changes.contains(Changes::UPDATE);
                if required == Updates::After
                    && updating
                    && !upsert_keys(input).iter().any(|unique| keys.iter().all(|key| unique.contains(key)))
                {
                    return None;
                }
                inputs.push(satisfied(input, updates(input, required != Updates::After))?);
            }
            let provided = if node.changes.contains(Changes::UPDATE) { required } else { Updates::None };
            Some(build(inputs, provided))
        }
        PhysKind::ChangelogNormalize { condition, .. } => {
            // Nobody needs -U and nothing is filtered: the upsert stream goes through as it is.
            if required != Updates::Both
                && condition.is_none()
                && !is_duplicated(node.input())
                && let Some(mut exchange) = satisfied(node.input(), updates(node.input(), false))
            {
                return Some(exchange.inputs.swap_remove(0));
            }
            let input = satisfied(node.input(), updates(node.input(), false))?;
            Some(build(vec![input], required))
        }
        PhysKind::Scan { mode, .. } => {
            let provided = match (mode.contains(RowKind::UpdateAfter), mode.contains(RowKind::UpdateBefore)) {
                (_, true) => Updates::Both,
                (true, false) => Updates::After,
                (false, false) => Updates::None,
            };
            let scan = build(Vec::new(), provided);
            if provided == Updates::Both && required == Updates::After {
                let schema = scan.schema.clone();
                let changes = scan.changes;
                let drop = Phys {
                    updates: Updates::After,
                    changes,
                    ..Phys::new(PhysKind::DropUpdateBefore, vec![scan], schema)
                };
                return Some(drop);
            }
            Some(scan)
        }
        PhysKind::Rank { .. } | PhysKind::SortLimit { .. } => {
            crate::rank::strategies(node).into_iter().find_map(|strategy| {
                let both = strategy == RankStrategy::Retract;
                let input = satisfied(node.input(), updates(node.input(), both))?;
                let provided = if node.changes.contains(Changes::UPDATE) { required } else { Updates::None };
                Some(crate::rank::with_strategy(build(vec![input], provided), strategy))
            })
        }
        PhysKind::TemporalSort(_) | PhysKind::WindowRank(_) | PhysKind::Match(_) => {
            Some(build(vec![satisfied(node.input(), Updates::None)?], Updates::None))
        }
        PhysKind::OverAggregate(_) => {
            let input = satisfied(node.input(), updates(node.input(), true))?;
            let provided = if node.changes.contains(Changes::UPDATE) { required } else { Updates::None };
            Some(build(vec![input], provided))
        }
        PhysKind::Values(_) => Some(build(Vec::new(), Updates::None)),
        PhysKind::Sink { .. } => None,
    }
}

fn on_upsert_key(condition: &Rex, input: &Phys) -> bool {
    upsert_keys(input).iter().any(|key| condition.reads_only(|column| key.contains(&column)))
}

/// Whether the rows below a normalisation come from a full changelog, which is only normalised because it may hold duplicates.
fn is_duplicated(node: &Phys) -> bool {
    match &node.kind {
        PhysKind::Scan { mode, .. } => mode.contains(RowKind::UpdateBefore),
        _ => node.inputs.iter().any(is_duplicated),
    }
}

fn satisfied(node: &Phys, required: Updates) -> Option<Phys> {
    let node = with_updates(node, required)?;
    (node.updates == required || !node.changes.contains(Changes::UPDATE)).then_some(node)
}
