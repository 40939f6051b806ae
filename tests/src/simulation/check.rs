//! What must hold of a simulated run, while it goes on and at its end.

use std::collections::BTreeMap;

use tidegate::data::{Chunk, Schema, Value, value_at};
use tidegate::store::{log, table};

use super::plan::{Guarantee, Row, Shape, Sink};
use super::run::Run;

/// What a committed reader has seen: rows and how often, or for sums the count of each key.
pub(super) type Seen = BTreeMap<Row, i64>;

impl Run {
    /// The sink's rows as a reader sees them.
    fn read(&mut self, committed: bool) -> Vec<Row> {
        let mut rows = Vec::new();
        if self.plan.sink == Sink::Log {
            let isolation = if committed { log::Isolation::ReadCommitted } else { log::Isolation::ReadUncommitted };
            let page = log::read(&mut self.store, "sink", isolation).expect("a log that can be read");
            for batch in &page.batches {
                numbers(&batch.rows.schema, &batch.rows.chunk, &mut rows);
            }
        } else {
            let isolation = if committed { table::Isolation::ReadCommitted } else { table::Isolation::ReadUncommitted };
            let page = table::read(&mut self.store, "sink", isolation).expect("a table that can be read");
            numbers(&page.schema, &page.rows, &mut rows);
        }
        rows
    }

    /// Whether a committed reader sees all of these rows.
    pub(super) fn holds(&mut self, rows: &[Row]) -> bool {
        // Without a guarantee nothing need ever come.
        let there = if self.plan.guarantee == Guarantee::None { return true } else { self.read(true) };
        rows.iter().all(|row| there.contains(row))
    }

    fn is_sums(&self) -> bool {
        matches!(self.plan.shape, Shape::Sums | Shape::Union)
    }

    /// What holds at any time for readers.
    pub(super) fn look(&mut self) {
        let exactly_once = self.plan.guarantee == Guarantee::ExactlyOnce;
        self.look_at_watermarks();
        let rows = self.read(true);
        // Subtasks commit one after the other: rows that move from one to another are in both or in neither for a while.
        if self.plan.shape != Shape::Nested {
            let wanted = self.plan.wanted();
            let mut now = Seen::new();
            for row in &rows {
                if self.is_sums() {
                    let [key, count, sum, _] = *row;
                    let so_far = self.plan.of_key(key).take(count as usize).map(|row| row[2]).sum::<i64>();
                    assert_eq!(sum, so_far, "key {key} holds {count} rows, but not the sum of the first {count}");
                    now.insert([key, 0, 0, 0], count);
                } else {
                    assert!(wanted.binary_search(row).is_ok(), "a row that is no result: {row:?}");
                    *now.entry(*row).or_default() += 1;
                }
            }
            if exactly_once {
                let twice = now.iter().find(|(_, count)| **count > 1 && !self.is_sums());
                assert_eq!(twice, None, "a row is there twice");
                for (row, count) in &self.seen {
                    assert!(now.get(row).is_some_and(|now| now >= count), "what was committed of {row:?} has gone");
                }
            }
            self.seen = now;
            let uncommitted = self.read(false).len();
            let committed = rows.len();
            assert!(uncommitted >= committed, "a reader of uncommitted rows sees {uncommitted} of {committed}");
        }
    }

    /// What holds once the job is finished.
    pub(super) fn look_at_the_end(&mut self) {
        let mut rows = self.read(true);
        rows.sort_unstable();
        let wanted = self.plan.wanted();
        match self.plan.guarantee {
            Guarantee::ExactlyOnce => assert_eq!(rows, wanted, "the sink does not hold the result"),
            Guarantee::AtLeastOnce => {
                rows.dedup();
                assert_eq!(rows, wanted, "the sink does not hold the result, each row once or more often");
            }
            Guarantee::None => {}
        }
        let open = self.store.entries().keys().find(|key| String::from_utf8_lossy(key).contains("/open/"));
        assert_eq!(open, None, "a transaction has stayed open");
    }
}

fn numbers(schema: &Schema, chunk: &Chunk, rows: &mut Vec<Row>) {
    for row in 0..chunk.len {
        let mut cells = [0; 4];
        for (column, cell) in cells.iter_mut().enumerate().take(chunk.columns.len()) {
            if let Value::Int(number) = value_at(chunk.columns[column].as_ref(), row, &schema.fields[column].ty) {
                *cell = number;
            }
        }
        rows.push(cells);
    }
}
