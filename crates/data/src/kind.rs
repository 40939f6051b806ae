//! Row kinds (`+I -U +U -D`) and the sets of them that a dynamic table may contain.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a row of a changelog does to the dynamic table; the numbers are Flink's own byte values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum RowKind {
    /// `+I`: a new row.
    Insert = 0,
    /// `-U`: the old content of an updated row.
    UpdateBefore = 1,
    /// `+U`: the new content of an updated row.
    UpdateAfter = 2,
    /// `-D`: a deleted row.
    Delete = 3,
}

impl RowKind {
    /// All kinds, in the order of their byte values.
    pub const ALL: [RowKind; 4] = [RowKind::Insert, RowKind::UpdateBefore, RowKind::UpdateAfter, RowKind::Delete];

    /// Flink's two-character text, `+I`, `-U`, `+U` or `-D`.
    pub const fn text(self) -> &'static str {
        match self {
            RowKind::Insert => "+I",
            RowKind::UpdateBefore => "-U",
            RowKind::UpdateAfter => "+U",
            RowKind::Delete => "-D",
        }
    }

    /// The kind that `text` names.
    pub fn parse(text: &str) -> Option<RowKind> {
        RowKind::ALL.into_iter().find(|kind| kind.text() == text)
    }

    /// Whether the row is added to the table (`+I`, `+U`); else it is taken away.
    pub const fn adds(self) -> bool {
        matches!(self, RowKind::Insert | RowKind::UpdateAfter)
    }

    /// +1 for a row that is added, -1 for one that is taken away.
    pub const fn sign(self) -> i64 {
        if self.adds() { 1 } else { -1 }
    }
}

impl fmt::Display for RowKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// The row kinds that a stream may contain. Displayed as Flink does: `I,UB,UA,D`, `NONE` when empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ChangelogMode(u8);

impl ChangelogMode {
    /// Nothing at all (a sink's output).
    pub const NONE: ChangelogMode = ChangelogMode(0);
    /// `I`: append-only.
    pub const INSERT_ONLY: ChangelogMode = ChangelogMode(1);
    /// `I,UA,D`: an upsert stream.
    pub const UPSERT: ChangelogMode = ChangelogMode(0b1101);
    /// `I,UB,UA,D`: everything.
    pub const ALL: ChangelogMode = ChangelogMode(0b1111);

    /// This mode and `kind` besides.
    #[must_use]
    pub const fn with(self, kind: RowKind) -> ChangelogMode {
        ChangelogMode(self.0 | 1 << kind as u8)
    }

    /// This mode without `kind`.
    #[must_use]
    pub const fn without(self, kind: RowKind) -> ChangelogMode {
        ChangelogMode(self.0 & !(1 << kind as u8))
    }

    /// What either of the two may contain.
    #[must_use]
    pub const fn union(self, other: ChangelogMode) -> ChangelogMode {
        ChangelogMode(self.0 | other.0)
    }

    /// Whether rows of `kind` may occur.
    pub const fn contains(self, kind: RowKind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }

    /// Whether nothing but `+I` may occur.
    pub const fn is_insert_only(self) -> bool {
        self.0 == ChangelogMode::INSERT_ONLY.0
    }

    /// Parses the options' form, `I,UB,UA,D` in any order.
    pub fn parse(text: &str) -> Option<ChangelogMode> {
        let mut mode = ChangelogMode::NONE;
        for part in text.split(',') {
            mode = mode.with(match part.trim() {
                "I" => RowKind::Insert,
                "UB" => RowKind::UpdateBefore,
                "UA" => RowKind::UpdateAfter,
                "D" => RowKind::Delete,
                _ => return None,
            });
        }
        Some(mode)
    }
}

impl fmt::Display for ChangelogMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (kind, name) in RowKind::ALL.into_iter().zip(["I", "UB", "UA", "D"]) {
            if self.contains(kind) {
                write!(f, "{separator}{name}")?;
                separator = ",";
            }
        }
        if self.0 == 0 { f.write_str("NONE") } else { Ok(()) }
    }
}
