//! Conditions and joins: `FROM a JOIN b ON … WHERE a.v > 1` filters a before the join; a WHERE over both sides of an inner join
//! becomes part of its condition; one that no padded row fulfils makes an inner join of an outer one.

use super::simplify::simplify_condition;
use super::time_joins::is_temporal;
use crate::logical::{Join, JoinKind, Rel, RelOp};
use crate::rex::{Rex, RexKind};

/// A filter above a join, and the join's own condition, as far down as they go. `push` goes on below.
pub fn filter(condition: Option<Rex>, join: Join, inputs: Vec<Rel>, push: &dyn Fn(Rel) -> Rel) -> Rel {
    if is_temporal(&join.condition) {
        // What a version is must not depend on a filter: Flink lets all stay above.
        let schema = Rel::join_schema(&inputs[0], &inputs[1], join.kind);
        let joined = Rel { op: RelOp::Join(join), inputs, schema };
        return match condition {
            Some(condition) => Rel::filter(joined, condition),
            None => joined,
        };
    }
    let width = inputs[0].width();
    let above = condition.map(Rex::conjuncts).unwrap_or_default();
    let kind = simplified(join.kind, &above, width);
    let mut sides: [Vec<Rex>; 2] = [Vec::new(), Vec::new()];
    let mut within: Vec<Rex> = join.condition.conjuncts().into_iter().filter(|term| !term.is_true()).collect();
    // What is known of a column holds in the join's own terms; in those above only where no row was padded.
    let own = constants(&within);
    within = with_constants(within, &own);
    let above = match kind {
        JoinKind::Inner => {
            let all = constants(&above);
            within = with_constants(within, &all);
            with_constants(above, &own)
        }
        _ => above,
    };
    let mut rest = Vec::new();
    for term in above {
        match side_of(&term, width) {
            Some(0) if !kind.keeps_right() => sides[0].push(term),
            Some(1) if !kind.keeps_left() && !kind.is_semi() => sides[1].push(term.map_columns(&|c| c - width)),
            _ if kind == JoinKind::Inner && term.is_deterministic() => within.push(term),
            _ => rest.push(term),
        }
    }
    let mut own = Vec::new();
    for term in within {
        match side_of(&term, width) {
            Some(0) if matches!(kind, JoinKind::Inner | JoinKind::Right | JoinKind::Semi) => sides[0].push(term),
            Some(1) if matches!(kind, JoinKind::Inner | JoinKind::Left | JoinKind::Semi) => {
                sides[1].push(term.map_columns(&|column| column - width));
            }
            _ => own.push(term),
        }
    }
    let mut inputs = inputs.into_iter().zip(sides).map(|(input, terms)| {
        if terms.is_empty() {
            return input;
        }
        let condition = simplify_condition(Rex::and(terms));
        if condition.is_true() { input } else { push(Rel::filter(input, condition)) }
    });
    let condition = Rex::and(own);
    let (Some(left), Some(right)) = (inputs.next(), inputs.next()) else {
        return Rel { op: RelOp::Values(Vec::new()), inputs: Vec::new(), schema: tidegate_data::Schema::default() };
    };
    let joined = Rel::join(left, right, kind, condition).kept_for(join.ttl);
    if rest.is_empty() { joined } else { Rel::filter(joined, Rex::and(rest)) }
}

/// The columns that terms say are constants.
fn constants(terms: &[Rex]) -> Vec<(usize, Rex)> {
    let constant = |term: &Rex| {
        let [left, right] = term.args_of("=")? else { return None };
        let known = right.as_literal().is_some() && left.ty.logical == right.ty.logical;
        known.then_some((left.as_column()?, right.clone()))
    };
    terms.iter().filter_map(constant).collect()
}

/// Under `a.k = b.k AND a.k = 1` all is said by `1 = b.k AND a.k = 1`.
fn with_constants(terms: Vec<Rex>, known: &[(usize, Rex)]) -> Vec<Rex> {
    let put = |term: Rex| {
        if constants(std::slice::from_ref(&term)).iter().any(|own| known.contains(own)) {
            return term;
        }
        let replaced = term.clone().transform(&mut |part| match part.as_column() {
            Some(column) => known.iter().find(|(own, _)| *own == column).map_or(part, |(_, value)| value.clone()),
            None => part,
        });
        if replaced.is_constant() { simplify_condition(replaced) } else { replaced }
    };
    terms.into_iter().map(put).filter(|term| !term.is_true()).collect()
}

fn side_of(term: &Rex, width: usize) -> Option<usize> {
    if term.is_constant() || !term.is_deterministic() {
        None
    } else if term.reads_only(|column| column < width) {
        Some(0)
    } else if term.reads_only(|column| column >= width) {
        Some(1)
    } else {
        None
    }
}

/// The join without the paddings that a filter above refuses.
fn simplified(kind: JoinKind, above: &[Rex], width: usize) -> JoinKind {
    let refused = |left: bool| above.iter().any(|term| refuses_null(term, &|column| (column < width) == left));
    match kind {
        JoinKind::Left if refused(false) => JoinKind::Inner,
        JoinKind::Right if refused(true) => JoinKind::Inner,
        JoinKind::Full => match (refused(true), refused(false)) {
            // A left side that must not be NULL leaves no padded left side.
            (true, true) => JoinKind::Inner,
            (true, false) => JoinKind::Left,
            (false, true) => JoinKind::Right,
            (false, false) => JoinKind::Full,
        },
        kind => kind,
    }
}

/// Whether a condition is never TRUE where all columns of a side are NULL.
fn refuses_null(term: &Rex, side: &dyn Fn(usize) -> bool) -> bool {
    match &term.kind {
        RexKind::Call { op, args } => match op.as_str() {
            "AND" => args.iter().any(|arg| refuses_null(arg, side)),
            "OR" => args.iter().all(|arg| refuses_null(arg, side)),
            "=" | "<>" | "<" | "<=" | ">" | ">=" | "LIKE" => args.iter().any(|arg| is_null(arg, side)),
            "IS NOT NULL" | "IS TRUE" | "IS FALSE" | "NOT" => {
                is_null(&args[0], side) || (op == "IS TRUE" && refuses_null(&args[0], side))
            }
            _ => false,
        },
        RexKind::Search { operand, sarg } => sarg.null_as != Some(true) && is_null(operand, side),
        RexKind::Column(column) => side(*column),
        _ => false,
    }
}

/// Whether an expression is NULL where all columns of a side are.
fn is_null(rex: &Rex, side: &dyn Fn(usize) -> bool) -> bool {
    match &rex.kind {
        RexKind::Column(column) => side(*column),
        RexKind::Cast { input, .. } => is_null(input, side),
        RexKind::Call { op, args } => match op.as_str() {
            "+" | "-" | "*" | "/" | "%" | "=" | "<>" | "<" | "<=" | ">" | ">=" | "LIKE" | "UPPER" | "LOWER" | "ABS"
            | "NOT" => args.iter().any(|arg| is_null(arg, side)),
            _ => false,
        },
        RexKind::Search { operand, sarg } => sarg.null_as.is_none() && is_null(operand, side),
        _ => false,
    }
}
