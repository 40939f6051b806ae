//! Flink's SQL dialect: text to statements, every node with its span.
