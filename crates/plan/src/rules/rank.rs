//! `SELECT … FROM (SELECT *, ROW_NUMBER() OVER (…) AS rn …) WHERE rn <= 3`: only the rows of these ranks are kept.

use tidegate_data::Value;

use crate::logical::{Rel, RelOp};
use crate::over::{OverFunction, Rank};
use crate::rex::{Rex, RexKind};

/// Makes ranks of filters over window functions.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |rel| rank(&rel).unwrap_or(rel))
}

fn rank(rel: &Rel) -> Option<Rel> {
    let RelOp::Filter(condition) = &rel.op else { return None };
    let RelOp::Over(groups) = &rel.input().op else { return None };
    let [group] = groups.as_slice() else { return None };
    let [call] = group.calls.as_slice() else { return None };
    if !matches!(call.function, OverFunction::RowNumber | OverFunction::Rank | OverFunction::DenseRank) {
        return None;
    }
    let column = rel.input().width() - 1;
    let (mut start, mut end): (i64, Option<i64>) = (1, None);
    let mut rest = Vec::new();
    let mut bounded = false;
    for term in condition.clone().conjuncts() {
        match bounds(&term, column) {
            Some((low, high)) => {
                bounded = true;
                start = start.max(low.unwrap_or(start));
                end = match (end, high) {
                    (Some(own), Some(high)) => Some(own.min(high)),
                    (own, high) => own.or(high),
                };
            }
            None => rest.push(term),
        }
    }
    if !bounded {
        return None;
    }
    if end.is_some_and(|end| end < start.max(1)) {
        return Some(Rel { op: RelOp::Values(Vec::new()), inputs: Vec::new(), schema: rel.schema.clone() });
    }
    let input = rel.input().input().clone();
    let rank = Rank {
        function: call.function,
        partition: group.partition.clone(),
        order: group.order.clone(),
        start: start.max(1) as u64,
        end: end.map(|end| end.max(0) as u64),
        with_rank: true,
    };
    // The only rank there is needs no column.
    let only = rank.end == Some(rank.start);
    let ranked = if only && call.function == OverFunction::RowNumber {
        let mut schema = rel.schema.clone();
        schema.fields.pop();
        let value = Rex::literal(Value::Int(rank.start as i64), call.ty.clone());
        let rank = Rank { with_rank: false, ..rank };
        let ranked = Rel { op: RelOp::Rank(rank), inputs: vec![input], schema };
        let exprs = (0..column).map(|i| ranked.column(i)).chain([value]).collect();
        Rel::project(ranked, exprs, rel.schema.fields.iter().map(|field| field.name.clone()).collect())
    } else {
        Rel { op: RelOp::Rank(rank), inputs: vec![input], schema: rel.schema.clone() }
    };
    Some(if rest.is_empty() { ranked } else { Rel::filter(ranked, Rex::and(rest)) })
}

/// The lowest and the highest value of the column under a condition on it and a constant.
fn bounds(term: &Rex, column: usize) -> Option<(Option<i64>, Option<i64>)> {
    if let RexKind::Search { operand, sarg } = &term.kind {
        if operand.as_column() != Some(column) {
            return None;
        }
        return sarg.integer_range();
    }
    let RexKind::Call { op, args } = &term.kind else { return None };
    let [left, right] = args.as_slice() else { return None };
    let constant = |rex: &Rex| match rex.as_literal() {
        Some(Value::Int(n)) => Some(*n),
        _ => None,
    };
    let (op, n) = if left.as_column() == Some(column) {
        (op.as_str(), constant(right)?)
    } else if right.as_column() == Some(column) {
        let turned = match op.as_str() {
            "<" => ">",
            "<=" => ">=",
            ">" => "<",
            ">=" => "<=",
            other => other,
        };
        (turned, constant(left)?)
    } else {
        return None;
    };
    Some(match op {
        "=" => (Some(n), Some(n)),
        "<" => (None, Some(n - 1)),
        "<=" => (None, Some(n)),
        ">" => (Some(n + 1), None),
        ">=" => (Some(n), None),
        _ => return None,
    })
}
