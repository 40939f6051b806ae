//! One sink subtask's conversation with the store: one question at a time, every write exactly once.
//!
//! Each write requires the writer's key to hold the value that the last one gave it, and gives it the next. So a write that
//! comes late, twice, or from an earlier attempt is refused; and when the answer to a write is lost, that key tells whether
//! it was written. A store that is away is asked again, forever, at growing intervals.

use bytes::Bytes;
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::{Context, Failure, Key, RequestId, StoreRequest, StoreResponse};

use crate::transaction::Transaction;

const FENCED: Code = Code::new("TG5070");
const UNEXPECTED: Code = Code::new("TG5071");
/// The pause before a store that failed is asked again, ms: at first, and at the most.
const RETRY: (i64, i64) = (50, 5_000);

/// A write, all or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Write {
    /// What must hold besides.
    pub require: Vec<(Key, Option<Bytes>)>,
    /// Ranges to delete.
    pub delete: Vec<(Key, Key)>,
    /// What to put.
    pub put: Vec<(Key, Bytes)>,
}

/// What a task wants next.
#[derive(Debug)]
pub(crate) enum Ask {
    /// The value of a key.
    Get(Key),
    /// Entries of a range, so many at the most.
    Scan(Key, Key, usize),
    /// A write, guarded by the writer's key.
    Write(Write),
    /// A write before the writer has a key: not guarded, so it must be harmless when done twice.
    Unguarded(Write),
    /// Nothing: the task is done.
    Done(Done),
}

/// What a finished task gives.
#[derive(Debug)]
pub(crate) enum Done {
    /// Nothing but that it is done.
    Plain,
    /// The transaction that was to be committed is gone.
    Lost,
    /// The writer is open: its key and epoch, and the transactions that were left open, of this subtask and of those that it stands in for.
    Opened(Key, u64, Vec<Transaction>),
}

/// An answer to what a task asked.
#[derive(Debug)]
pub(crate) enum Answer {
    /// There is none yet: the task begins.
    Begin,
    /// To `Get`.
    Value(Option<Bytes>),
    /// To `Scan`.
    Entries(Vec<(Key, Bytes)>),
    /// To a write: written.
    Written,
    /// To a write: another condition than the writer's does not hold.
    Refused,
}

/// A piece of work: questions and answers in turn.
pub(crate) trait Task {
    /// The next question, given the answer to the last.
    ///
    /// # Errors
    /// When the work cannot be done at all: the subtask fails.
    fn next(&mut self, answer: Answer) -> Result<Ask, Failure>;
}

/// A single write.
pub(crate) struct WriteTask(pub Option<Write>);

impl Task for WriteTask {
    fn next(&mut self, answer: Answer) -> Result<Ask, Failure> {
        match (answer, self.0.take()) {
            (Answer::Begin, Some(write)) => Ok(Ask::Write(write)),
            (Answer::Written, _) => Ok(Ask::Done(Done::Plain)),
            (answer, _) => Err(unexpected(&answer)),
        }
    }
}

/// The failure of a task that got an answer to something else than it asked.
pub(crate) fn unexpected(answer: &Answer) -> Failure {
    let message = format!("The store gave an answer to another question: {answer:?}.");
    Failure { diagnostic: Diagnostic::error(UNEXPECTED, message) }
}

struct Guard {
    key: Key,
    epoch: u64,
    writes: u64,
}

impl Guard {
    fn value(&self, more: u64) -> Bytes {
        format!("{}:{}", self.epoch, self.writes + more).into()
    }
}

/// A question under way.
enum Question {
    Plain(StoreRequest),
    Write(Write),
    /// What came of a write? `refused`: the store has refused it (perhaps because an earlier try was written).
    Verify {
        write: Write,
        refused: bool,
    },
}

/// See the module.
pub(crate) struct Client {
    guard: Option<Guard>,
    /// What must hold besides for the writes of the task at work: that the job has not been taken over.
    claim: Option<(Key, Option<Bytes>)>,
    task: Option<Box<dyn Task>>,
    sent: Option<(RequestId, Question)>,
    waiting: Option<(i64, Question)>,
    pause: i64,
}

impl Client {
    /// A client that has not opened its writer yet.
    pub fn new() -> Client {
        Client { guard: None, claim: None, task: None, sent: None, waiting: None, pause: RETRY.0 }
    }

    /// Whether it has nothing to do.
    pub fn is_idle(&self) -> bool {
        self.task.is_none()
    }

    /// Whether a write is on its way.
    pub fn is_writing(&self) -> bool {
        matches!(self.sent, Some((_, Question::Write(_))))
    }

    /// From now on all writes are guarded by this key, which holds `epoch:0`.
    pub fn opened(&mut self, key: Key, epoch: u64) {
        self.guard = Some(Guard { key, epoch, writes: 0 });
    }

    /// Begins a task whose writes, as far as they have no conditions of their own, have no effect once the job was taken over: where a key goes
    /// to another subtask than before, the writer that wrote its rows may not be fenced off yet.
    ///
    /// # Errors
    /// The task's own.
    pub fn start_claimed(&mut self, task: Box<dyn Task>, cx: &mut dyn Context) -> Result<Option<Done>, Failure> {
        self.claim = cx.claim();
        self.start(task, cx)
    }

    /// Begins a task; there must be none.
    ///
    /// # Errors
    /// The task's own.
    pub fn start(&mut self, task: Box<dyn Task>, cx: &mut dyn Context) -> Result<Option<Done>, Failure> {
        debug_assert!(self.is_idle());
        self.task = Some(task);
        self.answer(Answer::Begin, cx)
    }

    /// Asks again what the store could not answer, when it is time.
    pub fn retry(&mut self, cx: &mut dyn Context) {
        match self.waiting.take() {
            Some((at, question)) if at <= cx.now() => self.send(question, cx),
            Some((at, question)) => {
                cx.wake_at(at);
                self.waiting = Some((at, question));
            }
            None => {}
        }
    }

    /// Takes an answer of the store; gives what the task gives once it is done.
    ///
    /// # Errors
    /// When the writer was fenced off, or the task fails.
    pub fn on_response(
        &mut self,
        id: RequestId,
        response: StoreResponse,
        cx: &mut dyn Context,
    ) -> Result<Option<Done>, Failure> {
        let Some((_, question)) = self.sent.take_if(|(sent, _)| *sent == id) else { return Ok(None) };
        let (uncertain, failed) = match &response {
            StoreResponse::Failed { uncertain, .. } => (*uncertain, true),
            _ => (false, false),
        };
        if failed {
            let question = match question {
                Question::Write(write) if uncertain => Question::Verify { write, refused: false },
                question => question,
            };
            let at = cx.now().saturating_add(self.pause);
            self.pause = (self.pause * 2).min(RETRY.1);
            self.waiting = Some((at, question));
            cx.wake_at(at);
            return Ok(None);
        }
        self.pause = RETRY.0;
        let answer = match (question, response) {
            (Question::Write(_), StoreResponse::Done) => {
                self.written();
                Answer::Written
            }
            (Question::Write(write), StoreResponse::Refused { .. }) => {
                self.send(Question::Verify { write, refused: true }, cx);
                return Ok(None);
            }
            (Question::Verify { write, refused }, StoreResponse::Value(value)) => {
                let Some(guard) = &self.guard else { return Ok(None) };
                if value.as_ref() == Some(&guard.value(1)) {
                    self.written();
                    Answer::Written
                } else if value.as_ref() != Some(&guard.value(0))
                    || refused && self.claim.is_some() && write.require.is_empty()
                {
                    return Err(self.fenced());
                } else if refused {
                    Answer::Refused
                } else {
                    self.send(Question::Write(write), cx);
                    return Ok(None);
                }
            }
            (Question::Plain(_), StoreResponse::Value(value)) => Answer::Value(value),
            (Question::Plain(_), StoreResponse::Entries(entries)) => Answer::Entries(entries),
            (Question::Plain(_), StoreResponse::Done) => Answer::Written,
            (Question::Plain(_), StoreResponse::Refused { .. }) => Answer::Refused,
            (_, response) => {
                let message = format!("The store gave an answer to another question: {response:?}.");
                return Err(Failure { diagnostic: Diagnostic::error(UNEXPECTED, message) });
            }
        };
        self.answer(answer, cx)
    }

    fn answer(&mut self, answer: Answer, cx: &mut dyn Context) -> Result<Option<Done>, Failure> {
        let Some(task) = &mut self.task else { return Ok(None) };
        let question = match task.next(answer)? {
            Ask::Get(key) => Question::Plain(StoreRequest::Get { key }),
            Ask::Scan(from, to, limit) => Question::Plain(StoreRequest::Scan { from, to, limit }),
            Ask::Unguarded(Write { require, delete, put }) => {
                Question::Plain(StoreRequest::Batch { require, delete, put })
            }
            Ask::Write(write) => Question::Write(write),
            Ask::Done(done) => {
                self.task = None;
                self.claim = None;
                return Ok(Some(done));
            }
        };
        self.send(question, cx);
        Ok(None)
    }

    fn send(&mut self, question: Question, cx: &mut dyn Context) {
        let request = match (&question, &self.guard) {
            (Question::Plain(request), _) => request.clone(),
            (Question::Write(write), Some(guard)) => {
                let mut require = Vec::with_capacity(write.require.len() + 1);
                require.push((guard.key.clone(), Some(guard.value(0))));
                require.extend(write.require.iter().cloned());
                require.extend(self.claim.clone().filter(|_| write.require.is_empty()));
                let mut put = write.put.clone();
                put.push((guard.key.clone(), guard.value(1)));
                StoreRequest::Batch { require, delete: write.delete.clone(), put }
            }
            (Question::Verify { .. }, Some(guard)) => StoreRequest::Get { key: guard.key.clone() },
            (_, None) => unreachable!("a writer is opened before it writes"),
        };
        self.sent = Some((cx.request(request), question));
    }

    fn written(&mut self) {
        if let Some(guard) = &mut self.guard {
            guard.writes += 1;
        }
    }

    fn fenced(&self) -> Failure {
        let name = self.guard.as_ref().map(|guard| String::from_utf8_lossy(&guard.key).into_owned());
        let message = format!("The writer '{}' was fenced off: a later one has taken over.", name.unwrap_or_default());
        Failure { diagnostic: Diagnostic::error(FENCED, message).hint("Is the same job running twice?") }
    }
}
