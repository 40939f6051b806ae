//! Window functions (calls with OVER), the order of rows, ranks: what the logical and the physical plan share about them.

use std::fmt::Write as _;

use tidegate_data::DataType;
use tidegate_diag::Diagnostic;

use crate::codes::{BAD_PLAN, NOT_YET};
use crate::logical::{AggFunction, Rel, RelOp};
use crate::rex::Rex;
use crate::text::{Form, rex_text};

/// A column that rows are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortColumn {
    /// The column.
    pub column: usize,
    /// DESC.
    pub descending: bool,
    /// NULLS FIRST; by default NULL is the lowest value.
    pub nulls_first: bool,
}

/// An expression that rows are ordered by.
#[derive(Clone, Debug, PartialEq)]
pub struct SortKey {
    /// The expression.
    pub rex: Rex,
    /// DESC.
    pub descending: bool,
    /// NULLS FIRST.
    pub nulls_first: bool,
}

/// A function that a call with OVER may be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverFunction {
    /// ROW_NUMBER()
    RowNumber,
    /// RANK()
    Rank,
    /// DENSE_RANK()
    DenseRank,
    /// PERCENT_RANK()
    PercentRank,
    /// CUME_DIST()
    CumeDist,
    /// NTILE(n)
    Ntile,
    /// LAG(x, offset, default)
    Lag,
    /// LEAD(x, offset, default)
    Lead,
    /// An aggregate.
    Aggregate(AggFunction),
}

impl OverFunction {
    /// The function of this name, if it is one of the window functions that are no aggregates.
    pub fn named(name: &str) -> Option<OverFunction> {
        Some(match name {
            "ROW_NUMBER" => OverFunction::RowNumber,
            "RANK" => OverFunction::Rank,
            "DENSE_RANK" => OverFunction::DenseRank,
            "PERCENT_RANK" => OverFunction::PercentRank,
            "CUME_DIST" => OverFunction::CumeDist,
            "NTILE" => OverFunction::Ntile,
            "LAG" => OverFunction::Lag,
            "LEAD" => OverFunction::Lead,
            _ => return None,
        })
    }

    /// The name that plans show.
    pub const fn name(self) -> &'static str {
        match self {
            OverFunction::RowNumber => "ROW_NUMBER",
            OverFunction::Rank => "RANK",
            OverFunction::DenseRank => "DENSE_RANK",
            OverFunction::PercentRank => "PERCENT_RANK",
            OverFunction::CumeDist => "CUME_DIST",
            OverFunction::Ntile => "NTILE",
            OverFunction::Lag => "LAG",
            OverFunction::Lead => "LEAD",
            OverFunction::Aggregate(function) => function.name(),
        }
    }

    /// Whether it numbers rows: then its frame is always all rows up to the current one.
    pub const fn ranks(self) -> bool {
        !matches!(self, OverFunction::Lag | OverFunction::Lead | OverFunction::Aggregate(_))
    }
}

/// One end of a frame: rows, or milliseconds (or another distance) of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// UNBOUNDED PRECEDING
    UnboundedPreceding,
    /// n PRECEDING
    Preceding(i64),
    /// CURRENT ROW
    CurrentRow,
    /// n FOLLOWING
    Following(i64),
    /// UNBOUNDED FOLLOWING
    UnboundedFollowing,
}

/// The rows that a window function looks at.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// ROWS, not RANGE.
    pub rows: bool,
    /// Where it begins.
    pub start: Bound,
    /// Where it ends.
    pub end: Bound,
    /// The unit of the distances, where they are intervals.
    pub unit: Option<String>,
}

/// A call with OVER as it is bound: over the columns of the rows.
#[derive(Clone, Debug, PartialEq)]
pub struct OverCall {
    /// The function.
    pub function: OverFunction,
    /// Its arguments.
    pub args: Vec<Rex>,
    /// DISTINCT.
    pub distinct: bool,
    /// PARTITION BY.
    pub partition: Vec<Rex>,
    /// ORDER BY.
    pub order: Vec<SortKey>,
    /// The frame.
    pub frame: Frame,
}

impl OverCall {
    /// All expressions in it.
    pub fn parts(&self) -> impl Iterator<Item = &Rex> {
        self.args.iter().chain(&self.partition).chain(self.order.iter().map(|key| &key.rex))
    }

    /// The same with each expression replaced.
    #[must_use]
    pub fn map(self, f: &mut dyn FnMut(Rex) -> Rex) -> OverCall {
        OverCall {
            args: self.args.into_iter().map(&mut *f).collect(),
            partition: self.partition.into_iter().map(&mut *f).collect(),
            order: self.order.into_iter().map(|key| SortKey { rex: f(key.rex), ..key }).collect(),
            ..self
        }
    }

    /// Its text in the syntax tree.
    pub fn text(&self, names: &[String], form: Form) -> String {
        let list = |rexes: &[Rex]| rexes.iter().map(|rex| rex_text(rex, names, form)).collect::<Vec<_>>().join(", ");
        let distinct = if self.distinct { "DISTINCT " } else { "" };
        let mut out = format!("{}({distinct}{}) OVER (", self.function.name(), list(&self.args));
        let mut parts = Vec::new();
        if !self.partition.is_empty() {
            parts.push(format!("PARTITION BY {}", list(&self.partition)));
        }
        if !self.order.is_empty() {
            let keys: Vec<String> = self
                .order
                .iter()
                .map(|key| {
                    let direction = if key.descending { " DESC" } else { "" };
                    let nulls = if key.nulls_first { "FIRST" } else { "LAST" };
                    format!("{}{direction} NULLS {nulls}", rex_text(&key.rex, names, form))
                })
                .collect();
            parts.push(format!("ORDER BY {}", keys.join(", ")));
        }
        if !self.function.ranks() {
            parts.extend(self.frame.tree_text());
        }
        let _ = write!(out, "{})", parts.join(" "));
        out
    }
}

impl Frame {
    /// All rows up to the current one and its equals.
    pub const fn default_range() -> Frame {
        Frame { rows: false, start: Bound::UnboundedPreceding, end: Bound::CurrentRow, unit: None }
    }

    /// All rows up to the current one.
    pub const fn rows_so_far() -> Frame {
        Frame { rows: true, start: Bound::UnboundedPreceding, end: Bound::CurrentRow, unit: None }
    }

    fn tree_text(&self) -> Option<String> {
        if *self == Frame::default_range() {
            return None;
        }
        let distance = |n: i64| match &self.unit {
            Some(unit) => format!("{n}:INTERVAL {unit}"),
            None => n.to_string(),
        };
        let bound = |bound: Bound| match bound {
            Bound::UnboundedPreceding => "UNBOUNDED PRECEDING".to_string(),
            Bound::Preceding(n) => format!("{} PRECEDING", distance(n)),
            Bound::CurrentRow => "CURRENT ROW".into(),
            Bound::Following(n) => format!("{} FOLLOWING", distance(n)),
            Bound::UnboundedFollowing => "UNBOUNDED FOLLOWING".into(),
        };
        let word = if self.rows { "ROWS" } else { "RANGE" };
        Some(match self.end {
            Bound::CurrentRow => format!("{word} {}", bound(self.start)),
            end => format!("{word} BETWEEN {} AND {}", bound(self.start), bound(end)),
        })
    }

    /// Its text in the physical plan.
    pub fn text(&self) -> String {
        let bound = |bound: Bound| match bound {
            Bound::UnboundedPreceding => "UNBOUNDED PRECEDING".to_string(),
            Bound::Preceding(n) => format!("{n} PRECEDING"),
            Bound::CurrentRow => "CURRENT ROW".into(),
            Bound::Following(n) => format!("{n} FOLLOWING"),
            Bound::UnboundedFollowing => "UNBOUNDED FOLLOWING".into(),
        };
        let word = if self.rows { "ROWS" } else { "RANGE" };
        format!(" {word} BETWEEN {} AND {}", bound(self.start), bound(self.end))
    }
}

/// The calls of one window, over columns.
#[derive(Clone, Debug, PartialEq)]
pub struct OverGroup {
    /// PARTITION BY.
    pub partition: Vec<usize>,
    /// ORDER BY.
    pub order: Vec<SortColumn>,
    /// The frame.
    pub frame: Frame,
    /// The calls.
    pub calls: Vec<OverAgg>,
}

/// A call with OVER over columns.
#[derive(Clone, Debug, PartialEq)]
pub struct OverAgg {
    /// The function.
    pub function: OverFunction,
    /// Its arguments: columns; further ones of LAG and LEAD may be constants.
    pub args: Vec<Rex>,
    /// DISTINCT.
    pub distinct: bool,
    /// The type of its result.
    pub ty: DataType,
}

/// The rows of some ranks of each partition.
#[derive(Clone, Debug, PartialEq)]
pub struct Rank {
    /// ROW_NUMBER, RANK or DENSE_RANK.
    pub function: OverFunction,
    /// PARTITION BY.
    pub partition: Vec<usize>,
    /// ORDER BY.
    pub order: Vec<SortColumn>,
    /// The first rank, from 1.
    pub start: u64,
    /// The last one; none where there is no end.
    pub end: Option<u64>,
    /// Whether the rank is the last column.
    pub with_rank: bool,
}

/// ORDER BY, LIMIT, OFFSET.
#[derive(Clone, Debug, PartialEq)]
pub struct Sort {
    /// ORDER BY.
    pub order: Vec<SortColumn>,
    /// OFFSET.
    pub offset: Option<u64>,
    /// LIMIT.
    pub fetch: Option<u64>,
}

/// `price DESC, id ASC`
pub fn order_text(order: &[SortColumn], names: &[String]) -> String {
    let keys: Vec<String> = order
        .iter()
        .map(|key| format!("{} {}", names[key.column], if key.descending { "DESC" } else { "ASC" }))
        .collect();
    keys.join(", ")
}

/// What is well-formed SQL and cannot run over a stream.
///
/// # Errors
/// In Flink's words.
pub fn check(rel: &Rel) -> Result<(), Diagnostic> {
    rel.inputs.iter().try_for_each(check)?;
    let refuse = |message: String, hint: &str| Err(Diagnostic::error(BAD_PLAN, message).hint(hint.to_string()));
    match &rel.op {
        RelOp::Rank(rank) if rank.function != OverFunction::RowNumber => refuse(
            format!("{}() on streaming table is not supported currently", rank.function.name()),
            "Use ROW_NUMBER(): rows of equal order then have different ranks, in the order of their arrival.",
        ),
        RelOp::Rank(rank) if rank.end.is_none() => refuse(
            "Rank end is not specified. Currently rank only support TopN, which means the rank end must be specified."
                .into(),
            "Say how many rows are wanted: WHERE rn <= 10.",
        ),
        RelOp::Sort(sort) => check_sort(sort, rel),
        RelOp::Over(groups) => check_over(groups, rel),
        _ => Ok(()),
    }
}

fn check_over(groups: &[OverGroup], rel: &Rel) -> Result<(), Diagnostic> {
    let refuse = |message: String, hint: &str| Err(Diagnostic::error(BAD_PLAN, message).hint(hint.to_string()));
    let [group] = groups else {
        return refuse(
            "Over Agg: Unsupported use of OVER windows. All aggregates must be computed on the same window. please re-check the over window statement.".into(),
            "Compute them one after the other, in subqueries.",
        );
    };
    let batch_only = |function: OverFunction| {
        use OverFunction::{CumeDist, Lead, Ntile, PercentRank};
        matches!(function, Lead | PercentRank | CumeDist | Ntile)
    };
    if let Some(call) = group.calls.iter().find(|call| batch_only(call.function)) {
        return refuse(
            format!("{} Function is not supported in stream mode.", call.function.name()),
            "It needs rows that have not come yet.",
        );
    }
    let [key] = group.order.as_slice() else {
        return refuse(
            "The window can only be ordered by a single time column.".into(),
            "Order by the event time or the processing time: OVER (PARTITION BY … ORDER BY ts).",
        );
    };
    if key.descending {
        return refuse("The window can only be ordered in ASCENDING mode.".into(), "A stream is read from old to new.");
    }
    if group.frame.end != Bound::CurrentRow || matches!(group.frame.start, Bound::CurrentRow | Bound::Following(_)) {
        return refuse(
            "OVER RANGE FOLLOWING windows are not supported yet.".into(),
            "A frame ends at the current row: BETWEEN 2 PRECEDING AND CURRENT ROW.",
        );
    }
    let ty = &rel.input().schema.fields[key.column].ty;
    let bounded = group.frame.start != Bound::UnboundedPreceding;
    if !ty.is_rowtime() && !ty.is_proctime() {
        if bounded {
            return refuse(
                "Non-time attribute sort is not supported for bounded OVER window.".into(),
                "Order by the event time or the processing time.",
            );
        }
        let other = |call: &&OverAgg| !matches!(call.function, OverFunction::RowNumber | OverFunction::Aggregate(_));
        if let Some(call) = group.calls.iter().find(other) {
            let message =
                format!("{} that is ordered by something else than time is not supported yet.", call.function.name());
            return Err(Diagnostic::error(NOT_YET, message));
        }
    }
    if ty.is_proctime() && bounded && !group.frame.rows {
        return Err(Diagnostic::error(NOT_YET, "OVER with a RANGE of processing time is not supported yet."));
    }
    Ok(())
}

fn check_sort(sort: &Sort, rel: &Rel) -> Result<(), Diagnostic> {
    if sort.fetch.is_some() {
        return Ok(());
    }
    let message = match sort.order.first() {
        None => "FETCH is missed, which on streaming table is not supported currently.",
        Some(_) if sort.offset.is_some() => "FETCH is missed, which on streaming table is not supported currently.",
        Some(first) => {
            let ty = &rel.input().schema.fields[first.column].ty;
            if (ty.is_rowtime() || ty.is_proctime()) && !first.descending {
                return Ok(());
            }
            "Sort on a non-time-attribute field is not supported."
        }
    };
    let hint = "A stream has no end: order it by its event time, ascending, or say how many rows are wanted (LIMIT).";
    Err(Diagnostic::error(BAD_PLAN, message).hint(hint))
}
