//! How large a statement may become: subqueries and views are put in at every use, and each may double what it is made of.

use std::cell::Cell;

use tidegate_diag::{Diagnostic, Span};

use super::Binder;
use crate::codes::TOO_LARGE;
use crate::logical::{Rel, RelOp};
use crate::rex::{Rex, RexKind};

/// The most SELECTs and tables of one statement, views and common table expressions put in at each use.
const MAX_PARTS: usize = 20_000;
/// The most nodes of the expressions of one SELECT, with those of subqueries put in for their columns.
const MAX_NODES: u64 = 100_000;
/// How high such an expression may be: what the stack of a WebAssembly module bears.
const MAX_HEIGHT: u64 = 300;

/// What was counted in a statement.
#[derive(Default)]
pub(super) struct Counted {
    parts: Cell<usize>,
    /// Where the statement's outermost query stands.
    outermost: Cell<Option<Span>>,
}

/// Nodes and height of a column's expression, all subqueries put in.
#[derive(Clone, Copy)]
struct Weight {
    nodes: u64,
    height: u64,
}

const COLUMN: Weight = Weight { nodes: 1, height: 1 };

impl Binder<'_> {
    /// Counts a SELECT or a table. `None` when there are too many.
    pub(super) fn count_part(&self, span: Span) -> Option<()> {
        let counted = &self.counted;
        if counted.outermost.get().is_none() {
            counted.outermost.set(Some(span));
        }
        let parts = counted.parts.get() + 1;
        counted.parts.set(parts);
        if parts == MAX_PARTS + 1 {
            let message = format!("The statement is too large: it reads more than {MAX_PARTS} tables and subqueries.");
            let hint = "A view, a subquery or a WITH query that is used twice is put in twice, with all that it uses; \
                        write what is used often into a table.";
            let span = counted.outermost.get().unwrap_or(span);
            self.report(Diagnostic::error(TOO_LARGE, message).at(span).hint(hint));
        }
        (parts <= MAX_PARTS).then_some(())
    }

    /// Reports a SELECT whose columns have become too large.
    pub(super) fn check_size(&self, rel: &Rel, span: Span) -> Option<()> {
        let RelOp::Project(exprs) = &rel.op else { return Some(()) };
        let below = weights(rel.input());
        let mut nodes = 0_u64;
        for rex in exprs {
            let weight = weigh(rex, &below);
            nodes = nodes.saturating_add(weight.nodes);
            if nodes > MAX_NODES || weight.height > MAX_HEIGHT {
                let message = match nodes > MAX_NODES {
                    true => format!("The expressions are too large: they come to more than {MAX_NODES} parts."),
                    false => format!("The expressions nest too deeply: more than {MAX_HEIGHT} levels."),
                };
                let hint = "The columns of a subquery are computed where they are used, as often as they are used; \
                            an aggregate or a table between them ends that.";
                self.report(Diagnostic::error(TOO_LARGE, message).at(span).hint(hint));
                return None;
            }
        }
        Some(())
    }
}

/// The weights of a relation's columns, as far as projections can be put into one another.
fn weights(rel: &Rel) -> Vec<Weight> {
    let mut columns = match &rel.op {
        RelOp::Project(exprs) => {
            let below = weights(rel.input());
            exprs.iter().map(|rex| weigh(rex, &below)).collect()
        }
        RelOp::Scan(_) | RelOp::Values(_) | RelOp::Union | RelOp::Aggregate(_) | RelOp::Expand(_) | RelOp::Match(_) => {
            Vec::new()
        }
        RelOp::Correlate(_) => weights(rel.input()),
        _ => rel.inputs.iter().flat_map(weights).collect::<Vec<_>>(),
    };
    columns.resize(rel.width(), COLUMN);
    columns
}

fn weigh(rex: &Rex, below: &[Weight]) -> Weight {
    if let RexKind::Column(index) = rex.kind {
        return below.get(index).copied().unwrap_or(COLUMN);
    }
    let parts = rex.children().into_iter().map(|part| weigh(part, below));
    parts.fold(COLUMN, |all, part| Weight {
        nodes: all.nodes.saturating_add(part.nodes),
        height: all.height.max(part.height + 1),
    })
}
