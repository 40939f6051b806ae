//! GROUP BY: what may be selected over groups, and the aggregate calls that stand in a query.

use std::cell::RefCell;

use tidegate_data::{DataType, LogicalType};
use tidegate_diag::Span;
use tidegate_expr::AggregateFunction;
use tidegate_expr::aggregates::resolve;
use tidegate_sql::ast::{ArgValue, Expr, ExprKind, FunctionCall, JsonCall};

use super::Binder;
use super::expr::ExprContext;
use super::grouping::{GroupWindow, set_number};
use crate::codes::BAD_PLAN;
use crate::logical::{AggCall, AggFunction, Aggregate, Rel};
use crate::rex::Rex;
use crate::rules::simplify::simplify_written;

/// The keys of a GROUP BY and the aggregate calls that were met so far. Its rows are the keys, then the calls.
pub struct Grouping {
    keys: Vec<Rex>,
    calls: RefCell<Vec<Pending>>,
    /// The names that the SELECT list gives to calls that stand there by themselves, as written.
    named: Vec<(Written, String)>,
    /// The grouping sets, as positions of keys; then the number of a row's set stands behind the keys.
    pub sets: Option<Vec<Vec<usize>>>,
    /// The older group window, whose columns are keys.
    pub window: Option<GroupWindow>,
    /// How long its state is kept, by a hint.
    pub ttl: Option<i64>,
}

/// A call as written: COUNT(x) of a NOT NULL x is a COUNT(*) only later.
#[derive(Clone, PartialEq)]
struct Written {
    function: AggregateFunction,
    distinct: bool,
    args: Vec<Rex>,
    filter: Option<Rex>,
}

struct Pending {
    call: Written,
    ty: DataType,
    name: Option<String>,
}

impl Grouping {
    /// Groups by these expressions over the input; equal ones count once.
    pub fn new(keys: Vec<Rex>) -> Grouping {
        let mut unique: Vec<Rex> = Vec::new();
        for key in keys {
            if !unique.contains(&key) {
                unique.push(key);
            }
        }
        Grouping { keys: unique, calls: RefCell::default(), named: Vec::new(), sets: None, window: None, ttl: None }
    }

    /// The column of the key that an expression over the input equals.
    pub fn key(&self, rex: &Rex) -> Option<Rex> {
        let position = self.position(rex)?;
        // Where a set does not group by it, it is NULL.
        let always = self.sets.iter().flatten().all(|set| set.contains(&position));
        Some(Rex::column(position, rex.ty.with_nullable(rex.ty.nullable || !always)))
    }

    /// The position of the key that an expression over the input equals.
    pub fn position(&self, rex: &Rex) -> Option<usize> {
        self.keys.iter().position(|key| key == rex)
    }

    /// The position of the key that is this column of the input.
    pub fn key_at(&self, column: usize) -> Option<usize> {
        self.keys.iter().position(|key| key.as_column() == Some(column))
    }

    /// The type of the key that is this column of the input.
    pub fn key_type(&self, column: usize) -> Option<DataType> {
        self.key_at(column).map(|position| self.keys[position].ty.clone())
    }

    /// The number of a row's grouping set.
    pub fn marker(&self) -> Rex {
        Rex::column(self.keys.len(), DataType::not_null(LogicalType::BigInt))
    }

    /// The calls, with their arguments over the input; a FILTER is left out.
    pub fn into_calls(self) -> Vec<(AggregateFunction, Vec<Rex>, DataType)> {
        let calls = self.calls.into_inner().into_iter();
        calls.map(|pending| (pending.call.function, pending.call.args, pending.ty)).collect()
    }

    fn first_call(&self) -> usize {
        self.keys.len() + usize::from(self.sets.is_some())
    }

    /// The number of keys.
    pub fn width(&self) -> usize {
        self.keys.len()
    }

    fn register(&self, written: &Written, ty: DataType) -> Rex {
        let name = self.named.iter().rev().find(|(call, _)| call == written).map(|(_, name)| name.clone());
        let mut call = written.clone();
        if call.function == AggregateFunction::Count && !call.distinct && call.args.iter().all(|arg| !arg.ty.nullable) {
            call.args.clear();
        }
        if matches!(call.function, AggregateFunction::Min | AggregateFunction::Max) {
            call.distinct = false;
        }
        let mut calls = self.calls.borrow_mut();
        let position = calls.iter().position(|pending| pending.call == call).unwrap_or_else(|| {
            calls.push(Pending { call, ty: ty.clone(), name });
            calls.len() - 1
        });
        Rex::column(self.first_call() + position, ty)
    }

    /// The grouping over `input`, with a projection below it that computes keys and arguments. `key_names` are the names
    /// that the SELECT list gives to keys.
    pub fn build(self, input: Rel, key_names: &[Option<String>]) -> Rel {
        let keys = self.keys.len();
        let mut columns: Vec<(Rex, Option<String>)> = Vec::new();
        for (key, name) in self.keys.into_iter().zip(key_names) {
            add(&mut columns, &input, key, name.clone());
        }
        let mut calls = Vec::new();
        // An argument that is a key keeps its value where the key is NULL.
        let first = if self.sets.is_some() { keys } else { 0 };
        for pending in self.calls.into_inner() {
            let args = pending.call.args.into_iter().map(|arg| find_or_add(&mut columns, &input, arg, first)).collect();
            let filter = pending.call.filter.map(|filter| find_or_add(&mut columns, &input, filter, first));
            calls.push(AggCall {
                function: AggFunction::Sql(pending.call.function),
                distinct: pending.call.distinct,
                args,
                filter,
                ty: pending.ty,
                name: pending.name,
            });
        }
        let aggregate = Aggregate { keys: (0..keys).collect(), calls, ttl: self.ttl };
        if columns.is_empty() {
            // Nothing is read: what a projection below computes is computed for nobody.
            let input = if let crate::logical::RelOp::Project(_) = input.op { input.into_input() } else { input };
            return Rel::aggregate(input, aggregate);
        }
        let names = columns.iter().enumerate().map(|(i, (_, name))| name.clone().unwrap_or_else(|| format!("$f{i}")));
        let names = names.collect();
        let exprs = columns.into_iter().map(|(rex, _)| simplify_written(rex)).collect();
        let project = Rel::project(input, exprs, names);
        let below = if project.is_identity() { project.into_input() } else { project };
        let Some(sets) = &self.sets else { return Rel::aggregate(below, aggregate) };
        let width = below.width();
        let sets = sets
            .iter()
            .map(|set| {
                let column = |i: usize| (i >= keys || set.contains(&i)).then_some(i);
                ((0..width).map(column).collect(), set_number(set, keys))
            })
            .collect();
        let expanded = Rel::expand(below, sets);
        let grouped = (0..keys).chain([width]).collect();
        Rel::aggregate(expanded, Aggregate { keys: grouped, calls: aggregate.calls, ttl: self.ttl })
    }
}

fn add(columns: &mut Vec<(Rex, Option<String>)>, input: &Rel, rex: Rex, name: Option<String>) -> usize {
    let name = name.or_else(|| rex.as_column().map(|i| input.schema.fields[i].name.clone()));
    let taken = columns.iter().any(|(_, other)| other.is_some() && *other == name);
    columns.push((rex, if taken { None } else { name }));
    columns.len() - 1
}

fn find_or_add(columns: &mut Vec<(Rex, Option<String>)>, input: &Rel, rex: Rex, first: usize) -> usize {
    match columns.iter().skip(first).position(|(other, _)| *other == rex) {
        Some(position) => first + position,
        None => add(columns, input, rex, None),
    }
}

/// Aggregates that are computed from sums and a count.
pub(crate) const VARIANCES: &[&str] = &["STDDEV_POP", "STDDEV_SAMP", "STDDEV", "VAR_POP", "VAR_SAMP", "VARIANCE"];

/// Whether a call is one of an aggregate function (and not of a window).
pub fn is_aggregate(call: &FunctionCall) -> bool {
    let named = |name: &str| call.name.last().is(name);
    call.over.is_none()
        && (AggregateFunction::ALL.iter().any(|f| named(f.name())) || VARIANCES.iter().any(|name| named(name)))
}

/// Whether a function of JSON is an aggregate.
pub fn is_json_aggregate(call: &JsonCall) -> bool {
    call.name.is("JSON_OBJECTAGG") || call.name.is("JSON_ARRAYAGG")
}

/// Whether an aggregate call stands somewhere in an expression.
pub fn contains_aggregate(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Json(call) if is_json_aggregate(call) => true,
        ExprKind::Function(call) => is_aggregate(call) || arguments(call).into_iter().any(contains_aggregate),
        _ => children(expr).into_iter().any(contains_aggregate),
    }
}

fn arguments(call: &FunctionCall) -> Vec<&Expr> {
    let args = call.args.iter().filter_map(|arg| match &arg.value {
        ArgValue::Expr(expr) => Some(expr),
        _ => None,
    });
    args.collect()
}

fn children(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Unary { expr, .. }
        | ExprKind::IsNull { expr, .. }
        | ExprKind::IsTruth { expr, .. }
        | ExprKind::IsJson { expr, .. }
        | ExprKind::Cast { expr, .. }
        | ExprKind::Extract { expr, .. }
        | ExprKind::RoundTime { expr, .. }
        | ExprKind::InSubquery { expr, .. }
        | ExprKind::MatchTime { expr, .. } => vec![expr],
        ExprKind::Field { base, .. } => vec![base],
        ExprKind::IntervalOf { count, .. } => vec![count],
        ExprKind::Index { base, index } => vec![base, index],
        ExprKind::Binary { left, right, .. }
        | ExprKind::IsDistinctFrom { left, right, .. }
        | ExprKind::Period { left, right, .. } => vec![left, right],
        ExprKind::Quantified { left, .. } => vec![left],
        ExprKind::Between { expr, low, high, .. } => vec![expr, low, high],
        ExprKind::InList { expr, list, .. } => std::iter::once(&**expr).chain(list).collect(),
        ExprKind::Like { expr, pattern, escape, .. } | ExprKind::SimilarTo { expr, pattern, escape, .. } => {
            [&**expr, &**pattern].into_iter().chain(escape.as_deref()).collect()
        }
        ExprKind::Case { operand, branches, otherwise } => operand
            .as_deref()
            .into_iter()
            .chain(branches.iter().flat_map(|(when, then)| [when, then]))
            .chain(otherwise.as_deref())
            .collect(),
        ExprKind::TimestampAdd { count, time, .. } => vec![count, time],
        ExprKind::TimestampDiff { from, to, .. } => vec![from, to],
        ExprKind::Trim { what, expr, .. } => what.as_deref().into_iter().chain([&**expr]).collect(),
        ExprKind::Array(items) | ExprKind::Row(items) => items.iter().collect(),
        ExprKind::Map(entries) => entries.iter().flat_map(|(key, value)| [key, value]).collect(),
        ExprKind::Json(call) => {
            call.args.iter().chain(call.entries.iter().flat_map(|(key, value)| [key, value])).collect()
        }
        ExprKind::Function(call) => arguments(call),
        ExprKind::Literal(_)
        | ExprKind::Column(_)
        | ExprKind::Exists(_)
        | ExprKind::Subquery(_)
        | ExprKind::ArrayQuery(_) => Vec::new(),
    }
}

impl Binder<'_> {
    /// Binds an aggregate call: gives the column of the grouping that holds it.
    pub(super) fn aggregate_call(
        &self,
        call: &FunctionCall,
        name: &str,
        span: Span,
        cx: &ExprContext<'_>,
        grouping: &Grouping,
    ) -> Rex {
        if VARIANCES.contains(&name) {
            return self.variance(call, name, span, cx, grouping).unwrap_or_else(Rex::error);
        }
        match self.written(call, name, span, cx) {
            Some((written, mut ty)) => {
                if written.function != AggregateFunction::Count
                    && (grouping.keys.is_empty() || written.filter.is_some())
                {
                    ty.nullable = true;
                }
                grouping.register(&written, ty)
            }
            None => Rex::error(),
        }
    }

    /// JSON_OBJECTAGG and JSON_ARRAYAGG: over values that are JSON already, as in Flink.
    pub(super) fn json_aggregate(&self, call: &JsonCall, span: Span, cx: &ExprContext<'_>) -> Rex {
        let Some(grouping) = cx.grouping else {
            let message = match cx.clause {
                "AGGREGATE" => "Aggregate expressions cannot be nested".to_string(),
                clause => format!("Aggregate expression is illegal in {clause} clause"),
            };
            self.error(crate::codes::BAD_GROUPING, message, span);
            return Rex::error();
        };
        let rows = ExprContext { grouping: None, clause: "AGGREGATE", ..*cx };
        let as_json = |value: &Expr| {
            let rex = self.json_part(value, &rows);
            if super::json::is_json(&rex) { rex } else { self.call("JSON_STRING", vec![rex], value.span) }
        };
        let object = call.name.is("JSON_OBJECTAGG");
        let absent = call.absent_on_null.unwrap_or(!object);
        let args: Vec<Rex> = match (&call.entries[..], &call.args[..]) {
            ([(key, value)], _) if object => {
                let name = self.expr(key, &rows);
                if !name.has_error() && !name.ty.logical.is_character() {
                    self.error(crate::codes::BAD_OPERANDS, "A key of JSON_OBJECTAGG is a text", key.span);
                }
                vec![name, as_json(value)]
            }
            (_, [value]) if !object => vec![as_json(value)],
            _ => {
                self.error(crate::codes::BAD_OPERANDS, format!("{} aggregates one value", call.name.value), span);
                return Rex::error();
            }
        };
        let filter = call.filter.as_ref();
        let filter = filter.map(|filter| is_true(self.condition(filter, &ExprContext { clause: "FILTER", ..rows })));
        if args.iter().chain(&filter).any(Rex::has_error) {
            return Rex::error();
        }
        let function = match object {
            true => AggregateFunction::JsonObjectAgg { absent },
            false => AggregateFunction::JsonArrayAgg { absent },
        };
        let ty = DataType::not_null(LogicalType::VarChar(2000));
        grouping.register(&Written { function, distinct: false, args, filter }, ty)
    }

    /// A variance or a deviation: `(SUM(x * x) - SUM(x) * SUM(x) / COUNT(x)) / n`, as Flink's planner has it.
    fn variance(
        &self,
        call: &FunctionCall,
        name: &str,
        span: Span,
        cx: &ExprContext<'_>,
        grouping: &Grouping,
    ) -> Option<Rex> {
        let (written, ty) = self.written(call, "AVG", span, cx)?;
        let arg = written.args.first()?.clone();
        let part = |function: &str, arg: Rex| -> Option<Rex> {
            let types = [arg.ty.clone()];
            let (function, mut ty) = resolve(function, &types, written.distinct).ok()?;
            if function != AggregateFunction::Count && (grouping.keys.is_empty() || written.filter.is_some()) {
                ty.nullable = true;
            }
            Some(grouping.register(&Written { function, args: vec![arg], ..written.clone() }, ty))
        };
        // Decimals are computed with in the type of the result.
        let decimal = matches!(ty.logical, LogicalType::Decimal(..));
        let wide = |rex: Rex| if decimal { rex.clone().cast(&ty, false).unwrap_or(rex) } else { rex };
        let square = self.call("*", vec![wide(arg.clone()), wide(arg.clone())], span);
        let squares = part("SUM", square)?;
        let sum = part("SUM", arg.clone())?;
        let count = part("COUNT", arg)?;
        let product = self.call("*", vec![wide(sum.clone()), wide(sum)], span);
        let mean = self.call("/", vec![product, count.clone()], span);
        let spread = self.call("-", vec![squares, mean], span);
        let one = || Rex::literal(tidegate_data::Value::Int(1), DataType::not_null(LogicalType::Int));
        let divisor = match name {
            "STDDEV_POP" | "VAR_POP" => count,
            _ => {
                let is_one = self.call("=", vec![count.clone(), one()], span);
                let less = self.call("-", vec![count, one()], span);
                let ty = DataType::new(LogicalType::BigInt);
                let branches = vec![(is_one, Rex::null(&ty))];
                Rex { kind: crate::rex::RexKind::Case { branches, otherwise: Box::new(less) }, ty }
            }
        };
        let mut value = self.call("/", vec![spread, divisor], span);
        if name.starts_with("STDDEV") {
            let half = DataType::not_null(LogicalType::Decimal(2, 1));
            value = self.call("POWER", vec![value, Rex::literal(tidegate_data::Value::Decimal(5), half)], span);
        }
        let ty = ty.with_nullable(true);
        match value.cast(&ty, false) {
            Ok(rex) => Some(Rex { ty, ..rex }),
            Err(error) => Some(self.fail_call(error, span)),
        }
    }

    /// Notes the names that the SELECT list gives to aggregate calls.
    pub(super) fn name_calls(&self, grouping: &mut Grouping, items: &[(&Expr, String)], cx: &ExprContext<'_>) {
        for (expr, name) in items {
            if let ExprKind::Function(call) = &expr.kind
                && is_aggregate(call)
            {
                let mark = self.mark();
                let function = call.name.last().value.to_ascii_uppercase();
                if let Some((written, _)) = self.written(call, &function, expr.span, cx) {
                    grouping.named.push((written, name.clone()));
                }
                self.rollback(mark);
            }
        }
    }

    fn written(
        &self,
        call: &FunctionCall,
        name: &str,
        span: Span,
        cx: &ExprContext<'_>,
    ) -> Option<(Written, DataType)> {
        for (what, present) in [
            ("ORDER BY in an aggregate call", !call.order_by.is_empty()),
            ("IGNORE NULLS and RESPECT NULLS", call.ignore_nulls.is_some()),
            ("WITHIN GROUP", !call.within_group.is_empty()),
        ] {
            if present {
                self.not_yet(what, span);
                return None;
            }
        }
        let rows = ExprContext { grouping: None, clause: "AGGREGATE", ..*cx };
        let star = matches!(call.args.as_slice(), [arg] if arg.value == ArgValue::Star);
        let args = if star { Vec::new() } else { self.arguments(call, &rows)? };
        let filter = call
            .filter
            .as_ref()
            .map(|filter| is_true(self.condition(filter, &ExprContext { clause: "FILTER", ..rows })));
        if args.iter().any(|(rex, _)| rex.has_error()) || filter.as_ref().is_some_and(Rex::has_error) {
            return None;
        }
        if name == "COUNT" && args.is_empty() && !star {
            let message = "Invalid number of arguments to function 'COUNT'. Was expecting 1 arguments";
            self.error(crate::codes::BAD_OPERANDS, message, span);
            return None;
        }
        if name == "COUNT" && args.len() > 1 {
            self.error(BAD_PLAN, "We now only support the count of one field.", span);
            return None;
        }
        let mut args: Vec<Rex> = args.into_iter().map(|(rex, _)| rex).collect();
        if let ("PERCENTILE", [_, fraction]) = (name, args.as_mut_slice())
            && let Ok(cast) = fraction.clone().cast(&DataType::not_null(LogicalType::Double), false)
        {
            *fraction = super::cast::fold_constant(fraction, cast);
        }
        let types: Vec<DataType> = args.iter().map(|rex| rex.ty.clone()).collect();
        match resolve(name, &types, call.distinct) {
            Ok((function, mut ty)) => {
                if let Some(refused) = unsupported(function, call.distinct, &types) {
                    self.error(BAD_PLAN, refused, span);
                    return None;
                }
                // The largest time is still one of the time attribute.
                if let (AggregateFunction::Min | AggregateFunction::Max, Some(arg)) = (function, types.first())
                    && arg.is_rowtime()
                {
                    ty.logical = arg.logical.clone();
                }
                if args.iter().any(|arg| arg.ty.logical == LogicalType::Null) {
                    self.error(crate::codes::BAD_LITERAL, "Illegal use of 'NULL'", span);
                    return None;
                }
                Some((Written { function, distinct: call.distinct, args, filter }, ty))
            }
            Err(error) => {
                self.fail_call(error, span);
                None
            }
        }
    }
}

/// Types for which Flink's planner has no such aggregate, in its words.
fn unsupported(function: AggregateFunction, distinct: bool, types: &[DataType]) -> Option<String> {
    let ty = types.first()?;
    let nested = match ty.logical {
        LogicalType::Array(_) => "ARRAY",
        LogicalType::Map(..) => "MAP",
        LogicalType::Multiset(_) => "MULTISET",
        LogicalType::Row(_) => "ROW",
        _ => "",
    };
    let end = match function {
        AggregateFunction::Min => "Min",
        AggregateFunction::Max => "Max",
        _ => "",
    };
    if !nested.is_empty() && !end.is_empty() {
        return Some(format!(
            "{end} aggregate function does not support type: ''{nested}''.\nPlease re-check the data type."
        ));
    }
    if !ty.logical.is_binary() {
        return None;
    }
    let name = match ty.logical {
        LogicalType::Binary(_) => "BINARY",
        _ => "VARBINARY",
    };
    match function {
        AggregateFunction::Min => {
            Some(format!("Min aggregate function does not support type: ''{name}''.\nPlease re-check the data type."))
        }
        AggregateFunction::Max => {
            Some(format!("Max aggregate function does not support type: ''{name}''.\nPlease re-check the data type."))
        }
        _ if distinct => {
            Some(format!("Distinct aggregate function does not support type: {name}.\nPlease re-check the data type."))
        }
        _ => None,
    }
}

/// A FILTER condition, under which UNKNOWN counts as FALSE.
fn is_true(condition: Rex) -> Rex {
    if condition.has_error() || (!condition.ty.nullable && condition.ty.logical == LogicalType::Boolean) {
        return condition;
    }
    match condition.as_literal() {
        Some(_) => Rex::boolean(condition.is_true()),
        None => Rex::typed_call("IS TRUE", vec![condition], DataType::not_null(LogicalType::Boolean)),
    }
}
