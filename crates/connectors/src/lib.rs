//! The connectors, and the log and the table store that they give to the world outside a job.

mod args;
mod blackhole;
mod client;
mod codec;
pub mod collect;
mod datagen;
mod describe;
mod inline;
mod kafka;
pub mod log;
pub mod names;
pub mod nexmark;
mod options;
mod positions;
mod sink;
mod splits;
#[cfg(not(target_family = "wasm"))]
pub mod store;
pub mod table;
#[cfg(test)]
mod testing;
mod transaction;

use tidegate_data::ConnectorSpec;

pub use args::{
    ONLY_AT_THE_END, ReadTo, ResultKind, SinkArgs, SinkParts, SourceArgs, SourceColumn, SourceWatermark, sink, source,
    source_to,
};
pub use codec::Block;
pub use datagen::{Newest, RATE as DATAGEN_RATE};
pub use describe::describe;
pub use transaction::Transaction;

/// What every connector can do and which options it takes, by name.
pub fn specs() -> Vec<ConnectorSpec> {
    vec![
        blackhole::spec(),
        datagen::spec(),
        inline::spec(),
        table::jdbc_spec(),
        kafka::spec(),
        log::spec(),
        nexmark::spec(),
        collect::print_spec(),
        table::spec(),
        kafka::upsert_spec(),
    ]
}
