//! The configuration: Flink's keys that mean something here, with their types and defaults; SET and RESET.

use std::collections::BTreeMap;

/// A known key.
#[derive(Clone, Copy, Debug)]
pub struct ConfigKey {
    /// The key, as Flink spells it.
    pub name: &'static str,
    /// The default, as text.
    pub default: &'static str,
}

/// The values that were set; all others have their default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    values: BTreeMap<String, String>,
}

impl Config {
    /// The value of `key`, or its default.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }
}
