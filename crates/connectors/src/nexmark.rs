//! `'connector' = 'nexmark'`: the persons, auctions and bids of the Nexmark benchmark, as many as `events.num` says.

pub mod events;

use std::rc::Rc;
use std::sync::Arc;

use tidegate_data::connector::{OptionProblem, OptionSpec, OptionType, TableShape};
use tidegate_data::{Chunk, ConnectorSpec, Origins, RowOrigin};
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::graph::SourceFactory;
use tidegate_runtime::operator::{Polled, SplitRead};
use tidegate_runtime::state::StateVisitor;
use tidegate_runtime::{Context, Failure, Outcome, Progress, Source};

use crate::args::{SourceArgs, SourceColumn};
use crate::options::Options;
use crate::positions::{Positions, number};

const BAD_COLUMNS: Code = Code::new("TG5053");
const BAD_COUNT: Code = Code::new("TG5054");

/// What it can do.
pub(crate) fn spec() -> ConnectorSpec {
    ConnectorSpec {
        options: vec![OptionSpec::required("events.num", OptionType::Int, "The table ends after so many events.")],
        source: true,
        rules,
        ..ConnectorSpec::new("nexmark")
    }
}

fn rules(table: &TableShape<'_>) -> Vec<OptionProblem> {
    let mut problems = Vec::new();
    let wanted = events::schema();
    let has = |table: &TableShape<'_>| {
        let mut columns = table.physical.fields.iter().zip(&wanted.fields);
        table.physical.fields.len() == wanted.fields.len()
            && columns.all(|(has, wants)| has.name == wants.name && has.ty.arrow() == wants.ty.arrow())
    };
    if !has(table) {
        let columns = wanted.fields.iter().map(|field| format!("{} {}", field.name, field.ty));
        let message = "A table of connector 'nexmark' has the columns of its events, no others.";
        let hint = format!("The columns are: {}.", columns.collect::<Vec<_>>().join(", "));
        problems.push(OptionProblem::of_table(Diagnostic::error(BAD_COLUMNS, message).hint(hint)));
    }
    if let Some(number) = Options(table.options).int("events.num").filter(|number| *number < 0) {
        let message = format!("Invalid value '{number}' for option 'events.num': it must be 0 or more.");
        problems.push(OptionProblem::at("events.num", Diagnostic::error(BAD_COUNT, message)));
    }
    problems
}

/// Makes the source.
pub(crate) fn source(args: SourceArgs) -> Result<SourceFactory, Diagnostic> {
    let columns = args.columns.iter().filter_map(|column| match column {
        SourceColumn::Physical(position) => Some(*position),
        SourceColumn::Metadata(_) => None,
    });
    let setup = Rc::new(Setup {
        columns: columns.collect(),
        events: Options(&args.options).int("events.num").map_or(0, |events| events.max(0) as u64),
        source: args.source,
    });
    Ok(Box::new(move |subtask| {
        Box::new(Nexmark {
            setup: setup.clone(),
            index: u64::from(subtask.index),
            parallelism: u64::from(subtask.parallelism.max(1)),
            splits: Vec::new(),
            of: 1,
            next: 0,
            positions: Positions::new("position: split -> events made, number of splits", |split, position| {
                (
                    format!("split {} of {}", number(split, 0), number(position, 8)),
                    format!("{} events", number(position, 0)),
                )
            }),
        })
    }))
}

struct Setup {
    columns: Vec<usize>,
    /// Events in all.
    events: u64,
    source: u32,
}

/// The events whose number leaves the same remainder when divided by the number of splits.
struct Split {
    number: u64,
    /// Events made: the next one has the number `made * splits + number`.
    made: u64,
}

/// The source. State: `position`, for each split how many of its events have been made; never cleared. There are as many splits as the first
/// attempt had subtasks. An event depends on its number only, so it is the same when it is made again.
struct Nexmark {
    setup: Rc<Setup>,
    index: u64,
    parallelism: u64,
    splits: Vec<Split>,
    /// The number of splits.
    of: u64,
    /// The split whose turn it is.
    next: usize,
    positions: Positions,
}

impl Nexmark {
    fn save(&mut self, i: usize) {
        let split = &self.splits[i];
        let parts = [split.made, self.of].map(u64::to_be_bytes);
        self.positions.put(&split.number.to_be_bytes(), &parts.concat());
    }

    /// Events that a split still has to make.
    fn left(&self, split: &Split) -> u64 {
        let all = self.setup.events.saturating_sub(split.number).div_ceil(self.of);
        all.saturating_sub(split.made)
    }

    fn rows(&self, split: &Split, count: usize, watched: bool) -> Chunk {
        let first = split.made * self.of + split.number;
        let mut chunk = events::chunk(&self.setup.columns, first, self.of, count);
        if watched {
            let mut origins = Origins::default();
            for row in 0..count {
                let offset = split.made + row as u64;
                let origin = RowOrigin { source: self.setup.source, split: split.number as u32, offset };
                origins.push(row as u32 + 1, origin);
            }
            chunk.origins = Some(Arc::new(origins));
        }
        chunk
    }
}

impl Source for Nexmark {
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
        let (index, parallelism) = (self.index, self.parallelism);
        if self.positions.restored(|split| number(split, 0) % parallelism == index) {
            for (split, position) in self.positions.iter() {
                self.splits.push(Split { number: number(split, 0), made: number(position, 0) });
                self.of = number(position, 8).max(1);
            }
        } else {
            self.of = parallelism;
            self.splits.push(Split { number: index, made: 0 });
            self.save(0);
        }
        Ok(Progress::Done)
    }

    fn poll(&mut self, limit: usize, cx: &mut dyn Context) -> Result<Polled, Failure> {
        let n = self.splits.len();
        let mut turns = (0..n).map(|turn| (self.next + turn) % n);
        let Some(i) = turns.find(|i| self.left(&self.splits[*i]) > 0) else { return Ok(Polled::Ended) };
        let split = &self.splits[i];
        let count = self.left(split).min(limit.clamp(1, Chunk::MAX_ROWS) as u64) as usize;
        let chunk = self.rows(split, count, cx.watched());
        self.splits[i].made += count as u64;
        self.save(i);
        self.next = i + 1;
        cx.emit(chunk);
        Ok(Polled::Emitted)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tidegate_data::Schema;
    use tidegate_runtime::MemoryStore;

    use super::*;
    use crate::testing::{Cx, Entries, Load, Out, Snapshot, drain};

    fn args(physical: Schema, events: &str) -> SourceArgs {
        SourceArgs {
            table: "nexmark".into(),
            connector: "nexmark".into(),
            options: BTreeMap::from([("events.num".into(), events.into())]),
            physical,
            primary_key: None,
            columns: [0, 3].map(SourceColumn::Physical).into(),
            watermark: None,
            watermark_interval: 200,
            source: 0,
            uid: "s".into(),
            seed: 7,
        }
    }

    /// The columns that `args` asks for.
    fn shown() -> Schema {
        let mut schema = events::schema();
        schema.fields.drain(1..3);
        schema
    }

    #[test]
    fn every_event_comes_once_whatever_the_parallelism() {
        let factory = crate::source(args(events::schema(), "101")).unwrap();
        let whole = events::chunk(&[0, 3], 0, 1, 101).to_text(&shown());
        let mut expected: Vec<&str> = whole.lines().collect();
        let (mut state, mut seen) = (Entries::new(), Vec::new());
        for (parallelism, polls) in [(2, 2), (3, 2), (1, usize::MAX)] {
            let mut next = Entries::new();
            for index in 0..parallelism {
                let mut cx = Cx::new(index, parallelism, 1);
                let mut source = factory(&cx.info);
                source.state(&mut Load(&state));
                source.restored(&mut cx).unwrap();
                if polls == usize::MAX {
                    assert!(drain(source.as_mut(), &mut cx, &mut MemoryStore::new(), 7));
                } else {
                    for _ in 0..polls {
                        source.poll(5, &mut cx).unwrap();
                    }
                }
                for out in std::mem::take(&mut cx.out) {
                    let Out::Chunk(chunk) = out else { continue };
                    seen.extend(chunk.to_text(&shown()).lines().map(str::to_owned));
                }
                let mut mine = state.clone();
                source.state(&mut Snapshot(&mut mine));
                next.extend(mine);
            }
            state = next;
        }
        expected.sort_unstable();
        seen.sort_unstable();
        assert_eq!(seen, expected);
    }

    #[test]
    fn other_columns_and_options_are_refused() {
        let problem = |physical: Schema, events: &str| crate::source(args(physical, events)).err().map(|d| d.message);
        let mut fewer = events::schema();
        fewer.fields.pop();
        assert_eq!(
            problem(fewer, "1").as_deref(),
            Some("A table of connector 'nexmark' has the columns of its events, no others.")
        );
        assert!(problem(events::schema(), "-1").is_some());
        assert!(problem(events::schema(), "many").is_some());
        assert_eq!(problem(events::schema(), "0"), None);
    }
}
