//! The configuration: Flink's keys that are known here, with their types and defaults; SET and RESET.

use std::collections::BTreeMap;

use tidegate_data::{OptionType, Zone};
use tidegate_diag::{Diagnostic, Span, closest};

use crate::codes::{BAD_SETTING, UNKNOWN_KEY};

/// What setting a key does here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// What Flink's documentation says.
    Same,
    /// Nothing; the sentence says why.
    None(&'static str),
}

/// A known key.
#[derive(Clone, Debug)]
pub struct ConfigKey {
    /// The key, as Flink spells it.
    pub name: &'static str,
    /// What its value must be.
    pub ty: OptionType,
    /// The default as text; empty when there is none.
    pub default: &'static str,
    /// What it does here.
    pub effect: Effect,
}

const fn key(name: &'static str, ty: OptionType, default: &'static str) -> ConfigKey {
    ConfigKey { name, ty, default, effect: Effect::Same }
}

const fn inert(name: &'static str, ty: OptionType, default: &'static str, why: &'static str) -> ConfigKey {
    ConfigKey { name, ty, default, effect: Effect::None(why) }
}

const STREAMING: &str = "all jobs stream";
const ONE_ENGINE: &str = "there is one process and no cluster";
const NO_BATCHES: &str = "rows are never held back for a mini-batch";
/// The savepoint from which a job begins, by the name that the list of checkpoints gives it: `savepoint-3`, `checkpoint-2`.
pub const RECOVERY_PATH: &str = "execution.state-recovery.path";
/// Its former name.
const SAVEPOINT_PATH: &str = "execution.savepoint.path";
const NO_REUSE: &str = "sub-plans are never shared: each scan of a table is a reader of its own";

use OptionType::{Between, Boolean, Double, Duration, Enum, Int, Memory, Text};

/// The largest INT.
const MOST: i64 = i32::MAX as i64;

/// All known keys, by name.
pub const KEYS: &[ConfigKey] = &[
    key("execution.checkpointing.aligned-checkpoint-timeout", Duration, "0 ms"),
    key("execution.checkpointing.interval", Duration, ""),
    key("execution.checkpointing.max-concurrent-checkpoints", Between(1, MOST), "1"),
    key("execution.checkpointing.min-pause", Duration, "0 ms"),
    // The last three are our own, for comparison: the naive algorithm, and no checkpoints at all.
    key(
        "execution.checkpointing.mode",
        Enum(&["EXACTLY_ONCE", "AT_LEAST_ONCE", "STOP_THE_WORLD", "NONE", "NONE_FROM_LATEST"]),
        "EXACTLY_ONCE",
    ),
    key("execution.checkpointing.num-retained", Between(1, MOST), "1"),
    key("execution.checkpointing.timeout", Duration, "10 min"),
    key("execution.checkpointing.tolerable-failed-checkpoints", Between(0, MOST), "0"),
    key("execution.checkpointing.unaligned.enabled", Boolean, "false"),
    inert("execution.runtime-mode", Enum(&["STREAMING", "BATCH", "AUTOMATIC"]), "STREAMING", STREAMING),
    inert("jobmanager.memory.process.size", Memory, "", ONE_ENGINE),
    key("parallelism.default", Between(1, 128), "1"),
    key("pipeline.auto-watermark-interval", Duration, "200 ms"),
    inert("pipeline.max-parallelism", Between(1, 32_768), "128", "there are always 128 key groups"),
    key("pipeline.name", Text, ""),
    inert("pipeline.object-reuse", Boolean, "false", "rows are never copied between operators of a chain"),
    key("pipeline.operator-chaining.enabled", Boolean, "true"),
    key("restart-strategy.fixed-delay.attempts", Between(0, MOST), "1"),
    key("restart-strategy.fixed-delay.delay", Duration, "1 s"),
    key("restart-strategy.type", Enum(&["none", "off", "disable", "fixed-delay", "fixeddelay"]), ""),
    inert("sql-client.execution.max-table-result.rows", Int, "1000000", "results are paged"),
    inert(
        "sql-client.execution.result-mode",
        Enum(&["TABLE", "CHANGELOG", "TABLEAU"]),
        "TABLE",
        "table and changelog are both shown",
    ),
    inert("state.backend.incremental", Boolean, "false", "checkpoints always follow what changed"),
    inert("state.backend.type", Enum(&["hashmap", "rocksdb", "forst"]), "hashmap", "there is one state backend"),
    inert("table.dml-sync", Boolean, "false", "the transport bar says when a job runs"),
    inert("table.exec.async-lookup.timeout", Duration, "3 min", "there is no lookup join so far"),
    key("table.exec.interval-join.min-cleanup-interval", Duration, "0 ms"),
    key("table.exec.legacy-cast-behaviour", Enum(&["ENABLED", "DISABLED"]), "DISABLED"),
    inert("table.exec.mini-batch.allow-latency", Duration, "0 ms", NO_BATCHES),
    inert("table.exec.mini-batch.enabled", Boolean, "false", NO_BATCHES),
    inert("table.exec.mini-batch.size", Int, "-1", NO_BATCHES),
    inert("table.exec.rank.topn-cache-size", Int, "10000", "there is no cache before the state"),
    inert("table.exec.resource.default-parallelism", Int, "-1", "set parallelism.default instead"),
    key("table.exec.sink.keyed-shuffle", Enum(&["NONE", "AUTO", "FORCE"]), "AUTO"),
    key("table.exec.sink.not-null-enforcer", Enum(&["ERROR", "DROP"]), "ERROR"),
    key("table.exec.sink.type-length-enforcer", Enum(&["IGNORE", "TRIM_PAD", "ERROR"]), "IGNORE"),
    key("table.exec.sink.upsert-materialize", Enum(&["NONE", "AUTO", "FORCE"]), "AUTO"),
    key("table.exec.source.cdc-events-duplicate", Boolean, "false"),
    key("table.exec.source.idle-timeout", Duration, "0 ms"),
    key("table.exec.state.ttl", Duration, "0 ms"),
    key("table.local-time-zone", Text, "default"),
    inert("table.optimizer.agg-phase-strategy", Enum(&["AUTO", "ONE_PHASE", "TWO_PHASE"]), "AUTO", NO_BATCHES),
    inert("table.optimizer.distinct-agg.split.bucket-num", Int, "1024", NO_BATCHES),
    inert("table.optimizer.distinct-agg.split.enabled", Boolean, "false", NO_BATCHES),
    inert("table.optimizer.join-reorder-enabled", Boolean, "false", "joins run in the order in which they are written"),
    inert("table.optimizer.multi-join.enabled", Boolean, "false", "joins run two by two"),
    inert("table.optimizer.reuse-source-enabled", Boolean, "true", NO_REUSE),
    inert("table.optimizer.reuse-sub-plan-enabled", Boolean, "true", NO_REUSE),
    inert("table.plan.compile.catalog-objects", Enum(&["ALL", "SCHEMA", "IDENTIFIER"]), "ALL", "plans are not stored"),
    inert("table.plan.force-recompile", Boolean, "false", "plans are not stored"),
    inert("taskmanager.memory.process.size", Memory, "", ONE_ENGINE),
    inert("taskmanager.numberOfTaskSlots", Int, "1", ONE_ENGINE),
    inert("state.checkpoints.num-retained", Int, "1", "the key is now execution.checkpointing.num-retained"),
    inert(
        "table.exec.uid.generation",
        Enum(&["PLAN_ONLY", "ALWAYS", "DISABLED"]),
        "PLAN_ONLY",
        "every operator has a uid",
    ),
    inert("table.sql-dialect", Enum(&["default", "hive"]), "default", "there is one dialect"),
    inert("execution.checkpointing.dir", Text, "", "the playground keeps its checkpoints itself"),
    key("execution.savepoint.ignore-unclaimed-state", Boolean, "false"),
    key("execution.savepoint.path", Text, ""),
    key("execution.state-recovery.ignore-unclaimed-state", Boolean, "false"),
    inert("execution.state-recovery.claim-mode", Enum(&["NO_CLAIM", "CLAIM"]), "NO_CLAIM", ONE_ENGINE),
    key(RECOVERY_PATH, Text, ""),
    inert("table.exec.simplify-operator-name-enabled", Boolean, "true", "names are always the short ones"),
    inert(
        "table.exec.window-agg.buffer-size-limit",
        Int,
        "100000",
        "a window aggregate has no buffer before its state",
    ),
    inert("table.exec.deduplicate.insert-update-after-sensitive-enabled", Boolean, "true", "it is always on"),
];

/// The values that were set; all others have their default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    values: BTreeMap<String, String>,
}

impl Config {
    /// The value of `key`: as set, else its default; `None` for an unknown key or one without a default.
    pub fn get(&self, key: &str) -> Option<&str> {
        match self.values.get(key) {
            Some(value) => Some(value),
            None => lookup(key).map(|known| known.default).filter(|default| !default.is_empty()),
        }
    }

    /// The value of `key` only if it was set.
    pub fn explicit(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// Whether a boolean key is `true`.
    pub fn is_true(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// A whole number.
    pub fn int(&self, key: &str) -> Option<i64> {
        self.get(key)?.parse().ok()
    }

    /// A duration in milliseconds.
    pub fn millis(&self, key: &str) -> Option<i64> {
        parse_duration(self.get(key)?)
    }

    /// Whether the value of an enum key is `word`; case does not count.
    pub fn is(&self, key: &str, word: &str) -> bool {
        self.get(key).is_some_and(|value| value.eq_ignore_ascii_case(word))
    }

    /// `parallelism.default`, at least 1.
    pub fn parallelism(&self) -> usize {
        self.int("parallelism.default").and_then(|n| usize::try_from(n).ok()).unwrap_or(1).max(1)
    }

    /// `table.local-time-zone`; `default` is UTC, since the engine knows no machine.
    pub fn time_zone(&self) -> &str {
        match self.get("table.local-time-zone") {
            None | Some("default") => "UTC",
            Some(zone) => zone,
        }
    }

    /// The number of the savepoint or checkpoint from which a job begins; `None` to begin without state.
    pub fn recover_from(&self) -> Option<u64> {
        [RECOVERY_PATH, SAVEPOINT_PATH].into_iter().find_map(|key| self.get(key)).and_then(savepoint_number)
    }

    /// Sets a key. Gives a remark where it has no effect here.
    ///
    /// # Errors
    /// An unknown key, with the known one that is most like it; a value of the wrong type.
    pub fn set(
        &mut self,
        key: &str,
        value: &str,
        key_span: Span,
        value_span: Span,
    ) -> Result<Option<String>, Diagnostic> {
        let known = known(key, key_span)?;
        if let Some(expected) = mismatch(&known.ty, value) {
            return Err(Diagnostic::error(
                BAD_SETTING,
                format!("Could not parse value '{value}' for key '{}'.", known.name),
            )
            .at(value_span)
            .hint(expected));
        }
        if let Some(diagnostic) = refused(known.name, value) {
            return Err(diagnostic.at(value_span));
        }
        self.values.insert(known.name.to_string(), value.to_string());
        Ok(match known.effect {
            Effect::Same => None,
            Effect::None(why) => Some(format!("'{}' has no effect here: {why}.", known.name)),
        })
    }

    /// Sets a key from outside a script, without a check; for a caller's own defaults.
    pub fn set_unchecked(&mut self, key: &str, value: &str) {
        self.values.insert(key.to_string(), value.to_string());
    }

    /// Sets a key back to its default, or all of them.
    ///
    /// # Errors
    /// An unknown key.
    pub fn reset(&mut self, key: Option<(&str, Span)>) -> Result<(), Diagnostic> {
        match key {
            None => self.values.clear(),
            Some((key, span)) => {
                let known = known(key, span)?;
                self.values.remove(known.name);
            }
        }
        Ok(())
    }

    /// What was set, as key and value, by key.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

fn lookup(key: &str) -> Option<&'static ConfigKey> {
    KEYS.iter().find(|known| known.name == key)
}

fn known(key: &str, span: Span) -> Result<&'static ConfigKey, Diagnostic> {
    lookup(key).ok_or_else(|| {
        let mut diagnostic = Diagnostic::error(UNKNOWN_KEY, format!("Unknown configuration key '{key}'.")).at(span);
        if let Some(near) = closest(key, KEYS.iter().map(|known| known.name)) {
            diagnostic = diagnostic.hint(format!("Did you mean '{near}'?")).fix(span, format!("'{near}'"));
        }
        diagnostic.hint(similar_keys(key))
    })
}

/// The known keys that have the most in common with one that is unknown.
fn similar_keys(key: &str) -> String {
    let family: Vec<&str> = ["execution.checkpointing.", "restart-strategy.", "table.exec.", "pipeline.", "table."]
        .into_iter()
        .filter(|family| key.starts_with(family))
        .take(1)
        .collect();
    let names = KEYS.iter().filter(|known| known.effect == Effect::Same);
    let names = names.map(|known| known.name).filter(|name| family.iter().all(|family| name.starts_with(family)));
    format!("Keys that have an effect: {}.", names.collect::<Vec<_>>().join(", "))
}

/// What Flink refuses of a key's values beyond their type, in its words.
fn refused(key: &str, value: &str) -> Option<Diagnostic> {
    let message = match key {
        "table.local-time-zone" if value != "default" && Zone::parse(value).is_none() => {
            "Invalid time zone. The value should be a Time Zone Database (TZDB) ID such as 'America/Los_Angeles' to include daylight saving time. Fixed offsets are supported using 'GMT-03:00' or 'GMT+03:00'. Or use 'UTC' without time zone and daylight saving time."
        }
        RECOVERY_PATH | SAVEPOINT_PATH if savepoint_number(value).is_none() => "This is not the name of a savepoint.",
        "execution.checkpointing.interval" if parse_duration(value).is_some_and(|ms| (1..10).contains(&ms)) => {
            "Checkpoint interval must be larger than or equal to 10 ms"
        }
        _ => return None,
    };
    Some(Diagnostic::error(BAD_SETTING, message).hint(match key {
        RECOVERY_PATH | SAVEPOINT_PATH => {
            "Such as 'savepoint-3' or 'checkpoint-2': what the list of checkpoints calls those that are kept."
        }
        "table.local-time-zone" => "Such as 'UTC', 'Europe/Berlin' or 'GMT+03:00'; capitals count.",
        _ => "Such as '10 ms' or '5 s'; '0 ms' for none by the clock.",
    }))
}

/// The number in `savepoint-3`, `checkpoint-3` or `3`.
fn savepoint_number(name: &str) -> Option<u64> {
    let number = name.strip_prefix("savepoint-").or_else(|| name.strip_prefix("checkpoint-")).unwrap_or(name);
    number.parse().ok().filter(|_| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What a value must look like, if `value` does not.
pub(crate) fn mismatch(ty: &OptionType, value: &str) -> Option<String> {
    match ty {
        Text => None,
        Int => value.trim().parse::<i64>().err().map(|_| "A whole number is expected.".to_string()),
        Between(least, most) => {
            let fits = value.trim().parse().is_ok_and(|n: i64| (*least..=*most).contains(&n));
            (!fits).then(|| format!("A whole number from {least} to {most} is expected."))
        }
        Double => value.trim().parse::<f64>().err().map(|_| "A number is expected.".to_string()),
        Boolean => (!value.eq_ignore_ascii_case("true") && !value.eq_ignore_ascii_case("false"))
            .then(|| "'true' or 'false' is expected.".to_string()),
        Duration => parse_duration(value)
            .is_none()
            .then(|| "A duration is expected, such as '10 s', '500 ms', '1 min', '2 h' or '1 d'.".to_string()),
        Memory => parse_memory(value).is_none().then(|| "A size is expected, such as '64 mb' or '1 gb'.".to_string()),
        Enum(words) => (!words.iter().any(|word| word.eq_ignore_ascii_case(value)))
            .then(|| format!("One of these is expected: {}.", words.join(", "))),
    }
}

/// Splits `10 s` into its number and its unit; no unit is the empty text.
fn number_and_unit(text: &str) -> Option<(i64, String)> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text[..digits].parse().ok()?;
    Some((number, text[digits..].trim().to_ascii_lowercase()))
}

/// Flink's duration text in milliseconds (`10 s`, `1min`, `500`: milliseconds without a unit).
pub fn parse_duration(text: &str) -> Option<i64> {
    let (number, unit) = number_and_unit(text)?;
    let millis = match unit.as_str() {
        "" | "ms" | "milli" | "millis" | "millisecond" | "milliseconds" => number,
        "ns" | "nano" | "nanos" | "nanosecond" | "nanoseconds" => number / 1_000_000,
        "us" | "µs" | "micro" | "micros" | "microsecond" | "microseconds" => number / 1_000,
        "s" | "sec" | "secs" | "second" | "seconds" => number.checked_mul(1_000)?,
        "m" | "min" | "mins" | "minute" | "minutes" => number.checked_mul(60_000)?,
        "h" | "hour" | "hours" => number.checked_mul(3_600_000)?,
        "d" | "day" | "days" => number.checked_mul(86_400_000)?,
        _ => return None,
    };
    Some(millis)
}

/// Flink's memory size in bytes (`64 mb`, `1g`; bytes without a unit).
pub fn parse_memory(text: &str) -> Option<i64> {
    let (number, unit) = number_and_unit(text)?;
    let shift = match unit.as_str() {
        "" | "b" | "bytes" => 0,
        "k" | "kb" | "kibibytes" => 10,
        "m" | "mb" | "mebibytes" => 20,
        "g" | "gb" | "gibibytes" => 30,
        "t" | "tb" | "tebibytes" => 40,
        _ => return None,
    };
    number.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_in_flink() {
        assert_eq!(parse_duration("10 s"), Some(10_000));
        assert_eq!(parse_duration("1min"), Some(60_000));
        assert_eq!(parse_duration("250"), Some(250));
        assert_eq!(parse_duration("10 parsecs"), None);
        assert_eq!(parse_memory("2 kb"), Some(2048));
    }

    #[test]
    fn a_savepoint_goes_by_its_name() {
        let mut config = Config::default();
        assert_eq!(config.recover_from(), None);
        for (value, number) in [("savepoint-3", 3), ("checkpoint-12", 12), ("4", 4)] {
            assert_eq!(config.set(RECOVERY_PATH, value, Span::NONE, Span::NONE), Ok(None));
            assert_eq!(config.recover_from(), Some(number));
        }
        for value in ["", "savepoint-", "savepoint-+3", "s3://savepoints/3", "savepoint-99999999999999999999"] {
            let problem = config.set(RECOVERY_PATH, value, Span::NONE, Span::new(4, 6)).unwrap_err();
            assert!(problem.hints[0].contains("'savepoint-3'"), "{problem:?}");
        }
        config.reset(Some((RECOVERY_PATH, Span::NONE))).unwrap();
        config.set(SAVEPOINT_PATH, "savepoint-7", Span::NONE, Span::NONE).unwrap();
        assert_eq!(config.recover_from(), Some(7));
        config.set_unchecked(RECOVERY_PATH, "");
        assert_eq!(config.recover_from(), None);
    }

    #[test]
    fn an_unknown_key_names_its_neighbour() {
        let mut config = Config::default();
        let error = config.set("table.exec.state.tll", "1 h", Span::new(4, 26), Span::NONE).unwrap_err();
        assert_eq!(error.fix.unwrap().replacement, "'table.exec.state.ttl'");
        assert!(config.set("table.exec.state.ttl", "soon", Span::NONE, Span::NONE).is_err());
        assert_eq!(config.set("table.exec.state.ttl", "1 h", Span::NONE, Span::NONE), Ok(None));
        assert_eq!(config.millis("table.exec.state.ttl"), Some(3_600_000));
        assert!(config.set("table.exec.mini-batch.enabled", "true", Span::NONE, Span::NONE).unwrap().is_some());
    }
}
