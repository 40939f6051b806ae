//! The operators: one file each, every one with its SQL, its state and Flink's counterpart at the top.

mod aggregation;
pub mod calc;
pub mod changelog_normalize;
mod columns;
pub mod constraint_enforcer;
pub mod deduplicate;
pub mod drop_update_before;
mod failure;
pub mod group_aggregate;
mod outbox;
pub mod over_aggregate;
mod saved_watermark;
pub mod session_window_aggregate;
pub mod sink_materializer;
pub mod sort_key;
mod stored_rows;
pub mod temporal_sort;
#[cfg(test)]
mod testing;
pub mod top_n;
pub mod union;
pub mod watermark_assigner;
pub mod window;
pub mod window_aggregate;
pub mod window_table_function;

pub use calc::{Calc, CalcSpec};
pub use changelog_normalize::{ChangelogNormalize, ChangelogNormalizeSpec};
pub use constraint_enforcer::{ConstraintEnforcer, ConstraintEnforcerSpec, LengthRule};
pub use deduplicate::{Deduplicate, DeduplicateSpec};
pub use drop_update_before::DropUpdateBefore;
pub use group_aggregate::{GroupAggregate, GroupAggregateSpec};
pub use over_aggregate::{OverAggregate, OverAggregateSpec, OverFrame};
pub use session_window_aggregate::{SessionWindowAggregate, SessionWindowAggregateSpec};
pub use sink_materializer::{SinkMaterializer, SinkMaterializerSpec};
pub use sort_key::SortColumn;
pub use temporal_sort::{TemporalSort, TemporalSortSpec};
pub use top_n::{TopN, TopNSpec, TopNStrategy};
pub use union::Union;
pub use watermark_assigner::{WatermarkAssigner, WatermarkAssignerSpec};
pub use window::{WindowProperty, WindowShape};
pub use window_aggregate::{WindowAggregate, WindowAggregateSpec};
pub use window_table_function::{WindowTableFunction, WindowTableFunctionSpec};
