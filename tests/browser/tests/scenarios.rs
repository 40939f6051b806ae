//! Faults at the moment that matters: a countdown and what is lost with it, a zombie, slow storage, and scenarios.

use tidegate_browser_tests::{Options, Playground};

/// Copies numbers into a table, in transactions; no generator and no interval: all that happens is the test's doing.
const COPIES: &str = "SET 'execution.checkpointing.tolerable-failed-checkpoints' = '10';
CREATE TABLE numbers (n BIGINT)
WITH ('connector' = 'log', 'topic' = 'numbers');
CREATE TABLE copies (n BIGINT, PRIMARY KEY (n) NOT ENFORCED)
WITH ('connector' = 'table', 'table-name' = 'copies', 'sink.delivery-guarantee' = 'exactly-once');
INSERT INTO copies SELECT DISTINCT n FROM numbers;
";

/// Counts numbers into a table, in transactions, with channels to align.
const SUMS: &str = "SET 'parallelism.default' = '{}';
SET 'execution.checkpointing.tolerable-failed-checkpoints' = '10';
CREATE TABLE numbers (n BIGINT)
WITH ('connector' = 'inline', 'partitions' = '2');
CREATE TABLE sums (n BIGINT, times BIGINT, PRIMARY KEY (n) NOT ENFORCED)
WITH ('connector' = 'table', 'table-name' = 'sums', 'sink.delivery-guarantee' = 'exactly-once');
INSERT INTO sums SELECT n, COUNT(*) FROM numbers GROUP BY n;
";

fn open() -> Playground {
    let page = Playground::open(&Options { width: 1366, height: 768, ..Options::default() }, "");
    page.run_query(COPIES);
    page.choose("#speed", "inf");
    page.wait_for_text("#job-state", "RUNNING");
    page
}

/// Sends a number, and waits until it has come through.
fn send(page: &Playground, number: i64) {
    page.send("numbers", 0, &[&number.to_string()]);
    page.tab_of("changelog");
    page.wait_for("the number to come through", || {
        page.table().iter().any(|row| row[0] == number.to_string()).then_some(())
    });
}

/// Waits until a committed reader sees exactly these numbers.
fn wait_for_copies(page: &Playground, numbers: &[i64]) {
    page.tab_of("sink");
    let rows: Vec<String> = numbers.iter().map(i64::to_string).collect();
    let rows: Vec<[&str; 1]> = rows.iter().map(|row| [row.as_str()]).collect();
    let rows: Vec<&[&str]> = rows.iter().map(<[&str; 1]>::as_slice).collect();
    page.wait_for_committed(&rows);
}

#[test]
fn a_transaction_whose_time_runs_out_before_the_commit_is_counted_down_and_its_rows_are_counted() {
    let page = open();
    send(&page, 1);
    page.checkpoint();
    wait_for_copies(&page, &[1]);
    send(&page, 2);
    send(&page, 3);
    page.tab_of("commit");
    page.wait_for_text("#countdown", "min until transaction");
    page.click("#run-out");
    page.wait_for_text(".countdown", "comes with the next checkpoint");
    page.click("#checkpoint");
    page.wait_for_text("#countdown", "its rows are lost");
    page.find("#countdown.soon");
    page.screenshot("countdown");
    // The engine's own clock rolls it back; the late decision comes after that.
    page.find("#transactions tr.timed-out");
    page.wait_for_text("#lost", "2 rows lost");
    page.find("#transactions tr.lost");
    page.screenshot("rows-lost");
    page.wait_for_event("2 rows with it");
    wait_for_copies(&page, &[1]);
    page.wait_for_text("#job-state", "RUNNING");
    page.assert_no_errors();
}

#[test]
fn a_zombie_is_fenced_off_and_says_what_it_tried() {
    let page = open();
    send(&page, 1);
    page.tab_of("commit");
    page.find("#transactions tr.open");
    page.tab_of("faults");
    page.click("#fault-zombie");
    page.wait_for_text("#planned", "taken for dead");
    page.click("#checkpoint");
    page.wait_for_text("#zombie-tried", "commit of transaction");
    page.wait_for_text("#zombie-fenced", "TG5070");
    page.wait_for_text("#zombie", "Zombie: attempt 1");
    page.screenshot("zombie");
    page.wait_for_text("#job-state", "RUNNING");
    page.wait_for_event("the engine that was taken for dead came back");
    // It was committed once, by the engine that has taken over, and that one goes on.
    wait_for_copies(&page, &[1]);
    send(&page, 2);
    page.checkpoint();
    wait_for_copies(&page, &[1, 2]);
    page.assert_no_errors();
}

#[test]
fn storage_is_slow_until_it_is_told_not_to_be() {
    let page = open();
    send(&page, 1);
    page.tab_of("faults");
    page.find("#fault-storage-fast:disabled");
    page.fill("#fault-pace", "700");
    page.click("#fault-storage-slow");
    page.wait_for_text(".outage", "Checkpoint storage is slow: 700 ms a request");
    page.screenshot("storage-slow");
    page.checkpoint();
    // Its number, its state and its manifest: two requests one after the other at the least.
    page.tab_of("checkpoints");
    page.wait_for_script("/(1[4-9]|[2-9]\\d)\\d\\d ms/.test(document.querySelector('#checkpoints').textContent)");
    page.tab_of("faults");
    page.click(".outage button");
    page.wait_for_script("!document.querySelector('.outage')");
    page.find("#fault-storage-fast:disabled");
    wait_for_copies(&page, &[1]);
    page.assert_no_errors();
}

#[test]
fn a_scenario_is_put_together_kept_and_run_over_crashes_of_job_and_worker() {
    let page = open();
    send(&page, 1);
    page.tab_of("faults");
    page.choose("#fault-moment", "7");
    page.click("#add-job");
    page.choose("#fault-moment", "10");
    page.click("#add-worker");
    page.wait_for_text("#draft", "when one has pre-committed: the job crashes");
    page.wait_for_text("#draft", "when the checkpoint is complete: the engine’s worker is lost");
    page.fill("#scenario-name", "Two crashes");
    page.click("#scenario-keep");
    page.wait_for_text("#scenarios", "Run “Two crashes”");
    page.screenshot("scenario");
    page.click("#scenarios .run");
    page.wait_for_text("#planned", "when one has pre-committed: the job crashes");
    page.click("#checkpoint");
    // The first has happened, the second waits, over attempts.
    page.wait_for_script("document.querySelector('#planned')?.dataset.steps === '1'");
    page.wait_for_text("#job-state", "RUNNING");
    page.click("#checkpoint");
    page.wait_for_text("#message", "Resumed from checkpoint");
    page.wait_for_script("!document.querySelector('#planned')");
    page.wait_for_event("the engine before was lost");
    // The completed checkpoint holds the transaction: the new engine has committed it.
    wait_for_copies(&page, &[1]);
    // The scenario is still there, and can be drawn by a seed as well.
    page.tab_of("faults");
    page.wait_for_text("#scenarios", "Run “Two crashes”");
    page.fill("#scenario-seed", "7");
    page.click("#scenario-draw");
    page.wait_for_text("#scenarios", "Run “Seed 7”");
    page.click("#scenarios li[data-name='Two crashes'] .forget");
    page.wait_for_script("!document.querySelector('#scenarios').textContent.includes('Two crashes')");
    page.assert_no_errors();
}

#[test]
fn faults_come_at_the_moment_that_was_chosen() {
    let page = open();
    let mut numbers = Vec::new();
    for (moment, name) in
        [(1, "before the barriers"), (2, "barriers had set out"), (4, "first subtask had acknowledged")]
    {
        numbers.push(numbers.len() as i64 + 1);
        send(&page, numbers.len() as i64);
        page.tab_of("faults");
        page.wait_for_text("#job-state", "RUNNING");
        page.choose("#fault-moment", &moment.to_string());
        page.click("#fault-subtask");
        page.wait_for_script("Boolean(document.querySelector('#planned'))");
        page.click("#checkpoint");
        page.wait_for_script("!document.querySelector('#planned')");
        page.wait_for_event(name);
        page.wait_for_text("#job-state", "RUNNING");
        page.checkpoint();
        wait_for_copies(&page, &numbers);
    }
    page.tab_of("faults");
    page.choose("#fault-moment", "0");
    page.fill("#fault-lasts", "60");
    page.click("#fault-sink-full");
    page.wait_for_text(".outage", "The sink’s store is full");
    page.click(".outage button");
    page.wait_for_script("!document.querySelector('.outage')");
    page.assert_no_errors();
}

#[test]
fn a_subtask_crashes_while_it_aligns_and_a_job_without_alignment_says_why_not() {
    let page = open();
    page.tab_of("faults");
    page.choose("#fault-moment", "3");
    page.wait_for_text("li:has(#fault-subtask) .why", "one channel");
    page.run_query(&SUMS.replace("{}", "2"));
    page.wait_for_text("#job-state", "RUNNING");
    page.send("numbers", 0, &["1"]);
    page.tab_of("faults");
    page.choose("#fault-moment", "3");
    page.click("#fault-job");
    page.wait_for_script("Boolean(document.querySelector('#planned'))");
    page.click("#checkpoint");
    page.wait_for_event("a first subtask was aligning");
    page.wait_for_text("#job-state", "RUNNING");
    page.checkpoint();
    page.tab_of("sink");
    page.wait_for_committed(&[&["1", "1"]]);
    page.assert_no_errors();
}
