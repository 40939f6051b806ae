//! The rows of a VALUES clause, as a source that ends.

use std::rc::Rc;

use tidegate_data::{Chunk, Origins, RowOrigin, Schema, Value, build_column};
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::graph::SourceFactory;
use tidegate_runtime::state::{EntryRef, Scope, StateTable, StateVisitor};
use tidegate_runtime::{Context, Failure, Polled, Source};

/// Makes the source; `number` is its number in rows' origins.
///
/// # Errors
/// When a value does not fit its column, which the planner rules out.
pub fn values_source(schema: &Schema, rows: &[Vec<Value>], number: u32) -> Result<SourceFactory, Diagnostic> {
    let columns = schema.fields.iter().enumerate().map(|(column, field)| {
        build_column(&field.ty, rows.iter().map(|row| &row[column]))
            .map_err(|error| Diagnostic::error(Code::new("TG4091"), format!("A row of VALUES does not fit: {error}")))
    });
    let all = Rc::new(Chunk::insert(columns.collect::<Result<_, _>>()?, rows.len()));
    Ok(Box::new(move |subtask| {
        // One subtask gives all the rows.
        let all = if subtask.index == 0 { all.clone() } else { Rc::new(all.slice(0, 0)) };
        Box::new(ValuesSource { all, position: Position::default(), number })
    }))
}

struct ValuesSource {
    all: Rc<Chunk>,
    position: Position,
    number: u32,
}

impl Source for ValuesSource {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("position", &mut self.position);
    }

    fn poll(&mut self, limit: usize, cx: &mut dyn Context) -> Result<Polled, Failure> {
        let from = self.position.rows as usize;
        let rows = limit.min(self.all.len.saturating_sub(from));
        if rows == 0 {
            return Ok(Polled::Ended);
        }
        let mut chunk = self.all.slice(from, rows);
        if cx.watched() {
            let mut origins = Origins::default();
            for row in 0..rows {
                let origin = RowOrigin { source: self.number, split: 0, offset: (from + row) as u64 };
                origins.push(row as u32 + 1, origin);
            }
            chunk.origins = Some(origins.into());
        }
        cx.emit(chunk);
        self.position.rows += rows as u64;
        self.position.changed = true;
        Ok(Polled::Emitted)
    }
}

/// How many rows have been given.
#[derive(Default)]
struct Position {
    rows: u64,
    changed: bool,
}

impl StateTable for Position {
    fn schema(&self) -> String {
        "position BIGINT".into()
    }

    fn scope(&self) -> Scope {
        Scope::Union
    }

    fn snapshot(&mut self, _limit: usize, sink: &mut dyn FnMut(EntryRef<'_>)) -> bool {
        if self.changed {
            sink(EntryRef { key_group: 0, key: b"0", value: Some(&self.rows.to_le_bytes()) });
            self.changed = false;
        }
        false
    }

    fn load(&mut self, entry: EntryRef<'_>) -> Result<(), String> {
        let bytes = entry.value.and_then(|value| value.try_into().ok()).ok_or("eight bytes are wanted")?;
        self.rows = u64::from_le_bytes(bytes);
        Ok(())
    }

    fn len(&self) -> usize {
        1
    }

    fn bytes(&self) -> usize {
        8
    }

    fn page(&self, offset: usize, limit: usize) -> Vec<(String, String)> {
        let row = ("rows given".to_owned(), self.rows.to_string());
        std::iter::once(row).skip(offset).take(limit).collect()
    }
}
