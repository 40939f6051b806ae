//! The physical plan: what the planner hands over. The facade alone turns its nodes into operators.

use std::collections::BTreeMap;

use tidegate_data::{ChangelogMode, DataType, Schema};
use tidegate_expr::{AggregateCall, Expr};

pub use crate::logical::{Bounds, JoinKind};
pub use crate::over::SortColumn;
pub use crate::phys::RankStrategy;
pub use crate::physical_pattern::{PatternExpr, PatternMatch, PatternValue, PatternVariable, SkipTo};

/// Index of a node in [`PhysicalPlan::nodes`].
pub type NodeId = usize;

/// A job's plan: a graph of nodes, inputs before the nodes that read them.
#[derive(Clone, Debug, Default)]
pub struct PhysicalPlan {
    /// The nodes; `nodes[i].inputs` are all below `i`.
    pub nodes: Vec<Node>,
    /// The sinks (several in a statement set).
    pub sinks: Vec<NodeId>,
}

/// One node of the plan.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it does.
    pub kind: NodeKind,
    /// Where its rows come from.
    pub inputs: Vec<NodeId>,
    /// The columns it yields.
    pub schema: Schema,
    /// The row kinds it yields.
    pub changelog: ChangelogMode,
    /// The sets of columns each of which identifies a row of its result (Flink's upsert keys).
    pub upsert_keys: Vec<Vec<usize>>,
    /// A stable name for its state: the same for the same SQL, whatever the parallelism.
    pub uid: String,
    /// Flink's text of the node, as in EXPLAIN, without the changelog mode.
    pub description: String,
    /// Of a group aggregate over an updating input: the calls (MIN, MAX) that ignore retractions, since their argument only
    /// ever shrinks or grows (a MAX over counts). Taking them back would show a value in between that Flink does not show.
    pub ignore_retraction: Vec<usize>,
    /// What a hint `STATE_TTL` says for the state of each input, in ms, 0 for ever; none: `table.exec.state.ttl` does.
    pub state_ttl: [Option<i64>; 2],
}

/// A table as the catalog knows it, as far as the job needs it.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRef {
    /// Its name without catalog and database.
    pub name: String,
    /// The value of `'connector'`.
    pub connector: String,
    /// Its options, as written and checked against the connector's spec (hints applied).
    pub options: BTreeMap<String, String>,
    /// Its physical columns (what the connector reads or writes).
    pub physical: Schema,
    /// The primary key, as positions in `physical`.
    pub primary_key: Option<Vec<usize>>,
}

/// A metadata column that a source has to add behind the physical ones.
#[derive(Clone, Debug, PartialEq)]
pub struct MetadataColumn {
    /// The connector's key.
    pub key: String,
    /// The type it is delivered in.
    pub ty: DataType,
}

/// How a watermark is made.
#[derive(Clone, Debug, PartialEq)]
pub enum WatermarkSpec {
    /// From an expression over the node's input columns, in event-time order, never back.
    Expression(Expr),
    /// `SOURCE_WATERMARK()`: the source sends them.
    Source,
}

/// Time attribute of a window.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowSpec {
    /// The time column of the input (rowtime or proctime).
    pub time_column: usize,
    /// Event time or processing time.
    pub event_time: bool,
    /// The shape.
    pub shape: WindowShape,
    /// Where the input's rows carry their window already (an aggregate over a window aggregate's result): the window is
    /// that of these columns, and `time_column` means nothing. A window is then closed when the watermark reaches the end
    /// that the column holds, as for any other.
    pub attached: Option<WindowAttached>,
}

/// Columns that hold the window of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowAttached {
    /// The column window_start, if there is one.
    pub start: Option<usize>,
    /// The column window_end.
    pub end: usize,
}

/// The shapes of windows; lengths in ms.
#[derive(Clone, Debug, PartialEq)]
pub enum WindowShape {
    /// TUMBLE(size, offset).
    Tumble {
        /// Length of a window.
        size: i64,
        /// Shift against the epoch.
        offset: i64,
    },
    /// HOP(slide, size, offset).
    Hop {
        /// Distance of starts.
        slide: i64,
        /// Length of a window.
        size: i64,
        /// Shift against the epoch.
        offset: i64,
    },
    /// CUMULATE(step, max, offset).
    Cumulate {
        /// Distance of ends.
        step: i64,
        /// Length of the longest.
        max: i64,
        /// Shift against the epoch.
        offset: i64,
    },
    /// SESSION(gap) with partition columns.
    Session {
        /// Gap that ends a session.
        gap: i64,
        /// Partition columns of the input.
        partition: Vec<usize>,
    },
}

impl WindowShape {
    /// The same with its columns moved.
    #[must_use]
    pub fn moved(self, f: &dyn Fn(usize) -> usize) -> WindowShape {
        match self {
            WindowShape::Session { gap, partition } => {
                WindowShape::Session { gap, partition: partition.into_iter().map(f).collect() }
            }
            shape => shape,
        }
    }

    /// The columns that it reads besides the time.
    pub fn partition(&self) -> &[usize] {
        match self {
            WindowShape::Session { partition, .. } => partition,
            _ => &[],
        }
    }
}

/// A column that a window aggregate adds behind keys and aggregates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowProperty {
    /// window_start.
    Start,
    /// window_end.
    End,
    /// window_time: end - 1 ms, a time attribute.
    Time,
}

/// The rows that an aggregate with OVER is over; all end at the current row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverFrame {
    /// ROWS UNBOUNDED PRECEDING
    UnboundedRows,
    /// RANGE UNBOUNDED PRECEDING
    UnboundedRange,
    /// ROWS n PRECEDING
    Rows(u64),
    /// RANGE n PRECEDING, in ms.
    Range(i64),
}

/// How the rows of a join's input are told apart (Flink's `JoinInputSideSpec`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputSpec {
    /// The join key holds a unique key: one row per join key.
    JoinKeyContainsUniqueKey,
    /// By these columns.
    HasUniqueKey(Vec<usize>),
    /// Only as whole rows.
    NoUniqueKey,
}

/// How rows are spread over the subtasks of the next node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// By the key group of these columns.
    Hash(Vec<usize>),
    /// All to one subtask.
    Single,
    /// In turn.
    Rebalance,
}

/// What makes rows of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFunction {
    /// The items of a collection.
    Unnest {
        /// What it is.
        of: Unnested,
        /// Whether the items' number from 1 is the last column.
        ordinality: bool,
    },
    /// The further arguments, as often as the first says.
    Replicate,
}

/// What is unnested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unnested {
    /// An array: its elements; of rows, their fields.
    Array,
    /// A map: keys and values.
    Map,
    /// A multiset: its elements as often as they are in it.
    Multiset,
}

/// What a node does.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// Reads a table: its physical columns that are used, then metadata columns.
    Source {
        /// The table.
        table: TableRef,
        /// The physical columns it yields, as positions in `table.physical`.
        columns: Vec<usize>,
        /// Metadata columns behind them.
        metadata: Vec<MetadataColumn>,
        /// A watermark that the source makes itself (push-down), and its rowtime column (the number of columns where the
        /// rowtime is only computed above); else an assigner node follows.
        watermark: Option<(usize, WatermarkSpec)>,
    },
    /// Rows written in the statement. One source, rows in order, then it ends.
    Values {
        /// The rows.
        rows: Vec<Vec<tidegate_data::Value>>,
    },
    /// Sends watermarks for the rowtime column, after the rows that cause them; fails on a NULL rowtime.
    WatermarkAssigner {
        /// The rowtime column.
        rowtime: usize,
        /// How it is made.
        watermark: WatermarkSpec,
    },
    /// Filters, then computes. Row kinds pass unchanged.
    Calc {
        /// What must be true.
        condition: Option<Expr>,
        /// The output columns, over the input's.
        projections: Vec<Expr>,
    },
    /// Exchange between subtasks.
    Exchange(Distribution),
    /// GROUP BY without windows. Output: keys, then aggregates.
    GroupAggregate {
        /// The grouping columns of the input (none: one global group).
        keys: Vec<usize>,
        /// The aggregates.
        aggregates: Vec<AggregateCall>,
        /// Whether -U rows are wanted downstream.
        emit_update_before: bool,
        /// Whether the input may hold -U and -D.
        retracting_input: bool,
    },
    /// GROUP BY window_start, window_end and keys. Output: keys, aggregates, properties.
    WindowAggregate {
        /// The window.
        window: WindowSpec,
        /// The grouping columns of the input besides the window.
        keys: Vec<usize>,
        /// The aggregates.
        aggregates: Vec<AggregateCall>,
        /// The window's columns.
        properties: Vec<WindowProperty>,
        /// Whether the input may hold -U and -D.
        retracting_input: bool,
    },
    /// The bare window function: input columns, then window_start, window_end, window_time; one row per window.
    WindowTableFunction {
        /// The window.
        window: WindowSpec,
    },
    /// Top-N; ORDER BY with LIMIT; LIMIT (no order). Output: the input's columns, then the rank if it is wanted.
    TopN {
        /// PARTITION BY.
        partition: Vec<usize>,
        /// ORDER BY.
        order: Vec<SortColumn>,
        /// The first rank, from 1.
        start: u64,
        /// The last one.
        end: u64,
        /// Whether the rank is the last column.
        with_rank: bool,
        /// What the input's changes are like.
        strategy: RankStrategy,
        /// Whether -U rows are wanted downstream.
        emit_update_before: bool,
    },
    /// The first rows of each window and partition, when it closes. Output: the input's columns, then the rank if it is wanted.
    WindowTopN {
        /// The column window_end.
        end_column: usize,
        /// Event time or processing time.
        event_time: bool,
        /// PARTITION BY besides the window.
        partition: Vec<usize>,
        /// ORDER BY.
        order: Vec<SortColumn>,
        /// The first rank, from 1.
        start: u64,
        /// The last one.
        end: u64,
        /// Whether the rank is the last column.
        with_rank: bool,
        /// Of equal rows the newer ranks in front (the last row by event time).
        newest_first: bool,
    },
    /// The first or the last row per key, of rows that are only added.
    Deduplicate {
        /// The key.
        keys: Vec<usize>,
        /// The rowtime column; none: by arrival.
        rowtime: Option<usize>,
        /// The last row, not the first.
        keep_last: bool,
        /// Whether -U rows are wanted downstream.
        emit_update_before: bool,
    },
    /// ORDER BY time, then others.
    TemporalSort {
        /// ORDER BY; the first is the time.
        order: Vec<SortColumn>,
    },
    /// Aggregates with OVER, by time. Output: the input's columns, then the results.
    OverAggregate {
        /// PARTITION BY.
        partition: Vec<usize>,
        /// The rowtime column; none: by arrival.
        rowtime: Option<usize>,
        /// The frame.
        frame: OverFrame,
        /// The aggregates, over the input's columns and the constants behind them.
        aggregates: Vec<AggregateCall>,
        /// Constants that the aggregates read.
        constants: Vec<(DataType, tidegate_data::Value)>,
    },
    /// Each row once per grouping set. Output: the input's columns, then the set's number.
    Expand {
        /// Per set: the input column of each column (none: NULL), and the set's number.
        sets: Vec<(Vec<Option<usize>>, i64)>,
    },
    /// Each row beside the rows that a table function makes of it. Output: the input's columns, then the function's.
    Correlate {
        /// The function.
        function: TableFunction,
        /// Its arguments, over the input's columns.
        args: Vec<Expr>,
        /// What must be true of the function's columns.
        condition: Option<Expr>,
        /// Whether rows stay for which there is none, padded with NULLs.
        outer: bool,
    },
    /// MATCH_RECOGNIZE. Output: the partition's columns, then the measures.
    PatternMatch(Box<PatternMatch>),
    /// Aggregates with OVER, not by time. Output: the input's columns, then the results.
    OverNonTime {
        /// PARTITION BY.
        partition: Vec<usize>,
        /// ORDER BY.
        order: Vec<SortColumn>,
        /// ROWS, not RANGE.
        rows: bool,
        /// The aggregates, over the input's columns and the constants behind them.
        aggregates: Vec<AggregateCall>,
        /// Constants that the aggregates read.
        constants: Vec<(DataType, tidegate_data::Value)>,
        /// Whether -U rows are wanted downstream.
        emit_update_before: bool,
    },
    /// UNION ALL.
    Union,
    /// A regular join: rows of both sides in state.
    Join {
        /// Which rows it yields.
        kind: JoinKind,
        /// The join key's columns of the left input.
        left_keys: Vec<usize>,
        /// The join key's columns of the right input.
        right_keys: Vec<usize>,
        /// Of each column of the join key, whether NULL equals NULL.
        nulls_match: Vec<bool>,
        /// What must be true of a pair besides, over the columns of both inputs.
        condition: Option<Expr>,
        /// How the rows of the left and of the right input are told apart.
        unique: [InputSpec; 2],
    },
    /// A join of rows whose times lie close to one another.
    IntervalJoin {
        /// Which rows it yields.
        kind: JoinKind,
        /// The join key's columns of the left input.
        left_keys: Vec<usize>,
        /// The join key's columns of the right input.
        right_keys: Vec<usize>,
        /// The bounds, and the time attributes.
        bounds: Bounds,
        /// What must be true of a pair besides the join key, over the columns of both inputs.
        condition: Option<Expr>,
    },
    /// A join of rows of equal windows.
    WindowJoin {
        /// Which rows it yields.
        kind: JoinKind,
        /// The join key's columns of the left input, besides the window.
        left_keys: Vec<usize>,
        /// The join key's columns of the right input.
        right_keys: Vec<usize>,
        /// Of each column of the join key, whether NULL equals NULL.
        nulls_match: Vec<bool>,
        /// The columns window_end.
        ends: [usize; 2],
        /// Whether the windows' bounds are local times.
        local: bool,
        /// What must be true of a pair besides, over the columns of both inputs.
        condition: Option<Expr>,
    },
    /// A join of each left row with the version of the right side that was valid at its time.
    TemporalJoin {
        /// Inner or left.
        kind: JoinKind,
        /// The join key's columns of the left input.
        left_keys: Vec<usize>,
        /// The join key's columns of the right input.
        right_keys: Vec<usize>,
        /// The time attributes of both.
        times: [usize; 2],
        /// What must be true of a pair besides, over the columns of both inputs.
        condition: Option<Expr>,
    },
    /// Each row beside the rows that a table has for it when it comes. Output: the input's columns, then the table's.
    LookupJoin {
        /// The table.
        table: TableRef,
        /// Pairs of a column of the input and a physical column of the table that has to equal it.
        keys: Vec<(usize, usize)>,
        /// The table's columns, over the physical ones.
        columns: Vec<Expr>,
        /// What must be true of a pair besides, over the columns of both sides.
        condition: Option<Expr>,
        /// Whether rows stay for which there is none, padded with NULLs.
        outer: bool,
    },
    /// Makes a full changelog of an upsert source: last row per key in state.
    ChangelogNormalize {
        /// The primary key columns.
        keys: Vec<usize>,
        /// A filter applied inside it.
        condition: Option<Expr>,
        /// Whether -U rows are wanted downstream.
        emit_update_before: bool,
    },
    /// Drops -U rows.
    DropUpdateBefore,
    /// Fails, or drops rows (by `drop`), when a NOT NULL column holds NULL (`table.exec.sink.not-null-enforcer`).
    ConstraintEnforcer {
        /// The columns that must not be NULL.
        not_null: Vec<usize>,
        /// The names of all columns, as the sink has them.
        names: Vec<String>,
        /// Drop instead of fail.
        drop: bool,
    },
    /// Keeps all rows per sink key and emits the last one (Flink's SinkUpsertMaterializer).
    SinkMaterializer {
        /// The sink's primary key, as input columns.
        keys: Vec<usize>,
        /// The input's upsert key, where it has one.
        input_upsert_key: Option<Vec<usize>>,
    },
    /// Writes to a table.
    Sink {
        /// The table.
        table: TableRef,
        /// What the sink is given.
        mode: ChangelogMode,
    },
    /// The result of a bare SELECT.
    Collect,
}
