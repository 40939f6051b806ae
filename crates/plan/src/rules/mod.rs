//! The rewrite rules, one per file, each with the SQL that it is for.

pub mod constants;
pub mod fold_in_zone;
pub mod merge_aggregate_input;
pub mod merge_project;
pub mod prune_aggregate;
pub mod prune_empty;
pub mod prune_join;
pub mod prune_over;
pub mod prune_rowtime;
pub mod pull_up_constants;
pub mod pull_up_project;
pub mod push_filter;
pub mod push_into_join;
pub mod push_join_expressions;
pub mod push_project;
pub mod push_watermark;
pub mod rank;
pub mod reduce_aggregate;
pub mod remove_aggregate;
pub mod remove_join;
pub mod search;
pub mod simplify;
pub mod split_over;
pub mod time_attributes;
pub mod time_joins;
pub mod union_types;

use tidegate_data::Zone;

use crate::catalog::Catalog;
use crate::logical::Rel;

/// The plan after all rules, in Flink's order: conditions first, then projections, then aggregates.
pub fn optimize(rel: Rel, catalog: &Catalog) -> Rel {
    let zone = Zone::parse(catalog.config().time_zone()).unwrap_or(Zone::UTC);
    let rel = split_over::apply(rel);
    let rel = union_types::apply(rel);
    let rel = fold_in_zone::apply(rel, &zone);
    let rel = simplify::apply(rel);
    let rel = constants::apply(rel);
    let rel = pull_up_constants::apply(rel);
    let rel = push_filter::apply(rel);
    let rel = push_join_expressions::apply(rel);
    let rel = constants::apply(rel);
    let rel = rank::apply(rel);
    let rel = prune_empty::apply(rel);
    let rel = merge_project::apply(rel);
    let rel = pull_up_project::apply(rel);
    let rel = pull_up_constants::apply(rel);
    let rel = remove_join::apply(rel);
    let rel = push_project::apply(rel);
    let rel = merge_project::apply(rel);
    let rel = prune_rowtime::apply(rel);
    let rel = merge_project::apply(rel);
    let rel = prune_aggregate::apply(rel);
    let rel = remove_aggregate::apply(rel);
    let rel = reduce_aggregate::apply(rel);
    let rel = merge_project::apply(rel);
    let rel = merge_aggregate_input::apply(rel);
    let rel = push_watermark::apply(rel, catalog);
    let rel = merge_project::apply(rel);
    let rel = time_joins::apply(rel);
    time_attributes::apply(rel)
}
