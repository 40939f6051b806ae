//! Upsert keys: the sets of columns by which a stream's updates can be told apart (Flink's FlinkRelMdUpsertKeys).

use crate::bind::is_implicit;
use crate::phys::{Phys, PhysJoin, PhysKind};
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
        | PhysKind::Expand(_)
        | PhysKind::Correlate(_)
        | PhysKind::Match(_)
        | PhysKind::Lookup(_) => Vec::new(),
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
            let width = node.input().schema.fields.len();
            // One row at most is a key of no columns; Flink loses it where nothing but calculations is left.
            if !(0..width).any(|column| projections.iter().any(|rex| carries(rex, column))) {
                return keys;
            }
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
        PhysKind::Join(join) => of_join(node, join),
    }
}

/// Those of both sides together, and those of one side alone where a row of it meets one row at most.
fn of_join(node: &Phys, join: &PhysJoin) -> Vec<Vec<usize>> {
    let left = upsert_keys(&node.inputs[0]);
    if join.kind.is_semi() {
        return left;
    }
    let width = node.inputs[0].schema.fields.len();
    let unique =
        |keys: &[Vec<usize>], by: &[usize]| keys.iter().any(|key| key.iter().all(|column| by.contains(column)));
    let right = upsert_keys(&node.inputs[1]);
    let (one_left, one_right) = (unique(&left, &join.left_keys), unique(&right, &join.right_keys));
    let right: Vec<Vec<usize>> = right.into_iter().map(|key| key.into_iter().map(|c| c + width).collect()).collect();
    let mut keys: Vec<Vec<usize>> = Vec::new();
    for r in &right {
        keys.extend(left.iter().map(|l| sorted(l.iter().chain(r).copied().collect())));
    }
    if one_right && !join.kind.keeps_right() {
        keys.extend(left);
    }
    if one_left && !join.kind.keeps_left() {
        keys.extend(right);
    }
    let mut distinct: Vec<Vec<usize>> = Vec::new();
    for key in keys {
        if !distinct.contains(&key) {
            distinct.push(key);
        }
    }
    distinct
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
