//! `JOIN t FOR SYSTEM_TIME AS OF l.ts`: the right side of a join as it was at a time of the left row.

use tidegate_data::{DataType, LogicalType};
use tidegate_diag::{Diagnostic, Span};
use tidegate_sql::ast::{Expr, TableRef, TableRefKind};

use super::expr::ExprContext;
use super::{Binder, Scope};
use crate::codes::{BAD_PLAN, BAD_TEMPORAL};
use crate::logical::{JoinKind, Rel, RelOp};
use crate::lookup::Lookup;
use crate::rex::Rex;
use crate::rules::push_join_expressions;
use crate::rules::time_joins::TEMPORAL;

/// The term of a condition that makes a join a lookup.
const LOOKUP: &str = "__LOOKUP_JOIN";

/// What is said of a time that is none.
pub(crate) const NO_TIME_ATTRIBUTE: &str =
    "Temporal table join currently only supports 'FOR SYSTEM_TIME AS OF' left table's time attribute field";

/// The time of which a table is read.
fn as_of(table: &TableRef) -> Option<&Expr> {
    match &table.kind {
        TableRefKind::Table { as_of, .. } => as_of.as_ref(),
        _ => None,
    }
}

impl Binder<'_> {
    /// A table that stands where there is no left row whose time could be meant.
    pub(super) fn unversioned(&self, table: &TableRef) -> Option<()> {
        let Some(as_of) = as_of(table) else { return Some(()) };
        self.refuse_versions(NO_TIME_ATTRIBUTE, as_of.span, "The table has to stand on the right side of a join.")
    }

    /// The term of a join's condition that says of which time the right side is read; none where it is read as it is. The
    /// outer option is none when there are errors.
    pub(super) fn version_term(
        &self,
        table: &TableRef,
        (left, scope): (&Rel, &Scope),
        right: &Rel,
        kind: JoinKind,
    ) -> Option<Option<Rex>> {
        let Some(as_of) = as_of(table) else { return Some(None) };
        let period = self.expr(as_of, &ExprContext::rows(scope, "FOR SYSTEM_TIME AS OF"));
        if period.has_error() {
            return None;
        }
        let attribute = "Name a time attribute of the left side: its watermark column, or PROCTIME().";
        if !matches!(period.ty.logical, LogicalType::Timestamp(..) | LogicalType::TimestampLtz(..)) {
            let message = format!(
                "The system time period specification expects Timestamp type but is '{}'",
                period.ty.with_nullable(true).calcite()
            );
            return self.refuse_versions(&message, as_of.span, attribute);
        }
        if period.is_constant() && period.as_literal().is_some() {
            let message = "getTable(ObjectPath, long) is not implemented for class org.apache.flink.table.catalog.GenericInMemoryCatalog.";
            return self.refuse_versions(
                message,
                as_of.span,
                "A table as it was at a fixed time is kept by no catalog here.",
            );
        }
        let time = period.as_column().filter(|column| *column < left.width());
        let Some(time) = time.filter(|_| period.ty.is_rowtime() || period.ty.is_proctime()) else {
            // Flink closes a quotation mark here that it did not open.
            let stray = if period.as_column().is_some() { "" } else { "'" };
            return self.refuse_versions(&format!("{NO_TIME_ATTRIBUTE}{stray}"), as_of.span, attribute);
        };
        if kind.keeps_right() {
            let name = if kind == JoinKind::Full { "FULL" } else { "RIGHT" };
            let hint = "Versions are looked for, row by row of the left side: INNER and LEFT.";
            return self.refuse_versions(&format!("Unknown join type {name}"), table.span, hint);
        }
        if period.ty.is_proctime() {
            if looked_up(right) {
                let boolean = DataType::not_null(LogicalType::Boolean);
                return Some(Some(Rex::typed_call(LOOKUP, vec![left.column(time)], boolean)));
            }
            let message = "Processing-time temporal join is not supported yet.";
            self.report(Diagnostic::error(BAD_PLAN, message).at(as_of.span).hint("Flink has it by event time alone."));
            return None;
        }
        let rowtimes: Vec<usize> =
            (0..right.width()).filter(|column| right.schema.fields[*column].ty.is_rowtime()).collect();
        let [since] = rowtimes[..] else {
            let message = "Event-Time Temporal Table Join requires both primary key and row time attribute in versioned table, but no row time attribute can be found.";
            return self.refuse_versions(
                message,
                table.span,
                "Give the right side a WATERMARK: it says since when a version is valid.",
            );
        };
        let since = right.column(since).map_columns(&|column| column + left.width());
        let boolean = DataType::not_null(LogicalType::Boolean);
        Some(Some(Rex::typed_call(TEMPORAL, vec![left.column(time), since], boolean)))
    }

    fn refuse_versions<T>(&self, message: &str, span: Span, hint: &str) -> Option<T> {
        self.report(Diagnostic::error(BAD_TEMPORAL, message).at(span).hint(hint));
        None
    }
}

/// A join of both sides; one with a term for a lookup becomes one.
pub(super) fn joined(left: Rel, right: Rel, kind: JoinKind, condition: Rex) -> Rel {
    let mut terms = condition.conjuncts();
    let all = terms.len();
    terms.retain(|term| term.args_of(LOOKUP).is_none());
    let condition = Rex::and(terms.clone());
    let looks_up = terms.len() < all && Lookup::of(&right, kind, condition.clone()).is_some();
    let joined = Rel::join(left, right, kind, condition);
    // Keys that are computed are computed before.
    if looks_up { looked_up_in(push_join_expressions::push(joined)) } else { joined }
}

/// The join as a lookup, below the projection that leaves computed keys out.
fn looked_up_in(rel: Rel) -> Rel {
    match &rel.op {
        RelOp::Project(_) => {
            let Rel { op, inputs, schema } = rel;
            Rel { op, inputs: inputs.into_iter().map(looked_up_in).collect(), schema }
        }
        RelOp::Join(join) => match Lookup::of(&rel.inputs[1], join.kind, join.condition.clone()) {
            Some(lookup) => lookup.over(rel.inputs[0].clone(), &rel.inputs[1]),
            None => rel,
        },
        _ => rel,
    }
}

/// Whether a relation is a table that is asked for rows by their keys.
fn looked_up(rel: &Rel) -> bool {
    Lookup::of(rel, JoinKind::Inner, Rex::boolean(true))
        .is_some_and(|lookup| matches!(lookup.scan.table.connector.as_str(), "table" | "jdbc"))
}
