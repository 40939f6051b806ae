//! `t MATCH_RECOGNIZE ( … )`.

use std::cell::{Cell, RefCell};

use tidegate_data::{DataType, LogicalType, TimeKind, Value};
use tidegate_diag::{Diagnostic, Span};
use tidegate_expr::AggregateFunction;
use tidegate_expr::aggregates::resolve;
use tidegate_sql::ast::{AfterMatch, ArgValue, Expr, ExprKind, FunctionCall, Ident, MatchRecognize, TableAlias};

use super::aggregate::{Grouping, is_aggregate};
use super::expr::ExprContext;
use super::pattern_shape::{is_greedy, variables};
use super::scope::{Merged, ScopeTable};
use super::{Binder, Scope};
use crate::codes::{AMBIGUOUS, BAD_GROUPING, BAD_OPERANDS, BAD_PLAN, NO_FUNCTION, NO_OBJECT};
use crate::logical::Rel;
use crate::over::SortColumn;
use crate::pattern::{Match, MatchValue, Navigation, PatternRex, RowName, Variable};
use crate::physical::SkipTo;
use crate::rex::{Rex, RexKind};
use crate::unparse::expr_text;

/// From here on columns are values of a match; below, they are columns of rows under a name.
const VALUE: usize = 1 << 29;

/// Where an expression of DEFINE or MEASURES stands, and the values that it has so far.
pub struct PatternScope {
    /// The number of the input's columns: those of name n begin at n times this.
    width: usize,
    /// The type of `MATCH_ROWTIME()`.
    rowtime: LogicalType,
    measures: bool,
    values: RefCell<Vec<MatchValue>>,
    /// Inside the argument of a navigation or an aggregate.
    inside: Cell<bool>,
}

impl PatternScope {
    fn value(&self, value: MatchValue, ty: DataType) -> Rex {
        let mut values = self.values.borrow_mut();
        let at = values.iter().position(|own| *own == value).unwrap_or_else(|| {
            values.push(value);
            values.len() - 1
        });
        Rex::column(VALUE + at, ty)
    }
}

impl Binder<'_> {
    /// Binds a MATCH_RECOGNIZE.
    pub(super) fn match_recognize(&self, written: &MatchRecognize, alias: Option<&TableAlias>) -> Option<(Rel, Scope)> {
        let (input, scope) = self.table_ref(&written.input)?;
        let (variables, found) = variables(&written.pattern);
        let names = self.row_names(written, &variables)?;
        let table = |(n, name): (usize, &RowName)| ScopeTable {
            name: Some(name.name.clone()),
            path: Vec::new(),
            start: n * input.width(),
            schema: input.schema.clone(),
        };
        let merged = scope.columns().map(|(index, _, field)| Merged {
            name: field.name.clone(),
            rex: Rex::column(index, field.ty.clone()),
            columns: vec![index],
        });
        let rows = Scope {
            tables: names.iter().enumerate().skip(1).map(table).collect(),
            merged: merged.collect(),
            broken: scope.broken,
        };
        let columns = ExprContext::rows(&scope, "MATCH_RECOGNIZE");
        let partition: Vec<Rex> = written.partition_by.iter().map(|expr| self.expr(expr, &columns)).collect();
        let order: Vec<Rex> = written.order_by.iter().map(|item| self.expr(&item.expr, &columns)).collect();
        let time = order.first().filter(|rex| rex.ty.is_rowtime() || rex.ty.is_proctime()).map(|rex| rex.ty.clone());
        let event_time = time.as_ref().is_none_or(DataType::is_rowtime);
        let rowtime = match &time {
            Some(DataType { logical: own @ LogicalType::TimestampLtz(_, TimeKind::Rowtime), .. }) => own.clone(),
            _ => LogicalType::Timestamp(3, TimeKind::Rowtime),
        };
        let in_pattern = |measures: bool| PatternScope {
            width: input.width(),
            rowtime: rowtime.clone(),
            measures,
            values: RefCell::default(),
            inside: Cell::new(false),
        };
        let defines: Vec<Option<(String, PatternRex)>> = written
            .defines
            .iter()
            .map(|(name, condition)| {
                let pattern = in_pattern(false);
                let cx = ExprContext { pattern: Some(&pattern), ..ExprContext::rows(&rows, "DEFINE") };
                let bound = crate::rules::simplify::simplify_written(self.condition(condition, &cx));
                Some((name.value.clone(), self.over_values(bound, pattern)?))
            })
            .collect();
        let measures: Vec<Option<(String, PatternRex)>> = written
            .measures
            .iter()
            .map(|measure| {
                let pattern = in_pattern(true);
                let cx = ExprContext { pattern: Some(&pattern), ..ExprContext::rows(&rows, "MEASURES") };
                let bound = crate::rules::simplify::simplify_written(self.expr(&measure.expr, &cx));
                Some((measure.alias.value.clone(), self.over_values(bound, pattern)?))
            })
            .collect();
        let skip = self.skip(written.after_match.as_ref(), &variables);
        let within = written.within.as_ref().map(|within| (self.expr(within, &columns), within.span));
        if partition.iter().chain(&order).any(Rex::has_error) {
            return None;
        }
        let (defines, measures) =
            (defines.into_iter().collect::<Option<_>>()?, measures.into_iter().collect::<Option<Vec<_>>>()?);
        let skip = skip?;
        let partition = partition.iter().map(Rex::as_column).collect::<Option<Vec<usize>>>().or_else(|| {
            self.not_yet("PARTITION BY something that is no column, in MATCH_RECOGNIZE,", written.span);
            None
        })?;
        self.distinct_measures(written, &input, &partition, &measures)?;
        // From here on Flink's planner speaks.
        if written.all_rows {
            return self.unplanned(
                "All rows per match mode is not supported yet.",
                written.span,
                "Leave ALL ROWS PER MATCH out: a match is one row, of measures.",
            );
        }
        let order = self.time_order(written, &order, time.is_some())?;
        found.map_err(|(message, hint)| self.unplanned::<()>(&message, written.pattern.span, hint)).ok()?;
        let within = self.within(within)?;
        self.possible(&variables, written.pattern.span)?;
        let node = Match { partition, order, event_time, names, variables, defines, within, skip, measures };
        let rel = node.over(input);
        self.aliased(rel, alias, None, Vec::new())
    }

    fn unplanned<T>(&self, message: &str, span: Span, hint: &str) -> Option<T> {
        self.report(Diagnostic::error(BAD_PLAN, message).at(span).hint(hint));
        None
    }

    /// The names that stand for rows.
    fn row_names(&self, written: &MatchRecognize, variables: &[Variable]) -> Option<Vec<RowName>> {
        let name = |name: &str, variables: Vec<usize>, subset: bool| RowName { name: name.into(), variables, subset };
        let mut names = vec![name("*", (0..variables.len()).collect(), false)];
        names.extend(variables.iter().enumerate().map(|(i, own)| name(&own.name, vec![i], false)));
        for (subset, of) in &written.subsets {
            let mut rows = Vec::new();
            for own in of {
                match variables.iter().position(|variable| variable.name == own.value) {
                    Some(i) => rows.push(i),
                    None => return self.unknown_pattern(own),
                }
            }
            rows.sort_unstable();
            names.push(name(&subset.value, rows, true));
        }
        for (own, _) in &written.defines {
            if !names.iter().any(|known| known.name == own.value) {
                names.push(name(&own.value, Vec::new(), false));
            }
        }
        Some(names)
    }

    fn unknown_pattern<T>(&self, name: &Ident) -> Option<T> {
        let message = format!("Unknown pattern '{}'", name.value);
        self.report(Diagnostic::error(NO_OBJECT, message).at(name.span).hint("It is no variable of PATTERN."));
        None
    }

    fn skip(&self, after: Option<&AfterMatch>, variables: &[Variable]) -> Option<SkipTo> {
        let find = |name: &Ident| {
            let found = variables.iter().position(|own| own.name == name.value);
            found.or_else(|| self.unknown_pattern(name))
        };
        Some(match after {
            None | Some(AfterMatch::NextRow) => SkipTo::NextRow,
            Some(AfterMatch::PastLastRow) => SkipTo::PastLastRow,
            Some(AfterMatch::ToFirst(name)) => SkipTo::First(find(name)?),
            Some(AfterMatch::ToLast(name)) => SkipTo::Last(find(name)?),
        })
    }

    fn distinct_measures(
        &self,
        written: &MatchRecognize,
        input: &Rel,
        partition: &[usize],
        measures: &[(String, PatternRex)],
    ) -> Option<()> {
        let mut known: Vec<&str> = partition.iter().map(|key| input.schema.fields[*key].name.as_str()).collect();
        let mut twice = Vec::new();
        for (name, _) in measures {
            if known.contains(&name.as_str()) {
                twice.push(name.as_str());
            }
            known.push(name);
        }
        if twice.is_empty() && !measures.is_empty() {
            return Some(());
        }
        let hint = match measures.is_empty() {
            true => "MEASURES says what is known of a match: MEASURES A.v AS v.",
            false => "The columns of PARTITION BY and of MEASURES need names of their own.",
        };
        let message = format!("Columns ambiguously defined: {{{}}}", twice.join(", "));
        self.report(Diagnostic::error(AMBIGUOUS, message).at(written.span).hint(hint));
        None
    }

    fn time_order(&self, written: &MatchRecognize, order: &[Rex], by_time: bool) -> Option<Vec<SortColumn>> {
        let hint = "ORDER BY begins with the watermark column, or with PROCTIME().";
        if order.is_empty() {
            return self.unplanned("You must specify either rowtime or proctime for order by.", written.span, hint);
        }
        if !by_time {
            let message = "You must specify either rowtime or proctime for order by as the first one.";
            return self.unplanned(message, written.order_by[0].expr.span, hint);
        }
        if written.order_by[0].descending {
            let message = "Primary sort order of a streaming table must be ascending on time.";
            return self.unplanned(message, written.order_by[0].expr.span, "Rows come in the order of their time.");
        }
        let columns = order.iter().zip(&written.order_by).map(|(rex, item)| {
            Some(SortColumn {
                column: rex.as_column()?,
                descending: item.descending,
                nulls_first: item.nulls_first.unwrap_or(!item.descending),
            })
        });
        columns.collect::<Option<Vec<_>>>().or_else(|| {
            self.not_yet("ORDER BY something that is no column, in MATCH_RECOGNIZE,", written.span);
            None
        })
    }

    fn within(&self, within: Option<(Rex, Span)>) -> Option<Option<(i64, Rex)>> {
        let Some((rex, span)) = within else { return Some(None) };
        match (rex.as_literal(), &rex.ty.logical) {
            _ if rex.has_error() => None,
            (Some(Value::Int(length)), LogicalType::IntervalDayTime) => Some(Some((*length, rex.clone()))),
            _ => {
                let message = "Only constant intervals with millisecond resolution are supported as time constraints of patterns.";
                self.unplanned(message, span, "WITHIN takes days to seconds: INTERVAL '10' SECOND.")
            }
        }
    }

    /// Whether Flink searches for such a pattern.
    fn possible(&self, variables: &[Variable], span: Span) -> Option<()> {
        if variables.iter().all(|own| own.min == 0) {
            let message = "Patterns that can produce empty matches are not supported. There must be at least one non-optional state.";
            return self.unplanned(message, span, "Let one of the variables take a row in any case.");
        }
        if variables.last().is_some_and(is_greedy) {
            let message = "Greedy quantifiers are not allowed as the last element of a Pattern yet. Finish your pattern with either a simple variable or reluctant quantifier.";
            return self.unplanned(
                message,
                span,
                "Put a ? behind the quantifier, or a variable behind it that ends the match.",
            );
        }
        Some(())
    }

    /// The expression over its values; none with errors.
    fn over_values(&self, rex: Rex, pattern: PatternScope) -> Option<PatternRex> {
        if rex.has_error() {
            return None;
        }
        let width = pattern.width;
        let rex = rex.transform(&mut |part| match part.kind {
            RexKind::Column(index) if index < VALUE => {
                let (name, column) = (index / width, index % width);
                let cell = MatchValue::Cell { name, navigation: Navigation::Plain, offset: 0, column };
                pattern.value(cell, part.ty)
            }
            _ => part,
        });
        let values = pattern.values.into_inner();
        Some(PatternRex { values, rex: rex.map_columns(&|column| column - VALUE) })
    }

    /// A call in DEFINE or MEASURES that speaks of rows; none where it is one like any other.
    pub(super) fn pattern_call(
        &self,
        call: &FunctionCall,
        name: &str,
        span: Span,
        cx: &ExprContext<'_>,
        pattern: &PatternScope,
    ) -> Option<Rex> {
        match name {
            "FIRST" | "LAST" => Some(self.navigation(call, name, span, cx, pattern).unwrap_or_else(Rex::error)),
            "PREV" | "NEXT" if pattern.measures => {
                let message = format!("Cannot use PREV/NEXT in MEASURE '{}'", with_offset(call, span));
                Some(self.fail(Diagnostic::error(BAD_GROUPING, message).at(span).hint("Use FIRST and LAST.")))
            }
            "PREV" | "NEXT" => {
                let hint = "Rows of the pattern alone can be asked for: LAST(A.v, 1) is the row of A before the last.";
                let message = "Flink does not support physical offsets within partition.";
                Some(self.fail(Diagnostic::error(BAD_PLAN, message).at(span).hint(hint)))
            }
            "CLASSIFIER" => {
                let message = "Unsupported call: CLASSIFIER() \nIf you think this function should be supported, you can create an issue and start a discussion for it.";
                Some(self.fail(Diagnostic::error(BAD_PLAN, message).at(span).hint("Flink has no CLASSIFIER.")))
            }
            "MATCH_NUMBER" => {
                let message = "No match found for function signature MATCH_NUMBER().";
                Some(self.fail(Diagnostic::error(NO_FUNCTION, message).at(span).hint("Flink has no MATCH_NUMBER.")))
            }
            "MATCH_ROWTIME" => Some(pattern.value(MatchValue::Rowtime, DataType::not_null(pattern.rowtime.clone()))),
            "MATCH_PROCTIME" => {
                let ty = DataType::not_null(LogicalType::TimestampLtz(3, TimeKind::Proctime));
                Some(pattern.value(MatchValue::Proctime, ty))
            }
            _ if is_aggregate(call) => {
                Some(self.pattern_aggregate(call, name, span, cx, pattern).unwrap_or_else(Rex::error))
            }
            _ => None,
        }
    }

    /// FIRST and LAST: of each column in the argument.
    fn navigation(
        &self,
        call: &FunctionCall,
        name: &str,
        span: Span,
        cx: &ExprContext<'_>,
        pattern: &PatternScope,
    ) -> Option<Rex> {
        let expr = |i: usize| match call.args.get(i).map(|arg| &arg.value) {
            Some(ArgValue::Expr(expr)) => Some(expr),
            _ => None,
        };
        let offset = match expr(1).map(|expr| self.expr(expr, cx)) {
            None => Some(0),
            Some(rex) => match rex.as_literal() {
                Some(Value::Int(offset)) => u32::try_from(*offset).ok(),
                _ => None,
            },
        };
        let (Some(arg), Some(offset), true) = (expr(0), offset, call.args.len() <= 2) else {
            let message = format!("{name} takes a column and, if wanted, a number of rows.");
            self.error(BAD_OPERANDS, message, span);
            return None;
        };
        let rex = self.of_rows(arg, cx, pattern)?;
        let navigation = if name == "FIRST" { Navigation::First } else { Navigation::Last };
        let width = pattern.width;
        Some(rex.transform(&mut |part| match part.kind {
            RexKind::Column(index) if index < VALUE => {
                let cell = MatchValue::Cell { name: index / width, navigation, offset, column: index % width };
                pattern.value(cell, part.ty)
            }
            _ => part,
        }))
    }

    /// The argument of a call over rows, over columns under names.
    fn of_rows(&self, arg: &Expr, cx: &ExprContext<'_>, pattern: &PatternScope) -> Option<Rex> {
        if pattern.inside.replace(true) {
            self.not_yet("Such a call within another, in MATCH_RECOGNIZE,", arg.span);
            return None;
        }
        let rex = self.expr(arg, &ExprContext { pattern: None, ..*cx });
        pattern.inside.set(false);
        (!rex.has_error()).then_some(rex)
    }

    fn pattern_aggregate(
        &self,
        call: &FunctionCall,
        name: &str,
        span: Span,
        cx: &ExprContext<'_>,
        pattern: &PatternScope,
    ) -> Option<Rex> {
        let text = || expr_text(&Expr { kind: ExprKind::Function(Box::new(call.clone())), span });
        if call.distinct {
            let message = format!("DISTINCT/ALL not allowed with {} function", text());
            self.error(BAD_OPERANDS, message, span);
            return None;
        }
        let grouping = Grouping::new(Vec::new());
        let rows = ExprContext { pattern: None, ..*cx };
        let rex = self.aggregate_call(call, name, span, &rows, &grouping);
        if rex.has_error() {
            return None;
        }
        let width = pattern.width;
        let mut values = Vec::new();
        for (function, args, ty) in grouping.into_calls() {
            let mut names: Vec<usize> = Vec::new();
            for arg in &args {
                arg.any(&mut |part| {
                    if let RexKind::Column(index) = part.kind {
                        names.push(index / width);
                    }
                    false
                });
            }
            names.sort_unstable();
            names.dedup();
            if names.len() > 1 {
                let message = format!("Multiple pattern variables in '{}'", text());
                let hint = "An aggregate is over the rows of one variable, or of all: SUM(v).";
                self.report(Diagnostic::error(BAD_OPERANDS, message).at(span).hint(hint));
                return None;
            }
            let name = names.first().copied().unwrap_or(0);
            let args: Vec<Rex> = args.into_iter().map(|arg| arg.map_columns(&|column| column % width)).collect();
            values.push(self.aggregate_value(name, function, args, ty, pattern)?);
        }
        Some(rex.transform(&mut |part| match part.kind {
            RexKind::Column(index) if index < values.len() => values[index].clone(),
            _ => part,
        }))
    }

    /// An aggregate; an average is a sum by a count, as Flink's planner has it.
    fn aggregate_value(
        &self,
        name: usize,
        function: AggregateFunction,
        args: Vec<Rex>,
        ty: DataType,
        pattern: &PatternScope,
    ) -> Option<Rex> {
        let value = |function, args, ty: DataType| {
            pattern.value(MatchValue::Aggregate { name, function, args, ty: ty.clone() }, ty)
        };
        if function != AggregateFunction::Avg {
            return Some(value(function, args, ty));
        }
        let types: Vec<DataType> = args.iter().map(|arg| arg.ty.clone()).collect();
        let (_, sum) = resolve("SUM", &types, false).ok()?;
        let sum = value(AggregateFunction::Sum, args.clone(), sum.with_nullable(true));
        let count = value(AggregateFunction::Count, args, DataType::not_null(LogicalType::BigInt));
        Rex::call("/", vec![sum, count]).and_then(|rex| rex.cast(&ty, false)).ok()
    }
}

/// A navigation as Calcite writes it, with its offset.
fn with_offset(call: &FunctionCall, span: Span) -> String {
    let text = expr_text(&Expr { kind: ExprKind::Function(Box::new(call.clone())), span });
    match (call.args.len(), text.strip_suffix(')')) {
        (1, Some(open)) => format!("{open}, 1)"),
        _ => text,
    }
}
