//! Where boxes and channels lie: columns by depth in the graph, one row per subtask.
//!
//! Boxes have a line for the watermark only where the job has event time, and stand closer where there are many.

use tidegate_protocol::JobLayout;

/// A box's width, px.
pub const WIDTH: f64 = 172.0;
/// A box's height: three lines.
const HEIGHT: f64 = 60.0;
/// The fourth line.
const LINE: f64 = 16.0;
/// Space between columns.
const ACROSS: f64 = 128.0;
/// Space between two rows, and between more.
const DOWN: (f64, f64) = (34.0, 13.0);
/// Space at the edges.
const MARGIN: f64 = 16.0;

/// A drawn job: the upper left corner of every subtask's box, and the size of the whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    /// By vertex and subtask.
    pub boxes: Vec<Vec<(f64, f64)>>,
    /// A box's height.
    pub height: f64,
    /// Whether boxes have a line for the watermark.
    pub timed: bool,
    /// Width and height.
    pub size: (f64, f64),
}

/// A channel's line: a cubic curve from right edge to left edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    from: (f64, f64),
    to: (f64, f64),
}

impl Geometry {
    /// Lays out a job.
    pub fn of(job: &JobLayout) -> Geometry {
        let mut depth = vec![0usize; job.vertices.len()];
        // Edges lead from lower to higher vertices.
        for &(from, to, _) in &job.edges {
            depth[to as usize] = depth[to as usize].max(depth[from as usize] + 1);
        }
        let columns = depth.iter().max().map_or(0, |deepest| deepest + 1);
        let mut tall = vec![0usize; columns];
        for (vertex, layout) in job.vertices.iter().enumerate() {
            tall[depth[vertex]] += layout.parallelism as usize;
        }
        let timed = job.vertices.iter().flat_map(|vertex| &vertex.operators).any(|(_, name, description)| {
            name.contains("Watermark") || description.contains("watermark") || description.contains("indow")
        });
        let tallest = tall.iter().copied().max().unwrap_or(0);
        let (each, down) = (HEIGHT + if timed { LINE } else { 0.0 }, if tallest > 2 { DOWN.1 } else { DOWN.0 });
        let highest = tallest as f64;
        let height = MARGIN * 2.0 + highest * each + (highest - 1.0).max(0.0) * down;
        let width = MARGIN * 2.0 + columns as f64 * WIDTH + (columns as f64 - 1.0).max(0.0) * ACROSS;
        let mut used = vec![0usize; columns];
        let boxes = job
            .vertices
            .iter()
            .enumerate()
            .map(|(vertex, layout)| {
                let column = depth[vertex];
                let all = tall[column] as f64;
                let top = (height - all * each - (all - 1.0).max(0.0) * down) / 2.0;
                (0..layout.parallelism)
                    .map(|_| {
                        let row = used[column] as f64;
                        used[column] += 1;
                        (MARGIN + column as f64 * (WIDTH + ACROSS), top + row * (each + down))
                    })
                    .collect()
            })
            .collect();
        Geometry { boxes, height: each, timed, size: (width, height) }
    }

    /// The line from one subtask to another.
    pub fn curve(&self, from: (u32, u32), to: (u32, u32)) -> Option<Curve> {
        let corner = |(vertex, index): (u32, u32)| self.boxes.get(vertex as usize)?.get(index as usize).copied();
        let (from, to) = (corner(from)?, corner(to)?);
        let middle = self.height / 2.0;
        Some(Curve { from: (from.0 + WIDTH, from.1 + middle), to: (to.0, to.1 + middle) })
    }
}

impl Curve {
    /// SVG's text of it.
    pub fn path(&self) -> String {
        let ((x0, y0), (x1, y1)) = (self.from, self.to);
        let half = (x1 - x0) / 2.0;
        format!("M{x0:.1} {y0:.1}C{:.1} {y0:.1} {:.1} {y1:.1} {x1:.1} {y1:.1}", x0 + half, x1 - half)
    }

    /// The point at `t` (0 to 1) and the line's angle there, in degrees.
    pub fn at(&self, t: f64) -> (f64, f64, f64) {
        let ((x0, y0), (x1, y1)) = (self.from, self.to);
        let half = (x1 - x0) / 2.0;
        let u = 1.0 - t;
        let weights = (u * u * u, 3.0 * u * u * t, 3.0 * u * t * t, t * t * t);
        let x = weights.0 * x0 + weights.1 * (x0 + half) + weights.2 * (x1 - half) + weights.3 * x1;
        let y = (weights.0 + weights.1) * y0 + (weights.2 + weights.3) * y1;
        let dx = 3.0 * u * u * half + 6.0 * u * t * (x1 - x0 - 2.0 * half) + 3.0 * t * t * half;
        let dy = 6.0 * u * t * (y1 - y0);
        (x, y, dy.atan2(dx).to_degrees())
    }

    /// How long it is, roughly.
    pub fn length(&self) -> f64 {
        (self.to.0 - self.from.0).hypot(self.to.1 - self.from.1)
    }
}
