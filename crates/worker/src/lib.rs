//! What the two workers share: the codec of messages and the frame around requests to the store.

pub mod host;
pub mod wire;
