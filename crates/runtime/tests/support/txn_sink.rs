//! A sink in the shape of Flink's two-phase commit, small enough to be believed: rows are staged under a key of their own, a marker commits them.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use tidegate_data::Chunk;
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::state::{ListTable, Scope, StateVisitor};
use tidegate_runtime::*;

use super::rows;

/// What the sink promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    AtLeastOnce,
    ExactlyOnce,
}

/// Stages rows until a barrier, pre-commits them with it, commits when the checkpoint is complete.
pub struct TxnSink {
    guarantee: Guarantee,
    buffer: Vec<Vec<i64>>,
    /// Transactions that are pre-committed and not known to be committed: checkpoint and key of the rows.
    pending: ListTable,
    asked: BTreeMap<RequestId, (Ask, StoreRequest)>,
    /// Transactions whose commit has been asked for.
    committing: BTreeSet<Vec<u8>>,
    failures: u32,
    flushes: u64,
    watermark: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Ask {
    Stage,
    Commit(Vec<u8>),
}

impl TxnSink {
    pub fn new(guarantee: Guarantee) -> TxnSink {
        TxnSink {
            guarantee,
            buffer: Vec::new(),
            pending: ListTable::new(Scope::Split, "checkpoint, transaction -> ()", |k, _| {
                (format!("{k:?}"), String::new())
            }),
            asked: BTreeMap::new(),
            committing: BTreeSet::new(),
            failures: 0,
            flushes: 0,
            watermark: i64::MIN,
        }
    }

    fn ask(&mut self, ask: Ask, body: StoreRequest, cx: &mut dyn Context) {
        let id = cx.request(body.clone());
        self.asked.insert(id, (ask, body));
    }

    /// Sends the buffer; gives the transaction's name.
    fn stage(&mut self, checkpoint: u64, visible: bool, cx: &mut dyn Context) -> Option<Vec<u8>> {
        if self.buffer.is_empty() {
            return None;
        }
        let info = cx.subtask();
        self.flushes += 1;
        let mut name = checkpoint.to_be_bytes().to_vec();
        name.extend(format!("/{}/{}/{}", info.attempt, info.index, self.flushes).as_bytes());
        let value: Vec<String> = self.buffer.drain(..).map(|row| format!("{row:?}")).collect();
        let mut put = vec![(key("staged/", &name), Bytes::from(value.join(";")))];
        if visible {
            put.push((key("marker/", &name), Bytes::new()));
        }
        self.ask(Ask::Stage, StoreRequest::Batch { require: vec![], delete: vec![], put }, cx);
        Some(name)
    }

    fn commit(&mut self, up_to: u64, cx: &mut dyn Context) {
        let due = self.pending.iter().map(|(name, _)| name.to_vec());
        let due: Vec<Vec<u8>> = due.filter(|name| u64::from_be_bytes(name[..8].try_into().unwrap()) <= up_to).collect();
        for name in due {
            if self.committing.insert(name.clone()) {
                let put = vec![(key("marker/", &name), Bytes::new())];
                self.ask(Ask::Commit(name), StoreRequest::Batch { require: vec![], delete: vec![], put }, cx);
            }
        }
    }

    fn wait_for(&self, f: impl Fn(&Ask) -> bool) -> Outcome {
        Ok(if self.asked.values().any(|(ask, _)| f(ask)) { Progress::Wait } else { Progress::Done })
    }
}

fn key(kind: &str, name: &[u8]) -> Key {
    let mut key = b"sink/".to_vec();
    key.extend(kind.as_bytes());
    key.extend(name);
    Key::from(key)
}

/// The rows that a reader at read-committed sees, per transaction.
pub fn committed(store: &MemoryStore) -> BTreeMap<Vec<u8>, Vec<Vec<i64>>> {
    let mut seen = BTreeMap::new();
    for marker in store.entries().keys() {
        let Some(name) = marker.strip_prefix(b"sink/marker/") else { continue };
        let rows = &store.entries()[&key("staged/", name)];
        let rows = std::str::from_utf8(rows).unwrap().split(';').map(|row| {
            let numbers = row.trim_matches(['[', ']']).split(", ");
            numbers.map(|number| number.parse().unwrap()).collect()
        });
        seen.insert(name.to_vec(), rows.collect());
    }
    seen
}

impl Operator for TxnSink {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("pending", &mut self.pending);
    }

    fn restored(&mut self, cx: &mut dyn Context) -> Outcome {
        self.commit(u64::MAX, cx);
        self.wait_for(|ask| matches!(ask, Ask::Commit(_)))
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        self.buffer.extend(rows(&chunk).into_iter().map(|(_, row)| row));
        if self.guarantee == Guarantee::AtLeastOnce && self.buffer.len() >= 5 {
            self.stage(0, true, cx);
        }
        Ok(Progress::Done)
    }

    fn on_watermark(&mut self, watermark: i64, _cx: &mut dyn Context) -> Outcome {
        assert!(watermark > self.watermark, "the watermark went back");
        self.watermark = watermark;
        Ok(Progress::Done)
    }

    fn end_input(&mut self, _input: usize, cx: &mut dyn Context) -> Outcome {
        if self.guarantee == Guarantee::AtLeastOnce {
            self.stage(0, true, cx);
        }
        Ok(Progress::Done)
    }

    fn pre_barrier(&mut self, checkpoint: CheckpointId, cx: &mut dyn Context) -> Outcome {
        match self.guarantee {
            Guarantee::AtLeastOnce => drop(self.stage(0, true, cx)),
            Guarantee::ExactlyOnce => {
                if let Some(name) = self.stage(checkpoint, false, cx) {
                    self.pending.put(&name, b"");
                }
            }
        }
        self.wait_for(|ask| *ask == Ask::Stage)
    }

    fn resume(&mut self, _cx: &mut dyn Context) -> Outcome {
        // Commits asked for by a notification do not hold anything up; those of a restore come before all else, so waiting for both is right.
        self.wait_for(|_| true)
    }

    fn on_response(&mut self, id: RequestId, response: StoreResponse, cx: &mut dyn Context) -> Result<(), Failure> {
        let (ask, body) = self.asked.remove(&id).expect("an answer to a question");
        match response {
            StoreResponse::Done => {
                if let Ask::Commit(name) = ask {
                    self.pending.remove(&name);
                    self.committing.remove(&name);
                }
            }
            _ => {
                self.failures += 1;
                if self.failures > 20 {
                    let diagnostic = Diagnostic::error(Code::new("TG5999"), "the sink's store failed too often");
                    return Err(Failure { diagnostic });
                }
                self.ask(ask, body, cx);
            }
        }
        Ok(())
    }

    fn on_checkpoint_complete(&mut self, checkpoint: CheckpointId, cx: &mut dyn Context) -> Result<(), Failure> {
        self.commit(checkpoint, cx);
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.buffer.is_empty() && self.asked.is_empty() && self.pending.iter().next().is_none()
    }
}
