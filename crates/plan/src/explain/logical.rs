//! The text of the logical plan as it was bound: `== Abstract Syntax Tree ==`.

use super::{Line, draw};
use crate::logical::{AggCall, JoinKind, Rel, RelOp};
use crate::over::Sort;
use crate::text::{Form, literal_text, rex_text};

/// A logical plan as a tree of lines.
pub fn tree_text(root: &Rel) -> String {
    let mut lines: Vec<Line> = Vec::new();
    collect(root, 0, &mut lines);
    let mut out = String::new();
    draw(&lines, &mut out);
    out
}

fn collect(rel: &Rel, depth: usize, lines: &mut Vec<Line>) {
    lines.push((depth, line(rel)));
    for input in &rel.inputs {
        collect(input, depth + 1, lines);
    }
}

fn line(rel: &Rel) -> String {
    match &rel.op {
        RelOp::Scan(scan) => {
            format!("LogicalTableScan(table=[[default_catalog, default_database, {}]])", scan.table.name)
        }
        RelOp::Values(rows) => {
            let rows: Vec<String> = rows
                .iter()
                .map(|row| format!("{{ {} }}", row.iter().map(literal_text).collect::<Vec<_>>().join(", ")))
                .collect();
            format!("LogicalValues(tuples=[[{}]])", rows.join(", "))
        }
        RelOp::Project(exprs) => {
            let columns: Vec<String> = exprs
                .iter()
                .zip(&rel.schema.fields)
                .map(|(rex, field)| format!("{}=[{}]", field.name, rex_text(rex, &[], Form::Tree)))
                .collect();
            format!("LogicalProject({})", columns.join(", "))
        }
        RelOp::Filter(condition) => format!("LogicalFilter(condition=[{}])", rex_text(condition, &[], Form::Tree)),
        RelOp::Aggregate(aggregate) => {
            let keys: Vec<String> = aggregate.keys.iter().map(usize::to_string).collect();
            let mut parts = vec![format!("group=[{{{}}}]", keys.join(", "))];
            for (i, call) in aggregate.calls.iter().enumerate() {
                let name = call.name.clone().unwrap_or_else(|| format!("agg#{i}"));
                parts.push(format!("{name}=[{}]", call_text(call)));
            }
            format!("LogicalAggregate({})", parts.join(", "))
        }
        RelOp::WatermarkAssigner { rowtime, watermark } => format!(
            "LogicalWatermarkAssigner(rowtime=[{}], watermark=[{}])",
            rel.schema.fields[*rowtime].name,
            rex_text(watermark, &[], Form::Tree)
        ),
        RelOp::Window(window) => {
            let columns: Vec<String> =
                rel.schema.fields.iter().map(|field| format!("{} {}", field.ty.calcite(), field.name)).collect();
            format!(
                "LogicalTableFunctionScan(invocation=[{}], rowType=[RecordType({})])",
                window.invocation,
                columns.join(", ")
            )
        }
        RelOp::Sort(sort) => sort_line(sort),
        // These two are made by rules: no tree has them.
        RelOp::Over(_) => "LogicalWindow()".into(),
        RelOp::Rank(_) => "LogicalRank()".into(),
        RelOp::Expand(_) => "LogicalExpand()".into(),
        RelOp::Lookup(_) => "LogicalCorrelate()".into(),
        RelOp::Match(_) => "LogicalMatch()".into(),
        RelOp::Correlate(correlate) => {
            format!("LogicalCorrelate(joinType=[{}])", if correlate.outer { "left" } else { "inner" })
        }
        RelOp::Join(join) => format!(
            "LogicalJoin(condition=[{}], joinType=[{}])",
            rex_text(&join.condition, &[], Form::Tree),
            match join.kind {
                JoinKind::Inner => "inner",
                JoinKind::Left => "left",
                JoinKind::Right => "right",
                JoinKind::Full => "full",
                JoinKind::Semi => "semi",
                JoinKind::Anti => "anti",
            }
        ),
        RelOp::Union => "LogicalUnion(all=[true])".into(),
        RelOp::Sink(target) => {
            let columns = target.target_columns.as_ref().map(|columns| {
                let columns: Vec<String> = columns.iter().map(|column| format!("[{column}]")).collect();
                format!(", targetColumns=[{}]", columns.join(","))
            });
            format!(
                "LogicalSink(table=[default_catalog.default_database.{}]{}, fields=[{}])",
                target.name,
                columns.unwrap_or_default(),
                rel.input().names().join(", ")
            )
        }
    }
}

fn sort_line(sort: &Sort) -> String {
    let mut parts: Vec<String> =
        sort.order.iter().enumerate().map(|(i, key)| format!("sort{i}=[${}]", key.column)).collect();
    parts.extend(sort.order.iter().enumerate().map(|(i, key)| {
        let direction = if key.descending { "DESC" } else { "ASC" };
        let nulls = if key.nulls_first { "first" } else { "last" };
        format!("dir{i}=[{direction}-nulls-{nulls}]")
    }));
    parts.extend(sort.offset.map(|offset| format!("offset=[{offset}]")));
    parts.extend(sort.fetch.map(|fetch| format!("fetch=[{fetch}]")));
    format!("LogicalSort({})", parts.join(", "))
}

fn call_text(call: &AggCall) -> String {
    let args: Vec<String> = call.args.iter().map(|arg| format!("${arg}")).collect();
    let distinct = if call.distinct { "DISTINCT " } else { "" };
    let filter = call.filter.map(|filter| format!(" FILTER ${filter}")).unwrap_or_default();
    format!("{}({distinct}{}){filter}", call.function.name(), args.join(", "))
}
