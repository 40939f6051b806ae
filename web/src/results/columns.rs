//! How wide columns are: what their types need, and a share of the rest.

/// The grid's columns, and the width in px below which the sheet scrolls. `before` and `after` are px of fixed columns around them.
pub fn grid(columns: &[(String, String)], before: f64, after: f64) -> (String, f64) {
    let least = |(name, ty): &(String, String)| -> f64 {
        let by_type: f64 = match ty.split(['(', ' ']).next().unwrap_or_default() {
            "TIMESTAMP" | "TIMESTAMP_LTZ" => 176.0,
            "DATE" | "TIME" => 82.0,
            "STRING" | "CHAR" | "VARCHAR" => 62.0,
            "DECIMAL" | "DOUBLE" | "FLOAT" => 62.0,
            "ARRAY" | "MAP" | "ROW" | "MULTISET" => 110.0,
            _ => 48.0,
        };
        by_type.max((name.chars().count() as f64 * 7.6).min(90.0))
    };
    let fixed = |px: f64| if px > 0.0 { format!("minmax({px}px, auto) ") } else { String::new() };
    let mut template = fixed(before);
    for column in columns {
        template.push_str(&format!("minmax({0:.0}px, {0:.0}fr) ", least(column)));
    }
    if after > 0.0 {
        template.push_str(&format!("minmax({after}px, {after}fr)"));
    }
    let gaps = columns.len() as f64 * 10.0 + 30.0;
    let least = before + after + gaps + columns.iter().map(least).sum::<f64>();
    (format!("grid-template-columns:{}", template.trim_end()), least)
}

/// The name of a result's tab: its sink, or the beginning of its query.
pub fn job_name(name: &str, sql: &str, is_select: bool) -> String {
    if !is_select {
        return name.to_owned();
    }
    let line: Vec<&str> = sql.split_whitespace().collect();
    let line = line.join(" ");
    if line.chars().count() <= 34 { line } else { line.chars().take(33).chain(['…']).collect() }
}
