//! Windowing table functions: each row beside its windows.

use tidegate_data::Value;
use tidegate_plan::bound::Window;
use tidegate_plan::physical::WindowShape;

use super::rel::same;
use super::{Row, Stop, fails};

/// The rows with the start, the end and the time of each window that they lie in.
///
/// # Errors
/// A time that is NULL.
pub fn rows(window: &Window, input: Vec<Row>) -> Result<Vec<Row>, Stop> {
    let time = |row: &Row| match row[window.time_column] {
        Value::Int(time) => Ok(time),
        _ => Err(fails("RowTime field should not be null, please convert it to a non-null long value.")),
    };
    let mut out = Vec::new();
    for row in &input {
        let at = time(row)?;
        let windows: Vec<(i64, i64)> = match &window.shape {
            WindowShape::Tumble { size, offset } => {
                let start = (at - offset).div_euclid(*size) * size + offset;
                vec![(start, start + size)]
            }
            WindowShape::Hop { slide, size, offset } => {
                let last = (at - offset).div_euclid(*slide) * slide + offset;
                let starts = (0..).map(|n| last - n * slide).take_while(|start| start + size > at);
                starts.map(|start| (start, start + size)).collect()
            }
            WindowShape::Cumulate { step, max, offset } => {
                let start = (at - offset).div_euclid(*max) * max + offset;
                let ends = (1..=max / step).map(|n| start + n * step).filter(|end| *end > at);
                ends.map(|end| (start, end)).collect()
            }
            WindowShape::Session { gap, partition } => {
                let key = |row: &Row| -> Row { partition.iter().map(|column| row[*column].clone()).collect() };
                let mut times = Vec::new();
                for other in &input {
                    if same(&key(other), &key(row)) {
                        times.push(time(other)?);
                    }
                }
                times.sort_unstable();
                let (mut first, mut last) = (at, at);
                // From the row to both sides, as long as the next one is near enough to lie in the session or touch it.
                for other in times.iter().rev().filter(|other| **other <= at) {
                    if first - other <= *gap {
                        first = *other;
                    }
                }
                for other in times.iter().filter(|other| **other >= at) {
                    if other - last <= *gap {
                        last = *other;
                    }
                }
                vec![(first, last + gap)]
            }
        };
        for (start, end) in windows {
            let bounds = [start, end, end - 1].map(Value::Int);
            out.push(row.iter().cloned().chain(bounds).collect());
        }
    }
    Ok(out)
}
