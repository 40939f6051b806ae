//! Where everything lies. Three shapes: boxes (one for each subtask) where there is room for them; cards (one for each vertex, a line for
//! each subtask) where there are many; and, on a narrow screen, cards below each other with the subtasks as chips.

use tidegate_protocol::JobLayout;

use super::route::Curve;

/// A box's width, px.
const WIDTH: f64 = 172.0;
/// A box's height: three lines.
const HEIGHT: f64 = 60.0;
/// One line more.
const LINE: f64 = 16.0;
/// Space between columns of boxes.
const ACROSS: f64 = 128.0;
/// Space between two rows of boxes, and between more.
const DOWN: (f64, f64) = (34.0, 13.0);
/// Space at the edges.
const MARGIN: f64 = 16.0;
/// Least widths of a card, the better one first; the most; least and most space between columns of cards.
const CARDS: [f64; 2] = [124.0, 106.0];
const CARD: f64 = 200.0;
const GAP: (f64, f64) = (24.0, 110.0);
/// Space between them while cards can be wider than they must.
const WISHED: f64 = 64.0;
/// Height of a card's head; in chips too.
const HEAD: f64 = 24.0;
/// Lines of cards below each other at the most.
const LINES: usize = 4;

/// Heights within a card: of its head, of a subtask's line, of the space below; and between two lines of cards.
struct Heights {
    head: f64,
    subtask: f64,
    foot: f64,
    between: f64,
}

/// From roomy to tight.
const HEIGHTS: [Heights; 3] = [
    Heights { head: HEAD, subtask: 18.0, foot: 5.0, between: 34.0 },
    Heights { head: 22.0, subtask: 17.0, foot: 4.0, between: 24.0 },
    Heights { head: 21.0, subtask: 15.0, foot: 3.0, between: 22.0 },
];

/// A chip's height, chips side by side, and space between cards below each other.
const CHIP: f64 = 38.0;
const CHIPS: u32 = 4;
const BELOW: f64 = 34.0;
/// Space beside them.
const CHIPS_MARGIN: f64 = 12.0;
/// Below this width cards lie below each other.
pub const NARROW: f64 = 520.0;

/// How a job is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A box for each subtask.
    Boxes,
    /// A card for each vertex.
    Cards,
    /// Cards below each other.
    Chips,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

/// A drawn job.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    /// How it is drawn.
    pub shape: Shape,
    /// By vertex; `None` for one that is not shown.
    pub vertices: Vec<Option<Rect>>,
    /// By vertex and subtask.
    pub subtasks: Vec<Vec<Rect>>,
    /// Whether the job has event time.
    pub timed: bool,
    /// Whether a box has a line for the operators that are chained.
    pub chained: bool,
    /// Width and height.
    pub size: (f64, f64),
    /// Space between columns (or cards below each other).
    pub gap: f64,
    /// By vertex and subtask: where its inputs come from, from above to below.
    inputs: Vec<Vec<Vec<(u32, u32)>>>,
    /// By vertex: the line of cards and the place in it.
    cells: Vec<(usize, usize)>,
    /// Heights where no card lies: above each line of cards, and below the last.
    free: Vec<f64>,
    /// Pairs of vertices that do not lie beside each other.
    apart: Vec<(u32, u32)>,
}

impl Geometry {
    /// Lays out a job in a room of this size; an unknown size is 0.
    pub fn of(job: &JobLayout, room: (f64, f64)) -> Geometry {
        let timed = job.vertices.iter().flat_map(|vertex| &vertex.operators).any(|(_, name, description)| {
            name.contains("Watermark") || description.contains("watermark") || description.contains("indow")
        });
        if room.0 > 0.0 && room.0 < NARROW {
            let mut drawn = chips(job, room.0, timed);
            drawn.find_apart(job);
            return drawn;
        }
        let columns = columns(job);
        let boxes = boxes(job, &columns, timed);
        let fits = boxes.size.0 <= room.0 && boxes.size.1 <= room.1;
        let mut drawn = if room.0 == 0.0 || fits { boxes } else { cards(job, &columns, timed, room) };
        drawn.find_apart(job);
        drawn
    }

    fn find_apart(&mut self, job: &JobLayout) {
        let shown = |vertex: u32| self.vertices.get(vertex as usize).is_some_and(Option::is_some);
        let apart = job.edges.iter().map(|(from, to, _)| (*from, *to)).filter(|(from, to)| {
            shown(*from) && shown(*to) && !self.beside(self.cells[*from as usize], self.cells[*to as usize])
        });
        self.apart = apart.collect();
        self.apart.dedup();
    }

    /// Whether a vertex lies in the column, or the line, behind another one's.
    fn beside(&self, from: (usize, usize), to: (usize, usize)) -> bool {
        match self.shape {
            Shape::Chips => to.0 == from.0 + 1,
            _ => to.0 == from.0 && to.1 == from.1 + 1,
        }
    }

    /// How far below the middle of its receiver a channel comes in: beside the others, so that what is queued on them does not meet.
    pub fn port(&self, from: (u32, u32), to: (u32, u32)) -> f64 {
        let inputs = self.inputs.get(to.0 as usize).and_then(|subtasks| subtasks.get(to.1 as usize));
        let Some(inputs) = inputs.filter(|_| self.shape == Shape::Boxes) else { return 0.0 };
        let height = self.subtasks[to.0 as usize][to.1 as usize].h;
        let apart = (height - 24.0) / inputs.len().max(2) as f64;
        let place = inputs.iter().position(|input| *input == from).unwrap_or(0) as f64;
        (place - (inputs.len() as f64 - 1.0) / 2.0) * apart
    }

    /// The line of a channel.
    pub fn channel(&self, from: (u32, u32), to: (u32, u32)) -> Option<Curve> {
        let place = |(vertex, index): (u32, u32)| {
            let mut place = self.subtasks.get(vertex as usize)?.get(index as usize).copied()?;
            if self.shape == Shape::Chips {
                // What lies between a chip and its card's edge is the card.
                let card = self.vertices[vertex as usize]?;
                (place.y, place.h) = (card.y, card.h);
            }
            Some(place)
        };
        let mut end = place(to)?;
        end.y += self.port(from, to);
        Some(self.between((from.0, place(from)?), (to.0, end)))
    }

    /// The line that stands for all channels between two vertices.
    pub fn edge(&self, from: u32, to: u32) -> Option<Curve> {
        let place = |vertex: u32| self.vertices.get(vertex as usize).copied().flatten();
        Some(self.between((from, place(from)?), (to, place(to)?)))
    }

    fn between(&self, (source, from): (u32, Rect), (target, to): (u32, Rect)) -> Curve {
        let apart = self.apart.iter().position(|pair| *pair == (source, target));
        if self.shape == Shape::Chips {
            let (begin, end) = ((from.x + from.w / 2.0, from.y + from.h), (to.x + to.w / 2.0, to.y));
            return match apart {
                Some(number) => Curve::past((from.x + 14.0, begin.1), (to.x + 14.0, end.1), CHIPS_MARGIN / 2.0, number),
                None => Curve::down(begin, end),
            };
        }
        let (begin, end) = ((from.x + from.w, from.y + from.h / 2.0), (to.x, to.y + to.h / 2.0));
        let Some(number) = apart else { return Curve::across(begin, end) };
        let (above, line) = (self.cells[source as usize].0, self.cells[target as usize].0);
        let middle = (begin.1 + end.1) / 2.0;
        let below = above == line && (self.free[line] - middle).abs() > (self.free[line + 1] - middle).abs();
        Curve::around(begin, end, self.free[line + usize::from(below)], number)
    }
}

/// The vertices column by column, by their depth in the graph.
fn columns(job: &JobLayout) -> Vec<Vec<usize>> {
    let mut depth = vec![0usize; job.vertices.len()];
    // Edges lead from lower to higher vertices.
    for &(from, to, _) in &job.edges {
        let above = depth.get(from as usize).copied().unwrap_or(0);
        if let Some(below) = depth.get_mut(to as usize) {
            *below = (*below).max(above + 1);
        }
    }
    let shown = |vertex: &usize| !job.vertices[*vertex].hidden;
    // As late as what it feeds allows: then most edges lead to the next column.
    for vertex in (0..depth.len()).rev() {
        let fed = job.edges.iter().filter(|(from, to, _)| *from as usize == vertex && shown(&(*to as usize)));
        if let Some(next) = fed.map(|(_, to, _)| depth[*to as usize]).min() {
            depth[vertex] = next.saturating_sub(1);
        }
    }
    let deepest = (0..depth.len()).filter(shown).map(|vertex| depth[vertex] + 1).max().unwrap_or(0);
    (0..deepest)
        .map(|column| (0..depth.len()).filter(shown).filter(|vertex| depth[*vertex] == column).collect())
        .collect()
}

fn empty(job: &JobLayout, shape: Shape, timed: bool, gap: f64) -> Geometry {
    let count = job.vertices.len();
    let inputs = job.vertices.iter().map(|vertex| vec![Vec::new(); vertex.parallelism as usize]).collect();
    Geometry {
        shape,
        vertices: vec![None; count],
        subtasks: vec![Vec::new(); count],
        timed,
        chained: job.vertices.iter().any(|vertex| !vertex.hidden && vertex.name.contains(" -> ")),
        size: (0.0, 0.0),
        gap,
        inputs,
        cells: vec![(0, 0); count],
        free: Vec::new(),
        apart: Vec::new(),
    }
}

fn boxes(job: &JobLayout, columns: &[Vec<usize>], timed: bool) -> Geometry {
    let mut geometry = empty(job, Shape::Boxes, timed, ACROSS);
    let lines = f64::from(u8::from(timed) + u8::from(geometry.chained));
    let tall = |column: &Vec<usize>| column.iter().map(|vertex| job.vertices[*vertex].parallelism).sum::<u32>();
    let tallest = columns.iter().map(tall).max().unwrap_or(0);
    let (each, down) = (HEIGHT + lines * LINE, if tallest > 2 { DOWN.1 } else { DOWN.0 });
    let stacked = |count: f64| count * each + (count - 1.0).max(0.0) * down;
    let height = MARGIN * 2.0 + stacked(f64::from(tallest));
    for (place, column) in columns.iter().enumerate() {
        let x = MARGIN + place as f64 * (WIDTH + ACROSS);
        let mut y = (height - stacked(f64::from(tall(column)))) / 2.0;
        for &vertex in column {
            geometry.cells[vertex] = (0, place);
            let top = y;
            for _ in 0..job.vertices[vertex].parallelism {
                geometry.subtasks[vertex].push(Rect { x, y, w: WIDTH, h: each });
                y += each + down;
            }
            geometry.vertices[vertex] = Some(Rect { x, y: top, w: WIDTH, h: y - down - top });
        }
    }
    for (from, to, exchange) in &job.edges {
        let (Some(source), Some(target)) = (job.vertices.get(*from as usize), geometry.inputs.get_mut(*to as usize))
        else {
            continue;
        };
        for (index, inputs) in target.iter_mut().enumerate() {
            let all = (0..source.parallelism).filter(|other| exchange != "FORWARD" || *other as usize == index);
            inputs.extend(all.map(|other| (*from, other)));
        }
    }
    let height_of = |(vertex, index): &(u32, u32)| {
        geometry.subtasks.get(*vertex as usize).and_then(|all| all.get(*index as usize)).map_or(0.0, |rect| rect.y)
    };
    for inputs in geometry.inputs.iter_mut().flatten() {
        inputs.sort_by(|one, other| height_of(one).total_cmp(&height_of(other)));
    }
    let count = columns.len() as f64;
    geometry.size = (MARGIN * 2.0 + count * WIDTH + (count - 1.0).max(0.0) * ACROSS, height);
    geometry.free = vec![MARGIN / 2.0, height - MARGIN / 2.0];
    geometry
}

/// Cards column by column; where that is wider than the room, in several lines below each other.
fn cards(job: &JobLayout, columns: &[Vec<usize>], timed: bool, room: (f64, f64)) -> Geometry {
    let free = room.0 - 2.0 * MARGIN;
    let lines_of = |least: f64| {
        let fits = |lines: &usize| {
            let across = columns.len().div_ceil(*lines) as f64;
            across * least + (across - 1.0) * GAP.0 <= free
        };
        (1..=LINES).find(fits).unwrap_or(LINES)
    };
    // As wide as they should be, and as high; less of both only where they do not fit.
    let ways = CARDS.iter().flat_map(|least| HEIGHTS.iter().map(move |heights| (*least, heights)));
    let laid = |(least, heights)| cards_in(job, columns, timed, room, (lines_of(least), least), heights);
    let last = (CARDS[CARDS.len() - 1], &HEIGHTS[HEIGHTS.len() - 1]);
    ways.map(laid).find(|cards| cards.size.1 <= room.1).unwrap_or_else(|| laid(last))
}

fn cards_in(
    job: &JobLayout,
    columns: &[Vec<usize>],
    timed: bool,
    room: (f64, f64),
    (lines, least): (usize, f64),
    heights: &Heights,
) -> Geometry {
    let across = columns.len().div_ceil(lines).max(1);
    let count = across as f64;
    let free = room.0 - 2.0 * MARGIN;
    let width = ((free - (count - 1.0) * WISHED) / count).clamp(least, CARD);
    let gap = if across > 1 { ((free - count * width) / (count - 1.0)).clamp(GAP.0, GAP.1) } else { GAP.0 };
    let mut geometry = empty(job, Shape::Cards, timed, gap);
    let top = heights.head + if timed { LINE } else { 0.0 };
    let each = |vertex: usize| top + f64::from(job.vertices[vertex].parallelism) * heights.subtask + heights.foot;
    let stacked = |column: &Vec<usize>| {
        column.iter().map(|vertex| each(*vertex)).sum::<f64>() + (column.len() as f64 - 1.0).max(0.0) * DOWN.1
    };
    let rows: Vec<&[Vec<usize>]> = columns.chunks(across).collect();
    let tallest = |row: &[Vec<usize>]| row.iter().map(stacked).fold(0.0, f64::max);
    let all = rows.iter().map(|row| tallest(row)).sum::<f64>() + (rows.len() as f64 - 1.0).max(0.0) * heights.between;
    let margin = if rows.len() > 1 { heights.between / 2.0 } else { MARGIN };
    let height = (all + 2.0 * margin).max(room.1.min(all + 4.0 * margin));
    let mut above = (height - all) / 2.0;
    for (line, row) in rows.into_iter().enumerate() {
        geometry.free.push(above - heights.between / 2.0);
        let tallest = tallest(row);
        for (place, column) in row.iter().enumerate() {
            let x = MARGIN + place as f64 * (width + gap);
            let mut y = above + (tallest - stacked(column)) / 2.0;
            for &vertex in column {
                let card = Rect { x, y, w: width, h: each(vertex) };
                geometry.cells[vertex] = (line, place);
                geometry.vertices[vertex] = Some(card);
                geometry.subtasks[vertex] = (0..job.vertices[vertex].parallelism)
                    .map(|index| Rect {
                        x,
                        y: y + top + f64::from(index) * heights.subtask,
                        w: width,
                        h: heights.subtask,
                    })
                    .collect();
                y += card.h + DOWN.1;
            }
        }
        above += tallest + heights.between;
    }
    geometry.free.push(above - heights.between / 2.0);
    geometry.size = (2.0 * MARGIN + count * width + (count - 1.0) * gap, height);
    geometry
}

fn chips(job: &JobLayout, width: f64, timed: bool) -> Geometry {
    let mut geometry = empty(job, Shape::Chips, timed, BELOW);
    let margin = CHIPS_MARGIN;
    let top = HEAD + if timed { LINE } else { 0.0 };
    let mut y = margin;
    let shown = job.vertices.iter().enumerate().filter(|(_, vertex)| !vertex.hidden);
    for (line, (vertex, layout)) in shown.enumerate() {
        geometry.cells[vertex] = (line, 0);
        let across = layout.parallelism.clamp(1, CHIPS);
        let lines = layout.parallelism.div_ceil(across);
        let card = Rect { x: margin, y, w: width - 2.0 * margin, h: top + f64::from(lines) * (CHIP + 4.0) + 4.0 };
        let each = (card.w - 8.0 - f64::from(across - 1) * 4.0) / f64::from(across);
        geometry.subtasks[vertex] = (0..layout.parallelism)
            .map(|index| Rect {
                x: card.x + 4.0 + f64::from(index % across) * (each + 4.0),
                y: y + top + f64::from(index / across) * (CHIP + 4.0),
                w: each,
                h: CHIP,
            })
            .collect();
        geometry.vertices[vertex] = Some(card);
        y += card.h + BELOW;
    }
    geometry.size = (width, (y - BELOW + margin).max(0.0));
    geometry
}
