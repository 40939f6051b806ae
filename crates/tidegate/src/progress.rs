//! How far a job has read its tables, by the state of its sources; and what generated tables have made.

use tidegate_connectors::{Newest, ReadTo, SourceArgs, SourceColumn};
use tidegate_data::Zone;
use tidegate_data::sorted;
use tidegate_plan::physical::NodeKind;
use tidegate_runtime::view::JobView;

use crate::feed::chunk_texts;
use crate::job::JobHandle;
use crate::session::Session;

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
    pub fn read(&self, view: &JobView) -> Vec<SourceRead> {
        let mut all = Vec::new();
        for (number, vertex) in view.vertices.iter().enumerate() {
            let Some(operator) = vertex.operators.first() else { continue };
            let table = operator.name.strip_prefix("Source: ").filter(|name| self.sources.iter().any(|of| of == name));
            let Some(table) = table else { continue };
            let (mut to, mut known) = (ReadTo::default(), true);
            for subtask in 0..vertex.parallelism {
                let splits = self.runtime.splits_read(number, subtask);
                known &= splits.is_some();
                for read in splits.into_iter().flatten() {
                    to.splits.push((read.split, read.position));
                    to.began = read.began.unwrap_or(to.began);
                }
            }
            sorted::sort(&mut to.splits);
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
