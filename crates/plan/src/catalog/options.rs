//! The options of a table against what its connector takes.

use tidegate_data::connector::PARALLELISM;
use tidegate_data::sorted;
use tidegate_data::{ChangelogMode, ConnectorSpec, OptionSpec, OptionType};
use tidegate_diag::{Diagnostic, Span, closest};
use tidegate_sql::ast::{SqlOption, StringLit};

use super::{Catalog, Table};
use crate::codes::{BAD_OPTION, BAD_SINK};
use crate::config::mismatch;

/// Options that every connector takes (Flink's FactoryUtil); they have no effect of their own here.
const COMMON: &[&str] = &[
    "property-version",
    "scan.parallelism",
    "sink.parallelism",
    "scan.watermark.emit.strategy",
    "scan.watermark.idle-timeout",
];

impl Catalog {
    /// All that is wrong with a table's options.
    pub(super) fn option_faults(&self, options: &[SqlOption], at: Span) -> Vec<Diagnostic> {
        let Some(connector) = options.iter().find(|option| option.key.value == "connector") else {
            let message = "Table options do not contain an option key 'connector' for discovering a connector.";
            let names: Vec<&str> = self.connectors.iter().map(|spec| spec.name).collect();
            return vec![
                Diagnostic::error(BAD_OPTION, message)
                    .at(at)
                    .hint(format!("Add WITH ('connector' = '…'), with one of {}.", names.join(", "))),
            ];
        };
        let Some(spec) = self.connector(&connector.value.value) else {
            return vec![self.unknown_connector(&connector.value)];
        };
        let mut faults: Vec<Diagnostic> = options
            .iter()
            .filter(|option| option.key.value != "connector")
            .filter_map(|option| check(spec, &option.key, &option.value).err())
            .collect();
        let missing: Vec<&str> = spec
            .options
            .iter()
            .filter(|known| known.required && !options.iter().any(|option| fits(known.name, &option.key.value)))
            .map(|known| known.name)
            .collect();
        if !missing.is_empty() {
            let message = format!(
                "One or more required options are missing.\n\nMissing required options are:\n\n{}",
                missing.join("\n")
            );
            faults.push(Diagnostic::error(BAD_OPTION, message).at(connector.value.span).hint(allowed(spec)));
        }
        faults
    }

    fn unknown_connector(&self, written: &StringLit) -> Diagnostic {
        let mut names: Vec<&str> = self.connectors.iter().map(|spec| spec.name).collect();
        sorted::sort(&mut names);
        let message = format!(
            "Could not find any factory for identifier '{}' that implements 'org.apache.flink.table.factories.DynamicTableFactory' in the classpath.\n\nAvailable factory identifiers are:\n\n{}",
            written.value,
            names.join("\n")
        );
        let mut diagnostic = Diagnostic::error(BAD_OPTION, message).at(written.span);
        if let Some(near) = closest(&written.value, names.iter().copied()) {
            diagnostic = diagnostic.hint(format!("Did you mean '{near}'?")).fix(written.span, format!("'{near}'"));
        }
        diagnostic
    }

    /// Checks one option, of an `OPTIONS` hint.
    pub(crate) fn check_option(&self, connector: &str, key: &StringLit, value: &StringLit) -> Result<(), Diagnostic> {
        match self.connector(connector) {
            Some(spec) => check(spec, key, value),
            None => Ok(()),
        }
    }

    /// Why a table cannot be read, if so.
    pub(crate) fn source_fault(&self, table: &Table, at: Span) -> Option<Vec<Diagnostic>> {
        if !table.faults.is_empty() {
            return Some(table.faults.clone());
        }
        let spec = self.connector(&table.connector)?;
        if !spec.source {
            let message =
                format!("Connector '{}' can only be used as a sink. It cannot be used as a source.", table.connector);
            return Some(vec![Diagnostic::error(BAD_OPTION, message).at(at)]);
        }
        let mode = (spec.source_mode)(&table.option_pairs(), table.primary_key.is_some());
        use tidegate_data::RowKind::{UpdateAfter, UpdateBefore};
        if mode.contains(UpdateAfter) && !mode.contains(UpdateBefore) && table.primary_key.is_none() {
            let message = format!(
                "Table '{}' produces a changelog stream that contains UPDATE_AFTER but no UPDATE_BEFORE. This requires defining a primary key constraint on the table.",
                table.path()
            );
            let hint = "Add PRIMARY KEY (…) NOT ENFORCED to its columns.";
            return Some(vec![Diagnostic::error(BAD_OPTION, message).at(at).hint(hint)]);
        }
        None
    }

    /// Why a table cannot be written, if so.
    pub(crate) fn sink_fault(&self, table: &Table, overwrite: bool, at: Span) -> Option<Diagnostic> {
        if let Some(fault) = table.faults.first() {
            return Some(fault.clone());
        }
        let spec = self.connector(&table.connector)?;
        if !spec.sink {
            let message =
                format!("Connector '{}' can only be used as a source. It cannot be used as a sink.", table.connector);
            return Some(Diagnostic::error(BAD_SINK, message).at(at));
        }
        if overwrite {
            let message = format!(
                "INSERT OVERWRITE requires that the underlying DynamicTableSink of table '{}' implements the SupportsOverwrite interface.",
                table.path()
            );
            return Some(Diagnostic::error(BAD_SINK, message).at(at).hint("Use INSERT INTO."));
        }
        None
    }
}

fn check(spec: &ConnectorSpec, key: &StringLit, value: &StringLit) -> Result<(), Diagnostic> {
    if COMMON.contains(&key.value.as_str()) && !spec.options.iter().any(|known| known.name == key.value) {
        let ty = if key.value.ends_with(".parallelism") { PARALLELISM } else { OptionType::Text };
        return match mismatch(&ty, &value.value) {
            Some(expected) => Err(bad_number(&key.value, &value.value).at(value.span).hint(expected)),
            None => Ok(()),
        };
    }
    let Some(known) = spec.options.iter().find(|known| fits(known.name, &key.value)) else {
        let mut names: Vec<&str> = spec.options.iter().map(|known| known.name).chain(["connector"]).collect();
        sorted::sort(&mut names);
        let message = format!(
            "Unsupported options found for '{}'.\n\nUnsupported options:\n\n{}\n\nSupported options:\n\n{}",
            spec.name,
            key.value,
            names.join("\n")
        );
        let mut diagnostic = Diagnostic::error(BAD_OPTION, message).at(key.span);
        if let Some(near) = closest(&key.value, names.iter().copied()) {
            diagnostic = diagnostic.hint(format!("Did you mean '{near}'?")).fix(key.span, format!("'{near}'"));
        }
        return Err(diagnostic.hint(allowed(spec)));
    };
    check_value(known, value)
}

fn check_value(known: &OptionSpec, value: &StringLit) -> Result<(), Diagnostic> {
    if known.name.ends_with("changelog-mode") && ChangelogMode::parse(&value.value.to_ascii_uppercase()).is_none() {
        let parses = |part: &&str| ChangelogMode::parse(&part.to_ascii_uppercase()).is_none();
        let wrong = value.value.split(',').find(parses).unwrap_or(&value.value);
        let message = format!("{}: I, UB, UA, D expected, got '{}'", known.name, wrong);
        return Err(Diagnostic::error(BAD_OPTION, message).at(value.span));
    }
    let Some(expected) = mismatch(&known.ty, &value.value) else { return Ok(()) };
    let message = match &known.ty {
        OptionType::Boolean => {
            format!("Unrecognized option for boolean: {}. Expected either true or false(case insensitive)", value.value)
        }
        OptionType::Between(..) => bad_number(known.name, &value.value).message,
        OptionType::Int | OptionType::Double => format!("For input string: \"{}\"", value.value),
        _ => format!("Could not parse value '{}' for key '{}'.", value.value, known.name),
    };
    Err(Diagnostic::error(BAD_OPTION, message)
        .at(value.span)
        .hint(expected)
        .hint(format!("{}: {}", known.name, known.doc)))
}

/// A number that is none, or out of its range.
fn bad_number(key: &str, value: &str) -> Diagnostic {
    Diagnostic::error(BAD_OPTION, format!("Invalid value '{value}' for option '{key}'."))
}

/// Whether an option's name fits a pattern with `*` for any text.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => match name.strip_prefix(before) {
            None => false,
            Some(rest) if after.is_empty() => !rest.is_empty(),
            Some(rest) => (1..=rest.len()).any(|i| rest.is_char_boundary(i) && fits(after, &rest[i..])),
        },
    }
}

fn allowed(spec: &ConnectorSpec) -> String {
    let names: Vec<String> = spec
        .options
        .iter()
        .map(|known| if known.required { format!("{} (required)", known.name) } else { known.name.to_string() })
        .collect();
    if names.is_empty() {
        return format!("'{}' takes no options.", spec.name);
    }
    format!("'{}' takes: {}.", spec.name, names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(fits("fields.*.min", "fields.a.b.min"));
        assert!(!fits("fields.*.min", "fields.min"));
        assert!(fits("properties.*", "properties.bootstrap.servers"));
        assert!(!fits("properties.*", "properties."));
        assert!(fits("topic", "topic"));
    }
}
