//! What the tests over the recorded cases share.

use std::path::{Path, PathBuf};

use tidegate_data::{ChangelogMode, ConnectorSpec, OptionSpec, OptionType};

/// The oracle's connectors, which `inline` and `print` have been written after.
pub fn connectors() -> Vec<ConnectorSpec> {
    let option = |name, ty| OptionSpec { name, ty, required: false, default: None, doc: "" };
    fn mode(options: &[(String, String)], key: &str) -> Option<ChangelogMode> {
        options.iter().find(|(own, _)| own == key).and_then(|(_, value)| ChangelogMode::parse(value))
    }
    let spec = |name| ConnectorSpec {
        options: vec![
            option("changelog-mode", OptionType::Text),
            option("sink.changelog-mode", OptionType::Text),
            option("watermark.push-down", OptionType::Boolean),
        ],
        source: true,
        sink: true,
        source_mode: |options, _| mode(options, "changelog-mode").unwrap_or(ChangelogMode::INSERT_ONLY),
        sink_mode: |options, _| mode(options, "sink.changelog-mode"),
        watermark_push_down: |options| {
            options.iter().any(|(key, value)| key == "watermark.push-down" && value == "true")
        },
        ..ConnectorSpec::new(name)
    };
    vec![spec("inline"), spec("print")]
}

/// The recorded cases: a script, and beside it what Flink made of it.
pub fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let mut found = Vec::new();
    for area in std::fs::read_dir(root).expect("the cases").flatten() {
        let Ok(files) = std::fs::read_dir(area.path()) else { continue };
        for file in files.flatten() {
            let path = file.path();
            if path.extension().is_some_and(|e| e == "sql") && path.with_extension("json").exists() {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
