//! Rows in files: CSV, JSON lines and Debezium JSON, read for an input and written from a result.

mod csv;
mod json;
mod rows;
mod write;

pub use rows::{FileFormat, FileReader, FileRow, read_rows};
pub use write::{csv_head, csv_line, json_line};
