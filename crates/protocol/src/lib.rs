//! The messages between the page and its workers.
