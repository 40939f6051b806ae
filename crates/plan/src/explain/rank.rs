//! The texts of Top-N, sorts and window functions.

use crate::over::{OverAgg, OverGroup, order_text};
use crate::phys::{Phys, PhysKind, RankStrategy};
use crate::rank::{deduplication, window_deduplication};
use crate::text::{Form, rex_text};

/// The text of a node.
pub fn text(node: &Phys, names: &[String], form: Form) -> String {
    match &node.kind {
        PhysKind::Rank { partition, order, start, end, strategy, .. } => {
            if let (Form::Execution, Some((time, last))) = (form, deduplication(&node.kind, node.input())) {
                let keep = if last { "LastRow" } else { "FirstRow" };
                let by = match node.input().schema.fields[time.column].ty.is_rowtime() {
                    true => "ROWTIME",
                    false => "PROCTIME",
                };
                return format!(
                    "Deduplicate(keep=[{keep}], key=[{}], order=[{by}], outputInsertOnly=[{}])",
                    super::list(names, partition),
                    !last
                );
            }
            let by_rowtime = order.first().is_some_and(|key| node.input().schema.fields[key.column].ty.is_rowtime());
            format!(
                "Rank(strategy=[{}], rankType=[ROW_NUMBER], rankRange=[rankStart={start}, rankEnd={end}], partitionBy=[{}], orderBy=[{}{}], select=[{}])",
                strategy_text(strategy),
                super::list(names, partition),
                if by_rowtime { "ROWTIME " } else { "" },
                order_text(order, names),
                node.names().join(", ")
            )
        }
        PhysKind::WindowRank(rank) => {
            let of = format!("win_start=[{}], win_end=[{}]", names[rank.bounds.0], names[rank.bounds.1]);
            let window = super::window::shape_text(&rank.window, &of, names);
            let partition = super::list(names, &rank.partition);
            if let Some((time, last)) = window_deduplication(rank, node.input()) {
                let keep = if last { "LastRow" } else { "FirstRow" };
                return format!(
                    "WindowDeduplicate(window=[{window}], keep=[{keep}], partitionKeys=[{partition}], orderKey=[{}], order=[ROWTIME])",
                    names[time]
                );
            }
            format!(
                "WindowRank(window=[{window}], rankType=[ROW_NUMBER], rankRange=[rankStart={}, rankEnd={}], partitionBy=[{partition}], orderBy=[{}], select=[{}])",
                rank.start,
                rank.end,
                order_text(&rank.order, names),
                node.names().join(", ")
            )
        }
        PhysKind::SortLimit { order, offset, fetch, strategy } => {
            if order.is_empty() {
                return format!("Limit(offset=[{offset}], fetch=[{fetch}])");
            }
            format!(
                "SortLimit(orderBy=[{}], offset=[{offset}], fetch=[{fetch}], strategy=[{}])",
                order_text(order, names),
                strategy_text(strategy)
            )
        }
        PhysKind::TemporalSort(order) => format!("TemporalSort(orderBy=[{}])", order_text(order, names)),
        PhysKind::OverAggregate(group) => over_text(group, node, names, form),
        _ => String::new(),
    }
}

fn strategy_text(strategy: &RankStrategy) -> String {
    match strategy {
        RankStrategy::Undefined => "UndefinedStrategy".into(),
        RankStrategy::AppendFast => "AppendFastStrategy".into(),
        RankStrategy::UpdateFast(key) => {
            let columns: Vec<String> = key.iter().map(usize::to_string).collect();
            format!("UpdateFastStrategy[{}]", columns.join(","))
        }
        RankStrategy::Retract => "RetractStrategy".into(),
    }
}

fn over_text(group: &OverGroup, node: &Phys, names: &[String], form: Form) -> String {
    let mut parts = Vec::new();
    if !group.partition.is_empty() {
        parts.push(format!("partitionBy=[{}]", super::list(names, &group.partition)));
    }
    if !group.order.is_empty() {
        parts.push(format!("orderBy=[{}]", order_text(&group.order, names)));
    }
    parts.push(format!("window=[{}]", group.frame.text()));
    let width = names.len();
    let mut select = names.to_vec();
    for (call, field) in group.calls.iter().zip(&node.schema.fields[width..]) {
        select.push(format!("{} AS {}", agg_text(call, names, form), field.name));
    }
    parts.push(format!("select=[{}]", select.join(", ")));
    format!("OverAggregate({})", parts.join(", "))
}

fn agg_text(call: &OverAgg, names: &[String], form: Form) -> String {
    let form = if form == Form::Physical { Form::Execution } else { form };
    let args: Vec<String> = call.args.iter().map(|arg| rex_text(arg, names, form)).collect();
    let args = if args.is_empty() { "*".to_string() } else { args.join(", ") };
    let distinct = if call.distinct { "DISTINCT " } else { "" };
    format!("{}({distinct}{args})", call.function.name())
}
