//! Checkpoints: what they look like in the store, and what a restore makes of one. Who triggers and completes them is in `job/checkpoints.rs`.
//!
//! What holds at every moment, also when an engine dies:
//!
//! - Every write of an attempt requires its epoch, so that no attempt writes after a later one has begun. Numbers and manifests are read only
//!   after the epoch was raised: from then on nobody else changes them.
//! - A checkpoint is complete when its manifest is in the store, which one atomic batch puts there after every segment it refers to. Only then is
//!   anybody told.
//! - Segments are never rewritten. One is deleted only in the batch of a manifest, if neither that one nor a retained one refers to it, or while an
//!   attempt starts, if no manifest does.
//! - A checkpoint that was given up loses nothing: what its subtasks read out of their tables stays part of their segments, and is written with the
//!   next one if it could not be written before.
//! - The number of a checkpoint is written down before its first barrier, so that it is never given out again.

pub(crate) mod crc;
pub(crate) mod files;
pub(crate) mod in_flight;
pub(crate) mod keys;
pub(crate) mod manifest;
pub(crate) mod plan;
pub(crate) mod segment;
pub mod spoil;
