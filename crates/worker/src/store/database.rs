//! Get, scan and batch on one object store of IndexedDB, keys as bytes (which IndexedDB orders bytewise).

use bytes::Bytes;
use idb::{
    Database as Idb, DatabaseEvent, Error, Factory, KeyRange, ObjectStore, ObjectStoreParams, Query, TransactionMode,
};
use js_sys::Uint8Array;
use tidegate::store::{Key, StoreRequest, StoreResponse};
use wasm_bindgen::JsValue;

/// The object store's name.
const TABLE: &str = "entries";

/// What the name of a workspace's database begins with; its lock is called the same.
pub const PREFIX: &str = "tidegate:";

/// A workspace's database.
pub struct Database {
    idb: Idb,
}

/// Why the database did not do it.
pub enum Refusal {
    /// It may work again; whether a batch was written is unknown.
    Once(String),
    /// It will not: no room, or the database is gone.
    ForGood(String),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        let text = error.to_string();
        let gone = ["QuotaExceeded", "InvalidState", "UnknownError", "NotFound", "closing"]
            .iter()
            .any(|word| text.contains(word));
        if gone { Refusal::ForGood(text) } else { Refusal::Once(text) }
    }
}

impl Database {
    /// Opens (makes) the workspace's database, as a copy of another's where this is a fork.
    pub async fn open(workspace: &str, fork_of: Option<&str>) -> Result<Database, String> {
        let database = Database { idb: open(workspace).await.map_err(|error| error.to_string())? };
        if let Some(other) = fork_of {
            let source = Database { idb: open(other).await.map_err(|error| error.to_string())? };
            let copied = copy(&source, &database).await;
            source.idb.close();
            copied.map_err(|error| error.to_string())?;
        }
        Ok(database)
    }

    /// Carries out a request, whole or not at all.
    pub async fn execute(&self, request: &StoreRequest) -> Result<StoreResponse, Refusal> {
        match request {
            StoreRequest::Get { key } => {
                let transaction = self.idb.transaction(&[TABLE], TransactionMode::ReadOnly)?;
                let value = get(&transaction.object_store(TABLE)?, key).await?;
                Ok(StoreResponse::Value(value))
            }
            StoreRequest::Scan { from, to, limit } => {
                if from >= to {
                    return Ok(StoreResponse::Entries(Vec::new()));
                }
                let limit = u32::try_from(*limit).unwrap_or(u32::MAX);
                let entries = self.scan(Some(range(from, to)?), Some(limit)).await?;
                Ok(StoreResponse::Entries(entries))
            }
            StoreRequest::Batch { require, delete, put } => {
                let transaction = self.idb.transaction(&[TABLE], TransactionMode::ReadWrite)?;
                let table = transaction.object_store(TABLE)?;
                for (key, wanted) in require {
                    if get(&table, key).await? != *wanted {
                        // Nothing was written: the transaction ends empty.
                        return Ok(StoreResponse::Refused { key: key.clone() });
                    }
                }
                for (from, to) in delete.iter().filter(|(from, to)| from < to) {
                    table.delete(Query::from(range(from, to)?))?.await?;
                }
                for (key, value) in put {
                    table.put(&array(value), Some(&array(key)))?;
                }
                match transaction.commit()?.await? {
                    result if result.is_committed() => Ok(StoreResponse::Done),
                    _ => Err(Refusal::Once("the browser's database rolled the write back".into())),
                }
            }
        }
    }

    /// Every entry.
    pub async fn everything(&self) -> Result<Vec<(Key, Bytes)>, Error> {
        self.scan(None, None).await
    }

    /// Forgets every entry.
    pub async fn clear(&self) {
        if let Ok(transaction) = self.idb.transaction(&[TABLE], TransactionMode::ReadWrite)
            && let Ok(table) = transaction.object_store(TABLE)
            && let Ok(request) = table.clear()
        {
            let _ = request.await;
            let _ = transaction.await;
        }
    }

    async fn scan(&self, range: Option<KeyRange>, limit: Option<u32>) -> Result<Vec<(Key, Bytes)>, Error> {
        let transaction = self.idb.transaction(&[TABLE], TransactionMode::ReadOnly)?;
        let table = transaction.object_store(TABLE)?;
        // Both requests go out before either is awaited: one transaction, one view.
        let keys = table.get_all_keys(range.clone().map(Query::from), limit)?;
        let values = table.get_all(range.map(Query::from), limit)?;
        let (keys, values) = (keys.await?, values.await?);
        Ok(keys.iter().zip(&values).map(|(key, value)| (bytes(key), bytes(value))).collect())
    }
}

async fn open(workspace: &str) -> Result<Idb, Error> {
    let mut request = Factory::new()?.open(&format!("{PREFIX}{workspace}"), Some(1))?;
    request.on_upgrade_needed(|event| {
        if let Ok(database) = event.database() {
            // It fails only where the table is there already.
            let _ = database.create_object_store(TABLE, ObjectStoreParams::new());
        }
    });
    request.await
}

/// Copies everything, as of one moment: the other page may go on writing.
async fn copy(source: &Database, target: &Database) -> Result<(), Error> {
    let entries = source.everything().await?;
    let transaction = target.idb.transaction(&[TABLE], TransactionMode::ReadWrite)?;
    let table = transaction.object_store(TABLE)?;
    for (key, value) in &entries {
        table.put(&array(value), Some(&array(key)))?;
    }
    transaction.commit()?.await?;
    Ok(())
}

async fn get(table: &ObjectStore, key: &Key) -> Result<Option<Bytes>, Error> {
    let value = table.get(Query::from(array(key)))?.await?;
    Ok(value.as_ref().map(bytes))
}

fn range(from: &Key, to: &Key) -> Result<KeyRange, Error> {
    KeyRange::bound(&array(from), &array(to), Some(false), Some(true))
}

fn array(bytes: &Bytes) -> JsValue {
    Uint8Array::from(&**bytes).into()
}

/// Keys come back as ArrayBuffer, values as the Uint8Array that was put.
fn bytes(value: &JsValue) -> Bytes {
    Uint8Array::new(value).to_vec().into()
}
