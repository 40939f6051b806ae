//! `INSERT INTO t` where `t`'s columns take less than the query's type promises: NOT NULL, and (if asked for) the length of CHAR and VARCHAR.
//!
//! Input: any changelog; output: the same. No state. A NULL fails the job, or its row is dropped
//! (`table.exec.sink.not-null-enforcer`); a string of the wrong length passes, is cut or padded, or fails the job
//! (`table.exec.sink.type-length-enforcer`). Flink's counterpart: `ConstraintEnforcer`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, StringArray};
use tidegate_data::{Chunk, DataType, LogicalType, Schema, Zone, cell_text};
use tidegate_runtime::{Context, Failure, Operator, Outcome, Progress};

use crate::failure::constraint_violated;

/// What a [`ConstraintEnforcer`] is made from.
#[derive(Clone, Debug)]
pub struct ConstraintEnforcerSpec {
    /// The sink's columns.
    pub input: Schema,
    /// The columns that must not be NULL.
    pub not_null: Vec<usize>,
    /// Drop such rows instead of failing.
    pub drop: bool,
    /// What becomes of strings of the wrong length.
    pub lengths: LengthRule,
}

/// `table.exec.sink.type-length-enforcer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LengthRule {
    /// They pass.
    #[default]
    Ignore,
    /// They are cut, those of CHAR also padded with spaces.
    TrimPad,
    /// They fail the job.
    Throw,
}

/// Watches over NOT NULL and lengths.
pub struct ConstraintEnforcer {
    spec: ConstraintEnforcerSpec,
    /// Columns of limited length: position, length, whether short ones are padded.
    limited: Vec<(usize, usize, bool)>,
}

impl ConstraintEnforcer {
    /// The operator of `spec`.
    pub fn new(spec: ConstraintEnforcerSpec) -> ConstraintEnforcer {
        let limit = |(column, field): (usize, &tidegate_data::Field)| match field.ty.logical {
            LogicalType::Char(length) => Some((column, length as usize, true)),
            LogicalType::VarChar(length) if length < DataType::MAX_LENGTH => Some((column, length as usize, false)),
            _ => None,
        };
        let limited = match spec.lengths {
            LengthRule::Ignore => Vec::new(),
            _ => spec.input.fields.iter().enumerate().filter_map(limit).collect(),
        };
        ConstraintEnforcer { spec, limited }
    }
}

impl Operator for ConstraintEnforcer {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        let mut chunk = if self.spec.drop { self.without_nulls(chunk) } else { chunk };
        let mut failure = Ok(());
        if let Some((row, mut violated)) = self.first_violation(&chunk) {
            violated.diagnostic = violated.diagnostic.hint(format!("The row is {}.", self.told(&chunk, row)));
            // What comes before the row goes out, whatever the chunk it came in.
            chunk = chunk.slice(0, row);
            failure = Err(violated);
        }
        if chunk.len > 0 {
            cx.emit(if self.spec.lengths == LengthRule::TrimPad { self.trimmed(chunk) } else { chunk });
        }
        failure.map(|()| Progress::Done)
    }
}

impl ConstraintEnforcer {
    fn without_nulls(&self, chunk: Chunk) -> Chunk {
        let columns = self.spec.not_null.iter().map(|column| &chunk.columns[*column]);
        let with_nulls: Vec<&ArrayRef> = columns.filter(|column| column.null_count() > 0).collect();
        if with_nulls.is_empty() {
            return chunk;
        }
        let keep = (0..chunk.len).map(|row| with_nulls.iter().all(|column| column.is_valid(row)));
        chunk.filter(&BooleanArray::from(keep.collect::<Vec<bool>>()))
    }

    /// The first row that violates a rule.
    fn first_violation(&self, chunk: &Chunk) -> Option<(usize, Failure)> {
        let mut first: Option<(usize, Failure)> = None;
        let mut violated = |row: Option<usize>, failure: &dyn Fn(usize) -> Failure| {
            if let Some(row) = row.filter(|row| first.as_ref().is_none_or(|(first, _)| row < first)) {
                first = Some((row, failure(row)));
            }
        };
        for column in &self.spec.not_null {
            let values = &chunk.columns[*column];
            let row = if values.null_count() > 0 { (0..chunk.len).find(|row| values.is_null(*row)) } else { None };
            violated(row, &|_| not_null_violated(&self.spec.input.fields[*column].name));
        }
        if self.spec.lengths == LengthRule::Throw {
            for (column, length, pad) in &self.limited {
                let texts = chunk.columns[*column].as_string::<i32>();
                let chars = |row: usize| texts.value(row).chars().count();
                let wrong =
                    |row: &usize| texts.is_valid(*row) && (chars(*row) > *length || *pad && chars(*row) < *length);
                violated((0..chunk.len).find(wrong), &|row| {
                    let field = &self.spec.input.fields[*column];
                    length_violated(&field.name, if *pad { "CHAR" } else { "VARCHAR" }, *length, chars(row))
                });
            }
        }
        first
    }

    /// A row for people: its kind, and each column with its value.
    fn told(&self, chunk: &Chunk, row: usize) -> String {
        let columns = chunk.columns.iter().zip(&self.spec.input.fields).map(|(column, field)| {
            let text = cell_text(&**column, row, &field.ty, Zone::UTC).unwrap_or_else(|| "NULL".to_owned());
            format!("{} = {text}", field.name)
        });
        format!("{} ({})", chunk.kind(row), columns.collect::<Vec<_>>().join(", "))
    }

    fn trimmed(&self, chunk: Chunk) -> Chunk {
        let mut columns = chunk.columns.clone();
        for (column, length, pad) in &self.limited {
            let trim = |text: &str| {
                let mut trimmed: String = text.chars().take(*length).collect();
                let missing = if *pad { length.saturating_sub(text.chars().count()) } else { 0 };
                trimmed.extend(std::iter::repeat_n(' ', missing));
                trimmed
            };
            let texts = chunk.columns[*column].as_string::<i32>().iter().map(|text| text.map(trim));
            columns[*column] = Arc::new(texts.collect::<StringArray>());
        }
        chunk.with_columns(columns)
    }
}

fn not_null_violated(column: &str) -> Failure {
    constraint_violated(format!(
        "Column '{column}' is NOT NULL, however, a null value is being written into it. You can set job configuration \
         'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and drop such records silently."
    ))
}

fn length_violated(column: &str, ty: &str, length: usize, actual: usize) -> Failure {
    constraint_violated(format!(
        "Column '{column}' is {ty}({length}), however, a string of length {actual} is being written into it. You can set \
         job configuration 'table.exec.sink.type-length-enforcer' to control this behaviour."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check, schema};

    fn enforcer(drop: bool, lengths: LengthRule) -> (impl Fn() -> Box<dyn Operator>, Schema) {
        let mut input = schema("id INT, a STRING, b STRING");
        input.fields[1].ty.logical = LogicalType::Char(3);
        input.fields[2].ty.logical = LogicalType::VarChar(3);
        let spec = ConstraintEnforcerSpec { input: input.clone(), not_null: vec![0], drop, lengths };
        (move || Box::new(ConstraintEnforcer::new(spec.clone())) as Box<dyn Operator>, input)
    }

    fn parsed(mut schema: Schema) -> Schema {
        // Texts of every length have to come in.
        schema.fields.iter_mut().skip(1).for_each(|field| field.ty = DataType::string());
        schema
    }

    #[test]
    fn a_null_fails_or_is_dropped() {
        let (make, schema) = enforcer(false, LengthRule::Ignore);
        let script = "+I 1 abcd abcd
             -U NULL a a
             +I 3 a a";
        let failed = "failed: Column 'id' is NOT NULL, however, a null value is being written into it. You can set job \
                      configuration 'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and drop such records silently.";
        check(make, &parsed(schema.clone()), &schema, script, &format!("+I 1 abcd abcd\n{failed}"));
        let text = |text: &str| Arc::new(StringArray::from(vec![text])) as ArrayRef;
        let row = Chunk::insert(vec![Arc::new(arrow_array::Int32Array::from(vec![None])), text("x"), text("y")], 1);
        let spec =
            ConstraintEnforcerSpec { input: schema, not_null: vec![0], drop: false, lengths: LengthRule::Ignore };
        assert_eq!(ConstraintEnforcer::new(spec).told(&row, 0), "+I (id = NULL, a = x, b = y)");
        let (make, schema) = enforcer(true, LengthRule::Ignore);
        check(make, &parsed(schema.clone()), &schema, script, "+I 1 abcd abcd\n+I 3 a a");
    }

    #[test]
    fn strings_are_cut_and_padded_or_refused() {
        let script = "+I 1 abc a
             +I 2 äöüß äöüß
             +I 3 a NULL";
        let (make, schema) = enforcer(false, LengthRule::TrimPad);
        check(make, &parsed(schema.clone()), &schema, script, "+I 1 abc a\n+I 2 äöü äöü\n+I 3 'a  ' NULL");
        let (make, schema) = enforcer(false, LengthRule::Throw);
        let failed = "failed: Column 'a' is CHAR(3), however, a string of length 4 is being written into it. You can set job \
                      configuration 'table.exec.sink.type-length-enforcer' to control this behaviour.";
        check(make, &parsed(schema.clone()), &schema, script, &format!("+I 1 abc a\n{failed}"));
    }
}
