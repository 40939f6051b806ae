//! Random changelogs, and the same queries over what they leave behind.

use tidegate_tests::batch::check;
use tidegate_tests::report::all;

#[test]
fn batch_equals_stream() {
    let runs = if all() { 2_000 } else { 60 };
    for seed in 0..runs {
        let found = check(seed);
        assert!(found.is_empty(), "seed {seed}:\n{}", found.join("\n"));
    }
}
