//! Checkpoints with alignment, crashes in the middle of them, and what reaches the sink.

use tidegate_browser_tests::{Options, Playground};

/// Odd and even sums without a generator and without an interval: all that happens is the test's doing.
const SUMS: &str = "SET 'parallelism.default' = '2';
CREATE TABLE numbers (n BIGINT)
WITH ('connector' = 'log', 'topic' = 'numbers', 'partitions' = '2');
CREATE TABLE sums (odd BIGINT, total BIGINT, cnt BIGINT, PRIMARY KEY (odd) NOT ENFORCED)
WITH ('connector' = 'table', 'table-name' = 'sums', 'sink.delivery-guarantee' = 'exactly-once');
INSERT INTO sums
SELECT MOD(n, 2) AS odd, SUM(n) AS total, COUNT(*) AS cnt
FROM numbers
GROUP BY MOD(n, 2);
";

fn wide() -> Options {
    Options { width: 1366, height: 768, ..Options::default() }
}

/// Sends numbers, and gives the table that has to come of all of them.
struct Truth {
    sums: [(i64, u64); 2],
}

impl Truth {
    fn new() -> Truth {
        Truth { sums: [(0, 0); 2] }
    }

    fn send(&mut self, page: &Playground, split: u32, numbers: &[i64]) {
        for number in numbers {
            page.send("numbers", split, &[&number.to_string()]);
            let (total, count) = &mut self.sums[number.rem_euclid(2) as usize];
            *total += number;
            *count += 1;
        }
    }

    fn rows(&self) -> Vec<[String; 3]> {
        let rows = self.sums.iter().enumerate().filter(|(_, (_, count))| *count > 0);
        rows.map(|(odd, (total, count))| [odd.to_string(), total.to_string(), count.to_string()]).collect()
    }

    /// A checkpoint more commits the rest; then the sink has to be exact, and the page's own table as well.
    fn assert_exact(&self, page: &Playground) {
        let rows = self.rows();
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
        page.wait_for_text("#job-state", "RUNNING");
        page.tab_of("changelog");
        page.wait_for_table(&rows);
        page.checkpoint();
        page.tab_of("sink");
        page.wait_for_committed(&rows);
    }
}

#[test]
fn barriers_align_and_what_comes_behind_them_queues() {
    let page = Playground::open(&wide(), "");
    page.run_query(SUMS);
    // More than can be worked off: the channels fill up.
    page.choose("#speed", "50");
    page.choose("#rate-numbers", "100");
    let full =
        "[...document.querySelectorAll('.channel[data-to^=\"1.\"]')].filter((one) => one.dataset.queued >= 5).length";
    page.wait_for_script(&format!("{full} >= 2"));
    page.play(false);
    page.screenshot("back-pressure");
    let aligning = "[...document.querySelectorAll('.channel[data-to^=\"1.\"][data-blocked=true]')].some((one) => one.dataset.queued >= 2)
        && document.querySelector('.subtask.waits') && document.querySelector('.subtask[data-acknowledged=true]')
        && document.querySelector('#sentence').textContent.includes('is aligning')";
    let mut steps = 0;
    page.wait_for("rows that queue behind a barrier", || {
        if page.script(&format!("return Boolean({aligning});"), &[]).as_bool() == Some(true) {
            return Some(());
        }
        let under_way =
            page.script("return /checkpoint \\d/.test(document.querySelector('#sentence').textContent);", &[]);
        if under_way.as_bool() == Some(false) && steps % 5 == 0 {
            page.click("#checkpoint");
        }
        let before = page.text("#steps");
        page.click("#step-element");
        // Not two steps between two looks.
        let _ = (0..20).find(|_| page.text("#steps") != before);
        steps += 1;
        None
    });
    page.wait_for_text("#sentence", "waits for");
    page.screenshot("alignment");
    page.tab_of("checkpoints");
    page.wait_for_text("#checkpoints", "acknowledged");
    page.screenshot("alignment-checkpoints");
    page.choose("#rate-numbers", "0");
    page.choose("#speed", "inf");
    page.play(true);
    page.wait_for_text("#checkpoints", "completed");
    page.find("#checkpoints tr.completed");
    page.screenshot("checkpoint-completed");

    // Every row that was sent is in the result, and with the next checkpoint in the sink.
    page.tab_of("changelog");
    page.wait_for("all rows to arrive", || {
        let counted: u64 = page.table().iter().filter_map(|row| row[2].parse::<u64>().ok()).sum();
        (counted == page.sent()).then_some(())
    });
    let table = page.table();
    page.checkpoint();
    page.tab_of("sink");
    let table: Vec<Vec<&str>> = table.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    page.wait_for_committed(&table.iter().map(Vec::as_slice).collect::<Vec<_>>());
    page.screenshot("sink-committed");
    page.assert_no_errors();
}

#[test]
fn a_checkpoint_by_hand_is_one_of_every_job() {
    let page = Playground::open(&wide(), "");
    page.choose("#speed", "inf");
    page.run_query(
        "CREATE TABLE orders (product STRING, amount INT) WITH ('connector' = 'inline');
SELECT COUNT(*) AS orders FROM orders;
SELECT SUM(amount) AS total FROM orders;
",
    );
    page.send("orders", 0, &["tea", "3"]);
    page.wait_for_table(&[&["1"]]);
    page.click("#checkpoint");
    page.wait_for("the checkpoint of the job shown", || (page.completed() == 1).then_some(()));
    page.click(".jobs [role=tab]:last-child");
    page.wait_for_table(&[&["3"]]);
    page.wait_for("the checkpoint of the other job", || (page.completed() == 1).then_some(()));
    page.assert_no_errors();
}

#[test]
fn an_uncommitted_reader_sees_more_until_the_checkpoint() {
    let page = Playground::open(&wide(), "");
    page.run_query(SUMS);
    let mut truth = Truth::new();
    truth.send(&page, 0, &[2, 4]);
    page.wait_for_table(&[&["0", "6", "2"]]);
    page.checkpoint();
    page.tab_of("sink");
    page.wait_for_committed(&[&["0", "6", "2"]]);
    truth.send(&page, 1, &[3]);
    page.tab_of("changelog");
    page.wait_for_table(&[&["0", "6", "2"], &["1", "3", "1"]]);
    page.tab_of("sink");
    assert_eq!(page.committed(), [["0", "6", "2"]]);
    truth.assert_exact(&page);
    page.assert_no_errors();
}

#[test]
fn crashes_in_the_middle_of_a_checkpoint_lose_nothing_and_double_nothing() {
    let page = Playground::open(&wide(), "?store-delay=60");
    page.run_query(SUMS);
    page.choose("#speed", "200");
    let mut truth = Truth::new();
    truth.send(&page, 0, &[1, 2, 3]);
    truth.send(&page, 1, &[10, 11]);
    page.checkpoint();
    for (round, what) in ["0-0", "1-1", "job", "worker"].into_iter().enumerate() {
        let base = 100 * (round as i64 + 1);
        truth.send(&page, 0, &[base + 1, base + 2]);
        page.click("#checkpoint");
        page.wait_for_script("/checkpoint \\d+/.test(document.querySelector('#sentence').textContent)");
        page.crash(what);
        if what == "worker" {
            page.wait_for_text("#message", "Resumed from checkpoint");
            page.screenshot("restored");
        } else {
            page.wait_for_script("document.querySelector('#timeline .crash')");
        }
        page.wait_for_text("#job-state", "RUNNING");
        truth.send(&page, 1, &[base + 3]);
        truth.assert_exact(&page);
        page.tab_of("changelog");
    }
    page.screenshot("after-four-crashes");
    page.assert_no_errors();
}

#[test]
fn the_worker_may_die_before_during_and_after_a_write_of_the_store() {
    const DELAY: f64 = 200.0;
    let page = Playground::open(&wide(), &format!("?store-delay={DELAY}"));
    page.run_query(SUMS);
    page.choose("#speed", "inf");
    let mut truth = Truth::new();
    truth.send(&page, 0, &[5]);
    page.checkpoint();
    // The store carries a request out after half of the delay, and answers after all of it.
    for (round, part) in [0.0, 0.25, 0.75, 1.25].into_iter().enumerate() {
        truth.send(&page, (round % 2) as u32, &[10 + round as i64, 21 + round as i64]);
        page.click("#checkpoint");
        page.wait_for_script("/being written down|acknowledged/.test(document.querySelector('#sentence').textContent)");
        page.wait_for_script(&format!(
            "(window.since ??= performance.now(), performance.now() - window.since >= {})",
            part * DELAY
        ));
        page.script("delete window.since;", &[]);
        page.crash("worker");
        page.wait_for_text("#message", "Resumed");
        page.wait_until_live();
        truth.assert_exact(&page);
        page.tab_of("changelog");
    }
    page.assert_no_errors();
}

#[test]
fn what_a_checkpoint_costs_is_shown_for_every_mode_while_it_runs() {
    let page = Playground::open(&wide(), "");
    page.run_query(SUMS);
    page.tab_of("checkpoints");
    page.click("#checkpoints-compared");
    page.choose("#cost-channel", "20");
    page.choose("#cost-storage", "100");
    page.click("#compare-modes");
    page.wait_for_script("document.querySelectorAll('#modes tbody tr').length === 5");
    page.wait_for_text("#costs-say", "4000 of 4000 ms");
    page.wait_for_text("#costs-say", "slow: ");
    let drawn = "[...document.querySelectorAll('#modes tbody tr')].every((row) =>
        Number(row.dataset.checkpoints) >= 3 && row.querySelector('.lane .took') && row.querySelector('.lane .latency').getAttribute('points'))";
    page.wait_for_script(drawn);
    let blocked = |mode: &str| {
        let text = page.text(&format!("#modes tr[data-mode={mode}] td:nth-child(4) .figure"));
        text.split(' ').next().and_then(|ms| ms.parse::<u64>().ok()).expect("a figure")
    };
    assert_eq!(blocked("at-least-once"), 0);
    assert!(blocked("aligned") > 0);
    // Storage is in the way of the one mode that waits for it.
    assert!(blocked("stop-the-world") >= 100);
    page.screenshot("costs");
    page.click(".costs details summary");
    page.wait_for_script("document.querySelectorAll('.costs details tbody tr').length >= 15");
    page.assert_no_errors();
}

#[test]
fn the_history_tells_each_checkpoint_by_subtask_and_what_a_restore_reads_again() {
    let page = Playground::open(&wide(), "");
    page.run_query(SUMS);
    page.choose("#speed", "inf");
    let mut truth = Truth::new();
    truth.send(&page, 0, &[1, 2]);
    page.wait_for_table(&[&["0", "2", "1"], &["1", "1", "1"]]);
    page.checkpoint();
    truth.send(&page, 1, &[3]);
    page.wait_for_table(&[&["0", "2", "1"], &["1", "4", "2"]]);
    page.tab_of("checkpoints");
    page.checkpoint();
    page.wait_for_script("document.querySelectorAll('.so-far svg rect').length === 8");
    // The newest is open; another one is opened in its place.
    page.wait_for_text("#checkpoints tr[data-checkpoint='2'] + .detail", "snapshot");
    page.click("#checkpoints tr[data-checkpoint='1'] .of");
    page.wait_for_text("#checkpoints tr[data-checkpoint='1'] + .detail", "entries");
    page.screenshot("checkpoint-history");
    page.tab_of("changelog");
    truth.send(&page, 0, &[4]);
    page.wait_for_table(&[&["0", "6", "2"], &["1", "4", "2"]]);
    page.crash("job");
    page.wait_for_event("restored from checkpoint 2; 1 row is read once more");
    page.find(".timeline .replayed");
    page.tab_of("checkpoints");
    page.wait_for_text("#checkpoints tr[data-checkpoint='2']", "restored once");
    truth.assert_exact(&page);
    page.assert_no_errors();
}

#[test]
fn several_checkpoints_under_way_are_shown_each() {
    let page = Playground::open(&wide(), "");
    page.run_query(&format!(
        "SET 'execution.checkpointing.max-concurrent-checkpoints' = '2';\nSET 'execution.checkpointing.interval' = '1 s';\n{SUMS}"
    ));
    page.tab_of("checkpoints");
    // Slower than they come.
    page.choose("#speed", "5");
    page.choose("#rate-numbers", "5");
    page.wait_for_script("document.querySelectorAll('#checkpoints .open-one').length === 2");
    page.wait_for_script(
        "document.querySelector('#sentence').textContent.match(/checkpoint \\d+ (·|is)/g)?.length > 0",
    );
    let labels = page.texts("#checkpoints .open-one > .label");
    page.screenshot("several-checkpoints");
    assert!(labels.len() >= 2 && labels[0] != labels[1], "{labels:?}");
    page.wait_for_script("document.querySelectorAll('.open-one:nth-of-type(2) .parts li').length >= 4");
    page.assert_no_errors();
}
