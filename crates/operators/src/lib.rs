//! The operators, one in a file.
