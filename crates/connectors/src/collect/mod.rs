//! The rows that a SELECT, `print` and `inline` as a sink keep for people to look at.
//!
//! They are kept exactly once: the newest are part of each checkpoint, block by block as they came, so that those collected
//! after it vanish with a restore and come again. Old ones are counted, and (where the result has updates) folded into a
//! base, from which the dynamic table can still be made.

mod buffer;
mod state;
mod table;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::rc::Rc;

use tidegate_data::connector::{OptionSpec, OptionType, PARALLELISM};
use tidegate_data::{Chunk, ConnectorSpec};
use tidegate_runtime::state::StateVisitor;
use tidegate_runtime::{Context, Operator, Outcome, Progress};

pub use buffer::{CollectBuffer, CollectedRow};

use crate::args::{ResultKind, SinkArgs, SinkParts};
use state::{BaseTable, RowsTable};

/// What `print` can do.
pub(crate) fn print_spec() -> ConnectorSpec {
    ConnectorSpec {
        options: vec![
            OptionSpec::optional("print-identifier", OptionType::Text, "A word before each printed row."),
            OptionSpec::with_default("standard-error", OptionType::Boolean, "false", "Print to standard error."),
            OptionSpec::optional("sink.parallelism", PARALLELISM, "Subtasks of the sink; rows are collected by one."),
        ],
        sink: true,
        ..ConnectorSpec::new("print")
    }
}

/// Makes the sink. It keeps rows exactly once only when one subtask runs it.
pub(crate) fn sink(args: SinkArgs) -> SinkParts {
    let buffer = Rc::new(RefCell::new(CollectBuffer::new(&args)));
    let results = Some(buffer.clone());
    let factory = move |_: &tidegate_runtime::SubtaskInfo| -> Box<dyn Operator> {
        buffer.borrow_mut().clear();
        Box::new(Collect { rows: RowsTable(buffer.clone()), base: BaseTable(buffer.clone()), buffer: buffer.clone() })
    };
    SinkParts { factory: Box::new(factory), results, kind: ResultKind::Collected, transactional: false }
}

struct Collect {
    buffer: Rc<RefCell<CollectBuffer>>,
    rows: RowsTable,
    base: BaseTable,
}

impl Operator for Collect {
    fn state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.table("rows", &mut self.rows);
        visitor.table("base", &mut self.base);
    }

    fn on_chunk(&mut self, _input: usize, chunk: Chunk, _cx: &mut dyn Context) -> Outcome {
        self.buffer.borrow_mut().push(chunk);
        Ok(Progress::Done)
    }
}
