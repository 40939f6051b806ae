//! The texts of EXPLAIN: the syntax tree, the physical plan, the execution plan.

mod details;
mod logical;
mod rank;
mod window;

use std::fmt::Write as _;

use crate::monotonicity::ignores_retraction;
use crate::phys::{Phys, PhysKind};
use crate::physical::Distribution;
use crate::text::{Form, literal_text, rex_text};

pub use details::{execution_json, with_advice};
pub use logical::tree_text;
pub use window::shape_text;

/// The three plans. `changelog` adds the changelog modes to the second.
pub fn plans(trees: &[crate::logical::Rel], roots: &[Phys], changelog: bool) -> String {
    plans_with(trees, roots, changelog, false)
}

/// The three plans, the second with Flink's advice if that is asked for.
pub fn plans_with(trees: &[crate::logical::Rel], roots: &[Phys], changelog: bool, advice: bool) -> String {
    let mut out = String::from("== Abstract Syntax Tree ==\n");
    for (i, tree) in trees.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        out.push_str(&tree_text(tree));
    }
    for (title, form) in [("Physical", Form::Physical), ("Execution", Form::Execution)] {
        let advice = advice && form == Form::Physical;
        let _ = writeln!(out, "\n== Optimized {title} Plan{} ==", if advice { " With Advice" } else { "" });
        let mut plan = String::new();
        for (i, root) in roots.iter().enumerate() {
            if i > 0 {
                plan.push('\n');
            }
            plan.push_str(&phys_text(root, form, changelog && form == Form::Physical));
        }
        out.push_str(&if advice { with_advice(&plan) } else { plan });
    }
    out
}

/// A physical plan as a tree of lines.
pub fn phys_text(root: &Phys, form: Form, changelog: bool) -> String {
    let mut lines = Vec::new();
    collect(root, 0, form, changelog, &mut lines);
    let mut out = String::new();
    draw(&lines, &mut out);
    out
}

/// A line with its depth.
type Line = (usize, String);

fn collect(node: &Phys, depth: usize, form: Form, changelog: bool, lines: &mut Vec<Line>) {
    let mode = |node: &Phys| if changelog { format!(", changelogMode=[{}]", node.mode()) } else { String::new() };
    if let Some(stages) = window::two_stages(node, form) {
        let exchange = node.input();
        let input = exchange.input();
        lines.push((depth, close(stages.global, &mode(node))));
        lines.push((depth + 1, close(node_text(exchange, form), &mode(exchange))));
        // The local part hands its input's changes on, in accumulators.
        lines.push((depth + 2, close(stages.local, &mode(exchange))));
        collect(input, depth + 3, form, changelog, lines);
        return;
    }
    lines.push((depth, close(node_text(node, form), &mode(node))));
    for input in &node.inputs {
        collect(input, depth + 1, form, changelog, lines);
    }
}

/// Puts a further attribute before the closing parenthesis.
fn close(text: String, mode: &str) -> String {
    if mode.is_empty() {
        return text;
    }
    match text.strip_suffix("()") {
        Some(name) => format!("{name}({})", mode.trim_start_matches(", ")),
        None => match text.strip_suffix(')') {
            Some(open) => format!("{open}{mode})"),
            None => format!("{text}({})", mode.trim_start_matches(", ")),
        },
    }
}

/// Draws the lines with Flink's `+-` and `:-`.
fn draw(lines: &[Line], out: &mut String) {
    for (i, (depth, text)) in lines.iter().enumerate() {
        if *depth > 0 {
            // A bar stands where a later line has the depth before a shallower one comes.
            for level in 1..*depth {
                let open = has_sibling(lines, i, level);
                out.push_str(if open { ":  " } else { "   " });
            }
            out.push_str(if has_sibling(lines, i, *depth) { ":- " } else { "+- " });
        }
        out.push_str(text);
        out.push('\n');
    }
}

fn has_sibling(lines: &[Line], at: usize, depth: usize) -> bool {
    lines[at + 1..].iter().find(|(other, _)| *other <= depth).is_some_and(|(other, _)| *other == depth)
}

/// Flink's text of one node.
pub fn node_text(node: &Phys, form: Form) -> String {
    let names = node.inputs.first().map(Phys::names).unwrap_or_default();
    match &node.kind {
        PhysKind::Scan { scan, .. } => {
            let columns = node.names();
            let mut table = vec!["default_catalog".to_string(), "default_database".into(), scan.table.name.clone()];
            if let Some((_, watermark)) = &scan.watermark {
                table.push(format!("watermark=[{}]", rex_text(watermark, &columns, Form::Physical)));
                if watermark.args_of("SOURCE_WATERMARK").is_none() {
                    table.push("watermarkEmitStrategy=[on-periodic]".into());
                }
            }
            format!("TableSourceScan(table=[[{}]], fields=[{}])", table.join(", "), columns.join(", "))
        }
        PhysKind::Values(rows) => {
            let columns: Vec<String> =
                node.schema.fields.iter().map(|field| format!("{} {}", field.ty.calcite(), field.name)).collect();
            let rows: Vec<String> = rows
                .iter()
                .map(|row| format!("{{ {} }}", row.iter().map(literal_text).collect::<Vec<_>>().join(", ")))
                .collect();
            match form {
                Form::Execution => format!("Values(tuples=[[{}]])", rows.join(", ")),
                _ => format!("Values(type=[RecordType({})], tuples=[[{}]])", columns.join(", "), rows.join(", ")),
            }
        }
        PhysKind::WatermarkAssigner { rowtime, watermark } => format!(
            "WatermarkAssigner(rowtime=[{}], watermark=[{}])",
            names[*rowtime],
            rex_text(watermark, &names, form)
        ),
        PhysKind::Calc { condition, projections } => {
            let select: Vec<String> = projections
                .iter()
                .zip(&node.schema.fields)
                .map(|(rex, field)| {
                    let text = rex_text(rex, &names, form);
                    if text == field.name { text } else { format!("{text} AS {}", field.name) }
                })
                .collect();
            let filter =
                condition.as_ref().map(|c| format!(", where=[{}]", rex_text(c, &names, form))).unwrap_or_default();
            format!("Calc(select=[{}]{filter})", select.join(", "))
        }
        PhysKind::Exchange(distribution) => {
            let text = match distribution {
                Distribution::Hash(keys) => format!("hash[{}]", list(&names, keys)),
                Distribution::Single => "single".into(),
                Distribution::Rebalance => "rebalance".into(),
            };
            format!("Exchange(distribution=[{text}])")
        }
        PhysKind::GroupAggregate { keys, calls, .. } => {
            let retract = !node.input().changes.is_insert_only();
            let grouping = if keys.is_empty() { String::new() } else { format!("groupBy=[{}], ", list(&names, keys)) };
            let mut select: Vec<String> = keys.iter().map(|&key| names[key].clone()).collect();
            for (call, field) in calls.iter().zip(&node.schema.fields[keys.len()..]) {
                let retract = retract && !ignores_retraction(call, keys, node.input());
                select.push(format!("{} AS {}", call_text(call, &names, retract), field.name));
            }
            format!("GroupAggregate({grouping}select=[{}])", select.join(", "))
        }
        PhysKind::WindowAggregate { .. } => window::single_stage(node),
        PhysKind::WindowTableFunction(own) => {
            format!(
                "WindowTableFunction(window=[{}])",
                window::shape_text(own, &format!("time_col=[{}]", names[own.time_column]), &names)
            )
        }
        PhysKind::Expand(sets) => {
            let set = |(columns, number): &(Vec<Option<usize>>, i64)| {
                let columns = columns.iter().enumerate().map(|(i, column)| match column {
                    Some(_) => names[i].clone(),
                    None => format!("null AS {}", names[i]),
                });
                let columns: Vec<String> = columns.chain([format!("{number} AS $e")]).collect();
                format!("{{{}}}", columns.join(", "))
            };
            format!("Expand(projects=[{}])", sets.iter().map(set).collect::<Vec<_>>().join(", "))
        }
        PhysKind::Lookup(own) => own.text(node, form),
        PhysKind::Match(own) => own.text(&names, form),
        PhysKind::Correlate(correlate) => correlate.text(node, &names, form),
        PhysKind::Rank { .. }
        | PhysKind::WindowRank(_)
        | PhysKind::SortLimit { .. }
        | PhysKind::TemporalSort(_)
        | PhysKind::OverAggregate(_) => rank::text(node, &names, form),
        PhysKind::Join(join) => crate::join::text(node, join, form),
        PhysKind::Union => format!("Union(all=[true], union=[{}])", node.names().join(", ")),
        PhysKind::ChangelogNormalize { keys, condition } => {
            let condition =
                condition.as_ref().map(|c| format!(", condition=[{}]", rex_text(c, &names, form))).unwrap_or_default();
            format!("ChangelogNormalize(key=[{}]{condition})", list(&names, keys))
        }
        PhysKind::DropUpdateBefore => "DropUpdateBefore".into(),
        PhysKind::Sink { target, materialize, .. } => {
            let columns = target.target_columns.as_ref().map(|columns| {
                let columns: Vec<String> = columns.iter().map(|column| format!("[{column}]")).collect();
                format!(", targetColumns=[{}]", columns.join(","))
            });
            let materialize = if *materialize { ", upsertMaterialize=[true]" } else { "" };
            format!(
                "Sink(table=[default_catalog.default_database.{}]{}, fields=[{}]{materialize})",
                target.name,
                columns.unwrap_or_default(),
                names.join(", ")
            )
        }
    }
}

/// The names of some columns.
fn list(names: &[String], columns: &[usize]) -> String {
    let names: Vec<&str> = columns.iter().map(|&column| names[column].as_str()).collect();
    names.join(", ")
}

/// An aggregate call over the columns of its input; with retraction its function is another.
fn call_text(call: &crate::logical::AggCall, names: &[String], retract: bool) -> String {
    let suffix = if retract { "_RETRACT" } else { "" };
    let args = if call.args.is_empty() { "*".into() } else { list(names, &call.args) };
    let distinct = if call.distinct { "DISTINCT " } else { "" };
    let filter = call.filter.map(|filter| format!(" FILTER {}", names[filter])).unwrap_or_default();
    format!("{}{suffix}({distinct}{args}){filter}", call.function.name())
}
