//! Constants that depend on the session's time zone: `CAST('2024-07-01 12:00:00' AS TIMESTAMP_LTZ(3))`.

use tidegate_data::Zone;

use crate::logical::{Join, Rel, RelOp};
use crate::rex::fold_in;

/// Computes what is constant in the zone.
pub fn apply(rel: Rel, zone: &Zone) -> Rel {
    rel.transform(&mut |rel| {
        let Rel { op, inputs, schema } = rel;
        let op = match op {
            RelOp::Filter(condition) => RelOp::Filter(fold_in(condition, zone)),
            RelOp::Project(exprs) => RelOp::Project(exprs.into_iter().map(|rex| fold_in(rex, zone)).collect()),
            RelOp::Join(Join { kind, condition, form, ttl }) => {
                RelOp::Join(Join { kind, condition: fold_in(condition, zone), form, ttl })
            }
            op => op,
        };
        Rel { op, inputs, schema }
    })
}
