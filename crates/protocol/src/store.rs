//! Messages between the page and the store's worker. (The engine talks to the store over a port of its own.)

use serde::{Deserialize, Serialize};

/// A message to the store's worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToStore {
    /// The first message: where to keep things.
    Open {
        /// The page's build.
        build: String,
        /// The workspace; `None` keeps everything in memory.
        workspace: Option<String>,
        /// The workspace that this one starts as a copy of (a duplicated tab).
        fork_of: Option<String>,
        /// How long every request takes, in ms: slow storage, chosen by the person or by a test. It is carried out after half of it.
        delay_ms: u32,
    },
    /// A new engine is to be served over the port that travels with this message; an earlier port is dropped.
    Attach,
    /// Another delay.
    Delay {
        /// In ms.
        delay_ms: u32,
    },
    /// Forgets everything that the workspace holds.
    Clear,
}

/// A message from the store's worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FromStore {
    /// To `Open`.
    Opened {
        /// Whether what is written outlives the page.
        persistent: bool,
        /// Why not, for people.
        reason: Option<String>,
    },
    /// Page and worker are of different builds.
    OtherBuild,
    /// Persistent storage was lost on the way (quota, a deleted database): from now on in memory.
    Degraded {
        /// Why, for people.
        reason: String,
    },
    /// To `Clear`.
    Cleared,
}

/// The text that every worker posts once its program is up and listens.
pub const UP: &str = "up";
