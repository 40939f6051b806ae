//! Tidegate as a library: sessions, jobs and their views.

pub mod batch;
pub mod bench;
pub mod bills;
pub mod case;
pub mod costs;
mod feed;
pub mod files;
pub mod guarantees;
mod history;
mod inputs;
mod job;
mod joins;
mod patterns;
mod progress;
mod recovery;
pub mod replay;
mod rig;
mod session;
mod translate;
mod values;
mod zombie;

/// Values, row kinds, types.
pub use tidegate_data as data;
/// Diagnostics, as every call that reads SQL gives them.
pub use tidegate_diag as diag;

pub use feed::{FieldError, chunk_texts, parse_value, row_texts, rows_chunk, value_text};
pub use history::{Happening, History, Replay};
pub use inputs::{Recent, Shown};
pub use job::{JobHandle, ResultInfo};
pub use progress::{Made, SourceRead};
pub use recovery::taken_over;
pub use session::{Feed, Planned, Said, ScriptOutcome, Session, SessionOptions, StatementOutcome, column_texts};
pub use tidegate_connectors::{ReadTo, ResultKind};
pub use zombie::{Turned, Withheld, Zombie, turn_of};

/// What a host needs to carry out a job's effects.
pub mod store {
    pub use tidegate_connectors::{log, table};
    pub use tidegate_runtime::store::{Key, MemoryStore, Store, StoreRequest, StoreResponse};
}

/// The runtime's events, effects and views.
pub mod runtime {
    pub use tidegate_runtime::event::{Command, Disturbance, Effect, Event, Journal, Moment, Stop};
    pub use tidegate_runtime::operator::FeedItem;
    pub use tidegate_runtime::scenario::{Mishap, Planned, Scenario, Scene};
    pub use tidegate_runtime::settings::{JobSettings, Policy, RestartStrategy, Restore};
    pub use tidegate_runtime::view::{self, JobState, JobView};
    pub use tidegate_runtime::{Job, host, mistakes, outage, rng, sim, spoil};
}
