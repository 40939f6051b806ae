//! Computed columns below a watermark that nobody reads are not computed: `ts AS TO_TIMESTAMP(t), WATERMARK FOR ts AS …` reads
//! only t where a query reads only ts.

use crate::logical::{Rel, RelOp};
use crate::rex::Rex;

/// Prunes the projections of computed columns.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |rel| prune(&rel).unwrap_or(rel))
}

fn prune(rel: &Rel) -> Option<Rel> {
    let RelOp::Project(exprs) = &rel.op else { return None };
    // A filter may stand between.
    let (assigner, condition) = match &rel.input().op {
        RelOp::Filter(condition) => (rel.input().input(), Some(condition)),
        _ => (rel.input(), None),
    };
    let RelOp::WatermarkAssigner { rowtime, watermark } = &assigner.op else { return None };
    let RelOp::Project(computed) = &assigner.input().op else { return None };
    let mut used = vec![false; computed.len()];
    exprs.iter().chain(condition).chain([watermark]).for_each(|rex| rex.mark_columns(&mut used));
    used[*rowtime] = true;
    let kept: Vec<usize> = (0..computed.len()).filter(|&column| used[column]).collect();
    if kept.len() == computed.len() {
        return None;
    }
    let moved = |column: usize| kept.iter().position(|&own| own == column).unwrap_or_default();
    let names = kept.iter().map(|&column| assigner.input().schema.fields[column].name.clone()).collect();
    let below = kept.iter().map(|&column| computed[column].clone()).collect();
    let project = Rel::project(assigner.input().input().clone(), below, names);
    let mut schema = project.schema.clone();
    schema.fields[moved(*rowtime)] = assigner.schema.fields[*rowtime].clone();
    let op = RelOp::WatermarkAssigner { rowtime: moved(*rowtime), watermark: watermark.clone().map_columns(&moved) };
    let mut below = Rel { op, inputs: vec![project], schema };
    if let Some(condition) = condition {
        below = Rel::filter(below, condition.clone().map_columns(&moved));
    }
    let exprs: Vec<Rex> = exprs.iter().map(|rex| rex.clone().map_columns(&moved)).collect();
    Some(Rel::project(below, exprs, rel.names()))
}
