//! The operators: one file each, every one with its SQL, its state and Flink's counterpart at the top.

mod aggregation;
pub mod calc;
pub mod changelog_normalize;
mod columns;
pub mod constraint_enforcer;
pub mod drop_update_before;
mod failure;
pub mod group_aggregate;
pub mod sink_materializer;
mod stored_rows;
#[cfg(test)]
mod testing;
pub mod union;
pub mod watermark_assigner;
pub mod window;
pub mod window_aggregate;
pub mod window_table_function;

pub use calc::{Calc, CalcSpec};
pub use changelog_normalize::{ChangelogNormalize, ChangelogNormalizeSpec};
pub use constraint_enforcer::{ConstraintEnforcer, ConstraintEnforcerSpec, LengthRule};
pub use drop_update_before::DropUpdateBefore;
pub use group_aggregate::{GroupAggregate, GroupAggregateSpec};
pub use sink_materializer::{SinkMaterializer, SinkMaterializerSpec};
pub use union::Union;
pub use watermark_assigner::{WatermarkAssigner, WatermarkAssignerSpec};
pub use window::{WindowProperty, WindowShape};
pub use window_aggregate::{WindowAggregate, WindowAggregateSpec};
pub use window_table_function::{WindowTableFunction, WindowTableFunctionSpec};
