//! The rows that a SELECT, `print` and `inline` as a sink keep for people to look at.

use std::cell::RefCell;
use std::rc::Rc;

use tidegate_data::connector::{OptionSpec, OptionType};
use tidegate_data::{Chunk, ConnectorSpec};
use tidegate_runtime::{Context, Operator, Outcome, Progress};

use crate::args::{ResultKind, SinkArgs, SinkParts};

/// What `print` can do.
pub(crate) fn print_spec() -> ConnectorSpec {
    ConnectorSpec {
        options: vec![
            OptionSpec::optional("print-identifier", OptionType::Text, "A word before each printed row."),
            OptionSpec::with_default("standard-error", OptionType::Boolean, "false", "Print to standard error."),
            OptionSpec::optional("sink.parallelism", OptionType::Int, "Subtasks of the sink."),
        ],
        sink: true,
        ..ConnectorSpec::new("print")
    }
}

/// The collected rows of one result.
#[derive(Default)]
pub struct CollectBuffer {
    step: u64,
    chunks: Vec<(u64, Chunk)>,
}

impl CollectBuffer {
    /// Says to which step the rows belong that are collected from now on.
    pub fn set_step(&mut self, step: u64) {
        self.step = step;
    }

    /// The kept chunks with their steps, in the order of arrival.
    pub fn chunks(&self) -> impl Iterator<Item = (u64, &Chunk)> {
        self.chunks.iter().map(|(step, chunk)| (*step, chunk))
    }
}

struct Collect {
    buffer: Rc<RefCell<CollectBuffer>>,
}

/// Makes the sink.
pub(crate) fn sink(_args: SinkArgs) -> SinkParts {
    let buffer = Rc::new(RefCell::new(CollectBuffer::default()));
    let results = Some(buffer.clone());
    SinkParts { factory: Box::new(move |_| Box::new(Collect { buffer: buffer.clone() })), results, kind: ResultKind::Collected }
}

impl Operator for Collect {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, _cx: &mut dyn Context) -> Outcome {
        let mut buffer = self.buffer.borrow_mut();
        let step = buffer.step;
        buffer.chunks.push((step, chunk));
        Ok(Progress::Done)
    }
}
