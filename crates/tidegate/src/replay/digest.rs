//! One number for everything that a session's jobs hold: changelogs, state and how far they are.

use tidegate_data::Zone;

use crate::Session;

/// Rows hashed at a time.
const PAGE: usize = 4096;

/// FNV-1a, 64 bits.
pub(super) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub(super) fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }

    /// Bytes, with their number, so that two texts are not one.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        bytes.iter().for_each(|byte| self.byte(*byte));
    }

    pub(super) fn number(&mut self, number: u64) {
        number.to_le_bytes().iter().for_each(|byte| self.byte(*byte));
    }

    pub(super) fn finish(&self) -> u64 {
        self.0
    }
}

impl Session {
    /// A digest of what all jobs have given out (every changelog row that is kept) and hold (every entry of every state table), and of their
    /// steps. Two sessions that went through the same have the same.
    pub fn digest(&mut self) -> u64 {
        let mut hash = Fnv::default();
        for job in self.jobs_mut() {
            hash.number(job.runtime.steps());
            for buffer in job.results.iter().filter_map(|result| result.buffer.as_ref()) {
                let buffer = buffer.borrow();
                hash.number(buffer.total());
                let mut from = buffer.first();
                while from < buffer.total() {
                    for row in buffer.rows(from, PAGE, Zone::UTC) {
                        from = row.number + 1;
                        hash.bytes(row.kind.text().as_bytes());
                        for value in &row.values {
                            match value {
                                Some(text) => hash.bytes(text.as_bytes()),
                                None => hash.byte(0xff),
                            }
                        }
                    }
                }
            }
            let subtasks: Vec<_> = job.runtime.view().subtasks.iter().map(|one| (one.vertex, one.index)).collect();
            for (vertex, index) in subtasks {
                for table in job.runtime.state_tables(vertex, index) {
                    hash.bytes(table.uid.as_bytes());
                    hash.bytes(table.table.as_bytes());
                    let mut from = 0;
                    while from < table.entries {
                        let page = job.runtime.state_page(vertex, index, &table.uid, &table.table, from, PAGE);
                        let rows = page.unwrap_or_default().rows;
                        if rows.is_empty() {
                            break;
                        }
                        from += rows.len();
                        for (key, value) in rows {
                            hash.bytes(key.as_bytes());
                            hash.bytes(value.as_bytes());
                        }
                    }
                }
            }
        }
        hash.finish()
    }
}
