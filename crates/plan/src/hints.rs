//! What a person can do about a finding for which the place that found it has no better advice: by code and words.

use tidegate_diag::{Code, Diagnostic};

use crate::catalog::Catalog;
use crate::codes::*;

/// Gives each error without a hint one, where there is something to be said.
pub fn complete(diagnostics: &mut [Diagnostic], catalog: &Catalog) {
    for diagnostic in diagnostics.iter_mut().filter(|diagnostic| diagnostic.is_error()) {
        if diagnostic.hints.is_empty() {
            diagnostic.hints.extend(hint(diagnostic, catalog));
        }
    }
}

/// A function does not take these arguments.
const BAD_ARGUMENTS: Code = Code::new("TG2202");

fn hint(diagnostic: &Diagnostic, catalog: &Catalog) -> Option<String> {
    let said = |words: &str| diagnostic.message.contains(words);
    let code = diagnostic.code;
    let text = match code {
        NOT_YET => return Some(not_yet(&diagnostic.message).to_owned()),
        NO_OBJECT if said("Window") => "Define it behind HAVING: WINDOW w AS (PARTITION BY k ORDER BY ts).",
        NO_OBJECT => return Some(objects(catalog)),
        OBJECT_EXISTS => "Drop it first, choose another name, or write IF NOT EXISTS.",
        BAD_TABLE => {
            "Each column has one name and one definition: name TYPE, name AS expression, or name TYPE METADATA."
        }
        BAD_WATERMARK => {
            "The form is WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, once, over a column of type TIMESTAMP(3) or TIMESTAMP_LTZ(3)."
        }
        BAD_KEY => "The form is PRIMARY KEY (column, …) NOT ENFORCED, once, over physical columns of the table.",
        BAD_OPTION => "Options are pairs of strings: WITH ('connector' = 'inline', 'key' = 'value').",
        BAD_TYPE => {
            "Types are BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(p, s), CHAR(n), VARCHAR(n), STRING, BINARY(n), VARBINARY(n), BYTES, DATE, TIME, TIMESTAMP(p), TIMESTAMP_LTZ(p), ARRAY<t>, MAP<k, v>, ROW<name t>."
        }
        NO_COLUMN if said("degree") || said("Number of columns") || said("not match") => {
            "Give as many names as the query has columns."
        }
        NO_COLUMN => "Look at the columns with DESCRIBE table; capitals count in names.",
        AMBIGUOUS => "Put the table's name or alias before it, such as t.id.",
        NO_FUNCTION if said("argument") => "Functions take their arguments by position: f(a, b).",
        NO_FUNCTION => "The completion of the editor lists the functions.",
        BAD_OPERANDS if said("mixing of types") || said("compatible types") => {
            "Bring all of them to one type, such as CAST(x AS STRING)."
        }
        BAD_OPERANDS => "Convert what does not fit, such as CAST(x AS INT).",
        BAD_LITERAL if said("out of range") => {
            "The largest BIGINT is 9223372036854775807; a DECIMAL has up to 38 digits."
        }
        BAD_LITERAL if said("DATE") => "A date is written DATE '2024-01-31'.",
        BAD_LITERAL if said("TIMESTAMP") => "A timestamp is written TIMESTAMP '2024-01-31 12:30:00.000'.",
        BAD_LITERAL if said("TIME") => "A time is written TIME '12:30:00'.",
        BAD_LITERAL if said("INTERVAL") || said("nterval") => {
            "An interval is written INTERVAL '5' SECOND, INTERVAL '1:30' MINUTE TO SECOND or INTERVAL '2' MONTH."
        }
        BAD_LITERAL if said("NULL") => "Give it a type: CAST(NULL AS INT).",
        BAD_LITERAL if said("Ordinal") => "A number in ORDER BY counts the columns of the SELECT list, from 1.",
        BAD_LITERAL => "Strings stand in single quotes, X'00ff' is bytes, 1.5 a DECIMAL, 1.5e0 a DOUBLE.",
        NOT_BOOLEAN => "A condition is a comparison or a BOOLEAN, such as x > 0, x IS NOT NULL or a AND b.",
        BAD_GROUPING if said("illegal in GROUP BY") => "Compute the aggregate in a subquery and group by its column.",
        BAD_GROUPING if said("nested") => "Compute the inner aggregate in a subquery.",
        BAD_GROUPING => "What is selected is either in GROUP BY or within an aggregate function such as MAX.",
        SET_OPERATION => {
            "Both sides have the same number of columns, of types that go together; CAST brings them to one."
        }
        BAD_JOIN => "A join says when rows match: ON a.k = b.k, USING (k), or NATURAL; CROSS JOIN says nothing.",
        BAD_WINDOW => window(&diagnostic.message),
        BAD_SINK if said("default value") => "Name the column in the list of columns and give it a value.",
        BAD_SINK => "The columns of the query go into the table's by position; CAST brings them to its types.",
        BAD_PLAN if said("time attribute") => {
            "Use the column that the table's WATERMARK names as it is: a calculation makes a plain timestamp of it."
        }
        BAD_PLAN if said("multiple") || said("window") => window(&diagnostic.message),
        BAD_PLAN if said("count of one field") => {
            "COUNT(*) counts rows; for pairs, join them: COUNT(DISTINCT CONCAT(a, b))."
        }
        BAD_PLAN if said("StringType") || said("String expression") => "CAST the bytes to STRING, or leave || out.",
        BAD_ARGUMENTS if said("number of arguments") => {
            "Give the function that many arguments; some may be left out at the end."
        }
        BAD_ARGUMENTS if said("rowtime") => "Give it the column that the table's WATERMARK names.",
        BAD_ARGUMENTS if said("Cast function") => {
            "Go by another type: CAST(CAST(x AS STRING) AS …), or for times UNIX_TIMESTAMP and its like."
        }
        BAD_ARGUMENTS => "Bring all of them to one type, such as CAST(x AS STRING).",
        _ => return None,
    };
    Some(text.to_owned())
}

fn not_yet(message: &str) -> &'static str {
    let said = |words: &str| message.starts_with(words);
    if said("A subquery as a value") {
        "Join with it instead: FROM t CROSS JOIN (SELECT MAX(x) AS m FROM u) AS s."
    } else if said("EXISTS") || said("IN with a subquery") {
        "It may stand in WHERE, and in the list of a SELECT without GROUP BY."
    } else if said("A comparison with SOME") {
        "x = SOME (…) is x IN (…); others can be said with MIN or MAX of the subquery."
    } else if said("WITH RECURSIVE") {
        "A stream has no recursion in Flink either; join as often as there are levels."
    } else if said("Queries are nested") {
        "Split it up, or write a part into a table."
    } else {
        "It is Flink's, but not known to this engine so far: say it in another way, or run it on Flink."
    }
}

fn window(message: &str) -> &'static str {
    if message.contains("HOP") {
        "HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTES, INTERVAL '10' MINUTES): slide, then size, a multiple of it."
    } else if message.contains("CUMULATE") {
        "CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '10' MINUTES): step, then size, a multiple of it."
    } else if message.contains("SESSION") {
        "SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '10' MINUTES)."
    } else {
        "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTES), with the column of the table's WATERMARK."
    }
}

/// The tables and views that there are.
fn objects(catalog: &Catalog) -> String {
    let names: Vec<&str> = catalog.names().collect();
    match names.as_slice() {
        [] => "There are no tables and views so far: CREATE TABLE makes one.".to_owned(),
        names => format!("There are {}.", tidegate_diag::listed(names)),
    }
}
