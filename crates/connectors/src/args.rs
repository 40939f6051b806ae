//! What the facade hands over for a source or a sink, and the choice of the connector.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use tidegate_data::connector::TableShape;
use tidegate_data::{ChangelogMode, Chunk, ConnectorSpec, Schema};
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::Failure;
use tidegate_runtime::graph::{OperatorFactory, SourceFactory};

use crate::collect::CollectBuffer;

const NO_SUCH_CONNECTOR: Code = Code::new("TG5010");
pub(crate) const NOT_AGAIN: Code = Code::new("TG5012");
const WRONG_DIRECTION: Code = Code::new("TG5011");

/// The watermark interval of a batch, in ms: no time comes before the end, whatever a table's strategy is.
pub const ONLY_AT_THE_END: i64 = 36_500 * 86_400_000;

/// Everything a source is made from. Cheap to clone: each subtask of each attempt is made from it.
#[derive(Clone, Debug)]
pub struct SourceArgs {
    /// The table's name without catalog and database.
    pub table: String,
    /// The value of `'connector'`.
    pub connector: String,
    /// The table's options, hints applied.
    pub options: BTreeMap<String, String>,
    /// The table's physical columns.
    pub physical: Schema,
    /// The primary key, as positions in `physical`.
    pub primary_key: Option<Vec<usize>>,
    /// What the source yields, in order.
    pub columns: Vec<SourceColumn>,
    /// The watermarks that the source itself sends; none when an assigner follows or the table has no event time.
    pub watermark: Option<SourceWatermark>,
    /// `pipeline.auto-watermark-interval` in ms: how often pushed-down watermarks are sent, 0 for after each row, [`ONLY_AT_THE_END`] for a batch.
    pub watermark_interval: i64,
    /// Number of the source in the job graph: the `source` of the rows' origins.
    pub source: u32,
    /// A stable name of the source in its job, such as the plan node's uid.
    pub uid: String,
    /// The job's seed: what `datagen` draws from.
    pub seed: u64,
}

/// How far the splits of a source have been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadTo {
    /// For each split its number, and how many rows (`inline`: items, a log: the next offset).
    pub splits: Vec<(u32, u64)>,
    /// When the rows of a generator began, ms since the epoch.
    pub began: i64,
}

/// A column that a source yields.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceColumn {
    /// A physical column of the table, by position.
    Physical(usize),
    /// A metadata column by the connector's key, delivered in the type of the connector's spec.
    Metadata(String),
}

/// Who makes the watermarks of a source that sends its own.
#[derive(Clone)]
pub enum SourceWatermark {
    /// `SOURCE_WATERMARK()`: those of the source, and no others.
    Explicit,
    /// The table's expression, pushed down (and the source's own ones besides). Evaluated over a chunk of the source's
    /// output columns: milliseconds for each row, `None` where the expression is NULL.
    Expression(Rc<WatermarkFn>),
}

/// Evaluates a watermark expression over a chunk of the source's output.
pub type WatermarkFn = dyn Fn(&Chunk) -> Result<Vec<Option<i64>>, Failure>;

impl fmt::Debug for SourceWatermark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SourceWatermark::Explicit => "Explicit",
            SourceWatermark::Expression(_) => "Expression",
        })
    }
}

/// Everything a sink is made from.
#[derive(Clone, Debug)]
pub struct SinkArgs {
    /// The table's name without catalog and database; for a SELECT any name.
    pub table: String,
    /// The value of `'connector'`; [`SinkArgs::COLLECT`] for the result of a SELECT.
    pub connector: String,
    /// The table's options, hints applied.
    pub options: BTreeMap<String, String>,
    /// The columns that arrive: the table's physical ones, or those of the SELECT.
    pub physical: Schema,
    /// The primary key of the table; for a SELECT an upsert key of the query where there is one.
    pub primary_key: Option<Vec<usize>>,
    /// The row kinds that arrive.
    pub mode: ChangelogMode,
    /// Name of the sink in the outside systems: stable over attempts and resubmissions of the same job, and no two sinks
    /// share it, also not those of two jobs of one script. It is the identity of its transactions, and what a later
    /// writer of the same name finds of it is aborted.
    pub writer: String,
}

impl SinkArgs {
    /// The connector of a SELECT's result, which no table can name.
    pub const COLLECT: &'static str = "[collect]";
    /// The option that tells it whose result it keeps: of another query's state it takes nothing.
    pub const QUERY: &'static str = "[query]";
}

/// A sink, ready for the job graph.
pub struct SinkParts {
    /// Makes the last operator of the chain.
    pub factory: OperatorFactory,
    /// Where the rows can be read that `inline`, `print` and the result of a SELECT keep.
    pub results: Option<Rc<RefCell<CollectBuffer>>>,
    /// What the sink does with rows, for the page.
    pub kind: ResultKind,
    /// Whether it writes in transactions.
    pub transactional: bool,
}

/// Where the rows of a sink end up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultKind {
    /// In a [`CollectBuffer`].
    Collected,
    /// Nowhere.
    Dropped,
    /// In a log: its topic. Read it with [`crate::log`].
    Log(String),
    /// In a table of the table store. Read it with [`crate::table`].
    Table(String),
}

/// Makes the source of a table.
///
/// # Errors
/// When the options do not fit (TG5xxx); the planner has checked them before, so this is the second look.
pub fn source(args: SourceArgs) -> Result<SourceFactory, Diagnostic> {
    let spec = find(&args.connector)?;
    if !spec.source {
        return Err(Diagnostic::error(
            WRONG_DIRECTION,
            format!("Connector '{}' can only be used as a sink.", spec.name),
        )
        .hint("Read another table: 'inline', 'datagen', 'log' and 'table' are sources."));
    }
    check(&spec, &args.options, &args.physical, args.primary_key.as_deref(), false)?;
    match spec.name {
        "datagen" => crate::datagen::source(args),
        "inline" => crate::inline::source(args),
        "nexmark" => crate::nexmark::source(args),
        "table" | "jdbc" => crate::table::source(args),
        _ => crate::log::source(args),
    }
}

/// Makes the source of a table that is read once more, up to where it was read: it ends there. An `inline` table ends where its feeder says.
///
/// # Errors
/// As [`source`], and when the table cannot be read the same way once more.
pub fn source_to(mut args: SourceArgs, to: &ReadTo) -> Result<SourceFactory, Diagnostic> {
    match args.connector.as_str() {
        "inline" => source(args),
        "datagen" => crate::datagen::source_to(args, to),
        "log" | "kafka" | "upsert-kafka" => {
            crate::log::read_to(&mut args.options, to)?;
            source(args)
        }
        other => {
            let message =
                format!("'{}' reads from '{other}', and what that gave then cannot be read again.", args.table);
            Err(Diagnostic::error(NOT_AGAIN, message)
                .hint("Tables of 'inline', 'log', 'kafka' and 'datagen' can be read once more."))
        }
    }
}

/// Makes the sink of a table, or of a SELECT's result.
///
/// # Errors
/// As [`source`].
pub fn sink(args: SinkArgs) -> Result<SinkParts, Diagnostic> {
    if args.connector == SinkArgs::COLLECT {
        return Ok(crate::collect::sink(args));
    }
    let spec = find(&args.connector)?;
    if !spec.sink {
        return Err(Diagnostic::error(
            WRONG_DIRECTION,
            format!("Connector '{}' can only be used as a source.", spec.name),
        )
        .hint("Write into another table: 'inline', 'print', 'log' and 'table' are sinks."));
    }
    check(&spec, &args.options, &args.physical, args.primary_key.as_deref(), true)?;
    match spec.name {
        "inline" | "print" => Ok(crate::collect::sink(args)),
        "blackhole" => Ok(crate::blackhole::sink(args)),
        "table" | "jdbc" => crate::table::sink(args),
        _ => crate::log::sink(args),
    }
}

fn find(connector: &str) -> Result<ConnectorSpec, Diagnostic> {
    let specs = crate::specs();
    let names: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
    let unknown = || {
        let message = format!("Could not find any factory for identifier '{connector}'.");
        Diagnostic::error(NO_SUCH_CONNECTOR, message)
            .hint_opt(tidegate_diag::did_you_mean(connector, names.iter().copied()))
            .hint(format!("Available factory identifiers are: {}.", names.join(", ")))
    };
    specs.into_iter().find(|spec| spec.name == connector).ok_or_else(unknown)
}

fn check(
    spec: &ConnectorSpec,
    options: &BTreeMap<String, String>,
    physical: &Schema,
    primary_key: Option<&[usize]>,
    sink: bool,
) -> Result<(), Diagnostic> {
    let shape = TableShape { options, physical, primary_key, sink };
    match spec.check_table(&shape).into_iter().find(|problem| problem.diagnostic.is_error()) {
        Some(problem) => Err(problem.diagnostic),
        None => Ok(()),
    }
}
