//! Engines lost at any moment, by a host that does as the page's worker: what is kept in the store alone tells the next engine what was, and
//! all of it can be gone through again.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use tidegate::data::RowKind;
use tidegate::replay::{Keeper, Load, Place, Player, Recording, feeds};
use tidegate::runtime::rng::Rng;
use tidegate::runtime::{Command, Effect, Event, FeedItem, Restore};
use tidegate::store::log::{Append, Step};
use tidegate::store::{MemoryStore, Store, StoreRequest, StoreResponse};
use tidegate::{Session, SessionOptions};

use crate::drive::{START, options};

const SCRIPT: &str = "SET 'parallelism.default' = '2';
SET 'execution.checkpointing.interval' = '2 s';
CREATE TABLE numbers (n BIGINT) WITH ('connector' = 'log', 'topic' = 'numbers', 'partitions' = '2');
CREATE TABLE words (w STRING) WITH ('connector' = 'inline', 'partitions' = '2');
CREATE TABLE sums (parity BIGINT, total BIGINT, PRIMARY KEY (parity) NOT ENFORCED)
WITH ('connector' = 'table', 'table-name' = 'sums', 'sink.delivery-guarantee' = 'exactly-once');
CREATE TABLE big (n BIGINT) WITH ('connector' = 'log', 'topic' = 'big', 'sink.delivery-guarantee' = 'exactly-once');
INSERT INTO sums SELECT n % 2, SUM(n) FROM numbers GROUP BY n % 2;
INSERT INTO big SELECT n FROM numbers WHERE n > 50;
SELECT w, COUNT(*) AS c FROM words GROUP BY w;
SELECT COUNT(*) AS c FROM big;";

/// Runs that are gone through.
const SEEDS: u64 = 120;

/// Who asked.
enum Owner {
    Job(usize, u64),
    Feed(String, u32, Vec<FeedItem>),
    Append(u32),
    Nobody,
}

/// Rows on their way into a topic, and their last write with the number of its record.
struct Appending {
    append: Append,
    write: Option<(u64, StoreRequest)>,
}

struct Page {
    session: Session,
    store: MemoryStore,
    keeper: Keeper,
    now: i64,
    /// When the recording was last kept.
    written: i64,
    /// Messages to the store that it has not taken yet.
    sent: VecDeque<Vec<(Owner, StoreRequest)>>,
    /// Answers that the engine has not heard yet.
    answers: VecDeque<(Owner, StoreResponse)>,
    appends: BTreeMap<u32, Appending>,
    appended: u32,
    fed: u64,
}

impl Page {
    fn new() -> Page {
        let mut session = Session::new(options());
        session.run(SCRIPT, Restore::None).expect("the script runs");
        session.record_behind(Vec::new());
        let mut page = Page {
            session,
            store: MemoryStore::new(),
            keeper: Keeper::default(),
            now: START,
            written: START,
            sent: VecDeque::new(),
            answers: VecDeque::new(),
            appends: BTreeMap::new(),
            appended: 0,
            fed: 0,
        };
        page.pump();
        page
    }

    fn steps(&self) -> Vec<u64> {
        self.session.jobs().iter().map(|job| job.runtime.steps()).collect()
    }

    /// What the jobs want goes out, behind what led to it.
    fn pump(&mut self) {
        for job in self.session.jobs_mut() {
            job.note();
        }
        let effects = self.session.take_effects();
        let stores = effects.into_iter().filter_map(|(job, effect)| match effect {
            Effect::Store { request, body } => Some((Owner::Job(job, request), body)),
            _ => None,
        });
        let mut message: Vec<_> = stores.collect();
        let steps = self.steps();
        let recorder = self.session.recorder().expect("it records");
        if !message.is_empty() || self.now - self.written > 1000 && recorder.has_fresh() {
            self.written = self.now;
            message.insert(0, (Owner::Nobody, self.keeper.piece(recorder.fresh().to_vec(), steps)));
        }
        if !message.is_empty() {
            self.sent.push_back(message);
        }
    }

    /// A row by hand or by a generator: kept first, or put into its topic.
    fn send(&mut self, table: &str, split: u32, text: String) {
        let row = self.session.parse_row(table, RowKind::Insert, &[Some(text)]).expect("the row fits");
        if table == "words" {
            let key = format!("session/feed/{:020}", self.fed).into();
            self.fed += 1;
            let value = postcard::to_allocvec(&(table, split, vec![&row])).expect("it packs");
            let put = StoreRequest::Batch { require: Vec::new(), delete: Vec::new(), put: vec![(key, value.into())] };
            return self.sent.push_back(vec![(Owner::Feed(table.to_owned(), split, vec![row]), put)]);
        }
        let schema = self.session.physical(table).expect("it has columns");
        let FeedItem::Row(kind, values) = row else { unreachable!("it is a row") };
        let chunk = tidegate::rows_chunk(&schema, vec![(kind, values)]).expect("it fits");
        let mut append = Append::new(table, 2, split, self.now, &schema, &chunk);
        let request = append.begin();
        let number = self.appended;
        self.appended += 1;
        self.appends.insert(number, Appending { append, write: None });
        self.sent.push_back(vec![(Owner::Append(number), request)]);
    }

    /// The store takes a message.
    fn carry_out(&mut self) {
        for (owner, request) in self.sent.pop_front().into_iter().flatten() {
            let response = self.store.execute(request);
            self.answers.push_back((owner, response));
        }
    }

    /// The engine hears an answer.
    fn hear(&mut self) {
        let Some((owner, response)) = self.answers.pop_front() else { return };
        match owner {
            Owner::Job(job, request) => {
                let _ = self.session.jobs_mut()[job].runtime.handle(Event::Response { request, response });
                self.pump();
            }
            Owner::Feed(table, split, items) => self.session.feed(&table, split, &items),
            Owner::Append(number) => {
                let Some(mut one) = self.appends.remove(&number) else { return };
                if let (StoreResponse::Done, Some((number, request))) = (&response, one.write.take()) {
                    self.session.recorder().expect("it records").outside(request);
                    self.keeper.heard(number);
                }
                if let Step::Ask(next) = one.append.next(response).expect("it is written") {
                    let mut sent = next.clone();
                    if let StoreRequest::Batch { .. } = next {
                        let (number, recorded) = self.keeper.outside(&next);
                        (one.write, sent) = (Some((number, next)), recorded);
                    }
                    self.sent.push_back(vec![(Owner::Append(number), sent)]);
                    self.appends.insert(number, one);
                }
            }
            Owner::Nobody => {}
        }
    }

    fn ask(&mut self, request: StoreRequest) -> Vec<(tidegate::store::Key, bytes::Bytes)> {
        match self.store.execute(request) {
            StoreResponse::Entries(entries) => entries,
            other => panic!("{other:?}"),
        }
    }

    /// The engine is lost; of what it has sent the store takes the first messages. Gives the place up to which the run is known.
    fn crash(&mut self, arrive: usize) -> Place {
        self.sent.truncate(arrive);
        while !self.sent.is_empty() {
            self.carry_out();
        }
        self.answers.clear();
        self.appends.clear();
        let mut load = Load::default();
        while !load.take(&self.ask(load.request())).expect("it is readable") {}
        // It may be lost before its first word arrives.
        let kept = load.kept().unwrap_or_default();
        let known = Place { entries: kept.entries.len(), steps: kept.steps.clone() };
        let mut session = Session::new(SessionOptions { now: self.now, ..options() });
        session.run(SCRIPT, Restore::Latest).expect("the script runs");
        for (number, (job, old)) in session.jobs_mut().iter_mut().zip(self.session.jobs()).enumerate() {
            job.history = old.history.clone().go_on(self.now, kept.steps.get(number).copied().unwrap_or(0));
        }
        let all = self.ask(StoreRequest::Scan {
            from: "session/feed/".into(),
            to: "session/feed0".into(),
            limit: usize::MAX,
        });
        let all: Vec<(String, u32, Vec<FeedItem>)> =
            all.iter().map(|(_, value)| postcard::from_bytes(value).expect("it is readable")).collect();
        self.fed = all.len() as u64;
        let (before, fresh) = all.split_at(feeds(&kept.entries) as usize);
        for (table, split, items) in before {
            session.feed(table, *split, items);
        }
        session.record_behind(kept.entries);
        let recorder = session.recorder().expect("it records");
        kept.outside.into_iter().for_each(|request| recorder.outside(request));
        recorder.lost(kept.steps, self.now);
        for (table, split, items) in fresh {
            session.feed(table, *split, items);
        }
        (self.session, self.keeper, self.written) = (session, kept.keeper, self.now);
        self.pump();
        known
    }

    fn recording(&mut self) -> Recording {
        let steps = self.steps();
        let entries = self.session.recorder().expect("it records").entries().to_vec();
        Recording { sql: SCRIPT.to_owned(), seed: options().seed, start: START, entries, steps }
    }
}

/// A run by a seed, and places of it with their digests, of each engine the last ones.
fn run(seed: u64) -> (Page, Vec<(Place, u64)>, usize) {
    let mut rng = Rng::new(seed);
    let (mut page, mut places, mut fresh, mut crashes) = (Page::new(), Vec::new(), Vec::new(), 0);
    let mut playing = true;
    for _ in 0..400 {
        match rng.below(40) {
            0..4 => {
                let table = ["numbers", "words"][rng.below(2)];
                page.send(table, rng.below(2) as u32, rng.below(100).to_string());
            }
            4..16 => {
                if playing {
                    page.now += rng.below(250) as i64;
                    page.session.time(page.now);
                }
                for job in page.session.jobs_mut() {
                    for _ in 0..rng.below(12) {
                        job.runtime.step_element();
                    }
                }
                page.pump();
            }
            16..26 => (0..1 + rng.below(4)).for_each(|_| page.carry_out()),
            26..36 => (0..1 + rng.below(4)).for_each(|_| page.hear()),
            36 => playing = !playing || rng.one_in(2),
            37 => {
                let job = rng.below(4);
                let command = match rng.below(3) {
                    0 => Command::KillSubtask { vertex: 0, index: 0 },
                    1 => Command::TriggerCheckpoint,
                    _ => Command::SetChunkLimit(1 + rng.below(3)),
                };
                let _ = page.session.jobs_mut()[job].runtime.handle(Event::Command(command));
            }
            _ if rng.one_in(3) => {
                let arrive = page.sent.len() - rng.below(page.sent.len().min(2) + 1);
                let known = page.crash(arrive);
                crashes += 1;
                // What was not kept has not happened.
                let steps = |job: usize| known.steps.get(job).copied().unwrap_or(0);
                let was =
                    |place: &Place| place.entries <= known.entries && (0..4).all(|job| place.steps[job] <= steps(job));
                places.extend(std::mem::take(&mut fresh).into_iter().filter(|(place, _)| was(place)));
            }
            _ => {}
        }
        if rng.one_in(5) {
            fresh.push((page.recording().end(), page.session.digest()));
        }
    }
    places.extend(fresh);
    (page, places, crashes)
}

#[test]
fn over_engines_lost_at_any_moment_the_run_goes_the_same_way_again() {
    let mut crashes = 0;
    for seed in 0..SEEDS {
        let (mut page, places, lost) = run(seed);
        crashes += lost;
        let recording = Rc::new(page.recording());
        let mut player = Player::new(recording.clone(), &options()).expect("the script runs");
        let mut go = |place: &Place, digest: u64| {
            let went = player.advance(place, &mut || true);
            assert_eq!(went, Ok(true), "seed {seed} to {place:?}");
            assert_eq!(player.session_mut().digest(), digest, "seed {seed}, {place:?}");
        };
        for (place, digest) in &places {
            go(place, *digest);
        }
        go(&recording.end(), page.session.digest());
        while !page.sent.is_empty() || !page.answers.is_empty() {
            page.carry_out();
            page.hear();
        }
        // Back over the last crash, and forward again.
        let recording = Rc::new(page.recording());
        let mut again = Player::new(recording.clone(), &options()).expect("the script runs");
        if let Some((place, digest)) = places.get(places.len() / 2) {
            assert_eq!(again.advance(place, &mut || true), Ok(true), "seed {seed}");
            assert_eq!(again.session_mut().digest(), *digest, "seed {seed}");
        }
        assert_eq!(again.advance(&recording.end(), &mut || true), Ok(true), "seed {seed}, to the end");
        assert_eq!(again.session_mut().digest(), page.session.digest(), "seed {seed}, at the end");
        let mut outside = page.store.entries().clone();
        outside.retain(|key, _| !key.starts_with(b"session/"));
        assert_eq!(again.store().entries(), &outside, "seed {seed}, the store");
    }
    assert!(crashes as u64 > SEEDS, "{crashes} crashes");
}
