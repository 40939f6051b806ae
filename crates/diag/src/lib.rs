//! Diagnostics: a code, a place in the SQL, what is wrong, and what to do about it.

mod diagnostic;
mod render;
mod span;
mod suggest;

pub use diagnostic::{Code, Diagnostic, Diagnostics, Fix, Severity};
pub use render::{render, render_all};
pub use span::{LineColumn, Span, line_column};
pub use suggest::{closest, did_you_mean, listed};
