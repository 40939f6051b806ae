//! The text of an expression in a plan, as Flink prints it.

use tidegate_data::calendar::MS_PER_DAY;
use tidegate_data::{DataType, LogicalType, Value, Zone, build_column, cell_text};

use crate::expr::{Expr, ExprKind};
use crate::functions::Shape;

/// The two notations of Flink's EXPLAIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `(v + 1)`: the optimized execution plan and operator names.
    Execution,
    /// `+(v, 1)`, with types on literals that need one: the optimized physical plan.
    Physical,
}

impl Expr {
    /// Flink's text for the expression in an execution plan; `names` are the input's columns.
    pub fn describe(&self, names: &[String]) -> String {
        self.describe_as(names, Notation::Execution)
    }

    /// Flink's text for the expression in a plan of the given notation.
    pub fn describe_as(&self, names: &[String], notation: Notation) -> String {
        let show = |expr: &Expr| expr.describe_as(names, notation);
        match &self.kind {
            ExprKind::Column(column) => names.get(*column).cloned().unwrap_or_else(|| format!("${column}")),
            ExprKind::Literal(value) => literal(value, &self.ty, notation),
            ExprKind::Cast { input, safe } => {
                let function = if *safe { "TRY_CAST" } else { "CAST" };
                let not_null = notation == Notation::Physical && !self.ty.nullable;
                let ty = type_text(&self.ty, notation);
                format!("{function}({} AS {ty}{})", show(input), if not_null { " NOT NULL" } else { "" })
            }
            ExprKind::Case { branches, otherwise } => {
                let mut parts: Vec<String> =
                    branches.iter().flat_map(|(when, then)| [show(when), show(then)]).collect();
                parts.push(show(otherwise));
                format!("CASE({})", parts.join(", "))
            }
            ExprKind::Call { function, args } => match (function.name, &args[..]) {
                ("IS DISTINCT FROM" | "IS NOT DISTINCT FROM", [a, b]) => {
                    distinct(function.name, [&show(a), &show(b)], notation)
                }
                ("TIMESTAMPDIFF", [unit, from, to]) => {
                    timestampdiff(unit, [&show(from), &show(to)], self.ty.nullable, notation)
                }
                (_, [row, field]) if function.shape == Shape::Field => match field.as_literal() {
                    Some(Value::String(field)) => format!("{}.{field}", show(row)),
                    _ => show(row),
                },
                (name, args) => {
                    let flags = flags(name);
                    let texts: Vec<String> = args
                        .iter()
                        .enumerate()
                        .map(|(index, arg)| match arg.as_literal() {
                            Some(Value::String(flag)) if flags.contains(&index) && flag_of(name, flag) => {
                                match notation {
                                    Notation::Execution => flag.to_uppercase(),
                                    Notation::Physical => format!("FLAG({})", flag.to_uppercase()),
                                }
                            }
                            _ => show(arg),
                        })
                        .collect();
                    call(name, function.shape, &texts, notation)
                }
            },
        }
    }
}

/// Where a function takes a word of the language rather than a value.
fn flags(name: &str) -> &'static [usize] {
    match name {
        "EXTRACT" | "TRIM" => &[0],
        "FLOOR" | "CEIL" => &[1],
        _ => &[],
    }
}

fn flag_of(name: &str, flag: &str) -> bool {
    name != "TRIM" || matches!(flag, "BOTH" | "LEADING" | "TRAILING")
}

fn call(name: &str, shape: Shape, args: &[String], notation: Notation) -> String {
    match (notation, shape) {
        (Notation::Execution, Shape::Infix) => format!("({})", args.join(&format!(" {name} "))),
        (Notation::Execution, Shape::Postfix) => format!("{} {name}", args.join(", ")),
        _ => format!("{name}({})", args.join(", ")),
    }
}

/// Calcite writes them out.
fn distinct(name: &str, [a, b]: [&str; 2], notation: Notation) -> String {
    let infix = |name: &str, args: [String; 2]| call(name, Shape::Infix, &args, notation);
    let postfix = |name: &str, arg: String| call(name, Shape::Postfix, &[arg], notation);
    let equal = infix("=", [a.to_owned(), b.to_owned()]);
    if name == "IS DISTINCT FROM" {
        let present = infix("OR", [postfix("IS NOT NULL", a.to_owned()), postfix("IS NOT NULL", b.to_owned())]);
        infix("AND", [present, postfix("IS NOT TRUE", equal)])
    } else {
        let absent = infix("AND", [postfix("IS NULL", a.to_owned()), postfix("IS NULL", b.to_owned())]);
        infix("OR", [absent, postfix("IS TRUE", equal)])
    }
}

fn timestampdiff(unit: &Expr, [from, to]: [&str; 2], nullable: bool, notation: Notation) -> String {
    let not_null = if nullable || notation == Notation::Execution { "" } else { " NOT NULL" };
    let difference = call("-", Shape::Infix, &[to.to_owned(), from.to_owned()], notation);
    let ticks = format!("Reinterpret({difference})");
    let unit = crate::functions::time::unit::Unit::of("TIMESTAMPDIFF", unit).ok();
    let length = unit.map_or(1, |unit| if unit.is_months() { unit.months() } else { unit.milliseconds() });
    let whole = if length == 1 { ticks } else { call("/INT", Shape::Infix, &[ticks, length.to_string()], notation) };
    format!("CAST({whole} AS INTEGER{not_null})")
}

fn type_text(ty: &DataType, notation: Notation) -> String {
    let text = ty.calcite();
    if notation == Notation::Physical && ty.logical.is_character() {
        return format!("{text} CHARACTER SET \"UTF-16LE\"");
    }
    text
}

fn literal(value: &Value, ty: &DataType, notation: Notation) -> String {
    let typed = |text: String, plain: bool| {
        if notation == Notation::Physical && !plain { format!("{text}:{}", type_text(ty, notation)) } else { text }
    };
    match (value, &ty.logical) {
        (Value::Null, _) => format!("null:{}", type_text(ty, notation)),
        (Value::Boolean(truth), _) => truth.to_string(),
        (Value::String(text), logical) => match notation {
            Notation::Execution => format!("'{text}'"),
            Notation::Physical => {
                let exact = matches!(logical, LogicalType::Char(n) if *n as usize == text.chars().count());
                typed(format!("_UTF-16LE'{}'", text.replace('\'', "''")), exact)
            }
        },
        (Value::Bytes(bytes), _) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            typed(format!("X'{digits}'"), false)
        }
        (Value::Int(months), LogicalType::IntervalYearMonth) => {
            format!("{months}:INTERVAL {}", if months % 12 == 0 { "YEAR" } else { "MONTH" })
        }
        (Value::Int(ms), LogicalType::IntervalDayTime) => format!("{ms}:INTERVAL {}", interval_unit(*ms)),
        (Value::Int(number), LogicalType::Int) => number.to_string(),
        (Value::Double(number), _) => typed(scientific(*number), false),
        (Value::Float(number), _) => typed(scientific(f64::from(*number)), false),
        (value, logical) => {
            let column = build_column(ty, [value]).expect("a literal has a value of its type");
            let text = cell_text(&column, 0, ty, Zone::UTC).unwrap_or_default();
            if logical.is_timestamp() {
                let trimmed = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
                return typed(trimmed.to_owned(), matches!(logical, LogicalType::Timestamp(0, _)));
            }
            typed(text, matches!(logical, LogicalType::Date | LogicalType::Time(_)))
        }
    }
}

/// The unit that the literal was most likely written in.
fn interval_unit(ms: i64) -> &'static str {
    match ms {
        ms if ms % MS_PER_DAY == 0 => "DAY",
        ms if ms % 3_600_000 == 0 => "HOUR",
        ms if ms % 60_000 == 0 => "MINUTE",
        _ => "SECOND",
    }
}

/// Calcite's form of an approximate number: `1.5E3`.
fn scientific(number: f64) -> String {
    format!("{number:E}")
}
