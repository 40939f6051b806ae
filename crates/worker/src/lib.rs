//! What the two workers share: their surroundings, their allocator, the codec of messages, the frame around requests to the store.

pub mod host;
pub mod memory;
pub mod wire;
