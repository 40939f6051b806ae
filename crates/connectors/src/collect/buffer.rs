//! The collected rows of one result: blocks by the number of their first row, and the dynamic table on demand.

use std::cell::RefCell;
use std::collections::BTreeMap;

use tidegate_data::{Chunk, Kinds, RowKind, RowOrigin, Schema, Zone, cell_text};

use super::table::DynamicTable;
use crate::args::SinkArgs;
use crate::options::Options;

/// Rows that are kept at the least, once there were as many.
const KEPT: usize = 1_000_000;
/// So many blocks of fewer rows than this are made into one.
const SMALL: usize = 64;

/// The collected rows of one result. Rows are numbered from 0 in the order of their arrival.
pub struct CollectBuffer {
    pub(super) schema: Schema,
    /// Whose result it is, if it is only looked at.
    pub(super) query: Option<String>,
    /// What comes before each printed row.
    identifier: Option<String>,
    standard_error: bool,
    insert_only: bool,
    step: u64,
    pub(super) blocks: BTreeMap<u64, Block>,
    pub(super) total: u64,
    /// The rows that are no longer kept, as a dynamic table; not for a result that only grows.
    pub(super) base: DynamicTable,
    view: RefCell<Option<View>>,
    /// Blocks from this row on have changed since the last snapshot.
    pub(super) written: u64,
    /// Blocks dropped since the last snapshot that were part of it.
    pub(super) dropped: Vec<u64>,
    kept: usize,
    /// Blocks are dropped as long as so many rows remain.
    pub(super) limit: usize,
}

/// Rows that came together, or that were joined.
pub(super) struct Block {
    pub chunk: Chunk,
    /// Runs of rows of one step: the end of the run, the step.
    pub steps: Vec<(u32, u64)>,
    /// Rows of each kind, in the order of the kinds' byte values.
    pub kinds: [u32; 4],
}

impl Block {
    pub fn new(chunk: Chunk, steps: Vec<(u32, u64)>) -> Block {
        let mut kinds = [0; 4];
        match &chunk.kinds {
            Kinds::Insert => kinds[RowKind::Insert as usize] = chunk.len as u32,
            Kinds::Each(each) => each.iter().for_each(|kind| kinds[*kind as usize] += 1),
        }
        Block { chunk, steps, kinds }
    }

    fn matching(&self, wanted: &[bool; 4]) -> u64 {
        self.kinds.iter().zip(wanted).filter(|(_, wanted)| **wanted).map(|(rows, _)| u64::from(*rows)).sum()
    }

    fn row(&self, first: u64, row: usize, schema: &Schema, zone: Zone) -> CollectedRow {
        let run = self.steps.partition_point(|(end, _)| *end as usize <= row);
        CollectedRow {
            number: first + row as u64,
            step: self.steps.get(run).map_or(0, |(_, step)| *step),
            kind: self.chunk.kind(row),
            values: texts(schema, &self.chunk, row, zone),
            origin: self.chunk.origin(row),
        }
    }
}

/// The dynamic table as of a row.
struct View {
    table: DynamicTable,
    applied: u64,
}

/// A collected row.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectedRow {
    /// Its number, from 0.
    pub number: u64,
    /// The step in which it came (see [`CollectBuffer::set_step`]).
    pub step: u64,
    /// Its kind.
    pub kind: RowKind,
    /// The values as text; `None` is NULL.
    pub values: Vec<Option<String>>,
    /// The input row that caused it, if it was watched.
    pub origin: Option<RowOrigin>,
}

impl CollectBuffer {
    pub(super) fn new(args: &SinkArgs) -> CollectBuffer {
        let options = Options(&args.options);
        // Without -U the rows themselves do not say what they replace: their key does.
        let keyed = !args.mode.contains(RowKind::UpdateBefore) && !args.mode.is_insert_only();
        let key = args.primary_key.clone().filter(|key| keyed && !key.is_empty());
        CollectBuffer {
            schema: args.physical.clone(),
            query: args.options.get(SinkArgs::QUERY).cloned(),
            identifier: options.text("print-identifier").map(str::to_owned),
            standard_error: options.boolean("standard-error", false),
            insert_only: args.mode.is_insert_only(),
            step: 0,
            blocks: BTreeMap::new(),
            total: 0,
            base: DynamicTable::new(&args.physical, key),
            view: RefCell::new(None),
            written: 0,
            dropped: Vec::new(),
            kept: 0,
            limit: KEPT,
        }
    }

    /// The columns.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// `print-identifier`: what Flink prints before each row.
    pub fn identifier(&self) -> Option<&str> {
        self.identifier.as_deref()
    }

    /// `standard-error`.
    pub fn standard_error(&self) -> bool {
        self.standard_error
    }

    /// Says to which step the rows belong that are collected from now on.
    pub fn set_step(&mut self, step: u64) {
        self.step = step;
    }

    /// Rows collected in all.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The number of the oldest row that is kept; [`Self::total`] when there is none.
    pub fn first(&self) -> u64 {
        self.blocks.keys().next().copied().unwrap_or(self.total)
    }

    /// `limit` kept rows from number `from` on, as texts.
    pub fn rows(&self, from: u64, limit: usize, zone: Zone) -> Vec<CollectedRow> {
        let mut rows = Vec::with_capacity(limit.min(self.kept));
        let start = self.blocks.range(..=from).next_back().map_or(0, |(first, _)| *first);
        for (first, block) in self.blocks.range(start..) {
            for row in from.saturating_sub(*first) as usize..block.chunk.len {
                if rows.len() == limit {
                    return rows;
                }
                rows.push(block.row(*first, row, &self.schema, zone));
            }
        }
        rows
    }

    /// The kept rows of each kind, in the order of the kinds' byte values.
    pub fn kinds(&self) -> [u64; 4] {
        let mut all = [0; 4];
        for block in self.blocks.values() {
            all.iter_mut().zip(block.kinds).for_each(|(all, rows)| *all += u64::from(rows));
        }
        all
    }

    /// `limit` kept rows of the kinds wanted, without the first `skip` of these. Whole blocks are passed over by their counts.
    pub fn rows_of(&self, wanted: &[bool; 4], skip: u64, limit: usize, zone: Zone) -> Vec<CollectedRow> {
        let (mut rows, mut skip) = (Vec::new(), skip);
        for (first, block) in &self.blocks {
            let matching = block.matching(wanted);
            if matching <= skip {
                skip -= matching;
                continue;
            }
            for row in (0..block.chunk.len).filter(|row| wanted[block.chunk.kind(*row) as usize]) {
                if rows.len() == limit {
                    return rows;
                }
                match skip {
                    0 => rows.push(block.row(*first, row, &self.schema, zone)),
                    _ => skip -= 1,
                }
            }
        }
        rows
    }

    /// Kept chunks, each with the number of its first row.
    pub fn chunks(&self) -> impl Iterator<Item = (u64, &Chunk)> {
        self.blocks.iter().map(|(first, block)| (*first, &block.chunk))
    }

    /// The number of rows of the dynamic table: what the changelog so far amounts to.
    pub fn table_len(&self) -> usize {
        if self.insert_only { self.total as usize } else { self.with_table(DynamicTable::len) }
    }

    /// `limit` rows of the dynamic table from row `from` on: values as text, and the number of the changelog row that last
    /// changed it. A row keeps its place when it is updated; new ones come last. A result that only grows has no more than
    /// the kept rows: the first of them is row 0.
    pub fn table(&self, from: usize, limit: usize, zone: Zone) -> Vec<(Vec<Option<String>>, u64)> {
        if self.insert_only {
            let rows = self.rows(self.first() + from as u64, limit, zone);
            return rows.into_iter().map(|row| (row.values, row.number)).collect();
        }
        self.with_table(|table| table.page(from, limit, zone))
    }

    /// The dynamic table with all its rows, as one chunk per call of [`Chunk::MAX_ROWS`] rows at the most, for comparisons.
    pub fn table_rows(&self, zone: Zone) -> Vec<Vec<Option<String>>> {
        self.table(0, usize::MAX, zone).into_iter().map(|(values, _)| values).collect()
    }

    fn with_table<T>(&self, f: impl FnOnce(&DynamicTable) -> T) -> T {
        let mut view = self.view.borrow_mut();
        let view = view.get_or_insert_with(|| View { table: self.base.untracked(), applied: self.first() });
        self.catch_up(view);
        f(&view.table)
    }

    fn catch_up(&self, view: &mut View) {
        let start = self.blocks.range(..=view.applied).next_back().map_or(0, |(first, _)| *first);
        for (first, block) in self.blocks.range(start..) {
            let skip = view.applied.saturating_sub(*first) as usize;
            if skip < block.chunk.len {
                view.table.apply(&block.chunk, skip, *first);
                view.applied = first + block.chunk.len as u64;
            }
        }
    }

    /// Takes rows in.
    pub(super) fn push(&mut self, chunk: Chunk) {
        if chunk.len == 0 {
            return;
        }
        let (first, len) = (self.total, chunk.len);
        self.total += len as u64;
        self.kept += len;
        self.blocks.insert(first, Block::new(chunk, vec![(len as u32, self.step)]));
        if len < SMALL {
            self.join_small();
        }
        self.drop_old();
    }

    /// A block of a snapshot.
    pub(super) fn load(&mut self, first: u64, block: Option<Block>) {
        let added = block.as_ref().map_or(0, |block| block.chunk.len);
        self.total = self.total.max(first + added as u64);
        self.written = self.total;
        let old = match block {
            Some(block) => self.blocks.insert(first, block),
            None => self.blocks.remove(&first),
        };
        self.kept = self.kept + added - old.map_or(0, |old| old.chunk.len);
    }

    /// Forgets everything: a new attempt begins.
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.total = 0;
        self.base.clear();
        self.view.take();
        self.written = 0;
        self.dropped.clear();
        self.kept = 0;
    }

    /// Makes many small blocks at the end into one, among those that no snapshot has.
    fn join_small(&mut self) {
        let mut small = Vec::new();
        let mut origins = None;
        for (first, block) in self.blocks.range(self.written..).rev().take(SMALL) {
            let same = *origins.get_or_insert(block.chunk.origins.is_some()) == block.chunk.origins.is_some();
            if block.chunk.len >= SMALL || !same {
                break;
            }
            small.push(*first);
        }
        if small.len() < SMALL {
            return;
        }
        small.reverse();
        let mut chunks = Vec::with_capacity(small.len());
        let mut steps: Vec<(u32, u64)> = Vec::new();
        let mut rows = 0;
        for block in small.iter().filter_map(|first| self.blocks.remove(first)) {
            for (end, step) in block.steps {
                match steps.last_mut() {
                    Some(last) if last.1 == step => last.0 = rows + end,
                    _ => steps.push((rows + end, step)),
                }
            }
            rows += block.chunk.len as u32;
            chunks.push(block.chunk);
        }
        self.blocks.insert(small[0], Block::new(Chunk::concat(&chunks), steps));
    }

    fn drop_old(&mut self) {
        while self.blocks.values().next().is_some_and(|oldest| self.kept - oldest.chunk.len >= self.limit) {
            // What the view has not seen yet must not get lost to it.
            if let Some(mut view) = self.view.take() {
                self.catch_up(&mut view);
                self.view.replace(Some(view));
            }
            let Some((first, block)) = self.blocks.pop_first() else { return };
            self.kept -= block.chunk.len;
            if first < self.written {
                self.dropped.push(first);
            }
            if !self.insert_only {
                self.base.apply(&block.chunk, 0, first);
            }
        }
    }
}

/// The values of a row as texts.
pub(super) fn texts(schema: &Schema, chunk: &Chunk, row: usize, zone: Zone) -> Vec<Option<String>> {
    let columns = chunk.columns.iter().zip(&schema.fields);
    columns.map(|(column, field)| cell_text(column.as_ref(), row, &field.ty, zone)).collect()
}
