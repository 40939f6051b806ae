//! Several comparisons of one value with constants become one search: `v >= 5 AND v <= 15` is `SEARCH(v, Sarg[[5..15]])`,
//! `k IN ('a', 'b')` is `SEARCH(k, Sarg['a', 'b'])`.

use std::collections::BTreeMap;

use tidegate_data::{DataType, LogicalType, Value};

use super::simplify::always;
use crate::rex::{Rex, RexKind};
use crate::sarg::{Range, Sarg};

/// A term that compares an operand with constants.
struct Term {
    operand: Rex,
    ranges: Vec<Range>,
    ty: DataType,
    null_as: Option<bool>,
}

/// The terms of an AND (`all`) or OR with those over one operand brought together. `filter` says that UNKNOWN counts as FALSE.
pub fn search_terms(terms: Vec<Rex>, all: bool, filter: bool) -> Vec<Rex> {
    let parsed: Vec<Option<Term>> = terms.iter().map(|term| parse(term, all)).collect();
    let mut out: Vec<Rex> = Vec::new();
    let mut done = vec![false; terms.len()];
    let mut by_operand: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (i, term) in parsed.iter().enumerate() {
        if let Some(term) = term {
            by_operand.entry(term.operand.fingerprint()).or_default().push(i);
        }
    }
    for (i, term) in terms.iter().enumerate() {
        if done[i] {
            continue;
        }
        let Some(first) = &parsed[i] else {
            out.push(term.clone());
            continue;
        };
        let candidates = by_operand.get(&first.operand.fingerprint()).map_or(&[][..], Vec::as_slice);
        let same: Vec<usize> = candidates
            .iter()
            .copied()
            .filter(|&j| j >= i)
            .filter(|&j| {
                parsed[j]
                    .as_ref()
                    .is_some_and(|other| other.operand == first.operand && compatible(&first.ty, &other.ty))
            })
            .collect();
        if same.len() < 2 {
            out.push(term.clone());
            continue;
        }
        let mut group = same.iter().filter_map(|&j| parsed[j].as_ref());
        let Some(start) = group.next() else { continue };
        let mut sarg = Sarg { ranges: start.ranges.clone(), ty: start.ty.clone(), null_as: start.null_as };
        // Thousands of values of an IN are united once, not one by one; those of a NOT IN as what they leave out.
        let mut either: Vec<Range> = Vec::new();
        let many = all && same.len() > 16;
        for other in group {
            match all {
                true if many => either.extend(Sarg::complement(&other.ranges)),
                true => sarg.ranges = Sarg::intersect(&sarg.ranges, &other.ranges),
                false => either.extend(other.ranges.iter().cloned()),
            }
            sarg.null_as = match (all, sarg.null_as, other.null_as) {
                (false, Some(true), _) | (false, _, Some(true)) => Some(true),
                (true, Some(false), _) | (true, _, Some(false)) => Some(false),
                (_, own, _) => own,
            };
            if sarg.ty.logical == LogicalType::Null {
                sarg.ty = other.ty.clone();
            }
        }
        if many {
            sarg.ranges = Sarg::complement(&Sarg::unite(&Sarg::complement(&sarg.ranges), &either));
        } else if !all {
            sarg.ranges = Sarg::unite(&sarg.ranges, &either);
        }
        match finish(&first.operand, sarg, filter) {
            Some(rex) => {
                same.iter().for_each(|&j| done[j] = true);
                if rex.is_false() && all {
                    return vec![rex];
                }
                out.push(rex);
            }
            None => out.push(term.clone()),
        }
    }
    out
}

/// Whether bounds of two types can be told apart by their values.
fn compatible(left: &DataType, right: &DataType) -> bool {
    left.logical == right.logical
        || left.logical == LogicalType::Null
        || right.logical == LogicalType::Null
        || (left.logical.is_integer() && right.logical.is_integer())
}

fn parse(term: &Rex, all: bool) -> Option<Term> {
    if let RexKind::Search { operand, sarg } = &term.kind {
        return Some(Term {
            operand: (**operand).clone(),
            ranges: sarg.ranges.clone(),
            ty: sarg.ty.clone(),
            null_as: sarg.null_as,
        });
    }
    let RexKind::Call { op, args } = &term.kind else { return None };
    if op == "IS NULL" && !all {
        let ty = DataType::new(LogicalType::Null);
        return Some(Term { operand: args[0].clone(), ranges: Vec::new(), ty, null_as: Some(true) });
    }
    let [left, right] = args.as_slice() else { return None };
    let (operand, value, op) = match (left.as_literal(), right.as_literal()) {
        (None, Some(value)) => (left, value, op.as_str()),
        (Some(value), None) => {
            let swapped = match op.as_str() {
                "<" => ">",
                "<=" => ">=",
                ">" => "<",
                ">=" => "<=",
                other => other,
            };
            (right, value, swapped)
        }
        _ => return None,
    };
    let ty = if left.as_literal().is_some() { &left.ty } else { &right.ty };
    if !operand.is_deterministic()
        || matches!(value, Value::Null | Value::Float(_) | Value::Double(_) | Value::List(_) | Value::Map(_))
    {
        return None;
    }
    let bound = |included: bool| Some((value.clone(), included));
    let ranges = match op {
        "=" => vec![Range::point(value.clone())],
        "<>" => Sarg::complement(&[Range::point(value.clone())]),
        "<" => vec![Range { low: None, high: bound(false) }],
        "<=" => vec![Range { low: None, high: bound(true) }],
        ">" => vec![Range { low: bound(false), high: None }],
        ">=" => vec![Range { low: bound(true), high: None }],
        _ => return None,
    };
    Some(Term { operand: operand.clone(), ranges, ty: ty.clone(), null_as: None })
}

/// A search as it is shown: as a plain comparison where it is one.
fn finish(operand: &Rex, sarg: Sarg, filter: bool) -> Option<Rex> {
    let nullable = operand.ty.nullable;
    let ty = DataType { logical: LogicalType::Boolean, nullable: nullable && sarg.null_as.is_none() };
    let literal = |value: &Value| Rex::literal(value.clone(), sarg.ty.with_nullable(false));
    let compare = |op: &str, value: &Value| Rex::typed_call(op, vec![operand.clone(), literal(value)], ty.clone());
    if sarg.null_as.is_none() {
        if sarg.ranges.is_empty() {
            return Some(always(false, operand, filter));
        }
        if sarg.ranges == [Range::ALL] {
            return Some(always(true, operand, filter));
        }
        if let [range] = sarg.ranges.as_slice() {
            if let Some(value) = range.as_point() {
                return Some(compare("=", value));
            }
            match (&range.low, &range.high) {
                (Some((value, included)), None) => return Some(compare(if *included { ">=" } else { ">" }, value)),
                (None, Some((value, included))) => return Some(compare(if *included { "<=" } else { "<" }, value)),
                _ => {}
            }
        }
        if let Some([value]) = sarg.excluded_points().as_deref() {
            return Some(compare("<>", value));
        }
    } else if sarg.ranges.is_empty() {
        return None;
    }
    Some(Rex { kind: RexKind::Search { operand: Box::new(operand.clone()), sarg }, ty })
}
