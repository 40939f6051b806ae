//! Times: TIMESTAMPADD, and which calls keep the mark of a rowtime.

use tidegate_data::{DataType, LogicalType, TimeKind, Value};
use tidegate_diag::Span;
use tidegate_sql::ast::TimeUnit;

use super::Binder;

use super::literal::{unit_flag, unit_length};
use crate::rex::{Rex, RexKind};

impl Binder<'_> {
    /// TIMESTAMPADD as the addition of an interval, where it is one.
    pub(super) fn timestamp_add(&self, unit: TimeUnit, count: Rex, time: Rex, span: Span) -> Rex {
        let checked = self.call("TIMESTAMPADD", vec![unit_flag(unit), count.clone(), time.clone()], span);
        let of_days =
            matches!(unit, TimeUnit::Week | TimeUnit::Day | TimeUnit::Month | TimeUnit::Quarter | TimeUnit::Year);
        let adds = time.ty.logical.is_timestamp() || (time.ty.logical == LogicalType::Date && of_days);
        let Some(length) = unit_length(unit).filter(|_| adds && !checked.has_error() && count.ty.logical.is_integer())
        else {
            return checked;
        };
        let months = matches!(unit, TimeUnit::Month | TimeUnit::Quarter | TimeUnit::Year);
        let interval = |amount: i64| {
            let ty = if months { LogicalType::IntervalYearMonth } else { LogicalType::IntervalDayTime };
            // Months are an INT in Flink, which overflows silently.
            let amount = if months { i64::from(amount as i32) } else { amount };
            let kind = RexKind::Literal { value: Value::Int(amount), unit: Some(super::unit_name(unit).into()) };
            Rex { kind, ty: DataType::not_null(ty) }
        };
        let amount = match count.as_literal() {
            Some(Value::Int(count)) => match count.checked_mul(length) {
                Some(amount) => interval(amount),
                None => return checked,
            },
            Some(_) => return checked,
            None => match Rex::call("*", vec![interval(length), count]) {
                Ok(amount) => amount,
                Err(_) => return checked,
            },
        };
        match self.call("+", vec![time, amount], span) {
            sum if sum.has_error() || sum.ty.logical.without_time_attribute() != checked.ty.logical => checked,
            sum => Rex { ty: checked.ty, ..sum },
        }
    }
}

/// Functions of a time attribute that keep its mark, by their first time argument.
pub(super) fn keeps_mark(op: &str) -> bool {
    matches!(op, "+" | "-" | "FLOOR" | "CEIL" | "COALESCE" | "IFNULL" | "IF" | "NULLIF")
}

/// The same type, marked as a rowtime.
pub(super) fn as_rowtime(ty: &DataType) -> DataType {
    let logical = match ty.logical {
        LogicalType::Timestamp(p, _) => LogicalType::Timestamp(p, TimeKind::Rowtime),
        LogicalType::TimestampLtz(p, _) => LogicalType::TimestampLtz(p, TimeKind::Rowtime),
        ref other => other.clone(),
    };
    DataType { logical, nullable: ty.nullable }
}

/// The unit of an interval constant.
pub(super) fn interval_unit(rex: &Rex) -> Option<String> {
    match &rex.kind {
        RexKind::Literal { unit: Some(unit), .. } if rex.ty.logical.is_interval() => Some(unit.clone()),
        _ => None,
    }
}
