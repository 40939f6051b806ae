//! The page's examples: each is a script without a fault, and its jobs are built.

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
