//! Files of rows, read for an input and written from a result.

use tidegate::data::{DataType, Field, LogicalType, RowKind, Schema};
use tidegate::files::{FileFormat, FileReader, csv_head, csv_line, json_line, read_rows};

fn schema() -> Schema {
    let columns =
        [("id", LogicalType::BigInt), ("name", LogicalType::VarChar(100)), ("price", LogicalType::Decimal(20, 3))];
    Schema { fields: columns.map(|(name, ty)| Field { name: name.into(), ty: DataType::new(ty) }).to_vec() }
}

type Row = (&'static str, Vec<Option<&'static str>>);

fn assert_rows(text: &str, kinds: &[RowKind], format: FileFormat, wanted: &[Row]) {
    let (is, rows) = read_rows(text, &schema(), kinds).expect("it can be read");
    assert_eq!(is, format);
    let rows: Vec<_> =
        rows.iter().map(|row| (row.kind.text(), row.values.iter().map(Option::as_deref).collect())).collect();
    assert_eq!(rows, wanted);
}

#[test]
fn csv_with_and_without_a_head() {
    let insert = &[RowKind::Insert];
    assert_rows(
        "1,tea,2.5\n2,,\n3,NULL,1",
        insert,
        FileFormat::Csv,
        &[
            ("+I", vec![Some("1"), Some("tea"), Some("2.5")]),
            ("+I", vec![Some("2"), Some(""), None]),
            ("+I", vec![Some("3"), None, Some("1")]),
        ],
    );
    assert_rows(
        "\u{feff}NAME,kind,id\n\"NULL\",-D,7\r\n",
        &RowKind::ALL,
        FileFormat::Csv,
        &[("-D", vec![Some("7"), Some("NULL"), None])],
    );
}

#[test]
fn json_lines_and_debezium() {
    let lines = "{\"id\": 1, \"price\": 12345678901234567.125}\n\n{\"kind\":\"-D\",\"id\":2,\"name\":null}\n";
    assert_rows(
        lines,
        &RowKind::ALL,
        FileFormat::JsonLines,
        &[("+I", vec![Some("1"), None, Some("12345678901234567.125")]), ("-D", vec![Some("2"), None, None])],
    );
    let events = "{\"before\":null,\"after\":{\"id\":1,\"name\":\"a\"},\"op\":\"c\"}
{\"payload\":{\"before\":{\"id\":1,\"name\":\"a\"},\"after\":{\"id\":1,\"name\":\"b\"},\"op\":\"u\"}}
{\"before\":{\"id\":1,\"name\":\"b\"},\"after\":null,\"op\":\"d\"}";
    let (a, b) = (vec![Some("1"), Some("a"), None], vec![Some("1"), Some("b"), None]);
    assert_rows(
        events,
        &RowKind::ALL,
        FileFormat::Debezium,
        &[("+I", a.clone()), ("-U", a.clone()), ("+U", b.clone()), ("-D", b.clone())],
    );
    let upsert = [RowKind::Insert, RowKind::UpdateAfter, RowKind::Delete];
    assert_rows(events, &upsert, FileFormat::Debezium, &[("+I", a), ("+U", b.clone()), ("-D", b)]);
}

#[test]
fn what_cannot_be_read_names_its_line() {
    for (text, kinds, code, says) in [
        ("1,a,2\n2,b", &RowKind::ALL[..], "TG9120", "Line 2 has 2 fields"),
        ("1,\"a", &RowKind::ALL, "TG9120", "Line 1: a quote"),
        ("id,kind\n1,+X", &RowKind::ALL, "TG9122", "Line 2: '+X'"),
        ("id,kind\n1,-D", &RowKind::ALL[..1], "TG9122", "takes no -D rows"),
        ("{\"id\":1}\n{\"x\":1}", &RowKind::ALL, "TG9121", "Line 2: the table has no column 'x'"),
        ("{\"id\":1}\n{\"id\":", &RowKind::ALL, "TG9120", "Line 2 is no JSON"),
        ("[1]", &RowKind::ALL, "TG9120", "Line 1 is no JSON object"),
        ("{\"op\":\"u\",\"after\":{\"id\":1}}", &RowKind::ALL, "TG9120", "needs \"before\""),
        ("{\"op\":\"t\",\"after\":{\"id\":1}}", &RowKind::ALL, "TG9120", "\"op\" is \"t\""),
    ] {
        let problem = read_rows(text, &schema(), kinds).expect_err(text);
        assert_eq!(problem.code.to_string(), code, "{text}");
        assert!(problem.message.contains(says), "{text}: {}", problem.message);
    }
}

#[test]
fn what_is_written_can_be_read_again() {
    let columns: Vec<(String, DataType)> = schema().fields.into_iter().map(|field| (field.name, field.ty)).collect();
    let rows: [(&str, Vec<Option<String>>); 3] = [
        ("+I", vec![Some("1".into()), Some("a \"b\", c\nd".into()), Some("1.500".into())]),
        ("-U", vec![None, Some(String::new()), None]),
        ("-D", vec![Some("-3".into()), Some("NULL".into()), Some("0.001".into())]),
    ];
    let csv = csv_head(true, &columns) + &rows.iter().map(|(kind, row)| csv_line(Some(kind), row)).collect::<String>();
    let json: String = rows.iter().map(|(kind, row)| json_line(Some(kind), &columns, row)).collect();
    assert!(json.starts_with("{\"kind\":\"+I\",\"id\":1,\"name\":\"a \\\"b\\\", c\\nd\",\"price\":1.500}\n"), "{json}");
    for text in [csv, json] {
        let (_, read) = read_rows(&text, &schema(), &RowKind::ALL).expect("it can be read");
        let read: Vec<_> = read.into_iter().map(|row| (row.kind.text(), row.values)).collect();
        assert_eq!(read, rows, "{text}");
    }
}

#[test]
fn an_array_of_objects() {
    let (a, b) = (vec![Some("1"), Some("a]"), None], vec![Some("2"), None, Some("1.5")]);
    assert_rows(
        "\n[{\"id\": 1,\n \"name\": \"a]\"},\n {\"id\": 2, \"price\": 1.5}\n]\n",
        &[RowKind::Insert],
        FileFormat::JsonArray,
        &[("+I", a), ("+I", b)],
    );
    assert_rows("[]", &[RowKind::Insert], FileFormat::JsonArray, &[]);
    let why = |text: &str| read_rows(text, &schema(), &[RowKind::Insert]).expect_err("it cannot be read").message;
    assert_eq!(why("[{\"id\": 1}\n{\"id\": 2}]"), "Line 2 is no JSON: ',' or ']' expected, '{' found.");
    assert_eq!(why("[{\"id\": 1},\n\n{\"id\" 2}]"), "Line 3 is no JSON: ':' expected, '2' found.");
    assert_eq!(why("[{\"id\": 1}"), "Line 1 is no JSON: the array does not end.");
    assert_eq!(why("[1]"), "Line 1 is no JSON object.");
}

#[test]
fn another_separator_is_guessed() {
    for (text, name) in [("id;name;price\n1;tea;2", "semicolons"), ("1\ttea\t2", "tabs"), ("1|tea|2", "bars")] {
        let problem = read_rows(text, &schema(), &[RowKind::Insert]).expect_err("it cannot be read");
        assert!(problem.hints.iter().any(|hint| hint.contains(name)), "{problem:?}");
    }
}

#[test]
fn a_text_is_read_some_rows_at_a_time() {
    let text: String = (0..1000).map(|row| format!("{row},\"a\nb\",\n")).collect();
    let (_, whole) = read_rows(&text, &schema(), &[RowKind::Insert]).expect("it can be read");
    let mut reader = FileReader::new(text, schema(), vec![RowKind::Insert]).expect("it has no head");
    let mut parts = Vec::new();
    loop {
        let rows = reader.read(7).expect("it can be read");
        assert!(rows.len() <= 7);
        if rows.is_empty() {
            break;
        }
        parts.extend(rows);
    }
    assert_eq!(parts, whole);
    assert_eq!(parts.len(), 1000);
}
