//! Reads a topic.

use tidegate_diag::Diagnostic;
use tidegate_runtime::graph::SourceFactory;

use crate::args::SourceArgs;

/// Makes the source.
pub(crate) fn source(args: SourceArgs) -> Result<SourceFactory, Diagnostic> {
    Err(crate::args::not_yet(&args.connector))
}
