//! `k IN (SELECT …)` as a value, below OR or in a SELECT list: a join with the different values of the subquery says whether there is one; where something
//! may be NULL, a join with their numbers says whether it can be told that there is none.

use tidegate_data::{DataType, LogicalType, Value};
use tidegate_expr::AggregateFunction;

use super::scalar::{Scalar, grouped};
use super::subquery::decorrelate;
use crate::logical::{AggCall, AggFunction, Aggregate, JoinKind, Rel, RelOp};
use crate::over::{Sort, SortColumn};
use crate::rex::{Rex, RexKind};

fn boolean() -> DataType {
    DataType::not_null(LogicalType::Boolean)
}

fn is(op: &str, rex: Rex) -> Rex {
    Rex::typed_call(op, vec![rex], boolean())
}

/// The answer. `sought` and `equal` are over the rows of the query around (as [`RexKind::Outer`]), `equal` also over the subquery's columns.
pub(super) fn value(bound: Rel, sought: Vec<Rex>, equal: Vec<Rex>, negated: bool) -> Option<Scalar> {
    let width = bound.width();
    let (input, terms) = decorrelate(bound)?;
    let nullable = sought.iter().any(|rex| rex.ty.nullable) || (0..width).any(|i| input.schema.fields[i].ty.nullable);
    let correlated = !terms.is_empty();
    if sought.iter().all(|rex| rex.as_literal().is_some()) && nullable && !correlated {
        return Some(of_constants(input, equal, negated));
    }
    let none = Aggregate { keys: Vec::new(), calls: Vec::new(), ttl: None };
    let counts = if nullable { Some(counted(&input, width, &terms)?) } else { None };
    let (found, condition) = if correlated {
        let keyed = grouped(input, equal.into_iter().chain(terms).collect(), none, &[]);
        let keyed = keyed.filter(|own| own.later.is_none())?;
        (keyed.rel, keyed.condition)
    } else {
        let kept: Vec<usize> = (0..width).collect();
        (Rel::aggregate(Rel::keep(input, &kept), Aggregate { keys: kept.clone(), ..none }), Rex::and(equal))
    };
    let (mut exprs, mut names): (Vec<Rex>, Vec<String>) =
        ((0..found.width()).map(|column| found.column(column)).collect(), found.names());
    exprs.push(Rex::boolean(true));
    names.push(if correlated { format!("$f{}", exprs.len() - 1) } else { "i".into() });
    let rel = Rel::project(found, exprs, super::uniquify(names));
    let start = counts.as_ref().map_or(0, |(counts, ..)| counts.width());
    let there = Rex::column(start + rel.width() - 1, DataType::new(LogicalType::Boolean));
    let answer = match &counts {
        None => is(if negated { "IS NULL" } else { "IS NOT NULL" }, there),
        Some((counts, kind, _)) => {
            let count = |column: usize| {
                let own = counts.column(column);
                let nullable = own.ty.nullable || *kind == JoinKind::Left;
                Rex { ty: own.ty.with_nullable(nullable), ..own }
            };
            let told = Told { all: count(start - 2), known: count(start - 1), there, sought };
            match (correlated, negated) {
                (true, false) => told.in_turn(),
                (true, true) => Rex::typed_call("NOT", vec![told.in_turn()], DataType::new(LogicalType::Boolean)),
                (false, false) => told.is_in(),
                (false, true) => told.is_not_in(),
            }
        }
    };
    Some(Scalar { rel, values: vec![answer], condition, exists: !nullable, counts, later: None })
}

/// The answer where constants are looked for: whether a row is found is asked first, then whether one is NULL.
fn of_constants(input: Rel, equal: Vec<Rex>, negated: bool) -> Scalar {
    let width = equal.len();
    let nullable: Vec<usize> = (0..width).filter(|i| input.schema.fields[*i].ty.nullable).collect();
    let nulls = nullable.iter().map(|i| is("IS NULL", input.column(*i)));
    let candidates = Rex::or([Rex::and(equal)].into_iter().chain(nulls).collect());
    let known = nullable.iter().map(|i| is("IS NOT NULL", input.column(*i))).collect();
    let kept = Rel::project(Rel::filter(input, candidates), vec![Rex::and(known)], vec!["cs".into()]);
    let count = AggCall {
        function: AggFunction::Sql(AggregateFunction::Count),
        distinct: false,
        args: Vec::new(),
        filter: None,
        ty: DataType::not_null(LogicalType::BigInt),
        name: Some("c".into()),
    };
    let counted = Rel::aggregate(kept, Aggregate { keys: vec![0], calls: vec![count], ttl: None });
    let order = vec![SortColumn { column: 0, descending: true, nulls_first: false }];
    let schema = counted.schema.clone();
    let sort = Sort { order, offset: None, fetch: Some(1) };
    let rel = Rel { op: RelOp::Sort(sort), inputs: vec![counted], schema };
    let column = |i: usize| Rex::column(i, rel.schema.fields[i].ty.with_nullable(true));
    let ty = DataType::new(LogicalType::Boolean);
    let none = is("IS NULL", column(1));
    let branches = vec![
        (none, Rex::boolean(false)),
        (Rex::typed_call("NOT", vec![column(0)], ty.clone()), Rex::null(&ty)),
        (is("IS NOT NULL", column(0)), Rex::boolean(true)),
    ];
    let found = Rex { kind: RexKind::Case { branches, otherwise: Box::new(Rex::boolean(false)) }, ty: ty.clone() };
    let answer = if negated { Rex::typed_call("NOT", vec![found], ty) } else { found };
    Scalar { rel, values: vec![answer], condition: Rex::boolean(true), exists: false, counts: None, later: None }
}

/// How many rows the subquery has, and how many of them are not NULL.
fn counted(input: &Rel, width: usize, terms: &[Rex]) -> Option<(Rel, JoinKind, Rex)> {
    let call = |name: &str, args: Vec<usize>| AggCall {
        function: AggFunction::Sql(AggregateFunction::Count),
        distinct: false,
        args,
        filter: None,
        ty: DataType::not_null(LogicalType::BigInt),
        name: Some(name.into()),
    };
    let calls = vec![call("c", Vec::new()), call("ck", (0..width).collect())];
    let aggregate = Aggregate { keys: Vec::new(), calls, ttl: None };
    if terms.is_empty() {
        let kept: Vec<usize> = (0..width).collect();
        let rel = Rel::aggregate(Rel::keep(input.clone(), &kept), aggregate);
        return Some((rel, JoinKind::Inner, Rex::boolean(true)));
    }
    let keyed = grouped(input.clone(), terms.to_vec(), aggregate, &[None, None]).filter(|own| own.later.is_none())?;
    Some((keyed.rel, JoinKind::Left, keyed.condition))
}

/// What the answer is told from.
struct Told {
    /// The number of rows.
    all: Rex,
    /// The number of those that are not NULL.
    known: Rex,
    /// Not NULL where a row is found.
    there: Rex,
    /// What is looked for.
    sought: Vec<Rex>,
}

impl Told {
    fn count(&self, op: &str) -> Rex {
        let zero = Rex::literal(Value::Int(0), DataType::not_null(LogicalType::Int));
        Rex::typed_call(op, vec![self.all.clone(), zero], boolean())
    }

    fn compared(&self, op: &str) -> Rex {
        Rex::typed_call(op, vec![self.known.clone(), self.all.clone()], boolean())
    }

    fn sought_nulls(&self) -> Vec<Rex> {
        self.sought.iter().filter(|rex| rex.ty.nullable).map(|rex| is("IS NULL", rex.clone())).collect()
    }

    fn sought_known(&self) -> Vec<Rex> {
        self.sought.iter().filter(|rex| rex.ty.nullable).map(|rex| is("IS NOT NULL", rex.clone())).collect()
    }

    fn unknown(&self) -> Rex {
        Rex::null(&DataType::new(LogicalType::Boolean))
    }

    fn is_in(&self) -> Rex {
        let some = self.count("<>");
        let mut terms = Vec::new();
        let nulls = self.sought_nulls();
        if !nulls.is_empty() {
            terms.push(Rex::and(vec![Rex::or(nulls), self.unknown(), some.clone()]));
        }
        let found = [is("IS NOT NULL", self.there.clone()), some.clone()].into_iter().chain(self.sought_known());
        terms.push(Rex::and(found.collect()));
        let open = [self.compared("<"), self.unknown(), some].into_iter().chain(self.sought_known());
        terms.push(Rex::and(open.chain([is("IS NULL", self.there.clone())]).collect()));
        Rex::or(terms)
    }

    fn is_not_in(&self) -> Rex {
        let mut terms = vec![self.count("=")];
        let nulls = self.sought_nulls();
        if !nulls.is_empty() {
            terms.push(Rex::and(vec![Rex::or(nulls), self.unknown()]));
        }
        let missing = is("IS NULL", self.there.clone());
        let open = [self.compared("<"), self.unknown()].into_iter().chain(self.sought_known());
        terms.push(Rex::and(open.chain([missing.clone()]).collect()));
        let none = self.sought_known().into_iter().chain([missing, self.compared(">=")]);
        terms.push(Rex::and(none.collect()));
        Rex::or(terms)
    }

    /// The same where there may be no counts, since no row belongs to the row of the query around.
    fn in_turn(&self) -> Rex {
        let ty = DataType::new(LogicalType::Boolean);
        let mut branches = vec![(self.count("="), Rex::boolean(false))];
        let nulls = self.sought_nulls();
        if !nulls.is_empty() {
            branches.push((Rex::or(nulls), self.unknown()));
        }
        branches.push((is("IS NOT NULL", self.there.clone()), Rex::boolean(true)));
        branches.push((self.compared("<"), self.unknown()));
        Rex { kind: RexKind::Case { branches, otherwise: Box::new(Rex::boolean(false)) }, ty }
    }
}
