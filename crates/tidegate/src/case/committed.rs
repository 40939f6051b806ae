//! What an INSERT has written to a place outside of the engine, as a committed reader finds it when the case is over.

use tidegate_connectors::{ResultKind, log, table};
use tidegate_data::Zone;
use tidegate_runtime::Store;
use tidegate_runtime::store::{StoreRequest, StoreResponse};

use crate::feed::chunk_texts;

/// The rows of the table or log that a result went to; `None` when it went to neither.
pub fn rows(kind: &ResultKind, store: &mut impl Store, zone: Zone) -> Option<Vec<Vec<Option<String>>>> {
    let mut ask = |requests: Vec<StoreRequest>| -> Vec<StoreResponse> {
        requests.into_iter().map(|body| store.execute(body)).collect()
    };
    match kind {
        ResultKind::Table(name) => {
            let query = table::Query::all(name, table::Isolation::ReadCommitted);
            let found = query.decode(ask(query.requests())).ok()?;
            Some(chunk_texts(&found.rows, &found.schema, zone))
        }
        ResultKind::Log(topic) => {
            let query = log::Query::all(topic, log::Isolation::ReadCommitted);
            let found = query.decode(ask(query.requests())).ok()?;
            Some(
                found
                    .batches
                    .iter()
                    .flat_map(|batch| chunk_texts(&batch.rows.chunk, &batch.rows.schema, zone))
                    .collect(),
            )
        }
        ResultKind::Collected | ResultKind::Dropped => None,
    }
}
