//! A client without transactions: how a program outside of any job puts a row into a table.

use bytes::Bytes;
use tidegate_data::{Chunk, Schema};
use tidegate_runtime::{Key, StoreRequest};

use super::{base, schema_hash, write_row};
use crate::codec::write_schema;

/// The request that puts rows into a table at once, each under a name: another row of the same name is replaced. `rows` has a row per name.
pub fn put(table: &str, schema: &Schema, names: &[String], rows: &Chunk) -> StoreRequest {
    let base = base(table);
    let mut columns = Vec::new();
    write_schema(&mut columns, schema);
    let hash = schema_hash(&columns);
    let mut put: Vec<(Key, Bytes)> = vec![
        (format!("{base}schema/{hash:016x}").into(), columns.into()),
        (format!("{base}current").into(), format!("{hash:016x}").into()),
    ];
    for (row, name) in names.iter().enumerate().take(rows.len) {
        put.push((format!("{base}row/{name}").into(), write_row(hash, &rows.slice(row, 1)).into()));
    }
    StoreRequest::Batch { require: Vec::new(), delete: Vec::new(), put }
}
