//! Join keys that are computed: `ON a.k + 1 = b.k` computes `a.k + 1` below the join and joins by columns.

use crate::bind::uniquify;
use crate::logical::{Join, Rel, RelOp};
use crate::rex::{Rex, RexKind};

/// Computes the expressions of a join's equalities below it.
pub fn push(rel: Rel) -> Rel {
    let RelOp::Join(join) = &rel.op else { return rel };
    let (join, width) = (join.clone(), rel.inputs[0].width());
    let mut extra: [Vec<Rex>; 2] = [Vec::new(), Vec::new()];
    let total = width + rel.inputs[1].width();
    let condition = computed(join.condition.clone(), width, total, &mut extra);
    if extra.iter().all(Vec::is_empty) {
        return rel;
    }
    let extra_left = extra[0].len();
    let schema = rel.schema.clone();
    let mut inputs = rel.inputs.into_iter().zip(extra).map(|(input, extra)| {
        if extra.is_empty() {
            return input;
        }
        let mut exprs: Vec<Rex> = (0..input.width()).map(|i| input.column(i)).collect();
        let mut names = input.names();
        for rex in extra {
            // A cast column keeps its name.
            names.push(match &rex.kind {
                RexKind::Cast { input: inner, .. } if inner.as_column().is_some() => {
                    names[inner.as_column().unwrap_or_default()].clone()
                }
                _ => format!("$f{}", exprs.len()),
            });
            exprs.push(rex);
        }
        Rel::project(input, exprs, uniquify(names))
    });
    let (Some(left), Some(right)) = (inputs.next(), inputs.next()) else {
        return Rel { op: RelOp::Join(join), inputs: Vec::new(), schema };
    };
    let joined = Rel::join(left, right, join.kind, condition).kept_for(join.ttl);
    let kept: Vec<usize> = match join.kind.is_semi() {
        true => (0..width).collect(),
        false => (0..width).chain((width..total).map(|column| column + extra_left)).collect(),
    };
    Rel::keep(joined, &kept)
}

/// The condition over the inputs with their further columns: those of the left side lie between the sides.
fn computed(condition: Rex, width: usize, total: usize, extra: &mut [Vec<Rex>; 2]) -> Rex {
    let terms = condition.conjuncts();
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    for (i, term) in terms.iter().enumerate() {
        let RexKind::Call { op, args } = &term.kind else { continue };
        if op != "=" && op != "IS NOT DISTINCT FROM" {
            continue;
        }
        let sides: Vec<Option<usize>> = args.iter().map(|arg| side_of(arg, width)).collect();
        if let [Some(one), Some(other)] = sides[..]
            && one != other
        {
            for (a, arg) in args.iter().enumerate() {
                if arg.as_column().is_none() {
                    let side = if a == 0 { one } else { other };
                    let own = if side == 0 { arg.clone() } else { arg.clone().map_columns(&|column| column - width) };
                    let at = extra[side].iter().position(|rex| *rex == own).unwrap_or_else(|| {
                        extra[side].push(own);
                        extra[side].len() - 1
                    });
                    found.push((i, a, if side == 0 { width + at } else { usize::MAX - at }));
                }
            }
        }
    }
    let left = extra[0].len();
    let moved = |column: usize| if column < width { column } else { column + left };
    let terms = terms.into_iter().enumerate().map(|(i, term)| {
        let ty = term.ty.clone();
        let RexKind::Call { op, args } = term.kind else { return term.map_columns(&moved) };
        let args = args.into_iter().enumerate().map(|(a, arg)| {
            match found.iter().find(|(term, operand, _)| (*term, *operand) == (i, a)) {
                Some((.., at)) if *at > usize::MAX / 2 => Rex::column(total + left + (usize::MAX - at), arg.ty),
                Some((.., at)) => Rex::column(*at, arg.ty),
                None => arg.map_columns(&moved),
            }
        });
        Rex::typed_call(op, args.collect(), ty)
    });
    Rex::and(terms.collect())
}

/// The one side that an expression reads.
fn side_of(rex: &Rex, width: usize) -> Option<usize> {
    if rex.is_constant() || !rex.is_deterministic() {
        None
    } else if rex.reads_only(|column| column < width) {
        Some(0)
    } else if rex.reads_only(|column| column >= width) {
        Some(1)
    } else {
        None
    }
}

/// Applies it to all joins of a plan.
pub fn apply(rel: Rel) -> Rel {
    rel.transform(&mut |rel| match &rel.op {
        RelOp::Join(Join { .. }) => push(rel),
        _ => rel,
    })
}
