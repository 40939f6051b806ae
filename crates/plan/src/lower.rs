//! From the planner's physical tree to the plan that the job is made of.

use tidegate_data::{DataType, Field, LogicalType, Schema};
use tidegate_diag::{Diagnostic, Span};
use tidegate_expr::{AggregateCall, AggregateFunction, CallError, Expr, build};

use crate::catalog::Table;
use crate::config::Config;
use crate::explain::node_text;
use crate::logical::{AggCall, AggFunction, SinkTarget, Window};
use crate::monotonicity::ignores_retraction;
use crate::phys::{Phys, PhysKind, Updates};
use crate::physical::{
    Distribution, MetadataColumn, Node, NodeId, NodeKind, PhysicalPlan, TableRef, WatermarkSpec, WindowAttached,
    WindowSpec,
};
use crate::rex::{Rex, evaluate};
use crate::text::Form;
use crate::upsert_keys::upsert_keys;

/// Lowers the sinks of a statement into one plan. Gives the plan and the node of each sink.
///
/// # Errors
/// An expression that the library does not take after all.
pub fn lower(roots: &[Phys], config: &Config) -> Result<(PhysicalPlan, Vec<NodeId>), Diagnostic> {
    let mut lowering = Lowering { plan: PhysicalPlan::default(), config };
    for (i, root) in roots.iter().enumerate() {
        // Not the number of the statement: state is found again when other statements come before this one.
        let path = i.to_string();
        let sink = lowering.node(root, &path).map_err(|error| error.into_diagnostic(Span::NONE))?;
        lowering.plan.sinks.push(sink);
    }
    let sinks = lowering.plan.sinks.clone();
    Ok((lowering.plan, sinks))
}

struct Lowering<'a> {
    plan: PhysicalPlan,
    config: &'a Config,
}

impl Lowering<'_> {
    fn node(&mut self, node: &Phys, path: &str) -> Result<NodeId, CallError> {
        if let PhysKind::Sink { target, materialize, .. } = &node.kind {
            return self.sink(node, target, *materialize, path);
        }
        let mut inputs = Vec::with_capacity(node.inputs.len());
        for (i, input) in node.inputs.iter().enumerate() {
            inputs.push(self.node(input, &format!("{path}.{i}"))?);
        }
        let kind = self.kind(node)?;
        Ok(self.push(node, kind, inputs, path))
    }

    fn push(&mut self, node: &Phys, kind: NodeKind, inputs: Vec<NodeId>, path: &str) -> NodeId {
        let name = kind_name(&kind);
        self.plan.nodes.push(Node {
            kind,
            inputs,
            schema: node.schema.clone(),
            changelog: node.mode(),
            upsert_keys: upsert_keys(node),
            uid: format!("{path}:{name}"),
            description: node_text(node, Form::Execution),
            ignore_retraction: ignored(node),
            state_ttl: match &node.kind {
                PhysKind::GroupAggregate { ttl, .. } => [*ttl, None],
                PhysKind::Join(join) => join.ttl,
                _ => [None, None],
            },
        });
        self.plan.nodes.len() - 1
    }

    fn kind(&self, node: &Phys) -> Result<NodeKind, CallError> {
        Ok(match &node.kind {
            PhysKind::Scan { scan, .. } => {
                let table = &scan.table;
                let watermark = match &scan.watermark {
                    Some((column, rex)) => Some((*column, watermark_spec(rex)?)),
                    None => None,
                };
                NodeKind::Source {
                    columns: (0..table.physical().fields.len()).collect(),
                    metadata: table.metadata().into_iter().map(|(key, ty)| MetadataColumn { key, ty }).collect(),
                    watermark,
                    table: table_ref(table),
                }
            }
            PhysKind::Values(rows) => {
                let value = |rex: &Rex| {
                    rex.as_literal().cloned().or_else(|| evaluate(rex)).unwrap_or(tidegate_data::Value::Null)
                };
                NodeKind::Values { rows: rows.iter().map(|row| row.iter().map(value).collect()).collect() }
            }
            PhysKind::WatermarkAssigner { rowtime, watermark } => {
                NodeKind::WatermarkAssigner { rowtime: *rowtime, watermark: watermark_spec(watermark)? }
            }
            PhysKind::Calc { condition, projections } => NodeKind::Calc {
                condition: condition.as_ref().map(Rex::lower).transpose()?,
                projections: projections.iter().map(Rex::lower).collect::<Result<Vec<Expr>, CallError>>()?,
            },
            PhysKind::Exchange(distribution) => NodeKind::Exchange(distribution.clone()),
            PhysKind::GroupAggregate { keys, calls, .. } => NodeKind::GroupAggregate {
                keys: keys.clone(),
                aggregates: aggregates(calls, &node.schema, keys.len()),
                emit_update_before: node.updates == Updates::Both,
                retracting_input: !node.input().changes.is_insert_only(),
            },
            PhysKind::WindowAggregate { window, attached, keys, calls, properties } => NodeKind::WindowAggregate {
                window: WindowSpec {
                    attached: attached.map(|(start, end)| WindowAttached { start, end }),
                    // A window's own start lies in that window and no other.
                    time_column: attached.map_or(window.time_column, |(start, end)| start.unwrap_or(end)),
                    ..window_spec(window)
                },
                keys: keys.clone(),
                aggregates: aggregates(calls, &node.schema, keys.len()),
                properties: properties.clone(),
                retracting_input: !node.input().changes.is_insert_only(),
            },
            PhysKind::WindowTableFunction(window) => NodeKind::WindowTableFunction { window: window_spec(window) },
            PhysKind::Correlate(correlate) => correlate.lower()?,
            PhysKind::Match(own) => own.lower()?,
            PhysKind::Lookup(own) => own.lower(node)?,
            PhysKind::Expand(sets) => NodeKind::Expand { sets: sets.clone() },
            PhysKind::Rank { .. }
            | PhysKind::WindowRank(_)
            | PhysKind::SortLimit { .. }
            | PhysKind::TemporalSort(_)
            | PhysKind::OverAggregate(_) => crate::rank::lower(node),
            PhysKind::Union => NodeKind::Union,
            PhysKind::Join(join) => crate::join::lower(node, join)?,
            PhysKind::ChangelogNormalize { keys, condition } => NodeKind::ChangelogNormalize {
                keys: keys.clone(),
                condition: condition.as_ref().map(Rex::lower).transpose()?,
                emit_update_before: node.updates == Updates::Both,
            },
            PhysKind::DropUpdateBefore => NodeKind::DropUpdateBefore,
            PhysKind::Sink { .. } => NodeKind::Collect,
        })
    }

    /// A sink with what stands before it: lengths, NOT NULL, materialisation.
    fn sink(&mut self, node: &Phys, target: &SinkTarget, materialize: bool, path: &str) -> Result<NodeId, CallError> {
        let input = node.input();
        let mut at = self.node(input, &format!("{path}.0"))?;
        let Some(table) = &target.table else {
            let mut collect = node.clone();
            collect.schema = self.plan.nodes[at].schema.clone();
            let id = self.push(&collect, NodeKind::Collect, vec![at], path);
            self.plan.nodes[id].changelog = self.plan.nodes[at].changelog;
            return Ok(id);
        };
        let physical = table.physical();
        if self.config.is("table.exec.sink.type-length-enforcer", "TRIM_PAD") {
            at = self.trim_and_pad(at, &physical, path)?;
        }
        let not_null: Vec<usize> = (0..physical.fields.len())
            .filter(|&i| !physical.fields[i].ty.nullable && self.plan.nodes[at].schema.fields[i].ty.nullable)
            .collect();
        if !not_null.is_empty() {
            let drop = self.config.is("table.exec.sink.not-null-enforcer", "DROP");
            let names: Vec<&str> = not_null.iter().map(|&i| physical.fields[i].name.as_str()).collect();
            let description = format!("ConstraintEnforcer[NotNullEnforcer(fields=[{}])]", names.join(", "));
            let names = physical.fields.iter().map(|field| field.name.clone()).collect();
            let kind = NodeKind::ConstraintEnforcer { not_null, names, drop };
            at = self.behind(at, kind, description, &format!("{path}.enforce"));
        }
        // Also where it is forced, appended rows go through as they are.
        if materialize && !input.changes.is_insert_only() {
            let keys = table.physical_key().unwrap_or_default();
            let names: Vec<&str> = keys.iter().map(|&key| physical.fields[key].name.as_str()).collect();
            let description = format!("Exchange(distribution=[hash[{}]])", names.join(", "));
            let distribution = NodeKind::Exchange(Distribution::Hash(keys.clone()));
            at = self.behind(at, distribution, description, &format!("{path}.shuffle"));
            let input_upsert_key = upsert_keys(input).into_iter().min_by_key(Vec::len);
            let description = format!("SinkMaterializer(pk=[{}])", names.join(", "));
            let kind = NodeKind::SinkMaterializer { keys, input_upsert_key };
            at = self.behind(at, kind, description, &format!("{path}.materialize"));
            self.plan.nodes[at].changelog = tidegate_data::ChangelogMode::UPSERT;
        }
        let mode = self.plan.nodes[at].changelog;
        let kind = NodeKind::Sink { table: table_ref(table), mode };
        Ok(self.push(node, kind, vec![at], path))
    }

    /// Cuts and pads texts and bytes to the lengths of the sink's columns.
    fn trim_and_pad(&mut self, at: NodeId, physical: &Schema, path: &str) -> Result<NodeId, CallError> {
        let schema = self.plan.nodes[at].schema.clone();
        let mut changed = false;
        let mut projections = Vec::with_capacity(schema.fields.len());
        for (i, (own, wanted)) in schema.fields.iter().zip(&physical.fields).enumerate() {
            let column = build::column(i, own.ty.clone());
            let sized = match wanted.ty.logical {
                LogicalType::Char(_) | LogicalType::Binary(_) => true,
                LogicalType::VarChar(n) | LogicalType::VarBinary(n) => n != DataType::MAX_LENGTH,
                _ => false,
            };
            changed |= sized;
            projections.push(if sized {
                // By way of the longest text: a cast between equal types would change nothing.
                let longest = match own.ty.logical {
                    LogicalType::Binary(_) | LogicalType::VarBinary(_) => LogicalType::VarBinary(DataType::MAX_LENGTH),
                    _ => LogicalType::VarChar(DataType::MAX_LENGTH),
                };
                let long = build::cast(column, &DataType::new(longest), false)?;
                build::cast(long, &wanted.ty, false)?
            } else {
                column
            });
        }
        if !changed {
            return Ok(at);
        }
        let description = "ConstraintEnforcer[LengthEnforcer]".to_string();
        Ok(self.behind(at, NodeKind::Calc { condition: None, projections }, description, &format!("{path}.length")))
    }

    /// A node behind another, of its columns and changes.
    fn behind(&mut self, at: NodeId, kind: NodeKind, description: String, path: &str) -> NodeId {
        let uid = format!("{path}:{}", kind_name(&kind));
        let Node { schema, changelog, upsert_keys, .. } = self.plan.nodes[at].clone();
        let ignore_retraction = Vec::new();
        self.plan.nodes.push(Node {
            kind,
            inputs: vec![at],
            schema,
            changelog,
            upsert_keys,
            uid,
            description,
            ignore_retraction,
            state_ttl: [None, None],
        });
        self.plan.nodes.len() - 1
    }
}

fn ignored(node: &Phys) -> Vec<usize> {
    match &node.kind {
        PhysKind::GroupAggregate { keys, calls, .. } if !node.input().changes.is_insert_only() => {
            (0..calls.len()).filter(|&i| ignores_retraction(&calls[i], keys, node.input())).collect()
        }
        _ => Vec::new(),
    }
}

fn kind_name(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::Source { .. } => "source",
        NodeKind::Values { .. } => "values",
        NodeKind::WatermarkAssigner { .. } => "watermark",
        NodeKind::Calc { .. } => "calc",
        NodeKind::Exchange(_) => "exchange",
        NodeKind::GroupAggregate { .. } => "group-aggregate",
        NodeKind::WindowAggregate { .. } => "window-aggregate",
        NodeKind::WindowTableFunction { .. } => "window",
        NodeKind::TopN { .. } => "top-n",
        NodeKind::WindowTopN { .. } => "window-top-n",
        NodeKind::Deduplicate { .. } => "deduplicate",
        NodeKind::TemporalSort { .. } => "temporal-sort",
        NodeKind::OverAggregate { .. } => "over-aggregate",
        NodeKind::OverNonTime { .. } => "over-non-time",
        NodeKind::Expand { .. } => "expand",
        NodeKind::Correlate { .. } => "correlate",
        NodeKind::PatternMatch(_) => "match",
        NodeKind::LookupJoin { .. } => "lookup-join",
        NodeKind::Union => "union",
        NodeKind::Join { .. } => "join",
        NodeKind::IntervalJoin { .. } => "interval-join",
        NodeKind::WindowJoin { .. } => "window-join",
        NodeKind::TemporalJoin { .. } => "temporal-join",
        NodeKind::ChangelogNormalize { .. } => "normalize",
        NodeKind::DropUpdateBefore => "drop-update-before",
        NodeKind::ConstraintEnforcer { .. } => "enforcer",
        NodeKind::SinkMaterializer { .. } => "materializer",
        NodeKind::Sink { .. } => "sink",
        NodeKind::Collect => "collect",
    }
}

fn watermark_spec(rex: &Rex) -> Result<WatermarkSpec, CallError> {
    match rex.args_of("SOURCE_WATERMARK") {
        Some(_) => Ok(WatermarkSpec::Source),
        None => rex.lower().map(WatermarkSpec::Expression),
    }
}

fn window_spec(window: &Window) -> WindowSpec {
    WindowSpec {
        time_column: window.time_column,
        event_time: window.event_time,
        shape: window.shape.clone(),
        attached: None,
    }
}

fn aggregates(calls: &[AggCall], schema: &Schema, keys: usize) -> Vec<AggregateCall> {
    let call = |(call, field): (&AggCall, &Field)| AggregateCall {
        function: match call.function {
            AggFunction::Sql(function) => function,
            // The CASE above it gives NULL where there was nothing to add, so a sum of NULL does as well as one of 0.
            AggFunction::Sum0 => AggregateFunction::Sum,
        },
        args: call.args.clone(),
        filter: call.filter,
        distinct: call.distinct,
        ty: match call.function {
            AggFunction::Sum0 => call.ty.with_nullable(true),
            AggFunction::Sql(_) => call.ty.clone(),
        },
        name: field.name.clone(),
    };
    calls.iter().zip(&schema.fields[keys..]).map(call).collect()
}

/// The table as the job needs it.
pub fn table_ref(table: &Table) -> TableRef {
    TableRef {
        name: table.name.clone(),
        connector: table.connector.clone(),
        options: table.options.clone(),
        physical: table.physical(),
        primary_key: table.physical_key(),
    }
}
