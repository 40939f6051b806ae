//! A search for patterns (MATCH_RECOGNIZE) as the physical plan has it.

use tidegate_expr::{AggregateCall, Expr};

use crate::over::SortColumn;

/// A search for patterns.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternMatch {
    /// PARTITION BY.
    pub partition: Vec<usize>,
    /// The rowtime that rows are ordered by; none for processing time.
    pub rowtime: Option<usize>,
    /// ORDER BY behind the time.
    pub order: Vec<SortColumn>,
    /// The pattern: its variables, one behind the other.
    pub variables: Vec<PatternVariable>,
    /// WITHIN, in ms; 0 without.
    pub within: i64,
    /// AFTER MATCH.
    pub skip: SkipTo,
    /// MEASURES.
    pub measures: Vec<PatternExpr>,
}

/// A variable of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternVariable {
    /// Its name.
    pub name: String,
    /// How many rows it takes at least.
    pub min: u32,
    /// How many it takes at most, if there is a bound.
    pub max: Option<u32>,
    /// Whether it takes as many as it can.
    pub greedy: bool,
    /// What is true of a row of it.
    pub condition: Option<PatternExpr>,
}

/// Where the search goes on after a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipTo {
    /// At the row behind its first.
    NextRow,
    /// At the row behind its last.
    PastLastRow,
    /// At the first row of a variable.
    First(usize),
    /// At the last row of a variable.
    Last(usize),
}

/// An expression over values of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternExpr {
    /// What the expression's columns stand for.
    pub values: Vec<PatternValue>,
    /// The expression.
    pub expr: Expr,
}

/// A value of a match.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternValue {
    /// A column of one row.
    Cell {
        /// The variables of whose rows it is one.
        variables: Vec<usize>,
        /// Counted from the first row, not from the last.
        from_first: bool,
        /// How many rows before or behind that one.
        offset: u32,
        /// The column of the input.
        column: usize,
    },
    /// An aggregate over rows.
    Aggregate {
        /// The variables over whose rows.
        variables: Vec<usize>,
        /// The aggregate, over `args`.
        call: AggregateCall,
        /// Its arguments, over the input's columns.
        args: Vec<Expr>,
    },
    /// `MATCH_ROWTIME()`
    Rowtime,
    /// `MATCH_PROCTIME()`
    Proctime,
}
