//! From statements to a physical plan: catalog, binder, rules, changelog modes, explain.

pub mod catalog;
pub mod config;
pub mod outcome;
pub mod physical;

pub use catalog::{Catalog, Column, ColumnKind, Relation, Table, View};
pub use config::{Config, ConfigKey};
pub use outcome::{JobPlan, Outcome, ResultTarget};
