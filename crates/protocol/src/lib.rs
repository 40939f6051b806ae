//! The messages between the page and its workers: serde types, nothing else.
//!
//! The page posts a [`ToEngine`], the engine's worker answers each with one [`FromEngine`] that carries the same id. 64-bit numbers
//! travel as BigInt. All values are text: the page never sees the engine's types.

mod beside;
mod engine;
mod store;
mod view;

pub use beside::*;
pub use engine::*;
pub use store::*;
pub use view::*;
