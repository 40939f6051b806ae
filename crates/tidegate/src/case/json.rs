//! A case's result as the JSON of the recorded ones, and as a table for people.

use serde_json::{Value, json};

use super::{CaseError, CaseOutput, CaseResult, StepText};

/// The JSON of a result: `steps`, `results`, `error`.
pub fn to_json(name: &str, result: &CaseResult) -> Value {
    let mut steps: Vec<Value> = result
        .steps
        .iter()
        .enumerate()
        .map(|(number, step)| match step {
            StepText::Row(table, row) => json!({"step": number + 1, "table": table, "row": row}),
            StepText::Watermark(table, at) => json!({"step": number + 1, "table": table, "watermark": at}),
            StepText::Mark(table, event) => json!({"step": number + 1, "table": table, "event": event}),
        })
        .collect();
    steps.push(json!({"step": result.steps.len() + 1, "event": "end of all input"}));
    let mut object = json!({
        "case": name,
        "steps": steps,
        "results": result.results.iter().map(output).collect::<Vec<_>>(),
    });
    if let Some(error) = &result.error {
        object["error"] = json!({
            "stage": error.stage,
            "statement": error.statement,
            "message": error.message(),
            "causes": causes(error),
            "problems": error.problems.iter().map(|problem| json!({
                "code": problem.code.to_string(),
                "message": problem.message,
                "hints": problem.hints,
                "span": problem.span.map(|span| [span.start, span.end]),
            })).collect::<Vec<_>>(),
        });
    }
    object
}

/// The chain of exceptions that Flink's users know, from the outermost.
fn causes(error: &CaseError) -> Vec<String> {
    let kind = match error.stage {
        "parse" => "SqlParserException",
        "validate" => "ValidationException",
        "plan" => "TableException",
        "case" => "IllegalArgumentException",
        _ => {
            let wrapped = [
                "ProgramInvocationException: Job failed (JobID: <id>)",
                "JobExecutionException: Job execution failed.",
                "JobException: Recovery is suppressed by NoRestartBackoffTimeStrategy",
            ];
            return wrapped.into_iter().map(str::to_owned).chain([error.message().to_owned()]).collect();
        }
    };
    error.problems.iter().map(|problem| format!("{kind}: {}", problem.message)).collect()
}

fn output(output: &CaseOutput) -> Value {
    let mut object = json!({"statement": output.statement, "line": output.line, "sql": output.sql});
    if let Some(sink) = &output.sink {
        object["sink"] = json!(sink);
    }
    if let Some(rows) = &output.output {
        object["output"] = json!(rows);
        return object;
    }
    let columns = output.columns.iter().map(|(name, ty)| json!({"name": name, "type": ty}));
    object["columns"] = columns.collect();
    object["changelog_mode"] = json!(output.changelog_mode);
    let rows = output.rows.iter().map(|row| json!({"step": row.step, "op": row.op, "row": row.row}));
    object["rows"] = rows.collect();
    object
}

/// The result as a readable table of the changelog.
pub fn to_table(result: &CaseResult) -> String {
    let mut text = String::new();
    for output in &result.results {
        let title = output.sink.as_ref().map_or_else(|| output.sql.clone(), |sink| format!("{} → {sink}", output.sql));
        text.push_str(&format!("\n{title}\n"));
        let mut lines: Vec<Vec<String>> = Vec::new();
        match &output.output {
            Some(rows) => {
                lines.extend(rows.iter().map(|row| row.iter().map(shown).collect()));
            }
            None if output.committed.is_some() => {
                text.push_str("  as a committed reader sees it:\n");
                lines.push(output.columns.iter().map(|(name, _)| name.clone()).collect());
                lines.extend(output.committed.iter().flatten().map(|row| row.iter().map(shown).collect()));
            }
            None => {
                let names = output.columns.iter().map(|(name, _)| name.clone());
                lines.push(["step".to_owned(), "op".to_owned()].into_iter().chain(names).collect());
                for row in &output.rows {
                    let head = [row.step.to_string(), row.op.to_owned()];
                    lines.push(head.into_iter().chain(row.row.iter().map(shown)).collect());
                }
            }
        }
        let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
        let width =
            |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max();
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        for line in &lines {
            // Not by a width of `format!`: that ends at 65,535.
            let cells = line.iter().zip(&widths).map(|(cell, width)| {
                let blanks = width.saturating_sub(cell.chars().count());
                format!("{cell}{}", " ".repeat(blanks))
            });
            text.push_str("  ");
            text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
    }
    text
}

fn shown(value: &Option<String>) -> String {
    value.clone().unwrap_or_else(|| "NULL".to_owned())
}
