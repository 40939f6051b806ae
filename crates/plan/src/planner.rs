//! From a bound statement to a job: rules, physical nodes, changelog modes, the plan, EXPLAIN.

use std::sync::Arc;

use tidegate_data::{DataType, RowKind};
use tidegate_diag::{Diagnostic, Span, line_column};
use tidegate_sql::ast::{Explain, ExplainDetail, Insert, Query, Statement, StatementKind};

use crate::bind::{Binder, NO_TIME_ATTRIBUTE};
use crate::catalog::Catalog;
use crate::changelog_mode::{infer, infer_query};
use crate::convert::convert;
use crate::logical::{JoinForm, Rel, RelOp, SinkTarget};
use crate::lower::lower;
use crate::outcome::{JobPlan, Outcome, ResultTarget, Risk, RiskKind};
use crate::phys::{Phys, PhysKind};
use crate::rex::Rex;
use crate::rules::{optimize, time_joins};
use crate::window::window_columns;
use crate::{explain, normalize};

/// A root of a statement: the bound plan and, once optimised, its physical tree.
struct Root {
    tree: Rel,
    phys: Phys,
    risks: Vec<(RiskKind, Span)>,
}

/// Plans a query, an INSERT or a statement set.
///
/// # Errors
/// All that is wrong with it.
pub fn plan(catalog: &Catalog, text: &str, statement: &Statement) -> Result<JobPlan, Vec<Diagnostic>> {
    let mut roots = Vec::new();
    let mut found = Vec::new();
    match &statement.kind {
        StatementKind::Query(query) => match select_root(catalog, query, statement.ordinal) {
            Ok(root) => roots.push(root),
            Err(diagnostics) => found.extend(diagnostics),
        },
        StatementKind::Insert(insert) => insert_roots(catalog, std::slice::from_ref(&**insert), &mut roots, &mut found),
        StatementKind::StatementSet(inserts) => insert_roots(catalog, inserts, &mut roots, &mut found),
        _ => {}
    }
    if !found.is_empty() {
        return Err(found);
    }
    let phys: Vec<Phys> = roots.iter().map(|root| root.phys.clone()).collect();
    let trees: Vec<Rel> = roots.iter().map(|root| root.tree.clone()).collect();
    let (plan, sinks) = lower(&phys, catalog.config()).map_err(|error| vec![error.at(statement.span)])?;
    let sql = statement.span.text(text).to_string();
    let line = line_column(text, statement.span.start).line;
    let mut results: Vec<ResultTarget> = Vec::new();
    for (root, node) in roots.iter().zip(sinks) {
        let RelOp::Sink(target) = &root.tree.op else { continue };
        let (sink, columns) = match &target.table {
            Some(table) => {
                let columns = table.columns.iter().map(|column| (column.name.clone(), column.ty.clone())).collect();
                (Some(table.name.clone()), columns)
            }
            None => {
                let query = &root.tree.schema.fields;
                (None, query.iter().map(|field| (field.name.clone(), field.ty.clone())).collect())
            }
        };
        results.push(ResultTarget {
            sink,
            node,
            columns,
            changelog_mode: mode_text(&root.phys),
            sql: sql.clone(),
            line,
            statement: statement.ordinal,
        });
    }
    let lines = |trees: &[Rel], phys: &[Phys]| explain::plans(trees, phys, true).lines().map(String::from).collect();
    let explain: Vec<String> = lines(&trees, &phys);
    let shown = match (&statement.kind, trees.as_slice(), phys.as_slice()) {
        (StatementKind::Query(_), [tree], [root]) => lines(&[tree.input().clone()], &[root.input().clone()]),
        _ => explain.clone(),
    };
    let mut risks: Vec<Risk> = Vec::new();
    for (kind, span) in roots.iter().flat_map(|root| root.risks.iter().copied()) {
        if !risks.iter().any(|known| known.span == span) {
            risks.push(Risk { kind, span, text: span.text(text).to_owned() });
        }
    }
    Ok(JobPlan { plan, results, config: catalog.config().clone(), explain, shown, span: statement.span, risks })
}

/// The kinds that the sink is given: its own where it says which, else the query's.
fn mode_text(root: &Phys) -> String {
    match &root.kind {
        PhysKind::Sink { mode: Some(mode), .. } => mode.to_string(),
        _ => {
            let mode = root.input().mode();
            match mode.contains(RowKind::UpdateAfter) {
                true => mode.with(RowKind::UpdateBefore).to_string(),
                false => mode.to_string(),
            }
        }
    }
}

fn insert_roots(catalog: &Catalog, inserts: &[Insert], roots: &mut Vec<Root>, found: &mut Vec<Diagnostic>) {
    for insert in inserts {
        let binder = Binder::new(catalog);
        let bound = binder.insert(insert);
        let risks = binder.risks();
        let reported = binder.into_diagnostics();
        match bound {
            Some(tree) if reported.is_empty() => {
                match finish(catalog, tree.clone()).and_then(|phys| times_checked(&tree, phys)) {
                    Ok(phys) => roots.push(Root { tree, phys, risks }),
                    Err(error) => found.push(error.or_at(insert.span)),
                }
            }
            _ => found.extend(reported),
        }
    }
}

/// What goes into a table may have one event-time column at most; of what a regular join yields none is one any more.
fn times_checked(tree: &Rel, phys: Phys) -> Result<Phys, Diagnostic> {
    let RelOp::Sink(target) = &tree.op else { return Ok(phys) };
    let fields = tree.input().schema.fields.iter().zip(&phys.input().schema.fields);
    let rowtimes: Vec<&str> =
        fields.filter(|(_, own)| own.ty.is_rowtime()).map(|(written, _)| written.name.as_str()).collect();
    match &target.table {
        Some(table) if rowtimes.len() > 1 => {
            let message = format!(
                "The query contains more than one rowtime attribute column [{}] for writing into table '{}'.\nPlease select the column that should be used as the event-time timestamp for the table sink by casting all other columns to regular TIMESTAMP or TIMESTAMP_LTZ.",
                rowtimes.join(", "),
                table.path()
            );
            Err(Diagnostic::error(crate::codes::BAD_PLAN, message)
                .hint("Make a plain timestamp of one: CAST(ts AS TIMESTAMP(3))."))
        }
        _ => Ok(phys),
    }
}

/// A SELECT: as if into a sink that takes everything.
fn select_root(catalog: &Catalog, query: &Query, ordinal: u32) -> Result<Root, Vec<Diagnostic>> {
    let (bound, risks) = bind_query(catalog, query)?;
    let target = SinkTarget { table: None, name: format!("oracle_result_{ordinal}"), target_columns: None };
    let schema = bound.schema.clone();
    let collected = one_rowtime(bound);
    let tree = Rel { op: RelOp::Sink(Arc::new(target)), inputs: vec![collected], schema };
    let phys = finish(catalog, tree.clone()).map_err(|error| vec![error.or_at(query.span)])?;
    Ok(Root { tree, phys, risks })
}

/// A query's plan, and what in it can fail as rows come.
type Bound = (Rel, Vec<(RiskKind, Span)>);

fn bind_query(catalog: &Catalog, query: &Query) -> Result<Bound, Vec<Diagnostic>> {
    let binder = Binder::new(catalog);
    let bound = binder.query(query);
    let risks = binder.risks();
    let reported = binder.into_diagnostics();
    match bound {
        Some(rel) if reported.is_empty() => Ok((rel, risks)),
        _ => Err(reported),
    }
}

/// A result may have one event-time column at most: with more, all become plain timestamps.
fn one_rowtime(rel: Rel) -> Rel {
    if rel.schema.fields.iter().filter(|field| field.ty.is_rowtime()).count() < 2 {
        return rel;
    }
    let exprs: Vec<Rex> = (0..rel.width())
        .map(|i| {
            let column = rel.column(i);
            let plain = DataType { logical: column.ty.logical.without_time_attribute(), nullable: column.ty.nullable };
            if column.ty.is_rowtime() { column.typed_as(&plain) } else { column }
        })
        .collect();
    let names = rel.names();
    match rel.op {
        RelOp::Project(ref inner) => {
            let exprs = exprs.into_iter().map(|rex| rex.substitute(inner)).collect();
            Rel::project(rel.into_input(), exprs, names)
        }
        _ => Rel::project(rel, exprs, names),
    }
}

fn physical(catalog: &Catalog, rel: Rel) -> Result<Phys, Diagnostic> {
    let optimized = optimize(rel, catalog);
    check_windows(&optimized)?;
    check_counts(&optimized)?;
    crate::over::check(&optimized)?;
    let phys = convert(optimized, catalog);
    crate::join::check(&phys)?;
    crate::lookup::check(&phys)?;
    Ok(normalize::apply(phys))
}

/// A window's time column may have been computed, which binding does not see: then it is no time attribute any more.
fn check_windows(rel: &Rel) -> Result<(), Diagnostic> {
    if let RelOp::Window(window) = &rel.op {
        let ty = &rel.input().schema.fields[window.time_column].ty;
        if !ty.is_rowtime() && !ty.is_proctime() {
            let message =
                format!("The window function requires the timecol is a time attribute type, but is {}.", ty.logical);
            return Err(Diagnostic::error(crate::codes::BAD_PLAN, message)
                .hint("A calculation makes a plain timestamp of a time attribute."));
        }
    }
    let form = match &rel.op {
        RelOp::Join(join) if join.form == JoinForm::Regular && time_joins::is_temporal(&join.condition) => {
            return Err(Diagnostic::error(crate::codes::BAD_TEMPORAL, NO_TIME_ATTRIBUTE)
                .hint("A calculation makes a plain timestamp of a time attribute."));
        }
        RelOp::Join(join) => join.form,
        _ => JoinForm::Regular,
    };
    if form == JoinForm::Window && window_columns(&rel.inputs[0]).is_none_or(|columns| !columns.window.event_time) {
        let message = "Processing time Window Join is not supported yet.";
        return Err(Diagnostic::error(crate::codes::BAD_PLAN, message).hint("Flink joins windows of event time alone."));
    }
    rel.inputs.iter().try_for_each(check_windows)
}

/// A COUNT of several columns, which IN with pairs asks for where NULL is an answer.
fn check_counts(rel: &Rel) -> Result<(), Diagnostic> {
    if let RelOp::Aggregate(aggregate) = &rel.op
        && aggregate.calls.iter().any(|call| call.args.len() > 1 && call.function.name() == "COUNT")
    {
        return Err(Diagnostic::error(crate::codes::BAD_PLAN, "We now only support the count of one field.")
            .hint("IN with several columns may stand in a WHERE, where it need not tell NULL from FALSE."));
    }
    rel.inputs.iter().try_for_each(check_counts)
}

fn finish(catalog: &Catalog, sink: Rel) -> Result<Phys, Diagnostic> {
    infer(physical(catalog, sink)?, catalog.config())
}

/// EXPLAIN: the three plans as one text.
///
/// # Errors
/// All that is wrong with the statement.
pub fn explain(catalog: &Catalog, _text: &str, explain: &Explain) -> Result<Outcome, Vec<Diagnostic>> {
    if explain.details.contains(&ExplainDetail::EstimatedCost) {
        let span: Span = explain.statement.span;
        let message = "EXPLAIN ESTIMATED_COST is not supported yet.";
        return Err(vec![Diagnostic::error(crate::codes::NOT_YET, message).at(span)]);
    }
    let statement = &explain.statement;
    let mut trees = Vec::new();
    let mut phys = Vec::new();
    match &statement.kind {
        StatementKind::Query(query) => {
            let (bound, _) = bind_query(catalog, query)?;
            let planned = physical(catalog, bound.clone())
                .and_then(infer_query)
                .map_err(|error| vec![error.or_at(query.span)])?;
            trees.push(bound);
            phys.push(planned);
        }
        StatementKind::Insert(_) | StatementKind::StatementSet(_) => {
            let inserts: &[Insert] = match &statement.kind {
                StatementKind::Insert(insert) => std::slice::from_ref(&**insert),
                StatementKind::StatementSet(inserts) => inserts,
                _ => &[],
            };
            let (mut roots, mut found) = (Vec::new(), Vec::new());
            insert_roots(catalog, inserts, &mut roots, &mut found);
            if !found.is_empty() {
                return Err(found);
            }
            for root in roots {
                trees.push(root.tree);
                phys.push(root.phys);
            }
        }
        _ => {
            let message = "Unsupported SQL query! explainSql() need a single SQL to the query.";
            return Err(vec![Diagnostic::error(crate::codes::BAD_PLAN, message).at(statement.span)]);
        }
    }
    let changelog = explain.details.contains(&ExplainDetail::ChangelogMode);
    let advice = explain.details.contains(&ExplainDetail::PlanAdvice);
    let mut text = explain::plans_with(&trees, &phys, changelog, advice);
    if explain.details.contains(&ExplainDetail::JsonExecutionPlan) {
        text.push_str(&format!("\n== Physical Execution Plan ==\n{}", explain::execution_json(&phys)));
    }
    Ok(Outcome::Table { columns: vec!["result".into()], rows: vec![vec![Some(text)]] })
}
