//! The scalar functions, one file per family.

use std::fmt;

/// A scalar function or operator, as a bound call refers to it.
pub struct ScalarFunction {
    /// Its name, as plans show it.
    pub name: &'static str,
    /// Whether equal arguments always give an equal result.
    pub deterministic: bool,
}

impl PartialEq for ScalarFunction {
    fn eq(&self, other: &ScalarFunction) -> bool {
        std::ptr::eq(self, other)
    }
}

impl fmt::Debug for ScalarFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
