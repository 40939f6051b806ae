//! What is said about text that does not parse: `errors.txt` holds statements (`\n` for a line break), each
//! followed by its diagnostics as place, code, message, hints and fix.

use std::fmt::Write as _;

use tidegate_diag::Diagnostic;
use tidegate_sql::parse_script;

fn describe(sql: &str, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for d in diagnostics {
        let span = d.span.expect("a parse error has a place");
        let _ = writeln!(out, "    {} [{}] {}", d.code, span.text(sql).replace('\n', "\\n"), d.message);
        for hint in &d.hints {
            let _ = writeln!(out, "        hint: {hint}");
        }
        if let Some(fix) = &d.fix {
            let _ = writeln!(out, "        fix: [{}] to [{}]", fix.span.text(sql), fix.replacement);
        }
    }
    out
}

/// The statements of `errors.txt` with what is expected of them.
fn expectations() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for line in include_str!("errors.txt").lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        if line.starts_with(' ') {
            let last = all.last_mut().expect("a statement comes first");
            let _ = writeln!(last.1, "{line}");
        } else {
            all.push((line.replace("\\n", "\n"), String::new()));
        }
    }
    all
}

#[test]
fn errors_say_what_is_wrong_and_what_to_do() {
    let mut actual = String::new();
    let mut expected = String::new();
    for (sql, said) in expectations() {
        let head = sql.replace('\n', "\\n");
        let _ = write!(actual, "{head}\n{}\n", describe(&sql, &parse_script(&sql).diagnostics));
        let _ = write!(expected, "{head}\n{said}\n");
    }
    assert!(actual == expected, "errors.txt differs; this is what is said now:\n\n{actual}");
}

/// Applying the fixes of a script leaves fewer errors.
#[test]
fn fixes_cure() {
    for (sql, _) in expectations() {
        let before = parse_script(&sql).diagnostics;
        let mut fixes: Vec<_> = before.iter().filter_map(|d| d.fix.clone()).collect();
        if fixes.is_empty() {
            continue;
        }
        fixes.sort_by_key(|f| std::cmp::Reverse(f.span.start));
        let mut cured = sql.clone();
        for fix in fixes {
            cured.replace_range(fix.span.start as usize..fix.span.end as usize, &fix.replacement);
        }
        let after = parse_script(&cured).diagnostics;
        assert!(after.len() < before.len(), "{sql}\n=> {cured}\n{after:?}");
    }
}

#[test]
fn several_statements_report_at_once_and_the_others_are_read() {
    let sql = "CREATE TABLE a (i INT);\nSELEC 1;\nCREATE TABLE b (i);\nSELECT i FROM a;\nSELECT FROM a;";
    let script = parse_script(sql);
    let lines: Vec<u32> = script
        .diagnostics
        .iter()
        .map(|d| tidegate_diag::line_column(sql, d.span.expect("a place").start).line)
        .collect();
    assert_eq!(lines, [2, 3, 5]);
    let read: Vec<(u32, &str)> = script.statements.iter().map(|s| (s.ordinal, s.span.text(sql))).collect();
    assert_eq!(read, [(1, "CREATE TABLE a (i INT)"), (4, "SELECT i FROM a")]);
    assert_eq!(script.lost, ["b"]);
}

/// Deep nesting is refused, not a crash, on a stack as small as a WebAssembly module's.
#[test]
fn nesting_is_limited() {
    let n = 50_000;
    let deep = |open: &str, middle: &str, close: &str| format!("{}{middle}{}", open.repeat(n), close.repeat(n));
    let texts = [
        format!("SELECT {}", deep("(", "1", ")")),
        format!("SELECT {}1", "- ".repeat(n)),
        format!("SELECT {}1", "NOT ".repeat(n)),
        format!("SELECT 1{}", " = 1".repeat(n)),
        format!("SELECT a{}", "[1]".repeat(n)),
        format!("SELECT (a){}", ".b".repeat(n)),
        format!("SELECT {}", deep("f(", "1", ")")),
        format!("SELECT {}", deep("CASE WHEN a THEN ", "1", " END")),
        format!("SELECT {}", deep("ARRAY[", "1", "]")),
        format!("SELECT CAST(a AS {})", deep("ARRAY<", "INT", ">")),
        format!("SELECT CAST(a AS INT{})", " ARRAY".repeat(n)),
        format!("SELECT * FROM {}", deep("(SELECT * FROM ", "t", ")")),
        format!("SELECT * FROM {}", deep("(", "t", ")")),
        format!("SELECT * FROM t{}", " JOIN t ON TRUE".repeat(n)),
        deep("(", "SELECT 1", ")"),
        format!("SELECT 1{}", " - 1".repeat(n)),
        format!("SELECT 1{}", " UNION SELECT 1".repeat(n)),
        format!("SELECT 1 FROM t GROUP BY {}", deep("GROUPING SETS (", "a", ")")),
        format!("SELECT a FROM t WHERE {}", deep("a IN (", "1", ")")),
        format!("SELECT a FROM t WHERE {}", deep("EXISTS (SELECT 1 FROM t WHERE ", "a", ")")),
        format!("SELECT * FROM t MATCH_RECOGNIZE (PATTERN ({}) DEFINE A AS TRUE)", deep("(", "A", ")")),
        format!("{}SELECT 1{}", "WITH a AS (".repeat(n), ") SELECT 1".repeat(n)),
    ];
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(move || {
        for text in texts {
            let script = parse_script(&text);
            let codes: Vec<String> = script.diagnostics.iter().map(|d| d.code.to_string()).collect();
            // Some are too long as well.
            assert!(codes == ["TG1008"] || codes == ["TG1016"], "{}…: {codes:?}", &text[..60]);
        }
        let fine = format!("SELECT {}1{}{}", "(".repeat(40), ")".repeat(40), " + 1".repeat(200));
        assert!(parse_script(&fine).diagnostics.is_empty());
        // What may be grouped in any way has no depth.
        for sign in [" + 1", " * 1", " || 'x'", " AND TRUE", " OR TRUE", " UNION ALL SELECT 1"] {
            let script = parse_script(&format!("SELECT 1{}", sign.repeat(n)));
            assert!(script.diagnostics.is_empty(), "{sign}: {:?}", script.diagnostics);
        }
    });
    thread.expect("a thread").join().expect("no panic");
}

/// Whatever stands in a text, the parser comes back, and all places lie in the text.
#[test]
fn no_text_makes_it_panic() {
    let pieces: Vec<&str> = include_str!("flink.txt")
        .split_inclusive([' ', '(', ')', ',', '\'', '`', '/', '*', '\n'])
        .chain(["'", "\"", "`", "/*", "--", ";", "ü", "😀", "._", "X'", "U&'", "/*+", "*/", "\r\n", "\u{a0}"])
        .collect();
    let mut seed = 7u64;
    let mut random = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    for _ in 0..3_000 {
        let text: String = (0..random(40) + 1).map(|_| pieces[random(pieces.len())]).collect();
        let script = parse_script(&text);
        for d in &script.diagnostics {
            let span = d.span.expect("a parse error has a place");
            assert!(text.get(span.start as usize..span.end as usize).is_some(), "{text:?}: {d:?}");
        }
        tidegate_sql::case::read_case(&text);
    }
}
