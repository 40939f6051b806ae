//! Random expressions, queries and statements, a fixed range of seeds of each. `TIDEGATE_RANDOM_RUNS=n` tries n of each instead,
//! `TIDEGATE_RANDOM_FIRST=n` begins with another seed.

use tidegate_tests::random::Kind;
use tidegate_tests::random::trial::{Total, search};
use tidegate_tests::report::all;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

/// Tries as many seeds as the test command has time for; ten times as many where everything is to be tested.
fn run(kind: Kind, usual: u64) -> Total {
    let first = number("TIDEGATE_RANDOM_FIRST").unwrap_or(0);
    let runs = number("TIDEGATE_RANDOM_RUNS").unwrap_or(if all() { 10 * usual } else { usual });
    let total = search(kind, first..first + runs).unwrap_or_else(|failure| panic!("{}", failure.explain(kind)));
    println!("{kind:?}: {total:?}");
    // Where everything is refused nothing is compared.
    assert!(kind == Kind::Statements || total.refused < runs / 3, "{total:?}");
    total
}

#[test]
fn expressions_are_what_a_slow_evaluator_says() {
    let total = run(Kind::Expressions, 4_000);
    assert!(total.same > total.fails && total.fails > total.same / 100, "{total:?}");
}

#[test]
fn queries_leave_what_follows_from_their_rows() {
    run(Kind::Queries, 2_500);
}

#[test]
fn queries_with_time_leave_what_follows_from_their_rows() {
    run(Kind::Times, 500);
}

#[test]
fn statements_are_planned_or_refused() {
    let total = run(Kind::Statements, 4_000);
    assert!(total.same > total.refused / 20, "{total:?}");
}
