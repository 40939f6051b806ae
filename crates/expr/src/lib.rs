//! Bound expressions, evaluated a column at a time, and aggregate functions.
