//! Work that belongs to no element: loading, sealing and merging of state, a bit at a time.

use super::Job;

impl Job {
    pub(super) fn has_background_work(&self) -> bool {
        self.can_load() || self.can_merge() || self.subtask_to_seal().is_some()
    }

    fn subtask_to_seal(&self) -> Option<usize> {
        let subtasks = &self.attempt.as_ref()?.subtasks;
        subtasks.iter().position(|subtask| subtask.files.has_unsealed())
    }

    /// One bit of it.
    pub(super) fn background_step(&mut self) {
        if self.can_load() {
            self.load_step();
        } else if let (Some(id), Some(attempt)) = (self.subtask_to_seal(), &mut self.attempt) {
            attempt.subtasks[id].files.seal(&mut self.env);
        } else if self.can_merge() {
            self.merge_step();
        }
    }
}
