//! The page's examples: each is a script without a fault, and its jobs are built.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use tidegate::data::keys::{hash_keys, key_group, subtask_of};
use tidegate::runtime::Restore;
use tidegate::{Session, SessionOptions};

const EXAMPLES: [(&str, &str, usize, &str); 5] = [
    ("clicks", include_str!("../../../web/src/examples/clicks.sql"), 2, "GroupWindowAggregate|WindowAggregate"),
    ("sums", include_str!("../../../web/src/examples/sums.sql"), 1, "GroupAggregate"),
    ("bills", include_str!("../../../web/src/examples/bills.sql"), 1, "Deduplicate"),
    ("late", include_str!("../../../web/src/examples/late.sql"), 1, "WindowAggregate"),
    ("stock", include_str!("../../../web/src/examples/stock.sql"), 1, "GroupAggregate"),
];

#[test]
fn every_example_becomes_jobs() {
    for (name, sql, jobs, operator) in EXAMPLES {
        let problems = Session::check(sql, &SessionOptions::default());
        assert!(problems.is_empty(), "{name}: {problems:?}");
        let mut session = Session::new(SessionOptions { watched: true, ..SessionOptions::default() });
        session.run(sql, Restore::None).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        assert_eq!(session.jobs().len(), jobs, "{name}");
        let plans: String = session.jobs().iter().flat_map(|job| job.plan.explain.clone()).collect();
        assert!(operator.split('|').any(|operator| plans.contains(operator)), "{name}: {plans}");
        // The first rows fit their tables.
        let case = tidegate::case::read(sql);
        let input = tidegate::case::input(sql, &case, &session);
        assert!(input.is_ok(), "{name}: {:?}", input.err());
    }
}

/// Two sources and two sums: each sum has a subtask to itself, or there is nothing to see of the exchange.
#[test]
fn odd_and_even_sums_lie_in_two_subtasks() {
    let keys: ArrayRef = Arc::new(StringArray::from(vec!["Odd", "Even"]));
    let subtasks = hash_keys(&[keys]).into_iter().map(|hash| subtask_of(key_group(hash, 128), 128, 2));
    let mut subtasks: Vec<u32> = subtasks.collect();
    subtasks.sort_unstable();
    assert_eq!(subtasks, [0, 1]);
}
