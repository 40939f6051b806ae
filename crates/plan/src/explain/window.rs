//! The texts of windows and window aggregates. Flink runs the latter in two stages, before and behind the exchange; here they
//! are one operator behind it, so the two exist only as text.

use crate::logical::{AggCall, AggFunction, Window};
use crate::phys::{Phys, PhysKind};
use crate::physical::{WindowProperty, WindowShape};
use crate::text::Form;
use tidegate_expr::AggregateFunction;

/// The two halves of a window aggregate.
pub struct Stages {
    /// Behind the exchange.
    pub global: String,
    /// Before it.
    pub local: String,
}

/// `TUMBLE(time_col=[ts], size=[10 s])`
pub fn shape_text(window: &Window, of: &str, names: &[String]) -> String {
    let with_offset = |offset: i64| if offset == 0 { String::new() } else { format!(", offset=[{}]", length(offset)) };
    match &window.shape {
        WindowShape::Tumble { size, offset } => {
            format!("TUMBLE({of}, size=[{}]{})", length(*size), with_offset(*offset))
        }
        WindowShape::Hop { slide, size, offset } => {
            format!("HOP({of}, size=[{}], slide=[{}]{})", length(*size), length(*slide), with_offset(*offset))
        }
        WindowShape::Cumulate { step, max, offset } => {
            format!("CUMULATE({of}, max_size=[{}], step=[{}]{})", length(*max), length(*step), with_offset(*offset))
        }
        WindowShape::Session { gap, partition } if partition.is_empty() => {
            format!("SESSION({of}, gap=[{}])", length(*gap))
        }
        WindowShape::Session { gap, partition } => {
            format!("SESSION({of}, gap=[{}], partition keys=[{}])", length(*gap), super::list(names, partition))
        }
    }
}

/// A length in its largest whole unit: `10 s`, `1 min`.
fn length(millis: i64) -> String {
    const UNITS: [(i64, &str); 4] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s")];
    for (unit, name) in UNITS {
        if millis != 0 && millis % unit == 0 {
            return format!("{} {name}", millis / unit);
        }
    }
    format!("{millis} ms")
}

fn property_text(property: WindowProperty) -> &'static str {
    match property {
        WindowProperty::Start => "start('w$) AS window_start",
        WindowProperty::End => "end('w$) AS window_end",
        WindowProperty::Time => "rowtime('w$) AS window_time",
    }
}

/// The fields of a call's accumulator in the local stage.
fn accumulator(call: &AggCall, retract: bool) -> Vec<&'static str> {
    match call.function {
        AggFunction::Sql(AggregateFunction::Count) if call.args.is_empty() => vec!["count1"],
        AggFunction::Sql(AggregateFunction::Count) => vec!["count"],
        AggFunction::Sql(AggregateFunction::Avg) => vec!["sum", "count"],
        AggFunction::Sql(AggregateFunction::Sum) if retract => vec!["sum", "count"],
        AggFunction::Sql(AggregateFunction::Sum) | AggFunction::Sum0 => vec!["sum"],
        AggFunction::Sql(AggregateFunction::Min) => vec!["min"],
        AggFunction::Sql(AggregateFunction::Max) => vec!["max"],
        // Flink keeps these as one value.
        AggFunction::Sql(_) => vec!["acc"],
    }
}

/// The stages of a window aggregate over an exchange.
pub fn two_stages(node: &Phys, _form: Form) -> Option<Stages> {
    let PhysKind::WindowAggregate { window, attached, keys, calls, properties } = &node.kind else { return None };
    // Sessions are not cut into slices.
    use AggregateFunction::{Avg, Count, Max, Min, Sum};
    let sliced =
        |call: &AggCall| matches!(call.function, AggFunction::Sql(Count | Sum | Min | Max | Avg) | AggFunction::Sum0);
    if window.is_group_window() && attached.is_none() {
        return None;
    }
    if matches!(window.shape, WindowShape::Session { .. }) || !calls.iter().all(sliced) {
        return None;
    }
    let names = node.input().names();
    let retract = !node.input().changes.is_insert_only();
    let suffix = if retract { "_RETRACT" } else { "" };
    let grouping = match keys.is_empty() {
        true => String::new(),
        false => format!("groupBy=[{}], ", super::list(&names, keys)),
    };
    let key_names: Vec<String> = keys.iter().map(|&key| names[key].clone()).collect();
    let mut global: Vec<String> = key_names.clone();
    let mut local: Vec<String> = key_names;
    let mut distinct: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut number = 0;
    let fields = &node.schema.fields[keys.len()..];
    let counted = calls.iter().any(|call| call.args.is_empty() && call.filter.is_none() && !call.distinct);
    for (call, field) in calls.iter().zip(fields) {
        let parts: Vec<String> = accumulator(call, retract)
            .into_iter()
            .map(|part| {
                let part = format!("{part}${number}");
                number += 1;
                part
            })
            .collect();
        let state = if parts.len() == 1 { parts[0].clone() } else { format!("({})", parts.join(", ")) };
        let filter = call.filter.map(|filter| format!(" FILTER {}", names[filter])).unwrap_or_default();
        let args = if call.args.is_empty() { "*".to_string() } else { super::list(&names, &call.args) };
        let function = call.function.name();
        if call.distinct {
            let view = match distinct.iter().position(|(_, args)| *args == call.args) {
                Some(view) => view,
                None => {
                    distinct.push((distinct.len(), call.args.clone()));
                    distinct.len() - 1
                }
            };
            global.push(format!("{function}{suffix}(distinct${view} {state}) AS {}", field.name));
            local.push(format!("{function}{suffix}(distinct${view} {args}){filter} AS {state}"));
        } else {
            global.push(format!("{function}{suffix}({state}) AS {}", field.name));
            local.push(format!("{function}{suffix}({args}){filter} AS {state}"));
        }
    }
    let mut shown: Vec<String> = properties.iter().map(|property| property_text(*property).to_string()).collect();
    if retract && !counted {
        // Rows are counted so that an empty window goes away. Flink's text gives the count the next column's name, and the
        // window's columns the names behind it.
        local.push(format!("COUNT_RETRACT(*) AS count1${number}"));
        let (values, names): (Vec<String>, Vec<String>) = shown
            .iter()
            .filter_map(|text| text.split_once(" AS "))
            .map(|(v, n)| (v.to_string(), n.to_string()))
            .unzip();
        let values = std::iter::once(format!("COUNT_RETRACT(count1${number})")).chain(values);
        shown = values.zip(names).map(|(value, name)| format!("{value} AS {name}")).collect();
    }
    for (view, args) in &distinct {
        local.push(format!("DISTINCT({}) AS distinct${view}", super::list(&names, args)));
    }
    let (local_window, global_window, slice) = match attached {
        None => {
            (format!("time_col=[{}]", names[window.time_column]), "slice_end=[$slice_end]".to_string(), "$slice_end")
        }
        Some((start, end)) => {
            let start = start.map(|start| format!("win_start=[{}], ", names[start])).unwrap_or_default();
            (format!("{start}win_end=[{}]", names[*end]), "win_end=[$window_end]".to_string(), "$window_end")
        }
    };
    local.push(format!("slice_end('w$) AS {slice}"));
    global.extend(shown);
    Some(Stages {
        global: format!(
            "GlobalWindowAggregate({grouping}window=[{}], select=[{}])",
            shape_text(window, &global_window, &names),
            global.join(", ")
        ),
        local: format!(
            "LocalWindowAggregate({grouping}window=[{}], select=[{}])",
            shape_text(window, &local_window, &names),
            local.join(", ")
        ),
    })
}

/// A window aggregate as the one operator that it is.
pub fn single_stage(node: &Phys) -> String {
    let PhysKind::WindowAggregate { window, attached, keys, calls, properties } = &node.kind else {
        return String::new();
    };
    let names = node.input().names();
    let retract = !node.input().changes.is_insert_only();
    let grouping = match keys.is_empty() {
        true => String::new(),
        false => format!("groupBy=[{}], ", super::list(&names, keys)),
    };
    let of = match attached {
        None => format!("time_col=[{}]", names[window.time_column]),
        Some((start, end)) => {
            let start = start.map(|start| format!("win_start=[{}], ", names[start])).unwrap_or_default();
            format!("{start}win_end=[{}]", names[*end])
        }
    };
    let mut select: Vec<String> = keys.iter().map(|&key| names[key].clone()).collect();
    for (call, field) in calls.iter().zip(&node.schema.fields[keys.len()..]) {
        select.push(format!("{} AS {}", super::call_text(call, &names, retract), field.name));
    }
    if window.is_group_window() && attached.is_none() {
        let time = &names[window.time_column];
        let shape = match &window.shape {
            WindowShape::Tumble { size, .. } => format!("TumblingGroupWindow('w$, {time}, {size})"),
            WindowShape::Hop { slide, size, .. } => format!("SlidingGroupWindow('w$, {time}, {size}, {slide})"),
            WindowShape::Cumulate { .. } => String::new(),
            WindowShape::Session { gap, .. } => format!("SessionGroupWindow('w$, {time}, {gap})"),
        };
        let properties = ["start", "end", "rowtime", "proctime"];
        select.extend(properties.iter().map(|property| format!("{property}('w$) AS w${property}")));
        return format!(
            "GroupWindowAggregate({grouping}window=[{shape}], properties=[w$start, w$end, w$rowtime, w$proctime], select=[{}])",
            select.join(", ")
        );
    }
    select.extend(properties.iter().map(|property| property_text(*property).to_string()));
    format!("WindowAggregate({grouping}window=[{}], select=[{}])", shape_text(window, &of, &names), select.join(", "))
}
