//! Joins whose rows are bound to a time: `a.ts BETWEEN b.ts - INTERVAL '5' SECOND AND b.ts` is an interval join, equal windows of
//! two windowed sides a window join, `FOR SYSTEM_TIME AS OF a.ts` a temporal join. Their time attributes stay such.

use tidegate_data::{LogicalType, Value};

use crate::logical::{Bounds, Join, JoinForm, JoinKind, Rel, RelOp, Versions, Window};
use crate::physical::WindowShape;
use crate::rex::{Rex, RexKind};
use crate::window::window_columns;

/// The term of a condition that makes a join one with the versions of its right side: of the left time and the right one.
pub const TEMPORAL: &str = "__TEMPORAL_JOIN_CONDITION";

/// Whether a condition is that of a temporal join.
pub fn is_temporal(condition: &Rex) -> bool {
    condition.clone().conjuncts().iter().any(|term| term.args_of(TEMPORAL).is_some())
}

fn versions(rel: &Rel, condition: &Rex) -> Option<Versions> {
    let terms = condition.clone().conjuncts();
    let [left, right] = terms.iter().find_map(|term| term.args_of(TEMPORAL))? else { return None };
    let right_time = right.as_column()?.checked_sub(rel.inputs[0].width())?;
    Some(Versions { left_time: left.as_column()?, right_time })
}

/// Finds such joins.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |mut rel| {
        let RelOp::Join(Join { kind, condition, ttl, .. }) = &rel.op else { return rel };
        let (kind, condition, ttl) = (*kind, condition.clone(), *ttl);
        let form = if let Some(versions) = versions(&rel, &condition) {
            JoinForm::Temporal(versions)
        } else if is_window_join(&rel, &condition) {
            JoinForm::Window
        } else {
            match bounds(&rel, &condition) {
                Some(bounds) if !kind.is_semi() => JoinForm::Interval(bounds),
                _ => JoinForm::Regular,
            }
        };
        rel.op = RelOp::Join(Join { kind, condition, form, ttl });
        rel
    })
}

fn is_window_join(rel: &Rel, condition: &Rex) -> bool {
    let (Some(left), Some(right)) = (window_columns(&rel.inputs[0]), window_columns(&rel.inputs[1])) else {
        return false;
    };
    if !alike(&left.window, &right.window) {
        return false;
    }
    let width = rel.inputs[0].width();
    let terms = condition.clone().conjuncts();
    let equal = |one: &[usize], other: &[usize]| {
        terms.iter().any(|term| match term.args_of("=") {
            Some([a, b]) => match (a.as_column(), b.as_column()) {
                (Some(a), Some(b)) => {
                    let (a, b) = (a.min(b), a.max(b));
                    one.contains(&a) && b.checked_sub(width).is_some_and(|b| other.contains(&b))
                }
                _ => false,
            },
            _ => false,
        })
    };
    equal(&left.start, &right.start) && equal(&left.end, &right.end)
}

/// Whether both sides have windows of one sort. Where they have not, equal windows are a condition like any other.
fn alike(left: &Window, right: &Window) -> bool {
    left.event_time == right.event_time
        && match (&left.shape, &right.shape) {
            // The key may lie elsewhere.
            (WindowShape::Session { gap, .. }, WindowShape::Session { gap: other, .. }) => gap == other,
            (left, right) => left == right,
        }
}

/// A time attribute of one side, perhaps with a constant added: the column and the constant in ms.
fn moment(rex: &Rex, fields: &tidegate_data::Schema) -> Option<(usize, i64)> {
    match &rex.kind {
        RexKind::Column(column) => {
            let ty = &fields.fields[*column].ty;
            (ty.is_rowtime() || ty.is_proctime()).then_some((*column, 0))
        }
        RexKind::Call { op, args } if (op == "+" || op == "-") && args.len() == 2 => {
            let (column, added) = moment(&args[0], fields)?;
            // A month has no length.
            if args[1].ty.logical != LogicalType::IntervalDayTime {
                return None;
            }
            let Some(Value::Int(length)) = args[1].as_literal() else { return None };
            Some((column, if op == "+" { added + length } else { added - length }))
        }
        _ => None,
    }
}

/// Between which bounds the left time minus the right time lies; `None` where one of them is missing.
fn bounds(rel: &Rel, condition: &Rex) -> Option<Bounds> {
    let width = rel.inputs[0].width();
    let fields = Rel::both_sides(&rel.inputs[0].schema, &rel.inputs[1].schema, JoinKind::Inner);
    let mut times: Option<(usize, usize)> = None;
    let (mut lower, mut upper): (Option<i64>, Option<i64>) = (None, None);
    for term in condition.clone().conjuncts() {
        let RexKind::Call { op, args } = &term.kind else { continue };
        let [one, other] = args.as_slice() else { continue };
        if !matches!(op.as_str(), "=" | "<" | "<=" | ">" | ">=") {
            continue;
        }
        let (Some(a), Some(b)) = (moment(one, &fields), moment(other, &fields)) else { continue };
        if (a.0 < width) == (b.0 < width) {
            continue;
        }
        let ((left, left_added), (right, right_added), mirrored) =
            if a.0 < width { (a, b, false) } else { (b, a, true) };
        if *times.get_or_insert((left, right)) != (left, right) {
            return None;
        }
        let bound = right_added - left_added;
        let above = match op.as_str() {
            ">" | ">=" => !mirrored,
            _ => mirrored,
        };
        let strict = i64::from(matches!(op.as_str(), "<" | ">"));
        if op == "=" {
            lower = Some(bound);
            upper = Some(bound);
        } else if above {
            lower = Some(bound + strict);
        } else {
            upper = Some(bound - strict);
        }
    }
    let (left, right) = times?;
    let event_time = fields.fields[left].ty.is_rowtime();
    Some(Bounds { lower: lower?, upper: upper?, left_time: left, right_time: right - width, event_time })
}
