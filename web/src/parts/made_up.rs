//! Data for the parts: a job while a checkpoint aligns, as wide and as deep as one likes.

use tidegate_protocol::{
    Acknowledgement, BillAccount, BillBatch, BillCrash, BillLine, BillsFrame, ChangelogRow, ChannelFrame,
    CheckpointFrame, Checkpoints, CostCheckpoint, CostLane, CostsFrame, Frame, GuaranteeCrash, GuaranteeOutcome,
    GuaranteeRow, InputFrame, InputLayout, JobFrame, JobLayout, JobSummary, Layout, OutageFrame, PastFrame, Problem,
    QueuedElement, ReplayFrame, ResultFrame, ResultLayout, StoragePlace, SubtaskFrame, TransactionFrame, VertexLayout,
};

/// A script.
pub const SQL: &str = "INSERT INTO sums\nSELECT MOD(n, 2) AS odd, SUM(n) AS total\nFROM numbers\nGROUP BY MOD(n, 2);\n";
/// The same with a mistake.
pub const WRONG: &str =
    "INSERT INTO sums\nSELECT MOD(n, 2) AS odd, SUM(m) AS total\nFROM numbers\nGROUP BY MOD(n, 2);\n";

/// What is wrong with it.
pub fn problems() -> Vec<Problem> {
    vec![Problem {
        code: "TG2003".into(),
        severity: "error".into(),
        span: Some((46, 47)),
        line: Some(2),
        message: "Column 'm' not found in any table".into(),
        hints: vec!["Did you mean n?".into()],
        fix: Some((46, 47, "n".into())),
    }]
}

fn columns() -> Vec<(String, String)> {
    vec![("odd".into(), "BIGINT".into()), ("total".into(), "BIGINT".into())]
}

fn row(odd: u64, total: u64) -> Vec<Option<String>> {
    vec![Some(odd.to_string()), Some(total.to_string())]
}

/// A job of `depth` vertices with `parallelism` subtasks each.
pub fn frame(parallelism: u32, depth: u32, aligning: bool) -> Frame {
    let name = |vertex: u32| match vertex {
        0 => "Source: numbers".to_owned(),
        last if last == depth => "Sink: sums".to_owned(),
        other => format!("GroupAggregate {other}"),
    };
    let vertices = (0..=depth).map(|vertex| VertexLayout {
        // The source is chained with what comes behind it.
        name: if vertex == 0 { format!("{} -> Calc", name(vertex)) } else { name(vertex) },
        operators: vec![(
            format!("uid-{vertex}"),
            name(vertex),
            format!("{}(select=[odd, SUM(n) AS total])", name(vertex)),
        )],
        parallelism,
        source: vertex == 0,
        sink: vertex == depth,
        hidden: false,
    });
    let subtasks = (0..=depth).flat_map(|vertex| (0..parallelism).map(move |index| (vertex, index)));
    let waits = |vertex: u32, index: u32| aligning && vertex == 1 && index == 1;
    let channels = (0..depth).flat_map(|from| {
        (0..parallelism).flat_map(move |index| (0..parallelism).map(move |other| ((from, index), (from + 1, other))))
    });
    let checkpoint = CheckpointFrame {
        id: 3,
        status: "in progress".into(),
        duration: 41,
        subtasks: subtasks
            .clone()
            .map(|(vertex, _)| Acknowledgement { acknowledged: vertex == 0, ..Acknowledgement::default() })
            .collect(),
        ..CheckpointFrame::default()
    };
    let ended = |id: u64, status: &str, reason: Option<&str>| CheckpointFrame {
        id,
        status: status.into(),
        reason: reason.map(Into::into),
        duration: 12 * id,
        bytes: 900 * id,
        savepoint: id == 1,
        kept: reason.is_none(),
        subtasks: subtasks
            .clone()
            .map(|_| Acknowledgement { acknowledged: true, bytes: 90, sync_us: 300, ..Acknowledgement::default() })
            .collect(),
        ..CheckpointFrame::default()
    };
    let changelog = [("+I", 0, 2), ("+I", 1, 5), ("-U", 1, 5), ("+U", 1, 12), ("-D", 0, 2)];
    let job = JobFrame {
        replays: vec![ReplayFrame { checkpoint: 1, from: 12, to: 30, at: 33, rows: Some(4) }],
        subtasks: subtasks
            .clone()
            .map(|(vertex, index)| SubtaskFrame {
                vertex,
                index,
                status: if waits(vertex, index) { "aligning" } else { "idle" }.into(),
                detail: if waits(vertex, index) { "barrier 3: 1 of 2".into() } else { String::new() },
                rows_in: 1234 * u64::from(vertex),
                rows_out: 1234 * u64::from(vertex + 1),
                acknowledged: if aligning && vertex == 0 { vec![3] } else { Vec::new() },
                state: if vertex == 1 { vec![("uid-1".into(), "groups".into(), 2, 64)] } else { Vec::new() },
                kept: if vertex == 1 { 2 } else { 0 },
                ..SubtaskFrame::default()
            })
            .collect(),
        channels: channels
            .map(|(from, to)| {
                let blocked = waits(to.0, to.1) && from.1 == 0;
                let queued = if blocked {
                    vec![QueuedElement::Rows(1, String::new()); 3]
                } else if waits(to.0, to.1) {
                    vec![QueuedElement::Rows(12, String::new()), QueuedElement::Barrier(3)]
                } else {
                    Vec::new()
                };
                ChannelFrame { from, to, length: queued.len() as u32, queued, capacity: 8, blocked, rows: 900, pace: 0 }
            })
            .collect(),
        checkpoints: Checkpoints {
            current: aligning.then_some(checkpoint),
            others: Vec::new(),
            history: vec![ended(2, "completed", None), ended(1, "aborted", Some("timed out"))],
            completed: 1,
            failed: 1,
            interval: Some(10_000),
        },
        results: vec![ResultFrame {
            total: 5,
            matching: 5,
            kinds: [2, 1, 1, 1],
            changelog: changelog
                .iter()
                .enumerate()
                .map(|(number, (kind, odd, total))| ChangelogRow {
                    number: number as u64,
                    kind: (*kind).into(),
                    values: row(*odd, *total),
                    cause: Some(("numbers".into(), 0, number as u64)),
                })
                .collect(),
            table_total: 1,
            table: vec![(row(1, 12), 3)],
            committed: vec![row(0, 2)],
            committed_total: 1,
            uncommitted: vec![(row(0, 2), true), (row(1, 12), false)],
            uncommitted_total: 2,
            ..ResultFrame::default()
        }],
        transactions: transactions(depth),
        outages: vec![OutageFrame { place: StoragePlace::Checkpoints, full: false, left: 4_200 }],
        events: vec![
            (20, 0, "checkpoint 2 completed".into(), "checkpoint".into()),
            (34, 0, "killed".into(), "crash".into()),
            (36, 0, "restored from checkpoint 2".into(), "restore".into()),
        ],
        ..JobFrame::default()
    };
    Frame {
        version: depth,
        layout: Some(Layout {
            inputs: vec![InputLayout {
                table: "numbers".into(),
                connector: "log".into(),
                columns: vec![("n".into(), "BIGINT".into())],
                kinds: vec!["+I".into()],
                splits: 2,
                by_hand: true,
                ..InputLayout::default()
            }],
            jobs: vec![JobLayout {
                name: "sums".into(),
                sql: SQL.into(),
                line: 1,
                results: vec![ResultLayout {
                    sink: Some("sums".into()),
                    columns: columns(),
                    changelog_mode: "I,UB,UA,D".into(),
                    external: true,
                    key: Some(vec!["odd".into()]),
                    ..ResultLayout::default()
                }],
                vertices: vertices.collect(),
                edges: (0..depth).map(|from| (from, from + 1, "HASH".into())).collect(),
                plan: vec!["Sink(table=[sums], fields=[odd, total])".into(), "+- GroupAggregate(groupBy=[odd])".into()],
                settings: vec![("execution.checkpointing.interval".into(), "10 s".into())],
                checkpoints: true,
                aligns: true,
                transactional: true,
            }],
        }),
        playing: true,
        speed: 10.0,
        sentence: "checkpoint 3 is aligning · GroupAggregate 1[1] waits for Source: numbers[1]".into(),
        inputs: vec![InputFrame {
            rows: vec![2, 1],
            recent: vec![(0, 1, "+I".into(), vec![Some("7".into())]), (1, 0, "+I".into(), vec![None])],
            watermarks: vec![None, None],
            idle: vec![false, false],
            rate: 2.0,
        }],
        jobs: vec![JobSummary { state: "RUNNING".into(), attempt: 1, step: 57, rows: 5, ..JobSummary::default() }],
        job: Some(job),
        ..Frame::default()
    }
}

fn transactions(sink: u32) -> Vec<TransactionFrame> {
    let one = |number: u64, state: &str, checkpoint: Option<u64>, left: Option<u64>| TransactionFrame {
        subtask: (sink, (number % 2) as u32),
        name: format!("sums/0000{}/0000000001-000000000{number}", number % 2),
        checkpoint,
        state: state.into(),
        left,
        rows: 2,
        steps: vec![("open".into(), 10 + number), (state.into(), 20 + number)],
    };
    vec![
        one(1, "committed", Some(2), None),
        one(2, "lost", Some(2), None),
        one(3, "pre-committed", Some(3), Some(61_300)),
        one(4, "open", None, Some(7_200_000)),
    ]
}

/// The columns of [`outcome`].
pub fn bill_columns() -> Vec<String> {
    ["id", "customer", "amount", "total"].map(str::to_owned).to_vec()
}

/// What a guarantee has come to that does not keep all rows.
pub fn outcome() -> GuaranteeOutcome {
    let row = |id: u32, total: u32, truth: u32, mark: &str| GuaranteeRow {
        values: vec![id.to_string(), "Ada".to_owned(), "10".to_owned(), total.to_string()],
        truth: truth.to_string(),
        mark: mark.to_owned(),
        crashes: if mark == "right" { Vec::new() } else { vec![1] },
        why: if mark == "right" {
            String::new()
        } else {
            "it was written before crash 1, and again after it".to_owned()
        },
    };
    let rows = vec![
        row(1, 10, 10, "right"),
        row(2, 20, 20, "right"),
        row(2, 20, 20, "doubled"),
        row(3, 50, 30, "wrong"),
        row(4, 40, 40, "lost"),
    ];
    let crash = GuaranteeCrash {
        number: 1,
        step: 80,
        back: 95,
        restored: Some(1),
        again: vec![2, 3],
        ..GuaranteeCrash::default()
    };
    GuaranteeOutcome {
        state: "at-least-once".into(),
        sink: "plain".into(),
        rows,
        crashes: vec![crash],
        checkpoints: vec![(1, 60), (2, 190)],
        steps: 200,
    }
}

/// The bill service with both of its faults.
pub fn bills() -> BillsFrame {
    let line = |id: u32, fate: &str, by: u32| BillLine {
        place: (id % 2, u64::from(id)),
        values: vec![id.to_string(), "Ada".into(), "10.00".into()],
        fate: fate.into(),
        by,
    };
    let lost = vec![line(1, "written", 0), line(2, "written", 0), line(3, "waiting", 0)];
    let again = vec![line(1, "twice", 1), line(2, "twice", 1), line(3, "written", 0), line(3, "dropped", 0)];
    BillsFrame {
        tick: 20,
        recorded: vec![2, 2],
        crashes: vec![BillCrash { tick: 6, batch: 1, restored: Some(1) }],
        batches: vec![
            BillBatch { lost: true, lines: lost, ..BillBatch::default() },
            BillBatch { recorded: true, lines: again, ..BillBatch::default() },
            BillBatch { lines: vec![line(1, "through", 2)], ..BillBatch::default() },
        ],
        accounts: vec![BillAccount {
            name: "Ada".into(),
            truth: "30.00".into(),
            service: "60.00".into(),
            twice: Some("20.00".into()),
            through: Some("10.00".into()),
            job: "30.00".into(),
            pending: Some("40.00".into()),
            right: (false, true),
        }],
        ..BillsFrame::default()
    }
}

/// Two modes, half-way.
pub fn costs() -> CostsFrame {
    let taken =
        |at: u64, took: u64, blocked: u64| CostCheckpoint { id: at / 500, at, took, blocked, queued: 7, bytes: 900 };
    let lane = |mode: &str, took: u64, blocked: u64| CostLane {
        mode: mode.into(),
        checkpoints: vec![taken(500, took, blocked), taken(1_000, took, blocked)],
        under_way: Some(1_500),
        latencies: (0..30).map(|part| Some(20 + 13 * part % 40 + if part == 12 { blocked } else { 0 })).collect(),
        latency: Some((22, 60 + blocked)),
        rows: 300,
    };
    CostsFrame {
        now: 1_550,
        length: 4_000,
        part: 50,
        interval: 500,
        channel: None,
        lanes: vec![lane("aligned", 120, 80), lane("unaligned", 50, 0)],
    }
}

/// A moment of the past.
pub fn past() -> Frame {
    let past = Some(PastFrame { step: 20, end: 57, going: false });
    Frame { playing: false, past, ..frame(2, 2, true) }
}

/// Two jobs, of which the first has failed.
pub fn failed() -> Frame {
    let mut frame = frame(2, 2, false);
    if let Some(layout) = &mut frame.layout {
        let other = JobLayout { name: "other".into(), ..layout.jobs[0].clone() };
        layout.jobs.push(other);
    }
    let failure = Problem {
        code: "TG4030".into(),
        severity: "error".into(),
        message: "Column 'odd' is NOT NULL, however, a null value is being written into it.".into(),
        hints: vec!["In Sink: sums, subtask 1.".into(), "The row is +I (odd = NULL, total = NULL).".into()],
        ..problems().remove(0)
    };
    let running = frame.jobs[0].clone();
    frame.jobs[0] = JobSummary { state: "FAILED".into(), failure: Some(failure), ..running.clone() };
    frame.jobs.push(running);
    frame
}

/// A script that only makes tables.
pub fn no_query() -> Frame {
    let mut frame = frame(1, 1, false);
    frame.layout = frame.layout.map(|layout| Layout { jobs: Vec::new(), ..layout });
    (frame.jobs, frame.job) = (Vec::new(), None);
    frame
}
