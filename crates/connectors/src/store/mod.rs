//! Stores other than memory.

pub mod folder;

pub use folder::FolderStore;
