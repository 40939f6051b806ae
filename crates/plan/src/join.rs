//! Joins in the physical plan: join keys, exchanges, what is known of each side's rows, their text.

use tidegate_data::{DataType, LogicalType, Schema};
use tidegate_diag::Diagnostic;
use tidegate_expr::CallError;

use crate::codes::BAD_TEMPORAL;
use crate::explain::shape_text;
use crate::logical::{Join, JoinForm, JoinKind, Rel, Versions};
use crate::phys::{Phys, PhysJoin, PhysKind, WindowSide};
use crate::physical::{InputSpec, NodeKind};
use crate::rex::{Rex, RexKind};
use crate::rules::time_joins::TEMPORAL;
use crate::text::{Form, rex_text};
use crate::upsert_keys::upsert_keys;
use crate::window::WindowColumns;

/// The columns of both sides that a condition says are equal, and the rest of it.
#[derive(Debug, Default)]
pub struct JoinKeys {
    /// Columns of the left side.
    pub left: Vec<usize>,
    /// Columns of the right side.
    pub right: Vec<usize>,
    /// Whether NULL equals NULL.
    pub nulls_match: Vec<bool>,
    /// The other terms.
    pub rest: Vec<Rex>,
}

impl JoinKeys {
    /// Without the equality of two times, which the bounds of an interval join say.
    fn drop_pair(&mut self, left: usize, right: usize) {
        while let Some(at) = (0..self.left.len()).find(|&at| (self.left[at], self.right[at]) == (left, right)) {
            self.left.remove(at);
            self.right.remove(at);
            self.nulls_match.remove(at);
        }
    }
}

/// Takes the join keys out of a condition; `width` is the number of the left side's columns.
pub fn join_keys(condition: &Rex, width: usize) -> JoinKeys {
    let mut keys = JoinKeys::default();
    for term in condition.clone().conjuncts() {
        if term.is_true() {
            continue;
        }
        let Some((left, right, nulls_match)) = equal_columns(&term, width) else {
            keys.rest.push(term);
            continue;
        };
        keys.left.push(left);
        keys.right.push(right - width);
        keys.nulls_match.push(nulls_match);
    }
    keys
}

fn equal_columns(term: &Rex, width: usize) -> Option<(usize, usize, bool)> {
    let (args, nulls_match) = match &term.kind {
        RexKind::Call { op, args } if op == "=" => (args, false),
        RexKind::Call { op, args } if op == "IS NOT DISTINCT FROM" => (args, true),
        _ => return None,
    };
    let [one, other] = args.as_slice() else { return None };
    let (a, b) = (one.as_column()?, other.as_column()?);
    match (a < width, b < width) {
        (true, false) => Some((a, b, nulls_match)),
        (false, true) => Some((b, a, nulls_match)),
        _ => None,
    }
}

/// A join over its exchanges; `windows` are the window columns of its inputs.
pub fn convert(join: Join, inputs: Vec<Phys>, windows: [Option<WindowColumns>; 2], schema: Schema) -> Phys {
    let width = inputs[0].schema.fields.len();
    let (mut condition, mut sides) = (join.condition.clone(), None);
    if let (JoinForm::Window, [Some(left), Some(right)]) = (join.form, windows) {
        (condition, sides) = without_windows(join.condition.clone(), left, right, width);
    }
    let versions = match join.form {
        JoinForm::Temporal(versions) => Some(versions),
        _ => None,
    };
    if versions.is_some() {
        condition =
            Rex::and(condition.conjuncts().into_iter().filter(|term| term.args_of(TEMPORAL).is_none()).collect());
    }
    let mut keys = join_keys(&condition, width);
    if let JoinForm::Interval(bounds) = join.form {
        keys.drop_pair(bounds.left_time, bounds.right_time);
    }
    let versions = versions.map(|versions| {
        let mut unique = upsert_keys(&inputs[1]).into_iter();
        let key = unique.find(|key| key.iter().all(|column| keys.right.contains(column))).unwrap_or_default();
        condition = Rex::and(vec![condition.clone(), version_term(&keys, versions, &key, &inputs)]);
        (versions, key)
    });
    let exchanged = inputs.into_iter().zip([&keys.left, &keys.right]).map(|(input, keys)| input.exchange_by(keys));
    let inputs = exchanged.collect();
    let rest = (!keys.rest.is_empty()).then(|| Rex::and(keys.rest));
    let join = PhysJoin {
        kind: join.kind,
        ttl: join.ttl,
        left_keys: keys.left,
        right_keys: keys.right,
        nulls_match: keys.nulls_match,
        rest,
        condition,
        windows: sides,
        versions,
        interval: match join.form {
            JoinForm::Interval(bounds) => Some(bounds),
            _ => None,
        },
    };
    Phys::new(PhysKind::Join(Box::new(join)), inputs, schema)
}

/// How plans show that a version is asked for.
fn version_term(keys: &JoinKeys, versions: Versions, key: &[usize], inputs: &[Phys]) -> Rex {
    let width = inputs[0].schema.fields.len();
    let column = |side: usize, column: usize| {
        Rex::column(if side == 0 { column } else { width + column }, inputs[side].schema.fields[column].ty.clone())
    };
    let boolean = DataType::not_null(LogicalType::Boolean);
    let of = |name: &str, side: usize, columns: &[usize]| {
        Rex::typed_call(name, columns.iter().map(|own| column(side, *own)).collect(), boolean.clone())
    };
    let args = vec![
        column(0, versions.left_time),
        column(1, versions.right_time),
        of("__TEMPORAL_JOIN_CONDITION_PRIMARY_KEY", 1, key),
        of("__TEMPORAL_JOIN_LEFT_KEY", 0, &keys.left),
        of("__TEMPORAL_JOIN_RIGHT_KEY", 1, &keys.right),
    ];
    Rex::typed_call(TEMPORAL, args, boolean.clone())
}

/// Whether the temporal joins of a plan have a key, and one that tells the versions of their right side apart.
///
/// # Errors
/// In Flink's words, where they have not.
pub fn check(node: &Phys) -> Result<(), Diagnostic> {
    if let PhysKind::Join(join) = &node.kind
        && let Some((_, key)) = &join.versions
    {
        if join.left_keys.is_empty() {
            let message = "Currently the join key in Temporal Table Join can not be empty.";
            return Err(Diagnostic::error(BAD_TEMPORAL, message)
                .hint("Say in ON which version is meant: ON a.k = b.k, where k is the primary key of b."));
        }
        if key.is_empty() {
            let message = format!(
                "Temporal Table Join requires primary key in versioned table, but no primary key can be found. The physical plan is:\n{}",
                text(node, join, Form::Physical)
            );
            return Err(Diagnostic::error(BAD_TEMPORAL, message).hint(
                "The join key must hold the PRIMARY KEY of the right side, or, where it is a view with ROW_NUMBER() = 1, its PARTITION BY.",
            ));
        }
    }
    node.inputs.iter().try_for_each(check)
}

/// The condition without the terms that say that the windows are equal, and the columns in them.
fn without_windows(
    condition: Rex,
    left: WindowColumns,
    right: WindowColumns,
    width: usize,
) -> (Rex, Option<[WindowSide; 2]>) {
    let (mut starts, mut ends, mut rest) = (None, None, Vec::new());
    for term in condition.conjuncts() {
        match equal_columns(&term, width) {
            Some((a, b, _)) if left.start.contains(&a) && right.start.contains(&(b - width)) => {
                starts.get_or_insert((a, b - width));
            }
            Some((a, b, _)) if left.end.contains(&a) && right.end.contains(&(b - width)) => {
                ends.get_or_insert((a, b - width));
            }
            _ => rest.push(term),
        }
    }
    let sides = starts.zip(ends).map(|(starts, ends)| {
        [
            WindowSide { start: starts.0, end: ends.0, window: left.window },
            WindowSide { start: starts.1, end: ends.1, window: right.window },
        ]
    });
    (Rex::and(rest), sides)
}

/// What is known of the rows of an input with this join key.
fn input_spec(input: &Phys, keys: &[usize]) -> InputSpec {
    let unique = upsert_keys(input);
    if unique.iter().any(|key| key.iter().all(|column| keys.contains(column))) {
        return InputSpec::JoinKeyContainsUniqueKey;
    }
    match unique.into_iter().min_by_key(Vec::len) {
        Some(key) => InputSpec::HasUniqueKey(key),
        None => InputSpec::NoUniqueKey,
    }
}

fn input_specs(node: &Phys, join: &PhysJoin) -> [InputSpec; 2] {
    // As Flink does it: what is a key before the exchange, which the rows of one key need not leave in order.
    [input_spec(node.inputs[0].input(), &join.left_keys), input_spec(node.inputs[1].input(), &join.right_keys)]
}

/// The plan's node.
///
/// # Errors
/// Those of the condition.
pub fn lower(node: &Phys, join: &PhysJoin) -> Result<NodeKind, CallError> {
    if let Some(bounds) = join.interval {
        return Ok(NodeKind::IntervalJoin {
            kind: join.kind,
            left_keys: join.left_keys.clone(),
            right_keys: join.right_keys.clone(),
            bounds,
            condition: join.rest.as_ref().map(Rex::lower).transpose()?,
        });
    }
    if let Some([left, right]) = &join.windows {
        return Ok(NodeKind::WindowJoin {
            kind: join.kind,
            left_keys: join.left_keys.clone(),
            right_keys: join.right_keys.clone(),
            nulls_match: join.nulls_match.clone(),
            ends: [left.end, right.end],
            local: node.inputs.iter().any(has_local_window),
            condition: join.rest.as_ref().map(Rex::lower).transpose()?,
        });
    }
    if let Some((versions, _)) = &join.versions {
        return Ok(NodeKind::TemporalJoin {
            kind: join.kind,
            left_keys: join.left_keys.clone(),
            right_keys: join.right_keys.clone(),
            times: [versions.left_time, versions.right_time],
            condition: join.rest.as_ref().map(Rex::lower).transpose()?,
        });
    }
    Ok(NodeKind::Join {
        kind: join.kind,
        left_keys: join.left_keys.clone(),
        right_keys: join.right_keys.clone(),
        nulls_match: join.nulls_match.clone(),
        condition: join.rest.as_ref().map(Rex::lower).transpose()?,
        unique: input_specs(node, join),
    })
}

/// Whether the windows of a relation's rows are of a TIMESTAMP_LTZ column: their bounds are in local time, the watermark is not.
fn has_local_window(node: &Phys) -> bool {
    let window = match &node.kind {
        PhysKind::WindowTableFunction(window) => Some(window),
        PhysKind::WindowAggregate { window, attached: None, .. } => Some(window),
        _ => None,
    };
    let local = |window: &crate::logical::Window| {
        let ty = &node.input().schema.fields[window.time_column].ty;
        matches!(ty.logical, LogicalType::TimestampLtz(..))
    };
    window.is_some_and(local) || node.inputs.iter().any(has_local_window)
}

/// Flink's name of a sort of join.
pub const fn kind_text(kind: JoinKind) -> &'static str {
    match kind {
        JoinKind::Inner => "InnerJoin",
        JoinKind::Left => "LeftOuterJoin",
        JoinKind::Right => "RightOuterJoin",
        JoinKind::Full => "FullOuterJoin",
        JoinKind::Semi => "LeftSemiJoin",
        JoinKind::Anti => "LeftAntiJoin",
    }
}

/// The text of a join.
pub fn text(node: &Phys, join: &PhysJoin, form: Form) -> String {
    let both = Rel::both_sides(&node.inputs[0].schema, &node.inputs[1].schema, join.kind);
    let names: Vec<String> = both.fields.into_iter().map(|field| field.name).collect();
    if let Some(bounds) = join.interval {
        return format!(
            "IntervalJoin(joinType=[{}], windowBounds=[isRowTime={}, leftLowerBound={}, leftUpperBound={}, leftTimeIndex={}, rightTimeIndex={}], where=[{}], select=[{}])",
            kind_text(join.kind),
            bounds.event_time,
            bounds.lower,
            bounds.upper,
            bounds.left_time,
            bounds.right_time,
            rex_text(&join.condition, &names, form),
            node.names().join(", ")
        );
    }
    if let Some(windows) = &join.windows {
        let shape = |side: usize| {
            let (input, window) = (node.inputs[side].names(), &windows[side]);
            let of = format!("win_start=[{}], win_end=[{}]", input[window.start], input[window.end]);
            shape_text(&window.window, &of, &input)
        };
        return format!(
            "WindowJoin(leftWindow=[{}], rightWindow=[{}], joinType=[{}], where=[{}], select=[{}])",
            shape(0),
            shape(1),
            kind_text(join.kind),
            rex_text(&join.condition, &names, form),
            node.names().join(", ")
        );
    }
    if join.versions.is_some() {
        return format!(
            "TemporalJoin(joinType=[{}], where=[{}], select=[{}])",
            kind_text(join.kind),
            rex_text(&join.condition, &names, form),
            node.names().join(", ")
        );
    }
    let spec = |spec: InputSpec| match spec {
        InputSpec::JoinKeyContainsUniqueKey => "JoinKeyContainsUniqueKey",
        InputSpec::HasUniqueKey(_) => "HasUniqueKey",
        InputSpec::NoUniqueKey => "NoUniqueKey",
    };
    let [left, right] = input_specs(node, join);
    format!(
        "Join(joinType=[{}], where=[{}], select=[{}], leftInputSpec=[{}], rightInputSpec=[{}])",
        kind_text(join.kind),
        rex_text(&join.condition, &names, form),
        node.names().join(", "),
        spec(left),
        spec(right)
    )
}
