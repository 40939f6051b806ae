//! One finding, and how it is put together.

use std::borrow::Cow;
use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Span;

/// A stable code such as `TG1001`: `TG1…` parse, `TG2…` bind, `TG3…` changelog, `TG4…` runtime,
/// `TG5…` connectors, `TG6…` case file. Codes are constants beside the place that raises them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(u16);

impl Code {
    /// The code written as `TG` and four digits. Meant for constants: anything else fails to compile there.
    pub const fn new(text: &str) -> Code {
        match Code::parse(text) {
            Some(code) => code,
            None => panic!("a code is TG and four digits"),
        }
    }

    const fn parse(text: &str) -> Option<Code> {
        let b = text.as_bytes();
        if b.len() != 6 || b[0] != b'T' || b[1] != b'G' {
            return None;
        }
        let mut number = 0u16;
        let mut i = 2;
        while i < 6 {
            if !b[i].is_ascii_digit() {
                return None;
            }
            number = number * 10 + (b[i] - b'0') as u16;
            i += 1;
        }
        Some(Code(number))
    }

    /// The four digits as a number.
    pub const fn number(self) -> u16 {
        self.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TG{:04}", self.0)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Code, D::Error> {
        let text = Cow::<str>::deserialize(d)?;
        Code::parse(&text).ok_or_else(|| D::Error::custom("a code is TG and four digits"))
    }
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The statement cannot run.
    Error,
    /// It runs, but most likely not as meant.
    Warning,
    /// Worth knowing.
    Info,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        })
    }
}

/// A change to the script that would cure the finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// What is replaced; an empty span inserts.
    pub span: Span,
    /// What comes in its place.
    pub replacement: String,
}

/// One finding about a script or a job.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// How much it matters.
    pub severity: Severity,
    /// Where in the script, if there is text to point at.
    pub span: Option<Span>,
    /// What is wrong, in the words of Flink's users.
    pub message: String,
    /// What a person can do about it.
    pub hints: Vec<String>,
    /// A change that would cure it, if there is an obvious one.
    pub fix: Option<Fix>,
}

/// Several findings, in the order of their discovery.
pub type Diagnostics = Vec<Diagnostic>;

impl Diagnostic {
    /// A finding of any severity, without a place and without hints.
    pub fn new(severity: Severity, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic { code, severity, span: None, message: message.into(), hints: Vec::new(), fix: None }
    }

    /// An error.
    pub fn error(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, message)
    }

    /// A warning.
    pub fn warning(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, message)
    }

    /// A remark.
    pub fn info(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Info, code, message)
    }

    /// Points at `span`; [`Span::NONE`] leaves the place as it was.
    pub fn at(mut self, span: Span) -> Diagnostic {
        if !span.is_none() {
            self.span = Some(span);
        }
        self
    }

    /// Points at `span` unless the finding has a place already.
    pub fn or_at(self, span: Span) -> Diagnostic {
        if self.span.is_some() { self } else { self.at(span) }
    }

    /// Adds a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hints.push(hint.into());
        self
    }

    /// Adds a hint if there is one, such as from [`did_you_mean`](crate::did_you_mean).
    pub fn hint_opt(mut self, hint: Option<String>) -> Diagnostic {
        self.hints.extend(hint);
        self
    }

    /// Offers to replace the text at `span`.
    pub fn fix(mut self, span: Span, replacement: impl Into<String>) -> Diagnostic {
        self.fix = Some(Fix { span, replacement: replacement.into() });
        self
    }

    /// Whether it keeps the statement from running.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity, self.code, self.message)
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: Code = Code::new("TG1042");

    #[test]
    fn a_code_prints_as_it_is_written() {
        assert_eq!(SAMPLE.to_string(), "TG1042");
        assert_eq!(SAMPLE.number(), 1042);
    }

    #[test]
    fn none_is_no_place() {
        let d = Diagnostic::error(SAMPLE, "x").at(Span::NONE).or_at(Span::new(1, 2));
        assert_eq!(d.span, Some(Span::new(1, 2)));
    }
}
