//! Faults set off by hand, the two-phase commit as it runs, savepoints, and the way back to a checkpoint.

use tidegate_browser_tests::{Options, Playground};

/// Copies numbers into a table, in transactions; no generator and no interval: all that happens is the test's doing.
const COPIES: &str = "SET 'parallelism.default' = '2';
SET 'execution.checkpointing.tolerable-failed-checkpoints' = '10';
CREATE TABLE numbers (n BIGINT)
WITH ('connector' = 'log', 'topic' = 'numbers', 'partitions' = '2');
CREATE TABLE copies (odd BIGINT, n BIGINT, PRIMARY KEY (odd, n) NOT ENFORCED)
WITH ('connector' = 'table', 'table-name' = 'copies', 'sink.delivery-guarantee' = 'exactly-once');
INSERT INTO copies
SELECT DISTINCT MOD(n, 2) AS odd, n
FROM numbers;
";

fn open() -> Playground {
    let page = Playground::open(&Options { width: 1366, height: 768, ..Options::default() }, "");
    page.run_query(COPIES);
    page.choose("#speed", "inf");
    page.wait_for_text("#job-state", "RUNNING");
    page
}

/// Sends numbers, and waits until they have come through: a barrier that is sent now is behind them.
fn send(page: &Playground, numbers: &[i64]) {
    for number in numbers {
        page.send("numbers", 0, &[&number.to_string()]);
    }
    let tab = page.script("return document.querySelector('[aria-label=Results] > [aria-selected=true]').id;", &[]);
    let tab = tab.as_str().and_then(|id| id.strip_prefix("tab-")).unwrap_or("changelog").to_owned();
    page.tab_of("changelog");
    page.wait_for("the numbers to come through", || {
        let table = page.table();
        numbers.iter().all(|number| table.iter().any(|row| row[1] == number.to_string())).then_some(())
    });
    page.tab_of(&tab);
}

/// Waits until a committed reader sees exactly these numbers.
fn wait_for_copies(page: &Playground, numbers: &[i64]) {
    page.tab_of("sink");
    let rows: Vec<[String; 2]> = numbers.iter().map(|number| [(number % 2).to_string(), number.to_string()]).collect();
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
    page.wait_for_committed(&rows);
}

/// Waits until a transaction is in this state, as the commit's view says it.
fn wait_for_transaction(page: &Playground, state: &str) {
    page.wait_for_script(&format!(
        "[...document.querySelectorAll('#transactions tbody tr')].some((row) => row.className === '{state}')"
    ));
}

#[test]
fn a_two_phase_commit_is_followed_step_by_step_and_survives_a_crash_at_each() {
    let page = open();
    page.tab_of("commit");
    page.wait_for_text(".commit", "No transaction yet");
    let mut numbers = vec![1];
    send(&page, &numbers);
    wait_for_transaction(&page, "open");
    page.find("#moment-begun[aria-current=step]");
    page.screenshot("commit-open");
    page.checkpoint();
    wait_for_transaction(&page, "committed");
    page.wait_for_text("#transactions", "pre-committed at step");
    for moment in ["begun", "triggered", "pre-committed", "voted", "decided", "committing", "committed"] {
        page.tab_of("commit");
        page.wait_for_text("#job-state", "RUNNING");
        page.click(&format!("#crash-at-{moment}"));
        page.wait_for_text(&format!("#crash-at-{moment}"), "comes next time");
        let next = numbers.len() as i64 + 1;
        numbers.push(next);
        send(&page, &[next]);
        page.checkpoint();
        // It has crashed by now: the button is on offer again.
        page.wait_for_text(&format!("#crash-at-{moment}"), "crash here");
        page.checkpoint();
        wait_for_copies(&page, &numbers);
    }
    page.tab_of("commit");
    page.screenshot("commit-after-crashes");
}

#[test]
fn transactions_that_time_out_lose_rows_and_the_page_says_so() {
    let page = open();
    page.tab_of("faults");
    page.find("#fault-transactions:disabled");
    page.wait_for_text(".faults", "no transaction is open");
    send(&page, &[1]);
    page.checkpoint();
    wait_for_copies(&page, &[1]);
    send(&page, &[2]);
    page.tab_of("faults");
    page.click("#fault-late-ack");
    page.click("#checkpoint");
    page.tab_of("commit");
    wait_for_transaction(&page, "pre-committed");
    page.tab_of("faults");
    page.click("#fault-transactions");
    page.tab_of("commit");
    wait_for_transaction(&page, "timed-out");
    // The late acknowledgement completes the checkpoint, and nothing is there to commit.
    wait_for_transaction(&page, "lost");
    page.screenshot("transaction-lost");
    page.wait_for_event("is lost");
    wait_for_copies(&page, &[1]);
    page.wait_for_text("#job-state", "RUNNING");
}

#[test]
fn storage_that_is_full_or_away_fails_checkpoints_until_it_is_over() {
    let page = open();
    send(&page, &[1]);
    page.tab_of("faults");
    page.screenshot("faults");
    page.click("#fault-storage-full");
    page.wait_for_text(".outage", "Checkpoint storage is full");
    page.click("#checkpoint");
    page.tab_of("checkpoints");
    page.wait_for_text("#checkpoints", "checkpoint storage is full");
    page.screenshot("storage-full");
    page.tab_of("faults");
    page.click(".outage button");
    page.wait_for_script("!document.querySelector('.outage')");
    page.checkpoint();
    wait_for_copies(&page, &[1]);
    // The sink's own store: nothing is written, so that the barrier waits, and nothing is lost.
    page.tab_of("faults");
    page.click("#fault-sink-away");
    page.wait_for_text(".outage", "is away");
    send(&page, &[2]);
    page.click(".outage button");
    page.checkpoint();
    wait_for_copies(&page, &[1, 2]);
}

#[test]
fn a_damaged_checkpoint_is_named_and_the_one_before_is_taken() {
    let page = open();
    page.tab_of("faults");
    page.find("#fault-part-damaged:disabled");
    for number in 1..3 {
        send(&page, &[number]);
        page.checkpoint();
    }
    page.click("#fault-part-damaged");
    page.wait_for_text("#message", "is spoilt");
    page.click("#crash");
    page.click("#crash-job");
    page.wait_for_event("is damaged");
    page.wait_for_event("restored from checkpoint 1");
    page.wait_for_text("#job-state", "RUNNING");
}

#[test]
fn a_job_stops_with_a_savepoint_and_goes_on_from_any_that_is_kept() {
    let page = open();
    send(&page, &[1]);
    page.checkpoint();
    send(&page, &[2]);
    page.tab_of("checkpoints");
    page.click("#stop-suspend");
    page.wait_for_text("#job-state", "FINISHED");
    page.wait_for_text("#checkpoints", "savepoint");
    page.find("#savepoint:disabled");
    page.screenshot("stopped-with-savepoint");
    page.click("#restore-2");
    page.wait_for_text("#job-state", "RUNNING");
    send(&page, &[3]);
    page.checkpoint();
    wait_for_copies(&page, &[1, 2, 3]);
    page.tab_of("checkpoints");
    page.click("#restore-2");
    page.wait_for_script(
        "[...document.querySelectorAll('#go-to option')].filter((one) => one.textContent.includes('restored from checkpoint 2')).length > 1",
    );
    page.wait_for_text("#job-state", "RUNNING");
}

/// Numbers by parity, with so many subtasks.
fn by_parity(settings: &str, parallelism: u32, query: &str) -> String {
    format!(
        "{settings}SET 'parallelism.default' = '{parallelism}';
CREATE TABLE numbers (n BIGINT) WITH ('connector' = 'inline', 'partitions' = '2');
CREATE TABLE sums (odd BIGINT, total BIGINT, PRIMARY KEY (odd) NOT ENFORCED) WITH ('connector' = 'table');
INSERT INTO sums {query};
"
    )
}

/// The sums of these numbers, with this for each sum.
fn sums(settings: &str, parallelism: u32, sum: &str) -> String {
    let query = format!("SELECT MOD(n, 2) AS odd, {sum} AS total FROM numbers GROUP BY MOD(n, 2)");
    by_parity(settings, parallelism, &query)
}

/// A run that has summed up 2 and 3, and has a savepoint of that.
fn with_savepoint() -> Playground {
    let page = Playground::open(&Options { width: 1366, height: 768, ..Options::default() }, "");
    page.run_query(&sums("", 2, "SUM(n) + 0"));
    page.choose("#speed", "inf");
    page.wait_for_text("#job-state", "RUNNING");
    page.send("numbers", 0, &["2"]);
    page.send("numbers", 1, &["3"]);
    page.wait_for_table(&[&["0", "2"], &["1", "3"]]);
    page.tab_of("checkpoints");
    page.click("#savepoint:enabled");
    page.wait_for_text("#checkpoints tr[data-checkpoint='1']", "savepoint-1");
    page
}

/// Runs the editor's text from a savepoint.
fn run_from(page: &Playground, savepoint: u64) {
    page.tab_of("checkpoints");
    page.click(&format!("#run-from-{savepoint}:enabled"));
    page.wait_for_text("#message", &format!("Begun from savepoint {savepoint}"));
    page.wait_until_live();
    page.wait_for_text("#job-state", "RUNNING");
    page.settled();
}

#[test]
fn other_sql_at_another_parallelism_goes_on_counting_from_a_savepoint() {
    let page = with_savepoint();
    // What comes behind it is read again, by the new script.
    page.send("numbers", 0, &["10"]);
    page.write_query(&sums("", 3, "SUM(n) * 10"));
    run_from(&page, 1);
    page.wait_for_text("section[aria-label=Query] h2", "continuous");
    page.wait_for_event("restored from checkpoint 1");
    page.send("numbers", 1, &["5"]);
    page.checkpoint();
    page.tab_of("sink");
    page.wait_for_committed(&[&["0", "120"], &["1", "80"]]);
    // The savepoint outlives it: the script that names it begins there once more.
    let named = "SET 'execution.state-recovery.path' = 'savepoint-1';\n";
    page.run_query(&sums(named, 1, "SUM(n) + 0"));
    page.wait_for_text("#message", "Begun from savepoint 1");
    page.wait_for_event("restored from checkpoint 1");
    page.checkpoint();
    page.tab_of("sink");
    page.wait_for_committed(&[&["0", "12"], &["1", "8"]]);
    // And a reload is a crash like any other.
    page.reload();
    page.wait_until_live();
    page.wait_for_text("#message", "Resumed from checkpoint");
    page.settled();
    page.send("numbers", 0, &["100"]);
    page.checkpoint();
    page.tab_of("sink");
    page.wait_for_committed(&[&["0", "112"], &["1", "8"]]);
    page.assert_no_errors();
}

#[test]
fn state_that_does_not_fit_is_refused_operator_by_operator_and_can_be_left_out() {
    let page = Playground::open(&Options { width: 1366, height: 768, ..Options::default() }, "");
    // Two aggregates, one on the other.
    page.run_query(&by_parity(
        "",
        2,
        "SELECT MOD(times, 2) AS odd, SUM(times) AS total
FROM (SELECT n, COUNT(*) AS times FROM numbers GROUP BY n) GROUP BY MOD(times, 2)",
    ));
    page.choose("#speed", "inf");
    page.wait_for_text("#job-state", "RUNNING");
    page.send("numbers", 0, &["4"]);
    page.wait_for_table(&[&["1", "1"]]);
    page.tab_of("checkpoints");
    page.click("#savepoint:enabled");
    page.wait_for_text("#checkpoints tr[data-checkpoint='1']", "savepoint-1");
    // And none.
    let none = "SELECT MOD(n, 2), n FROM numbers";
    page.write_query(&by_parity("", 2, none));
    page.click("#run-from-1:enabled");
    page.wait_for_text("#message", "does not fit savepoint 1");
    page.wait_for_script(
        "new Set([...document.querySelectorAll('#problems .what')].map((what) => what.textContent.split('`')[1])
           .filter((uid) => uid?.includes('group-aggregate'))).size === 2",
    );
    page.wait_for_text("#problems", "ignore-unclaimed-state");
    page.settled();
    page.screenshot("savepoint-refused");
    // The run before goes on as it was.
    page.find("#run-from-1:enabled");
    page.wait_for_text("#job-state", "RUNNING");
    page.send("numbers", 1, &["5"]);
    page.tab_of("changelog");
    page.wait_for_table(&[&["1", "2"]]);
    // One that is not there is refused with those that are.
    page.write_query(&by_parity("SET 'execution.state-recovery.path' = 'savepoint-9';\n", 2, none));
    page.click("#run");
    page.wait_for_text("#problems", "Kept are: savepoint-1");
    page.settled();
    page.write_query(&by_parity("SET 'execution.state-recovery.ignore-unclaimed-state' = 'true';\n", 2, none));
    run_from(&page, 1);
    // Its sources stand in another place of the plan, so that their offsets are left out as well: all is read again.
    page.tab_of("changelog");
    page.wait_for_table(&[&["0", "4"], &["1", "5"]]);
    page.assert_no_errors();
}

#[test]
fn a_job_that_is_drained_fires_its_windows() {
    let page = Playground::open(&Options { width: 1366, height: 768, ..Options::default() }, "");
    page.run_query(
        "CREATE TABLE sales (amount INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
SELECT window_start, SUM(amount) AS total FROM TABLE(TUMBLE(TABLE sales, DESCRIPTOR(ts), INTERVAL '1' HOUR))
GROUP BY window_start, window_end;
",
    );
    page.choose("#speed", "inf");
    page.wait_for_text("#job-state", "RUNNING");
    page.send("sales", 0, &["3", "2024-01-01 12:00:00"]);
    page.send("sales", 0, &["4", "2024-01-01 12:10:00"]);
    page.tab_of("checkpoints");
    page.checkpoint();
    page.tab_of("changelog");
    assert!(page.table().is_empty(), "the window is open");
    page.tab_of("checkpoints");
    page.click("#stop-drain:enabled");
    page.wait_for_text("#job-state", "FINISHED");
    page.wait_for_text("#checkpoints tr[data-checkpoint='2']", "savepoint-2");
    page.tab_of("changelog");
    page.wait_for_table(&[&["2024-01-01 12:00:00.000", "7"]]);
    page.assert_no_errors();
}

#[test]
fn guarantees_stand_side_by_side_under_the_same_crashes() {
    let page = open();
    page.tab_of("faults");
    page.click("#faults-compared");
    page.find("#outcomes[data-schedule='1-2']");
    page.wait_for_script("document.querySelectorAll('#outcomes .outcome').length === 9");
    page.wait_for_text("#exactly-once-transactional .verdict", "all 24 right");
    page.wait_for_text("#exactly-once-idempotent .verdict", "all 24 right");
    page.wait_for_text("#exactly-once-plain .verdict", "doubled");
    page.wait_for_text("#at-least-once-idempotent .verdict", "wrong");
    page.wait_for_text("#at-most-once-plain .verdict", "lost");
    page.find("#at-most-once-plain tr.lost");
    // Each of them names its crash, and leads to it on the run's line.
    page.wait_for_script(
        "[...document.querySelectorAll('#outcomes tbody tr:not(.right)')].every((row) => row.querySelector('.due button'))",
    );
    page.click("#exactly-once-plain tr.doubled .due button");
    page.find("#exactly-once-plain .run-line button[aria-pressed=true]");
    page.wait_for_text("#exactly-once-plain .why", "is doubled: it was written before crash");
    page.find("#exactly-once-plain tr.doubled.here");
    // A crash of the line leads to its rows.
    page.click("#at-most-once-plain .run-line button[data-crash='1']");
    page.wait_for_text("#at-most-once-plain .why", "Crash 1 at step");
    page.wait_for_text("#at-most-once-plain .why", "begun again from nothing");
    page.find("#at-most-once-plain tr.lost.here");
    page.screenshot("guarantees");
    page.choose("#crashes", "0");
    page.wait_for_script(
        "[...document.querySelectorAll('#outcomes .verdict')].filter((one) => one.textContent === 'all 24 right').length === 9",
    );
}

#[test]
fn the_bill_service_of_today_doubles_payments_and_the_streaming_job_does_not() {
    let page = open();
    page.tab_of("faults");
    page.click("#faults-compared");
    page.click("#compare-bills");
    page.click("#bills-run:enabled");
    page.wait_for_text("#bills .verdict", "Streaming job: all amounts right");
    page.wait_for_text("#bills .verdict", "wrong");
    // A crash half-way: the rows that were written come again.
    page.find("#bills .batch[data-batch='2'].lost .crashed");
    page.wait_for_text("#bills .batch li.twice", "it was written before crash 1");
    page.wait_for_text("#bills .batch li.through", "duplicate: batch");
    page.find("#amounts td.service.off");
    let column = |place: usize| {
        let script = "return [...document.querySelectorAll('#amounts tbody tr')].map((row) => row.children[arguments[0]].textContent);";
        page.script(script, &[place.into()])
    };
    assert_eq!(column(1), column(4), "the truth and the streaming job");
    assert_ne!(column(1), column(2), "the truth and the service");
    page.screenshot("bills");
    // Another input comes to other amounts.
    let before = column(1);
    page.click("#bills-another");
    page.find("#bills[data-input='2']");
    page.wait_for_text("#bills-say", "Tick 0 ");
    assert_ne!(column(1), before);
    // By hand: one payment more, once more, and a crash.
    page.choose("#bills-crash-in", "0");
    page.wait_for_text("#bills-say", "Tick 0 ");
    page.click("#bills-pay");
    page.click("#bills-again");
    page.click("#bills-step");
    page.click("#bills-crash");
    page.click("#bills-run:enabled");
    page.wait_for_text("#bills .verdict", "Streaming job: all amounts right");
    assert_eq!(column(1), column(4), "the truth and the streaming job");
    page.assert_no_errors();
}

#[test]
fn an_acknowledgement_on_its_way_is_told() {
    let page = open();
    send(&page, &[1]);
    page.tab_of("faults");
    page.click("#fault-late-ack");
    page.click("#checkpoint");
    page.tab_of("checkpoints");
    page.find("#checkpoints .open-one .parts li.sent");
    page.wait_for_text("#checkpoints .open-one .parts li.sent", "written, acknowledgement on its way");
    page.wait_for_script(
        "[...document.querySelectorAll('.graph .subtask')].some((one) => one.textContent.includes('written, ack'))",
    );
    page.screenshot("acknowledgement-on-its-way");
    // It arrives, and the checkpoint completes.
    page.find("#checkpoints tr.completed");
    page.assert_no_errors();
}
