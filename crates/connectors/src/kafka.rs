//! `'connector' = 'kafka'` and `'upsert-kafka'`: the log under Flink's names, with Flink's options.

use tidegate_data::connector::{OptionProblem, OptionSpec, OptionType, TableShape};
use tidegate_data::{ChangelogMode, ConnectorSpec, RowKind, Schema};
use tidegate_diag::{Code, Diagnostic};

use crate::log;
use crate::options::find;

const RULE: Code = Code::new("TG5030");
const FORMATS: &[&str] = &["json", "csv", "avro", "raw", "debezium-json", "canal-json", "maxwell-json", "ogg-json"];
const CHANGELOG_FORMATS: &[&str] = &["debezium-json", "canal-json", "maxwell-json", "ogg-json"];

/// The options of formats: what a table with `'format' = 'json'` and the like may say. They are checked; rows are stored
/// in one encoding whatever the format.
pub(crate) fn format_options() -> Vec<OptionSpec> {
    use OptionType::{Boolean, Enum, Text};
    const TIMESTAMPS: OptionType = Enum(&["SQL", "ISO-8601"]);
    const NULL_KEYS: OptionType = Enum(&["FAIL", "DROP", "LITERAL"]);
    let mut options = vec![OptionSpec::optional("format", Enum(FORMATS), "Format of the rows.")];
    for (fail, ignore, time, null_key, literal, decimal, nulls) in [
        (
            "json.fail-on-missing-field",
            "json.ignore-parse-errors",
            "json.timestamp-format.standard",
            "json.map-null-key.mode",
            "json.map-null-key.literal",
            "json.encode.decimal-as-plain-number",
            "json.encode.ignore-null-fields",
        ),
        (
            "value.json.fail-on-missing-field",
            "value.json.ignore-parse-errors",
            "value.json.timestamp-format.standard",
            "value.json.map-null-key.mode",
            "value.json.map-null-key.literal",
            "value.json.encode.decimal-as-plain-number",
            "value.json.encode.ignore-null-fields",
        ),
        (
            "key.json.fail-on-missing-field",
            "key.json.ignore-parse-errors",
            "key.json.timestamp-format.standard",
            "key.json.map-null-key.mode",
            "key.json.map-null-key.literal",
            "key.json.encode.decimal-as-plain-number",
            "key.json.encode.ignore-null-fields",
        ),
    ] {
        options.extend([
            OptionSpec::with_default(fail, Boolean, "false", "Fail when a field is missing."),
            OptionSpec::with_default(ignore, Boolean, "false", "Skip what cannot be read."),
            OptionSpec::with_default(time, TIMESTAMPS, "SQL", "How timestamps are written."),
            OptionSpec::with_default(null_key, NULL_KEYS, "FAIL", "What to do with a NULL key of a map."),
            OptionSpec::with_default(literal, Text, "null", "What a NULL key of a map becomes."),
            OptionSpec::with_default(decimal, Boolean, "false", "Write decimals without an exponent."),
            OptionSpec::with_default(nulls, Boolean, "false", "Leave out fields that are NULL."),
        ]);
    }
    for name in ["csv.*", "value.csv.*", "key.csv.*", "raw.*", "value.raw.*", "key.raw.*", "avro.*", "value.avro.*"] {
        options.push(OptionSpec::optional(name, Text, "An option of the format; has no effect here."));
    }
    for name in ["debezium-json.*", "canal-json.*", "maxwell-json.*", "ogg-json.*"] {
        options.push(OptionSpec::optional(name, Text, "An option of the format; has no effect here."));
    }
    options
}

/// The options of a source or sink that both names have.
fn shared_options() -> Vec<OptionSpec> {
    let mut options = vec![
        OptionSpec::required(
            "properties.bootstrap.servers",
            OptionType::Text,
            "The Kafka brokers; here any text does, for the log of the playground is read.",
        ),
        OptionSpec::optional("key.fields-prefix", OptionType::Text, "Prefix of the key's columns."),
        OptionSpec::with_default(
            "value.fields-include",
            OptionType::Enum(&["ALL", "EXCEPT_KEY"]),
            "ALL",
            "Whether the key's columns are part of the value too.",
        ),
    ];
    options.extend(log::scan_options());
    options.extend(log::sink_options());
    options.extend(log::property_options());
    options.extend(format_options());
    options
}

/// What `kafka` can do.
pub(crate) fn spec() -> ConnectorSpec {
    let mut options = vec![
        OptionSpec::optional("topic", OptionType::Text, "The topic; a source may name several, separated by ';'."),
        OptionSpec::optional("key.format", OptionType::Enum(FORMATS), "Format of the key."),
        OptionSpec::optional("key.fields", OptionType::Text, "The key's columns, separated by ';'."),
        OptionSpec::optional("value.format", OptionType::Enum(FORMATS), "Format of the rows."),
    ];
    options.extend(shared_options());
    options.extend(log::startup_options("group-offsets"));
    ConnectorSpec {
        options,
        source: true,
        sink: true,
        metadata: log::metadata(),
        source_mode: changelog_of_format,
        sink_mode: |options, key| Some(changelog_of_format(options, key)),
        watermark_push_down: |_| true,
        rules: |table| [log::rules(table), sink_rules(table), kafka_rules(table), prefix_rules(table, false)].concat(),
        ..ConnectorSpec::new("kafka")
    }
}

/// What `upsert-kafka` can do.
pub(crate) fn upsert_spec() -> ConnectorSpec {
    let mut options = vec![
        OptionSpec::required("topic", OptionType::Text, "The topic."),
        OptionSpec::required("key.format", OptionType::Enum(FORMATS), "Format of the key."),
        OptionSpec::required("value.format", OptionType::Enum(FORMATS), "Format of the rows."),
        OptionSpec::with_default(
            "sink.buffer-flush.max-rows",
            OptionType::Int,
            "0",
            "Rows to buffer, the last per key; 0 for none.",
        ),
        OptionSpec::with_default(
            "sink.buffer-flush.interval",
            OptionType::Duration,
            "0",
            "How long to buffer; 0 for not at all.",
        ),
    ];
    options.extend(shared_options());
    ConnectorSpec {
        options,
        source: true,
        sink: true,
        metadata: log::metadata(),
        source_mode: |_, _| ChangelogMode::NONE.with(RowKind::UpdateAfter).with(RowKind::Delete),
        sink_mode: |_, _| Some(ChangelogMode::UPSERT),
        watermark_push_down: |_| true,
        rules: |table| [log::rules(table), sink_rules(table), upsert_rules(table), prefix_rules(table, true)].concat(),
        ..ConnectorSpec::new("upsert-kafka")
    }
}

/// The row kinds that a format carries: the CDC formats all, the others `+I` only.
pub(crate) fn changelog_of_format(options: &[(String, String)], _has_key: bool) -> ChangelogMode {
    let format = find(options, "value.format").or_else(|| find(options, "format")).unwrap_or("json");
    if CHANGELOG_FORMATS.contains(&format) { ChangelogMode::ALL } else { ChangelogMode::INSERT_ONLY }
}

fn problem(option: &str, message: String) -> OptionProblem {
    OptionProblem::at(option, Diagnostic::error(RULE, message))
}

fn sink_rules(table: &TableShape<'_>) -> Vec<OptionProblem> {
    const GUARANTEE: &str = "sink.delivery-guarantee";
    let exactly = table.options.get(GUARANTEE).is_some_and(|value| value.eq_ignore_ascii_case("exactly-once"));
    if !table.sink || !exactly || table.options.contains_key("sink.transactional-id-prefix") {
        return Vec::new();
    }
    let message = "sink.transactional-id-prefix must be specified when using DeliveryGuarantee.EXACTLY_ONCE.";
    vec![OptionProblem::at(
        GUARANTEE,
        Diagnostic::error(RULE, message).hint("An example: 'sink.transactional-id-prefix' = 'orders-to-billing'."),
    )]
}

fn kafka_rules(table: &TableShape<'_>) -> Vec<OptionProblem> {
    let mut problems = Vec::new();
    let has = |key: &str| table.options.contains_key(key);
    if !has("topic") {
        let message = "Option 'topic' must be set.";
        problems
            .push(OptionProblem::of_table(Diagnostic::error(RULE, message).hint("An example: 'topic' = 'orders'.")));
    }
    if !has("format") && !has("value.format") {
        let message = "A format is required for this connector: set 'format' or 'value.format'.";
        problems.push(OptionProblem::of_table(Diagnostic::error(RULE, message).hint("An example: 'format' = 'json'.")));
    }
    if has("key.format") && !has("key.fields") {
        let message =
            "A key format 'key.format' requires the declaration of one or more of key fields using 'key.fields'.";
        problems.push(problem("key.format", message.into()));
    }
    if has("key.fields") && !has("key.format") {
        problems.push(problem("key.fields", "Key fields 'key.fields' need a key format: set 'key.format'.".into()));
    }
    if let Some(names) = table.options.get("key.fields") {
        for name in names.split(';').filter(|name| table.physical.index_of(name).is_none()) {
            let columns = table.physical.fields.iter().map(|field| field.name.as_str());
            let diagnostic = Diagnostic::error(
                RULE,
                format!("Could not find the field '{name}' in the table schema for usage in the key format."),
            )
            .hint_opt(tidegate_diag::did_you_mean(name, columns));
            problems.push(OptionProblem::at("key.fields", diagnostic));
        }
    }
    let options: Vec<(String, String)> = table.options.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    if table.primary_key.is_some() && changelog_of_format(&options, true).is_insert_only() {
        let message = "The Kafka table with a format that only has +I rows doesn't support defining PRIMARY KEY constraint on the table, because it can't guarantee the semantic of primary key.";
        problems.push(OptionProblem::of_table(
            Diagnostic::error(RULE, message).hint("Use 'connector' = 'upsert-kafka' for a table with a key."),
        ));
    }
    problems
}

fn upsert_rules(table: &TableShape<'_>) -> Vec<OptionProblem> {
    let mut problems = Vec::new();
    if table.primary_key.is_none() {
        let message = "'upsert-kafka' tables require to define a PRIMARY KEY constraint. The PRIMARY KEY specifies which columns should be read from or write to the Kafka message key. The PRIMARY KEY also defines records in the 'upsert-kafka' table should update or delete on which keys.";
        problems.push(OptionProblem::of_table(
            Diagnostic::error(RULE, message).hint("Add PRIMARY KEY (…) NOT ENFORCED to the table."),
        ));
    }
    for key in ["key.format", "value.format"] {
        if let Some(format) = table.options.get(key)
            && CHANGELOG_FORMATS.contains(&format.as_str())
        {
            let message = format!(
                "'upsert-kafka' connector doesn't support '{format}' as {key}, because '{format}' is not in insert-only mode."
            );
            problems.push(problem(key, message));
        }
    }
    problems
}

const PREFIX: &str = "key.fields-prefix";

/// The key's columns: those that `key.fields` names, or the primary key of an upsert table.
fn key_columns(table: &TableShape<'_>, upsert: bool) -> Vec<usize> {
    match table.options.get("key.fields") {
        _ if upsert => table.primary_key.map_or_else(Vec::new, <[usize]>::to_vec),
        Some(names) => names.split(';').filter_map(|name| table.physical.index_of(name)).collect(),
        None => Vec::new(),
    }
}

/// A table's columns as the topic calls them: those of the key without the prefix that they have in the table.
pub(crate) fn in_topic(table: &TableShape<'_>, upsert: bool) -> Schema {
    let mut schema = table.physical.clone();
    if let Some(prefix) = table.options.get(PREFIX) {
        for column in key_columns(table, upsert) {
            let name = &mut schema.fields[column].name;
            if let Some(rest) = name.strip_prefix(prefix.as_str()) {
                *name = rest.into();
            }
        }
    }
    schema
}

fn prefix_rules(table: &TableShape<'_>, upsert: bool) -> Vec<OptionProblem> {
    let Some(prefix) = table.options.get(PREFIX).filter(|prefix| !prefix.is_empty()) else { return Vec::new() };
    let mut problems = Vec::new();
    if !table.options.get("value.fields-include").is_some_and(|include| include.eq_ignore_ascii_case("EXCEPT_KEY")) {
        let message = "A key prefix is not allowed when option 'value.fields-include' is set to 'ALL'. Set it to 'EXCEPT_KEY' instead to avoid field overlaps.";
        problems.push(problem(PREFIX, message.into()));
    }
    let names = |schema: &Schema| -> Vec<String> { schema.fields.iter().map(|field| field.name.to_string()).collect() };
    let (own, stripped) = (names(table.physical), names(&in_topic(table, upsert)));
    for column in key_columns(table, upsert) {
        let name = &own[column];
        if !name.starts_with(prefix.as_str()) {
            problems.push(problem(
                PREFIX,
                format!("All fields in 'key.fields' must be prefixed with '{prefix}' when option '{PREFIX}' is set but field '{name}' is not prefixed."),
            ));
        } else if stripped.iter().filter(|other| **other == stripped[column]).count() > 1 {
            let diagnostic = Diagnostic::error(
                RULE,
                format!(
                    "Without its prefix '{name}' is called as another column, '{}': the log of the playground keeps key and value under one set of names.",
                    stripped[column]
                ),
            );
            problems.push(OptionProblem::at(PREFIX, diagnostic.hint("Give the value's column another name.")));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::testing::schema;

    fn problems(spec: ConnectorSpec, key: Option<&[usize]>, sink: bool, options: &[(&str, &str)]) -> Vec<String> {
        let options: BTreeMap<String, String> = options.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        let shape = TableShape { options: &options, physical: &schema(), primary_key: key, sink };
        spec.check_table(&shape).into_iter().map(|problem| problem.diagnostic.message).collect()
    }

    const SERVERS: (&str, &str) = ("properties.bootstrap.servers", "localhost:9092");
    const TOPIC: (&str, &str) = ("topic", "t");
    const JSON: (&str, &str) = ("format", "json");

    #[test]
    fn a_prefix_of_the_key_is_for_the_table_alone() {
        let name = schema().fields[0].name.to_string();
        let prefix = name[..1].to_owned();
        let key = [SERVERS, TOPIC, JSON, ("key.format", "json"), ("key.fields", &name), (PREFIX, &prefix)];
        let with = |include: &[(&str, &str)]| problems(spec(), None, true, &[&key, include].concat());
        assert_eq!(with(&[("value.fields-include", "EXCEPT_KEY")]), Vec::<String>::new());
        assert!(with(&[])[0].starts_with("A key prefix is not allowed"), "{:?}", with(&[]));
        let other = [("value.fields-include", "EXCEPT_KEY"), (PREFIX, "other_")];
        let wrong = problems(spec(), None, true, &[&key[..5], &other].concat());
        assert!(wrong[0].contains("must be prefixed with 'other_'"), "{wrong:?}");
        let options: BTreeMap<String, String> = key.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        let shape = TableShape { options: &options, physical: &schema(), primary_key: None, sink: true };
        assert_eq!(in_topic(&shape, false).fields[0].name.to_string(), name[1..]);
    }

    #[test]
    fn kafka_asks_what_flink_asks() {
        let all = |options: &[(&str, &str)]| problems(spec(), None, true, options);
        let none = Vec::<String>::new();
        let usual = [
            SERVERS,
            TOPIC,
            JSON,
            ("scan.startup.mode", "earliest-offset"),
            ("properties.group.id", "g"),
            ("properties.security.protocol", "SASL_SSL"),
            ("json.fail-on-missing-field", "false"),
            ("json.ignore-parse-errors", "true"),
            ("sink.parallelism", "2"),
        ];
        assert_eq!(all(&usual), none);
        assert_eq!(all(&[TOPIC, JSON]), ["Missing required options for 'kafka': 'properties.bootstrap.servers'."]);
        assert_eq!(all(&[SERVERS, JSON]), ["Option 'topic' must be set."]);
        assert_eq!(all(&[SERVERS, TOPIC, ("formats", "json")]), ["Unsupported option 'formats' for 'kafka'."]);
        let mode = ("scan.startup.mode", "timestamp");
        assert_eq!(all(&[SERVERS, TOPIC, JSON, mode]).len(), 1);
        let exactly = ("sink.delivery-guarantee", "exactly-once");
        assert_eq!(all(&[SERVERS, TOPIC, JSON, exactly]).len(), 1);
        assert_eq!(all(&[SERVERS, TOPIC, JSON, exactly, ("sink.transactional-id-prefix", "p")]), none);
        assert_eq!(problems(spec(), None, false, &[SERVERS, TOPIC, JSON, exactly]), none);
        assert_eq!(all(&[SERVERS, TOPIC, JSON, ("key.format", "json"), ("key.fields", "id;nix")]).len(), 1);
        assert_eq!(problems(spec(), Some(&[0]), true, &[SERVERS, TOPIC, JSON]).len(), 1);
        assert_eq!(problems(spec(), Some(&[0]), true, &[SERVERS, TOPIC, ("format", "debezium-json")]), none);
    }

    #[test]
    fn upsert_kafka_needs_a_key() {
        let formats = [SERVERS, TOPIC, ("key.format", "json"), ("value.format", "json")];
        assert_eq!(problems(upsert_spec(), Some(&[0]), true, &formats), Vec::<String>::new());
        assert_eq!(problems(upsert_spec(), None, true, &formats).len(), 1);
        let cdc = [SERVERS, TOPIC, ("key.format", "json"), ("value.format", "debezium-json")];
        assert_eq!(problems(upsert_spec(), Some(&[0]), true, &cdc).len(), 1);
        let mode = [formats[0], formats[1], formats[2], formats[3], ("scan.startup.mode", "latest-offset")];
        assert_eq!(problems(upsert_spec(), Some(&[0]), true, &mode).len(), 1);
    }

    #[test]
    fn the_format_says_which_kinds_there_are() {
        let of = |pairs: &[(&str, &str)]| {
            let pairs: Vec<_> = pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
            (spec().source_mode)(&pairs, false).to_string()
        };
        assert_eq!(of(&[JSON]), "I");
        assert_eq!(of(&[("value.format", "canal-json")]), "I,UB,UA,D");
        assert_eq!((upsert_spec().source_mode)(&[], true).to_string(), "UA,D");
    }
}
