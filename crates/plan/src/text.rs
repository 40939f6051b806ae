//! Expressions as plans show them: `>(v, 10)` in the physical plan, `(v > 10)` in the execution plan, `>($0, 10)` in the
//! syntax tree.

use tidegate_data::text::number::write_decimal;
use tidegate_data::text::time::{write_date, write_time, write_timestamp};
use tidegate_data::{DataType, LogicalType, Value};

use crate::rex::{Rex, RexKind};
use crate::sarg::Sarg;

/// Which of the three plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `== Abstract Syntax Tree ==`: columns by number, types of constants only where they are not plain.
    Tree,
    /// `== Optimized Physical Plan ==`: prefix notation.
    Physical,
    /// `== Optimized Execution Plan ==`: infix notation.
    Execution,
}

/// The text of an expression; `names` are the columns of its input.
pub fn rex_text(rex: &Rex, names: &[String], form: Form) -> String {
    match &rex.kind {
        RexKind::Column(index) => match form {
            Form::Tree => format!("${index}"),
            _ => names.get(*index).cloned().unwrap_or_else(|| format!("${index}")),
        },
        RexKind::Literal { .. } if form == Form::Execution => short_literal(rex),
        RexKind::Literal { .. } => literal_text(rex),
        RexKind::Flag(word) if form == Form::Execution => word.clone(),
        RexKind::Flag(word) => format!("FLAG({word})"),
        RexKind::Cast { input, safe } => cast_text(rex, input, *safe, names, form),
        RexKind::Case { branches, otherwise } => {
            let mut parts: Vec<String> = Vec::new();
            for (condition, value) in branches {
                parts.push(rex_text(condition, names, form));
                parts.push(rex_text(value, names, form));
            }
            parts.push(rex_text(otherwise, names, form));
            format!("CASE({})", parts.join(", "))
        }
        RexKind::Call { op, args } => {
            expanded_text(op, args, &rex.ty, names, form).unwrap_or_else(|| call_text(op, args, names, form))
        }
        RexKind::Search { operand, sarg } => {
            format!("SEARCH({}, {})", rex_text(operand, names, form), sarg_text(sarg, form))
        }
        RexKind::Over(call) => call.text(names, form),
        RexKind::Outer(index) => format!("$cor{index}"),
        RexKind::Error => "ERROR".into(),
    }
}

fn cast_text(rex: &Rex, input: &Rex, safe: bool, names: &[String], form: Form) -> String {
    let function = if safe { "TRY_CAST" } else { "CAST" };
    let inner = rex_text(input, names, form);
    let mut ty = if form == Form::Execution { rex.ty.calcite() } else { type_text(&rex.ty) };
    if !rex.ty.nullable && form != Form::Execution {
        ty.push_str(" NOT NULL");
    }
    match form {
        Form::Tree if safe => format!("{function}({inner})"),
        Form::Tree => format!("{function}({inner}):{ty}"),
        _ => format!("{function}({inner} AS {ty})"),
    }
}

/// The operators that the execution plan writes between their operands.
fn is_infix(op: &str) -> bool {
    matches!(op, "+" | "-" | "*" | "/" | "=" | "<>" | "<" | "<=" | ">" | ">=" | "AND" | "OR")
}

/// Functions that Calcite writes in terms of others.
fn expanded_text(op: &str, args: &[Rex], ty: &DataType, names: &[String], form: Form) -> Option<String> {
    match (op, args) {
        (".", [row, Rex { kind: RexKind::Flag(field), .. }]) => Some(format!("{}.{field}", rex_text(row, names, form))),
        ("SQRT", [x]) => {
            let half = if form == Form::Execution { "0.5" } else { "0.5:DECIMAL(2, 1)" };
            Some(format!("POWER({}, {half})", rex_text(x, names, form)))
        }
        ("TIMESTAMPDIFF", [Rex { kind: RexKind::Flag(unit), .. }, from, to]) => {
            let length = match unit.as_str() {
                "SECOND" => 1_000,
                "MINUTE" => 60_000,
                "HOUR" => 3_600_000,
                "DAY" => 86_400_000,
                _ => return None,
            };
            let (to, from) = (rex_text(to, names, form), rex_text(from, names, form));
            if form == Form::Execution {
                return Some(format!("CAST((Reinterpret(({to} - {from})) /INT {length}) AS INTEGER)"));
            }
            let quotient = format!("/INT(Reinterpret(-({to}, {from})), {length})");
            let not_null = if ty.nullable { "" } else { " NOT NULL" };
            Some(match form {
                Form::Tree => format!("CAST({quotient}):INTEGER{not_null}"),
                _ => format!("CAST({quotient} AS INTEGER{not_null})"),
            })
        }
        _ => None,
    }
}

fn call_text(op: &str, args: &[Rex], names: &[String], form: Form) -> String {
    let shown = match op {
        "%" => "MOD",
        "CEILING" => "CEIL",
        "CHARACTER_LENGTH" => "CHAR_LENGTH",
        other => other,
    };
    let mut parts: Vec<String> = args.iter().map(|arg| rex_text(arg, names, form)).collect();
    if form == Form::Tree && matches!(op, "AND" | "OR") {
        // NULL needs no type where it can only be BOOLEAN.
        for (part, arg) in parts.iter_mut().zip(args) {
            if arg.as_literal() == Some(&Value::Null) {
                *part = "null".into();
            }
        }
    }
    if form == Form::Tree && args.len() == 2 && is_simple_binary(op) {
        for i in 0..2 {
            if args[i].as_literal().is_some()
                && args[1 - i].as_literal().is_none()
                && args[i].ty.logical == args[1 - i].ty.logical
            {
                parts[i] = value_text(&args[i]);
            }
        }
    }
    if form == Form::Execution {
        if args.len() >= 2 && is_infix(op) {
            return format!("({})", parts.join(&format!(" {op} ")));
        }
        if args.len() == 1 && op.starts_with("IS ") {
            return format!("{} {op}", parts[0]);
        }
    }
    format!("{shown}({})", parts.join(", "))
}

fn is_simple_binary(op: &str) -> bool {
    matches!(op, "+" | "-" | "*" | "/" | "=" | "<>" | "<" | "<=" | ">" | ">=" | "%")
}

/// Calcite's name of a type, with the character set of texts.
pub fn type_text(ty: &DataType) -> String {
    match ty.logical {
        LogicalType::Char(_) | LogicalType::VarChar(_) => format!("{} CHARACTER SET \"UTF-16LE\"", ty.calcite()),
        _ => ty.calcite(),
    }
}

/// A constant with its type where the type does not show.
pub fn literal_text(rex: &Rex) -> String {
    let text = value_text(rex);
    let RexKind::Literal { value, unit } = &rex.kind else { return text };
    if *value == Value::Null {
        let ty = match unit {
            Some(unit) => format!("INTERVAL {unit}"),
            None => type_text(&rex.ty),
        };
        return format!("{text}:{ty}");
    }
    if let (Some(unit), true) = (unit, rex.ty.logical.is_interval()) {
        return format!("{text}:INTERVAL {unit}");
    }
    let plain = match (&rex.ty.logical, value) {
        (LogicalType::Boolean | LogicalType::Int | LogicalType::Date | LogicalType::Null, _) => true,
        (LogicalType::Char(n), Value::String(text)) => text.encode_utf16().count() == *n as usize,
        (LogicalType::Timestamp(0, _) | LogicalType::Time(0), _) => true,
        _ => false,
    };
    if plain { text } else { format!("{text}:{}", type_text(&rex.ty)) }
}

/// A constant in the execution plan: no character sets, types only of NULLs and intervals.
fn short_literal(rex: &Rex) -> String {
    let RexKind::Literal { value, unit } = &rex.kind else { return String::new() };
    match value {
        Value::Null => match unit {
            Some(unit) => format!("null:INTERVAL {unit}"),
            None => format!("null:{}", rex.ty.calcite()),
        },
        // Flink's own text does not double the quotes inside.
        Value::String(text) => format!("'{text}'"),
        _ if rex.ty.logical.is_interval() => literal_text(rex),
        _ => value_text(rex),
    }
}

/// A constant without its type.
fn value_text(rex: &Rex) -> String {
    let Some(value) = rex.as_literal() else { return String::new() };
    match value {
        Value::Null => "null".into(),
        Value::Boolean(value) => value.to_string(),
        Value::String(text) => format!("_UTF-16LE'{}'", text.replace('\'', "''")),
        Value::Bytes(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("X'{digits}'")
        }
        _ if written_digits(rex).is_some() => written_digits(rex).unwrap_or_default(),
        Value::Double(value) => double_text(*value),
        Value::Float(value) => double_text(f64::from(*value)),
        Value::Int(value) => {
            let mut out = String::new();
            match rex.ty.logical {
                LogicalType::Date => write_date(&mut out, *value as i32),
                LogicalType::Time(p) => write_time(&mut out, *value as i32, p),
                LogicalType::Timestamp(p, _) | LogicalType::TimestampLtz(p, _) => write_timestamp(&mut out, *value, p),
                _ => return value.to_string(),
            }
            without_zeros(out)
        }
        Value::Decimal(value) => {
            let mut out = String::new();
            if let LogicalType::Decimal(_, scale) = rex.ty.logical {
                write_decimal(&mut out, *value, scale);
            }
            out
        }
        Value::List(_) | Value::Map(_) => String::new(),
    }
}

/// A time without the zeros at the end of its fraction.
fn without_zeros(text: String) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

/// The digits of a number as they were written, where it was cast since.
fn written_digits(rex: &Rex) -> Option<String> {
    match &rex.kind {
        RexKind::Literal { unit: Some(digits), .. } if rex.ty.logical.is_numeric() => Some(digits.clone()),
        _ => None,
    }
}

/// The digits of an exact number, to be kept through a cast.
pub fn digits(rex: &Rex) -> String {
    value_text(rex)
}

/// An approximate number as Calcite writes it, with 20 digits, the last one cut: `3.3333333333333331482E-1`, `3E0`.
fn double_text(value: f64) -> String {
    let text = format!("{value:.60E}");
    let Some((digits, exponent)) = text.split_once('E') else { return text };
    let point = digits.find('.').unwrap_or(digits.len());
    let cut = &digits[..digits.len().min(point + 20)];
    format!("{}E{exponent}", cut.trim_end_matches('0').trim_end_matches('.'))
}

/// A set of ranges: `Sarg[[2..3]]`, `Sarg[1, 2]`, `Sarg[(-∞..5)]`.
fn sarg_text(sarg: &Sarg, form: Form) -> String {
    let point = |value: &Value| {
        let literal = Rex::literal(value.clone(), sarg.ty.with_nullable(false));
        let text = value_text(&literal);
        let text = match sarg.ty.logical {
            LogicalType::Decimal(_, scale) if scale > 0 => text.trim_end_matches('0').trim_end_matches('.').to_string(),
            _ => text,
        };
        match literal_text(&literal).split_once(':') {
            _ if form == Form::Execution => text,
            Some(_) if sarg.ty.logical == LogicalType::BigInt => format!("{text}L:BIGINT"),
            Some(_) if literal_text(&literal) != value_text(&literal) => format!("{text}:{}", type_text(&sarg.ty)),
            _ => text,
        }
    };
    let ranges: Vec<String> = sarg
        .ranges
        .iter()
        .map(|range| {
            if let Some(value) = range.as_point() {
                return point(value);
            }
            let low = match &range.low {
                None => "(-∞".to_string(),
                Some((value, included)) => format!("{}{}", if *included { "[" } else { "(" }, point(value)),
            };
            let high = match &range.high {
                None => "+∞)".to_string(),
                Some((value, included)) => format!("{}{}", point(value), if *included { "]" } else { ")" }),
            };
            format!("{low}..{high}")
        })
        .collect();
    let null = match sarg.null_as {
        None => "",
        Some(true) => "; NULL AS TRUE",
        Some(false) => "; NULL AS FALSE",
    };
    let suffix = match sarg.ty.logical {
        _ if form == Form::Execution => String::new(),
        LogicalType::Int | LogicalType::Boolean | LogicalType::Date | LogicalType::Timestamp(0, _) => String::new(),
        _ => format!(":{}", type_text(&sarg.ty)),
    };
    format!("Sarg[{}{null}]{suffix}", ranges.join(", "))
}
