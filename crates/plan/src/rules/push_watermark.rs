//! A source that makes its own watermarks takes the declaration: `WATERMARK FOR ts AS SOURCE_WATERMARK()` always, an
//! expression where the connector says so. Then the plan has no watermark assigner.

use std::sync::Arc;

use crate::catalog::Catalog;
use crate::logical::{Rel, RelOp, ScanTable};
use crate::rex::Rex;

/// Moves watermarks into the scans that take them.
pub fn apply(rel: Rel, catalog: &Catalog) -> Rel {
    rel.transform(&mut |rel| {
        let RelOp::WatermarkAssigner { rowtime, watermark } = &rel.op else { return rel };
        let (rowtime, watermark) = (*rowtime, watermark.clone());
        let source = watermark.args_of("SOURCE_WATERMARK").is_some();
        match &rel.input().op {
            RelOp::Scan(scan) if source || pushes_down(scan, catalog) => {
                let scan = ScanTable { watermark: Some((rowtime, watermark)), ..(**scan).clone() };
                Rel { op: RelOp::Scan(Arc::new(scan)), inputs: Vec::new(), schema: rel.schema }
            }
            // Across the projection that computes columns.
            RelOp::Project(exprs) => {
                let RelOp::Scan(scan) = &rel.input().input().op else { return rel };
                let column = exprs[rowtime].as_column();
                if !(source || (pushes_down(scan, catalog) && column.is_some())) {
                    return rel;
                }
                let width = rel.input().input().width();
                let position = column.unwrap_or(width);
                let scan = ScanTable { watermark: Some((position, watermark.substitute(exprs))), ..(**scan).clone() };
                let mut schema = rel.input().input().schema.clone();
                let ty = rel.schema.fields[rowtime].ty.clone();
                let mut exprs = exprs.clone();
                match column {
                    Some(column) => {
                        schema.fields[column].ty = ty.clone();
                        exprs[rowtime] = Rex::column(column, ty);
                    }
                    // The same value under another type: no cast that a plan would show.
                    None => exprs[rowtime].ty = ty,
                }
                let names = rel.names();
                let scan = Rel { op: RelOp::Scan(Arc::new(scan)), inputs: Vec::new(), schema };
                Rel::project(scan, exprs, names)
            }
            _ => rel,
        }
    })
}

fn pushes_down(scan: &ScanTable, catalog: &Catalog) -> bool {
    catalog.connector(&scan.table.connector).is_some_and(|spec| (spec.watermark_push_down)(&scan.table.option_pairs()))
}
