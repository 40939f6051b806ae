//! Texts drawn from a seed, and such as nest without end: they may be refused, but never bring the parser or the reader of cases down.

use std::panic::catch_unwind;

use tidegate_runtime::rng::Rng;

/// What the language is made of, with what a text may break off in.
const PIECES: [&str; 76] = [
    "SELECT ",
    "FROM ",
    "WHERE ",
    "GROUP BY ",
    "ORDER BY ",
    "JOIN ",
    "LEFT ",
    "ON ",
    "AS ",
    "CASE ",
    "WHEN ",
    "THEN ",
    "ELSE ",
    "END ",
    "CREATE ",
    "TABLE ",
    "VIEW ",
    "FUNCTION ",
    "INSERT INTO ",
    "VALUES ",
    "WITH ",
    "INTERVAL ",
    "DAY ",
    "TIMESTAMP ",
    "CAST",
    "ROW",
    "ARRAY",
    "MAP",
    "OVER ",
    "PARTITION BY ",
    "MATCH_RECOGNIZE ",
    "PATTERN ",
    "DEFINE ",
    "UNNEST",
    "LATERAL ",
    "TUMBLE",
    "DESCRIPTOR",
    "NOT ",
    "NULL ",
    "IS ",
    "IN ",
    "BETWEEN ",
    "AND ",
    "OR ",
    "LIKE ",
    "EXISTS ",
    "EXPLAIN ",
    "SET ",
    "BEGIN ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    ",",
    ";",
    ".",
    "*",
    "+",
    "-",
    "=",
    "'",
    "''",
    "`",
    "\"",
    "--",
    "--! ",
    "/*",
    "*/",
    "/*+ ",
    "x ",
    "1.5e",
    "\u{0}é😀\n",
];

fn survives(text: &str) -> bool {
    let read = || {
        let _ = tidegate_sql::parse_script(text);
        let _ = tidegate_sql::case::read_case(text);
    };
    catch_unwind(read).is_ok()
}

#[test]
fn no_text_brings_the_parser_down() {
    let mut faults = Vec::new();
    for seed in 0..30_000 {
        let mut draw = Rng::new(seed);
        let length = draw.below(60);
        let text: String = match seed % 4 {
            0 => {
                let bytes: Vec<u8> = (0..length).map(|_| draw.next_u64() as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            1 => (0..length).map(|_| char::from(b' ' + draw.below(95) as u8)).collect(),
            _ => (0..length).map(|_| PIECES[draw.below(PIECES.len())]).collect(),
        };
        if !survives(&text) {
            faults.push(format!("seed {seed}: {text:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_nests_without_end_is_refused() {
    let times = 20_000;
    for (before, inside, behind) in [
        ("SELECT ", "(", ")"),
        ("SELECT ", "NOT ", ""),
        ("SELECT ", "- ", ""),
        ("SELECT ", "CASE WHEN ", " END"),
        ("SELECT ", "CAST(", ""),
        ("SELECT ", "ARRAY[", "]"),
        ("SELECT ", "f(", ")"),
        ("SELECT x", "[", "]"),
        ("", "SELECT * FROM (", ")"),
        ("", "WITH a AS (", ")"),
        ("SELECT * FROM ", "(", ")"),
        ("SELECT * FROM a ", "JOIN (a ", ")"),
        ("SELECT * FROM a MATCH_RECOGNIZE (PATTERN ", "(", ")"),
        ("SELECT x IN ", "(SELECT x IN ", ")"),
        ("CREATE TABLE t (a ", "ARRAY<", ">"),
        ("CREATE TABLE t (a ", "ROW<a ", ">"),
        ("EXPLAIN ", "EXPLAIN ", ""),
        ("", "(", ")"),
        ("", "EXECUTE STATEMENT SET BEGIN ", ""),
    ] {
        let text = format!("{before}{}x{}", inside.repeat(times), behind.repeat(times));
        let script = tidegate_sql::parse_script(&text);
        assert!(!script.diagnostics.is_empty(), "{before}{inside}… is taken");
    }
}
