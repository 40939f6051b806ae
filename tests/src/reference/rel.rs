//! Relations: each is the list of its rows, in the order of their coming where that counts.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use tidegate_data::{DataType, Value};
use tidegate_expr::Expr;
use tidegate_plan::bound::{Join, Rel, RelOp, Rex, Sort, SortColumn};

use super::expr::{holds, value};
use super::{Row, Stop, aggregate, over, unknown, window};

/// The rows of a relation.
///
/// # Errors
/// When a row cannot be computed.
pub fn rows(rel: &Rel, tables: &BTreeMap<String, Vec<Row>>) -> Result<Vec<Row>, Stop> {
    let mut inputs = Vec::new();
    for input in &rel.inputs {
        inputs.push(rows(input, tables)?);
    }
    let only = |inputs: &mut Vec<Vec<Row>>| inputs.pop().unwrap_or_default();
    Ok(match &rel.op {
        RelOp::Scan(scan) => tables.get(&scan.table.name).cloned().unwrap_or_default(),
        RelOp::Values(lists) => {
            let mut out = Vec::new();
            for list in lists {
                out.push(project(&lowered(list)?, &[])?);
            }
            out
        }
        RelOp::Project(exprs) => {
            let input = only(&mut inputs);
            let (exprs, input) = over::worked_out(exprs, rel.input().width(), input)?;
            let exprs = lowered(&exprs)?;
            let mut out = Vec::new();
            for row in &input {
                out.push(project(&exprs, row)?);
            }
            out
        }
        RelOp::Filter(condition) => {
            let condition = lower(condition)?;
            let mut out = Vec::new();
            for row in only(&mut inputs) {
                if holds(&condition, &row)? {
                    out.push(row);
                }
            }
            out
        }
        RelOp::Aggregate(own) => aggregate::rows(own, &only(&mut inputs), &types(rel.input()))?,
        RelOp::WatermarkAssigner { .. } => only(&mut inputs),
        RelOp::Window(own) => window::rows(own, only(&mut inputs))?,
        RelOp::Sort(sort) => sorted(sort, only(&mut inputs)),
        RelOp::Expand(sets) => {
            let mut out = Vec::new();
            for row in only(&mut inputs) {
                for (columns, number) in sets {
                    let kept = columns.iter().map(|column| column.map_or(Value::Null, |column| row[column].clone()));
                    out.push(kept.chain([Value::Int(*number)]).collect());
                }
            }
            out
        }
        RelOp::Correlate(correlate) => {
            let args = lowered(&correlate.args)?;
            let mut out = Vec::new();
            for row in only(&mut inputs) {
                let made = project(&args, &row)?;
                let Some(Value::Int(times)) = made.first() else { return Err(unknown("a table function")) };
                for _ in 0..*times {
                    out.push(row.iter().chain(&made[1..]).cloned().collect());
                }
            }
            out
        }
        RelOp::Union => {
            let mut out = Vec::new();
            for (input, rows) in rel.inputs.iter().zip(inputs) {
                for row in rows {
                    out.push(converted(row, &types(input), &types(rel))?);
                }
            }
            out
        }
        RelOp::Join(own) => {
            let right = only(&mut inputs);
            join(own, &only(&mut inputs), &right, [rel.inputs[0].width(), rel.inputs[1].width()])?
        }
        other => return Err(unknown(format!("a relation: {}", format!("{other:?}").split('(').next().unwrap_or("")))),
    })
}

fn types(rel: &Rel) -> Vec<DataType> {
    rel.schema.fields.iter().map(|field| field.ty.clone()).collect()
}

/// A row of one side of a set operation, in the types that both sides have in common.
fn converted(row: Row, from: &[DataType], to: &[DataType]) -> Result<Row, Stop> {
    let values = row.into_iter().zip(from.iter().zip(to)).map(|(value, (from, to))| match value {
        Value::Null => Ok(value),
        value => super::cast::cast(&value, &from.logical, &to.logical),
    });
    values.collect()
}

/// The expression with the casts that its types imply.
///
/// # Errors
/// When there is none.
pub fn lower(rex: &Rex) -> Result<Expr, Stop> {
    rex.lower().map_err(|error| unknown(format!("{error:?}")))
}

fn lowered(list: &[Rex]) -> Result<Vec<Expr>, Stop> {
    list.iter().map(lower).collect()
}

fn project(exprs: &[Expr], row: &[Value]) -> Result<Row, Stop> {
    exprs.iter().map(|expr| value(expr, row)).collect()
}

/// Whether two keys are equal, NULLs among themselves too.
pub fn same(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
}

/// The order of two values of one type; NULL is the least.
pub fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Decimal(a), Value::Decimal(b)) => a.cmp(b),
        (Value::String(a), Value::String(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
        (Value::Double(a), Value::Double(b)) => a.total_cmp(b),
        _ => Ordering::Equal,
    }
}

/// The order of two rows.
pub fn by_columns(order_by: &[SortColumn], a: &[Value], b: &[Value]) -> Ordering {
    for key in order_by {
        let (a, b) = (&a[key.column], &b[key.column]);
        let next = match (a.is_null(), b.is_null()) {
            (true, true) => Ordering::Equal,
            (true, false) => {
                if key.nulls_first {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
            (false, true) => {
                if key.nulls_first {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
            (false, false) => {
                if key.descending {
                    order(b, a)
                } else {
                    order(a, b)
                }
            }
        };
        if next != Ordering::Equal {
            return next;
        }
    }
    Ordering::Equal
}

fn sorted(sort: &Sort, mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by(|a, b| by_columns(&sort.order, a, b));
    let offset = sort.offset.unwrap_or(0) as usize;
    let fetch = sort.fetch.map_or(usize::MAX, |fetch| fetch as usize);
    rows.into_iter().skip(offset).take(fetch).collect()
}

fn join(join: &Join, left: &[Row], right: &[Row], widths: [usize; 2]) -> Result<Vec<Row>, Stop> {
    let condition = lower(&join.condition)?;
    let kind = join.kind;
    let (mut out, mut found) = (Vec::new(), vec![false; right.len()]);
    for row in left {
        let mut any = false;
        for (other, found) in right.iter().zip(&mut found) {
            let pair: Row = row.iter().chain(other).cloned().collect();
            if !holds(&condition, &pair)? {
                continue;
            }
            any = true;
            *found = true;
            if !kind.is_semi() {
                out.push(pair);
            }
        }
        if kind.is_semi() && any == (kind == tidegate_plan::bound::JoinKind::Semi) {
            out.push(row.clone());
        }
        if kind.keeps_left() && !any {
            out.push(row.iter().cloned().chain(vec![Value::Null; widths[1]]).collect());
        }
    }
    if kind.keeps_right() {
        for (row, _) in right.iter().zip(found).filter(|(_, found)| !found) {
            out.push(vec![Value::Null; widths[0]].into_iter().chain(row.iter().cloned()).collect());
        }
    }
    Ok(out)
}
