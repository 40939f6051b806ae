//! What does not agree with the recordings yet, as `case:statement`.

/// Names and types of columns.
pub const COLUMNS: &[&str] = &[];
/// Changelog modes.
pub const MODES: &[&str] = &[];
/// `== Optimized Physical Plan ==`
pub const PLANS: &[&str] = &[
    "case_coalesce_nullif:7",
    "implicit_coercion:4",
    "interval_arithmetic:5",
    "interval_arithmetic:6",
    "interval_week_quarter_defect:2",
    "rowtime_marks:4",
    "string_functions:6",
    "time_text_functions:5",
    "tumble_over_inline_union_defect:4",
    "tumble_over_inline_union_defect:7",
    "window_having_where:6",
];
/// `== Optimized Execution Plan ==`
pub const EXECUTIONS: &[&str] = &[
    "case_coalesce_nullif:7",
    "implicit_coercion:4",
    "interval_arithmetic:5",
    "interval_arithmetic:6",
    "interval_week_quarter_defect:2",
    "rowtime_marks:4",
    "string_functions:6",
    "time_text_functions:5",
    "tumble_over_inline_union_defect:4",
    "tumble_over_inline_union_defect:7",
    "window_having_where:6",
];
/// `== Abstract Syntax Tree ==`
pub const TREES: &[&str] = &[
    "case_coalesce_nullif:5",
    "case_coalesce_nullif:7",
    "cast_time:6",
    "cast_time:7",
    "chr_modulus:1",
    "count_variants:2",
    "declared_key_is_believed:2",
    "documented_examples_strings:5",
    "documented_examples_strings:6",
    "documented_examples_strings:7",
    "expressions:7",
    "expressions_over_aggregates:7",
    "group_by_expressions:7",
    "implicit_coercion:2",
    "implicit_coercion:4",
    "in_between:3",
    "in_between:7",
    "interval_arithmetic:5",
    "interval_arithmetic:6",
    "interval_week_quarter_defect:2",
    "interval_week_quarter_defect:3",
    "literals:4",
    "ltz_functions:4",
    "ltz_functions:5",
    "removed_by_unique_key:5",
    "removed_over_aggregate:3",
    "rowtime_marks:3",
    "rowtime_marks:4",
    "rowtime_marks:8",
    "select_without_from:3",
    "short_circuit:8",
    "sink_char_length:4",
    "sink_columns:5",
    "sink_implicit_casts:6",
    "sink_implicit_casts:7",
    "sink_implicit_casts:8",
    "sink_implicit_casts:9",
    "tumble_over_inline_union_defect:4",
    "tumble_over_inline_union_defect:7",
    "union_nested_brackets:5",
    "union_nested_brackets:7",
    "values_types:3",
    "view_star_is_fixed:5",
];
/// What DESCRIBE, SHOW and EXPLAIN print.
pub const OUTPUTS: &[&str] = &["describe_show:10"];
/// Refusals.
pub const ERRORS: &[&str] = &["error_set_key"];
