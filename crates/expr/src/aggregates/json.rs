//! JSON_OBJECTAGG and JSON_ARRAYAGG, over values that are JSON already.

use arrow_array::{Array, ArrayRef};
use tidegate_data::Value;

use super::columns::bytes_at;
use super::dynamic::{Items, Listed};
use crate::functions::json::write_text;

/// A value's text; none for one that is left out.
fn part(column: &ArrayRef, row: usize, absent: bool) -> Option<Vec<u8>> {
    match column.is_null(row) {
        true if absent => None,
        true => Some(b"null".to_vec()),
        false => Some(bytes_at(column, row).to_vec()),
    }
}

/// JSON_OBJECTAGG(key, value). An item is the key in quotes, a colon, the value; of a key there is one.
pub(super) struct Members {
    pub(super) absent: bool,
}

/// The key as it stands in the document; nothing for NULL.
fn key(column: &ArrayRef, row: usize) -> Vec<u8> {
    let mut text = String::new();
    if column.is_valid(row) {
        write_text(&mut text, &String::from_utf8_lossy(bytes_at(column, row)));
        text.push(':');
    }
    text.into_bytes()
}

impl Listed for Members {
    fn can_fail(&self) -> bool {
        true
    }
    fn add(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        let Some(value) = part(&args[1], row, self.absent) else { return };
        let key = key(&args[0], row);
        let known = items.iter().position(|item| !key.is_empty() && item.starts_with(&key));
        let item = if key.is_empty() { key } else { [key, value].concat() };
        match known {
            Some(at) => items[at] = item,
            None => items.push(item),
        }
    }
    fn retract(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        if part(&args[1], row, self.absent).is_none() {
            return;
        }
        let key = key(&args[0], row);
        items.retain(|item| key.is_empty() || !item.starts_with(&key));
    }
    fn value(&self, items: &[Vec<u8>]) -> Value {
        let mut sorted = items.to_vec();
        sorted.sort();
        joined("{", &sorted, "}")
    }
    fn skips_nulls(&self) -> bool {
        false
    }
    fn fault(&self, items: &[Vec<u8>]) -> Option<&'static str> {
        items.iter().any(Vec::is_empty).then_some("A key of JSON_OBJECTAGG is NULL.")
    }
    fn label(&self) -> &'static str {
        "members"
    }
}

/// JSON_ARRAYAGG(value).
pub(super) struct Elements {
    pub(super) absent: bool,
}

impl Listed for Elements {
    fn add(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        items.extend(part(&args[0], row, self.absent));
    }
    fn retract(&self, items: &mut Items, args: &[ArrayRef], row: usize) {
        if let Some(value) = part(&args[0], row, self.absent)
            && let Some(at) = items.iter().position(|item| *item == value)
        {
            items.remove(at);
        }
    }
    fn value(&self, items: &[Vec<u8>]) -> Value {
        joined("[", items, "]")
    }
    fn skips_nulls(&self) -> bool {
        false
    }
    fn label(&self) -> &'static str {
        "items"
    }
}

fn joined(open: &str, items: &[Vec<u8>], close: &str) -> Value {
    Value::String(format!("{open}{}{close}", String::from_utf8_lossy(&items.join(&b","[..]))))
}
