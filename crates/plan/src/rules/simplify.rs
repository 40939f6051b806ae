//! Conditions and calculations in fewer words: `NOT (v > 10)` is `v <= 10`, `v >= 5 AND v <= 15` is one search.

use std::collections::BTreeMap;

use tidegate_data::{LogicalType, Value};

use super::search::search_terms;
use crate::logical::{Join, Rel, RelOp};
use crate::rex::{Rex, RexKind, fold};

/// Simplifies the expressions of a plan.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |rel| {
        let Rel { op, mut inputs, schema } = rel;
        let op = match op {
            RelOp::Filter(condition) => {
                let condition = simplify_condition(condition);
                if condition.is_true() {
                    return inputs.swap_remove(0);
                }
                RelOp::Filter(condition)
            }
            RelOp::Project(exprs) => RelOp::Project(exprs.into_iter().map(simplify_value).collect()),
            RelOp::Join(Join { kind, condition, form, ttl }) => {
                RelOp::Join(Join { kind, condition: simplify_condition(condition), form, ttl })
            }
            op => op,
        };
        Rel { op, inputs, schema }
    })
}

/// A condition, for which UNKNOWN is as good as FALSE.
pub fn simplify_condition(rex: Rex) -> Rex {
    let simplified = simplify(fold(rex), true);
    match simplified.as_literal() {
        Some(Value::Null) => Rex::boolean(false),
        _ => simplified,
    }
}

/// A value, with its constant parts computed; its type stays as it is.
pub fn simplify_value(rex: Rex) -> Rex {
    simplify_written(fold(rex))
}

/// A value as the syntax tree of EXPLAIN has it: in fewer words, but with nothing computed.
pub fn simplify_written(rex: Rex) -> Rex {
    let ty = rex.ty.clone();
    let simplified = simplify(rex, false);
    if simplified.ty == ty || simplified.ty.logical != ty.logical {
        return simplified;
    }
    // A constant that took the place of something nullable keeps its type by a cast, as in Calcite.
    match simplified.kind {
        RexKind::Literal { ref value, .. } if *value != Value::Null => simplified.typed_as(&ty),
        kind => Rex { kind, ty },
    }
}

/// `filter` says that UNKNOWN may become FALSE.
fn simplify(rex: Rex, filter: bool) -> Rex {
    match rex.kind {
        RexKind::Call { op, args } => simplify_call(op, args, rex.ty, filter),
        RexKind::Case { branches, otherwise } => simplify_case(branches, *otherwise, rex.ty),
        RexKind::Cast { input, safe } => {
            let input = simplify(*input, false);
            Rex { kind: RexKind::Cast { input: Box::new(input), safe }, ty: rex.ty }
        }
        kind => Rex { kind, ty: rex.ty },
    }
}

/// A constant without the cast that only makes it nullable.
fn bare_constant(rex: Rex) -> Rex {
    match rex.kind {
        RexKind::Cast { input, safe: false }
            if input.as_literal().is_some_and(|value| !value.is_null()) && input.ty.logical == rex.ty.logical =>
        {
            *input
        }
        kind => Rex { kind, ty: rex.ty },
    }
}

fn simplify_call(op: String, args: Vec<Rex>, ty: tidegate_data::DataType, filter: bool) -> Rex {
    match op.as_str() {
        "AND" => junction(true, args, filter),
        "OR" => junction(false, args, filter),
        "NOT" => {
            let mut args = args;
            let inner = simplify(args.remove(0), false);
            match negate(&inner) {
                Some(negated) => simplify(negated, filter),
                None => Rex::typed_call("NOT", vec![inner], ty),
            }
        }
        "IS NULL" | "IS NOT NULL" => {
            let args: Vec<Rex> = args.into_iter().map(|arg| simplify(arg, false)).collect();
            let is_null = op == "IS NULL";
            match args[0].as_literal() {
                Some(value) => Rex::boolean((*value == Value::Null) == is_null),
                None if !args[0].ty.nullable => Rex::boolean(!is_null),
                None => Rex::typed_call(op, args, ty),
            }
        }
        "IS TRUE" | "IS NOT FALSE" if !args[0].ty.nullable => {
            simplify(args.into_iter().next().unwrap_or_else(Rex::error), filter)
        }
        "IS FALSE" | "IS NOT TRUE" if !args[0].ty.nullable => simplify(Rex::typed_call("NOT", args, ty), filter),
        "IS NOT DISTINCT FROM" | "IS DISTINCT FROM" => {
            let args: Vec<Rex> = args.into_iter().map(|arg| simplify(arg, false)).collect();
            let same = op == "IS NOT DISTINCT FROM";
            let null = args.iter().position(|arg| arg.as_literal() == Some(&Value::Null));
            if let Some(null) = null {
                let other = args.into_iter().nth(1 - null).unwrap_or_else(Rex::error);
                return simplify(
                    Rex::typed_call(if same { "IS NULL" } else { "IS NOT NULL" }, vec![other], ty),
                    filter,
                );
            }
            if args.iter().all(|arg| !arg.ty.nullable) {
                return Rex::typed_call(if same { "=" } else { "<>" }, args, ty);
            }
            Rex::typed_call(op, args, ty)
        }
        "=" | "<>" | "<" | "<=" | ">" | ">=" => {
            let args: Vec<Rex> = args.into_iter().map(|arg| bare_constant(simplify(arg, false))).collect();
            if args.iter().any(is_null) {
                return Rex::null(&ty);
            }
            // The constant stands on the right.
            if args[0].as_literal().is_some() && args[1].as_literal().is_none() {
                let mirrored = match op.as_str() {
                    "<" => ">",
                    "<=" => ">=",
                    ">" => "<",
                    ">=" => "<=",
                    other => other,
                };
                let [left, right]: [Rex; 2] = match args.try_into() {
                    Ok(args) => args,
                    Err(args) => return Rex::typed_call(op, args, ty),
                };
                return Rex::typed_call(mirrored, vec![right, left], ty);
            }
            if args[0] == args[1] && args[0].is_deterministic() && args[0].as_literal().is_none() {
                return always(matches!(op.as_str(), "=" | "<=" | ">="), &args[0], filter);
            }
            Rex::typed_call(op, args, ty)
        }
        "LIKE" if args.len() == 2 && args[1].as_literal() == Some(&Value::String("%".into())) => {
            always(true, &args[0], filter)
        }
        "LIKE" => {
            let args: Vec<Rex> = args.into_iter().map(|arg| simplify(arg, false)).collect();
            match args.iter().any(is_null) {
                true => Rex::null(&ty),
                false => Rex::typed_call(op, args, ty),
            }
        }
        "+" | "-" | "*" | "/" if args.len() == 2 => arithmetic(op, args, ty),
        "COALESCE" => coalesce(args, ty),
        _ => {
            let args = args.into_iter().map(|arg| simplify(arg, false)).collect();
            Rex::typed_call(op, args, ty)
        }
    }
}

/// A comparison that is TRUE (or never TRUE) for all values but NULL.
pub(super) fn always(holds: bool, operand: &Rex, filter: bool) -> Rex {
    let boolean = tidegate_data::DataType::not_null(LogicalType::Boolean);
    let nullable = operand.ty.nullable;
    match (holds, nullable, filter) {
        (true, false, _) => Rex::boolean(true),
        (false, false, _) | (false, true, true) => Rex::boolean(false),
        (true, true, true) => Rex::typed_call("IS NOT NULL", vec![operand.clone()], boolean),
        (true, true, false) => {
            let known = Rex::typed_call("IS NOT NULL", vec![operand.clone()], boolean.clone());
            Rex::or(vec![Rex::null(&boolean), known])
        }
        (false, true, false) => {
            let unknown = Rex::typed_call("IS NULL", vec![operand.clone()], boolean.clone());
            Rex::and(vec![Rex::null(&boolean), unknown])
        }
    }
}

fn is_null(rex: &Rex) -> bool {
    rex.as_literal() == Some(&Value::Null)
}

/// `x * 1`, `x / 1`, `x + 0` and `x - 0` are x in the result's type. With NULL it is NULL, whatever fails beside it.
fn arithmetic(op: String, args: Vec<Rex>, ty: tidegate_data::DataType) -> Rex {
    let args: Vec<Rex> = args.into_iter().map(|arg| simplify(arg, false)).collect();
    if !args.iter().all(|arg| arg.ty.logical.is_numeric()) {
        return Rex::typed_call(op, args, ty);
    }
    if args.iter().any(is_null) {
        return Rex::null(&ty);
    }
    let is = |rex: &Rex, wanted: i64| match (rex.as_literal(), &rex.ty.logical) {
        (Some(Value::Int(value)), _) => *value == wanted,
        (Some(Value::Decimal(value)), LogicalType::Decimal(_, scale)) => {
            *value == i128::from(wanted) * 10i128.pow(u32::from(*scale))
        }
        (Some(Value::Double(value)), _) => *value == wanted as f64,
        _ => false,
    };
    let neutral = if op == "+" || op == "-" { 0 } else { 1 };
    let kept = if is(&args[1], neutral) {
        Some(0)
    } else if (op == "+" || op == "*") && is(&args[0], neutral) {
        Some(1)
    } else {
        None
    };
    match kept {
        Some(kept) if args[kept].ty.logical == ty.logical => args[kept].clone(),
        Some(kept) => args[kept].clone().cast(&ty, false).unwrap_or_else(|_| Rex::typed_call(op, args, ty)),
        None => Rex::typed_call(op, args, ty),
    }
}

/// AND (`all`) or OR.
fn junction(all: bool, args: Vec<Rex>, filter: bool) -> Rex {
    let mut terms: Vec<Rex> = Vec::new();
    // The terms by their fingerprints, as there may be thousands.
    let mut known: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for arg in args {
        let simplified = simplify(arg, filter);
        let flat = match simplified.kind {
            RexKind::Call { ref op, .. } if op == if all { "AND" } else { "OR" } => match simplified.kind {
                RexKind::Call { args, .. } => args,
                _ => Vec::new(),
            },
            _ => vec![simplified],
        };
        for term in flat {
            match term.as_literal() {
                Some(Value::Boolean(value)) if *value == all => {}
                Some(Value::Boolean(_)) => return Rex::boolean(!all),
                // UNKNOWN AND x is never TRUE; UNKNOWN OR x is TRUE as x is.
                Some(Value::Null) if filter && all => return Rex::boolean(false),
                Some(Value::Null) if filter => {}
                _ => {
                    let same = known.entry(term.fingerprint()).or_default();
                    if !same.iter().any(|&other| terms[other] == term) {
                        same.push(terms.len());
                        terms.push(term);
                    }
                }
            }
        }
    }
    let mut terms = search_terms(terms, all, filter);
    if all && filter {
        let compared = |terms: &[Rex], operand: &Rex| terms.iter().any(|term| is_strong_on(term, operand));
        let mut known = Vec::new();
        let mut others = Vec::new();
        for term in &terms {
            match term.args_of("IS NOT NULL") {
                Some([operand]) if compared(&terms, operand) => {}
                Some(_) => known.push(term.clone()),
                None => others.push(term.clone()),
            }
        }
        if others.iter().any(|term| matches!(term.args_of("IS NULL"), Some([operand]) if compared(&others, operand))) {
            return Rex::boolean(false);
        }
        // Calcite puts what is left of them last.
        others.extend(known);
        terms = others;
    }
    if all { Rex::and(terms) } else { Rex::or(terms) }
}

/// Whether a term is never TRUE where `operand` is NULL.
fn is_strong_on(term: &Rex, operand: &Rex) -> bool {
    match &term.kind {
        RexKind::Call { op, args } => {
            matches!(op.as_str(), "=" | "<>" | "<" | "<=" | ">" | ">=" | "LIKE")
                && args.iter().any(|arg| arg == operand)
        }
        RexKind::Search { operand: own, sarg } => **own == *operand && sarg.null_as != Some(true),
        _ => false,
    }
}

/// NOT of an expression, where it has a form of its own.
fn negate(rex: &Rex) -> Option<Rex> {
    match &rex.kind {
        RexKind::Literal { value: Value::Boolean(value), .. } => Some(Rex::boolean(!value)),
        RexKind::Literal { value: Value::Null, .. } => Some(rex.clone()),
        RexKind::Search { operand, sarg } if sarg.null_as.is_none() => {
            let mut sarg = sarg.clone();
            sarg.ranges = crate::sarg::Sarg::complement(&sarg.ranges);
            Some(Rex { kind: RexKind::Search { operand: operand.clone(), sarg }, ty: rex.ty.clone() })
        }
        RexKind::Call { op, args } => {
            let opposite = match op.as_str() {
                "NOT" => return Some(args[0].clone()),
                "AND" | "OR" => {
                    let terms = args.iter().map(|arg| {
                        negate(arg).unwrap_or_else(|| Rex::typed_call("NOT", vec![arg.clone()], arg.ty.clone()))
                    });
                    let terms = terms.collect();
                    return Some(if op == "AND" { Rex::or(terms) } else { Rex::and(terms) });
                }
                "=" => "<>",
                "<>" => "=",
                "<" => ">=",
                "<=" => ">",
                ">" => "<=",
                ">=" => "<",
                "IS NULL" => "IS NOT NULL",
                "IS NOT NULL" => "IS NULL",
                "IS TRUE" => "IS NOT TRUE",
                "IS NOT TRUE" => "IS TRUE",
                "IS FALSE" => "IS NOT FALSE",
                "IS NOT FALSE" => "IS FALSE",
                "IS UNKNOWN" => "IS NOT UNKNOWN",
                "IS NOT UNKNOWN" => "IS UNKNOWN",
                "IS DISTINCT FROM" => "IS NOT DISTINCT FROM",
                "IS NOT DISTINCT FROM" => "IS DISTINCT FROM",
                _ => return None,
            };
            Some(Rex::typed_call(opposite, args.clone(), rex.ty.clone()))
        }
        _ => None,
    }
}

fn simplify_case(branches: Vec<(Rex, Rex)>, otherwise: Rex, ty: tidegate_data::DataType) -> Rex {
    let mut kept: Vec<(Rex, Rex)> = Vec::new();
    let mut last = simplify(otherwise, false);
    for (condition, value) in branches {
        let condition = simplify(condition, true);
        if condition.is_false() || condition.as_literal() == Some(&Value::Null) {
            continue;
        }
        let value = simplify(value, false);
        if condition.is_true() {
            last = value;
            break;
        }
        kept.push((condition, value));
    }
    if kept.is_empty() || (kept.iter().all(|(_, value)| *value == last) && last.is_deterministic()) {
        return last;
    }
    // CASE WHEN c THEN TRUE ELSE FALSE END is c, as far as c is never UNKNOWN.
    if let [(condition, value)] = kept.as_slice()
        && ty.logical == LogicalType::Boolean
        && value.is_true()
        && last.is_false()
    {
        return match condition.ty.nullable {
            false => condition.clone(),
            true => Rex::typed_call("IS TRUE", vec![condition.clone()], condition.ty.with_nullable(false)),
        };
    }
    Rex { kind: RexKind::Case { branches: kept, otherwise: Box::new(last) }, ty }
}

/// COALESCE up to its first argument that is never NULL; Flink leaves NULLs among the arguments where they are.
fn coalesce(args: Vec<Rex>, ty: tidegate_data::DataType) -> Rex {
    let mut kept: Vec<Rex> = Vec::new();
    for arg in args {
        let arg = simplify(arg, false);
        let last = !arg.ty.nullable;
        kept.push(arg);
        if last {
            break;
        }
    }
    match kept.len() {
        0 => Rex::null(&ty),
        1 if kept[0].ty.logical == ty.logical => kept.remove(0),
        _ => Rex::typed_call("COALESCE", kept, ty),
    }
}
