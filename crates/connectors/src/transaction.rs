//! Names of writers and transactions in the store, the same for the log and the table store.
//!
//! Under the base of a topic or table:
//!
//! | key | value |
//! |---|---|
//! | `writer/<sink>/<subtask>` | `epoch:number of writes`: changed by each write and required by it, so it fences off and tells what was written |
//! | `open/<sink>/<subtask>/<epoch>-<number>` | a transaction that is neither committed nor aborted |
//! | `done/<sink>/<subtask>` | `epoch-number` of the last committed one: a commit up to it is done already |

use std::fmt;

use bytes::Bytes;
use tidegate_runtime::Key;

/// A transaction of a writer. Ordered as the writer makes and commits them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transaction {
    /// The subtask that began it.
    pub subtask: u32,
    /// That subtask's epoch: one more with every attempt, also of later jobs of the same name.
    pub epoch: u64,
    /// Its number in the epoch, from 1.
    pub number: u64,
}

impl fmt::Display for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:05}/{:010}-{:010}", self.subtask, self.epoch, self.number)
    }
}

impl Transaction {
    /// The transaction that `text` names, as it is displayed.
    pub fn parse(text: &str) -> Option<Transaction> {
        let (subtask, rest) = text.split_once('/')?;
        let (epoch, number) = rest.split_once('-')?;
        Some(Transaction { subtask: subtask.parse().ok()?, epoch: epoch.parse().ok()?, number: number.parse().ok()? })
    }

    /// The key of a state entry.
    pub(crate) fn to_state(self) -> [u8; 20] {
        let mut key = [0; 20];
        key[..4].copy_from_slice(&self.subtask.to_be_bytes());
        key[4..12].copy_from_slice(&self.epoch.to_be_bytes());
        key[12..].copy_from_slice(&self.number.to_be_bytes());
        key
    }

    /// What [`Self::to_state`] wrote.
    pub(crate) fn from_state(key: &[u8]) -> Option<Transaction> {
        let (subtask, rest) = key.split_first_chunk::<4>()?;
        let (epoch, rest) = rest.split_first_chunk::<8>()?;
        let number = u64::from_be_bytes(rest.try_into().ok()?);
        Some(Transaction { subtask: u32::from_be_bytes(*subtask), epoch: u64::from_be_bytes(*epoch), number })
    }
}

/// The keys of one sink under the base of its topic or table.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    base: String,
    sink: String,
}

impl Names {
    /// `base` ends with `/`; `sink` may be any text.
    pub fn new(base: &str, sink: &str) -> Names {
        Names { base: base.to_owned(), sink: escape(sink) }
    }

    /// The sink's name as it is part of keys.
    pub fn sink(&self) -> &str {
        &self.sink
    }

    /// The range of all writers of the sink.
    pub fn writers(&self) -> (Key, Key) {
        prefix(format!("{}writer/{}/", self.base, self.sink))
    }

    /// The key of a writer.
    pub fn writer(&self, subtask: u32) -> Key {
        format!("{}writer/{}/{subtask:05}", self.base, self.sink).into()
    }

    /// The subtask of a writer's key.
    pub fn subtask_of(&self, key: &[u8]) -> Option<u32> {
        std::str::from_utf8(key.get(self.writers().0.len()..)?).ok()?.parse().ok()
    }

    /// The range of all open transactions of the sink.
    pub fn all_open(&self) -> (Key, Key) {
        prefix(format!("{}open/{}/", self.base, self.sink))
    }

    /// The key of an open transaction.
    pub fn open(&self, transaction: Transaction) -> Key {
        format!("{}open/{}/{transaction}", self.base, self.sink).into()
    }

    /// The transaction of the key of an open one.
    pub fn transaction_of(&self, key: &[u8]) -> Option<Transaction> {
        Transaction::parse(std::str::from_utf8(key.get(self.all_open().0.len()..)?).ok()?)
    }

    /// The key that holds the last committed transaction of a subtask.
    pub fn done(&self, subtask: u32) -> Key {
        format!("{}done/{}/{subtask:05}", self.base, self.sink).into()
    }

    /// The transaction's name within the topic or table.
    pub fn id(&self, transaction: Transaction) -> String {
        format!("{}/{transaction}", self.sink)
    }
}

/// The value of the key of an open transaction.
pub(crate) const OPEN: &[u8] = b"open";

/// All keys that begin with `start`: from it to, not including, the end.
pub(crate) fn prefix(start: impl Into<Vec<u8>>) -> (Key, Key) {
    let from: Vec<u8> = start.into();
    let mut to = from.clone();
    while let Some(last) = to.pop() {
        if last < 255 {
            to.push(last + 1);
            break;
        }
    }
    (Bytes::from(from), Bytes::from(to))
}

/// The range of this one key.
pub(crate) fn only(key: Key) -> (Key, Key) {
    let mut to = key.to_vec();
    to.push(0);
    (key, to.into())
}

/// A name as part of a key: `/`, `%` and what cannot be read are written as `%` and two hexadecimal digits.
pub(crate) fn escape(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '/' | '%' => out.push_str(&format!("%{:02x}", c as u32)),
            c if c.is_control() => out.push_str(&format!("%{:02x}", c as u32)),
            c => out.push(c),
        }
    }
    out
}

/// The name that [`escape`] wrote.
pub(crate) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let code = rest.get(at + 1..at + 3).and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
        match code {
            Some(c) => {
                out.push(c);
                rest = &rest[at + 3..];
            }
            None => {
                out.push('%');
                rest = &rest[at + 1..];
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        let names = Names::new("log/t/", "job/a%b");
        let transaction = Transaction { subtask: 3, epoch: 7, number: 12 };
        assert_eq!(names.transaction_of(&names.open(transaction)), Some(transaction));
        assert_eq!(names.subtask_of(&names.writer(12)), Some(12));
        assert_eq!(Transaction::from_state(&transaction.to_state()), Some(transaction));
        assert_eq!(names.open(transaction), "log/t/open/job%2fa%25b/00003/0000000007-0000000012");
        assert_eq!(unescape(&escape("a/b%c\n")), "a/b%c\n");
        assert_eq!(unescape("%zz%"), "%zz%");
        let later = Transaction { epoch: 10, ..transaction };
        assert!(names.open(transaction) < names.open(later));
    }

    #[test]
    fn a_prefix_holds_its_keys_only() {
        let (from, to) = prefix("a/");
        assert!(from <= "a/" && "a/z" < to && to <= "a0");
        assert_eq!(prefix(vec![1, 255]).1, Bytes::from(vec![2]));
    }
}
