//! Joins in the physical plan: join keys, exchanges, what is known of each side's rows, their text.

use tidegate_data::Schema;
use tidegate_expr::CallError;

use crate::logical::{Join, JoinKind, Rel};
use crate::phys::{Phys, PhysJoin, PhysKind};
use crate::physical::{InputSpec, NodeKind};
use crate::rex::{Rex, RexKind};
use crate::text::{Form, rex_text};
use crate::upsert_keys::upsert_keys;

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

/// A join over its exchanges.
pub fn convert(join: Join, inputs: Vec<Phys>, schema: Schema) -> Phys {
    let width = inputs[0].schema.fields.len();
    let keys = join_keys(&join.condition, width);
    let exchanged = inputs.into_iter().zip([&keys.left, &keys.right]).map(|(input, keys)| input.exchange_by(keys));
    let inputs = exchanged.collect();
    let rest = (!keys.rest.is_empty()).then(|| Rex::and(keys.rest));
    let join = PhysJoin {
        kind: join.kind,
        left_keys: keys.left,
        right_keys: keys.right,
        nulls_match: keys.nulls_match,
        rest,
        condition: join.condition,
    };
    Phys::new(PhysKind::Join(join), inputs, schema)
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
    Ok(NodeKind::Join {
        kind: join.kind,
        left_keys: join.left_keys.clone(),
        right_keys: join.right_keys.clone(),
        nulls_match: join.nulls_match.clone(),
        condition: join.rest.as_ref().map(Rex::lower).transpose()?,
        unique: input_specs(node, join),
    })
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
