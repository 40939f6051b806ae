//! Cutting and joining chunks: filter, take, slice, concat, project; kinds and origins come along.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType as ArrowType, Field as ArrowField, Schema as ArrowSchema};

use crate::chunk::{Chunk, Kinds, Origins, RowOrigin};
use crate::concat::concat;
use crate::gather::{gather, selected};
use crate::{RowKind, Schema, empty_column};

impl Chunk {
    /// A chunk without rows.
    pub fn empty(schema: &Schema) -> Chunk {
        Chunk::insert(schema.fields.iter().map(|field| empty_column(&field.ty)).collect(), 0)
    }

    /// A chunk of rows of the given kinds.
    pub fn with_kinds(columns: Vec<ArrayRef>, kinds: Vec<RowKind>) -> Chunk {
        let len = kinds.len();
        debug_assert!(columns.iter().all(|column| column.len() == len));
        Chunk { columns, kinds: Kinds::from(kinds), len, origins: None }
    }

    /// The kind of row `row`.
    #[inline]
    pub fn kind(&self, row: usize) -> RowKind {
        self.kinds.get(row)
    }

    /// The origin of row `row`, while somebody watches.
    pub fn origin(&self, row: usize) -> Option<RowOrigin> {
        self.origins.as_ref().and_then(|origins| origins.get(row))
    }

    /// The same rows with these columns instead (a projection).
    #[must_use]
    pub fn with_columns(&self, columns: Vec<ArrayRef>) -> Chunk {
        debug_assert!(columns.iter().all(|column| column.len() == self.len));
        Chunk { columns, kinds: self.kinds.clone(), len: self.len, origins: self.origins.clone() }
    }

    /// The same rows with only these columns, in this order.
    #[must_use]
    pub fn project(&self, columns: &[usize]) -> Chunk {
        self.with_columns(columns.iter().map(|column| self.columns[*column].clone()).collect())
    }

    /// The rows at which `keep` is true (NULL is not).
    #[must_use]
    pub fn filter(&self, keep: &BooleanArray) -> Chunk {
        debug_assert_eq!(keep.len(), self.len);
        if keep.true_count() == self.len {
            return self.clone();
        }
        self.take(&selected(keep))
    }

    /// The rows at `rows`, in that order; a row may come several times.
    #[must_use]
    pub fn take(&self, rows: &[u32]) -> Chunk {
        let columns = self.columns.iter().map(|column| gather(column, rows)).collect();
        let kinds = match &self.kinds {
            Kinds::Insert => Kinds::Insert,
            Kinds::Each(kinds) => Kinds::Each(rows.iter().map(|row| kinds[*row as usize]).collect()),
        };
        let origins =
            self.origins.as_ref().map(|origins| Arc::new(origins.select(rows.iter().map(|row| *row as usize))));
        Chunk { columns, kinds, len: rows.len(), origins }
    }

    /// `len` rows from `offset` on, without a copy.
    #[must_use]
    pub fn slice(&self, offset: usize, len: usize) -> Chunk {
        debug_assert!(offset + len <= self.len);
        if len == self.len {
            return self.clone();
        }
        let kinds = match &self.kinds {
            Kinds::Insert => Kinds::Insert,
            Kinds::Each(kinds) => Kinds::Each(kinds[offset..offset + len].into()),
        };
        let origins = self.origins.as_ref().map(|origins| Arc::new(origins.slice(offset, len)));
        Chunk { columns: self.columns.iter().map(|column| column.slice(offset, len)).collect(), kinds, len, origins }
    }

    /// All rows of several chunks of one schema. Origins are kept if every chunk with rows has them.
    ///
    /// # Panics
    /// When `chunks` is empty, for then there are no columns to speak of.
    #[must_use]
    pub fn concat(chunks: &[Chunk]) -> Chunk {
        let [first, rest @ ..] = chunks else { panic!("there is no chunk to take the columns from") };
        if rest.is_empty() {
            return first.clone();
        }
        let len = chunks.iter().map(|chunk| chunk.len).sum();
        let columns = (0..first.columns.len()).map(|column| {
            let parts: Vec<&ArrayRef> = chunks.iter().map(|chunk| &chunk.columns[column]).collect();
            concat(&parts)
        });
        let columns = columns.collect();
        let kinds = if chunks.iter().all(|chunk| matches!(chunk.kinds, Kinds::Insert)) {
            Kinds::Insert
        } else {
            Kinds::Each(chunks.iter().flat_map(|chunk| (0..chunk.len).map(|row| chunk.kind(row))).collect())
        };
        let origins = if chunks.iter().all(|chunk| chunk.len == 0 || chunk.origins.is_some()) && len > 0 {
            let mut joined = Origins::default();
            let mut start = 0;
            for chunk in chunks {
                for (end, origin) in chunk.origins.iter().flat_map(|origins| &origins.runs) {
                    joined.push(start + *end, *origin);
                }
                start += chunk.len as u32;
            }
            Some(Arc::new(joined))
        } else {
            None
        };
        Chunk { columns, kinds, len, origins }
    }

    /// The columns as an Arrow record batch; kinds and origins stay behind.
    pub fn to_record_batch(&self, schema: &Schema) -> RecordBatch {
        let fields: Vec<ArrowField> =
            schema.fields.iter().map(|field| ArrowField::new(&field.name, field.ty.arrow(), true)).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(self.len));
        RecordBatch::try_new_with_options(Arc::new(ArrowSchema::new(fields)), self.columns.clone(), &options)
            .expect("a chunk has its schema's types")
    }

    /// Panics unless columns have the schema's Arrow types and lengths; for debug wrappers. NULL in a `NOT NULL` column
    /// is let through: Flink too makes it, such as by a DECIMAL overflow.
    pub fn check(&self, schema: &Schema) {
        assert_eq!(self.columns.len(), schema.fields.len(), "number of columns");
        for (column, field) in self.columns.iter().zip(&schema.fields) {
            assert_eq!(column.len(), self.len, "length of `{}`", field.name);
            let wanted: ArrowType = field.ty.arrow();
            assert_eq!(column.data_type(), &wanted, "type of `{}`", field.name);
        }
        if let Kinds::Each(kinds) = &self.kinds {
            assert_eq!(kinds.len(), self.len, "number of kinds");
        }
        if let Some(origins) = &self.origins {
            assert_eq!(origins.runs.last().map_or(0, |run| run.0), self.len as u32, "rows with an origin");
        }
    }
}

impl From<Vec<RowKind>> for Kinds {
    /// All `+I` becomes [`Kinds::Insert`].
    fn from(kinds: Vec<RowKind>) -> Kinds {
        if kinds.iter().all(|kind| *kind == RowKind::Insert) { Kinds::Insert } else { Kinds::Each(kinds.into()) }
    }
}

impl Origins {
    /// Origins of `len` rows that all come from `origin`.
    pub fn uniform(len: usize, origin: RowOrigin) -> Origins {
        Origins { runs: if len == 0 { Vec::new() } else { vec![(len as u32, origin)] } }
    }

    /// The origin of row `row`.
    pub fn get(&self, row: usize) -> Option<RowOrigin> {
        let run = self.runs.partition_point(|(end, _)| *end as usize <= row);
        self.runs.get(run).map(|(_, origin)| *origin)
    }

    /// Says that the rows up to `end` (exclusive) that have no origin yet come from `origin`.
    pub fn push(&mut self, end: u32, origin: RowOrigin) {
        match self.runs.last_mut() {
            Some(last) if last.1 == origin => last.0 = end,
            _ => self.runs.push((end, origin)),
        }
    }

    /// The origins of these rows, in this order.
    #[must_use]
    pub fn select(&self, rows: impl Iterator<Item = usize>) -> Origins {
        let mut selected = Origins::default();
        for (i, row) in rows.enumerate() {
            if let Some(origin) = self.get(row) {
                selected.push(i as u32 + 1, origin);
            }
        }
        selected
    }

    /// The origins of `len` rows from `offset` on.
    #[must_use]
    pub fn slice(&self, offset: usize, len: usize) -> Origins {
        let end = (offset + len) as u32;
        let mut sliced = Origins::default();
        for (run_end, origin) in &self.runs {
            if *run_end as usize > offset && sliced.runs.last().is_none_or(|run| run.0 < len as u32) {
                sliced.push((*run_end).min(end) - offset as u32, *origin);
            }
        }
        sliced
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DataType, LogicalType};

    fn schema() -> Schema {
        Schema::new([("a", DataType::new(LogicalType::Int)), ("b", DataType::string())])
    }

    fn watched() -> Chunk {
        let mut chunk = Chunk::parse("+I 1 a\n -U 2 NULL\n +U 3 'two words'\n -D NULL ''", &schema());
        let mut origins = Origins::default();
        for (end, offset) in [(1, 7), (3, 8), (4, 9)] {
            origins.push(end, RowOrigin { source: 0, split: 0, offset });
        }
        chunk.origins = Some(Arc::new(origins));
        chunk
    }

    fn offsets(chunk: &Chunk) -> Vec<u64> {
        (0..chunk.len).map(|row| chunk.origin(row).expect("watched").offset).collect()
    }

    #[test]
    fn rows_keep_kind_and_origin() {
        let schema = schema();
        let chunk = watched();
        assert_eq!(chunk.to_text(&schema), "+I 1 a\n-U 2 NULL\n+U 3 'two words'\n-D NULL ''\n");
        let keep = BooleanArray::from(vec![Some(true), None, Some(false), Some(true)]);
        let kept = chunk.filter(&keep);
        assert_eq!((kept.to_text(&schema).as_str(), offsets(&kept)), ("+I 1 a\n-D NULL ''\n", vec![7, 9]));
        let taken = chunk.take(&[2, 2, 0]);
        assert_eq!(taken.to_text(&schema), "+U 3 'two words'\n+U 3 'two words'\n+I 1 a\n");
        assert_eq!(offsets(&taken), [8, 8, 7]);
        let sliced = chunk.slice(1, 2);
        assert_eq!((sliced.to_text(&schema).as_str(), offsets(&sliced)), ("-U 2 NULL\n+U 3 'two words'\n", vec![8, 8]));
        let joined = Chunk::concat(&[chunk.slice(0, 1), chunk.slice(3, 1), chunk.slice(1, 2)]);
        joined.check(&schema);
        assert_eq!(offsets(&joined), [7, 9, 8, 8]);
    }

    #[test]
    fn only_inserts_cost_nothing() {
        let schema = schema();
        let chunk = Chunk::parse("+I 1 a\n+I 2 b", &schema);
        assert_eq!(chunk.kinds, Kinds::Insert);
        assert_eq!(Chunk::concat(&[chunk.clone(), Chunk::empty(&schema), chunk]).kinds, Kinds::Insert);
    }
}
