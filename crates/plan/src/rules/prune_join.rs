//! A join is given only the columns that its condition and what is above read.

use crate::logical::{Join, Rel, RelOp};
use crate::rex::Rex;

/// `exprs` (and `condition`, a filter between) over a join: the same over a join of fewer columns; `None` where all are read.
/// `push` goes on below.
pub fn below_join(
    exprs: &[Rex],
    condition: Option<&Rex>,
    joined: &Rel,
    push: &dyn Fn(Rel) -> Rel,
) -> Option<(Vec<Rex>, Option<Rex>, Rel)> {
    let RelOp::Join(Join { kind, condition: on, ttl, .. }) = &joined.op else { return None };
    let width = joined.inputs[0].width();
    let total = width + joined.inputs[1].width();
    let mut used = vec![false; total];
    exprs.iter().chain(condition).chain([on]).for_each(|rex| rex.mark_columns(&mut used));
    let mut kept: [Vec<usize>; 2] =
        [(0..width).filter(|&i| used[i]).collect(), (0..total - width).filter(|&i| used[width + i]).collect()];
    for side in &mut kept {
        if side.is_empty() {
            side.push(0);
        }
    }
    if kept[0].len() == width && kept[1].len() == total - width {
        return None;
    }
    let moved = |column: usize| match column.checked_sub(width) {
        Some(right) => kept[0].len() + kept[1].iter().position(|&own| own == right).unwrap_or_default(),
        None => kept[0].iter().position(|&own| own == column).unwrap_or_default(),
    };
    let side = |i: usize| {
        let input = joined.inputs[i].clone();
        if kept[i].len() == input.width() { input } else { push(Rel::keep(input, &kept[i])) }
    };
    let map = |rex: &Rex| rex.clone().map_columns(&moved);
    let pruned = Rel::join(side(0), side(1), *kind, map(on)).kept_for(*ttl);
    Some((exprs.iter().map(map).collect(), condition.map(map), pruned))
}
