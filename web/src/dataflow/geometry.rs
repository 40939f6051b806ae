//! Where boxes and channels lie: columns by depth in the graph, one row per subtask.

use tidegate_protocol::JobLayout;

/// A box's width, px.
pub const WIDTH: f64 = 172.0;
/// A box's height.
pub const HEIGHT: f64 = 76.0;
/// Space between columns.
const ACROSS: f64 = 128.0;
/// Space between rows.
const DOWN: f64 = 26.0;
/// Space at the edges.
const MARGIN: f64 = 22.0;

/// A drawn job: the upper left corner of every subtask's box, and the size of the whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    /// By vertex and subtask.
    pub boxes: Vec<Vec<(f64, f64)>>,
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
        let highest = tall.iter().copied().max().unwrap_or(0) as f64;
        let height = MARGIN * 2.0 + highest * HEIGHT + (highest - 1.0).max(0.0) * DOWN;
        let width = MARGIN * 2.0 + columns as f64 * WIDTH + (columns as f64 - 1.0).max(0.0) * ACROSS;
        let mut used = vec![0usize; columns];
        let boxes = job
            .vertices
            .iter()
            .enumerate()
            .map(|(vertex, layout)| {
                let column = depth[vertex];
                let all = tall[column] as f64;
                let top = (height - all * HEIGHT - (all - 1.0).max(0.0) * DOWN) / 2.0;
                (0..layout.parallelism)
                    .map(|_| {
                        let row = used[column] as f64;
                        used[column] += 1;
                        (MARGIN + column as f64 * (WIDTH + ACROSS), top + row * (HEIGHT + DOWN))
                    })
                    .collect()
            })
            .collect();
        Geometry { boxes, size: (width, height) }
    }

    /// The line from one subtask to another.
    pub fn curve(&self, from: (u32, u32), to: (u32, u32)) -> Option<Curve> {
        let corner = |(vertex, index): (u32, u32)| self.boxes.get(vertex as usize)?.get(index as usize).copied();
        let (from, to) = (corner(from)?, corner(to)?);
        Some(Curve { from: (from.0 + WIDTH, from.1 + HEIGHT / 2.0), to: (to.0, to.1 + HEIGHT / 2.0) })
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
