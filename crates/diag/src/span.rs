//! Places in the text of a script.

use serde::{Deserialize, Serialize};

/// A half-open range of byte offsets into the script's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// No place at all: what stands for something the planner made up itself.
    pub const NONE: Span = Span { start: u32::MAX, end: u32::MAX };

    /// The bytes from `start` up to, but without, `end`.
    pub const fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The empty span at `offset`.
    pub const fn at(offset: u32) -> Span {
        Span { start: offset, end: offset }
    }

    /// Whether this is [`Span::NONE`].
    pub const fn is_none(self) -> bool {
        self.start == u32::MAX
    }

    /// The smallest span that covers both; [`Span::NONE`] counts for nothing.
    pub fn to(self, other: Span) -> Span {
        if self.is_none() {
            other
        } else if other.is_none() {
            self
        } else {
            Span { start: self.start.min(other.start), end: self.end.max(other.end) }
        }
    }

    /// Whether `offset` lies in the span.
    pub fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }

    /// The piece of `text` that the span covers; empty where it does not fit.
    pub fn text(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

impl Default for Span {
    fn default() -> Span {
        Span::NONE
    }
}

/// A line and a column, both counted from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// The line and column of the byte at `offset`; offsets beyond the text count as its end.
pub fn line_column(text: &str, offset: u32) -> LineColumn {
    let mut end = (offset as usize).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    LineColumn {
        line: before.bytes().filter(|b| *b == b'\n').count() as u32 + 1,
        column: before[line_start..].chars().count() as u32 + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let text = "ab\nüx\n";
        assert_eq!(line_column(text, 0), LineColumn { line: 1, column: 1 });
        assert_eq!(line_column(text, 3), LineColumn { line: 2, column: 1 });
        assert_eq!(line_column(text, 5), LineColumn { line: 2, column: 2 });
        assert_eq!(line_column(text, 99), LineColumn { line: 3, column: 1 });
    }

    #[test]
    fn joining_ignores_none() {
        let a = Span::new(3, 5);
        assert_eq!(a.to(Span::NONE), a);
        assert_eq!(Span::NONE.to(a), a);
        assert_eq!(a.to(Span::new(9, 12)), Span::new(3, 12));
    }
}
