//! A time attribute that is computed with becomes a plain timestamp: `ts + INTERVAL '1' DAY` reads `CAST(ts AS TIMESTAMP(3))`.
//! So does one that is grouped by or aggregated; passed on as it is, it stays one.

use tidegate_data::{DataType, Schema};

use crate::logical::{Aggregate, JoinForm, JoinKind, Rel, RelOp};
use crate::rex::{Rex, RexKind};
use crate::window::window_columns;

/// Makes plain timestamps of time attributes where Flink does.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |rel| {
        let Rel { op, inputs, schema } = rel;
        match op {
            RelOp::Filter(condition) => {
                let condition = materialize(retyped(condition, &inputs[0].schema), true);
                let schema = passed_on(schema, &inputs);
                Rel { op: RelOp::Filter(condition), inputs, schema }
            }
            op @ (RelOp::Rank(_) | RelOp::Sort(_) | RelOp::Over(_)) => {
                let schema = passed_on(schema, &inputs);
                Rel { op, inputs, schema }
            }
            RelOp::Project(exprs) => {
                let below = &inputs[0].schema;
                let exprs: Vec<Rex> = exprs.into_iter().map(|rex| materialize(retyped(rex, below), false)).collect();
                let names = schema.fields.into_iter().map(|field| field.name).collect();
                let [input]: [Rel; 1] = match inputs.try_into() {
                    Ok(inputs) => inputs,
                    Err(inputs) => return Rel { op: RelOp::Project(exprs), inputs, schema: Schema::default() },
                };
                Rel::project(input, exprs, names)
            }
            RelOp::Aggregate(mut aggregate) => {
                for call in &mut aggregate.calls {
                    call.ty = plain(&call.ty);
                }
                below_aggregate(Rel { op: RelOp::Aggregate(aggregate.clone()), inputs, schema }, aggregate)
            }
            RelOp::Join(join) if join.form == JoinForm::Regular => {
                let mut inputs = inputs.into_iter().map(materialized);
                match (inputs.next(), inputs.next()) {
                    (Some(left), Some(right)) => {
                        let both = Rel::both_sides(&left.schema, &right.schema, JoinKind::Inner);
                        Rel::join(left, right, join.kind, retyped(join.condition, &both)).kept_for(join.ttl)
                    }
                    _ => Rel { op: RelOp::Join(join), inputs: Vec::new(), schema },
                }
            }
            RelOp::Join(join) if matches!(join.form, JoinForm::Temporal(_)) => {
                let width = inputs[0].width();
                materialized_from(width, Rel { op: RelOp::Join(join), inputs, schema })
            }
            RelOp::Match(own) => match inputs.into_iter().next() {
                Some(input) => own.materialized().over(input),
                None => Rel { op: RelOp::Values(Vec::new()), inputs: Vec::new(), schema },
            },
            op => Rel { op, inputs, schema },
        }
    })
}

/// The columns that are passed on are of the types that the input has now.
fn passed_on(mut schema: Schema, inputs: &[Rel]) -> Schema {
    for (field, own) in schema.fields.iter_mut().zip(inputs.iter().flat_map(|input| &input.schema.fields)) {
        if is_attribute(&field.ty) {
            field.ty.logical = own.ty.logical.clone();
        }
    }
    schema
}

/// The input of a join, its time attributes made plain timestamps.
fn materialized(input: Rel) -> Rel {
    materialized_from(0, input)
}

/// The same for the columns from `first` on: since when a version is valid is no time of the rows that it is joined to.
fn materialized_from(first: usize, input: Rel) -> Rel {
    if !input.schema.fields[first..].iter().any(|field| is_attribute(&field.ty)) {
        return input;
    }
    let names = input.names();
    let exprs = (0..input.width())
        .map(|i| {
            let column = input.column(i);
            let ty = plain(&column.ty);
            if i >= first && is_attribute(&column.ty) { column.typed_as(&ty) } else { column }
        })
        .collect();
    Rel::project(input, exprs, names)
}

fn is_attribute(ty: &DataType) -> bool {
    ty.is_rowtime() || ty.is_proctime()
}

fn plain(ty: &DataType) -> DataType {
    DataType { logical: ty.logical.without_time_attribute(), nullable: ty.nullable }
}

/// The expression with the types that its columns have now.
fn retyped(rex: Rex, schema: &Schema) -> Rex {
    rex.transform(&mut |part| match part.kind {
        RexKind::Column(index) if is_attribute(&part.ty) => Rex::column(index, schema.fields[index].ty.clone()),
        _ => part,
    })
}

/// `inside` says that the expression is an operand: then a time attribute is no longer one.
fn materialize(rex: Rex, inside: bool) -> Rex {
    match &rex.kind {
        RexKind::Column(_) if inside && is_attribute(&rex.ty) => {
            let ty = plain(&rex.ty);
            rex.typed_as(&ty)
        }
        RexKind::Cast { input, .. } => {
            if input.ty == rex.ty {
                let RexKind::Cast { input, .. } = rex.kind else { return rex };
                return *input;
            }
            // To a plain timestamp of the same sort: that is what becomes of an attribute anyway.
            if is_attribute(&input.ty) && plain(&input.ty).logical == rex.ty.logical {
                let ty = rex.ty.clone();
                let [input]: [Rex; 1] = match rex.kind {
                    RexKind::Cast { input, .. } => [*input],
                    kind => return Rex { kind, ty },
                };
                let input = materialize(input, false);
                return if is_attribute(&input.ty) { input.typed_as(&ty) } else { Rex { ty, ..input } };
            }
            let rex = rex.map_children(&mut |child| materialize(child, true));
            if inside && is_attribute(&rex.ty) {
                let ty = plain(&rex.ty);
                return rex.typed_as(&ty);
            }
            rex
        }
        RexKind::Call { op, .. } if op == "PROCTIME" && !inside => rex,
        RexKind::Call { .. } | RexKind::Case { .. } | RexKind::Search { .. } => {
            let computed = rex.map_children(&mut |child| materialize(child, true));
            let ty = plain(&computed.ty);
            Rex { ty, ..computed }
        }
        _ => rex,
    }
}

/// Keys and arguments that are time attributes; those of a window aggregate's window stay.
fn below_aggregate(rel: Rel, aggregate: Aggregate) -> Rel {
    let window = window_columns(rel.input());
    let grouped_by_window = window.as_ref().is_some_and(|window| window.is_grouped(&aggregate.keys));
    let mut changed: Vec<usize> = aggregate.calls.iter().flat_map(|call| call.args.iter().copied()).collect();
    changed.extend(
        aggregate
            .keys
            .iter()
            .copied()
            .filter(|key| !(grouped_by_window && window.as_ref().is_some_and(|window| window.time.contains(key)))),
    );
    changed.retain(|&column| is_attribute(&rel.input().schema.fields[column].ty));
    let input = rel.into_input();
    if changed.is_empty() {
        return Rel::aggregate(input, aggregate);
    }
    let names = input.names();
    let exprs = (0..input.width())
        .map(|i| {
            let column = input.column(i);
            let ty = plain(&column.ty);
            if changed.contains(&i) { column.typed_as(&ty) } else { column }
        })
        .collect();
    Rel::aggregate(Rel::project(input, exprs, names), aggregate)
}
