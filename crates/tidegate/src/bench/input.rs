//! Input in memory, and the source that hands it out.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use arrow_array::{Int64Array, StringArray};
use tidegate_data::Chunk;
use tidegate_runtime::state::StateVisitor;
use tidegate_runtime::{Context, Failure, Polled, Source};

/// 2024-01-01 00:00:00 UTC, ms.
const START: i64 = 1_704_067_200_000;

/// SplitMix64.
pub fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// `rows` rows with keys below `keys`, drawn; ten rows a millisecond of event time.
pub fn chunks(rows: usize, keys: u64) -> Vec<Chunk> {
    let mut state = 42;
    let mut chunks = Vec::new();
    let mut begin = 0;
    while begin < rows {
        let len = (rows - begin).min(Chunk::MAX_ROWS);
        let drawn: Vec<i64> = (0..len).map(|_| (random(&mut state) % keys) as i64).collect();
        chunks.push(chunk(&drawn, begin, &mut state));
        begin += len;
    }
    chunks
}

/// Rows with these keys; `begin` is the first row's number.
pub fn chunk(keys: &[i64], begin: usize, state: &mut u64) -> Chunk {
    let values: Int64Array = keys.iter().map(|_| (random(state) % 1_000_000) as i64).collect();
    let times: Int64Array = (0..keys.len()).map(|row| START + ((begin + row) / 10) as i64).collect();
    let names: StringArray = keys.iter().map(|key| Some(format!("key-{key:012}"))).collect();
    let other: StringArray = keys.iter().map(|_| Some(format!("{:016x}", random(state)))).collect();
    let key = Int64Array::from(keys.to_vec());
    Chunk::insert(vec![Arc::new(key), Arc::new(values), Arc::new(times), Arc::new(names), Arc::new(other)], keys.len())
}

/// Hands out chunks as they are, up to a limit that may rise: it looks whenever time goes on.
pub struct MemorySource {
    chunks: Rc<Vec<Chunk>>,
    limit: Rc<Cell<usize>>,
    ends: bool,
    next: usize,
}

impl MemorySource {
    /// Hands out the first `limit` chunks; ends behind them if `ends`.
    pub fn new(chunks: Rc<Vec<Chunk>>, limit: Rc<Cell<usize>>, ends: bool) -> MemorySource {
        MemorySource { chunks, limit, ends, next: 0 }
    }
}

impl Source for MemorySource {
    fn state(&mut self, _visitor: &mut dyn StateVisitor) {}

    fn poll(&mut self, _limit: usize, cx: &mut dyn Context) -> Result<Polled, Failure> {
        if self.next >= self.limit.get() {
            if self.ends {
                return Ok(Polled::Ended);
            }
            cx.wake_at(cx.now() + 1);
            return Ok(Polled::Pending);
        }
        cx.emit(self.chunks[self.next].clone());
        self.next += 1;
        Ok(Polled::Emitted)
    }
}
