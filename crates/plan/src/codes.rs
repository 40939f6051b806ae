//! The codes of what the planner finds (`TG2…` bind, `TG3…` changelog), in one place.

use tidegate_diag::Code;

/// Not supported yet.
pub const NOT_YET: Code = Code::new("TG2001");
/// A setting is unknown.
pub const UNKNOWN_KEY: Code = Code::new("TG2101");
/// A setting's value is of the wrong type.
pub const BAD_SETTING: Code = Code::new("TG2102");
/// A table or view is unknown.
pub const NO_OBJECT: Code = Code::new("TG2110");
/// A table or view exists already.
pub const OBJECT_EXISTS: Code = Code::new("TG2111");
/// A table definition contradicts itself.
pub const BAD_TABLE: Code = Code::new("TG2120");
/// A watermark definition is wrong.
pub const BAD_WATERMARK: Code = Code::new("TG2121");
/// A primary key definition is wrong.
pub const BAD_KEY: Code = Code::new("TG2122");
/// The options of a table do not fit its connector.
pub const BAD_OPTION: Code = Code::new("TG2130");
/// A hint is unknown, or says what cannot be.
pub const BAD_HINT: Code = Code::new("TG2131");
/// A type name is wrong.
pub const BAD_TYPE: Code = Code::new("TG2205");
/// A column is unknown.
pub const NO_COLUMN: Code = Code::new("TG2210");
/// A column name fits several columns.
pub const AMBIGUOUS: Code = Code::new("TG2211");
/// A function is unknown, or does not take these arguments.
pub const NO_FUNCTION: Code = Code::new("TG2220");
/// An operator does not take these operands.
pub const BAD_OPERANDS: Code = Code::new("TG2221");
/// A constant cannot be read.
pub const BAD_LITERAL: Code = Code::new("TG2222");
/// A condition is not a BOOLEAN.
pub const NOT_BOOLEAN: Code = Code::new("TG2223");
/// An expression is not grouped, or an aggregate stands where none may.
pub const BAD_GROUPING: Code = Code::new("TG2230");
/// The two sides of a set operation differ.
pub const SET_OPERATION: Code = Code::new("TG2240");
/// The words of a join do not go together.
pub const BAD_JOIN: Code = Code::new("TG2245");
/// A table's versions cannot be joined like this.
pub const BAD_TEMPORAL: Code = Code::new("TG2246");
/// A window function's arguments are wrong.
pub const BAD_WINDOW: Code = Code::new("TG2250");
/// A query does not fit its sink.
pub const BAD_SINK: Code = Code::new("TG2260");
/// A node or a sink does not take the changes that reach it.
pub const BAD_CHANGES: Code = Code::new("TG3001");
/// A statement becomes too large when subqueries and views are put in.
pub const TOO_LARGE: Code = Code::new("TG2295");
/// The planner refuses a query that is otherwise well-formed.
pub const BAD_PLAN: Code = Code::new("TG3010");
