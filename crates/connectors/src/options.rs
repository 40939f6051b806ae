//! Reading checked options: typed, with the default of the connector's spec.

use std::collections::BTreeMap;

use tidegate_data::connector::{parse_boolean, parse_duration};

/// A table's options.
#[derive(Clone, Copy)]
pub(crate) struct Options<'a>(pub &'a BTreeMap<String, String>);

impl<'a> Options<'a> {
    /// The text of an option.
    pub fn text(self, key: &str) -> Option<&'a str> {
        self.0.get(key).map(String::as_str)
    }

    /// A number, if it is there and one.
    pub fn int(self, key: &str) -> Option<i64> {
        self.text(key)?.trim().parse().ok()
    }

    /// A switch.
    pub fn boolean(self, key: &str, default: bool) -> bool {
        self.text(key).and_then(parse_boolean).unwrap_or(default)
    }

    /// A duration in ms.
    pub fn duration(self, key: &str, default: i64) -> i64 {
        self.text(key).and_then(parse_duration).unwrap_or(default)
    }

    /// A word of a list, in lower case.
    pub fn word(self, key: &str, default: &str) -> String {
        self.text(key).unwrap_or(default).trim().to_lowercase()
    }
}

/// An option in the form that the functions of a spec see.
pub(crate) fn find<'a>(options: &'a [(String, String)], key: &str) -> Option<&'a str> {
    options.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
}
