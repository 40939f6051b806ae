//! Which columns of a relation tell its rows apart.

use crate::logical::{Rel, RelOp};
use tidegate_data::sorted;

/// Whether no two rows of a relation (as a table, at any time) agree in all of `columns`. Declared primary keys are believed.
pub fn is_unique(rel: &Rel, columns: &[usize]) -> bool {
    match &rel.op {
        RelOp::Scan(scan) => {
            scan.table.physical_key().is_some_and(|key| key.iter().all(|column| columns.contains(column)))
        }
        RelOp::Values(rows) => {
            let key =
                |row: &Vec<crate::rex::Rex>| columns.iter().map(|&i| format!("{:?}", row[i].kind)).collect::<Vec<_>>();
            let mut keys: Vec<Vec<String>> = rows.iter().map(key).collect();
            sorted::sort(&mut keys);
            keys.windows(2).all(|pair| pair[0] != pair[1])
        }
        RelOp::Project(exprs) => {
            let below: Vec<usize> = columns.iter().filter_map(|&column| exprs[column].as_column()).collect();
            is_unique(rel.input(), &below)
        }
        RelOp::Filter(_) | RelOp::WatermarkAssigner { .. } | RelOp::Sort(_) => is_unique(rel.input(), columns),
        RelOp::Over(_) => {
            let width = rel.input().width();
            let below: Vec<usize> = columns.iter().copied().filter(|&column| column < width).collect();
            is_unique(rel.input(), &below)
        }
        RelOp::Rank(rank) => {
            let width = rel.input().width();
            let below: Vec<usize> = columns.iter().copied().filter(|&column| column < width).collect();
            let by_rank = rank.end == Some(1) || columns.contains(&width);
            (by_rank && rank.partition.iter().all(|key| below.contains(key))) || is_unique(rel.input(), &below)
        }
        RelOp::Aggregate(aggregate) => (0..aggregate.keys.len()).all(|key| columns.contains(&key)),
        RelOp::Window(_)
        | RelOp::Expand(_)
        | RelOp::Correlate(_)
        | RelOp::Match(_)
        | RelOp::Lookup(_)
        | RelOp::Union
        | RelOp::Sink(_) => false,
        RelOp::Join(join) => {
            let width = rel.inputs[0].width();
            let left: Vec<usize> = columns.iter().copied().filter(|&column| column < width).collect();
            if join.kind.is_semi() {
                return is_unique(&rel.inputs[0], &left);
            }
            let right: Vec<usize> = columns.iter().filter_map(|column| column.checked_sub(width)).collect();
            is_unique(&rel.inputs[0], &left) && is_unique(&rel.inputs[1], &right)
        }
    }
}
