//! The watermarks of a source with several splits: each has its own, the smallest counts, idle and ended ones do not.

use tidegate_data::Chunk;
use tidegate_data::sorted::SortedMap;
use tidegate_runtime::{Context, Failure, WatermarkStatus};

use crate::args::ONLY_AT_THE_END;
use crate::args::{SourceArgs, SourceWatermark};

/// What a split says about time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Its watermark, ms; `i64::MIN` before the first.
    pub watermark: i64,
    /// It does not count until its next row or watermark.
    pub idle: bool,
    /// It does not count any more.
    pub ended: bool,
}

impl Default for Mark {
    fn default() -> Mark {
        Mark { watermark: i64::MIN, idle: false, ended: false }
    }
}

/// The watermarks of a source's splits, and what has been sent of them.
pub(crate) struct Watermarks {
    splits: SortedMap<u32, Mark>,
    /// How watermarks come about.
    from: Option<SourceWatermark>,
    /// ms between two watermarks; 0: after each row.
    interval: i64,
    sent: i64,
    sent_idle: bool,
    /// Whether what has changed is to be sent at once.
    flush: bool,
    /// When what has changed is to be sent at the latest.
    due: Option<i64>,
}

impl Watermarks {
    /// The watermarks of the source of a table.
    pub fn new(args: &SourceArgs) -> Watermarks {
        let each =
            crate::options::Options(&args.options).word("scan.watermark.emit.strategy", "on-periodic") == "on-event";
        Watermarks {
            splits: SortedMap::new(),
            from: args.watermark.clone(),
            interval: match args.watermark_interval {
                ONLY_AT_THE_END => ONLY_AT_THE_END,
                _ if each => 0,
                interval => interval.max(0),
            },
            sent: i64::MIN,
            sent_idle: false,
            flush: false,
            due: None,
        }
    }

    /// The most rows of a chunk: one, if a watermark is to follow each row.
    pub fn limit(&self, limit: usize) -> usize {
        match self.from {
            Some(SourceWatermark::Expression(_)) if self.interval == 0 => 1,
            _ => limit.clamp(1, Chunk::MAX_ROWS),
        }
    }

    /// Whether the source's own watermarks count.
    pub fn takes_explicit(&self) -> bool {
        self.from.is_some()
    }

    /// What a split says.
    pub fn get(&self, split: u32) -> Mark {
        self.splits.get(&split).copied().unwrap_or_default()
    }

    /// A split as it was at a checkpoint, or when it is found. What it says is sent at once.
    pub fn set(&mut self, split: u32, mark: Mark) {
        self.splits.insert(split, mark);
        self.flush = true;
    }

    /// A watermark of the split that is to be sent at once.
    pub fn advance(&mut self, split: u32, watermark: i64) {
        let mark = self.splits.get_or_default(split);
        mark.watermark = mark.watermark.max(watermark);
        mark.idle = false;
        self.flush = true;
    }

    /// The split turns idle or active.
    pub fn set_idle(&mut self, split: u32, idle: bool) {
        self.splits.get_or_default(split).idle = idle;
        self.flush = true;
    }

    /// The split ends.
    pub fn end(&mut self, split: u32) {
        self.splits.get_or_default(split).ended = true;
        self.flush = true;
    }

    /// Rows of a split are about to be emitted: takes their watermarks in.
    ///
    /// # Errors
    /// What the watermark expression fails with.
    pub fn rows(&mut self, split: u32, chunk: &Chunk, now: i64) -> Result<(), Failure> {
        let Some(SourceWatermark::Expression(evaluate)) = &self.from else { return Ok(()) };
        let watermark = evaluate(chunk)?.into_iter().flatten().max();
        let mark = self.splits.get_or_default(split);
        mark.watermark = mark.watermark.max(watermark.unwrap_or(i64::MIN));
        if self.interval == 0 {
            self.flush = true;
        } else {
            self.due.get_or_insert(now.saturating_add(self.interval));
        }
        Ok(())
    }

    /// Sends what is to be sent, one thing a call; false if there is nothing.
    pub fn send(&mut self, cx: &mut dyn Context) -> bool {
        if let Some(at) = self.due {
            if at <= cx.now() {
                self.flush = true;
            } else {
                cx.wake_at(at);
            }
        }
        if !self.flush {
            return false;
        }
        let live = || self.splits.values().filter(|mark| !mark.ended);
        let idle = live().next().is_some() && live().all(|mark| mark.idle);
        if self.sent_idle && !idle {
            self.sent_idle = false;
            cx.emit_status(WatermarkStatus::Active);
            return true;
        }
        let smallest = live().filter(|mark| !mark.idle).map(|mark| mark.watermark).min().unwrap_or(i64::MIN);
        if smallest > self.sent {
            self.sent = smallest;
            cx.emit_watermark(smallest);
            return true;
        }
        if idle && !self.sent_idle {
            self.sent_idle = true;
            cx.emit_status(WatermarkStatus::Idle);
            return true;
        }
        self.flush = false;
        self.due = None;
        false
    }
}
