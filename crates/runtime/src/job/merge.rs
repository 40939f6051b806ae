//! Merging of small segments, in the background.

use super::Job;
use crate::store::{RequestId, StoreResponse};

/// A merge under way.
#[derive(Debug)]
pub(super) struct Merge {}

impl Job {
    /// Looks for a table with too many generations.
    pub(super) fn plan_merge(&mut self) {}

    pub(super) fn can_merge(&self) -> bool {
        self.merge.is_some()
    }

    pub(super) fn merge_step(&mut self) {
        self.merge = None;
    }

    pub(super) fn merge_response(&mut self, request: RequestId, response: StoreResponse) {
        let _ = (request, response);
    }
}
