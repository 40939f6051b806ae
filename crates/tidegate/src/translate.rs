//! The one place where plan nodes become operators: a physical plan to a job graph.
//!
//! As in Flink, an operator joins the chain of its input when rows come to it from one place, in order, at the same parallelism; an
//! exchange, a union or a shared input begins a new chain. The result of a SELECT and the tables that only people read (`inline`,
//! `print`) are written by one subtask. While somebody watches, what goes into a table or log of the store is also collected for the
//! page, by one subtask beside the sink: beside, not in front, so that the rows have one order and are kept exactly once at any
//! parallelism.

use std::cell::RefCell;
use std::rc::Rc;

use tidegate_connectors::collect::CollectBuffer;
use tidegate_connectors::{ReadTo, ResultKind, SinkArgs, SourceArgs, SourceColumn, SourceWatermark};
use tidegate_data::{Chunk, LogicalType, Schema, Value, Zone};
use tidegate_diag::{Code, Diagnostic};
use tidegate_expr::{EvalContext, Expr};
use tidegate_operators as operators;
use tidegate_plan::physical::{self, Distribution, Node, NodeKind, WatermarkSpec};
use tidegate_plan::{Config, JobPlan};
use tidegate_runtime::graph::{Edge, OperatorFactory, SourceFactory, SourceSpec};
use tidegate_runtime::{Exchange, Failure, JobGraph, Operator, OperatorSpec, Vertex};

use crate::values::values_source;
use crate::{joins, patterns};

const NOT_YET: Code = Code::new("TG4090");

/// A job graph, and where its results can be read.
pub struct Translated {
    /// What the runtime executes.
    pub graph: JobGraph,
    /// One per result of the plan, in its order.
    pub results: Vec<Collected>,
    /// The table that each source reads, by the source's number in rows' origins.
    pub sources: Vec<String>,
}

/// Source and sink of a measurement, in place of the connectors'.
pub struct Harness {
    /// Makes the source of a table.
    pub source: Box<dyn Fn(&SourceArgs) -> SourceFactory>,
    /// Makes the sink of a SELECT.
    pub sink: Box<dyn Fn() -> OperatorFactory>,
}

/// Where the rows of a result are.
pub struct Collected {
    /// Kept for people: `inline`, `print`, SELECT.
    pub buffer: Option<Rc<RefCell<CollectBuffer>>>,
    /// Where the sink writes.
    pub kind: ResultKind,
    /// Whether it does so in transactions.
    pub transactional: bool,
}

/// Where the rows of a plan node come out.
#[derive(Clone)]
enum Place {
    /// At the end of the chain of a vertex.
    Chain(usize),
    /// At several places at once, or over an exchange: what a new vertex has to be connected to.
    Spread(Vec<(usize, Exchange)>),
}

struct Translator<'a> {
    plan: &'a JobPlan,
    /// The job's name in the store, which its sinks' names begin with.
    job: &'a str,
    seed: u64,
    /// Whether somebody watches.
    watched: bool,
    /// Sources, by name, that read once more what was read up to some place.
    read_to: &'a [(String, ReadTo)],
    harness: Option<&'a Harness>,
    zone: Zone,
    parallelism: u32,
    chaining: bool,
    graph: JobGraph,
    places: Vec<Option<Place>>,
    /// How many nodes read a node.
    readers: Vec<usize>,
    results: Vec<(physical::NodeId, Collected)>,
    sources: Vec<String>,
}

/// Turns a plan into a job graph.
///
/// # Errors
/// For what no operator does yet, and for what a connector refuses.
pub fn translate(
    plan: &JobPlan,
    job: &str,
    seed: u64,
    watched: bool,
    read_to: &[(String, ReadTo)],
) -> Result<Translated, Diagnostic> {
    translated(plan, job, seed, watched, read_to, None)
}

/// As [`translate`], with the sources and sinks of a measurement.
///
/// # Errors
/// As [`translate`].
pub fn translate_with(
    plan: &JobPlan,
    job: &str,
    seed: u64,
    watched: bool,
    harness: Option<&Harness>,
) -> Result<Translated, Diagnostic> {
    translated(plan, job, seed, watched, &[], harness)
}

fn translated(
    plan: &JobPlan,
    job: &str,
    seed: u64,
    watched: bool,
    read_to: &[(String, ReadTo)],
    harness: Option<&Harness>,
) -> Result<Translated, Diagnostic> {
    let config = &plan.config;
    let mut readers = vec![0; plan.plan.nodes.len()];
    for node in &plan.plan.nodes {
        for &input in &node.inputs {
            readers[input] += 1;
        }
    }
    let mut translator = Translator {
        plan,
        job,
        seed,
        watched,
        read_to,
        harness,
        zone: Zone::parse(config.time_zone()).unwrap_or(Zone::UTC),
        parallelism: u32::try_from(config.parallelism()).unwrap_or(1).max(1),
        chaining: config.is_true("pipeline.operator-chaining.enabled"),
        graph: JobGraph { name: job.to_owned(), ..JobGraph::default() },
        places: vec![None; plan.plan.nodes.len()],
        readers,
        results: Vec::new(),
        sources: Vec::new(),
    };
    for (id, node) in plan.plan.nodes.iter().enumerate() {
        let place = translator.node(id, node)?;
        translator.places[id] = Some(place);
    }
    let Translator { graph, results: mut found, sources, .. } = translator;
    let mut results = Vec::new();
    for target in &plan.results {
        let position = found.iter().position(|(node, _)| *node == target.node);
        results.push(
            position.map(|position| found.swap_remove(position).1).ok_or_else(|| not_yet("a plan without its sink"))?,
        );
    }
    Ok(Translated { graph, results, sources })
}

impl Translator<'_> {
    fn config(&self) -> &Config {
        &self.plan.config
    }

    fn millis(&self, key: &str) -> i64 {
        self.config().millis(key).unwrap_or(0)
    }

    /// How long a node's state of one of its inputs is kept, in ms; 0: for ever.
    fn ttl(&self, node: &Node, input: usize) -> i64 {
        node.state_ttl[input].unwrap_or_else(|| self.millis("table.exec.state.ttl"))
    }

    fn input_schema(&self, node: &Node) -> Schema {
        node.inputs.first().map_or_else(Schema::default, |&input| self.plan.plan.nodes[input].schema.clone())
    }

    fn node(&mut self, id: physical::NodeId, node: &Node) -> Result<Place, Diagnostic> {
        let (input, zone) = (self.input_schema(node), self.zone);
        let (description, uid) = (node.description.clone(), node.uid.clone());
        match &node.kind {
            NodeKind::Source { table, columns, metadata, watermark } => {
                let yielded = columns.iter().map(|&column| SourceColumn::Physical(column));
                let more = metadata.iter().map(|column| SourceColumn::Metadata(column.key.clone()));
                let args = SourceArgs {
                    table: table.name.clone(),
                    connector: table.connector.clone(),
                    options: table.options.clone(),
                    physical: table.physical.clone(),
                    primary_key: table.primary_key.clone(),
                    columns: yielded.chain(more).collect(),
                    watermark: watermark.as_ref().map(|(column, spec)| source_watermark(*column, spec, zone)),
                    watermark_interval: self.millis("pipeline.auto-watermark-interval"),
                    source: self.sources.len() as u32,
                    uid: uid.clone(),
                    seed: self.seed,
                };
                let factory = match self.harness {
                    Some(harness) => (harness.source)(&args),
                    None => match self.read_to.iter().find(|(of, _)| *of == uid) {
                        Some((_, to)) => tidegate_connectors::source_to(args, to)?,
                        None => tidegate_connectors::source(args)?,
                    },
                };
                Ok(self.source(&table.name, uid, factory, self.parallelism))
            }
            NodeKind::Values { rows } => {
                let source = self.sources.len() as u32;
                let factory = values_source(&node.schema, rows, source)?;
                Ok(self.source("Values", uid, factory, 1))
            }
            NodeKind::WatermarkAssigner { rowtime, watermark } => {
                let spec = operators::WatermarkAssignerSpec {
                    input,
                    rowtime: *rowtime,
                    watermark: match watermark {
                        WatermarkSpec::Expression(expr) => Some(expr.clone()),
                        WatermarkSpec::Source => None,
                    },
                    interval: self.millis("pipeline.auto-watermark-interval"),
                    idle_timeout: self.millis("table.exec.source.idle-timeout"),
                    zone,
                };
                let factory = make(move || operators::WatermarkAssigner::new(spec.clone()));
                Ok(self.operator(node, "WatermarkAssigner", description, factory))
            }
            NodeKind::Calc { condition, projections } => {
                let (condition, projections) = (condition.clone(), projections.clone());
                let spec = operators::CalcSpec { input, condition, projections, zone };
                let factory = make(move || operators::Calc::new(spec.clone()));
                Ok(self.operator(node, "Calc", description, factory))
            }
            NodeKind::Exchange(distribution) => {
                let exchange = match distribution {
                    Distribution::Hash(keys) => Exchange::Hash(keys.clone()),
                    Distribution::Single | Distribution::Rebalance => Exchange::Rebalance,
                };
                let from =
                    self.outputs(node.inputs[0]).into_iter().map(|(vertex, _)| (vertex, exchange.clone())).collect();
                Ok(Place::Spread(from))
            }
            NodeKind::GroupAggregate { keys, aggregates, emit_update_before, retracting_input } => {
                let spec = operators::GroupAggregateSpec {
                    input,
                    keys: keys.clone(),
                    aggregates: aggregates.clone(),
                    emit_update_before: *emit_update_before,
                    retracting_input: *retracting_input,
                    state_ttl: self.ttl(node, 0),
                };
                let factory = make(move || operators::GroupAggregate::new(spec.clone()));
                Ok(self.operator(node, "GroupAggregate", description, factory))
            }
            NodeKind::WindowAggregate { window, keys, aggregates, properties, retracting_input } => {
                let properties = properties.iter().map(|property| match property {
                    physical::WindowProperty::Start => operators::WindowProperty::Start,
                    physical::WindowProperty::End => operators::WindowProperty::End,
                    physical::WindowProperty::Time => operators::WindowProperty::Time,
                });
                if let (physical::WindowShape::Session { gap, .. }, None) = (&window.shape, window.attached) {
                    let spec = operators::SessionWindowAggregateSpec {
                        input,
                        time_column: window.time_column,
                        event_time: window.event_time,
                        gap: *gap,
                        keys: keys.clone(),
                        aggregates: aggregates.clone(),
                        properties: properties.collect(),
                        retracting_input: *retracting_input,
                        zone,
                    };
                    let factory = make(move || operators::SessionWindowAggregate::new(spec.clone()));
                    return Ok(self.operator(node, "WindowAggregate", description, factory));
                }
                let spec = operators::WindowAggregateSpec {
                    input,
                    time_column: window.time_column,
                    event_time: window.event_time,
                    shape: window_shape(window)?,
                    end_column: window.attached.map(|attached| attached.end),
                    keys: keys.clone(),
                    aggregates: aggregates.clone(),
                    properties: properties.collect(),
                    output: node.schema.clone(),
                    retracting_input: *retracting_input,
                    zone,
                };
                let factory = make(move || operators::WindowAggregate::new(spec.clone()));
                Ok(self.operator(node, "WindowAggregate", description, factory))
            }
            NodeKind::WindowTableFunction { window } => {
                if let physical::WindowShape::Session { gap, partition } = &window.shape {
                    let spec = operators::SessionWindowFunctionSpec {
                        input,
                        output: node.schema.clone(),
                        time_column: window.time_column,
                        event_time: window.event_time,
                        gap: *gap,
                        keys: partition.clone(),
                        zone,
                    };
                    let factory = make(move || operators::SessionWindowFunction::new(spec.clone()));
                    return Ok(self.operator(node, "WindowTableFunction", description, factory));
                }
                let spec = operators::WindowTableFunctionSpec {
                    input,
                    output: node.schema.clone(),
                    time_column: window.time_column,
                    shape: window_shape(window)?,
                    zone,
                };
                let factory = make(move || operators::WindowTableFunction::new(spec.clone()));
                Ok(self.operator(node, "WindowTableFunction", description, factory))
            }
            NodeKind::TopN { partition, order, start, end, with_rank, strategy, emit_update_before } => {
                let spec = operators::TopNSpec {
                    input,
                    output: node.schema.clone(),
                    partition: partition.clone(),
                    order: sort_columns(order),
                    start: *start,
                    end: *end,
                    with_rank: *with_rank,
                    strategy: match strategy {
                        physical::RankStrategy::AppendFast => operators::TopNStrategy::Append,
                        physical::RankStrategy::UpdateFast(key) => operators::TopNStrategy::Update(key.clone()),
                        _ => operators::TopNStrategy::Retract,
                    },
                    emit_update_before: *emit_update_before,
                    state_ttl: self.ttl(node, 0),
                };
                let factory = make(move || operators::TopN::new(spec.clone()));
                Ok(self.operator(node, "TopN", description, factory))
            }
            NodeKind::Deduplicate { keys, rowtime, keep_last, emit_update_before } => {
                let spec = operators::DeduplicateSpec {
                    input,
                    keys: keys.clone(),
                    rowtime: *rowtime,
                    keep_last: *keep_last,
                    emit_update_before: *emit_update_before,
                    state_ttl: self.ttl(node, 0),
                };
                let factory = make(move || operators::Deduplicate::new(spec.clone()));
                Ok(self.operator(node, "Deduplicate", description, factory))
            }
            NodeKind::TemporalSort { order } => {
                if order.first().is_none_or(|key| !input.fields[key.column].ty.is_rowtime()) {
                    // By processing time rows are in order as they come.
                    return Ok(Place::Spread(self.outputs(node.inputs[0])));
                }
                let spec = operators::TemporalSortSpec { input, order: sort_columns(order) };
                let factory = make(move || operators::TemporalSort::new(spec.clone()));
                Ok(self.operator(node, "TemporalSort", description, factory))
            }
            NodeKind::OverAggregate { partition, rowtime, frame, aggregates, constants } => {
                let spec = operators::OverAggregateSpec {
                    input,
                    output: node.schema.clone(),
                    partition: partition.clone(),
                    rowtime: *rowtime,
                    frame: match *frame {
                        physical::OverFrame::UnboundedRows => operators::OverFrame::UnboundedRows,
                        physical::OverFrame::UnboundedRange => operators::OverFrame::UnboundedRange,
                        physical::OverFrame::Rows(preceding) => operators::OverFrame::Rows(preceding),
                        physical::OverFrame::Range(millis) => operators::OverFrame::Range(millis),
                    },
                    aggregates: aggregates.clone(),
                    constants: constants.clone(),
                    state_ttl: self.ttl(node, 0),
                };
                let factory = make(move || operators::OverAggregate::new(spec.clone()));
                Ok(self.operator(node, "OverAggregate", description, factory))
            }
            NodeKind::OverNonTime { partition, order, rows, aggregates, constants, emit_update_before } => {
                let spec = operators::OverNonTimeSpec {
                    input,
                    output: node.schema.clone(),
                    partition: partition.clone(),
                    order: sort_columns(order),
                    rows: *rows,
                    aggregates: aggregates.clone(),
                    constants: constants.clone(),
                    emit_update_before: *emit_update_before,
                    state_ttl: self.ttl(node, 0),
                };
                let factory = make(move || operators::OverNonTime::new(spec.clone()));
                Ok(self.operator(node, "OverAggregate", description, factory))
            }
            NodeKind::WindowTopN { end_column, event_time, partition, order, start, end, with_rank, newest_first } => {
                let spec = operators::WindowTopNSpec {
                    input,
                    output: node.schema.clone(),
                    end_column: *end_column,
                    event_time: *event_time,
                    partition: partition.clone(),
                    order: sort_columns(order),
                    start: *start,
                    end: *end,
                    with_rank: *with_rank,
                    newest_first: *newest_first,
                    zone,
                };
                let factory = make(move || operators::WindowTopN::new(spec.clone()));
                Ok(self.operator(node, "WindowTopN", description, factory))
            }
            NodeKind::Expand { sets } => {
                let spec = operators::ExpandSpec { sets: sets.clone() };
                let factory = make(move || operators::Expand::new(spec.clone()));
                Ok(self.operator(node, "Expand", description, factory))
            }
            NodeKind::LookupJoin { .. } => {
                let factory = joins::lookup(&node.kind, self.zone)?;
                Ok(self.operator(node, "LookupJoin", description, factory))
            }
            NodeKind::PatternMatch(pattern) => {
                let factory = patterns::pattern(pattern, input, node.schema.clone(), zone);
                Ok(self.operator(node, "Match", description, factory))
            }
            NodeKind::Correlate { .. } => {
                let factory = joins::correlate(&node.kind, self.zone)?;
                Ok(self.operator(node, "Correlate", description, factory))
            }
            NodeKind::Union => {
                let from = node.inputs.iter().flat_map(|&input| self.outputs(input)).collect();
                Ok(Place::Spread(from))
            }
            NodeKind::Join { .. }
            | NodeKind::IntervalJoin { .. }
            | NodeKind::WindowJoin { .. }
            | NodeKind::TemporalJoin { .. } => {
                let inputs = [0, 1].map(|i| self.plan.plan.nodes[node.inputs[i]].schema.clone());
                let factory =
                    joins::join(&node.kind, inputs, [self.ttl(node, 0), self.ttl(node, 1)], self.config(), self.zone)?;
                Ok(self.operator(node, joins::name(&node.kind), description, factory))
            }
            NodeKind::ChangelogNormalize { keys, condition, emit_update_before } => {
                let spec = operators::ChangelogNormalizeSpec {
                    input,
                    keys: keys.clone(),
                    condition: condition.clone(),
                    emit_update_before: *emit_update_before,
                    state_ttl: self.ttl(node, 0),
                    zone,
                };
                let factory = make(move || operators::ChangelogNormalize::new(spec.clone()));
                Ok(self.operator(node, "ChangelogNormalize", description, factory))
            }
            NodeKind::DropUpdateBefore => {
                let factory = make(operators::DropUpdateBefore::new);
                Ok(self.operator(node, "DropUpdateBefore", description, factory))
            }
            NodeKind::ConstraintEnforcer { not_null, names, drop } => {
                let mut input = input;
                for (field, name) in input.fields.iter_mut().zip(names) {
                    field.name.clone_from(name);
                }
                let spec = operators::ConstraintEnforcerSpec {
                    input,
                    not_null: not_null.clone(),
                    drop: *drop,
                    lengths: match self.config().get("table.exec.sink.type-length-enforcer") {
                        Some(word) if word.eq_ignore_ascii_case("TRIM_PAD") => operators::LengthRule::TrimPad,
                        Some(word) if word.eq_ignore_ascii_case("ERROR") => operators::LengthRule::Throw,
                        _ => operators::LengthRule::Ignore,
                    },
                };
                let factory = make(move || operators::ConstraintEnforcer::new(spec.clone()));
                Ok(self.operator(node, "ConstraintEnforcer", description, factory))
            }
            NodeKind::SinkMaterializer { keys, input_upsert_key } => {
                let spec = operators::SinkMaterializerSpec {
                    input,
                    keys: keys.clone(),
                    input_upsert_key: input_upsert_key.clone(),
                    state_ttl: self.ttl(node, 0),
                };
                let factory = make(move || operators::SinkMaterializer::new(spec.clone()));
                Ok(self.operator(node, "SinkMaterializer", description, factory))
            }
            NodeKind::Sink { table, mode } => {
                let args = SinkArgs {
                    table: table.name.clone(),
                    connector: table.connector.clone(),
                    options: table.options.clone(),
                    physical: table.physical.clone(),
                    primary_key: table.primary_key.clone(),
                    mode: *mode,
                    writer: format!("{}/{uid}", self.job),
                };
                self.sink(id, node, &format!("Sink: {}", table.name), args)
            }
            NodeKind::Collect => {
                let args = SinkArgs {
                    table: "select".into(),
                    connector: SinkArgs::COLLECT.into(),
                    options: self.looked_at(),
                    physical: input,
                    primary_key: self.plan.plan.nodes[node.inputs[0]].upsert_keys.first().cloned(),
                    mode: self.plan.plan.nodes[node.inputs[0]].changelog,
                    writer: format!("{}/{uid}", self.job),
                };
                self.sink(id, node, "Sink: Collect", args)
            }
        }
    }

    fn source(&mut self, table: &str, uid: String, factory: SourceFactory, parallelism: u32) -> Place {
        let name = format!("Source: {table}");
        self.sources.push(table.to_owned());
        let source = SourceSpec { uid, name: name.clone(), table: table.to_owned(), factory };
        self.graph.vertices.push(Vertex { name, parallelism, source: Some(source), operators: Vec::new() });
        Place::Chain(self.graph.vertices.len() - 1)
    }

    /// Where the rows of a node come out, for a vertex that is to read them.
    fn outputs(&self, node: physical::NodeId) -> Vec<(usize, Exchange)> {
        match &self.places[node] {
            Some(Place::Chain(vertex)) => vec![(*vertex, Exchange::Forward)],
            Some(Place::Spread(from)) => from.clone(),
            None => Vec::new(),
        }
    }

    /// Puts an operator at the end of its input's chain, or into a vertex of its own.
    fn operator(&mut self, node: &Node, name: &str, description: String, factory: OperatorFactory) -> Place {
        let single = match &self.plan.plan.nodes[node.inputs[0]].kind {
            NodeKind::Exchange(distribution) => match distribution {
                Distribution::Single => true,
                Distribution::Hash(keys) => keys.is_empty(),
                Distribution::Rebalance => false,
            },
            _ => false,
        };
        let parallelism = if single { Some(1) } else { None };
        self.place(node, name, node.uid.clone(), description, factory, parallelism)
    }

    fn sink(&mut self, id: physical::NodeId, node: &Node, name: &str, args: SinkArgs) -> Result<Place, Diagnostic> {
        let mut parts = tidegate_connectors::sink(args.clone())?;
        if let Some(harness) = self.harness {
            parts.factory = (harness.sink)();
        }
        let parallelism = (parts.kind == ResultKind::Collected).then_some(1);
        let watched = self.watched && matches!(parts.kind, ResultKind::Log(_) | ResultKind::Table(_));
        if watched {
            // With two readers, neither joins the chain of the input.
            self.readers[node.inputs[0]] += 1;
        }
        let place = self.place(node, name, node.uid.clone(), node.description.clone(), parts.factory, parallelism);
        if watched {
            parts.results = self.watch(node, args)?;
        }
        self.results
            .push((id, Collected { buffer: parts.results, kind: parts.kind, transactional: parts.transactional }));
        Ok(place)
    }

    /// What a sink that collects is told: a hash of the plan.
    fn looked_at(&self) -> std::collections::BTreeMap<String, String> {
        let hash = tidegate_data::keys::hash::hash_bytes(self.plan.shown.join("\n").as_bytes());
        std::collections::BTreeMap::from([(SinkArgs::QUERY.to_owned(), format!("{hash:016x}"))])
    }

    /// A second reader of a sink's input, which keeps the rows for people.
    fn watch(&mut self, node: &Node, sink: SinkArgs) -> Result<Option<Rc<RefCell<CollectBuffer>>>, Diagnostic> {
        let name = format!("Watch: {}", sink.table);
        let description = format!("Watch(table=[{}])", sink.table);
        let args = SinkArgs { connector: SinkArgs::COLLECT.into(), options: self.looked_at(), ..sink };
        let parts = tidegate_connectors::sink(args)?;
        self.place(node, &name, format!("{}-watch", node.uid), description, parts.factory, Some(1));
        Ok(parts.results)
    }

    fn place(
        &mut self,
        node: &Node,
        name: &str,
        uid: String,
        description: String,
        factory: OperatorFactory,
        parallelism: Option<u32>,
    ) -> Place {
        let spec = OperatorSpec { uid, name: name.to_owned(), description, factory };
        let input = node.inputs[0];
        if let (1, Some(Place::Chain(vertex)), 1, true) =
            (node.inputs.len(), &self.places[input], self.readers[input], self.chaining)
        {
            let vertex = *vertex;
            let chain = &mut self.graph.vertices[vertex];
            if parallelism.is_none_or(|wanted| wanted == chain.parallelism) {
                chain.name = format!("{} -> {name}", chain.name);
                chain.operators.push(spec);
                return Place::Chain(vertex);
            }
        }
        let several = node.inputs.iter().enumerate();
        let from: Vec<(usize, usize, Exchange)> = several
            .flat_map(|(i, &input)| {
                self.outputs(input).into_iter().map(move |(vertex, exchange)| (i, vertex, exchange))
            })
            .collect();
        let keyed = from.iter().any(|(.., exchange)| matches!(exchange, Exchange::Hash(_)));
        let widest = from.iter().map(|(_, vertex, _)| self.graph.vertices[*vertex].parallelism).max().unwrap_or(1);
        let parallelism = parallelism.unwrap_or(if keyed { self.parallelism } else { widest });
        let to = self.graph.vertices.len();
        self.graph.vertices.push(Vertex { name: name.to_owned(), parallelism, source: None, operators: vec![spec] });
        for (input, from, exchange) in from {
            let equal = self.graph.vertices[from].parallelism == parallelism;
            let exchange = if exchange == Exchange::Forward && !equal { Exchange::Rebalance } else { exchange };
            self.graph.edges.push(Edge { from, to, input, exchange });
        }
        Place::Chain(to)
    }
}

pub(crate) fn make<O: Operator + 'static>(new: impl Fn() -> O + 'static) -> OperatorFactory {
    Box::new(move |_| Box::new(new()))
}

pub(crate) fn sort_columns(order: &[physical::SortColumn]) -> Vec<operators::SortColumn> {
    let column = |key: &physical::SortColumn| operators::SortColumn {
        column: key.column,
        descending: key.descending,
        nulls_first: key.nulls_first,
    };
    order.iter().map(column).collect()
}

fn window_shape(window: &physical::WindowSpec) -> Result<operators::WindowShape, Diagnostic> {
    Ok(match &window.shape {
        physical::WindowShape::Tumble { size, offset } => {
            operators::WindowShape::Tumble { size: *size, offset: *offset }
        }
        physical::WindowShape::Hop { slide, size, offset } => {
            operators::WindowShape::Hop { slide: *slide, size: *size, offset: *offset }
        }
        physical::WindowShape::Cumulate { step, max, offset } => {
            operators::WindowShape::Cumulate { step: *step, max: *max, offset: *offset }
        }
        physical::WindowShape::Session { .. } => return Err(not_yet("A SESSION window")),
    })
}

pub(crate) fn not_yet(what: &str) -> Diagnostic {
    Diagnostic::error(NOT_YET, format!("{what} is not supported yet."))
}

/// A watermark that the source makes: its own ones, or those of the expression.
fn source_watermark(column: usize, spec: &WatermarkSpec, zone: Zone) -> SourceWatermark {
    let _ = column;
    match spec {
        WatermarkSpec::Source => SourceWatermark::Explicit,
        WatermarkSpec::Expression(expr) => {
            let expr = expr.clone();
            SourceWatermark::Expression(Rc::new(move |chunk| watermarks(&expr, chunk, zone)))
        }
    }
}

/// The watermark of each row of `chunk`, in ms.
fn watermarks(expr: &Expr, chunk: &Chunk, zone: Zone) -> Result<Vec<Option<i64>>, Failure> {
    let cx = EvalContext { zone, ..EvalContext::default() };
    let array = expr.eval(chunk, &cx).map_err(|error| Failure { diagnostic: error.diagnostic })?;
    let per_ms = match expr.ty.logical {
        LogicalType::Timestamp(precision, _) | LogicalType::TimestampLtz(precision, _) => {
            (tidegate_data::arrow::units_per_second(precision) / 1000).max(1)
        }
        _ => 1,
    };
    let instant = |row| match tidegate_data::value_at(&*array, row, &expr.ty) {
        Value::Int(units) => Some(units.div_euclid(per_ms)),
        _ => None,
    };
    Ok((0..chunk.len).map(instant).collect())
}
