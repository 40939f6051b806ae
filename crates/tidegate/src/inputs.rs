//! What is to be seen of a table that rows can be sent to: its newest rows, and which marks it takes.

use std::collections::VecDeque;
use tidegate_data::sorted::SortedMap;

use tidegate_connectors::DATAGEN_RATE;

use crate::session::Feed;

/// A row that was sent: split, offset, kind, values.
pub type Shown = (u32, u64, String, Vec<Option<String>>);

/// The newest rows of each split.
#[derive(Clone, Debug)]
pub struct Recent {
    splits: SortedMap<u32, VecDeque<Shown>>,
    limit: usize,
}

impl Recent {
    /// None yet; `limit` of each split will be kept.
    pub fn new(limit: usize) -> Recent {
        Recent { splits: SortedMap::new(), limit }
    }

    /// A row that is newer than those before.
    pub fn push(&mut self, row: Shown) {
        let split = self.splits.get_or_default(row.0);
        split.push_front(row);
        split.truncate(self.limit);
    }

    /// Split by split, newest first.
    pub fn rows(&self) -> Vec<Shown> {
        self.splits.values().flatten().cloned().collect()
    }
}

impl Feed {
    /// Whether a watermark that is sent by hand counts: where the table's own source makes its watermarks.
    pub fn takes_watermarks(&self) -> bool {
        let pushed = self.options.get("watermark.push-down").is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let explicit = self.watermark.as_ref().is_some_and(|text| text.to_uppercase().contains("SOURCE_WATERMARK"));
        self.takes_idle_marks() && (pushed || explicit)
    }

    /// Whether it can be marked idle by hand.
    pub fn takes_idle_marks(&self) -> bool {
        self.connector == "inline" && self.watermark.is_some()
    }

    /// Why not both can be sent, where a watermark is declared.
    pub fn no_marks(&self) -> Option<String> {
        self.watermark.as_ref()?;
        let why = match self.connector.as_str() {
            _ if self.takes_watermarks() => return None,
            "inline" => {
                "Its watermark is made from its rows, behind the source, where one of the source does not count. \
                 With 'watermark.push-down' = 'true' among the table's options it can be advanced by hand."
            }
            "log" | "kafka" | "upsert-kafka" => {
                "A log holds rows and no marks: its watermark is made from its rows. \
                 With 'scan.watermark.idle-timeout' = '5 s' among the table's options a quiet partition turns idle by itself."
            }
            _ => "This table makes its rows by itself, and its watermark from them.",
        };
        Some(why.to_owned())
    }

    /// Rows per second that it makes by itself (`datagen`).
    pub fn makes(&self) -> Option<u64> {
        let declared = self.options.get("rows-per-second").and_then(|rate| rate.trim().parse().ok());
        (self.connector == "datagen").then(|| declared.unwrap_or(DATAGEN_RATE))
    }
}

#[cfg(test)]
mod tests {
    use tidegate_runtime::Restore;

    use super::*;
    use crate::{Session, SessionOptions};

    #[test]
    fn the_newest_rows_of_each_split_stay() {
        let mut recent = Recent::new(8);
        let row = |split, offset| (split, offset, "+I".to_owned(), vec![Some("x".to_owned())]);
        recent.push(row(1, 0));
        (0..100).for_each(|offset| recent.push(row(0, offset)));
        let newest: Vec<(u32, u64)> = recent.rows().iter().map(|row| (row.0, row.1)).collect();
        let wanted: Vec<(u32, u64)> = (92..100).rev().map(|offset| (0, offset)).chain([(1, 0)]).collect();
        assert_eq!(newest, wanted);
    }

    #[test]
    fn marks_are_taken_where_they_count_and_refused_with_a_reason() {
        let feed = |options: &str, more: &str| {
            let mut session = Session::new(SessionOptions::default());
            let sql = format!("CREATE TABLE t (n BIGINT, ts TIMESTAMP(3){more}) WITH ({options}); SELECT n FROM t;");
            session.run(&sql, Restore::None).unwrap_or_else(|problems| panic!("{options}: {problems:?}"));
            session.feeds().remove(0)
        };
        let marks = |options: &str, more: &str| {
            let feed = feed(options, more);
            (feed.takes_idle_marks(), feed.takes_watermarks(), feed.no_marks().is_some())
        };
        let watermark = ", WATERMARK FOR ts AS ts";
        assert_eq!(marks("'connector' = 'inline'", ""), (false, false, false));
        assert_eq!(marks("'connector' = 'inline'", watermark), (true, false, true));
        assert_eq!(marks("'connector' = 'inline', 'watermark.push-down' = 'true'", watermark), (true, true, false));
        let own = ", WATERMARK FOR ts AS SOURCE_WATERMARK()";
        assert_eq!(marks("'connector' = 'inline'", own), (true, true, false));
        assert_eq!(marks("'connector' = 'log'", watermark), (false, false, true));
        assert_eq!(marks("'connector' = 'datagen'", watermark), (false, false, true));
        assert_eq!(feed("'connector' = 'datagen'", "").makes(), Some(10_000));
        assert_eq!(feed("'connector' = 'datagen', 'rows-per-second' = '5'", "").makes(), Some(5));
        assert_eq!(feed("'connector' = 'inline'", "").makes(), None);
    }
}
