//! The planner's own physical plan: a tree with changelog traits, from which both the texts of EXPLAIN and the job come.

use std::sync::Arc;

use tidegate_data::{ChangelogMode, RowKind, Schema};

use crate::logical::{AggCall, Bounds, JoinKind, ScanTable, SinkTarget, Versions, Window};
use crate::over::{OverGroup, SortColumn};
use crate::physical::{Distribution, WindowProperty};
use crate::rex::Rex;

/// A physical node.
#[derive(Clone, Debug)]
pub struct Phys {
    /// What it does.
    pub kind: PhysKind,
    /// Where its rows come from.
    pub inputs: Vec<Phys>,
    /// The columns it yields.
    pub schema: Schema,
    /// The changes it yields: which of insert, update and delete.
    pub changes: Changes,
    /// How updates look.
    pub updates: Updates,
}

/// What a physical node does.
#[derive(Clone, Debug)]
pub enum PhysKind {
    /// Reads a table.
    Scan {
        /// The table.
        scan: Arc<ScanTable>,
        /// The row kinds it yields.
        mode: ChangelogMode,
    },
    /// Rows of constants.
    Values(Vec<Vec<Rex>>),
    /// Marks the rowtime and makes watermarks.
    WatermarkAssigner {
        /// The rowtime column.
        rowtime: usize,
        /// The watermark over the input's columns.
        watermark: Rex,
    },
    /// Filters, then computes.
    Calc {
        /// What must be TRUE.
        condition: Option<Rex>,
        /// The output columns.
        projections: Vec<Rex>,
    },
    /// Between subtasks.
    Exchange(Distribution),
    /// GROUP BY.
    GroupAggregate {
        /// The grouping columns.
        keys: Vec<usize>,
        /// The calls.
        calls: Vec<AggCall>,
        /// What a hint says of how long state is kept, in ms.
        ttl: Option<i64>,
    },
    /// GROUP BY a window. Its input is an exchange; EXPLAIN shows a local and a global part around it.
    WindowAggregate {
        /// The window; its time column is one of the input's, or meaningless where `attached`.
        window: Window,
        /// Columns window_start (if there is one) and window_end of an input whose rows carry their window.
        attached: Option<(Option<usize>, usize)>,
        /// The grouping columns besides the window.
        keys: Vec<usize>,
        /// The calls.
        calls: Vec<AggCall>,
        /// The window's columns behind keys and calls.
        properties: Vec<WindowProperty>,
    },
    /// A bare window function.
    WindowTableFunction(Window),
    /// Top-N, and deduplication where it is one row by time.
    Rank {
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
        /// How it follows its input's changes.
        strategy: RankStrategy,
    },
    /// Top-N or deduplication within windows.
    WindowRank(WindowRank),
    /// ORDER BY with LIMIT, or LIMIT alone.
    SortLimit {
        /// ORDER BY; empty for LIMIT alone.
        order: Vec<SortColumn>,
        /// OFFSET.
        offset: u64,
        /// LIMIT.
        fetch: u64,
        /// How it follows its input's changes.
        strategy: RankStrategy,
    },
    /// ORDER BY time.
    TemporalSort(Vec<SortColumn>),
    /// Window functions of one window.
    OverAggregate(OverGroup),
    /// Each row once per grouping set; see the logical plan.
    Expand(Vec<(Vec<Option<usize>>, i64)>),
    /// Each row beside the rows that a table function makes of it.
    Correlate(Box<crate::correlate::Correlate>),
    /// MATCH_RECOGNIZE.
    Match(Box<crate::pattern::Match>),
    /// A lookup join.
    Lookup(Box<crate::lookup::Lookup>),
    /// UNION ALL.
    Union,
    /// A regular, semi, anti or interval join. Its inputs are exchanges.
    Join(Box<PhysJoin>),
    /// Makes a full changelog of an upsert source.
    ChangelogNormalize {
        /// The primary key.
        keys: Vec<usize>,
        /// A filter inside it.
        condition: Option<Rex>,
    },
    /// Drops -U.
    DropUpdateBefore,
    /// Writes to a table, or collects.
    Sink {
        /// The table, or the result of a SELECT.
        target: Arc<SinkTarget>,
        /// What the table's connector takes; `None` takes everything.
        mode: Option<ChangelogMode>,
        /// Whether rows are materialised by key before they are written.
        materialize: bool,
    },
}

/// The rows of some ranks of each window and partition.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowRank {
    /// The window.
    pub window: Window,
    /// The columns window_start and window_end.
    pub bounds: (usize, usize),
    /// PARTITION BY besides the window.
    pub partition: Vec<usize>,
    /// ORDER BY.
    pub order: Vec<SortColumn>,
    /// The first rank, from 1.
    pub start: u64,
    /// The last one.
    pub end: u64,
    /// Whether the rank is the last column.
    pub with_rank: bool,
}

/// How a Top-N follows the changes of its input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RankStrategy {
    /// Not known yet.
    Undefined,
    /// Rows are only added.
    AppendFast,
    /// Rows are updated by this key, and only to higher ranks.
    UpdateFast(Vec<usize>),
    /// Anything.
    Retract,
}

/// A join.
#[derive(Clone, Debug)]
pub struct PhysJoin {
    /// What a hint says of how long the state of each side is kept, in ms.
    pub ttl: [Option<i64>; 2],
    /// Which rows it yields.
    pub kind: JoinKind,
    /// The columns of the left input that have to equal those of the right one.
    pub left_keys: Vec<usize>,
    /// The columns of the right input, one for each of the left.
    pub right_keys: Vec<usize>,
    /// Of each of them, whether NULL equals NULL.
    pub nulls_match: Vec<bool>,
    /// What must be TRUE besides, over the columns of both inputs.
    pub rest: Option<Rex>,
    /// The whole condition, as plans show it.
    pub condition: Rex,
    /// The bounds of an interval join.
    pub interval: Option<Bounds>,
    /// The windows of a window join, of the left and of the right input.
    pub windows: Option<[WindowSide; 2]>,
    /// The time attributes of a temporal join, and the primary key of its right input, as far as the join key holds one.
    pub versions: Option<(Versions, Vec<usize>)>,
}

impl PhysJoin {
    /// Whether time bounds its rows, so that they are final.
    pub fn is_bounded(&self) -> bool {
        self.interval.is_some() || self.windows.is_some()
    }
}

/// The window of an input's rows.
#[derive(Clone, Debug)]
pub struct WindowSide {
    /// Its start's column.
    pub start: usize,
    /// Its end's column.
    pub end: usize,
    /// The window.
    pub window: Window,
}

/// A set of insert, update, delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Changes(u8);

impl Changes {
    /// Inserts.
    pub const INSERT: Changes = Changes(1);
    /// Updates.
    pub const UPDATE: Changes = Changes(2);
    /// Deletes.
    pub const DELETE: Changes = Changes(4);
    /// All of them.
    pub const ALL: Changes = Changes(7);

    /// Those of a changelog mode.
    pub fn of(mode: ChangelogMode) -> Changes {
        let mut changes = Changes::default();
        if mode.contains(RowKind::Insert) {
            changes = changes.with(Changes::INSERT);
        }
        if mode.contains(RowKind::UpdateBefore) || mode.contains(RowKind::UpdateAfter) {
            changes = changes.with(Changes::UPDATE);
        }
        if mode.contains(RowKind::Delete) {
            changes = changes.with(Changes::DELETE);
        }
        changes
    }

    /// Both together.
    #[must_use]
    pub const fn with(self, other: Changes) -> Changes {
        Changes(self.0 | other.0)
    }

    /// What is here and not there.
    #[must_use]
    pub const fn minus(self, other: Changes) -> Changes {
        Changes(self.0 & !other.0)
    }

    /// Whether all of `other` are here.
    pub const fn contains(self, other: Changes) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether there are only inserts.
    pub const fn is_insert_only(self) -> bool {
        self.0 == Changes::INSERT.0
    }

    /// The words of messages: `update and delete`.
    pub fn words(self) -> String {
        let words: Vec<&str> = [(Changes::INSERT, "insert"), (Changes::UPDATE, "update"), (Changes::DELETE, "delete")]
            .into_iter()
            .filter(|(change, _)| self.contains(*change))
            .map(|(_, word)| word)
            .collect();
        words.join(" and ")
    }
}

/// How updates look in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Updates {
    /// There are none.
    #[default]
    None,
    /// Only `+U`.
    After,
    /// `-U` and `+U`.
    Both,
}

impl Phys {
    /// A node whose traits are not known yet.
    pub fn new(kind: PhysKind, inputs: Vec<Phys>, schema: Schema) -> Phys {
        Phys { kind, inputs, schema, changes: Changes::default(), updates: Updates::None }
    }

    /// The input of a node with one.
    pub fn input(&self) -> &Phys {
        &self.inputs[0]
    }

    /// Takes the input out of a node with one.
    pub fn into_input(mut self) -> Phys {
        self.inputs.swap_remove(0)
    }

    /// The names of its columns.
    pub fn names(&self) -> Vec<String> {
        self.schema.fields.iter().map(|field| field.name.clone()).collect()
    }

    /// The row kinds it yields, from its traits.
    pub fn mode(&self) -> ChangelogMode {
        if let PhysKind::Sink { .. } = self.kind {
            return ChangelogMode::NONE;
        }
        let mut mode = ChangelogMode::NONE;
        if self.changes.contains(Changes::INSERT) {
            mode = mode.with(RowKind::Insert);
        }
        if self.changes.contains(Changes::UPDATE) {
            mode = mode.with(RowKind::UpdateAfter);
            if self.updates == Updates::Both {
                mode = mode.with(RowKind::UpdateBefore);
            }
        }
        if self.changes.contains(Changes::DELETE) {
            mode = mode.with(RowKind::Delete);
        }
        mode
    }

    /// An exchange behind this node.
    pub fn exchange(self, distribution: Distribution) -> Phys {
        let schema = self.schema.clone();
        Phys::new(PhysKind::Exchange(distribution), vec![self], schema)
    }

    /// A hash exchange by some columns, or one to a single subtask when there are none.
    pub fn exchange_by(self, keys: &[usize]) -> Phys {
        self.exchange(if keys.is_empty() { Distribution::Single } else { Distribution::Hash(keys.to_vec()) })
    }

    /// The tree with every node, inputs first, replaced by what `f` makes of it.
    #[must_use]
    pub fn transform(mut self, f: &mut dyn FnMut(Phys) -> Phys) -> Phys {
        self.inputs = self.inputs.into_iter().map(|input| input.transform(f)).collect();
        f(self)
    }
}
