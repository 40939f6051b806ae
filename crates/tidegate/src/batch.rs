//! Batch = stream: the query of a job computed from scratch over what it has read up to one of its steps, all of it at once and with an end.
//!
//! A changelog that was fed is first made into the table that it leaves behind; logs are read again up to the offsets that were read, and generated
//! rows made again. Where a stream still waits for its watermark, or has dropped a late row, the two differ, and may.

use tidegate_data::sorted;
use tidegate_data::{RowKind, Value, Zone};
use tidegate_plan::physical::NodeKind;
use tidegate_runtime::{
    Effect, Event, FeedItem, JobState, MemoryStore, RestartStrategy, Restore, Store, StoreResponse,
};

use crate::progress::SourceRead;
use crate::{Session, SessionOptions};

/// What was fed: table, split, items.
pub type Fed = (String, u32, Vec<FeedItem>);
/// Partitions that a log of no declared number is taken to have at the most.
const MOST: u32 = 64;

/// A row as texts.
pub type Row = Vec<Option<String>>;

/// A job's result at one of its steps, and how far its sources had read then.
#[derive(Clone, Debug)]
pub struct Moment {
    job: usize,
    result: usize,
    step: u64,
    sources: Vec<SourceRead>,
    topics: Vec<String>,
    inline: bool,
    stream: Vec<Row>,
}

/// A job computed as a batch.
pub struct Batch {
    session: Session,
    store: MemoryStore,
    moment: Moment,
    /// Input rows up to the moment.
    rows: u64,
}

impl Moment {
    /// How result `result` of job `job` stands now.
    ///
    /// # Errors
    /// Why it cannot be compared, for people.
    pub fn of(session: &mut Session, job: usize, result: usize, zone: Zone) -> Result<Moment, String> {
        let handle = session.jobs_mut().get_mut(job).ok_or("there is no such job.")?;
        let view = handle.runtime.view();
        let over = match view.state {
            JobState::Running => false,
            JobState::Finished => true,
            JobState::Failed(_) | JobState::Canceled => {
                return Err("it does not run any more, and how far it had read is gone with it.".to_owned());
            }
            _ => return Err("it is just being started; try again in a moment.".to_owned()),
        };
        let mut sources = handle.read(&view);
        // Of a job that is over all was read, which its own options say.
        sources.retain(|source| source.known);
        if !over && sources.len() < handle.sources.iter().filter(|source| *source != "Values").count() {
            return Err("how far it has read is not known now; try again in a moment.".to_owned());
        }
        let buffer = handle.results.get(result).and_then(|result| result.buffer.clone());
        let buffer = buffer.ok_or("the rows of this result are not kept.")?;
        let buffer = buffer.borrow();
        let stream = buffer.table_rows(zone);
        if stream.len() < buffer.table_len() {
            let (kept, all) = (stream.len(), buffer.table_len());
            return Err(format!("only the last {kept} rows of this result are kept, and there were {all}."));
        }
        let (mut topics, mut inline) = (Vec::new(), false);
        let step = handle.history.base() + view.step;
        let tables = handle.sources.clone();
        for feed in session.feeds().into_iter().filter(|feed| tables.contains(&feed.table)) {
            match feed.connector.as_str() {
                "inline" => inline = true,
                "log" | "kafka" | "upsert-kafka" => {
                    let names = feed.options.get("topic").unwrap_or(&feed.table);
                    topics.extend(names.split(';').map(str::trim).map(str::to_owned));
                    for source in sources.iter_mut().filter(|source| source.table == feed.table) {
                        // What it has not found yet it has not read.
                        let found: Vec<u32> = source.to.splits.iter().map(|(split, _)| *split).collect();
                        let missing = (0..feed.splits.max(MOST)).filter(|split| !found.contains(split));
                        source.to.splits.extend(missing.map(|split| (split, 0)));
                    }
                }
                "datagen" => {}
                other => {
                    return Err(format!(
                        "'{}' reads from '{other}', and what that gave then cannot be read again.",
                        feed.table
                    ));
                }
            }
        }
        Ok(Moment { job, result, step, sources, topics, inline, stream })
    }

    /// The step of the job, over all engines that ran it.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The topics that the batch reads: it wants what is in them.
    pub fn topics(&self) -> &[String] {
        &self.topics
    }

    /// Whether it reads what was fed.
    pub fn reads_fed(&self) -> bool {
        self.inline
    }

    /// How many items of a split of an `inline` table were read; the source that has got farthest counts.
    fn items(&self, table: &str, split: u32) -> usize {
        let of = self.sources.iter().filter(|source| source.table == table);
        let read =
            of.flat_map(|source| &source.to.splits).filter(|(number, _)| *number == split).map(|(_, read)| *read);
        read.max().map_or(usize::MAX, |read| read as usize)
    }
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
    /// The job of `moment` in the script, over what it had read then: of what was fed, and of its topics, of which the store has answered `logs` to
    /// [`tidegate_connectors::log::copy`].
    ///
    /// # Errors
    /// Why it cannot be computed, for people.
    pub fn new(
        sql: &str,
        options: &SessionOptions,
        moment: Moment,
        fed: &[Fed],
        logs: Vec<StoreResponse>,
    ) -> Result<Batch, String> {
        let mut overrides = options.overrides.clone();
        overrides.push(crate::recovery::from_nothing());
        overrides.push(("execution.checkpointing.interval".to_owned(), "0 ms".to_owned()));
        // All rows count: none is late where time only comes at the end.
        let interval = format!("{} ms", tidegate_connectors::ONLY_AT_THE_END);
        overrides.push(("pipeline.auto-watermark-interval".to_owned(), interval));
        let options = SessionOptions {
            job_prefix: "batch/".to_owned(),
            chunk_limit: tidegate_data::Chunk::MAX_ROWS,
            // What an INSERT gives is compared as well.
            watched: true,
            journal: false,
            restart: RestartStrategy::None,
            overrides,
            read_to: moment.sources.iter().map(|source| (source.uid.clone(), source.to.clone())).collect(),
            ..options.clone()
        };
        let mut store = MemoryStore::new();
        for answer in logs {
            let put = tidegate_connectors::log::copied(answer).ok_or("the store did not give what is in its logs.")?;
            store.execute(put);
        }
        let mut session = Session::new(options);
        session
            .run(sql, Restore::None)
            .map_err(|problems| problems.first().map_or_else(String::new, |problem| problem.message.clone()))?;
        let job = moment.job;
        let handle = session.jobs().get(job).ok_or("there is no such job.")?;
        let looks_up = |node: &tidegate_plan::physical::Node| matches!(node.kind, NodeKind::LookupJoin { .. });
        if handle.plan.plan.nodes.iter().any(looks_up) {
            return Err("a lookup join reads a table as it was when each row came: that cannot be read again.".into());
        }
        let forgets =
            |node: &tidegate_plan::physical::Node| node.state_ttl.iter().any(|ttl| ttl.is_some_and(|ms| ms > 0));
        if handle.plan.config.millis("table.exec.state.ttl").unwrap_or(0) > 0
            || handle.plan.plan.nodes.iter().any(forgets)
        {
            return Err("its state is kept for some time only (state TTL): a batch forgets nothing.".into());
        }
        let mut events = Vec::new();
        let mut rows = 0;
        for feed in session.feeds().into_iter().filter(|feed| handle.sources.contains(&feed.table)) {
            if feed.connector != "inline" {
                let read = moment.sources.iter().filter(|source| source.table == feed.table);
                let read = read.map(|source| source.to.splits.iter().map(|(_, rows)| rows).sum::<u64>());
                rows += read.max().unwrap_or(0);
                continue;
            }
            let upserts = !feed.kinds.contains(&RowKind::UpdateBefore) && feed.kinds.contains(&RowKind::UpdateAfter);
            let key = session.catalog().table(&feed.table).filter(|_| upserts).and_then(|table| table.physical_key());
            for split in 0..feed.splits {
                let items = fed.iter().filter(|(table, at, _)| *table == feed.table && *at == split);
                let items = items.flat_map(|(_, _, items)| items).take(moment.items(&feed.table, split));
                let items: Vec<&FeedItem> = items.take_while(|item| !matches!(item, FeedItem::End)).collect();
                rows += items.iter().filter(|item| matches!(item, FeedItem::Row(..))).count() as u64;
                let left = leftover(&items, key.as_deref());
                let mut items: Vec<FeedItem> =
                    left.into_iter().map(|row| FeedItem::Row(RowKind::Insert, row)).collect();
                items.push(FeedItem::End);
                events.push(Event::Feed { table: feed.table.clone(), split, items });
            }
        }
        let mut batch = Batch { session, store, moment, rows };
        for event in events {
            // Feeding is never refused.
            let _ = batch.session.jobs_mut()[job].runtime.handle(event);
        }
        Ok(batch)
    }

    /// The step of the stream that it is compared with, over all engines, and how many input rows had been read up to there.
    pub fn of(&self) -> (u64, u64) {
        (self.moment.step, self.rows)
    }

    /// Goes on while `more` says so. True at the end.
    ///
    /// # Errors
    /// Why it failed.
    pub fn advance(&mut self, more: &mut dyn FnMut() -> bool) -> Result<bool, String> {
        loop {
            let runtime = &mut self.session.jobs_mut()[self.moment.job].runtime;
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

    /// How the stream's result compares with the batch's.
    pub fn compare(self, zone: Zone) -> Comparison {
        let result = self.session.jobs().get(self.moment.job).and_then(|job| job.results.get(self.moment.result));
        let buffer = result.and_then(|result| result.buffer.as_ref());
        let mut batch = buffer.map_or_else(Vec::new, |buffer| buffer.borrow().table_rows(zone));
        let mut stream = self.moment.stream;
        sorted::sort(&mut stream);
        sorted::sort(&mut batch);
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
fn leftover(items: &[&FeedItem], key: Option<&[usize]>) -> Vec<Vec<Value>> {
    let mut rows: Vec<Vec<Value>> = Vec::new();
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
