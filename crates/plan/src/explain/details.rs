//! What EXPLAIN adds on demand: PLAN_ADVICE, JSON_EXECUTION_PLAN.

use std::fmt::Write as _;

use super::node_text;
use crate::phys::{Phys, PhysKind};
use crate::physical::Distribution;
use crate::text::Form;

const TWO_PHASES: &str = "advice[1]: [ADVICE] You might want to enable local-global two-phase optimization by configuring ('table.exec.mini-batch.enabled' to 'true', 'table.exec.mini-batch.allow-latency' to a positive long value, 'table.exec.mini-batch.size' to a positive long value).";

/// The physical plan with Flink's advice on it. Here rows are never held back, so that the advice is for a job on Flink.
pub fn with_advice(plan: &str) -> String {
    let mut advised = false;
    let mut out = String::new();
    for line in plan.lines() {
        let start = line.find(|c: char| c.is_ascii_alphabetic()).unwrap_or_default();
        let (before, node) = line.split_at(start);
        match node.strip_prefix("GroupAggregate(") {
            Some(rest) => {
                advised = true;
                let _ = writeln!(out, "{before}GroupAggregate(advice=[1], {rest}");
            }
            None => {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    let _ = writeln!(out, "\n{}", if advised { TWO_PHASES } else { "No available advice..." });
    out
}

/// The nodes that run, as JSON, in Flink's form; they are numbered from 1.
pub fn execution_json(roots: &[Phys]) -> String {
    let mut nodes = Vec::new();
    let mut next = 0;
    for root in roots {
        collect(root, &mut next, &mut nodes);
    }
    format!("{{\n  \"nodes\" : [ {} ]\n}}", nodes.join(", "))
}

/// Numbers a node behind its inputs; gives its number.
fn collect(node: &Phys, next: &mut usize, nodes: &mut Vec<String>) -> usize {
    let mut inputs = Vec::new();
    for input in &node.inputs {
        match &input.kind {
            PhysKind::Exchange(distribution) => {
                let strategy = match distribution {
                    Distribution::Hash(_) => "HASH",
                    Distribution::Single => "GLOBAL",
                    _ => "FORWARD",
                };
                let from = collect(input.input(), next, nodes);
                // An exchange has a number, too.
                *next += 1;
                inputs.push((from, strategy));
            }
            _ => inputs.push((collect(input, next, nodes), "FORWARD")),
        }
    }
    *next += 1;
    let number = *next;
    let text = node_text(node, Form::Execution);
    let name = text.split('(').next().unwrap_or_default();
    let (sort, pact) = match &node.kind {
        PhysKind::Scan { scan, .. } => (format!("Source: {}", scan.table.name), "Data Source"),
        PhysKind::Sink { target, .. } => (format!("Sink: {}", target.name), "Data Sink"),
        _ => (name.to_owned(), "Operator"),
    };
    let mut out = String::new();
    let _ = write!(
        out,
        "{{\n    \"id\" : {number},\n    \"type\" : {},\n    \"pact\" : \"{pact}\",\n    \"contents\" : {},\n    \"parallelism\" : 1",
        quoted(&format!("{sort}[{number}]")),
        quoted(&format!("[{number}]:{text}"))
    );
    let before: Vec<String> = inputs
        .iter()
        .map(|(id, strategy)| {
            format!("{{\n      \"id\" : {id},\n      \"ship_strategy\" : \"{strategy}\",\n      \"side\" : \"second\"\n    }}")
        })
        .collect();
    if !before.is_empty() {
        let _ = write!(out, ",\n    \"predecessors\" : [ {} ]", before.join(", "));
    }
    out.push_str("\n  }");
    nodes.push(out);
    number
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
