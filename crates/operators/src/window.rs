//! The shapes of windows, and which windows a time falls into.

/// The shapes of windows; lengths in ms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowShape {
    /// TUMBLE(size, offset).
    Tumble {
        /// Length of a window.
        size: i64,
        /// Shift against the epoch.
        offset: i64,
    },
    /// HOP(slide, size, offset).
    Hop {
        /// Distance of starts.
        slide: i64,
        /// Length of a window.
        size: i64,
        /// Shift against the epoch.
        offset: i64,
    },
    /// CUMULATE(step, max, offset).
    Cumulate {
        /// Distance of ends.
        step: i64,
        /// Length of the longest.
        max: i64,
        /// Shift against the epoch.
        offset: i64,
    },
}

/// A column that a window aggregate adds behind keys and aggregates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowProperty {
    /// window_start.
    Start,
    /// window_end.
    End,
    /// window_time: end - 1 ms, a time attribute.
    Time,
}
