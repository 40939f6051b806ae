//! The shapes of windows, and which windows a time falls into.
//!
//! Windows over TIMESTAMP_LTZ align to the local time of the session's zone: their bounds are local times, and only firing goes by the epoch.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMillisecondType;
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use tidegate_data::{LogicalType, Schema, Zone};

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

/// A window, in local ms: start, and end (exclusive).
pub(crate) type Window = (i64, i64);

const HOUR: i64 = 3_600_000;

/// The start of the stretch of length `size` that `time` lies in, also before the epoch.
#[inline]
fn start_of(time: i64, offset: i64, size: i64) -> i64 {
    time - (time - offset).rem_euclid(size)
}

impl WindowShape {
    /// The windows of a time, in the order in which Flink's window function emits them.
    pub(crate) fn windows(&self, time: i64, out: &mut Vec<Window>) {
        match *self {
            WindowShape::Tumble { size, offset } => {
                let start = start_of(time, offset, size);
                out.push((start, start + size));
            }
            WindowShape::Hop { slide, size, offset } => {
                let mut start = start_of(time, offset, slide);
                while start > time - size {
                    out.push((start, start + size));
                    start -= slide;
                }
            }
            WindowShape::Cumulate { step, max, offset } => {
                let start = start_of(time, offset, max);
                let mut end = start_of(time, offset, step) + step;
                while end <= start + max {
                    out.push((start, end));
                    end += step;
                }
            }
        }
    }

    /// The start of the window that ends at `end`.
    pub(crate) fn start(&self, end: i64) -> i64 {
        match *self {
            WindowShape::Tumble { size, .. } | WindowShape::Hop { size, .. } => end - size,
            WindowShape::Cumulate { max, offset, .. } => start_of(end - 1, offset, max),
        }
    }
}

/// How the times of a rowtime column relate to those of windows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowTime {
    zone: Zone,
}

impl WindowTime {
    /// For the rowtime column `column`: shifted to local time if it is a TIMESTAMP_LTZ.
    pub(crate) fn new(input: &Schema, column: usize, zone: Zone) -> WindowTime {
        let shifted = matches!(input.fields[column].ty.logical, LogicalType::TimestampLtz(..));
        WindowTime { zone: if shifted { zone } else { Zone::UTC } }
    }

    /// For windows whose bounds are local times, or not.
    pub(crate) fn of(local: bool, zone: Zone) -> WindowTime {
        WindowTime { zone: if local { zone } else { Zone::UTC } }
    }

    /// The local times of a rowtime column, those of NULLs without meaning.
    pub(crate) fn local(self, column: &ArrayRef) -> std::borrow::Cow<'_, [i64]> {
        let times = column.as_primitive::<TimestampMillisecondType>().values();
        if self.zone == Zone::UTC {
            return times.as_ref().into();
        }
        times.iter().map(|time| self.zone.to_local_ms(*time)).collect()
    }

    /// The watermark at which a window with this end fires (`toEpochMillsForTimer`).
    pub(crate) fn fires_at(self, end: i64) -> i64 {
        let last = end - 1;
        if self.zone == Zone::UTC {
            return last;
        }
        let (once, an_hour_on) = (self.zone.to_utc_ms(last), self.zone.to_utc_ms(last + HOUR));
        if an_hour_on - once > HOUR {
            // The local time comes twice: the second one counts.
            an_hour_on - HOUR
        } else if an_hour_on == once {
            // It is skipped: the hour that takes its place has begun.
            once - once % HOUR
        } else {
            once
        }
    }

    /// One of the windows' columns.
    pub(crate) fn property(self, property: WindowProperty, windows: &[Window]) -> ArrayRef {
        let times = windows.iter().map(|(start, end)| match property {
            WindowProperty::Start => *start,
            WindowProperty::End => *end,
            WindowProperty::Time => self.zone.to_utc_ms(end - 1),
        });
        Arc::new(PrimitiveArray::<TimestampMillisecondType>::from_iter_values(times))
    }
}

/// The first row without a time.
pub(crate) fn first_null(column: &ArrayRef) -> Option<usize> {
    if column.null_count() == 0 { None } else { (0..column.len()).find(|row| column.is_null(*row)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(shape: &WindowShape, time: i64) -> Vec<Window> {
        let mut out = Vec::new();
        shape.windows(time, &mut out);
        assert!(out.iter().all(|(start, end)| shape.start(*end) == *start));
        out
    }

    #[test]
    fn windows_align_to_the_epoch_and_the_offset() {
        let tumble = WindowShape::Tumble { size: 10, offset: 3 };
        assert_eq!(windows(&tumble, 12), [(3, 13)]);
        assert_eq!(windows(&tumble, -1), [(-7, 3)]);
        let hop = WindowShape::Hop { slide: 5, size: 10, offset: 0 };
        assert_eq!(windows(&hop, 1), [(0, 10), (-5, 5)]);
        let cumulate = WindowShape::Cumulate { step: 5, max: 20, offset: 0 };
        assert_eq!(windows(&cumulate, 12), [(0, 15), (0, 20)]);
    }
}
