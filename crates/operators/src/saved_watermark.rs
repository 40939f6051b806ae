//! The watermark as state: rows that were late before a restore are late after it.

use tidegate_runtime::Context;
use tidegate_runtime::state::{ListTable, Scope, StateTable};

/// The watermark of a subtask, and the table that keeps it.
pub(crate) struct SavedWatermark {
    table: ListTable,
    /// The watermark as of now; `i64::MIN` before the first.
    pub(crate) current: i64,
}

impl SavedWatermark {
    pub(crate) fn new() -> SavedWatermark {
        SavedWatermark {
            table: ListTable::new(Scope::Union, "subtask -> watermark", describe_watermark),
            current: i64::MIN,
        }
    }

    /// The table, for [`tidegate_runtime::Operator::state`].
    pub(crate) fn table(&mut self) -> &mut dyn StateTable {
        &mut self.table
    }

    /// Takes the lowest watermark of all subtasks (there may have been another number of them), and leaves only its own behind.
    pub(crate) fn restore(&mut self, cx: &dyn Context) {
        let own = cx.subtask().index.to_be_bytes();
        let entries: Vec<(Vec<u8>, Vec<u8>)> =
            self.table.iter().map(|(key, value)| (key.to_vec(), value.to_vec())).collect();
        let watermarks = entries.iter().filter_map(|(_, value)| Some(i64::from_be_bytes(value[..].try_into().ok()?)));
        self.current = watermarks.min().unwrap_or(i64::MIN);
        for (key, _) in entries {
            if key != own {
                self.table.remove(&key);
            }
        }
    }

    /// Before a barrier.
    pub(crate) fn save(&mut self, cx: &dyn Context) {
        self.table.put(&cx.subtask().index.to_be_bytes(), &self.current.to_be_bytes());
    }
}

fn describe_watermark(key: &[u8], value: &[u8]) -> (String, String) {
    let subtask = key.try_into().map_or(0, u32::from_be_bytes);
    let watermark = value.try_into().map_or(i64::MIN, i64::from_be_bytes);
    let mut text = String::new();
    if watermark == i64::MIN {
        text.push_str("none");
    } else if watermark == i64::MAX {
        text.push_str("end");
    } else {
        tidegate_data::text::time::write_timestamp(&mut text, watermark, 3);
    }
    (format!("subtask {subtask}"), text)
}
