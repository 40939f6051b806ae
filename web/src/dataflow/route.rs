//! The course of an edge: never behind a card. To the next column it is one curve; everything else goes through the space between
//! columns and between lines of cards.

/// Radius of its corners, px.
const ROUND: f64 = 7.0;
/// How far beside its card it goes up or down, and how far apart two that take the same way are.
const ASIDE: f64 = 8.0;
const APART: f64 = 4.0;

/// A point.
type Point = (f64, f64);

/// A line from one edge to another: cubic curves, each beginning where the one before ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pieces: Vec<[Point; 4]>,
    /// Where along it its marks are, beside those of others that take the same way: -1, 0 or 1.
    pub turn: f64,
}

impl Curve {
    /// To the right, from one column to the next.
    pub fn across((x0, y0): Point, (x1, y1): Point) -> Curve {
        let half = (x1 - x0) / 2.0;
        Curve { pieces: vec![[(x0, y0), (x0 + half, y0), (x1 - half, y1), (x1, y1)]], turn: 0.0 }
    }

    /// Down, from one card to the next below.
    pub fn down((x0, y0): Point, (x1, y1): Point) -> Curve {
        let half = (y1 - y0) / 2.0;
        Curve { pieces: vec![[(x0, y0), (x0, y0 + half), (x1, y1 - half), (x1, y1)]], turn: 0.0 }
    }

    /// To the right of its card, to a height where nothing lies, along there, and to the left of the other card. The `number`th of these.
    pub fn around((x0, y0): Point, (x1, y1): Point, between: f64, number: usize) -> Curve {
        let turn = turn(number);
        let (out, into, y) = (x0 + ASIDE - turn * APART, x1 - ASIDE + turn * APART, between + turn * APART);
        Curve { turn, ..Curve::through(&[(x0, y0), (out, y0), (out, y), (into, y), (into, y1), (x1, y1)]) }
    }

    /// Down past the cards in between, at their left.
    pub fn past((x0, y0): Point, (x1, y1): Point, left: f64, number: usize) -> Curve {
        let turn = turn(number);
        let (x, above, below) = (left + turn * APART / 2.0, y0 + ASIDE, y1 - ASIDE);
        Curve { turn, ..Curve::through(&[(x0, y0), (x0, above), (x, above), (x, below), (x1, below), (x1, y1)]) }
    }

    /// Straight from point to point, with round corners.
    fn through(points: &[Point]) -> Curve {
        let mut pieces = Vec::new();
        let mut at = points[0];
        for (place, &point) in points.iter().enumerate().skip(1) {
            let Some(&next) = points.get(place + 1) else {
                pieces.push(straight(at, point));
                break;
            };
            let round = ROUND.min(length(at, point) / 2.0).min(length(point, next) / 2.0);
            let (begin, end) = (towards(point, at, round), towards(point, next, round));
            pieces.push(straight(at, begin));
            pieces.push([begin, towards(begin, point, round * 0.6), towards(end, point, round * 0.6), end]);
            at = end;
        }
        Curve { pieces, turn: 0.0 }
    }

    /// SVG's text of it.
    pub fn path(&self) -> String {
        let (x, y) = self.pieces[0][0];
        let mut path = format!("M{x:.1} {y:.1}");
        for [_, (bx, by), (cx, cy), (dx, dy)] in &self.pieces {
            path.push_str(&format!("C{bx:.1} {by:.1} {cx:.1} {cy:.1} {dx:.1} {dy:.1}"));
        }
        path
    }

    /// The point at `t` (0 to 1) and the line's angle there, in degrees.
    pub fn at(&self, t: f64) -> (f64, f64, f64) {
        let mut left = self.length() * t;
        let last = self.pieces.len() - 1;
        for (place, piece) in self.pieces.iter().enumerate() {
            let own = length(piece[0], piece[3]);
            if left <= own || place == last {
                return on(piece, (left / own.max(0.01)).clamp(0.0, 1.0));
            }
            left -= own;
        }
        on(&self.pieces[last], 1.0)
    }

    /// How long it is, roughly.
    pub fn length(&self) -> f64 {
        self.pieces.iter().map(|piece| length(piece[0], piece[3])).sum()
    }
}

fn turn(number: usize) -> f64 {
    [0.0, 1.0, -1.0][number % 3]
}

fn on([a, b, c, d]: &[Point; 4], t: f64) -> (f64, f64, f64) {
    let u = 1.0 - t;
    let weights = [u * u * u, 3.0 * u * u * t, 3.0 * u * t * t, t * t * t];
    let mix = |part: fn(&Point) -> f64| {
        weights.iter().zip([a, b, c, d]).map(|(weight, point)| weight * part(point)).sum::<f64>()
    };
    let slopes = [u * u, 2.0 * u * t, t * t];
    let slope = |part: fn(&Point) -> f64| {
        slopes[0] * (part(b) - part(a)) + slopes[1] * (part(c) - part(b)) + slopes[2] * (part(d) - part(c))
    };
    let (x, y) = (|point: &Point| point.0, |point: &Point| point.1);
    (mix(x), mix(y), slope(y).atan2(slope(x)).to_degrees())
}

fn straight(from: Point, to: Point) -> [Point; 4] {
    let third = length(from, to) / 3.0;
    [from, towards(from, to, third), towards(to, from, third), to]
}

fn length((ax, ay): Point, (bx, by): Point) -> f64 {
    (bx - ax).hypot(by - ay)
}

/// So many px from one point towards another.
fn towards(from: Point, to: Point, by: f64) -> Point {
    let part = by / length(from, to).max(0.01);
    (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
}
