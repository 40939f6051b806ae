//! How far a job has read its tables, by the state of its sources; and what generated tables have made.

use tidegate_connectors::{Newest, ReadTo, SourceArgs, SourceColumn};
use tidegate_data::Zone;
use tidegate_plan::physical::NodeKind;
use tidegate_runtime::view::JobView;

use crate::feed::{chunk_texts, parse_watermark};
use crate::job::JobHandle;
use crate::session::Session;

/// The most splits of a subtask that are looked at.
const SPLITS: usize = 2048;

/// How far a source of a job has read its table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRead {
    /// The table.
    pub table: String,
    /// The source's name in the plan.
    pub uid: String,
    /// Its splits, in order.
    pub to: ReadTo,
    /// Whether all its subtasks have said how far they are.
    pub known: bool,
}

/// A row that a generated table has made: split, its number there, values.
pub type Made = (u32, u64, Vec<Option<String>>);

impl JobHandle {
    /// How far its sources have read. `view` is what the runtime shows now.
    pub fn read(&mut self, view: &JobView) -> Vec<SourceRead> {
        let mut all = Vec::new();
        for (number, vertex) in view.vertices.iter().enumerate() {
            let Some(operator) = vertex.operators.first() else { continue };
            let table = operator.name.strip_prefix("Source: ").filter(|name| self.sources.iter().any(|of| of == name));
            let Some(table) = table else { continue };
            let (mut to, mut known) = (ReadTo::default(), true);
            for subtask in 0..vertex.parallelism {
                let page = self.runtime.state_page(number, subtask, &operator.uid, "position", 0, SPLITS);
                known &= page.is_some();
                for (split, position) in page.into_iter().flat_map(|page| page.rows) {
                    // `split 0 of 2`: `12 rows since 2024-01-01 12:00:00.000`; `partition 1`: `offset 12`; `split 0`: `12 items`
                    let place = split.strip_prefix("split ").or_else(|| split.strip_prefix("partition "));
                    let Some(place) = place.and_then(first_number) else { continue };
                    to.splits.push((place as u32, first_number(&position).unwrap_or(0)));
                    let began = position.split_once(" since ").and_then(|(_, began)| parse_watermark(began).ok());
                    to.began = began.unwrap_or(to.began);
                }
            }
            to.splits.sort_unstable();
            all.push(SourceRead { table: table.to_owned(), uid: operator.uid.clone(), to, known });
        }
        all
    }
}

impl Session {
    /// The last `count` rows that a generated table (`datagen`) has made in each split for a job's source, newest first.
    pub fn newest_made(&self, job: usize, read: &SourceRead, count: usize) -> Vec<Made> {
        let Some((handle, table)) = self.jobs().get(job).zip(self.catalog().table(&read.table)) else {
            return Vec::new();
        };
        let source = handle.plan.plan.nodes.iter().find_map(|node| match &node.kind {
            NodeKind::Source { table, .. } if node.uid == read.uid => Some(table),
            _ => None,
        });
        let Some(source) = source else { return Vec::new() };
        let physical = table.physical();
        let args = SourceArgs {
            table: read.table.clone(),
            connector: table.connector.clone(),
            options: source.options.clone(),
            columns: (0..physical.fields.len()).map(SourceColumn::Physical).collect(),
            primary_key: None,
            watermark: None,
            watermark_interval: 0,
            source: 0,
            uid: read.uid.clone(),
            seed: self.seed(),
            physical: physical.clone(),
        };
        let mut newest = Newest::new(&args, read.to.began);
        let mut rows = Vec::new();
        for (split, made) in &read.to.splits {
            // What does not fit has failed the job before.
            let Ok((first, chunk)) = newest.rows(*split, read.to.splits.len(), *made, count) else { continue };
            let texts = chunk_texts(&chunk, &physical, Zone::UTC).into_iter().enumerate().rev();
            rows.extend(texts.map(|(row, values)| (*split, first + row as u64, values)));
        }
        rows
    }
}

/// The first number of a text.
fn first_number(text: &str) -> Option<u64> {
    text.split(' ').find_map(|word| word.parse().ok())
}
