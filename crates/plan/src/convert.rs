//! From the logical plan to physical nodes: calcs, exchanges, normalisation of upsert sources, window aggregates.

use std::sync::Arc;
use tidegate_data::sorted::SortedSet;

use tidegate_data::{ChangelogMode, Field, RowKind, Schema};

use crate::catalog::Catalog;
use crate::logical::{Aggregate, Rel, RelOp, ScanTable, SinkTarget};
use crate::phys::{Phys, PhysKind};
use crate::physical::WindowProperty;
use crate::rex::Rex;
use crate::rules::simplify::{simplify_condition, simplify_value};
use crate::window::window_columns;

/// The physical tree of a logical plan.
pub fn convert(rel: Rel, catalog: &Catalog) -> Phys {
    Converter { catalog }.rel(rel)
}

pub(crate) struct Converter<'a> {
    catalog: &'a Catalog,
}

impl Converter<'_> {
    pub(crate) fn rel(&self, rel: Rel) -> Phys {
        match rel.op {
            RelOp::Scan(scan) => self.scan(scan, rel.schema),
            RelOp::Values(rows) => Phys::new(PhysKind::Values(rows), Vec::new(), rel.schema),
            RelOp::Filter(ref condition) => {
                let condition = condition.clone();
                let schema = rel.schema.clone();
                let input = self.rel(rel.into_input());
                let projections = columns(&input.schema);
                calc(input, Some(condition), projections, schema)
            }
            RelOp::Project(ref exprs) => {
                let exprs = exprs.clone();
                let schema = rel.schema.clone();
                calc(self.rel(rel.into_input()), None, exprs, schema)
            }
            RelOp::Aggregate(ref aggregate) => {
                let aggregate = aggregate.clone();
                self.aggregate(rel, aggregate)
            }
            RelOp::WatermarkAssigner { rowtime, ref watermark } => {
                let kind = PhysKind::WatermarkAssigner { rowtime, watermark: watermark.clone() };
                let schema = rel.schema.clone();
                let input = self.rel(rel.into_input());
                Phys::new(kind, vec![input], schema)
            }
            RelOp::Window(ref window) => {
                let kind = PhysKind::WindowTableFunction(window.clone());
                let partition = match &window.shape {
                    crate::physical::WindowShape::Session { partition, .. } => Some(partition.clone()),
                    _ => None,
                };
                let schema = rel.schema.clone();
                let input = self.rel(rel.into_input());
                let input = match partition {
                    Some(partition) => input.exchange_by(&partition),
                    None => input,
                };
                Phys::new(kind, vec![input], schema)
            }
            RelOp::Expand(ref sets) => {
                let kind = PhysKind::Expand(sets.clone());
                let schema = rel.schema.clone();
                let input = self.rel(rel.into_input());
                Phys::new(kind, vec![input], schema)
            }
            RelOp::Lookup(ref own) => {
                let kind = PhysKind::Lookup(own.clone());
                let schema = rel.schema.clone();
                let input = self.rel(rel.into_input());
                Phys::new(kind, vec![input], schema)
            }
            RelOp::Match(ref own) => {
                let kind = PhysKind::Match(own.clone());
                let (schema, partition) = (rel.schema.clone(), own.partition.clone());
                let input = self.rel(rel.into_input()).exchange_by(&partition);
                Phys::new(kind, vec![input], schema)
            }
            RelOp::Correlate(ref correlate) => {
                let kind = PhysKind::Correlate(correlate.clone());
                let schema = rel.schema.clone();
                let input = self.rel(rel.into_input());
                Phys::new(kind, vec![input], schema)
            }
            RelOp::Over(_) | RelOp::Rank(_) | RelOp::Sort(_) => self.ordered(rel),
            RelOp::Join(ref join) => {
                let (join, schema) = (join.clone(), rel.schema.clone());
                let windows = [window_columns(&rel.inputs[0]), window_columns(&rel.inputs[1])];
                let inputs = rel.inputs.into_iter().map(|input| self.rel(input)).collect();
                crate::join::convert(join, inputs, windows, schema)
            }
            RelOp::Union => {
                let inputs = rel.inputs.into_iter().map(|input| self.rel(input)).collect();
                Phys::new(PhysKind::Union, inputs, rel.schema)
            }
            RelOp::Sink(ref target) => {
                let target = Arc::clone(target);
                let schema = rel.schema.clone();
                let input = self.rel(rel.into_input());
                self.sink(input, target, schema)
            }
        }
    }

    /// A scan; an upsert source gets a normalisation by its key.
    fn scan(&self, scan: Arc<ScanTable>, schema: Schema) -> Phys {
        let table = &scan.table;
        let key = table.physical_key();
        let mode = self
            .catalog
            .connector(&table.connector)
            .map_or(ChangelogMode::INSERT_ONLY, |spec| (spec.source_mode)(&table.option_pairs(), key.is_some()));
        let upsert = mode.contains(RowKind::UpdateAfter) && !mode.contains(RowKind::UpdateBefore);
        let duplicates =
            !mode.is_insert_only() && self.catalog.config().is_true("table.exec.source.cdc-events-duplicate");
        let node = Phys::new(PhysKind::Scan { scan, mode }, Vec::new(), schema.clone());
        match key {
            Some(keys) if upsert || duplicates => {
                let kind = PhysKind::ChangelogNormalize { keys: keys.clone(), condition: None };
                Phys::new(kind, vec![node.exchange_by(&keys)], schema)
            }
            _ => node,
        }
    }

    fn sink(&self, input: Phys, target: Arc<SinkTarget>, schema: Schema) -> Phys {
        let mode = target.table.as_ref().and_then(|table| {
            let spec = self.catalog.connector(&table.connector)?;
            (spec.sink_mode)(&table.option_pairs(), table.primary_key.is_some())
        });
        let schema = Schema {
            fields: input
                .schema
                .fields
                .iter()
                .zip(schema.fields)
                .map(|(own, field)| Field { name: own.name.clone(), ty: field.ty })
                .collect(),
        };
        Phys::new(PhysKind::Sink { target, mode, materialize: false }, vec![input], schema)
    }

    fn aggregate(&self, rel: Rel, aggregate: Aggregate) -> Phys {
        if let Some(window) = window_columns(rel.input())
            && window.is_grouped(&aggregate.keys)
            && peel(rel.input()).is_none_or(|(_, exprs, _, own)| by_partition(&own.shape, &aggregate, &window, &exprs))
        {
            return self.window_aggregate(rel, aggregate);
        }
        let schema = rel.schema.clone();
        let input = self.rel(rel.into_input());
        let kind =
            PhysKind::GroupAggregate { keys: aggregate.keys.clone(), calls: aggregate.calls, ttl: aggregate.ttl };
        Phys::new(kind, vec![input.exchange_by(&aggregate.keys)], schema)
    }

    /// GROUP BY window_start, window_end and keys. Rows come out as keys, calls, window columns; a calc brings them into order.
    fn window_aggregate(&self, rel: Rel, aggregate: Aggregate) -> Phys {
        let output = rel.schema.clone();
        let input = rel.into_input();
        let Some(columns) = window_columns(&input) else { return self.rel(input) };
        let keys: Vec<usize> = aggregate.keys.iter().copied().filter(|&key| !columns.contains(key)).collect();
        let property = |key: usize| match key {
            key if columns.start.contains(&key) => WindowProperty::Start,
            key if columns.end.contains(&key) => WindowProperty::End,
            _ => WindowProperty::Time,
        };
        let mut properties = vec![WindowProperty::Start, WindowProperty::End];
        if aggregate.keys.iter().any(|&key| columns.contains(key) && property(key) == WindowProperty::Time) {
            properties.push(WindowProperty::Time);
        }
        let names = input.names();
        let (phys, mapping, attached, window) = self.window_input(input, &columns, &aggregate);
        let moved = |column: usize| mapping[column].unwrap_or_default();
        let keys_below: Vec<usize> = keys.iter().map(|&key| moved(key)).collect();
        let mut calls = aggregate.calls.clone();
        for call in &mut calls {
            call.args.iter_mut().for_each(|arg| *arg = moved(*arg));
            call.filter = call.filter.map(moved);
        }
        // Unnamed calls have the names of their places in the GROUP BY's own output.
        let first_call = aggregate.keys.len();
        let mut fields: Vec<Field> = keys_below.iter().map(|&key| phys.schema.fields[key].clone()).collect();
        for (i, call) in calls.iter_mut().enumerate() {
            let name = if call.name.is_some() {
                output.fields[first_call + i].name.clone()
            } else {
                format!("$f{}", keys.len() + i)
            };
            call.name = Some(name.clone());
            fields.push(Field { name, ty: call.ty.clone() });
        }
        let window_types = |property: WindowProperty| {
            let key =
                aggregate.keys.iter().position(|&key| columns.contains(key) && self::of(&columns, key) == property);
            key.map(|key| output.fields[key].ty.clone())
        };
        for property in &properties {
            let name = match (property, window.is_group_window()) {
                (WindowProperty::Start, false) => "window_start",
                (WindowProperty::End, false) => "window_end",
                (WindowProperty::Time, false) => "window_time",
                (WindowProperty::Start, true) => "w$start",
                (WindowProperty::End, true) => "w$end",
                (WindowProperty::Time, true) => "w$rowtime",
            };
            let ty = window_types(*property).unwrap_or_else(|| {
                use tidegate_data::{DataType, LogicalType, TimeKind};
                DataType::not_null(LogicalType::Timestamp(3, TimeKind::Regular))
            });
            fields.push(Field { name: name.into(), ty });
        }
        let aggregated_schema = Schema { fields };
        let count = calls.len();
        let exchange = phys.exchange_by(&keys_below);
        let kind =
            PhysKind::WindowAggregate { window, attached, keys: keys_below, calls, properties: properties.clone() };
        let aggregated = Phys::new(kind, vec![exchange], aggregated_schema);
        let projections: Vec<Rex> = aggregate
            .keys
            .iter()
            .map(|&key| match keys.iter().position(|&own| own == key) {
                Some(position) => position,
                None => {
                    let wanted = self::of(&columns, key);
                    keys.len() + count + properties.iter().position(|p| *p == wanted).unwrap_or_default()
                }
            })
            .chain((0..count).map(|i| keys.len() + i))
            .map(|position| Rex::column(position, aggregated.schema.fields[position].ty.clone()))
            .collect();
        let _ = names;
        calc(aggregated, None, projections, output)
    }

    /// The rows below a window aggregate: without the window function where it is directly below (the aggregate assigns the
    /// windows itself), else as they are, with the window that they carry. Gives where each column went.
    #[allow(clippy::type_complexity, reason = "used once, just above")]
    fn window_input(
        &self,
        input: Rel,
        columns: &crate::window::WindowColumns,
        aggregate: &Aggregate,
    ) -> (Phys, Vec<Option<usize>>, Option<(Option<usize>, usize)>, crate::logical::Window) {
        if let Some((below, exprs, condition, window)) = peel(&input) {
            let width = below.width();
            let reads_window = |rex: &Rex| !rex.reads_only(|column| column < width);
            let plain: Vec<usize> = (0..exprs.len()).filter(|&i| !columns.contains(i)).collect();
            let free =
                plain.iter().all(|&i| !reads_window(&exprs[i])) && condition.as_ref().is_none_or(|c| !reads_window(c));
            // Sessions are of keys: only by the same ones can they be found out here.
            let free = free && by_partition(&window.shape, aggregate, columns, &exprs);
            if free {
                let names = input.names();
                let mut fields: Vec<Field> = Vec::new();
                let mut projections: Vec<Rex> = Vec::new();
                let mut mapping = vec![None; exprs.len()];
                for i in plain {
                    mapping[i] = Some(projections.len());
                    projections.push(exprs[i].clone());
                    fields.push(Field { name: names[i].clone(), ty: input.schema.fields[i].ty.clone() });
                }
                let time = below.column(window.time_column);
                let time_column = projections.iter().position(|rex| *rex == time).unwrap_or_else(|| {
                    fields.push(below.schema.fields[window.time_column].clone());
                    projections.push(time);
                    projections.len() - 1
                });
                if fields[..fields.len() - 1].iter().any(|field| field.name == fields[fields.len() - 1].name)
                    && let Some(last) = fields.last_mut()
                {
                    last.name.push_str("_0");
                }
                let phys = calc(self.rel(below.clone()), condition, projections, Schema { fields });
                let place = |column: usize| {
                    let find = |i: &usize| exprs[*i].as_column() == Some(column);
                    (0..exprs.len()).find(find).and_then(|i| mapping[i]).unwrap_or_default()
                };
                let shape = window.shape.clone().moved(&place);
                let window = crate::logical::Window { time_column, shape, ..window };
                return (phys, mapping, None, window);
            }
        }
        let start = aggregate.keys.iter().copied().find(|key| columns.start.contains(key));
        let end = aggregate.keys.iter().copied().find(|key| columns.end.contains(key)).unwrap_or_default();
        let mapping = (0..input.width()).map(Some).collect();
        let window = columns.window.clone();
        (self.rel(input), mapping, Some((start, end)), window)
    }
}

/// Whether the keys besides the window are the columns that a session is of.
fn by_partition(
    shape: &crate::physical::WindowShape,
    aggregate: &Aggregate,
    columns: &crate::window::WindowColumns,
    exprs: &[Rex],
) -> bool {
    let crate::physical::WindowShape::Session { partition, .. } = shape else { return true };
    let keys = aggregate.keys.iter().filter(|key| !columns.contains(**key));
    let keys: Option<SortedSet<usize>> = keys.map(|&key| exprs[key].as_column()).collect();
    keys.is_some_and(|keys| keys == partition.iter().copied().collect())
}

fn of(columns: &crate::window::WindowColumns, key: usize) -> WindowProperty {
    if columns.start.contains(&key) {
        WindowProperty::Start
    } else if columns.end.contains(&key) {
        WindowProperty::End
    } else {
        WindowProperty::Time
    }
}

/// Projections and filters above a window function, as one, over the window function's output.
#[allow(clippy::type_complexity, reason = "used once, just above")]
fn peel(rel: &Rel) -> Option<(&Rel, Vec<Rex>, Option<Rex>, crate::logical::Window)> {
    match &rel.op {
        RelOp::Window(window) => {
            let all = (0..rel.width()).map(|i| rel.column(i)).collect();
            Some((rel.input(), all, None, window.clone()))
        }
        RelOp::Project(exprs) => {
            let (below, inner, condition, window) = peel(rel.input())?;
            let exprs = exprs.iter().map(|rex| rex.clone().substitute(&inner)).collect();
            Some((below, exprs, condition, window))
        }
        RelOp::Filter(own) => {
            let (below, inner, condition, window) = peel(rel.input())?;
            let own = own.clone().substitute(&inner);
            let condition = match condition {
                Some(condition) => simplify_condition(Rex::and(vec![condition, own])),
                None => own,
            };
            Some((below, inner, Some(condition), window))
        }
        _ => None,
    }
}

fn columns(schema: &Schema) -> Vec<Rex> {
    schema.fields.iter().enumerate().map(|(i, field)| Rex::column(i, field.ty.clone())).collect()
}

/// A calc, merged with one below it; nothing where it changes nothing.
pub fn calc(input: Phys, condition: Option<Rex>, projections: Vec<Rex>, schema: Schema) -> Phys {
    if let PhysKind::Calc { condition: below, projections: inner } = &input.kind
        && inner.iter().all(Rex::is_deterministic)
    {
        let projections = projections.into_iter().map(|rex| simplify_value(rex.substitute(inner))).collect();
        let condition = condition.map(|condition| condition.substitute(inner));
        let condition = match (below.clone(), condition) {
            (Some(below), Some(condition)) => Some(simplify_condition(Rex::and(vec![below, condition]))),
            (below, condition) => below.or(condition),
        };
        return calc(input.into_input(), condition, projections, schema);
    }
    let condition = condition.filter(|condition| !condition.is_true());
    let identity = projections.len() == input.schema.fields.len()
        && projections
            .iter()
            .enumerate()
            .all(|(i, rex)| rex.as_column() == Some(i) && rex.ty.logical == input.schema.fields[i].ty.logical);
    if identity && condition.is_none() {
        return input;
    }
    Phys::new(PhysKind::Calc { condition, projections }, vec![input], schema)
}
