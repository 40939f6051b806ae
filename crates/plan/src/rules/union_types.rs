//! The sides of a UNION ALL get the columns' common types: `SELECT an_int … UNION ALL SELECT a_bigint …` casts the first.

use crate::bind::coerce;
use crate::logical::{Rel, RelOp};

/// Casts the inputs of unions.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |mut rel| {
        if let RelOp::Union = rel.op {
            let schema = rel.schema.clone();
            rel.inputs = rel.inputs.into_iter().map(|input| coerce(input, &schema)).collect();
        }
        rel
    })
}
