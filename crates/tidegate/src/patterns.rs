//! Searches for patterns as operators.

use tidegate_data::{Schema, Zone};
use tidegate_operators as operators;
use tidegate_plan::physical::{PatternExpr, PatternMatch, PatternValue, SkipTo};
use tidegate_runtime::graph::OperatorFactory;

use crate::translate::{make, sort_columns};

/// The operator of a MATCH_RECOGNIZE.
pub(crate) fn pattern(node: &PatternMatch, input: Schema, output: Schema, zone: Zone) -> OperatorFactory {
    let variables = node.variables.iter().map(|own| operators::PatternVariable {
        name: own.name.clone(),
        min: own.min,
        max: own.max,
        greedy: own.greedy,
        condition: own.condition.as_ref().map(expr),
    });
    let spec = operators::PatternMatchSpec {
        input,
        output,
        partition: node.partition.clone(),
        rowtime: node.rowtime,
        order: sort_columns(&node.order),
        variables: variables.collect(),
        within: node.within,
        skip: match node.skip {
            SkipTo::NextRow => operators::SkipTo::NextRow,
            SkipTo::PastLastRow => operators::SkipTo::PastLastRow,
            SkipTo::First(variable) => operators::SkipTo::First(variable),
            SkipTo::Last(variable) => operators::SkipTo::Last(variable),
        },
        measures: node.measures.iter().map(expr).collect(),
        zone,
    };
    make(move || operators::PatternMatch::new(spec.clone()))
}

fn expr(own: &PatternExpr) -> operators::PatternExpr {
    let value = |value: &PatternValue| match value.clone() {
        PatternValue::Cell { variables, from_first, offset, column } => {
            operators::PatternValue::Cell { variables, from_first, offset, column }
        }
        PatternValue::Aggregate { variables, call, args } => {
            operators::PatternValue::Aggregate { variables, call, args }
        }
        PatternValue::Rowtime => operators::PatternValue::Rowtime,
        PatternValue::Proctime => operators::PatternValue::Proctime,
    };
    operators::PatternExpr { values: own.values.iter().map(value).collect(), expr: own.expr.clone() }
}
