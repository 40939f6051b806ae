//! Expressions over one row.

use std::cmp::Ordering;

use tidegate_data::{LogicalType, Value};
use tidegate_expr::{Expr, ExprKind};

use super::{Stop, cast, fails, number, text, time, unknown};

/// The value of an expression in a row.
///
/// # Errors
/// When it cannot be computed.
pub fn value(expr: &Expr, row: &[Value]) -> Result<Value, Stop> {
    match &expr.kind {
        ExprKind::Column(column) => Ok(row[*column].clone()),
        ExprKind::Literal(value) => Ok(value.clone()),
        ExprKind::Cast { input, safe } => {
            let inner = value(input, row)?;
            if inner.is_null() {
                return Ok(inner);
            }
            match cast::cast(&inner, &input.ty.logical, &expr.ty.logical) {
                Err(Stop::Fails(_)) if *safe => Ok(Value::Null),
                other => other,
            }
        }
        ExprKind::Case { branches, otherwise } => {
            for (condition, then) in branches {
                if value(condition, row)? == Value::Boolean(true) {
                    return value(then, row);
                }
            }
            value(otherwise, row)
        }
        ExprKind::Call { function, args } => call(function.name, args, expr, row),
    }
}

/// Whether a condition is TRUE in a row.
///
/// # Errors
/// When it cannot be computed.
pub fn holds(expr: &Expr, row: &[Value]) -> Result<bool, Stop> {
    Ok(value(expr, row)? == Value::Boolean(true))
}

fn call(name: &str, args: &[Expr], expr: &Expr, row: &[Value]) -> Result<Value, Stop> {
    match name {
        "AND" | "OR" => return connected(args, name == "OR", row),
        "COALESCE" | "IFNULL" => {
            for arg in args {
                let value = value(arg, row)?;
                if !value.is_null() {
                    return Ok(value);
                }
            }
            return Ok(Value::Null);
        }
        // The planner sees to it that nothing beside a NULL is computed, and so cannot fail; but not in functions.
        "+" | "-" | "*" | "/" | "=" | "<>" | "<" | "<=" | ">" | ">=" | "LIKE" if args.iter().any(always_null) => {
            return Ok(Value::Null);
        }
        "IF" => {
            let chosen = if holds(&args[0], row)? { &args[1] } else { &args[2] };
            return value(chosen, row);
        }
        _ => {}
    }
    let mut values = Vec::new();
    for arg in args {
        values.push(value(arg, row)?);
    }
    let truth = |wanted: bool, positive: bool| Ok(Value::Boolean((values[0] == Value::Boolean(wanted)) == positive));
    match name {
        "IS NULL" => return Ok(Value::Boolean(values[0].is_null())),
        "IS NOT NULL" => return Ok(Value::Boolean(!values[0].is_null())),
        "IS TRUE" => return truth(true, true),
        "IS NOT TRUE" => return truth(true, false),
        "IS FALSE" => return truth(false, true),
        "IS NOT FALSE" => return truth(false, false),
        "IS DISTINCT FROM" | "IS NOT DISTINCT FROM" => {
            let same = match (values[0].is_null(), values[1].is_null()) {
                (true, true) => true,
                (false, false) => order(&values[0], &args[0], &values[1], &args[1])?.order == Some(Ordering::Equal),
                _ => false,
            };
            return Ok(Value::Boolean(same == (name == "IS NOT DISTINCT FROM")));
        }
        "IN" => {
            if values[0].is_null() {
                return Ok(Value::Null);
            }
            let mut null = false;
            for (item, arg) in values.iter().zip(args).skip(1) {
                null |= item.is_null();
                if !item.is_null() && order(&values[0], &args[0], item, arg)?.order == Some(Ordering::Equal) {
                    return Ok(Value::Boolean(true));
                }
            }
            return Ok(if null { Value::Null } else { Value::Boolean(false) });
        }
        _ => {}
    }
    if values.iter().any(Value::is_null) {
        return Ok(Value::Null);
    }
    strict(name, args, &values, expr)
}

/// Whether an expression is NULL by what is written there, whatever the row.
fn always_null(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Cast { input, .. } => always_null(input),
        ExprKind::Case { branches, otherwise } => {
            branches.iter().all(|(_, then)| always_null(then)) && always_null(otherwise)
        }
        _ => expr.columns().is_empty() && value(expr, &[]) == Ok(Value::Null),
    }
}

/// AND and OR from the left, as far as it takes.
fn connected(args: &[Expr], decisive: bool, row: &[Value]) -> Result<Value, Stop> {
    let mut null = false;
    for arg in args {
        match value(arg, row)? {
            Value::Boolean(truth) if truth == decisive => return Ok(Value::Boolean(decisive)),
            Value::Null => null = true,
            _ => {}
        }
    }
    Ok(if null { Value::Null } else { Value::Boolean(!decisive) })
}

/// How two values compare: not at all if a text is no date.
struct Compared {
    order: Option<Ordering>,
    known: bool,
}

fn order(a: &Value, left: &Expr, b: &Value, right: &Expr) -> Result<Compared, Stop> {
    let (ta, tb) = (&left.ty.logical, &right.ty.logical);
    let order = match (a, b) {
        (Value::String(a), Value::String(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Value::Boolean(a), Value::Boolean(b)) => Some(a.cmp(b)),
        (Value::String(_), _) | (_, Value::String(_)) => {
            let (text, ty, other) = if ta.is_character() { (a, tb, b) } else { (b, ta, a) };
            match cast::cast(text, if ta.is_character() { ta } else { tb }, ty) {
                Ok(Value::Int(time)) => {
                    let Value::Int(other) = other else { return Err(unknown("a text and what is no time")) };
                    Some(if ta.is_character() { time.cmp(other) } else { other.cmp(&time) })
                }
                Err(Stop::Unknown(what)) => return Err(Stop::Unknown(what)),
                _ => return Ok(Compared { order: None, known: false }),
            }
        }
        (Value::Int(a), Value::Int(b)) if ta == tb => Some(a.cmp(b)),
        (Value::Int(a), Value::Int(b)) if ta.is_timestamp() && tb.is_timestamp() => {
            let nanos = |value: i64, ty: &LogicalType| {
                let digits = match ty {
                    LogicalType::Timestamp(0..=3, _) => 6,
                    LogicalType::Timestamp(4..=6, _) => 3,
                    _ => 0,
                };
                i128::from(value) * 10i128.pow(digits)
            };
            Some(nanos(*a, ta).cmp(&nanos(*b, tb)))
        }
        _ => number::order(a, ta, b, tb),
    };
    Ok(Compared { order, known: true })
}

fn strict(name: &str, args: &[Expr], values: &[Value], expr: &Expr) -> Result<Value, Stop> {
    let ty = &expr.ty.logical;
    let of = |at: usize| &args[at].ty.logical;
    let compared = |test: fn(Option<Ordering>) -> bool| {
        let compared = order(&values[0], &args[0], &values[1], &args[1])?;
        Ok(if compared.known { Value::Boolean(test(compared.order)) } else { Value::Null })
    };
    match name {
        "NOT" => Ok(Value::Boolean(values[0] == Value::Boolean(false))),
        "=" => compared(|order| order == Some(Ordering::Equal)),
        "<>" => compared(|order| order != Some(Ordering::Equal)),
        "<" => compared(|order| order == Some(Ordering::Less)),
        ">" => compared(|order| order == Some(Ordering::Greater)),
        "<=" => compared(|order| matches!(order, Some(Ordering::Less | Ordering::Equal))),
        ">=" => compared(|order| matches!(order, Some(Ordering::Greater | Ordering::Equal))),
        "GREATEST" | "LEAST" => {
            let wanted = if name == "GREATEST" { Ordering::Greater } else { Ordering::Less };
            let mut best = 0;
            for at in 1..values.len() {
                if order(&values[at], &args[at], &values[best], &args[best])?.order == Some(wanted) {
                    best = at;
                }
            }
            Ok(values[best].clone())
        }
        "-" if args.len() == 1 => number::negated(&values[0], ty),
        "+" | "-" | "*" | "/" | "MOD" if of(0).is_numeric() && of(1).is_numeric() => {
            number::binary(name, (&values[0], of(0)), (&values[1], of(1)), ty)
        }
        "+" | "-" | "*" | "/" => times(name, args, values, ty),
        "ABS" | "SIGN" | "FLOOR" | "CEIL" if args.len() == 1 => number::rounding(name, &values[0], of(0), ty),
        "FLOOR" | "CEIL" => match (&values[0], &values[1]) {
            (Value::Int(value), Value::String(unit)) => {
                time::rounded(&unit.to_uppercase(), *value, of(0), name == "CEIL")
            }
            _ => Err(unknown(format!("{name} of {values:?}"))),
        },
        "EXTRACT" => match (&values[0], &values[1]) {
            (Value::String(unit), Value::Int(value)) => time::extract(&unit.to_uppercase(), *value, of(1)),
            _ => Err(unknown(format!("{name} of {values:?}"))),
        },
        "TIMESTAMPDIFF" => match values {
            [Value::String(unit), Value::Int(a), Value::Int(b)] => {
                let length = match unit.to_uppercase().as_str() {
                    "SECOND" => 1_000,
                    "MINUTE" => 60_000,
                    "HOUR" => 3_600_000,
                    "DAY" => time::DAY,
                    other => return Err(unknown(format!("TIMESTAMPDIFF({other})"))),
                };
                let apart = time::milliseconds(*b, of(2)) - time::milliseconds(*a, of(1));
                Ok(Value::Int(number::wrapped(i128::from(apart / length), ty)))
            }
            _ => Err(unknown(format!("{name} of {values:?}"))),
        },
        _ => text::call(name, values),
    }
}

/// `+`, `-`, `*` and `/` with times and intervals.
fn times(name: &str, args: &[Expr], values: &[Value], ty: &LogicalType) -> Result<Value, Stop> {
    let (left, right) = (&args[0].ty.logical, &args[1].ty.logical);
    let (Value::Int(a), Value::Int(b)) = (&values[0], &values[1]) else {
        return Err(unknown(format!("{name} of {values:?}")));
    };
    let (wide, other) = (i128::from(*a), i128::from(*b));
    Ok(Value::Int(match name {
        "+" | "-" if left.is_datetime() && right.is_interval() => {
            time::shifted(*a, left, *b, right, if name == "+" { 1 } else { -1 })
        }
        "-" if left.is_datetime() && *ty == LogicalType::IntervalDayTime => {
            time::milliseconds(*a, left) - time::milliseconds(*b, right)
        }
        "+" if left.is_interval() => number::wrapped(wide + other, ty),
        "-" if left.is_interval() => number::wrapped(wide - other, ty),
        "*" => number::wrapped(wide * other, ty),
        "/" if *b == 0 => return Err(fails("/ by zero")),
        "/" => number::wrapped(wide / other, ty),
        _ => return Err(unknown(format!("{name} of {left} and {right}"))),
    }))
}
