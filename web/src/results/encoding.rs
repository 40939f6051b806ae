//! A result's rows as a stream carries them: all kinds, appended only, added and retracted, or put under a key.

use tidegate_protocol::ResultLayout;

/// How the rows are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// With their kinds.
    Changelog,
    /// As an append stream.
    Append,
    /// As a retract stream.
    Retract,
    /// As an upsert stream.
    Upsert,
}

impl Encoding {
    /// All of them, with their names.
    pub const ALL: [(Encoding, &str, &str); 4] = [
        (Encoding::Changelog, "changelog", "changelog"),
        (Encoding::Append, "append", "append stream"),
        (Encoding::Retract, "retract", "retract stream"),
        (Encoding::Upsert, "upsert", "upsert stream"),
    ];

    /// Why a result cannot be carried so.
    pub fn refusal(self, layout: &ResultLayout) -> Option<&'static str> {
        let kinds: Vec<&str> = layout.changelog_mode.split(',').collect();
        let has = |kind: &str| kinds.contains(&kind);
        match self {
            Encoding::Append if kinds != ["I"] => Some(
                "Not as an append stream: this query changes rows that it has given before, and such a stream can only add.",
            ),
            Encoding::Retract if has("UA") && !has("UB") => Some(
                "Not as a retract stream: the old rows of updates (-U) are needed, and this plan leaves them out because its sink goes by its key.",
            ),
            Encoding::Upsert if layout.key.is_none() => Some(
                "Not as an upsert stream: no columns of this result identify a row, so that there is no key to put it under.",
            ),
            _ => None,
        }
    }

    /// What a kind is called, and its colour.
    pub fn word(self, kind: &str) -> (&'static str, &'static str) {
        match (self, kind) {
            (Encoding::Append, _) => ("append", "insert"),
            (Encoding::Retract, "+I" | "+U") => ("add", "insert"),
            (Encoding::Retract, _) => ("retract", "delete"),
            (Encoding::Upsert, "-D") => ("delete", "delete"),
            (_, _) => ("upsert", "after"),
        }
    }
}
