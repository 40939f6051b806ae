//! From statements to a physical plan: catalog, binder, rules, changelog modes, explain.

mod bind;
pub mod bound;
pub mod catalog;
mod changelog_mode;
pub mod codes;
pub mod config;
mod convert;
mod correlate;
mod expand;
mod explain;
mod hints;
mod join;
mod logical;
mod lookup;
mod lower;
mod monotonicity;
mod normalize;
pub mod outcome;
mod over;
mod pattern;
mod phys;
pub mod physical;
mod physical_pattern;
mod planner;
mod rank;
mod rex;
mod rules;
mod sarg;
mod text;
mod unique;
mod unparse;
mod upsert_keys;
mod window;

pub use catalog::{Catalog, Relation, Table};
pub use config::Config;
pub use outcome::{JobPlan, Outcome, ResultTarget, Risk, RiskKind};
