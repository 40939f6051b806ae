//! Filters and projections above the normalisation of an upsert source: what is on the key goes below it, other conditions
//! go into it, and only columns that are read are kept in it.

use tidegate_data::Schema;

use crate::convert::calc;
use crate::phys::{Phys, PhysKind};
use crate::rex::Rex;

/// Transposes calcs and watermark assigners with normalisations.
pub fn apply(phys: Phys) -> Phys {
    phys.transform(&mut |node| push_calc(push_watermark(node)))
}

/// A watermark assigner above a normalisation (a calc may be between) goes below it.
fn push_watermark(node: Phys) -> Phys {
    let PhysKind::WatermarkAssigner { rowtime, watermark } = &node.kind else { return node };
    let (rowtime, watermark) = (*rowtime, watermark.clone());
    match &node.input().kind {
        PhysKind::ChangelogNormalize { keys, condition } => {
            let (keys, condition) = (keys.clone(), condition.clone());
            let schema = node.schema.clone();
            // Normalisation, exchange, source.
            let source = node.into_input().into_input().into_input();
            let assigner = Phys::new(PhysKind::WatermarkAssigner { rowtime, watermark }, vec![source], schema.clone());
            Phys::new(
                PhysKind::ChangelogNormalize { keys: keys.clone(), condition },
                vec![assigner.exchange_by(&keys)],
                schema,
            )
        }
        PhysKind::Calc { condition: None, projections }
            if matches!(node.input().input().kind, PhysKind::ChangelogNormalize { .. }) =>
        {
            let projections = projections.clone();
            let PhysKind::ChangelogNormalize { keys, condition } = node.input().input().kind.clone() else {
                return node;
            };
            let moved: Option<Vec<usize>> =
                keys.iter().map(|key| projections.iter().position(|rex| rex.as_column() == Some(*key))).collect();
            let (Some(keys), None) = (moved, condition) else { return node };
            let schema = node.schema.clone();
            let calc_schema = node.input().schema.clone();
            let source = node.into_input().into_input().into_input().into_input();
            let below = calc(source, None, projections, calc_schema);
            let assigner = Phys::new(PhysKind::WatermarkAssigner { rowtime, watermark }, vec![below], schema.clone());
            Phys::new(
                PhysKind::ChangelogNormalize { keys: keys.clone(), condition: None },
                vec![assigner.exchange_by(&keys)],
                schema,
            )
        }
        _ => node,
    }
}

fn push_calc(node: Phys) -> Phys {
    let PhysKind::Calc { condition, projections } = &node.kind else { return node };
    let PhysKind::ChangelogNormalize { keys, condition: inside } = &node.input().kind else { return node };
    let (condition, projections, keys, inside) = (condition.clone(), projections.clone(), keys.clone(), inside.clone());
    let terms = condition.map(Rex::conjuncts).unwrap_or_default();
    let (on_key, others): (Vec<Rex>, Vec<Rex>) =
        terms.into_iter().partition(|term| term.is_deterministic() && term.reads_only(|column| keys.contains(&column)));
    let schema = node.schema.clone();
    let normalize = node.into_input();
    let width = normalize.schema.fields.len();
    let mut used = vec![false; width];
    keys.iter().for_each(|&key| used[key] = true);
    projections.iter().chain(&others).chain(&inside).for_each(|rex| rex.mark_columns(&mut used));
    let kept: Vec<usize> = (0..width).filter(|&column| used[column]).collect();
    let moved = |column: usize| kept.iter().position(|&own| own == column).unwrap_or_default();
    let others: Vec<Rex> = inside.into_iter().chain(others).map(|rex| rex.map_columns(&moved)).collect();
    let inside = (!others.is_empty()).then(|| Rex::and(others));
    let mut keys: Vec<usize> = keys.into_iter().map(moved).collect();
    let source = normalize.into_input().into_input();
    let below = if on_key.is_empty() && kept.len() == width {
        source
    } else {
        let fields = kept.iter().map(|&column| source.schema.fields[column].clone()).collect();
        let columns = kept.iter().map(|&column| Rex::column(column, source.schema.fields[column].ty.clone())).collect();
        let condition = (!on_key.is_empty()).then(|| Rex::and(on_key));
        keys.sort_unstable();
        // A calc of its own, as in Flink: what is below it was planned before.
        let kind = PhysKind::Calc { condition, projections: columns };
        Phys::new(kind, vec![source], Schema { fields })
    };
    let below_schema = below.schema.clone();
    let kind = PhysKind::ChangelogNormalize { keys: keys.clone(), condition: inside };
    let normalize = Phys::new(kind, vec![below.exchange_by(&keys)], below_schema);
    let projections = projections.into_iter().map(|rex| rex.map_columns(&moved)).collect();
    calc(normalize, None, projections, schema)
}
