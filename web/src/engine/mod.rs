//! The page's end of the line to its two workers.

mod codec;
mod link;
mod script;

pub use link::{Link, LinkEvent, meta};
pub use script::create_editor;
