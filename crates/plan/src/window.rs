//! Which columns of a relation are the start, the end and the time of a window: what makes a GROUP BY a window aggregate.

use crate::logical::{JoinForm, Rel, RelOp, Window};

/// The window columns of a relation; each list may hold several columns, or none.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowColumns {
    /// The columns that are window_start.
    pub start: Vec<usize>,
    /// The columns that are window_end.
    pub end: Vec<usize>,
    /// The columns that are window_time.
    pub time: Vec<usize>,
    /// The window that they are of.
    pub window: Window,
}

impl WindowColumns {
    /// Whether these grouping keys hold a window_start and a window_end.
    pub fn is_grouped(&self, keys: &[usize]) -> bool {
        keys.iter().any(|key| self.start.contains(key)) && keys.iter().any(|key| self.end.contains(key))
    }

    /// Whether a column is one of them.
    pub fn contains(&self, column: usize) -> bool {
        self.start.contains(&column) || self.end.contains(&column) || self.time.contains(&column)
    }

    /// The same for an output whose columns come from `sources` (of the input, where they are bare columns).
    fn moved(self, sources: &[Option<usize>]) -> Option<WindowColumns> {
        let find = |columns: &[usize]| -> Vec<usize> {
            let positions = sources.iter().enumerate();
            positions.filter(|(_, source)| source.is_some_and(|s| columns.contains(&s))).map(|(i, _)| i).collect()
        };
        let moved = WindowColumns {
            start: find(&self.start),
            end: find(&self.end),
            time: find(&self.time),
            window: self.window,
        };
        (!moved.start.is_empty() || !moved.end.is_empty() || !moved.time.is_empty()).then_some(moved)
    }
}

/// The window columns of a relation, if it has some.
pub fn window_columns(rel: &Rel) -> Option<WindowColumns> {
    match &rel.op {
        RelOp::Window(window) => {
            let width = rel.input().width();
            Some(WindowColumns {
                start: vec![width],
                end: vec![width + 1],
                time: vec![width + 2],
                window: window.clone(),
            })
        }
        RelOp::Filter(_) => window_columns(rel.input()),
        RelOp::Project(exprs) => {
            let sources: Vec<Option<usize>> = exprs.iter().map(|rex| rex.as_column()).collect();
            window_columns(rel.input())?.moved(&sources)
        }
        RelOp::Aggregate(aggregate) => {
            let window = window_columns(rel.input())?;
            if !window.is_grouped(&aggregate.keys) {
                return None;
            }
            let sources: Vec<Option<usize>> = aggregate.keys.iter().map(|key| Some(*key)).collect();
            window.moved(&sources)
        }
        RelOp::Expand(sets) => {
            let always = |i: usize| sets.iter().all(|(columns, _)| columns[i] == Some(i));
            let sources: Vec<Option<usize>> = (0..rel.width() - 1).map(|i| always(i).then_some(i)).collect();
            window_columns(rel.input())?.moved(&sources)
        }
        // The rows of a window that rank; they keep their window.
        RelOp::Rank(rank) => window_columns(rel.input()).filter(|window| window.is_grouped(&rank.partition)),
        RelOp::Join(join) => {
            if join.form != JoinForm::Window {
                return None;
            }
            let mut window = window_columns(&rel.inputs[0])?;
            if let (false, Some(right)) = (join.kind.is_semi(), window_columns(&rel.inputs[1])) {
                let width = rel.inputs[0].width();
                window.start.extend(right.start.iter().map(|column| column + width));
                window.end.extend(right.end.iter().map(|column| column + width));
                window.time.extend(right.time.iter().map(|column| column + width));
            }
            Some(window)
        }
        RelOp::Scan(_)
        | RelOp::Values(_)
        | RelOp::WatermarkAssigner { .. }
        | RelOp::Over(_)
        | RelOp::Sort(_)
        | RelOp::Union
        | RelOp::Correlate(_)
        | RelOp::Match(_)
        | RelOp::Lookup(_)
        | RelOp::Sink(_) => None,
    }
}
