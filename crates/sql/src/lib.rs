//! Flink's SQL dialect: text to statements, every node with its span.

pub mod ast;
pub mod case;

use tidegate_diag::Diagnostic;

/// What a text came to: the statements that could be read, and what was wrong with the others.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    /// The statements without errors, in order; [`ast::Statement::ordinal`] counts all of them.
    pub statements: Vec<ast::Statement>,
    /// Errors and warnings, in order of their place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a whole script; a faulty statement does not keep the others from being read.
pub fn parse_script(_text: &str) -> Script {
    Script::default()
}
