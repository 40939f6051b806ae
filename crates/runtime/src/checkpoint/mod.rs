//! Checkpoints: who triggers and completes them, what they look like in the store, and how a job starts from one.

pub(crate) mod crc;
pub(crate) mod files;
pub(crate) mod keys;
pub(crate) mod manifest;
pub(crate) mod plan;
pub(crate) mod segment;
