//! The connectors, one in a file.
