//! The inputs of a run: which tables rows can be sent to, how many were, the newest, and the generators.

use std::collections::VecDeque;

use tidegate::Feed;
use tidegate::data::RowKind;
use tidegate::runtime::FeedItem;
use tidegate::store::log;

use crate::generate::Generator;

/// Newest rows kept per split.
pub const RECENT: usize = 8;

/// A row as the page shows it: split, offset, kind, values.
pub type Shown = (u32, u64, String, Vec<Option<String>>);

/// Batches of a log that are looked at.
const BATCHES: usize = 400;

/// An input of the run.
pub struct Input {
    /// The table.
    pub feed: Feed,
    /// Rows sent so far, per split.
    pub rows: Vec<u64>,
    /// The newest rows of each split, newest first.
    pub recent: Vec<VecDeque<Shown>>,
    /// The generator's rate, rows per second.
    pub rate: f64,
    /// Rows that the generator owes, a fraction included.
    pub owed: f64,
    /// The generator.
    pub generator: Generator,
    /// Rows of the generator on their way, per split.
    pub outboxes: Vec<Outbox>,
    /// The split that the generator's next row goes to.
    pub turn: u32,
}

/// Rows of the generator that wait until those before them have arrived: storage sets the pace.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    /// The rows.
    pub items: Vec<FeedItem>,
    /// Whether earlier ones are on their way.
    pub busy: bool,
}

impl Input {
    /// An input to which nothing was sent.
    pub fn new(feed: Feed, seed: u64, pace: i64) -> Input {
        // Generated times go on where the examples' rows lie: a round moment.
        let start = 1_704_110_520_000;
        Input {
            rows: vec![0; feed.splits as usize],
            recent: vec![VecDeque::new(); feed.splits as usize],
            rate: 0.0,
            owed: 0.0,
            generator: Generator::new(seed, start, pace),
            outboxes: vec![Outbox::default(); feed.splits as usize],
            turn: 0,
            feed,
        }
    }

    /// Whether rows can be sent to it by hand (a generator connector makes its own).
    pub fn by_hand(&self) -> bool {
        self.is_inline() || self.topic().is_some()
    }

    /// Whether its rows are kept in the workspace and fed to the job.
    pub fn is_inline(&self) -> bool {
        self.feed.connector == "inline"
    }

    /// Whether a watermark that is sent by hand counts: where the table's source makes its watermarks.
    pub fn takes_watermarks(&self) -> bool {
        let pushed =
            self.feed.options.get("watermark.push-down").is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let explicit =
            self.feed.watermark.as_ref().is_some_and(|text| text.to_uppercase().contains("SOURCE_WATERMARK"));
        self.takes_idle_marks() && (pushed || explicit)
    }

    /// Whether it can be marked idle by hand.
    pub fn takes_idle_marks(&self) -> bool {
        self.is_inline() && self.feed.watermark.is_some()
    }

    /// Why not both can be sent, where a watermark is declared.
    pub fn no_marks(&self) -> Option<String> {
        self.feed.watermark.as_ref()?;
        let why = match self.topic() {
            _ if self.takes_watermarks() => return None,
            None if self.is_inline() => {
                "Its watermark is made from its rows, behind the source, where another one does not count. \
                 With 'watermark.push-down' = 'true' among the table's options it can be advanced by hand."
            }
            None => "A generated table makes its watermark from its rows.",
            Some(_) => {
                "A log holds rows and no marks: its watermark is made from its rows. \
                 With 'scan.watermark.idle-timeout' = '5 s' among the table's options a quiet partition turns idle by itself."
            }
        };
        Some(why.to_owned())
    }

    /// Rows per second that it makes by itself.
    pub fn makes(&self) -> Option<u64> {
        let declared = self.feed.options.get("rows-per-second").and_then(|rate| rate.trim().parse().ok());
        self.is_made().then(|| declared.unwrap_or(tidegate::DATAGEN_RATE))
    }

    /// Whether its rows are made by its source.
    pub fn is_made(&self) -> bool {
        self.feed.connector == "datagen"
    }

    /// The topic that it reads, if it is a log.
    pub fn topic(&self) -> Option<String> {
        match self.feed.connector.as_str() {
            "log" | "kafka" | "upsert-kafka" => {
                let options = &self.feed.options;
                Some(options.get("topic").cloned().unwrap_or_else(|| self.feed.table.clone()))
            }
            _ => None,
        }
    }

    /// Has the generator go on behind the rows that there are.
    pub fn go_on(&mut self) {
        self.generator.go_on(self.rows.iter().sum());
    }

    /// Shows what lies in the log that it reads.
    pub fn show_log(&mut self, page: &log::LogPage) {
        self.recent.iter_mut().for_each(VecDeque::clear);
        let batches: Vec<_> = page.batches.iter().filter(|batch| batch.status != log::Status::Aborted).collect();
        // The newest of each partition, and enough of all for the generator to know which keys there are.
        let mut shown = Vec::new();
        for partition in 0..self.feed.splits {
            let of = batches.iter().rev().filter(|batch| batch.partition == partition);
            shown.extend(of.take(BATCHES.div_ceil(self.feed.splits as usize).max(RECENT)));
        }
        shown.sort_by_key(|batch| batch.offset);
        for batch in shown {
            let (schema, chunk) = (&batch.rows.schema, &batch.rows.chunk);
            for (row, values) in tidegate::chunk_texts(chunk, schema, tidegate::data::Zone::UTC).into_iter().enumerate()
            {
                self.sent(batch.partition, Some(batch.offset + row as u64), chunk.kind(row), values);
            }
        }
        for (rows, end) in self.rows.iter_mut().zip(&page.ends) {
            *rows = (*rows).max(*end);
        }
        self.go_on();
    }

    /// Notes a row that was sent; at the offset given, or at the next.
    pub fn sent(&mut self, split: u32, offset: Option<u64>, kind: RowKind, values: Vec<Option<String>>) {
        let Some(rows) = self.rows.get_mut(split as usize) else { return };
        let offset = offset.unwrap_or(*rows);
        *rows = (*rows).max(offset + 1);
        self.generator.seen(&values);
        if self.feed.kinds.contains(&RowKind::Delete) {
            self.generator.seen_key(values.first());
        }
        let recent = &mut self.recent[split as usize];
        recent.push_front((split, offset, kind.text().to_owned(), values));
        recent.truncate(RECENT);
    }

    /// Notes how many rows its source has made in each split, and the newest of them, newest first.
    pub fn made(&mut self, rows: Vec<u64>, newest: Vec<tidegate::Made>) {
        self.recent = vec![VecDeque::new(); rows.len()];
        self.rows = rows;
        for (split, offset, values) in newest {
            if let Some(recent) = self.recent.get_mut(split as usize) {
                recent.push_back((split, offset, RowKind::Insert.text().to_owned(), values));
            }
        }
    }

    /// The newest rows of all splits.
    pub fn newest(&self) -> Vec<Shown> {
        self.recent.iter().flatten().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use tidegate::runtime::Restore;
    use tidegate::{Session, SessionOptions};

    use super::*;

    fn input(options: &str, more: &str) -> Input {
        let mut session = Session::new(SessionOptions::default());
        let sql = format!("CREATE TABLE t (n BIGINT, ts TIMESTAMP(3){more}) WITH ({options}); SELECT n FROM t;");
        session.run(&sql, Restore::None).unwrap_or_else(|problems| panic!("{options}: {problems:?}"));
        Input::new(session.feeds().remove(0), 0, 2)
    }

    #[test]
    fn the_newest_rows_of_each_split_stay() {
        let mut input = input("'connector' = 'inline', 'partitions' = '2'", "");
        input.sent(1, None, RowKind::Insert, vec![Some("-1".to_owned())]);
        for number in 0..100 {
            input.sent(0, None, RowKind::Insert, vec![Some(number.to_string())]);
        }
        let newest: Vec<(u32, u64)> = input.newest().iter().map(|row| (row.0, row.1)).collect();
        let wanted: Vec<(u32, u64)> = (92..100).rev().map(|offset| (0, offset)).chain([(1, 0)]).collect();
        assert_eq!((newest, input.rows), (wanted, vec![100, 1]));
    }

    #[test]
    fn marks_are_taken_where_they_count_and_refused_with_a_reason() {
        let watermark = ", WATERMARK FOR ts AS ts";
        let marks = |options: &str, more: &str| {
            let input = input(options, more);
            (input.takes_idle_marks(), input.takes_watermarks(), input.no_marks().is_some())
        };
        assert_eq!(marks("'connector' = 'inline'", ""), (false, false, false));
        assert_eq!(marks("'connector' = 'inline'", watermark), (true, false, true));
        assert_eq!(marks("'connector' = 'inline', 'watermark.push-down' = 'true'", watermark), (true, true, false));
        let own = ", WATERMARK FOR ts AS SOURCE_WATERMARK()";
        assert_eq!(marks("'connector' = 'inline'", own), (true, true, false));
        assert_eq!(marks("'connector' = 'log'", watermark), (false, false, true));
        assert_eq!(marks("'connector' = 'datagen'", watermark), (false, false, true));
        assert_eq!(input("'connector' = 'datagen'", "").makes(), Some(10_000));
        assert_eq!(input("'connector' = 'datagen', 'rows-per-second' = '5'", "").makes(), Some(5));
        assert_eq!(input("'connector' = 'inline'", "").makes(), None);
    }
}
