//! Batch = stream: the same query over what its input amounts to so far, computed from scratch and to the end.
//!
//! A changelog that was fed is first made into the table that it leaves behind. The batch then reads all of it and ends: where a stream still
//! waits for its watermark, or has dropped a late row, the two differ, and may.

use tidegate_data::{RowKind, Value, Zone};
use tidegate_plan::physical::NodeKind;
use tidegate_runtime::{Effect, Event, FeedItem, JobState, MemoryStore, RestartStrategy, Restore, Store};

use crate::{Session, SessionOptions};

/// What was fed: table, split, items.
pub type Fed = (String, u32, Vec<FeedItem>);
/// A row as texts.
pub type Row = Vec<Option<String>>;

/// A job computed as a batch.
pub struct Batch {
    session: Session,
    store: MemoryStore,
    job: usize,
}

/// Where stream and batch stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The rows of both.
    pub same: Vec<Row>,
    /// Rows that only the stream has.
    pub stream: Vec<Row>,
    /// Rows that only the batch has.
    pub batch: Vec<Row>,
}

impl Batch {
    /// Job `job` of the script over what was fed.
    ///
    /// # Errors
    /// Why it cannot be computed, for people: it reads more than what was fed.
    pub fn new(sql: &str, job: usize, options: &SessionOptions, fed: &[Fed]) -> Result<Batch, String> {
        let mut overrides = options.overrides.clone();
        overrides.push(("execution.checkpointing.interval".to_owned(), "0 ms".to_owned()));
        let options = SessionOptions {
            job_prefix: "batch/".to_owned(),
            chunk_limit: tidegate_data::Chunk::MAX_ROWS,
            // What an INSERT gives is compared as well.
            watched: true,
            journal: false,
            restart: RestartStrategy::None,
            overrides,
            ..options.clone()
        };
        let mut session = Session::new(options);
        session
            .run(sql, Restore::None)
            .map_err(|problems| problems.first().map_or_else(String::new, |problem| problem.message.clone()))?;
        let handle = session.jobs().get(job).ok_or("There is no such job.")?;
        let looks_up = |node: &tidegate_plan::physical::Node| matches!(node.kind, NodeKind::LookupJoin { .. });
        if handle.plan.plan.nodes.iter().any(looks_up) {
            return Err("A lookup join reads a table as it was when each row came: that cannot be read again.".into());
        }
        let mut events = Vec::new();
        for feed in session.feeds().into_iter().filter(|feed| handle.sources.contains(&feed.table)) {
            if feed.connector != "inline" {
                return Err(format!(
                    "'{}' reads from '{}', which goes on by itself: only what was sent to an 'inline' table can be computed again.",
                    feed.table, feed.connector
                ));
            }
            let upserts = !feed.kinds.contains(&RowKind::UpdateBefore) && feed.kinds.contains(&RowKind::UpdateAfter);
            let key = session.catalog().table(&feed.table).filter(|_| upserts).and_then(|table| table.physical_key());
            for split in 0..feed.splits {
                let rows = leftover(fed, &feed.table, split, key.as_deref());
                let mut items: Vec<FeedItem> =
                    rows.into_iter().map(|row| FeedItem::Row(RowKind::Insert, row)).collect();
                items.push(FeedItem::End);
                events.push(Event::Feed { table: feed.table.clone(), split, items });
            }
        }
        let mut batch = Batch { session, store: MemoryStore::new(), job };
        for event in events {
            // Feeding is never refused.
            let _ = batch.session.jobs_mut()[job].runtime.handle(event);
        }
        Ok(batch)
    }

    /// Goes on while `more` says so. True at the end.
    ///
    /// # Errors
    /// Why it failed.
    pub fn advance(&mut self, more: &mut dyn FnMut() -> bool) -> Result<bool, String> {
        loop {
            let runtime = &mut self.session.jobs_mut()[self.job].runtime;
            for effect in runtime.take_effects() {
                if let Effect::Store { request, body } = effect {
                    let response = self.store.execute(body);
                    // An answer is never refused.
                    let _ = runtime.handle(Event::Response { request, response });
                }
            }
            match runtime.state() {
                JobState::Finished => return Ok(true),
                JobState::Failed(why) => return Err(why.message.clone()),
                JobState::Canceled => return Err("it was ended by hand".to_owned()),
                _ => {}
            }
            if !more() {
                return Ok(false);
            }
            let mut left = 64;
            let stepped = runtime.run_slice(&mut || {
                left -= 1;
                left >= 0
            });
            if stepped == 0 && runtime.is_quiet() {
                // Something waits for the time, which passes at once.
                let now = runtime.now();
                let _ = runtime.handle(Event::Time(now + 1000));
            }
        }
    }

    /// How a result of the stream's job compares with the batch's.
    pub fn compare(&self, stream: &Session, result: usize, zone: Zone) -> Comparison {
        let rows = |session: &Session| -> Vec<Row> {
            let buffer = session.jobs().get(self.job).and_then(|job| job.results.get(result)?.buffer.as_ref());
            buffer.map_or_else(Vec::new, |buffer| buffer.borrow().table_rows(zone))
        };
        let (mut stream, mut batch) = (rows(stream), rows(&self.session));
        stream.sort();
        batch.sort();
        let mut comparison = Comparison::default();
        let (mut left, mut right) = (stream.into_iter().peekable(), batch.into_iter().peekable());
        loop {
            match (left.peek(), right.peek()) {
                (Some(one), Some(other)) if one == other => {
                    right.next();
                    comparison.same.extend(left.next());
                }
                (Some(one), Some(other)) if one < other => comparison.stream.extend(left.next()),
                (Some(_), None) => comparison.stream.extend(left.next()),
                (_, Some(_)) => comparison.batch.extend(right.next()),
                (None, None) => return comparison,
            }
        }
    }
}

/// The rows that a changelog leaves behind, in the order in which they came.
fn leftover(fed: &[Fed], table: &str, split: u32, key: Option<&[usize]>) -> Vec<Vec<Value>> {
    let mut rows: Vec<Vec<Value>> = Vec::new();
    let items = fed.iter().filter(|(of, at, _)| of == table && *at == split).flat_map(|(_, _, items)| items);
    for item in items {
        let FeedItem::Row(kind, values) = item else { continue };
        let same = |row: &Vec<Value>| match key {
            Some(key) => key.iter().all(|column| row.get(*column) == values.get(*column)),
            None => row == values,
        };
        match kind {
            RowKind::Insert | RowKind::UpdateAfter => {
                let old = key.and_then(|_| rows.iter().position(same));
                match old {
                    Some(old) => rows[old] = values.clone(),
                    None => rows.push(values.clone()),
                }
            }
            RowKind::UpdateBefore | RowKind::Delete => {
                if let Some(old) = rows.iter().rposition(same) {
                    rows.remove(old);
                }
            }
        }
    }
    rows
}
