//! The values of Tidegate: types, row kinds, columnar chunks, casts and their text forms.

pub mod arrow;
pub mod calendar;
pub mod cast;
pub mod chunk;
mod chunk_ops;
mod chunk_text;
pub mod column;
pub mod concat;
pub mod connector;
pub mod decimal;
pub mod gather;
pub mod keys;
pub mod kind;
pub mod nulls;
pub mod slots;
pub mod sorted;
pub mod text;
mod type_text;
pub mod types;
pub mod value;
pub mod zone;

pub use cast::{Cast, CastError, can_cast, cast_can_fail, cast_column};
pub use chunk::{Chunk, Kinds, Origins, RowOrigin};
pub use column::{ColumnError, build_column, empty_column, value_at};
pub use concat::{concat, interleave, only_where};
pub use connector::{ConnectorSpec, OptionSpec, OptionType};
pub use gather::{gather, gather_or_null};
pub use keys::{EncodedKeys, decode_keys, encode_keys, hash_keys, key_group};
pub use kind::{ChangelogMode, RowKind};
pub use nulls::null_column;
pub use slots::{SlotColumn, SlotType};
pub use text::cell_text;
pub use types::{DataType, Field, LogicalType, Schema, TimeKind};
pub use value::Value;
pub use zone::Zone;
