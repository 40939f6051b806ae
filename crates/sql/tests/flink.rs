//! Takes what Flink's own parser takes, and refuses what it refuses.

use tidegate_diag::Severity;
use tidegate_sql::parse_script;

/// `flink.txt` holds one statement a line (`\n` for a line break) behind what Flink 2.2.1's parser said
/// about it: `OK` or `ERR`. `NO` is what Flink takes and Tidegate refuses on purpose, with code TG1009.
#[test]
fn agrees_with_flinks_parser() {
    let mut wrong = Vec::new();
    for line in include_str!("flink.txt").lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let (verdict, sql) = line.split_once(' ').expect("a verdict and a statement");
        let sql = sql.trim().replace("\\n", "\n");
        let script = parse_script(&sql);
        let errors: Vec<String> =
            script.diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.to_string()).collect();
        let unsupported = script.diagnostics.iter().any(|d| d.code.to_string() == "TG1009");
        let right = match verdict {
            "OK" => errors.is_empty() && script.statements.len() == 1,
            "ERR" => !errors.is_empty(),
            "NO" => unsupported,
            _ => panic!("no verdict: {line}"),
        };
        if !right {
            wrong.push(format!("{line}\n    {}", errors.join("\n    ")));
        }
        for d in &script.diagnostics {
            let span = d.span.expect("a parse error has a place");
            assert!(span.start <= span.end && span.end as usize <= sql.len(), "{line}: {d:?}");
        }
    }
    assert!(wrong.is_empty(), "{} statements differ:\n{}", wrong.len(), wrong.join("\n"));
}
