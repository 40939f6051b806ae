//! Reading a table as its readers see it, for the page, the command line and tests: requests to put to a store, and what the answers mean.

use std::collections::{BTreeMap, VecDeque};
use tidegate_data::sorted::SortedMap;

use bytes::Bytes;
use tidegate_data::{Chunk, Schema};
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::{Key, Store, StoreRequest, StoreResponse};

use super::{DELETE, base, read_row, row_schema, rows};
use crate::codec::{Block, Input, read_schema};
use crate::transaction::{only, prefix};

const UNREADABLE: Code = Code::new("TG5041");

/// What a reader sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// What is committed.
    ReadCommitted,
    /// Also what open transactions have written.
    ReadUncommitted,
}

/// A question about a table: its rows from some place on.
#[derive(Clone, Debug)]
pub struct Query {
    /// The table.
    pub table: String,
    /// What is seen.
    pub isolation: Isolation,
    /// Where to begin (a page's `next`); `None` at the first row.
    pub from: Option<Key>,
    /// The most rows of a page.
    pub limit: usize,
    /// The most of them that are given; the others are only counted.
    pub given: usize,
}

/// Rows of a table.
#[derive(Clone, Debug)]
pub struct TablePage {
    /// The columns, as they were last written.
    pub schema: Schema,
    /// The rows, in the order of their keys.
    pub rows: Chunk,
    /// How many there are, with those that are not given.
    pub total: usize,
    /// The rows' names in the store: unique, and the same as long as the row has the same key.
    pub names: Vec<Vec<u8>>,
    /// For each row, whether an open transaction has written it; never at read-committed.
    pub uncommitted: Vec<bool>,
    /// Rows that open transactions delete, and that are therefore not among `rows`.
    pub deleted: usize,
    /// Where the next page begins; `None` when this was the last.
    pub next: Option<Key>,
}

/// The most entries of open transactions that are looked at.
const STAGED: usize = 100_000;

impl Query {
    /// A question about a whole table.
    pub fn all(table: impl Into<String>, isolation: Isolation) -> Query {
        Query { table: table.into(), isolation, from: None, limit: usize::MAX, given: usize::MAX }
    }

    /// What to ask the store. The requests may be carried out at one go or one by one, in their order.
    pub fn requests(&self) -> Vec<StoreRequest> {
        let scan = |(from, to): (Key, Key), limit| StoreRequest::Scan { from, to, limit };
        let base = base(&self.table);
        let (first, to) = rows(&self.table);
        let mut requests = Vec::new();
        // What is staged comes first: a commit in between then shows a row twice, not never.
        if self.isolation == Isolation::ReadUncommitted {
            requests.push(scan(prefix(format!("{base}txn/")), STAGED));
        }
        requests.push(StoreRequest::Scan { from: self.from.clone().unwrap_or(first), to, limit: self.limit });
        requests.push(scan(prefix(format!("{base}schema/")), usize::MAX));
        requests.push(StoreRequest::Get { key: Key::from(base + "current") });
        requests
    }

    /// What the answers mean, in the order of the requests. A table that does not exist has no columns and no rows.
    ///
    /// # Errors
    /// When the store failed, or holds what no table sink writes (TG5041).
    pub fn decode(&self, responses: Vec<StoreResponse>) -> Result<TablePage, Diagnostic> {
        let name = &self.table;
        let mut scans = VecDeque::new();
        let mut current = None;
        for response in responses {
            match response {
                StoreResponse::Entries(entries) => scans.push_back(entries),
                StoreResponse::Value(value) => current = value,
                StoreResponse::Failed { message, .. } => {
                    return Err(Diagnostic::error(UNREADABLE, format!("Table '{name}' cannot be read: {message}")));
                }
                _ => return Err(unreadable(name)),
            }
        }
        let staged = match self.isolation {
            Isolation::ReadCommitted => Vec::new(),
            Isolation::ReadUncommitted => scans.pop_front().unwrap_or_default(),
        };
        let (Some(committed), Some(schemas)) = (scans.pop_front(), scans.pop_front()) else {
            return Err(unreadable(name));
        };
        let schemas = read_schemas(name, schemas)?;
        let last = committed.last().filter(|_| committed.len() == self.limit).map(|(key, _)| key.clone());

        let start = rows(name).0.len();
        let mut merged: BTreeMap<Vec<u8>, (Bytes, bool)> =
            committed.into_iter().map(|(key, value)| (key[start..].to_vec(), (value, false))).collect();
        let mut deleted = 0;
        let page = |row: &[u8]| {
            let key = [&rows(name).0[..], row].concat();
            self.from.as_ref().is_none_or(|from| key >= *from) && last.as_ref().is_none_or(|last| key <= *last)
        };
        let staged = staged.iter().filter_map(|(key, value)| Some((staged_row(name, key)?, value)));
        for (row, value) in staged.filter(|(row, _)| page(row)) {
            if value.first() != Some(&DELETE) {
                merged.insert(row.to_vec(), (value.clone(), true));
            } else if merged.remove(row).is_some() {
                deleted += 1;
            }
        }
        let current = current.and_then(|text| u64::from_str_radix(std::str::from_utf8(&text).ok()?, 16).ok());
        let newest = merged.values().filter_map(|(value, _)| row_schema(value)).next_back();
        let schema = current.or(newest).and_then(|hash| schemas.get(&hash)).or_else(|| schemas.values().next());
        let schema = schema.cloned().unwrap_or_default();
        let next = last.map(|last| only(last).1);
        let mut page = TablePage {
            rows: Chunk::empty(&schema),
            total: merged.len(),
            names: Vec::with_capacity(merged.len().min(self.given)),
            uncommitted: Vec::with_capacity(merged.len().min(self.given)),
            deleted,
            next,
            schema,
        };
        let wanted = nullable(&page.schema);
        let mut chunks = vec![page.rows.clone()];
        for (row, (value, uncommitted)) in merged.into_iter().take(self.given) {
            let written = row_schema(&value).and_then(|hash| schemas.get(&hash)).ok_or_else(|| unreadable(name))?;
            let chunk = read_row(&value, written).ok_or_else(|| unreadable(name))?;
            let block = Block { schema: written.clone(), chunk };
            chunks.push(Chunk::insert(block.columns(&wanted, true)?, 1));
            page.names.push(row);
            page.uncommitted.push(uncommitted);
        }
        page.rows = Chunk::concat(&chunks);
        Ok(page)
    }
}

/// All rows of a table in a store that answers at once.
///
/// # Errors
/// As [`Query::decode`].
pub fn read(store: &mut dyn Store, name: &str, isolation: Isolation) -> Result<TablePage, Diagnostic> {
    let query = Query::all(name, isolation);
    let answers = query.requests().into_iter().map(|request| store.execute(request)).collect();
    query.decode(answers)
}

/// The name of the row that a staged entry is about.
fn staged_row<'a>(name: &str, key: &'a [u8]) -> Option<&'a [u8]> {
    // txn/<sink>/<subtask>/<epoch>-<number>/<row>: the row's name may hold any byte, what stands before it no `/`.
    let rest = key.get(base(name).len() + "txn/".len()..)?;
    let mut parts = rest.splitn(4, |byte| *byte == b'/');
    parts.nth(3)
}

pub(super) fn read_schemas(name: &str, entries: Vec<(Key, Bytes)>) -> Result<SortedMap<u64, Schema>, Diagnostic> {
    let start = base(name).len() + "schema/".len();
    let mut schemas = SortedMap::new();
    for (key, value) in entries {
        let hash = std::str::from_utf8(&key[start..]).ok().and_then(|text| u64::from_str_radix(text, 16).ok());
        let schema = read_schema(&mut Input(&value));
        let (Some(hash), Some(schema)) = (hash, schema) else { return Err(unreadable(name)) };
        schemas.insert(hash, schema);
    }
    Ok(schemas)
}

/// Rows of other columns may lack some.
fn nullable(schema: &Schema) -> Schema {
    Schema::new(schema.fields.iter().map(|field| (field.name.clone(), field.ty.with_nullable(true))))
}

pub(super) fn unreadable(name: &str) -> Diagnostic {
    Diagnostic::error(
        UNREADABLE,
        format!("The table store holds something in table '{name}' that no sink has written."),
    )
    .hint("Clear the table and run the job again.")
}
