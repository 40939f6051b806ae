//! Expressions of the syntax tree as text, as Flink stores them: names in backticks, keywords in capitals.

use tidegate_data::LogicalType;
use tidegate_sql::ast::{
    ArgValue, BinaryOp, Expr, ExprKind, FunctionCall, IntervalQualifier, Literal, TimeUnit, TrimSide, TypeName, UnaryOp,
};

use crate::bind::data_type;

/// The text of an expression.
pub fn expr_text(expr: &Expr) -> String {
    text(expr, 0)
}

/// How tightly an operator binds; looser ones inside tighter ones stand in parentheses.
fn level(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Eq | BinaryOp::NotEq | BinaryOp::Lt | BinaryOp::LtEq | BinaryOp::Gt | BinaryOp::GtEq => 4,
        BinaryOp::Plus | BinaryOp::Minus => 5,
        BinaryOp::Concat | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => 6,
    }
}

fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Or => "OR",
        BinaryOp::And => "AND",
        BinaryOp::Eq => "=",
        BinaryOp::NotEq => "<>",
        BinaryOp::Lt => "<",
        BinaryOp::LtEq => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::GtEq => ">=",
        BinaryOp::Plus => "+",
        BinaryOp::Minus => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Modulo => "%",
        BinaryOp::Concat => "||",
    }
}

fn text(expr: &Expr, outer: u8) -> String {
    let wrap = |inner: String, own: u8| if own < outer { format!("({inner})") } else { inner };
    let not = |negated: bool| if negated { "NOT " } else { "" };
    match &expr.kind {
        ExprKind::Literal(literal) => literal_text(literal),
        ExprKind::Column(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| name(&part.value)).collect();
            parts.join(".")
        }
        ExprKind::Unary { op, expr } => match op {
            UnaryOp::Plus => format!("+{}", text(expr, 7)),
            UnaryOp::Minus if matches!(expr.kind, ExprKind::Literal(_)) => format!("-{}", text(expr, 7)),
            UnaryOp::Minus => format!("- {}", text(expr, 7)),
            UnaryOp::Not => wrap(format!("NOT {}", text(expr, 3)), 3),
        },
        ExprKind::Binary { op, left, right, chain, .. } => {
            let own = level(*op);
            let behind = if *chain { own } else { own + 1 };
            wrap(format!("{} {} {}", text(left, own), symbol(*op), text(right, behind)), own)
        }
        ExprKind::Between { expr, negated, symmetric, low, high } => {
            let sort = if *symmetric { "SYMMETRIC" } else { "ASYMMETRIC" };
            wrap(format!("{} {}BETWEEN {sort} {} AND {}", text(expr, 5), not(*negated), text(low, 5), text(high, 5)), 4)
        }
        ExprKind::InList { expr, negated, list } => {
            wrap(format!("{} {}IN ({})", text(expr, 5), not(*negated), list_text(list)), 4)
        }
        ExprKind::Like { expr, negated, pattern, escape } => {
            let escape = escape.as_ref().map(|escape| format!(" ESCAPE {}", text(escape, 5))).unwrap_or_default();
            wrap(format!("{} {}LIKE {}{escape}", text(expr, 5), not(*negated), text(pattern, 5)), 4)
        }
        ExprKind::SimilarTo { expr, negated, pattern, .. } => {
            wrap(format!("{} {}SIMILAR TO {}", text(expr, 5), not(*negated), text(pattern, 5)), 4)
        }
        ExprKind::IsNull { expr, negated } => wrap(format!("{} IS {}NULL", text(expr, 5), not(*negated)), 4),
        ExprKind::IsTruth { expr, negated, value } => {
            let word = value.map_or("UNKNOWN", |value| if value { "TRUE" } else { "FALSE" });
            wrap(format!("{} IS {}{word}", text(expr, 5), not(*negated)), 4)
        }
        ExprKind::IsDistinctFrom { left, right, negated } => {
            wrap(format!("{} IS {}DISTINCT FROM {}", text(left, 5), not(*negated), text(right, 5)), 4)
        }
        ExprKind::Case { operand, branches, otherwise } => {
            let mut out = String::from("CASE");
            for (when, then) in branches {
                let condition = match operand {
                    Some(operand) => format!("{} = {}", text(operand, 5), text(when, 5)),
                    None => text(when, 0),
                };
                out.push_str(&format!(" WHEN {condition} THEN {}", text(then, 0)));
            }
            let otherwise = otherwise.as_ref().map_or("NULL".into(), |otherwise| text(otherwise, 0));
            format!("{out} ELSE {otherwise} END")
        }
        ExprKind::Cast { expr, to, try_cast } => {
            let function = if *try_cast { "TRY_CAST" } else { "CAST" };
            format!("{function}({} AS {})", text(expr, 0), type_text(to))
        }
        ExprKind::Function(call) => call_text(call),
        ExprKind::Extract { unit, expr } => format!("EXTRACT({} FROM {})", unit_text(*unit), text(expr, 0)),
        ExprKind::RoundTime { up, expr, unit } => {
            format!("{}({} TO {})", if *up { "CEIL" } else { "FLOOR" }, text(expr, 0), unit_text(*unit))
        }
        ExprKind::TimestampAdd { unit, count, time } => {
            format!("TIMESTAMPADD({}, {}, {})", unit_text(*unit), text(count, 0), text(time, 0))
        }
        ExprKind::TimestampDiff { unit, from, to } => {
            format!("TIMESTAMPDIFF({}, {}, {})", unit_text(*unit), text(from, 0), text(to, 0))
        }
        ExprKind::Trim { side, what, expr } => {
            let side = match side {
                TrimSide::Both => "BOTH",
                TrimSide::Leading => "LEADING",
                TrimSide::Trailing => "TRAILING",
            };
            let what = what.as_ref().map_or("' '".into(), |what| text(what, 0));
            format!("TRIM({side} {what} FROM {})", text(expr, 0))
        }
        ExprKind::IntervalOf { count, qualifier } => {
            format!("INTERVAL {} {}", text(count, 7), qualifier_text(qualifier))
        }
        ExprKind::Field { base, field } => format!("{}.{}", text(base, 8), name(&field.value)),
        ExprKind::Index { base, index } => format!("{}[{}]", text(base, 8), text(index, 0)),
        ExprKind::Array(items) => format!("ARRAY[{}]", list_text(items)),
        ExprKind::Row(items) => format!("ROW({})", list_text(items)),
        ExprKind::Map(entries) => {
            let entries: Vec<String> =
                entries.iter().map(|(key, value)| format!("{}, {}", text(key, 0), text(value, 0))).collect();
            format!("MAP[{}]", entries.join(", "))
        }
        // What cannot be bound never gets here.
        _ => String::new(),
    }
}

fn list_text(items: &[Expr]) -> String {
    let items: Vec<String> = items.iter().map(|item| text(item, 0)).collect();
    items.join(", ")
}

fn call_text(call: &FunctionCall) -> String {
    let function = call.name.last().value.to_ascii_uppercase();
    if !call.parens {
        return function;
    }
    let args: Vec<String> = call
        .args
        .iter()
        .map(|arg| match &arg.value {
            ArgValue::Expr(expr) => text(expr, 0),
            ArgValue::Star => "*".into(),
            _ => String::new(),
        })
        .collect();
    let distinct = if call.distinct { "DISTINCT " } else { "" };
    format!("{function}({distinct}{})", args.join(", "))
}

/// A name in backticks.
pub fn name(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A text in quotes.
pub fn string(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn type_text(ty: &TypeName) -> String {
    match data_type(ty).map(|ty| ty.logical) {
        Ok(LogicalType::Int) => "INTEGER".to_owned(),
        Ok(logical) => logical.to_string(),
        Err(_) => String::new(),
    }
}

fn literal_text(literal: &Literal) -> String {
    match literal {
        Literal::Null => "NULL".into(),
        Literal::Boolean(None) => "UNKNOWN".into(),
        Literal::Boolean(Some(value)) => value.to_string().to_ascii_uppercase(),
        Literal::Number(digits) => digits.clone(),
        Literal::String(text) => string(text),
        Literal::Bytes(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            format!("X'{digits}'")
        }
        Literal::Date(text) => format!("DATE {}", string(text)),
        Literal::Time(text) => format!("TIME {}", string(text)),
        Literal::Timestamp(text) => format!("TIMESTAMP {}", string(text)),
        Literal::Interval { value, negative, qualifier } => {
            let sign = if *negative { "-" } else { "" };
            format!("INTERVAL {sign}{} {}", string(value), qualifier_text(qualifier))
        }
    }
}

fn qualifier_text(qualifier: &IntervalQualifier) -> String {
    crate::bind::qualifier_text(qualifier)
}

fn unit_text(unit: TimeUnit) -> &'static str {
    crate::bind::unit_name(unit)
}
