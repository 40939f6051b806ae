//! What must hold of a simulated run, while it goes on and at its end.

use std::collections::BTreeMap;
use std::rc::Rc;

use tidegate::data::{Chunk, Schema, Value, value_at};
use tidegate::store::{Store, log, table};

use super::plan::{Mode, Plan, Row, Shape, Sink};
use super::run::Run;

/// What a committed reader has seen: rows and how often, or for sums the count of each key.
pub(super) type Seen = BTreeMap<Row, i64>;

impl Run {
    /// What a committed reader sees.
    fn committed(&mut self) -> Rc<Vec<Row>> {
        let changes = self.store.changes;
        if let Some((as_of, rows)) = &self.committed
            && *as_of == changes
        {
            return rows.clone();
        }
        let rows = Rc::new(read(&self.plan, &mut self.store, true));
        self.committed = Some((changes, rows.clone()));
        rows
    }

    /// Whether a committed reader sees all of these rows.
    pub(super) fn holds(&mut self, rows: &[Row]) -> bool {
        if !self.plan.keeps_all() {
            return true;
        }
        let there = self.committed();
        rows.iter().all(|wanted| there.iter().any(|row| self.plan.is_result(row, wanted)))
    }

    fn is_sums(&self) -> bool {
        matches!(self.plan.shape, Shape::Sums | Shape::Union)
    }

    /// What holds at any time for readers.
    pub(super) fn look(&mut self) {
        self.look_at_watermarks();
        // What readers saw last they see still.
        if self.looked.replace(self.store.changes) == Some(self.store.changes) {
            return;
        }
        let rows = self.committed();
        let is_sums = self.is_sums();
        // Subtasks commit one after the other: rows that move from one to another are in both or in neither for a while.
        // Sums that begin from nothing with whatever comes are sums of anything.
        if self.plan.shape == Shape::Nested || is_sums && self.plan.mode == Mode::OffAtLatest {
            return;
        }
        let wanted = self.wanted.clone();
        let mut now = Seen::new();
        for row in rows.iter() {
            if is_sums {
                let [key, count, sum, _] = *row;
                if self.plan.counts_once() {
                    let so_far = self.plan.of_key(key).take(count as usize).map(|row| row[2]).sum::<i64>();
                    assert_eq!(sum, so_far, "key {key} holds {count} rows, but not the sum of the first {count}");
                }
                now.insert([key, 0, 0, 0], count);
            } else {
                let known =
                    wanted.iter().any(|wanted| self.plan.is_result(row, wanted) || self.plan.is_rest(row, wanted));
                assert!(known, "a row that is no result: {row:?}");
                *now.entry(*row).or_default() += 1;
            }
        }
        if self.is_exact() || self.plan.mode == Mode::OffAtLatest {
            let twice = now.iter().find(|(_, count)| **count > 1 && !is_sums);
            assert_eq!(twice, None, "a row is there twice");
        }
        if self.is_exact() {
            for (row, count) in &self.seen {
                assert!(now.get(row).is_some_and(|now| now >= count), "what was committed of {row:?} has gone");
            }
        }
        self.seen = now;
        // It costs as much as all the rest.
        if !self.store.changes.is_multiple_of(4) {
            return;
        }
        let uncommitted = read(&self.plan, &mut self.store, false).len();
        let committed = rows.len();
        assert!(uncommitted >= committed, "a reader of uncommitted rows sees {uncommitted} of {committed}");
    }

    /// What holds once the job is finished.
    pub(super) fn look_at_the_end(&mut self) {
        let mut rows = self.committed().to_vec();
        rows.sort_unstable();
        let wanted = self.wanted.clone();
        if self.lossy {
            // What there is is right, and there once: that was looked at.
        } else if self.is_exact() {
            assert_eq!(rows, *wanted, "the sink does not hold the result");
        } else if self.plan.keeps_all() && self.plan.counts_once() {
            rows.dedup();
            assert_eq!(rows, *wanted, "the sink does not hold the result, each row once or more often");
        } else {
            assert!(self.holds(&wanted), "the sink has lost some of the result: {rows:?} of {wanted:?}");
        }
        let open = self.store.inner.entries().keys().find(|key| String::from_utf8_lossy(key).contains("/open/"));
        assert_eq!(open, None, "a transaction has stayed open");
    }
}

/// The rows of the sink in a store as a reader sees them.
pub(super) fn read(plan: &Plan, store: &mut dyn Store, committed: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    if plan.sink == Sink::Log {
        let isolation = if committed { log::Isolation::ReadCommitted } else { log::Isolation::ReadUncommitted };
        let page = log::read(store, "sink", isolation).expect("a log that can be read");
        for batch in &page.batches {
            numbers(&batch.rows.schema, &batch.rows.chunk, &mut rows);
        }
    } else {
        let isolation = if committed { table::Isolation::ReadCommitted } else { table::Isolation::ReadUncommitted };
        let page = table::read(store, "sink", isolation).expect("a table that can be read");
        numbers(&page.schema, &page.rows, &mut rows);
    }
    rows
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
