//! What a connector accepts, said once by the connector, read by the planner, and checked here for both.

use std::collections::BTreeMap;

use tidegate_diag::{Code, Diagnostic, did_you_mean};

use crate::{ChangelogMode, Schema};

const UNKNOWN_OPTION: Code = Code::new("TG5001");
const MISSING_OPTION: Code = Code::new("TG5002");
const INVALID_VALUE: Code = Code::new("TG5003");

/// Options that a table of any connector may have (Flink's `FactoryUtil`), whatever the connector makes of them.
pub const COMMON_OPTIONS: [&str; 5] = [
    "property-version",
    "scan.parallelism",
    "sink.parallelism",
    "scan.watermark.emit.strategy",
    "scan.watermark.idle-timeout",
];

/// Numbers of subtasks: there are 128 key groups.
pub const PARALLELISM: OptionType = OptionType::Between(1, 128);

/// The most partitions of a topic, and splits of a table.
pub const MAX_PARTITIONS: i64 = 1_024;

/// The type of an option's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionType {
    /// Any text.
    Text,
    /// A whole number.
    Int,
    /// A whole number from the first to the second.
    Between(i64, i64),
    /// A floating-point number.
    Double,
    /// `true` or `false`.
    Boolean,
    /// Flink's duration text, `10 s`, `500 ms`.
    Duration,
    /// Flink's memory size, `64 mb`.
    Memory,
    /// One of these words.
    Enum(&'static [&'static str]),
}

/// One option of a connector. A name may hold `*` for a column's name (`fields.*.min`) or any suffix (`properties.*`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// The option's name, as Flink spells it.
    pub name: &'static str,
    /// What its value must be.
    pub ty: OptionType,
    /// Whether a table without it is refused.
    pub required: bool,
    /// What it means when absent, as text; `None` when there is no default.
    pub default: Option<&'static str>,
    /// One sentence for the page and the error message.
    pub doc: &'static str,
}

/// What a connector can do and which options it takes.
#[derive(Clone, Debug)]
pub struct ConnectorSpec {
    /// The value of `'connector'`.
    pub name: &'static str,
    /// All options but `connector` itself.
    pub options: Vec<OptionSpec>,
    /// Whether it can be read.
    pub source: bool,
    /// Whether it can be written.
    pub sink: bool,
    /// Metadata columns that a source offers: key and type text.
    pub metadata: Vec<(&'static str, crate::DataType)>,
    /// The row kinds that a source yields, from the table's options and whether it has a primary key.
    pub source_mode: fn(options: &[(String, String)], has_key: bool) -> ChangelogMode,
    /// The row kinds that a sink takes; `None` takes whatever the query yields.
    pub sink_mode: fn(options: &[(String, String)], has_key: bool) -> Option<ChangelogMode>,
    /// Whether the source takes the table's watermark itself, so that the plan has no watermark assigner.
    pub watermark_push_down: fn(options: &[(String, String)]) -> bool,
    /// What the connector asks beyond the options' types, such as a primary key or one option because of another.
    /// Called only when the options themselves are in order.
    pub rules: fn(table: &TableShape<'_>) -> Vec<OptionProblem>,
}

/// What the rules of a connector see of a table.
#[derive(Clone, Copy, Debug)]
pub struct TableShape<'a> {
    /// All its options, `connector` included or not.
    pub options: &'a BTreeMap<String, String>,
    /// Its physical columns.
    pub physical: &'a Schema,
    /// The primary key, as positions in `physical`.
    pub primary_key: Option<&'a [usize]>,
    /// Whether it is about to be written (else read).
    pub sink: bool,
}

/// Something wrong with a table's options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionProblem {
    /// The option to point at; `None` when one is missing or the table as a whole is meant.
    pub option: Option<String>,
    /// What is wrong, without a place.
    pub diagnostic: Diagnostic,
}

impl OptionProblem {
    /// A problem with the value of `option`.
    pub fn at(option: impl Into<String>, diagnostic: Diagnostic) -> OptionProblem {
        OptionProblem { option: Some(option.into()), diagnostic }
    }

    /// A problem of the table as a whole.
    pub fn of_table(diagnostic: Diagnostic) -> OptionProblem {
        OptionProblem { option: None, diagnostic }
    }
}

impl OptionSpec {
    /// An option that may be left out and then has no value.
    pub const fn optional(name: &'static str, ty: OptionType, doc: &'static str) -> OptionSpec {
        OptionSpec { name, ty, required: false, default: None, doc }
    }

    /// An option with a default.
    pub const fn with_default(
        name: &'static str,
        ty: OptionType,
        default: &'static str,
        doc: &'static str,
    ) -> OptionSpec {
        OptionSpec { name, ty, required: false, default: Some(default), doc }
    }

    /// An option that every table must give.
    pub const fn required(name: &'static str, ty: OptionType, doc: &'static str) -> OptionSpec {
        OptionSpec { name, ty, required: true, default: None, doc }
    }

    /// Whether `key` is this option, by name or by pattern.
    pub fn matches(&self, key: &str) -> bool {
        match self.name.split_once('*') {
            None => self.name == key,
            Some((before, after)) => {
                key.len() > before.len() + after.len() && key.starts_with(before) && key.ends_with(after)
            }
        }
    }
}

impl OptionType {
    /// Whether `value` is of this type.
    pub fn accepts(&self, value: &str) -> bool {
        match self {
            OptionType::Text => true,
            OptionType::Int => value.trim().parse::<i64>().is_ok(),
            OptionType::Between(least, most) => value.trim().parse().is_ok_and(|n: i64| (*least..=*most).contains(&n)),
            OptionType::Double => value.trim().parse::<f64>().is_ok(),
            OptionType::Boolean => parse_boolean(value).is_some(),
            OptionType::Duration => parse_duration(value).is_some(),
            OptionType::Memory => parse_memory(value).is_some(),
            OptionType::Enum(words) => words.iter().any(|word| word.eq_ignore_ascii_case(value.trim())),
        }
    }

    /// What a value of this type looks like, for a message.
    pub fn expected(&self) -> String {
        match self {
            OptionType::Text => "a text".into(),
            OptionType::Int => "a whole number".into(),
            OptionType::Between(least, most) => format!("a whole number from {least} to {most}"),
            OptionType::Double => "a number".into(),
            OptionType::Boolean => "true or false".into(),
            OptionType::Duration => "a duration such as '10 s' or '500 ms'".into(),
            OptionType::Memory => "a size such as '64 mb'".into(),
            OptionType::Enum(words) => format!("one of {}", list(words.iter().copied())),
        }
    }
}

impl ConnectorSpec {
    /// A connector without options that can be neither read nor written; fill in what it can with struct update syntax.
    pub fn new(name: &'static str) -> ConnectorSpec {
        ConnectorSpec {
            name,
            options: Vec::new(),
            source: false,
            sink: false,
            metadata: Vec::new(),
            source_mode: |_, _| ChangelogMode::INSERT_ONLY,
            sink_mode: |_, _| None,
            watermark_push_down: |_| false,
            rules: |_| Vec::new(),
        }
    }

    /// The option that `key` names.
    pub fn option(&self, key: &str) -> Option<&OptionSpec> {
        self.options.iter().find(|option| option.name == key).or_else(|| self.options.iter().find(|o| o.matches(key)))
    }

    /// What is wrong with these options: unknown ones, missing ones, values of the wrong type.
    /// [`COMMON_OPTIONS`] and `connector` itself are always known.
    pub fn check(&self, options: &BTreeMap<String, String>) -> Vec<OptionProblem> {
        let mut problems = Vec::new();
        let names = || self.options.iter().map(|option| option.name);
        for (key, value) in options.iter().filter(|(key, _)| *key != "connector") {
            match self.option(key) {
                None if COMMON_OPTIONS.contains(&key.as_str())
                    && (!key.ends_with(".parallelism") || PARALLELISM.accepts(value)) => {}
                None if COMMON_OPTIONS.contains(&key.as_str()) => {
                    let message =
                        format!("Invalid value '{value}' for option '{key}': expected {}.", PARALLELISM.expected());
                    problems.push(OptionProblem::at(key, Diagnostic::error(INVALID_VALUE, message)));
                }
                None => {
                    let diagnostic =
                        Diagnostic::error(UNKNOWN_OPTION, format!("Unsupported option '{key}' for '{}'.", self.name))
                            .hint_opt(did_you_mean(key, names()))
                            .hint(match self.options.is_empty() {
                                true => format!("'{}' takes no options.", self.name),
                                false => format!("Supported options: {}.", names().collect::<Vec<_>>().join(", ")),
                            });
                    problems.push(OptionProblem::at(key, diagnostic));
                }
                Some(option) if !option.ty.accepts(value) => {
                    let message =
                        format!("Invalid value '{value}' for option '{key}': expected {}.", option.ty.expected());
                    let words: &[&str] = if let OptionType::Enum(words) = option.ty { words } else { &[] };
                    let diagnostic = Diagnostic::error(INVALID_VALUE, message)
                        .hint_opt(did_you_mean(value, words.iter().copied()))
                        .hint(option.doc);
                    problems.push(OptionProblem::at(key, diagnostic));
                }
                Some(_) => {}
            }
        }
        let missing: Vec<&OptionSpec> =
            self.options.iter().filter(|option| option.required && !options.contains_key(option.name)).collect();
        if !missing.is_empty() {
            let message =
                format!("Missing required options for '{}': {}.", self.name, list(missing.iter().map(|o| o.name)));
            let mut diagnostic = Diagnostic::error(MISSING_OPTION, message);
            for option in missing {
                diagnostic = diagnostic.hint(format!("'{}': {}", option.name, option.doc));
            }
            problems.push(OptionProblem::of_table(diagnostic));
        }
        problems
    }

    /// [`check`](Self::check), then the connector's own rules.
    pub fn check_table(&self, table: &TableShape<'_>) -> Vec<OptionProblem> {
        let problems = self.check(table.options);
        if problems.is_empty() { (self.rules)(table) } else { problems }
    }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
}

/// Flink's boolean option: `true` or `false` in any case.
pub fn parse_boolean(text: &str) -> Option<bool> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("true") {
        Some(true)
    } else if text.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        None
    }
}

/// Flink's duration option in milliseconds: a whole number and a unit (`ms` when there is none), as its `TimeUtils`
/// reads it; micro- and nanoseconds are rounded down.
pub fn parse_duration(text: &str) -> Option<i64> {
    let (number, unit) = number_and_unit(text)?;
    let scaled = |factor: i64| number.checked_mul(factor);
    match unit.as_str() {
        "d" | "day" | "days" => scaled(86_400_000),
        "h" | "hour" | "hours" => scaled(3_600_000),
        "m" | "min" | "minute" | "minutes" => scaled(60_000),
        "s" | "sec" | "secs" | "second" | "seconds" => scaled(1_000),
        "" | "ms" | "milli" | "millis" | "millisecond" | "milliseconds" => Some(number),
        "µs" | "micro" | "micros" | "microsecond" | "microseconds" => Some(number / 1_000),
        "ns" | "nano" | "nanos" | "nanosecond" | "nanoseconds" => Some(number / 1_000_000),
        _ => None,
    }
}

/// Flink's memory option in bytes: a whole number and a unit (bytes when there is none), as its `MemorySize` reads it.
pub fn parse_memory(text: &str) -> Option<i64> {
    let (number, unit) = number_and_unit(text)?;
    let scaled = |shift: u32| number.checked_mul(1 << shift);
    match unit.as_str() {
        "" | "b" | "bytes" => Some(number),
        "k" | "kb" | "kibibytes" => scaled(10),
        "m" | "mb" | "mebibytes" => scaled(20),
        "g" | "gb" | "gibibytes" => scaled(30),
        "t" | "tb" | "tebibytes" => scaled(40),
        _ => None,
    }
}

fn number_and_unit(text: &str) -> Option<(i64, String)> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    Some((number.parse().ok()?, unit.trim().to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> ConnectorSpec {
        ConnectorSpec {
            options: vec![
                OptionSpec::required("topic", OptionType::Text, "The topic to read."),
                OptionSpec::with_default("rate", OptionType::Int, "5", "Rows a second."),
                OptionSpec::optional("mode", OptionType::Enum(&["earliest", "latest"]), "Where to start."),
                OptionSpec::optional("fields.*.min", OptionType::Double, "The least value."),
                OptionSpec::optional("properties.*", OptionType::Text, "Handed on."),
            ],
            ..ConnectorSpec::new("demo")
        }
    }

    fn problems(options: &[(&str, &str)]) -> Vec<String> {
        let options = options.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        spec().check(&options).iter().map(|p| format!("{}: {}", p.diagnostic.code, p.diagnostic.message)).collect()
    }

    #[test]
    fn options_are_checked() {
        assert_eq!(problems(&[("topic", "t"), ("fields.a.b.min", "1.5"), ("properties.x", "y")]), Vec::<String>::new());
        assert_eq!(
            problems(&[("topics", "t")]),
            [
                "TG5001: Unsupported option 'topics' for 'demo'.",
                "TG5002: Missing required options for 'demo': 'topic'.",
            ]
        );
        assert_eq!(
            problems(&[("topic", "t"), ("rate", "x"), ("mode", "first")]),
            [
                "TG5003: Invalid value 'first' for option 'mode': expected one of 'earliest', 'latest'.",
                "TG5003: Invalid value 'x' for option 'rate': expected a whole number.",
            ]
        );
        assert_eq!(problems(&[("topic", "t"), ("properties.", "y")]).len(), 1);
    }

    #[test]
    fn durations_and_sizes() {
        assert_eq!(parse_duration("10 s"), Some(10_000));
        assert_eq!(parse_duration("500ms"), Some(500));
        assert_eq!(parse_duration("3"), Some(3));
        assert_eq!(parse_duration("1 day"), Some(86_400_000));
        assert_eq!(parse_duration("s"), None);
        assert_eq!(parse_duration("-1 s"), None);
        assert_eq!(parse_memory("64 mb"), Some(64 << 20));
        assert_eq!(parse_memory("5"), Some(5));
        assert_eq!(parse_memory("5 xb"), None);
    }
}
