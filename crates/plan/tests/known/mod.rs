//! What does not agree with the recordings yet, as `case:statement`.

/// Names and types of columns.
pub const COLUMNS: &[&str] = &[];
/// Changelog modes.
pub const MODES: &[&str] = &[];
/// `== Optimized Physical Plan ==`
pub const PLANS: &[&str] = &[];
/// `== Optimized Execution Plan ==`
pub const EXECUTIONS: &[&str] = &[];
/// `== Abstract Syntax Tree ==`
pub const TREES: &[&str] = &[];
/// What DESCRIBE, SHOW and EXPLAIN print.
pub const OUTPUTS: &[&str] = &[];
/// Refusals.
pub const ERRORS: &[&str] = &[];
