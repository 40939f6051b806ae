//! What lies in the outside systems, as their readers see it: looked at again whenever a job has gone on.

use std::rc::Rc;

use tidegate::data::Zone;
use tidegate::runtime::FeedItem;
use tidegate::store::{StoreRequest, StoreResponse, log, table};
use tidegate::{ResultKind, chunk_texts};
use tidegate_protocol::Answer;
use tidegate_worker::host;

use crate::desk::{Desk, Run, Sender, failed};
use crate::inputs::Input;

/// Rows of an outside table or log shown at the most.
const LIMIT: usize = 200;

/// After this time it is looked at again without a step, ms.
const AGAIN: f64 = 300.0;

/// The longest time that a look which took long holds up the next, ms.
const REST: f64 = 2000.0;

/// What was seen last.
#[derive(Default)]
pub struct Outside {
    /// By job and result.
    pub seen: Vec<(usize, usize, Readers)>,
    /// The job and the step at which it was last looked at, and when.
    looked: Option<(usize, u64, u64)>,
    /// Whether a look is under way.
    looking: bool,
    /// No other look before this time: what is large is not read all the time.
    rest_until: f64,
}

/// A sink's place as its two readers see it.
#[derive(Clone, Default)]
pub struct Readers {
    /// What a committed reader sees.
    pub committed: Vec<Vec<Option<String>>>,
    /// What an uncommitted reader sees, and whether each row is committed.
    pub uncommitted: Vec<(Vec<Option<String>>, bool)>,
    /// How many rows each of them sees, with those that are not among the above.
    pub totals: [usize; 2],
}

impl Outside {
    /// What was seen of a result.
    pub fn of(&self, job: usize, result: usize) -> Option<&Readers> {
        self.seen.iter().find(|(j, r, _)| (*j, *r) == (job, result)).map(|(_, _, readers)| readers)
    }
}

/// What a committed and an uncommitted reader ask.
pub enum Queries {
    /// Of a table.
    Table([table::Query; 2]),
    /// Of a log.
    Log([log::Query; 2]),
}

impl Queries {
    /// The questions about a sink's place, if that lies in the store.
    pub fn of(kind: &ResultKind) -> Option<Queries> {
        match kind {
            ResultKind::Table(name) => {
                let query = |isolation| table::Query { given: LIMIT, ..table::Query::all(name, isolation) };
                Some(Queries::Table([query(table::Isolation::ReadCommitted), query(table::Isolation::ReadUncommitted)]))
            }
            ResultKind::Log(topic) => Some(Queries::Log([
                log::Query::all(topic, log::Isolation::ReadCommitted),
                log::Query::all(topic, log::Isolation::ReadUncommitted),
            ])),
            _ => None,
        }
    }

    /// The question about all of a log.
    pub fn whole_log(topic: &str) -> log::Query {
        log::Query::all(topic, log::Isolation::ReadUncommitted)
    }

    /// What is asked of the store: by the one reader, by the other.
    pub fn requests(&self) -> [Vec<StoreRequest>; 2] {
        match self {
            Queries::Table([one, other]) => [one.requests(), other.requests()],
            Queries::Log([one, other]) => [one.requests(), other.requests()],
        }
    }

    /// What the readers see; nothing if it cannot be read.
    pub fn decode(&self, answers: [Vec<StoreResponse>; 2]) -> Option<Readers> {
        let [one, other] = answers;
        match self {
            Queries::Table([committed, uncommitted]) => {
                let (committed, uncommitted) = (committed.decode(one).ok()?, uncommitted.decode(other).ok()?);
                let fresh = uncommitted.uncommitted.clone();
                let rows = chunk_texts(&uncommitted.rows, &uncommitted.schema, Zone::UTC)
                    .into_iter()
                    .zip(fresh.into_iter().map(|fresh| !fresh));
                Some(Readers {
                    committed: chunk_texts(&committed.rows, &committed.schema, Zone::UTC),
                    uncommitted: rows.collect(),
                    totals: [committed.total, uncommitted.total],
                })
            }
            Queries::Log([committed, uncommitted]) => {
                let (committed, uncommitted) = (committed.decode(one).ok()?, uncommitted.decode(other).ok()?);
                Some(Readers {
                    committed: newest(&committed).into_iter().map(|(row, _)| row).collect(),
                    uncommitted: newest(&uncommitted),
                    totals: [&committed, &uncommitted]
                        .map(|page| page.batches.iter().map(|batch| batch.rows.chunk.len).sum()),
                })
            }
        }
    }
}

/// The newest rows of a log, and whether each is committed.
fn newest(page: &log::LogPage) -> Vec<(Vec<Option<String>>, bool)> {
    let mut rows = Vec::new();
    for batch in page.batches.iter().rev() {
        let done = matches!(batch.status, log::Status::None | log::Status::Committed);
        let of_batch = chunk_texts(&batch.rows.chunk, &batch.rows.schema, Zone::UTC).into_iter().rev();
        rows.extend(of_batch.take(LIMIT - rows.len()).map(|row| (row, done)));
        if rows.len() == LIMIT {
            break;
        }
    }
    rows.reverse();
    rows
}

impl Desk {
    /// Looks at the sinks of a job again, if it has gone on and no look is under way.
    pub fn look_outside(self: &Rc<Self>, job: usize) {
        let mut guard = self.run.borrow_mut();
        let Some(run) = &mut *guard else { return };
        if run.is_past() {
            return;
        }
        let Some(handle) = run.session.jobs().get(job) else { return };
        let mut places: Vec<(usize, ResultKind)> = Vec::new();
        for (number, result) in handle.results.iter().enumerate() {
            // A sink that several statements write to is read once.
            let same = |place: &(usize, ResultKind)| handle.results[place.0].target.sink == result.target.sink;
            if matches!(result.kind, ResultKind::Log(_) | ResultKind::Table(_)) && !places.iter().any(same) {
                places.push((number, result.kind.clone()));
            }
        }
        // A commit changes what lies there without a step.
        let now = host::clock();
        let mark = (job, handle.runtime.steps(), (now / AGAIN) as u64);
        let outside = &run.outside;
        if places.is_empty() || outside.looking || outside.looked == Some(mark) || now < outside.rest_until {
            return;
        }
        run.outside.looking = true;
        run.outside.looked = Some(mark);
        drop(guard);
        let (desk, generation) = (self.clone(), self.generation.get());
        wasm_bindgen_futures::spawn_local(async move {
            let mut seen = Vec::new();
            for (number, kind) in places {
                if let Some(readers) = desk.read(&kind).await {
                    seen.push((job, number, readers));
                }
            }
            if desk.generation.get() == generation
                && let Some(run) = &mut *desk.run.borrow_mut()
            {
                run.outside.looking = false;
                let end = host::clock();
                run.outside.rest_until = end + (end - now).min(REST);
                run.outside
                    .seen
                    .retain(|(other, number, _)| *other != job || !seen.iter().any(|(_, fresh, _)| fresh == number));
                run.outside.seen.extend(seen);
            }
        });
    }

    async fn read(&self, kind: &ResultKind) -> Option<Readers> {
        let queries = Queries::of(kind)?;
        let [committed, uncommitted] = queries.requests();
        let answers = [self.ask_all(committed).await, self.ask_all(uncommitted).await];
        queries.decode(answers)
    }

    async fn ask_all(&self, requests: Vec<StoreRequest>) -> Vec<StoreResponse> {
        // All go out before the first answer is awaited: as few turns of the store as can be.
        let replies: Vec<_> = requests.into_iter().map(|request| self.port.ask(request)).collect();
        let mut answers = Vec::with_capacity(replies.len());
        for reply in replies {
            answers.push(reply.await);
        }
        answers
    }

    /// Puts rows into a topic, as a producer without transactions, and tells the sender.
    pub async fn append(self: Rc<Self>, table: String, split: u32, items: Vec<FeedItem>, sender: Sender) {
        let generation = self.generation.get();
        let said = self.clone().append_to(&table, split, &items).await;
        // The log belongs to another run by now, if there is one.
        if self.generation.get() == generation {
            self.fed(&table, split, sender, said);
        }
    }

    /// Puts rows into a topic.
    pub async fn append_to(self: Rc<Self>, table: &str, split: u32, items: &[FeedItem]) -> Answer {
        let generation = self.generation.get();
        let begun = self.run.borrow().as_ref().and_then(|run| run.begin_append(table, split, items));
        let Some(mut append) = begun else { return Answer::Done };
        let mut request = append.begin();
        let mut write = None;
        loop {
            let mut sent = request.clone();
            if let (StoreRequest::Batch { .. }, Some(run)) = (&request, &mut *self.run.borrow_mut()) {
                let (number, recorded) = run.outside(&request);
                (write, sent) = (Some((number, request)), recorded);
            }
            let response = self.port.ask(sent).await;
            if self.generation.get() != generation {
                return Answer::Done;
            }
            let done = response == StoreResponse::Done;
            let next = append.next(response);
            // Of a write that was in doubt it is known later only.
            let written = done || matches!(next, Ok(log::Step::Done(_)));
            if written && let (Some((number, request)), Some(run)) = (write.take(), &mut *self.run.borrow_mut()) {
                run.note_outside(number, request);
            }
            match next {
                Ok(log::Step::Ask(next)) => request = next,
                Ok(log::Step::Done(appended)) => {
                    if let Some(run) = &mut *self.run.borrow_mut() {
                        run.note_rows(table, appended.partition, Some(appended.offset), items);
                    }
                    self.turns.wake();
                    return Answer::Done;
                }
                Err(problem) => return failed(&problem.code.to_string(), problem.message),
            }
        }
    }

    /// Shows what lies in the log that a resumed run reads.
    pub async fn look_at_log(self: Rc<Self>, table: String) {
        let topic = |run: &Run| run.inputs.iter().find(|input| input.feed.table == table).and_then(Input::topic);
        let Some(topic) = self.run.borrow().as_ref().and_then(topic) else { return };
        let query = Queries::whole_log(&topic);
        let Ok(page) = query.decode(self.ask_all(query.requests()).await) else { return };
        if let Some(run) = &mut *self.run.borrow_mut()
            && let Some(input) = run.inputs.iter_mut().find(|input| input.feed.table == table)
        {
            input.show_log(&page);
        }
    }
}

impl Run {
    fn begin_append(&self, name: &str, split: u32, items: &[FeedItem]) -> Option<log::Append> {
        let input = self.inputs.iter().find(|input| input.feed.table == name)?;
        let rows = items.iter().filter_map(|item| match item {
            FeedItem::Row(kind, values) => Some((*kind, values.clone())),
            _ => None,
        });
        let chunk = tidegate::rows_chunk(&input.feed.physical, rows.collect()).ok()?;
        let now = self.drive.now as i64;
        Some(log::Append::new(&input.topic()?, input.feed.splits, split, now, &input.feed.physical, &chunk))
    }
}
