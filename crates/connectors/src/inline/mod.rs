//! `'connector' = 'inline'`: a table whose rows are fed in by hand or by a case.
//!
//! Explicit watermarks count when the table declares `WATERMARK FOR … AS SOURCE_WATERMARK()`, or when its expression is
//! pushed down (`'watermark.push-down' = 'true'`), then on top of the expression's. As a sink, see [`crate::collect`].

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use tidegate_data::connector::{MAX_PARTITIONS, OptionProblem, OptionSpec, OptionType, TableShape, parse_boolean};
use tidegate_data::{
    ChangelogMode, Chunk, ConnectorSpec, DataType, Kinds, Origins, RowKind, RowOrigin, Value, build_column,
};
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::graph::SourceFactory;
use tidegate_runtime::operator::{Polled, SplitRead};
use tidegate_runtime::state::StateVisitor;
use tidegate_runtime::{Context, Failure, FeedItem, Outcome, Progress, Source};

use crate::args::{SourceArgs, SourceColumn};
use crate::options::{Options, find};
use crate::positions::{Positions, number};
use crate::splits::{Mark, Watermarks};

const BAD_MODE: Code = Code::new("TG5020");
const BAD_ROW: Code = Code::new("TG5021");

/// What it can do.
pub(crate) fn spec() -> ConnectorSpec {
    ConnectorSpec {
        options: vec![
            OptionSpec::with_default(
                "changelog-mode",
                OptionType::Text,
                "I",
                "The row kinds of the rows fed in: I, or I,UB,UA,D, or I,UA,D with a primary key.",
            ),
            OptionSpec::optional(
                "sink.changelog-mode",
                OptionType::Text,
                "The row kinds that the table takes as a sink; without it, whatever the query yields.",
            ),
            OptionSpec::with_default(
                "watermark.push-down",
                OptionType::Boolean,
                "false",
                "Whether the source itself makes the watermarks of the table's expression.",
            ),
            OptionSpec::with_default(
                "partitions",
                OptionType::Between(1, MAX_PARTITIONS),
                "1",
                "Splits of the table, spread over the subtasks.",
            ),
            OptionSpec::with_default(
                "scan.watermark.emit.strategy",
                OptionType::Enum(&["on-periodic", "on-event"]),
                "on-periodic",
                "When a pushed-down watermark is sent.",
            ),
        ],
        source: true,
        sink: true,
        source_mode: |options, _| {
            find(options, "changelog-mode").and_then(parse_mode).unwrap_or(ChangelogMode::INSERT_ONLY)
        },
        sink_mode: |options, _| find(options, "sink.changelog-mode").and_then(parse_mode),
        watermark_push_down: |options| find(options, "watermark.push-down").and_then(parse_boolean).unwrap_or(false),
        rules,
        ..ConnectorSpec::new("inline")
    }
}

fn parse_mode(text: &str) -> Option<ChangelogMode> {
    ChangelogMode::parse(&text.to_uppercase())
}

fn rules(table: &TableShape<'_>) -> Vec<OptionProblem> {
    let mut problems = Vec::new();
    for key in ["changelog-mode", "sink.changelog-mode"] {
        if let Some(text) = table.options.get(key)
            && parse_mode(text).is_none()
        {
            let message = format!("Invalid value '{text}' for option '{key}': I, UB, UA, D expected.");
            problems
                .push(OptionProblem::at(key, Diagnostic::error(BAD_MODE, message).hint("An example: 'I,UB,UA,D'.")));
        }
    }
    problems
}

/// Makes the source.
pub(crate) fn source(args: SourceArgs) -> Result<SourceFactory, Diagnostic> {
    let partitions = Options(&args.options).int("partitions").map_or(1, |n| n.clamp(1, MAX_PARTITIONS) as u32);
    let columns = args.columns.iter().filter_map(|column| match column {
        SourceColumn::Physical(position) => Some((*position, args.physical.fields[*position].ty.clone())),
        SourceColumn::Metadata(_) => None,
    });
    let columns: Rc<[(usize, DataType)]> = columns.collect();
    Ok(Box::new(move |subtask| {
        let mine = (0..partitions).filter(|split| split % subtask.parallelism.max(1) == subtask.index);
        let splits: Vec<Split> = mine.map(Split::new).collect();
        let mut watermarks = Watermarks::new(&args);
        splits.iter().for_each(|split| watermarks.set(split.number, Mark::default()));
        Box::new(Inline {
            columns: columns.clone(),
            width: args.physical.fields.len(),
            source: args.source,
            partitions,
            splits,
            next: 0,
            watermarks,
            positions: Positions::new("position: split -> items passed, watermark, idle, ended", |split, position| {
                (format!("split {}", number(split, 0)), format!("{} items", number(position, 0)))
            }),
        })
    }))
}

struct Split {
    number: u32,
    /// How many items have been passed: the number of the first one in `items`.
    passed: u64,
    items: VecDeque<FeedItem>,
}

impl Split {
    fn new(number: u32) -> Split {
        Split { number, passed: 0, items: VecDeque::new() }
    }

    fn key(&self) -> [u8; 8] {
        u64::from(self.number).to_be_bytes()
    }

    fn pass(&mut self, items: usize) {
        self.items.drain(..items);
        self.passed += items as u64;
    }
}

/// The source. State: `position`, for each split how many items have been passed, and what it says about time; never
/// cleared. What was fed before a restore is fed again from the beginning, and passed over. An origin's offset is the
/// number of the item among all that were fed to the split, from 0.
struct Inline {
    columns: Rc<[(usize, DataType)]>,
    width: usize,
    source: u32,
    partitions: u32,
    splits: Vec<Split>,
    /// The split whose turn it is.
    next: usize,
    watermarks: Watermarks,
    positions: Positions,
}

impl Inline {
    fn save(&mut self, i: usize) {
        let split = &self.splits[i];
        let mark = self.watermarks.get(split.number);
        let mut value = split.passed.to_be_bytes().to_vec();
        value.extend(mark.watermark.to_be_bytes());
        value.extend([u8::from(mark.idle), u8::from(mark.ended)]);
        self.positions.put(&split.key(), &value);
    }

    fn rows(&mut self, i: usize, limit: usize, cx: &mut dyn Context) -> Result<(), Failure> {
        let split = &self.splits[i];
        let rows = split.items.iter().take(self.watermarks.limit(limit)).map_while(|item| match item {
            FeedItem::Row(kind, values) => Some((*kind, values)),
            _ => None,
        });
        let (kinds, rows): (Vec<RowKind>, Vec<&Vec<Value>>) = rows.unzip();
        if rows.iter().any(|row| row.len() != self.width) {
            let message =
                format!("A row fed in has another number of values than the table has columns ({}).", self.width);
            return Err(Failure { diagnostic: Diagnostic::error(BAD_ROW, message) });
        }
        let columns = self.columns.iter().map(|(position, ty)| {
            build_column(ty, rows.iter().map(|row| &row[*position])).map_err(|error| Failure {
                diagnostic: Diagnostic::error(BAD_ROW, format!("A row fed in does not fit the table: {error}.")),
            })
        });
        let len = kinds.len();
        let kinds = Kinds::from(kinds);
        let mut chunk = Chunk { columns: columns.collect::<Result<_, _>>()?, kinds, len, origins: None };
        if cx.watched() {
            let mut origins = Origins::default();
            for row in 0..len {
                let offset = split.passed + row as u64;
                origins.push(row as u32 + 1, RowOrigin { source: self.source, split: split.number, offset });
            }
            chunk.origins = Some(Arc::new(origins));
        }
        self.watermarks.rows(split.number, &chunk, cx.now())?;
        self.splits[i].pass(len);
        self.save(i);
        cx.emit(chunk);
        Ok(())
    }
}

impl Source for Inline {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("position", &mut self.positions);
    }

    fn read(&self) -> Vec<SplitRead> {
        let read = |(split, position): (&[u8], &[u8])| SplitRead {
            split: number(split, 0) as u32,
            position: number(position, 0),
            began: None,
        };
        self.positions.iter().map(read).collect()
    }

    fn restored(&mut self, _cx: &mut dyn Context) -> Outcome {
        let keys: Vec<[u8; 8]> = self.splits.iter().map(Split::key).collect();
        self.positions.restored(|split| keys.iter().any(|key| key == split));
        for split in &mut self.splits {
            let Some(position) = self.positions.get(&split.key()) else { continue };
            let passed = number(position, 0);
            let skip = (passed.saturating_sub(split.passed) as usize).min(split.items.len());
            split.items.drain(..skip);
            // Items that have not been fed again yet are passed over when they are.
            split.passed += skip as u64;
            let mark = Mark {
                watermark: number(position, 8) as i64,
                idle: position.get(16) == Some(&1),
                ended: position.get(17) == Some(&1),
            };
            self.watermarks.set(split.number, mark);
        }
        Ok(Progress::Done)
    }

    fn feed(&mut self, split: u32, items: &[FeedItem]) {
        let number = split % self.partitions;
        let Some(split) = self.splits.iter_mut().find(|split| split.number == number) else { return };
        let position = self.positions.get(&split.key()).map_or(0, |position| crate::positions::number(position, 0));
        let fed = split.passed + split.items.len() as u64;
        let skip = if split.items.is_empty() { position.saturating_sub(fed).min(items.len() as u64) } else { 0 };
        split.passed += skip;
        split.items.extend(items[skip as usize..].iter().cloned());
    }

    fn poll(&mut self, limit: usize, cx: &mut dyn Context) -> Result<Polled, Failure> {
        if self.splits.is_empty() {
            return Ok(Polled::Unused);
        }
        loop {
            if self.watermarks.send(cx) {
                return Ok(Polled::Emitted);
            }
            let n = self.splits.len();
            let live = |split: &Split| !self.watermarks.get(split.number).ended;
            let Some(i) = (0..n)
                .map(|turn| (self.next + turn) % n)
                .find(|i| live(&self.splits[*i]) && !self.splits[*i].items.is_empty())
            else {
                let over = self.splits.iter().all(|split| !live(split));
                return Ok(if over { Polled::Ended } else { Polled::Pending });
            };
            let number = self.splits[i].number;
            match self.splits[i].items.front() {
                Some(FeedItem::Row(..)) if self.watermarks.get(number).idle => self.watermarks.set_idle(number, false),
                Some(FeedItem::Row(..)) => {
                    self.next = (i + 1) % n;
                    self.rows(i, limit, cx)?;
                    return Ok(Polled::Emitted);
                }
                Some(FeedItem::Watermark(watermark)) => {
                    if self.watermarks.takes_explicit() {
                        self.watermarks.advance(number, *watermark);
                    }
                    self.splits[i].pass(1);
                }
                Some(FeedItem::Idle) => {
                    self.watermarks.set_idle(number, true);
                    self.splits[i].pass(1);
                }
                Some(FeedItem::End) => {
                    self.watermarks.end(number);
                    self.splits[i].pass(1);
                }
                None => {}
            }
            self.save(i);
        }
    }
}
