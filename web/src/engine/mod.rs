//! The page's end of the line to its two workers.

mod codec;
mod link;
mod script;

pub use link::{Link, LinkEvent, meta, query};
pub use script::{
    chosen_text, create_editor, download, dropped_text, keep_draft, kept_draft, name_example, pasted_text,
};
