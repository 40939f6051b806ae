//! `'connector' = 'datagen'`: rows made up, by Flink's options.

mod generator;

use std::rc::Rc;
use std::sync::Arc;

use tidegate_data::connector::{OptionProblem, OptionSpec, OptionType, PARALLELISM, TableShape};
use tidegate_data::keys::hash::hash_bytes;
use tidegate_data::{Chunk, ConnectorSpec, DataType, Origins, RowOrigin, build_column};
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::graph::SourceFactory;
use tidegate_runtime::operator::{Polled, SplitRead};
use tidegate_runtime::state::StateVisitor;
use tidegate_runtime::{Context, Failure, Outcome, Progress, Source};

use crate::args::{ReadTo, SourceArgs, SourceColumn};
use crate::options::Options;
use crate::positions::{Positions, number};
use generator::{Draws, Generator, Generators};

const BAD_RATE: Code = Code::new("TG5051");
const BAD_VALUE: Code = Code::new("TG5052");

/// What it can do.
pub(crate) fn spec() -> ConnectorSpec {
    use OptionType::{Boolean, Double, Duration, Enum, Int, Text};
    ConnectorSpec {
        options: vec![
            OptionSpec::with_default("rows-per-second", Int, "10000", "Rows per second, over all subtasks."),
            OptionSpec::optional(
                "number-of-rows",
                Int,
                "The table ends after so many rows; without it, it never does.",
            ),
            OptionSpec::optional("scan.parallelism", PARALLELISM, "Subtasks of the source."),
            OptionSpec::with_default(
                "fields.*.kind",
                Enum(&["random", "sequence"]),
                "random",
                "How the column is made.",
            ),
            OptionSpec::optional("fields.*.min", Text, "The least random value (numbers)."),
            OptionSpec::optional("fields.*.max", Text, "The greatest random value (numbers)."),
            OptionSpec::with_default(
                "fields.*.max-past",
                Duration,
                "0",
                "How far a random timestamp may lie in the past.",
            ),
            OptionSpec::with_default("fields.*.length", Int, "100", "Length of a random string, binary or collection."),
            OptionSpec::with_default("fields.*.var-len", Boolean, "false", "Whether the length varies, from 1 on."),
            OptionSpec::optional("fields.*.start", Text, "First value of a sequence."),
            OptionSpec::optional("fields.*.end", Text, "Last value of a sequence; the table ends with it."),
            OptionSpec::with_default("fields.*.null-rate", Double, "0", "The share of NULLs, 0 to 1."),
        ],
        source: true,
        rules,
        ..ConnectorSpec::new("datagen")
    }
}

fn rules(table: &TableShape<'_>) -> Vec<OptionProblem> {
    let mut problems = Generators::of(table).problems;
    for (key, least) in [("rows-per-second", 1), ("number-of-rows", 0)] {
        if let Some(number) = Options(table.options).int(key).filter(|number| *number < least) {
            let message = format!("Invalid value '{number}' for option '{key}': it must be {least} or more.");
            let hint = "Such as 'rows-per-second' = '5', 'number-of-rows' = '100'.";
            problems.push(OptionProblem::at(key, Diagnostic::error(BAD_RATE, message).hint(hint)));
        }
    }
    problems
}

/// `rows-per-second` where a table does not say.
pub const RATE: u64 = 10_000;

/// Makes the source.
pub(crate) fn source(args: SourceArgs) -> Result<SourceFactory, Diagnostic> {
    Ok(factory(&args, None))
}

/// Makes a source that makes the same rows once more, as fast as they are taken.
pub(crate) fn source_to(args: SourceArgs, to: &ReadTo) -> Result<SourceFactory, Diagnostic> {
    Ok(factory(&args, Some(Rc::new(to.clone()))))
}

fn factory(args: &SourceArgs, to: Option<Rc<ReadTo>>) -> SourceFactory {
    let setup = Rc::new(Setup::new(args));
    Box::new(move |subtask| {
        let (index, parallelism) = (u64::from(subtask.index), u64::from(subtask.parallelism.max(1)));
        let mut datagen = Datagen::new(setup.clone(), index, parallelism);
        datagen.to.clone_from(&to);
        Box::new(datagen)
    })
}

/// The newest rows that the source of a table has made. They are made once more: a row depends on its number only.
pub struct Newest(Datagen);

impl Newest {
    /// Of the source that is made from `args`, and that has made its first row at `began`.
    pub fn new(args: &SourceArgs, began: i64) -> Newest {
        let mut datagen = Datagen::new(Rc::new(Setup::new(args)), 0, 1);
        datagen.began = began;
        Newest(datagen)
    }

    /// The last `count` rows of split `split` of `of`, which has made `made`: the number of the first, and the rows, oldest first.
    ///
    /// # Errors
    /// When a value does not fit its column.
    pub fn rows(&mut self, split: u32, of: usize, made: u64, count: usize) -> Result<(u64, Chunk), Failure> {
        let count = made.min(count as u64);
        self.0.of = of.max(1) as u64;
        let split = Split { number: u64::from(split), made: made - count, at_start: 0 };
        Ok((made - count, self.0.rows(&split, count as usize, false)?))
    }
}

struct Setup {
    columns: Vec<(Generator, DataType)>,
    /// Rows per second.
    rate: u64,
    /// Rows in all.
    rows: u64,
    seed: u64,
    source: u32,
}

impl Setup {
    fn new(args: &SourceArgs) -> Setup {
        let options = Options(&args.options);
        let shape = TableShape { options: &args.options, physical: &args.physical, primary_key: None, sink: false };
        let generators = Generators::of(&shape);
        let wanted = options.int("number-of-rows").map(|rows| rows.max(0) as u64);
        let columns = args.columns.iter().filter_map(|column| match column {
            SourceColumn::Physical(position) => {
                Some((generators.columns[*position].clone(), args.physical.fields[*position].ty.clone()))
            }
            SourceColumn::Metadata(_) => None,
        });
        Setup {
            columns: columns.collect(),
            rate: options.int("rows-per-second").map_or(RATE, |rate| rate.max(1) as u64),
            rows: match (wanted, generators.rows) {
                (Some(wanted), Some(rows)) => wanted.min(rows),
                (wanted, rows) => wanted.or(rows).unwrap_or(u64::MAX),
            },
            seed: args.seed ^ hash_bytes(args.uid.as_bytes()),
            source: args.source,
        }
    }
}

/// The rows whose number leaves the same remainder when divided by the number of splits.
struct Split {
    number: u64,
    /// Rows made: the next one has the number `made * splits + number`.
    made: u64,
    /// Rows that had been made when this attempt began.
    at_start: u64,
}

/// The source. State: `position`, for each split how many of its rows have been made; never cleared. There are as many
/// splits as the first attempt had subtasks. A row depends on its number only, so it is the same when it is made again;
/// what Flink takes from the clock is here the time at which the row would come if none were ever late.
struct Datagen {
    setup: Rc<Setup>,
    index: u64,
    parallelism: u64,
    splits: Vec<Split>,
    /// The number of splits.
    of: u64,
    /// When the first attempt began.
    began: i64,
    /// When this one did.
    start: i64,
    /// The split whose turn it is.
    next: usize,
    positions: Positions,
    /// Where the rows end, if they are made once more.
    to: Option<Rc<ReadTo>>,
}

impl Datagen {
    fn new(setup: Rc<Setup>, index: u64, parallelism: u64) -> Datagen {
        Datagen {
            setup,
            index,
            parallelism,
            splits: Vec::new(),
            of: 1,
            began: 0,
            start: 0,
            next: 0,
            positions: Positions::new(
                "position: split -> rows made, number of splits, first start",
                |split, position| {
                    let mut began = String::new();
                    tidegate_data::text::time::write_timestamp(&mut began, number(position, 16) as i64, 3);
                    (
                        format!("split {} of {}", number(split, 0), number(position, 8)),
                        format!("{} rows since {began}", number(position, 0)),
                    )
                },
            ),
            to: None,
        }
    }

    fn save(&mut self, i: usize) {
        let split = &self.splits[i];
        let parts = [split.made, self.of, self.began as u64].map(u64::to_be_bytes);
        self.positions.put(&split.number.to_be_bytes(), &parts.concat());
    }

    /// Rows that all splits together may have made in this attempt by `now`, less one.
    fn allowed(&self, now: i64) -> u64 {
        if self.to.is_some() {
            return u64::MAX;
        }
        let elapsed = now.saturating_sub(self.start).max(0) as u128;
        u64::try_from(elapsed * u128::from(self.setup.rate) / 1_000).unwrap_or(u64::MAX)
    }

    /// The place of a row among those of this attempt.
    fn place(&self, split: &Split) -> u64 {
        (split.made - split.at_start).saturating_mul(self.of).saturating_add(split.number)
    }

    /// Rows that a split has to make at all.
    fn left(&self, split: &Split) -> u64 {
        let all = match &self.to {
            Some(to) => {
                to.splits.iter().find(|(number, _)| u64::from(*number) == split.number).map_or(0, |split| split.1)
            }
            None => self.setup.rows.saturating_sub(split.number).div_ceil(self.of),
        };
        all.saturating_sub(split.made)
    }

    fn rows(&self, split: &Split, count: usize, watched: bool) -> Result<Chunk, Failure> {
        let numbers = (0..count as u64).map(|row| (split.made + row) * self.of + split.number);
        let draws: Vec<Draws> = numbers
            .map(|row| {
                let since = u128::from(row) * 1_000 / u128::from(self.setup.rate);
                let at = self.began.saturating_add(i64::try_from(since).unwrap_or(i64::MAX));
                Draws { seed: self.setup.seed, row, at }
            })
            .collect();
        let columns = self.setup.columns.iter().map(|(generator, ty)| {
            let values: Vec<_> = draws.iter().map(|draws| generator.value(*draws)).collect();
            build_column(ty, &values).map_err(|error| Failure {
                diagnostic: Diagnostic::error(BAD_VALUE, format!("A generated value does not fit: {error}.")),
            })
        });
        let mut chunk = Chunk::insert(columns.collect::<Result<_, _>>()?, count);
        if watched {
            let mut origins = Origins::default();
            for row in 0..count {
                let offset = split.made + row as u64;
                let origin = RowOrigin { source: self.setup.source, split: split.number as u32, offset };
                origins.push(row as u32 + 1, origin);
            }
            chunk.origins = Some(Arc::new(origins));
        }
        Ok(chunk)
    }
}

impl Source for Datagen {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("position", &mut self.positions);
    }

    fn read(&self) -> Vec<SplitRead> {
        let read = |(split, position): (&[u8], &[u8])| SplitRead {
            split: number(split, 0) as u32,
            position: number(position, 0),
            began: Some(number(position, 16) as i64),
        };
        self.positions.iter().map(read).collect()
    }

    fn restored(&mut self, cx: &mut dyn Context) -> Outcome {
        self.start = cx.now();
        let (index, parallelism) = (self.index, self.parallelism);
        if self.positions.restored(|split| number(split, 0) % parallelism == index) {
            for (split, position) in self.positions.iter() {
                let made = number(position, 0);
                self.splits.push(Split { number: number(split, 0), made, at_start: made });
                (self.of, self.began) = (number(position, 8).max(1), number(position, 16) as i64);
            }
        } else if let Some(to) = self.to.clone() {
            (self.of, self.began) = (to.splits.len().max(1) as u64, to.began);
            let mine =
                to.splits.iter().map(|(number, _)| u64::from(*number)).filter(|number| number % parallelism == index);
            self.splits.extend(mine.map(|number| Split { number, made: 0, at_start: 0 }));
        } else {
            (self.of, self.began) = (parallelism, self.start);
            self.splits.push(Split { number: index, made: 0, at_start: 0 });
            self.save(0);
        }
        Ok(Progress::Done)
    }

    fn poll(&mut self, limit: usize, cx: &mut dyn Context) -> Result<Polled, Failure> {
        let allowed = self.allowed(cx.now());
        let n = self.splits.len();
        let mut due: Option<u64> = None;
        for turn in 0..n {
            let i = (self.next + turn) % n;
            let split = &self.splits[i];
            let (place, left) = (self.place(split), self.left(split));
            if left == 0 {
                continue;
            }
            if place > allowed {
                due = Some(due.map_or(place, |other| other.min(place)));
                continue;
            }
            let ready = (allowed - place) / self.of + 1;
            let count = ready.min(left).min(limit.clamp(1, Chunk::MAX_ROWS) as u64) as usize;
            let chunk = self.rows(split, count, cx.watched())?;
            self.splits[i].made += count as u64;
            self.save(i);
            self.next = i + 1;
            cx.emit(chunk);
            return Ok(Polled::Emitted);
        }
        let Some(place) = due else { return Ok(Polled::Ended) };
        let after = (u128::from(place) * 1_000).div_ceil(u128::from(self.setup.rate));
        cx.wake_at(self.start.saturating_add(i64::try_from(after).unwrap_or(i64::MAX)));
        Ok(Polled::Pending)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tidegate_data::{LogicalType, Schema, TimeKind, Value, value_at};
    use tidegate_runtime::MemoryStore;

    use super::*;
    use crate::testing::{Cx, Entries, Load, Out, Snapshot, drain};

    fn args(columns: &[(&str, LogicalType)], options: &[(&str, &str)]) -> SourceArgs {
        SourceArgs {
            table: "g".into(),
            connector: "datagen".into(),
            options: options.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect::<BTreeMap<_, _>>(),
            physical: Schema::new(columns.iter().map(|(name, ty)| (*name, DataType::new(ty.clone())))),
            primary_key: None,
            columns: (0..columns.len()).map(SourceColumn::Physical).collect(),
            watermark: None,
            watermark_interval: 200,
            source: 0,
            uid: "s".into(),
            seed: 7,
        }
    }

    fn values(cx: &mut Cx, types: &[LogicalType]) -> Vec<Vec<Value>> {
        let mut rows = Vec::new();
        for out in std::mem::take(&mut cx.out) {
            let Out::Chunk(chunk) = out else { continue };
            for row in 0..chunk.len {
                let value = |(i, ty): (usize, &LogicalType)| {
                    value_at(chunk.columns[i].as_ref(), row, &DataType::new(ty.clone()))
                };
                rows.push(types.iter().enumerate().map(value).collect());
            }
        }
        rows
    }

    #[test]
    fn a_sequence_is_whole_whatever_the_parallelism_and_the_same_when_made_again() {
        let types = [LogicalType::Int, LogicalType::BigInt];
        let columns = [("s", types[0].clone()), ("r", types[1].clone())];
        let options = [
            ("fields.s.kind", "sequence"),
            ("fields.s.start", "1"),
            ("fields.s.end", "100"),
            ("fields.r.min", "0"),
            ("fields.r.max", "9"),
            ("rows-per-second", "1000"),
        ];
        let factory = crate::source(args(&columns, &options)).unwrap();
        let (mut state, mut all) = (Entries::new(), Vec::new());
        for (parallelism, ms) in [(2, 20), (3, 10), (1, 5), (4, 1_000)] {
            let mut next = Entries::new();
            for index in 0..parallelism {
                let mut cx = Cx::new(index, parallelism, 1);
                let mut source = factory(&cx.info);
                source.state(&mut Load(&state));
                source.restored(&mut cx).unwrap();
                cx.now += ms;
                let ended = drain(source.as_mut(), &mut cx, &mut MemoryStore::new(), 7);
                assert_eq!(ended, ms == 1_000 || (parallelism == 3 && index == 2), "{parallelism} {index}");
                all.extend(values(&mut cx, &types));
                let mut mine = state.clone();
                source.state(&mut Snapshot(&mut mine));
                next.extend(mine);
            }
            state = next;
        }
        all.sort_by_key(|row| if let Value::Int(n) = row[0] { n } else { 0 });
        let numbers: Vec<Value> = all.iter().map(|row| row[0].clone()).collect();
        assert_eq!(numbers, (1..=100).map(Value::Int).collect::<Vec<_>>());
        let mut cx = Cx::new(0, 1, 1);
        let mut source = factory(&cx.info);
        source.restored(&mut cx).unwrap();
        cx.now += 1_000;
        assert!(drain(source.as_mut(), &mut cx, &mut MemoryStore::new(), 64));
        assert_eq!(values(&mut cx, &types), all);
    }

    #[test]
    fn rows_come_at_their_rate() {
        let columns = [("t", LogicalType::Timestamp(3, TimeKind::Regular))];
        let options = [("rows-per-second", "2"), ("number-of-rows", "4")];
        let factory = crate::source(args(&columns, &options)).unwrap();
        let mut cx = Cx::new(0, 1, 1);
        let mut source = factory(&cx.info);
        source.restored(&mut cx).unwrap();
        let mut seen = Vec::new();
        loop {
            let ended = drain(source.as_mut(), &mut cx, &mut MemoryStore::new(), 64);
            seen.extend(values(&mut cx, &[columns[0].1.clone()]).into_iter().map(|row| (cx.now, row[0].clone())));
            if ended {
                break;
            }
            cx.now = cx.wake.take().unwrap();
        }
        let at = |ms: i64| (ms, Value::Int(ms));
        assert_eq!(seen, [at(1_000), at(1_500), at(2_000), at(2_500)]);
    }

    #[test]
    fn all_types_within_their_bounds() {
        let types = [
            LogicalType::Boolean,
            LogicalType::TinyInt,
            LogicalType::Double,
            LogicalType::Decimal(5, 2),
            LogicalType::Char(4),
            LogicalType::VarChar(DataType::MAX_LENGTH),
            LogicalType::VarBinary(8),
            LogicalType::Date,
            LogicalType::Time(0),
            LogicalType::TimestampLtz(6, TimeKind::Regular),
            LogicalType::Array(Box::new(DataType::new(LogicalType::Int))),
            LogicalType::Map(Box::new(DataType::not_null(LogicalType::TinyInt)), Box::new(DataType::string())),
            LogicalType::Row(vec![tidegate_data::Field { name: "x".into(), ty: DataType::new(LogicalType::BigInt) }]),
        ];
        let columns: Vec<(String, LogicalType)> =
            types.iter().enumerate().map(|(i, ty)| (format!("c{i}"), ty.clone())).collect();
        let columns: Vec<(&str, LogicalType)> = columns.iter().map(|(name, ty)| (name.as_str(), ty.clone())).collect();
        let options = [
            ("number-of-rows", "300"),
            ("fields.c1.min", "-3"),
            ("fields.c1.max", "3"),
            ("fields.c1.null-rate", "0.5"),
            ("fields.c2.min", "-1.5"),
            ("fields.c2.max", "1.5"),
            ("fields.c5.length", "9"),
            ("fields.c5.var-len", "true"),
            ("fields.c9.max-past", "10 s"),
            ("fields.c10.element.max", "5"),
            ("fields.c10.length", "2"),
            ("fields.c12.x.min", "7"),
        ];
        let factory = crate::source(args(&columns, &options)).unwrap();
        let mut cx = Cx::new(0, 1, 1);
        let mut source = factory(&cx.info);
        source.restored(&mut cx).unwrap();
        cx.now += 60_000;
        assert!(drain(source.as_mut(), &mut cx, &mut MemoryStore::new(), 64));
        let rows = values(&mut cx, &types);
        assert_eq!(rows.len(), 300);
        let mut lengths = std::collections::BTreeSet::new();
        for row in &rows {
            assert!(matches!(row[1], Value::Null | Value::Int(-3..=3)));
            assert!(matches!(row[2], Value::Double(x) if (-1.5..=1.5).contains(&x)));
            assert!(matches!(row[3], Value::Decimal(x) if (0..100_000).contains(&x)));
            assert!(matches!(&row[4], Value::String(text) if text.len() == 4));
            assert!(matches!(&row[6], Value::Bytes(bytes) if bytes.len() == 8));
            assert!(
                matches!(&row[10], Value::List(items) if items.len() == 2 && items.iter().all(|i| matches!(i, Value::Int(..=5))))
            );
            assert!(matches!(&row[12], Value::List(items) if matches!(items[0], Value::Int(7..))));
            if let Value::String(text) = &row[5] {
                lengths.insert(text.len());
            }
        }
        assert_eq!(lengths, (1..=9).collect());
        let nulls = rows.iter().filter(|row| row[1] == Value::Null).count();
        assert!((100..200).contains(&nulls), "{nulls}");
        assert_eq!(rows.iter().filter(|row| row[0] == rows[0][0]).count() / 100, 1);
    }

    #[test]
    fn options_are_checked() {
        let problem = |options: &[(&str, &str)]| {
            let columns = [("id", LogicalType::Int), ("name", LogicalType::VarChar(5))];
            crate::source(args(&columns, options)).err().map(|diagnostic| diagnostic.message)
        };
        assert_eq!(problem(&[]), None);
        let sequence = ("fields.id.kind", "sequence");
        assert_eq!(
            problem(&[sequence, ("fields.id.start", "1")]).as_deref(),
            Some("Could not find required property 'fields.id.end' for sequence generator.")
        );
        for options in [
            &[("fields.ids.min", "1")][..],
            &[("fields.id.min", "x")],
            &[("fields.id.min", "5"), ("fields.id.max", "4")],
            &[("fields.id.max", "3000000000")],
            &[("fields.name.length", "6")],
            &[("fields.id.null-rate", "2")],
            &[("rows-per-second", "0")],
            &[("fields.id.kind", "random-walk")],
        ] {
            assert!(problem(options).is_some(), "{options:?}");
        }
    }
}
