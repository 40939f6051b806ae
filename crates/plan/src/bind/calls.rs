//! Calls of functions, scalar and aggregate.

use tidegate_data::{DataType, LogicalType};
use tidegate_diag::{Diagnostic, Span};
use tidegate_expr::build::UNKNOWN_FUNCTION;
use tidegate_sql::ast::{ArgValue, FunctionCall, TimeUnit};

use super::Binder;
use super::aggregate::is_aggregate;
use super::cast::fold_constant;
use super::expr::ExprContext;
use super::literal::unit_flag;
use crate::catalog::UserFunction;
use crate::codes::{BAD_GROUPING, NO_FUNCTION};
use crate::outcome::RiskKind;
use crate::over::OverFunction;
use crate::rex::Rex;

/// How many parts a call of a script's function may come to.
const LARGEST_CALL: usize = 20_000;

/// The group windows of old, which stand in GROUP BY.
const GROUP_WINDOWS: &[&str] = &[
    "TUMBLE",
    "TUMBLE_START",
    "TUMBLE_END",
    "TUMBLE_ROWTIME",
    "TUMBLE_PROCTIME",
    "HOP",
    "HOP_START",
    "HOP_END",
    "HOP_ROWTIME",
    "HOP_PROCTIME",
    "SESSION",
    "SESSION_START",
    "SESSION_END",
    "SESSION_ROWTIME",
    "SESSION_PROCTIME",
];

impl Binder<'_> {
    /// Binds a call.
    pub(super) fn function(&self, call: &FunctionCall, span: Span, cx: &ExprContext<'_>) -> Rex {
        let written = &call.name.last().value;
        let name = written.to_ascii_uppercase();
        if call.over.is_some() {
            return self.over_call(call, &name, span, cx);
        }
        if let Some(pattern) = cx.pattern
            && let Some(rex) = self.pattern_call(call, &name, span, cx, pattern)
        {
            return rex;
        }
        if is_aggregate(call) {
            return match cx.grouping {
                Some(grouping) => self.aggregate_call(call, &name, span, cx, grouping),
                None => {
                    let message = match cx.clause {
                        "AGGREGATE" => "Aggregate expressions cannot be nested".to_string(),
                        clause => format!("Aggregate expression is illegal in {clause} clause"),
                    };
                    let mut diagnostic = Diagnostic::error(BAD_GROUPING, message).at(span);
                    if cx.clause == "WHERE" {
                        diagnostic = diagnostic.hint("Conditions on aggregates go into HAVING.");
                    }
                    self.fail(diagnostic)
                }
            };
        }
        if OverFunction::named(&name).is_some() {
            let message = format!("OVER clause is necessary for window functions: {name}");
            return self.fail(
                Diagnostic::error(BAD_GROUPING, message)
                    .at(span)
                    .hint(format!("Say over which rows: {name}() OVER (PARTITION BY … ORDER BY …).")),
            );
        }
        if name == "CURRENT_DATABASE" && call.args.is_empty() {
            let database = crate::catalog::DATABASE_PATH[1];
            return Rex::literal(tidegate_data::Value::from(database), DataType::string().with_nullable(false));
        }
        // It tells equal grouping sets apart, of which there is one here.
        if name == "GROUP_ID" && call.args.is_empty() && cx.grouping.is_some() {
            return Rex::literal(tidegate_data::Value::Int(0), DataType::not_null(LogicalType::BigInt));
        }
        if let (true, Some(grouping)) = (matches!(name.as_str(), "GROUPING" | "GROUPING_ID"), cx.grouping) {
            return self.grouping_call(call, &name, span, cx, grouping);
        }
        if let (true, Some(grouping)) = (name.contains('_') && GROUP_WINDOWS.contains(&name.as_str()), cx.grouping)
            && grouping.window.is_some()
        {
            return self.window_property(call, &name, span, cx, grouping);
        }
        if GROUP_WINDOWS.contains(&name.as_str()) {
            return self.fail(super::not_yet("A group window function", span).hint(
                "Use a windowing table function: FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end.",
            ));
        }
        for (what, present) in [
            ("DISTINCT in a call that is no aggregate", call.distinct),
            ("ORDER BY in a call", !call.order_by.is_empty()),
            ("IGNORE NULLS and RESPECT NULLS", call.ignore_nulls.is_some()),
            ("WITHIN GROUP", !call.within_group.is_empty()),
            ("FILTER behind a call that is no aggregate", call.filter.is_some()),
        ] {
            if present {
                return self.fail(super::not_yet(what, span));
            }
        }
        let Some(args) = self.arguments(call, cx) else { return Rex::error() };
        if args.iter().any(|(rex, _)| rex.has_error()) {
            return Rex::error();
        }
        let spans: Vec<Span> = args.iter().map(|(_, span)| *span).collect();
        let args: Vec<Rex> = args.into_iter().map(|(rex, _)| rex).collect();
        if name == "NULLIF" && args.len() == 2 {
            let [left, right]: [Rex; 2] = [args[0].clone(), args[1].clone()];
            let equal = self.equality("=", left.clone(), right, span);
            let null = Rex::null(&left.ty);
            return self.build_case(vec![(equal, null)], Some(left), span);
        }
        if let Some(function) = self.catalog.user_function(&name) {
            return self.user_call(function, args, span);
        }
        let types: Vec<DataType> = args.iter().map(|rex| rex.ty.clone()).collect();
        if let (Some(unit), [time]) = (part_of_time(&name), args.as_slice())
            && Rex::call(name.as_str(), vec![time.clone()]).is_ok()
        {
            return self.call("EXTRACT", vec![unit_flag(unit), time.clone()], span);
        }
        let args = if name == "COALESCE" { self.to_common_type(args) } else { args };
        if name == "MOD" && args.last().is_some_and(super::expr::may_be_zero) {
            self.risk(RiskKind::Division, span);
        }
        match Rex::call(name.as_str(), args.clone()) {
            // Once more, for the marks of time attributes.
            Ok(_) => self.call(&name, args, span),
            Err(error) if error.code == UNKNOWN_FUNCTION => {
                let families: Vec<String> = types.iter().map(|ty| format!("<{}>", family(&ty.logical))).collect();
                let message = format!("No match found for function signature {written}({})", families.join(", "));
                let mut diagnostic = Diagnostic::error(NO_FUNCTION, message).at(call.name.span);
                for hint in error.hints {
                    if let Some(near) = hint.strip_prefix("Did you mean '").and_then(|rest| rest.strip_suffix("'?")) {
                        diagnostic = diagnostic.fix(call.name.span, near);
                    }
                    diagnostic = diagnostic.hint(hint);
                }
                self.fail(diagnostic)
            }
            Err(error) => {
                let at = error.argument.and_then(|i| spans.get(i)).copied().unwrap_or(span);
                self.fail_call(error, at)
            }
        }
    }

    /// A call of a function of the script: what it computes, with the arguments in the places of its parameters.
    fn user_call(&self, function: &UserFunction, args: Vec<Rex>, span: Span) -> Rex {
        if args.len() != function.parameters.len() {
            let message = format!(
                "Invalid number of arguments to function '{}'. Was expecting {} arguments",
                function.name,
                function.parameters.len()
            );
            self.error(NO_FUNCTION, message, span);
            return Rex::error();
        }
        let mut given = Vec::with_capacity(args.len());
        for (arg, ty) in args.into_iter().zip(&function.parameters) {
            match arg.cast(&ty.with_nullable(true), false) {
                Ok(cast) => given.push(cast),
                Err(error) => return self.fail_call(error, span),
            }
        }
        let size = |rex: &Rex| {
            let mut size = 0usize;
            rex.any(&mut |_| {
                size += 1;
                size > LARGEST_CALL
            });
            size
        };
        let sizes: Vec<usize> = given.iter().map(size).collect();
        let mut total = 0;
        let too_large = function.body.any(&mut |part| {
            total += part.as_column().map_or(1, |parameter| sizes[parameter]);
            total > LARGEST_CALL
        });
        if too_large {
            let message = format!("The call of '{}' becomes too large when its expression is put in.", function.name);
            self.error(crate::codes::TOO_LARGE, message, span);
            return Rex::error();
        }
        function.body.clone().substitute(&given)
    }

    /// The arguments of a COALESCE in the type that takes them all.
    fn to_common_type(&self, args: Vec<Rex>) -> Vec<Rex> {
        let types: Vec<DataType> = args.iter().map(|rex| rex.ty.with_nullable(rex.ty.nullable)).collect();
        let Some(common) = tidegate_expr::common_type(&types) else { return args };
        let convert = |rex: Rex| match rex.clone().cast(&common.with_nullable(rex.ty.nullable), false) {
            Ok(cast) if !common.logical.is_character() && !rex.ty.logical.is_timestamp() => {
                if rex.as_literal().is_some() { fold_constant(&rex, cast) } else { cast }
            }
            _ => rex,
        };
        args.into_iter().map(convert).collect()
    }

    /// The arguments with their spans; `None` when one is of a sort that no such function takes.
    pub(super) fn arguments(&self, call: &FunctionCall, cx: &ExprContext<'_>) -> Option<Vec<(Rex, Span)>> {
        let mut args = Vec::with_capacity(call.args.len());
        let mut good = true;
        for arg in &call.args {
            if arg.name.is_some() {
                self.not_yet("A named argument of a scalar function", arg.span);
                good = false;
            }
            match &arg.value {
                ArgValue::Expr(expr) => args.push((self.expr(expr, cx), expr.span)),
                ArgValue::Star | ArgValue::Default | ArgValue::Table(_) | ArgValue::Descriptor(_) => {
                    let name = &call.name.last().value;
                    self.error(NO_FUNCTION, format!("Function '{name}' takes no such argument"), arg.span);
                    good = false;
                }
            }
        }
        good.then_some(args)
    }
}

/// The unit that `YEAR(x)` and its kin extract.
fn part_of_time(name: &str) -> Option<TimeUnit> {
    Some(match name {
        "YEAR" => TimeUnit::Year,
        "QUARTER" => TimeUnit::Quarter,
        "MONTH" => TimeUnit::Month,
        "WEEK" => TimeUnit::Week,
        "DAYOFYEAR" => TimeUnit::Doy,
        "DAYOFMONTH" => TimeUnit::Day,
        "DAYOFWEEK" => TimeUnit::Dow,
        "HOUR" => TimeUnit::Hour,
        "MINUTE" => TimeUnit::Minute,
        "SECOND" => TimeUnit::Second,
        _ => return None,
    })
}

/// The family of a type, as Calcite's messages name it.
fn family(ty: &LogicalType) -> &'static str {
    match ty {
        LogicalType::Null => "NULL",
        LogicalType::Boolean => "BOOLEAN",
        ty if ty.is_numeric() => "NUMERIC",
        ty if ty.is_character() => "CHARACTER",
        ty if ty.is_binary() => "BINARY",
        LogicalType::Date => "DATE",
        LogicalType::Time(_) => "TIME",
        LogicalType::Timestamp(..) | LogicalType::TimestampLtz(..) => "TIMESTAMP",
        LogicalType::IntervalYearMonth => "INTERVAL_YEAR_MONTH",
        LogicalType::IntervalDayTime => "INTERVAL_DAY_TIME",
        LogicalType::Array(_) => "ARRAY",
        LogicalType::Map(..) => "MAP",
        LogicalType::Multiset(_) => "MULTISET",
        _ => "ROW",
    }
}
