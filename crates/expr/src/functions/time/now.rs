//! What time it is: CURRENT_TIMESTAMP and its kin, PROCTIME, CURRENT_WATERMARK. The host's clock alone says.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_schema::{DataType as ArrowType, TimeUnit};
use tidegate_data::calendar::MS_PER_DAY;
use tidegate_data::{DataType, LogicalType, TimeKind, arrow::units_per_second};

use crate::eval::EvalError;
use crate::functions::{Binding, Call, Kernel, ScalarFunction};
use crate::{CallError, Expr};

macro_rules! clocks {
    ($($static:ident $name:literal $ty:expr;)*) => {
        $(static $static: ScalarFunction = ScalarFunction::new($name, Kernel::Plain(now)).volatile().zoned();)*
        pub(in crate::functions) const BINDINGS: &[Binding] = &[
            $(Binding { name: $name, bind: |name, args| bind(&$static, name, args, $ty) },)*
            Binding { name: "CURRENT_WATERMARK", bind: bind_watermark },
        ];
    };
}

const INSTANT: LogicalType = LogicalType::TimestampLtz(3, TimeKind::Regular);

clocks! {
    CURRENT_TIMESTAMP "CURRENT_TIMESTAMP" INSTANT;
    CURRENT_ROW_TIMESTAMP "CURRENT_ROW_TIMESTAMP" INSTANT;
    NOW "NOW" INSTANT;
    PROCTIME "PROCTIME" LogicalType::TimestampLtz(3, TimeKind::Proctime);
    LOCALTIMESTAMP "LOCALTIMESTAMP" LogicalType::Timestamp(3, TimeKind::Regular);
    CURRENT_DATE "CURRENT_DATE" LogicalType::Date;
    CURRENT_TIME "CURRENT_TIME" LogicalType::Time(0);
    LOCALTIME "LOCALTIME" LogicalType::Time(0);
}

static CURRENT_WATERMARK: ScalarFunction =
    ScalarFunction::new("CURRENT_WATERMARK", Kernel::Plain(watermark)).volatile();

fn bind(
    function: &'static ScalarFunction,
    name: &str,
    args: Vec<Expr>,
    logical: LogicalType,
) -> Result<Expr, CallError> {
    if !args.is_empty() {
        return Err(CallError::count(name, args.len(), "0"));
    }
    Ok(function.on(args, DataType::not_null(logical)))
}

fn bind_watermark(name: &'static str, args: Vec<Expr>) -> Result<Expr, CallError> {
    let [time] = &args[..] else { return Err(CallError::count(name, args.len(), "1")) };
    // Whether it is a time attribute is the planner's to check: it sees the attribute.
    if !time.ty.logical.is_timestamp() {
        return Err(CallError::arguments(
            "CURRENT_WATERMARK() must be called with a single rowtime attribute argument",
            Some(0),
        ));
    }
    let ty = DataType::new(time.ty.logical.without_time_attribute());
    Ok(CURRENT_WATERMARK.on(args, ty))
}

/// The present, in the result's type.
fn now(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let utc = call.ctx.now;
    let local = call.ctx.zone.to_local_ms(utc);
    Ok(match &call.ty.logical {
        LogicalType::Date => {
            Arc::new(PrimitiveArray::<Date32Type>::from_value(local.div_euclid(MS_PER_DAY) as i32, call.len))
        }
        LogicalType::Time(_) => Arc::new(PrimitiveArray::<Time32MillisecondType>::from_value(
            // Whole seconds: the type has no more digits.
            (local.rem_euclid(MS_PER_DAY) / 1000 * 1000) as i32,
            call.len,
        )),
        LogicalType::Timestamp(..) => Arc::new(PrimitiveArray::<TimestampMillisecondType>::from_value(local, call.len)),
        _ => Arc::new(PrimitiveArray::<TimestampMillisecondType>::from_value(utc, call.len)),
    })
}

/// The operator's watermark; NULL before the first.
fn watermark(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (LogicalType::Timestamp(p, _) | LogicalType::TimestampLtz(p, _)) = &call.ty.logical else {
        unreachable!("the binder gives it the type of a timestamp")
    };
    let ticks = call.ctx.watermark.map(|ms| ms.saturating_mul(units_per_second(*p) / 1000));
    let column: PrimitiveArray<Int64Type> = std::iter::repeat_n(ticks, call.len).collect();
    Ok(match call.ty.arrow() {
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => {
            Arc::new(column.reinterpret_cast::<TimestampMillisecondType>())
        }
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => {
            Arc::new(column.reinterpret_cast::<TimestampMicrosecondType>())
        }
        _ => Arc::new(column.reinterpret_cast::<TimestampNanosecondType>()),
    })
}
