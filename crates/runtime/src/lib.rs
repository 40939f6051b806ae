//! The dataflow machine: elements, channels, subtasks, scheduler, state and checkpoints.
