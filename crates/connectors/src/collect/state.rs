//! The collected rows as state tables: what they hold of a checkpoint, and how it is read back.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use tidegate_data::{Chunk, Origins, RowOrigin, Schema, Zone};
use tidegate_runtime::state::{EntryRef, LOOKED_AT, Scope, StateTable};

use super::buffer::{Block, CollectBuffer, texts};
use crate::codec::{Input, put_number, read_rows, write_rows};

/// `rows`: number of the first row to a block of rows; append-only, but that old blocks go.
pub(super) struct RowsTable(pub Rc<RefCell<CollectBuffer>>);

impl StateTable for RowsTable {
    fn schema(&self) -> String {
        let buffer = self.0.borrow();
        let types: Vec<String> = buffer.schema.fields.iter().map(|field| field.ty.to_string()).collect();
        let query = buffer.query.as_ref().map_or_else(String::new, |query| format!("{LOOKED_AT}query {query}, "));
        format!("{query}rows: {}", types.join(", "))
    }

    fn scope(&self) -> Scope {
        Scope::Split
    }

    fn snapshot(&mut self, limit: usize, sink: &mut dyn FnMut(EntryRef<'_>)) -> bool {
        let mut buffer = self.0.borrow_mut();
        for _ in 0..limit {
            if let Some(first) = buffer.dropped.pop() {
                sink(EntryRef { key_group: 0, key: &first.to_be_bytes(), value: None });
                continue;
            }
            let Some((first, block)) = buffer.blocks.range(buffer.written..).next() else { break };
            let (key, next) = (first.to_be_bytes(), first + block.chunk.len as u64);
            sink(EntryRef { key_group: 0, key: &key, value: Some(&encode(block)) });
            buffer.written = next;
        }
        let next = buffer.blocks.range(buffer.written..).next();
        next.is_some() || !buffer.dropped.is_empty()
    }

    fn load(&mut self, entry: EntryRef<'_>) -> Result<(), String> {
        let mut buffer = self.0.borrow_mut();
        let first = entry.key.try_into().map(u64::from_be_bytes).map_err(|_| "a row's number is cut short")?;
        let block = match entry.value {
            Some(value) => Some(decode(value, &buffer.schema).ok_or("a block of rows cannot be read")?),
            None => None,
        };
        buffer.load(first, block);
        Ok(())
    }

    fn len(&self) -> usize {
        self.0.borrow().blocks.len()
    }

    fn bytes(&self) -> usize {
        let buffer = self.0.borrow();
        buffer.chunks().map(|(_, chunk)| chunk.columns.iter().map(arrow_bytes).sum::<usize>()).sum()
    }

    fn page(&self, offset: usize, limit: usize) -> Vec<(String, String)> {
        let buffer = self.0.borrow();
        let blocks = buffer.chunks().skip(offset).take(limit);
        blocks
            .map(|(first, chunk)| {
                let values = texts(&buffer.schema, chunk, 0, Zone::UTC);
                let values: Vec<String> =
                    values.into_iter().map(|value| value.unwrap_or_else(|| "NULL".into())).collect();
                let more = if chunk.len > 1 { format!(" and {} more", chunk.len - 1) } else { String::new() };
                (format!("row {first}"), format!("{}[{}]{more}", chunk.kind(0), values.join(", ")))
            })
            .collect()
    }
}

fn arrow_bytes(column: &arrow_array::ArrayRef) -> usize {
    use arrow_array::Array as _;
    column.get_array_memory_size()
}

/// `base`: the dynamic table that the rows amount to that are no longer kept.
pub(super) struct BaseTable(pub Rc<RefCell<CollectBuffer>>);

impl StateTable for BaseTable {
    fn schema(&self) -> String {
        RowsTable(self.0.clone()).schema().replacen("rows: ", "base: ", 1)
    }

    fn scope(&self) -> Scope {
        Scope::Split
    }

    fn snapshot(&mut self, limit: usize, sink: &mut dyn FnMut(EntryRef<'_>)) -> bool {
        let base = &mut self.0.borrow_mut().base;
        for _ in 0..limit {
            let Some(key) = base.changed.pop_first() else { break };
            sink(EntryRef { key_group: 0, key: &key, value: base.encode(&key).as_deref() });
        }
        !base.changed.is_empty()
    }

    fn load(&mut self, entry: EntryRef<'_>) -> Result<(), String> {
        let mut buffer = self.0.borrow_mut();
        buffer.base.decode(entry.key, entry.value).ok_or_else(|| "a row of the base cannot be read".to_owned())
    }

    fn len(&self) -> usize {
        self.0.borrow().base.entries()
    }

    fn bytes(&self) -> usize {
        self.0.borrow().base.bytes()
    }

    fn page(&self, offset: usize, limit: usize) -> Vec<(String, String)> {
        let rows = self.0.borrow().base.page(offset, limit, Zone::UTC);
        rows.into_iter()
            .map(|(values, last)| {
                let values: Vec<String> =
                    values.into_iter().map(|value| value.unwrap_or_else(|| "NULL".into())).collect();
                (values.join(", "), format!("last changed by row {last}"))
            })
            .collect()
    }
}

fn encode(block: &Block) -> Vec<u8> {
    let mut out = Vec::new();
    put_number(&mut out, block.steps.len() as u64);
    for (end, step) in &block.steps {
        put_number(&mut out, u64::from(*end));
        put_number(&mut out, *step);
    }
    let runs = block.chunk.origins.as_ref().map_or(&[][..], |origins| &origins.runs);
    put_number(&mut out, runs.len() as u64);
    for (end, origin) in runs {
        for part in [u64::from(*end), u64::from(origin.source), u64::from(origin.split), origin.offset] {
            put_number(&mut out, part);
        }
    }
    write_rows(&mut out, &block.chunk);
    out
}

fn decode(value: &[u8], schema: &Schema) -> Option<Block> {
    let mut input = Input(value);
    let small = |input: &mut Input<'_>| u32::try_from(input.number()?).ok();
    let mut steps = Vec::new();
    for _ in 0..input.number()? {
        steps.push((small(&mut input)?, input.number()?));
    }
    let mut runs = Vec::new();
    for _ in 0..input.number()? {
        let end = small(&mut input)?;
        let origin = RowOrigin { source: small(&mut input)?, split: small(&mut input)?, offset: input.number()? };
        runs.push((end, origin));
    }
    let mut chunk: Chunk = read_rows(&mut input, schema)?;
    if !runs.is_empty() {
        chunk.origins = Some(Arc::new(Origins { runs }));
    }
    Some(Block::new(chunk, steps))
}
