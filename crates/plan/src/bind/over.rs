//! Calls with OVER: `ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts)`, also with a window of the WINDOW clause.

use tidegate_data::{DataType, LogicalType, Value};
use tidegate_diag::{Diagnostic, Span};
use tidegate_expr::AggregateFunction;
use tidegate_expr::aggregates::resolve;
use tidegate_sql::ast::{ArgValue, Frame as WrittenFrame, FrameBound, FunctionCall, OrderItem, Over, WindowSpec};

use super::Binder;
use super::expr::ExprContext;
use crate::codes::{BAD_GROUPING, BAD_OPERANDS, BAD_PLAN, BAD_WINDOW, NO_OBJECT};
use crate::logical::AggFunction;
use crate::over::{Bound, Frame, OverCall, OverFunction, SortKey};
use crate::rex::{Rex, RexKind};

impl Binder<'_> {
    /// Binds a call with OVER.
    pub(super) fn over_call(&self, call: &FunctionCall, name: &str, span: Span, cx: &ExprContext<'_>) -> Rex {
        if cx.clause != "SELECT" && cx.clause != "QUALIFY" {
            let message = match cx.clause {
                "AGGREGATE" | "OVER" => "Aggregate expressions cannot be nested".to_string(),
                clause => format!("Windowed aggregate expression is illegal in {clause} clause"),
            };
            let hint = "Compute it in a subquery, and use its column outside.";
            return self.fail(Diagnostic::error(BAD_GROUPING, message).at(span).hint(hint));
        }
        for (what, present) in [
            ("FILTER with OVER", call.filter.is_some()),
            ("IGNORE NULLS and RESPECT NULLS", call.ignore_nulls.is_some()),
            ("ORDER BY in a call", !call.order_by.is_empty()),
            ("WITHIN GROUP", !call.within_group.is_empty()),
        ] {
            if present {
                return self.fail(super::not_yet(what, span));
            }
        }
        let inner = ExprContext { clause: "OVER", ..*cx };
        let Some((partition, order, frame)) = self.window_spec(call, &inner) else { return Rex::error() };
        let framed = frame.is_some();
        let frame = frame.unwrap_or(Frame::default_range());
        let star = matches!(call.args.as_slice(), [arg] if arg.value == ArgValue::Star);
        let args: Vec<Rex> = match star {
            true => Vec::new(),
            false => match self.arguments(call, &inner) {
                Some(args) => args.into_iter().map(|(rex, _)| rex).collect(),
                None => return Rex::error(),
            },
        };
        if args.iter().chain(&partition).chain(order.iter().map(|key| &key.rex)).any(Rex::has_error) {
            return Rex::error();
        }
        let over = |function: OverFunction, args: Vec<Rex>, ty: DataType| {
            let frame = if function == OverFunction::RowNumber { Frame::rows_so_far() } else { frame.clone() };
            let (partition, order) = (partition.clone(), order.clone());
            let call = OverCall { function, args, distinct: call.distinct, partition, order, frame };
            Rex { kind: RexKind::Over(Box::new(call)), ty }
        };
        if let Some(function) = OverFunction::named(name) {
            if framed {
                let message = "ROW/RANGE not allowed with RANK, DENSE_RANK or ROW_NUMBER functions";
                return self.fail(Diagnostic::error(BAD_WINDOW, message).at(span));
            }
            return match self.ranking_type(function, &args, span) {
                Some((args, ty)) => over(function, args, ty),
                None => Rex::error(),
            };
        }
        let types: Vec<DataType> = args.iter().map(|rex| rex.ty.clone()).collect();
        let (function, ty) = match resolve(name, &types, call.distinct) {
            Ok(resolved) => resolved,
            Err(error) => return self.fail_call(error, span),
        };
        let count = |args: Vec<Rex>| {
            let args = if args.iter().all(|arg| !arg.ty.nullable) && !call.distinct { Vec::new() } else { args };
            let ty = DataType::not_null(LogicalType::BigInt);
            over(OverFunction::Aggregate(AggFunction::Sql(AggregateFunction::Count)), args, ty)
        };
        let sum = |args: Vec<Rex>, ty: &DataType| {
            if !ty.nullable {
                return over(OverFunction::Aggregate(AggFunction::Sql(AggregateFunction::Sum)), args, ty.clone());
            }
            let some = self.call(
                ">",
                vec![count(args.clone()), Rex::literal(Value::Int(0), DataType::not_null(LogicalType::BigInt))],
                span,
            );
            let total = over(OverFunction::Aggregate(AggFunction::Sum0), args, ty.with_nullable(false));
            let ty = ty.with_nullable(true);
            Rex { kind: RexKind::Case { branches: vec![(some, total)], otherwise: Box::new(Rex::null(&ty)) }, ty }
        };
        match function {
            AggregateFunction::Count => count(args),
            AggregateFunction::Sum => sum(args, &ty),
            // What is added up has the type of the argument, a DECIMAL that of its sum.
            AggregateFunction::Avg => {
                let total = match resolve("SUM", &types, call.distinct) {
                    Ok((_, ty)) => sum(args.clone(), &ty),
                    Err(error) => return self.fail_call(error, span),
                };
                let quotient = self.call("/", vec![total, count(args)], span);
                match quotient.cast(&ty, false) {
                    Ok(rex) => Rex { ty, ..rex },
                    Err(error) => self.fail_call(error, span),
                }
            }
            function => over(OverFunction::Aggregate(AggFunction::Sql(function)), args, ty),
        }
    }

    /// Arguments and result type of a function that is no aggregate.
    fn ranking_type(&self, function: OverFunction, args: &[Rex], span: Span) -> Option<(Vec<Rex>, DataType)> {
        let (low, high) = match function {
            OverFunction::Lag | OverFunction::Lead => (1, 3),
            OverFunction::Ntile => (1, 1),
            _ => (0, 0),
        };
        if args.len() < low || args.len() > high {
            let message =
                format!("Invalid number of arguments to function '{}'. Was expecting {low} arguments", function.name());
            self.error(BAD_OPERANDS, message, span);
            return None;
        }
        let ty = match function {
            OverFunction::Lag | OverFunction::Lead => {
                let nullable = args.get(2).is_none_or(|default| default.ty.nullable) || args[0].ty.nullable;
                DataType { logical: args[0].ty.logical.without_time_attribute(), nullable }
            }
            OverFunction::PercentRank | OverFunction::CumeDist => DataType::not_null(LogicalType::Double),
            _ => DataType::not_null(LogicalType::BigInt),
        };
        let mut args = args.to_vec();
        if let Some(default) = args.get_mut(2)
            && default.ty.logical != ty.logical
        {
            match default.clone().cast(&ty, false) {
                Ok(cast) => *default = super::cast::fold_constant(default, cast),
                Err(error) => {
                    self.fail_call(error, span);
                    return None;
                }
            }
        }
        Some((args, ty))
    }

    fn window_spec(
        &self,
        call: &FunctionCall,
        cx: &ExprContext<'_>,
    ) -> Option<(Vec<Rex>, Vec<SortKey>, Option<Frame>)> {
        let spec = match &call.over {
            Some(Over::Spec(spec)) => self.refined(spec)?,
            Some(Over::Name(name)) => self.refined(&self.named_window(name)?)?,
            None => return None,
        };
        let partition: Vec<Rex> = spec.partition_by.iter().map(|expr| self.expr(expr, cx)).collect();
        let order = spec.order_by.iter().map(|item| self.sort_key(item, cx)).collect();
        let frame = match &spec.frame {
            None => None,
            Some(frame) => Some(self.frame(frame)?),
        };
        Some((partition, order, frame))
    }

    pub(super) fn sort_key(&self, item: &OrderItem, cx: &ExprContext<'_>) -> SortKey {
        SortKey {
            rex: self.expr(&item.expr, cx),
            descending: item.descending,
            nulls_first: item.nulls_first.unwrap_or(!item.descending),
        }
    }

    fn named_window(&self, name: &tidegate_sql::ast::Ident) -> Option<WindowSpec> {
        let windows = self.windows.borrow();
        let found = windows.iter().rev().find(|window| window.name.value == name.value);
        if found.is_none() {
            self.error(NO_OBJECT, format!("Window '{}' not found", name.value), name.span);
        }
        found.map(|window| window.spec.clone())
    }

    /// A window with what it takes from the one that it names.
    fn refined(&self, spec: &WindowSpec) -> Option<WindowSpec> {
        let Some(base) = &spec.base else { return Some(spec.clone()) };
        let base = self.refined(&self.named_window(base)?)?;
        let mut refined = spec.clone();
        if refined.partition_by.is_empty() {
            refined.partition_by = base.partition_by;
        }
        if refined.order_by.is_empty() {
            refined.order_by = base.order_by;
        }
        refined.frame = refined.frame.or(base.frame);
        refined.base = None;
        Some(refined)
    }

    fn frame(&self, frame: &WrittenFrame) -> Option<Frame> {
        let mut unit = None;
        let mut bound = |bound: &FrameBound| -> Option<Bound> {
            let (expr, preceding) = match bound {
                FrameBound::CurrentRow => return Some(Bound::CurrentRow),
                FrameBound::UnboundedPreceding => return Some(Bound::UnboundedPreceding),
                FrameBound::UnboundedFollowing => return Some(Bound::UnboundedFollowing),
                FrameBound::Preceding(expr) => (expr, true),
                FrameBound::Following(expr) => (expr, false),
            };
            let scope = super::Scope::default();
            let rex = self.expr(expr, &ExprContext::rows(&scope, "OVER"));
            if rex.has_error() {
                return None;
            }
            let RexKind::Literal { value: Value::Int(distance), unit: own } = &rex.kind else {
                self.error(BAD_WINDOW, "The bounds of a window are constants.", expr.span);
                return None;
            };
            if *distance < 0 {
                self.error(BAD_PLAN, "The bounds of a window are not negative.", expr.span);
                return None;
            }
            unit = own.clone().or(unit.take());
            Some(if preceding { Bound::Preceding(*distance) } else { Bound::Following(*distance) })
        };
        let start = bound(&frame.start)?;
        let end = match &frame.end {
            Some(end) => bound(end)?,
            None => Bound::CurrentRow,
        };
        Some(Frame { rows: frame.rows, start, end, unit })
    }
}
