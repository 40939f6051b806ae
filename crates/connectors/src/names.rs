//! The names of the topics and tables that a store holds.

use tidegate_runtime::{Store, StoreRequest, StoreResponse};

use crate::transaction::{escape, prefix, unescape};

/// How to list the topics ([`crate::log::TOPICS`]) or tables ([`crate::table::TABLES`]) of a store.
#[derive(Clone, Copy, Debug)]
pub struct Listing {
    pub(crate) kind: &'static str,
}

impl Listing {
    /// What to ask for the first name after `last` (`None`: for the very first). Ask again until [`Self::decode`] gives none.
    pub fn request(self, last: Option<&str>) -> StoreRequest {
        let (first, to) = prefix(self.kind);
        let from = last.map_or(first, |name| prefix(format!("{}{}/", self.kind, escape(name))).1);
        StoreRequest::Scan { from, to, limit: 1 }
    }

    /// The name in the answer.
    pub fn decode(self, response: &StoreResponse) -> Option<String> {
        let StoreResponse::Entries(entries) = response else { return None };
        let rest = entries.first()?.0.strip_prefix(self.kind.as_bytes())?;
        let end = rest.iter().position(|byte| *byte == b'/')?;
        Some(unescape(std::str::from_utf8(&rest[..end]).ok()?))
    }

    /// All names of a store that answers at once, in the order of their keys.
    pub fn all(self, store: &mut dyn Store) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        while let Some(name) = self.decode(&store.execute(self.request(names.last().map(String::as_str)))) {
            names.push(name);
        }
        names
    }
}
