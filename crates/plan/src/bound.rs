//! Queries as the binder gives them, before any rule: what a reference computes the meaning of a query from.

use tidegate_diag::Diagnostic;
use tidegate_sql::ast::Query;

use crate::bind::Binder;
use crate::catalog::Catalog;

pub use crate::correlate::Correlate;
pub use crate::logical::{AggCall, AggFunction, Aggregate, Join, JoinKind, Rel, RelOp, ScanTable, Window};
pub use crate::over::{Bound, Frame, OverCall, OverFunction, Sort, SortColumn, SortKey};
pub use crate::rex::{Rex, RexKind};

/// A query as it is bound.
///
/// # Errors
/// All that is wrong with it.
pub fn query(catalog: &Catalog, query: &Query) -> Result<Rel, Vec<Diagnostic>> {
    let binder = Binder::new(catalog);
    let bound = binder.query(query);
    match (bound, binder.into_diagnostics()) {
        (Some(rel), reported) if reported.is_empty() => Ok(rel),
        (_, reported) => Err(reported),
    }
}
