//! From statements to a physical plan: catalog, binder, rules, changelog modes, explain.

pub mod physical;
