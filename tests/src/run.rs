//! Running a case, and what is known of its results besides their rows.

use std::collections::{BTreeMap, BTreeSet};

use tidegate::case::{CaseOptions, CaseResult, Driver};

/// A run of a case.
#[derive(Debug, Default)]
pub struct Run {
    /// What came out.
    pub result: CaseResult,
    /// What identifies a row of a result: by statement and sink. None where nothing does.
    pub keys: BTreeMap<(u32, Option<String>), Vec<usize>>,
    /// How many sources the job of a statement reads.
    pub sources: BTreeMap<u32, usize>,
    /// Statements that write rows of several keys under one key of the sink: the one that came last is there.
    pub merged: BTreeSet<u32>,
}

impl Run {
    /// The columns that identify a row of the result.
    pub fn key(&self, statement: u32, sink: Option<&String>) -> Option<&[usize]> {
        self.keys.get(&(statement, sink.cloned())).map(Vec::as_slice)
    }
}

/// Runs a case from beginning to end.
pub fn run(text: &str, options: &CaseOptions) -> Run {
    run_with(text, options, Driver::run_all)
}

/// Runs a case in the given way.
pub fn run_with(text: &str, options: &CaseOptions, drive: impl FnOnce(&mut Driver)) -> Run {
    match Driver::new(text, options) {
        Ok(mut driver) => {
            drive(&mut driver);
            let mut run = Run::default();
            for job in driver.session.jobs() {
                for target in &job.plan.results {
                    let sink = target.sink.as_ref().and_then(|name| driver.session.catalog().table(name));
                    let input = &job.plan.plan.nodes[job.plan.plan.nodes[target.node].inputs[0]];
                    let key = match sink.and_then(|table| table.physical_key()) {
                        Some(key) => Some(key),
                        None => input.upsert_keys.first().cloned(),
                    };
                    if let Some(key) = key {
                        run.keys.insert((target.statement, target.sink.clone()), key);
                    }
                    run.sources.insert(target.statement, job.sources.len());
                    if job.plan.explain.iter().any(|line| line.contains("upsertMaterialize")) {
                        run.merged.insert(target.statement);
                    }
                }
            }
            run.result = driver.result;
            run
        }
        Err(result) => Run { result: *result, ..Run::default() },
    }
}
