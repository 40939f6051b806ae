//! Plan nodes that are joins as operators.

use std::rc::Rc;

use tidegate_connectors as connectors;
use tidegate_connectors::table::{Holds, LookupArgs};
use tidegate_data::{Chunk, Schema, Zone};
use tidegate_diag::Diagnostic;
use tidegate_expr::{EvalContext, EvalError};
use tidegate_operators as operators;
use tidegate_plan::Config;
use tidegate_plan::physical::{InputSpec, JoinKind, NodeKind, TableFunction, Unnested};
use tidegate_runtime::graph::OperatorFactory;
use tidegate_runtime::{Context, Failure};

use crate::translate::{make, not_yet};

/// The operator of rows beside a table function.
///
/// # Errors
/// For a node that is none.
pub(crate) fn correlate(kind: &NodeKind, zone: Zone) -> Result<OperatorFactory, Diagnostic> {
    let NodeKind::Correlate { function, args, condition, outer } = kind else {
        return Err(not_yet("This sort of call"));
    };
    let function = match *function {
        TableFunction::Unnest { of, ordinality } => {
            let of = match of {
                Unnested::Array => operators::Unnested::Array,
                Unnested::Map => operators::Unnested::Map,
                Unnested::Multiset => operators::Unnested::Multiset,
            };
            operators::TableFunction::Unnest { of, ordinality }
        }
        TableFunction::Replicate => operators::TableFunction::Replicate,
    };
    let (args, condition, outer) = (args.clone(), condition.clone(), *outer);
    let spec = operators::CorrelateSpec { function, args, condition, outer, zone };
    Ok(make(move || operators::Correlate::new(spec.clone())))
}

/// The operator of a lookup join.
///
/// # Errors
/// For a node that is none.
pub(crate) fn lookup(kind: &NodeKind, zone: Zone) -> Result<OperatorFactory, Diagnostic> {
    let NodeKind::LookupJoin { table, keys, columns, condition, outer } = kind else {
        return Err(not_yet("This lookup"));
    };
    let failed = |error: EvalError| Failure { diagnostic: error.diagnostic };
    let context = move |cx: &dyn Context| EvalContext {
        watermark: cx.watermark(),
        now: cx.now(),
        zone,
        ..EvalContext::default()
    };
    let columns = columns.clone();
    let condition = condition.clone().map(|condition| -> Holds {
        Rc::new(move |chunk: &Chunk, cx: &dyn Context| condition.filter(chunk, &context(cx)).map_err(failed))
    });
    Ok(connectors::table::lookup(LookupArgs {
        table: table.name.clone(),
        options: table.options.clone(),
        physical: table.physical.clone(),
        primary_key: table.primary_key.clone(),
        keys: keys.clone(),
        columns: Rc::new(move |chunk: &Chunk, cx: &dyn Context| {
            columns.iter().map(|column| column.eval(chunk, &context(cx)).map_err(failed)).collect()
        }),
        condition,
        outer: *outer,
    }))
}

/// The operator of a join over two inputs.
///
/// # Errors
/// For a node that is no join.
pub(crate) fn join(
    kind: &NodeKind,
    inputs: [Schema; 2],
    ttl: [i64; 2],
    config: &Config,
    zone: Zone,
) -> Result<OperatorFactory, Diagnostic> {
    match kind {
        NodeKind::Join { kind, left_keys, right_keys, nulls_match, condition, unique } => {
            let [left, right] = inputs;
            let left = side(left, left_keys, &unique[0], ttl[0]);
            let right = side(right, right_keys, &unique[1], ttl[1]);
            let (nulls_match, condition) = (nulls_match.clone(), condition.clone());
            if kind.is_semi() {
                let anti = *kind == JoinKind::Anti;
                let spec = operators::SemiJoinSpec { left, right, anti, nulls_match, condition, zone };
                return Ok(make(move || operators::SemiJoin::new(spec.clone())));
            }
            let outer = [kind.keeps_left(), kind.keeps_right()];
            let spec = operators::JoinSpec { left, right, outer, nulls_match, condition, zone };
            Ok(make(move || operators::Join::new(spec.clone())))
        }
        NodeKind::IntervalJoin { kind, left_keys, right_keys, bounds, condition } => {
            let spec = operators::IntervalJoinSpec {
                inputs,
                keys: [left_keys.clone(), right_keys.clone()],
                times: bounds.event_time.then_some([bounds.left_time, bounds.right_time]),
                bounds: (bounds.lower, bounds.upper),
                min_cleanup: config.millis("table.exec.interval-join.min-cleanup-interval").unwrap_or(0).max(0),
                outer: [kind.keeps_left(), kind.keeps_right()],
                condition: condition.clone(),
                zone,
            };
            Ok(make(move || operators::IntervalJoin::new(spec.clone())))
        }
        NodeKind::WindowJoin { kind, left_keys, right_keys, nulls_match, ends, local, condition } => {
            let sort = match kind {
                JoinKind::Semi => operators::WindowJoinSort::Semi(false),
                JoinKind::Anti => operators::WindowJoinSort::Semi(true),
                _ => operators::WindowJoinSort::Pairs([kind.keeps_left(), kind.keeps_right()]),
            };
            let spec = operators::WindowJoinSpec {
                inputs,
                keys: [left_keys.clone(), right_keys.clone()],
                ends: *ends,
                local: *local,
                sort,
                nulls_match: nulls_match.clone(),
                condition: condition.clone(),
                zone,
            };
            Ok(make(move || operators::WindowJoin::new(spec.clone())))
        }
        NodeKind::TemporalJoin { kind, left_keys, right_keys, times, condition } => {
            let spec = operators::TemporalJoinSpec {
                inputs,
                keys: [left_keys.clone(), right_keys.clone()],
                times: *times,
                outer: kind.keeps_left(),
                condition: condition.clone(),
                zone,
            };
            Ok(make(move || operators::TemporalJoin::new(spec.clone())))
        }
        _ => Err(not_yet("This join")),
    }
}

/// What a join is called on the screen.
pub(crate) fn name(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::IntervalJoin { .. } => "IntervalJoin",
        NodeKind::WindowJoin { .. } => "WindowJoin",
        NodeKind::TemporalJoin { .. } => "TemporalJoin",
        _ => "Join",
    }
}

fn side(input: Schema, keys: &[usize], unique: &InputSpec, state_ttl: i64) -> operators::JoinSideSpec {
    let unique = match unique {
        InputSpec::JoinKeyContainsUniqueKey => operators::JoinSideKey::JoinKey,
        InputSpec::HasUniqueKey(columns) => operators::JoinSideKey::Unique(columns.clone()),
        InputSpec::NoUniqueKey => operators::JoinSideKey::None,
    };
    operators::JoinSideSpec { input, keys: keys.to_vec(), unique, state_ttl }
}
