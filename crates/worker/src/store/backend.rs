//! The two places where things are kept, behind one interface; from the database to memory when the browser refuses more.

use tidegate::store::{MemoryStore, Store, StoreRequest, StoreResponse};

use crate::database::{Database, Refusal};

/// Where things are kept.
pub enum Backend {
    /// In memory, gone with the worker.
    Memory(MemoryStore),
    /// In the browser's database.
    Database(Database),
}

impl Backend {
    /// Opens a workspace; in memory, with the reason, where there is none or the browser refuses.
    pub async fn open(workspace: Option<&str>, fork_of: Option<&str>) -> (Backend, Option<String>) {
        let Some(workspace) = workspace else {
            return (Backend::Memory(MemoryStore::default()), None);
        };
        match Database::open(workspace, fork_of).await {
            Ok(database) => (Backend::Database(database), None),
            Err(reason) => (Backend::Memory(MemoryStore::default()), Some(reason)),
        }
    }

    /// Whether what is written outlives the page.
    pub fn is_persistent(&self) -> bool {
        matches!(self, Backend::Database(_))
    }

    /// Carries out a request. When the database refuses for good (quota, deleted from outside), everything moves to memory, the request
    /// is carried out there, and the reason is given.
    pub async fn execute(&mut self, request: StoreRequest) -> (StoreResponse, Option<String>) {
        let database = match self {
            Backend::Memory(memory) => return (memory.execute(request), None),
            Backend::Database(database) => database,
        };
        match database.execute(&request).await {
            Ok(response) => (response, None),
            Err(Refusal::Once(message)) => (StoreResponse::Failed { message, uncertain: true }, None),
            Err(Refusal::ForGood(reason)) => {
                let mut memory = MemoryStore::default();
                if let Ok(entries) = database.everything().await {
                    memory.execute(StoreRequest::Batch { require: Vec::new(), delete: Vec::new(), put: entries });
                }
                let response = memory.execute(request);
                *self = Backend::Memory(memory);
                (response, Some(reason))
            }
        }
    }

    /// Forgets everything.
    pub async fn clear(&mut self) {
        match self {
            Backend::Memory(memory) => *memory = MemoryStore::default(),
            Backend::Database(database) => database.clear().await,
        }
    }
}
