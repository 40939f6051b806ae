//! Flink's SQL dialect: text to statements, every node with its span.

pub mod ast;
pub mod case;
mod keywords;
mod parser;
mod tokens;

use tidegate_diag::Diagnostic;

/// What a text came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    /// The statements that could be read, in order; [`ast::Statement::ordinal`] counts all of them. A
    /// statement with an error that could be guessed around (a missing comma) is among them, so that
    /// binding can go on to find more; nothing may run while `diagnostics` holds an error.
    pub statements: Vec<ast::Statement>,
    /// Errors and warnings, in order of their place.
    pub diagnostics: Vec<Diagnostic>,
    /// Where the statements begin, the faulty ones included, with their numbers.
    starts: Vec<(u32, u32)>,
    /// Tables and views whose CREATE could not be read: that they are unknown is no news.
    pub lost: Vec<String>,
}

impl Script {
    /// The number of the statement that `offset` belongs to; text between two belongs to the first of them.
    pub fn statement_at(&self, offset: u32) -> u32 {
        let before = self.starts.iter().take_while(|(start, _)| *start <= offset);
        before.last().or(self.starts.first()).map_or(1, |(_, ordinal)| *ordinal)
    }
}

/// Reads a whole script; a faulty statement does not keep the others from being read.
pub fn parse_script(text: &str) -> Script {
    parser::parse(text)
}
