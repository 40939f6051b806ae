//! What an operator sees of the runtime while it is called.

use std::collections::VecDeque;

use bytes::Bytes;
use tidegate_data::Chunk;

use crate::chain::Item;
use crate::element::WatermarkStatus;
use crate::env::{Env, Owner, Signal};
use crate::operator::{Context, SubtaskInfo};
use crate::store::{Key, RequestId, StoreRequest};
use crate::view::TransactionStep;

/// What the runtime keeps about an operator's output, and the operator's figures.
#[derive(Debug)]
pub(crate) struct Gate {
    /// The watermark as the operator sees it.
    pub(crate) watermark: Option<i64>,
    /// The last watermark handed on.
    pub(crate) sent: i64,
    /// The last status handed on.
    pub(crate) idle: bool,
    /// The operator itself said that it is idle: its next row or watermark says that it is active again.
    own_idle: bool,
    /// Next call by processing time.
    pub(crate) wake: Option<i64>,
    /// The same for something that need not come about.
    watch: Option<i64>,
    pub(crate) late_rows: u64,
    pub(crate) rows_in: u64,
    pub(crate) rows_out: u64,
    /// Columns of the first chunk: all others must have as many.
    columns: Option<usize>,
}

impl Default for Gate {
    fn default() -> Gate {
        Gate {
            watermark: None,
            sent: i64::MIN,
            idle: false,
            own_idle: false,
            wake: None,
            watch: None,
            late_rows: 0,
            rows_in: 0,
            rows_out: 0,
            columns: None,
        }
    }
}

impl Gate {
    /// When the operator is called next by processing time.
    pub(crate) fn next_call(&self) -> Option<i64> {
        self.wake.into_iter().chain(self.watch).min()
    }

    /// It is called now.
    pub(crate) fn called(&mut self, now: i64) {
        self.wake = self.wake.filter(|at| *at > now);
        self.watch = self.watch.filter(|at| *at > now);
    }

    /// The watermark to hand on, if it is new. Nothing goes through while idle, as in Flink's outputs.
    pub(crate) fn pass_watermark(&mut self, watermark: i64) -> Option<Item> {
        if self.idle || watermark <= self.sent {
            return None;
        }
        self.sent = watermark;
        Some(Item::Watermark(watermark))
    }

    /// The status to hand on, if it is new.
    pub(crate) fn pass_status(&mut self, status: WatermarkStatus) -> Option<Item> {
        let idle = status == WatermarkStatus::Idle;
        (std::mem::replace(&mut self.idle, idle) != idle).then_some(Item::Status(status))
    }
}

/// One call of an operator. Debug builds hold the operator to its contract.
pub(crate) struct Call<'a> {
    out: &'a mut VecDeque<Item>,
    gate: &'a mut Gate,
    env: &'a mut Env,
    owner: Owner,
    info: &'a SubtaskInfo,
    rows: usize,
}

impl<'a> Call<'a> {
    pub(crate) fn new(
        out: &'a mut VecDeque<Item>,
        gate: &'a mut Gate,
        env: &'a mut Env,
        owner: Owner,
        info: &'a SubtaskInfo,
    ) -> Call<'a> {
        Call { out, gate, env, owner, info, rows: 0 }
    }

    /// Rows emitted.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    fn wake_up(&mut self) {
        if self.gate.own_idle {
            self.emit_status(WatermarkStatus::Active);
        }
    }
}

impl Context for Call<'_> {
    fn emit(&mut self, chunk: Chunk) {
        self.wake_up();
        self.rows += chunk.len;
        self.gate.rows_out += chunk.len as u64;
        if cfg!(debug_assertions) {
            assert!(chunk.len > 0, "an operator emitted an empty chunk");
            assert!(self.rows <= Chunk::MAX_ROWS, "an operator emitted {} rows in one call", self.rows);
            let columns = *self.gate.columns.get_or_insert(chunk.columns.len());
            assert_eq!(columns, chunk.columns.len(), "an operator changed its number of columns");
            assert!(chunk.columns.iter().all(|column| column.len() == chunk.len), "columns of unequal length");
        }
        self.out.push_back(Item::Chunk(0, chunk));
    }

    fn emit_watermark(&mut self, watermark: i64) {
        debug_assert!(watermark >= self.gate.sent, "a watermark went back: {watermark} after {}", self.gate.sent);
        self.wake_up();
        self.out.extend(self.gate.pass_watermark(watermark));
    }

    fn emit_status(&mut self, status: WatermarkStatus) {
        self.gate.own_idle = status == WatermarkStatus::Idle;
        self.out.extend(self.gate.pass_status(status));
    }

    fn watermark(&self) -> Option<i64> {
        self.gate.watermark
    }

    fn now(&self) -> i64 {
        self.env.now
    }

    fn wake_at(&mut self, at: i64) {
        self.gate.wake = Some(self.gate.wake.map_or(at, |wake| wake.min(at)));
        self.env.wake_dirty = true;
    }

    fn watch_for(&mut self, at: Option<i64>) {
        self.env.wake_dirty |= self.gate.watch != at;
        self.gate.watch = at;
    }

    fn watched(&self) -> bool {
        self.env.watched
    }

    fn request(&mut self, request: StoreRequest) -> RequestId {
        self.env.request(self.owner, request)
    }

    fn late_rows(&mut self, count: u64) {
        self.gate.late_rows += count;
    }

    fn transaction(&mut self, name: &str, step: TransactionStep) {
        if let Owner::Operator(subtask, _) = self.owner {
            self.env.signals.push(Signal::Transaction { subtask, name: name.to_owned(), step });
        }
    }

    fn claim(&self) -> Option<(Key, Option<Bytes>)> {
        Some(self.env.epoch())
    }

    fn subtask(&self) -> &SubtaskInfo {
        self.info
    }
}
