//! The values of Tidegate: types, row kinds, columnar chunks, casts and their text forms.

pub mod chunk;
pub mod connector;
pub mod kind;
pub mod slots;
pub mod types;
pub mod value;

pub use chunk::{Chunk, Kinds, Origins, RowOrigin};
pub use connector::{ConnectorSpec, OptionSpec, OptionType};
pub use kind::{ChangelogMode, RowKind};
pub use slots::{SlotColumn, SlotType};
pub use types::{DataType, Field, LogicalType, Schema, TimeKind};
pub use value::Value;
