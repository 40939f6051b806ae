//! Case files: driving them with one row in flight, and their results as JSON.
