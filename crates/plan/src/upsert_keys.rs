//! Upsert keys: the sets of columns by which a stream's updates can be told apart (Flink's FlinkRelMdUpsertKeys).

use crate::bind::is_implicit;
use crate::phys::{Phys, PhysKind};
use crate::physical::Distribution;
use crate::rex::{Rex, RexKind};

/// The upsert keys of a node, each a sorted set of columns.
pub fn upsert_keys(node: &Phys) -> Vec<Vec<usize>> {
    match &node.kind {
        PhysKind::Scan { scan, .. } => scan.table.physical_key().map(sorted).into_iter().collect(),
        PhysKind::Values(_)
        | PhysKind::Union
        | PhysKind::Sink { .. }
        | PhysKind::WindowTableFunction(_)
        | PhysKind::Expand(_) => Vec::new(),
        PhysKind::WatermarkAssigner { .. } | PhysKind::DropUpdateBefore => upsert_keys(node.input()),
        PhysKind::Exchange(Distribution::Hash(columns)) => {
            // Rows of one key must stay in one subtask.
            upsert_keys(node.input())
                .into_iter()
                .filter(|key| columns.iter().all(|column| key.contains(column)))
                .collect()
        }
        PhysKind::Exchange(_) => upsert_keys(node.input()),
        PhysKind::Calc { projections, .. } => {
            let mut keys = Vec::new();
            for key in upsert_keys(node.input()) {
                let places: Vec<Vec<usize>> = key
                    .iter()
                    .map(|column| (0..projections.len()).filter(|&i| carries(&projections[i], *column)).collect())
                    .collect();
                keys.extend(combinations(&places));
            }
            keys
        }
        PhysKind::GroupAggregate { keys, .. } => vec![(0..keys.len()).collect()],
        PhysKind::WindowAggregate { keys, calls, properties, .. } => {
            let window = keys.len() + calls.len();
            (0..properties.len()).map(|property| sorted((0..keys.len()).chain([window + property]).collect())).collect()
        }
        PhysKind::ChangelogNormalize { keys, .. } => vec![sorted(keys.clone())],
        PhysKind::Rank { .. } => crate::rank::upsert_keys_of(node),
        PhysKind::SortLimit { .. }
        | PhysKind::WindowRank(_)
        | PhysKind::TemporalSort(_)
        | PhysKind::OverAggregate(_) => upsert_keys(node.input()),
    }
}

/// Whether a projection is a column, or a cast of it that SQL would make by itself.
fn carries(rex: &Rex, column: usize) -> bool {
    match &rex.kind {
        RexKind::Column(own) => *own == column,
        RexKind::Cast { input, safe: false } => {
            input.as_column() == Some(column)
                && is_implicit(&input.ty.logical.without_time_attribute(), &rex.ty.logical)
        }
        _ => false,
    }
}

pub(crate) fn sorted(mut key: Vec<usize>) -> Vec<usize> {
    key.sort_unstable();
    key.dedup();
    key
}

/// One column of each list.
fn combinations(places: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for columns in places {
        all = all
            .into_iter()
            .flat_map(|key: Vec<usize>| {
                columns.iter().map(move |column| key.iter().copied().chain([*column]).collect::<Vec<_>>())
            })
            .collect();
    }
    all.into_iter().map(sorted).collect()
}
