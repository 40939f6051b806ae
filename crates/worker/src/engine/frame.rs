//! One frame: what is to be seen now, out of the jobs' own views.

use tidegate::diag::Diagnostic;
use tidegate::runtime::view::{CheckpointStatus, CheckpointView, JobView, LogEvent, SubtaskStatus, SubtaskView};
use tidegate::runtime::{JobState, view};
use tidegate::{JobHandle, ResultKind, column_texts};
use tidegate_protocol::{
    ChangelogRow, Checkpoints, Frame, FrameRequest, InputFrame, InputLayout, JobFrame, JobLayout, JobSummary, Layout,
    Problem, ResultFrame, ResultLayout, VertexLayout,
};

use crate::desk::{Run, problems_of};
use crate::inputs::{Input, RECENT};
use crate::pieces::{
    channel_frame, checkpoint_frame, events, replays, subtask_frame, time_text, transaction_frame, under_way,
};

/// Ended checkpoints shown.
const HISTORY: usize = 50;
/// The most rows of a page.
const ROWS: u32 = 500;

/// What earlier frames have shown.
#[derive(Default)]
pub struct Seen {
    /// Steps of each subtask of the job shown, and which was the last to take one.
    steps: Vec<u64>,
    current: Option<usize>,
    job: usize,
}

impl Run {
    /// The frame that the page asked for: of the past that is shown, or of what runs.
    pub fn shown_frame(&mut self, request: &FrameRequest) -> Frame {
        let mut frame = self.with_shown(|run| run.frame(request));
        if let Some(past) = &self.past {
            frame.playing = past.plays();
            frame.past = Some(past.frame());
        }
        frame
    }

    fn frame(&mut self, request: &FrameRequest) -> Frame {
        let version = 1 + (self.script.seed as u32 >> 1);
        let job = request.job as usize;
        let views: Vec<JobView> = self.session.jobs().iter().map(|job| job.runtime.view()).collect();
        let layout = (request.known_version != version).then(|| self.layout(&views));
        let current = views.get(job).and_then(|view| self.seen.current(job, view));
        let waiting = match views.get(job) {
            Some(view) if !self.drive.playing => self.waiting(job, view),
            _ => 0,
        };
        self.note_made(&views);
        let mut frame = Frame {
            version,
            layout,
            playing: self.drive.playing,
            speed: self.drive.speed,
            restoring: false,
            sentence: views.get(job).map_or_else(String::new, |view| self.sentence(view, waiting)),
            // Coarse, so that a frame in which nothing else has changed is equal to the last.
            now: self.drive.now as i64 / 100 * 100,
            inputs: self.inputs_frame(&views),
            jobs: Vec::new(),
            job: None,
            beside: None,
            trouble: self.trouble.clone(),
            past: None,
            scenarios: self.scenario_frames(),
            lost: self.faults.is_lost(),
        };
        for (number, view) in views.iter().enumerate() {
            let rows = self.session.jobs()[number].results.iter().map(total).sum();
            let results = &self.session.jobs()[number].results;
            let sinks: Vec<&str> = results.iter().filter_map(|result| result.target.sink.as_deref()).collect();
            let mut summary = summary(view, self.session.jobs()[number].failure(), rows, &self.script.sql, &sinks);
            summary.step += self.session.jobs()[number].history.base();
            frame.jobs.push(summary);
        }
        if let Some(view) = views.get(job) {
            frame.job = Some(self.job_frame(job, view, current, request));
        }
        // Its end is what is looked at, whatever place of the chosen one's changelog is.
        if let Some(number) = request.beside.map(|number| number as usize).filter(|number| *number < views.len()) {
            let newest = FrameRequest { changelog_limit: 60, table_limit: 60, ..FrameRequest::default() };
            frame.beside = Some(self.result_frame(number, 0, &newest));
        }
        frame
    }

    fn layout(&self, views: &[JobView]) -> Layout {
        let inputs = self.inputs.iter().map(|input| InputLayout {
            table: input.feed.table.clone(),
            connector: input.feed.connector.clone(),
            columns: input
                .feed
                .physical
                .fields
                .iter()
                .map(|field| (field.name.clone(), field.ty.to_string()))
                .collect(),
            kinds: input.feed.kinds.iter().map(|kind| kind.text().to_owned()).collect(),
            splits: input.feed.splits,
            watermark: input.feed.watermark.clone(),
            by_hand: input.by_hand(),
            marks: input.feed.takes_watermarks(),
            idle_marks: input.feed.takes_idle_marks(),
            no_marks: input.feed.no_marks(),
            makes: input.feed.makes(),
        });
        let jobs = self.session.jobs().iter().zip(views).enumerate();
        Layout {
            inputs: inputs.collect(),
            jobs: jobs.map(|(number, (job, view))| job_layout(number, job, view)).collect(),
        }
    }

    /// Notes what generated tables have made. Of several jobs that read one, the first counts.
    fn note_made(&mut self, views: &[JobView]) {
        for input in self.inputs.iter_mut().filter(|input| input.is_made()) {
            let reads = |job: &JobHandle| job.sources.contains(&input.feed.table);
            let Some(job) = self.session.jobs().iter().position(reads) else { continue };
            let all = self.session.jobs_mut()[job].read(&views[job]);
            // While a job is being started again, what was seen last stays.
            if let Some(read) = all.into_iter().find(|read| read.table == input.feed.table && read.known) {
                let rows: Vec<u64> = read.to.splits.iter().map(|(_, rows)| *rows).collect();
                if rows != input.rows {
                    input.made(rows, self.session.newest_made(job, &read, RECENT));
                }
            }
        }
    }

    fn inputs_frame(&self, views: &[JobView]) -> Vec<InputFrame> {
        let frame = |input: &Input| {
            let sources: Vec<&SubtaskView> = views
                .iter()
                .filter_map(|view| {
                    let name = format!("Source: {}", input.feed.table);
                    let is =
                        |vertex: &view::VertexView| vertex.operators.first().is_some_and(|first| first.name == name);
                    let vertex = view.vertices.iter().position(is)?;
                    Some(view.subtasks.iter().filter(|subtask| subtask.vertex == vertex).collect::<Vec<_>>())
                })
                .next()
                .unwrap_or_default();
            let reader = |split: u32| sources.get(split as usize % sources.len().max(1));
            let splits = 0..input.feed.splits;
            let declared = input.feed.watermark.is_some();
            InputFrame {
                rows: input.rows.clone(),
                recent: input.recent.rows(),
                watermarks: splits
                    .clone()
                    .map(|split| {
                        reader(split).filter(|_| declared).and_then(|subtask| subtask.watermark).map(time_text)
                    })
                    .collect(),
                idle: splits.map(|split| reader(split).is_some_and(|subtask| subtask.idle)).collect(),
                rate: input.rate,
            }
        };
        self.inputs.iter().map(frame).collect()
    }

    fn job_frame(&mut self, number: usize, view: &JobView, current: Option<usize>, request: &FrameRequest) -> JobFrame {
        let mut subtasks = Vec::with_capacity(view.subtasks.len());
        for (place, subtask) in view.subtasks.iter().enumerate() {
            let runtime = &mut self.session.jobs_mut()[number].runtime;
            let tables = runtime.state_tables(subtask.vertex, subtask.index);
            subtasks.push(subtask_frame(view, (place, subtask), current == Some(place), tables));
        }
        let job = &self.session.jobs()[number];
        let interval = job.plan.config.millis("execution.checkpointing.interval").filter(|interval| *interval > 0);
        let history = &job.history;
        let open = |checkpoint: &CheckpointView| {
            let mut frame = checkpoint_frame(view, checkpoint);
            frame.triggered.0 += history.base();
            frame
        };
        JobFrame {
            subtasks,
            channels: view.channels.iter().map(channel_frame).collect(),
            checkpoints: Checkpoints {
                current: view.checkpoint.as_ref().map(open),
                others: view.others.iter().map(open).collect(),
                completed: history.completed(),
                failed: history.failed(),
                history: history.checkpoints().rev().take(HISTORY).map(|one| checkpoint_frame(view, one)).collect(),
                interval: interval.map(|interval| interval as u64),
            },
            transactions: view.transactions.iter().map(|one| transaction_frame(view, one, history.base())).collect(),
            outages: self.faults.frames(view.now),
            slow: self.faults.slow_frames(),
            planned: self.planned_frames(number),
            zombie: self.faults.zombie_frame(),
            results: (0..job.results.len()).map(|result| self.result_frame(number, result, request)).collect(),
            events: events(view, history),
            replays: replays(history),
        }
    }

    fn result_frame(&self, number: usize, result: usize, request: &FrameRequest) -> ResultFrame {
        let job = &self.session.jobs()[number];
        let readers = self.outside.of(number, result).cloned().unwrap_or_default();
        let mut frame = ResultFrame {
            committed_total: readers.totals[0] as u64,
            uncommitted_total: readers.totals[1] as u64,
            committed: readers.committed,
            uncommitted: readers.uncommitted,
            ..ResultFrame::default()
        };
        let Some(buffer) = &job.results[result].buffer else { return frame };
        let buffer = buffer.borrow();
        frame.first = buffer.first();
        frame.total = buffer.total();
        frame.kinds = buffer.kinds();
        let limit = u64::from(request.changelog_limit.min(ROWS));
        let zone = self.session.zone();
        let wanted = [0, 1, 2, 3].map(|bit| request.changelog_kinds == 0 || request.changelog_kinds & 1 << bit != 0);
        frame.matching = frame.kinds.iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(rows, _)| rows).sum();
        let rows = if wanted == [true; 4] {
            let newest = frame.total.saturating_sub(limit).max(frame.first);
            let from = request.changelog_from.unwrap_or(newest).clamp(frame.first, frame.total);
            frame.changelog_at = from - frame.first;
            buffer.rows(from, limit as usize, zone)
        } else {
            let newest = frame.matching.saturating_sub(limit);
            frame.changelog_at = request.changelog_from.unwrap_or(newest).min(frame.matching);
            buffer.rows_of(&wanted, frame.changelog_at, limit as usize, zone)
        };
        for row in rows {
            let cause = row.origin.map(|origin| {
                let table = job.sources.get(origin.source as usize).cloned().unwrap_or_default();
                (table, origin.split, origin.offset)
            });
            frame.changelog.push(ChangelogRow {
                number: row.number,
                kind: row.kind.text().to_owned(),
                values: row.values,
                cause,
            });
        }
        frame.table_total = buffer.table_len() as u64;
        let (from, limit) = (request.table_from as usize, request.table_limit.min(ROWS) as usize);
        frame.table = buffer.table(from, limit, zone);
        frame
    }

    /// What happens right now, in one sentence.
    fn sentence(&self, view: &JobView, waiting: u64) -> String {
        let name = |subtask: &SubtaskView| subtask_name(view, subtask);
        match &view.state {
            JobState::Created => return "waiting for the store".into(),
            JobState::Restoring => return "restoring state from the store".into(),
            JobState::Restarting { at } => {
                let left = (*at - self.drive.now as i64).max(0);
                return format!("failed; starts again in {:.1} s", left as f64 / 1000.0);
            }
            JobState::Finished => {
                let last =
                    view.history.last().filter(|last| last.savepoint && last.status == CheckpointStatus::Completed);
                return last.map_or_else(
                    || "finished: all input is worked off".into(),
                    |savepoint| format!("stopped with savepoint {}", savepoint.id),
                );
            }
            JobState::Failed(_) => return "failed".into(),
            JobState::Canceled => return "ended by hand".into(),
            JobState::Running => {}
        }
        if let Some(checkpoint) = &view.checkpoint {
            let id = checkpoint.id;
            let mut shown = view.subtasks.iter().filter(|one| !watches(&view.vertices[one.vertex]));
            let aligning = shown.find(|one| matches!(one.status, SubtaskStatus::Aligning { .. }));
            if let Some(subtask) = aligning {
                let place = (subtask.vertex, subtask.index);
                let waits =
                    view.channels.iter().filter(|channel| channel.to == place && !channel.blocked && !channel.ended);
                let waits: Vec<String> = waits
                    .filter_map(|channel| {
                        let (vertex, index) = channel.from;
                        view.subtasks.iter().find(|one| (one.vertex, one.index) == (vertex, index)).map(name)
                    })
                    .collect();
                return format!("checkpoint {id} is aligning · {} waits for {}", name(subtask), waits.join(" and "));
            }
            let told = |checkpoint: &CheckpointView| {
                let parts = view.subtasks.iter().zip(&checkpoint.subtasks);
                let of = parts.filter(|(one, _)| !watches(&view.vertices[one.vertex]));
                let acknowledged = of.clone().filter(|(_, one)| one.is_some()).count();
                match checkpoint.status {
                    CheckpointStatus::Completing => {
                        format!("checkpoint {} is acknowledged by all and being written down", checkpoint.id)
                    }
                    _ => format!("checkpoint {} · {acknowledged} of {} acknowledged", checkpoint.id, of.count()),
                }
            };
            return under_way(view).into_iter().map(told).collect::<Vec<_>>().join(" · ");
        }
        let waits =
            |one: &&SubtaskView| one.status == SubtaskStatus::BackPressured && !watches(&view.vertices[one.vertex]);
        if let Some(subtask) = view.subtasks.iter().find(waits) {
            return format!("{} is back-pressured", name(subtask));
        }
        if self.drive.playing {
            return "running".into();
        }
        match waiting {
            0 => "paused".into(),
            1 => "paused · 1 row waits".into(),
            rows => format!("paused · {rows} rows wait"),
        }
    }

    /// Rows that were sent and that no source of the job has read yet, as the sources' positions say.
    fn waiting(&mut self, job: usize, view: &JobView) -> u64 {
        let Some(job) = self.session.jobs_mut().get_mut(job) else { return 0 };
        let read = job.read(view);
        let mut waiting = 0;
        for input in self.inputs.iter().filter(|input| !input.is_made()) {
            let of = read.iter().filter(|read| read.table == input.feed.table);
            let Some(read) = of.map(|read| read.to.splits.iter().map(|(_, rows)| rows).sum::<u64>()).next() else {
                continue;
            };
            waiting += input.rows.iter().sum::<u64>().saturating_sub(read);
        }
        waiting
    }

    /// From which checkpoints the jobs were resumed.
    pub fn resumed_from(&self) -> String {
        let from = self.session.jobs().iter().flat_map(|job| {
            job.runtime.view().log.into_iter().filter_map(|entry| match entry.event {
                LogEvent::Restored { checkpoint, .. } => Some(checkpoint.to_string()),
                _ => None,
            })
        });
        let from: Vec<String> = from.collect();
        match from.as_slice() {
            [] => "Resumed. No checkpoint had completed, so the input is replayed from its start.".to_owned(),
            [one] => format!("Resumed from checkpoint {one}; the input after it is replayed."),
            many => format!("Resumed from checkpoints {}; the input after them is replayed.", many.join(", ")),
        }
    }
}

impl Seen {
    /// The subtask that took the last step, as far as it can be told.
    fn current(&mut self, job: usize, view: &JobView) -> Option<usize> {
        let steps: Vec<u64> = view.subtasks.iter().map(|subtask| subtask.steps).collect();
        if self.job == job && self.steps.len() == steps.len() {
            let mut stepped = (0..steps.len()).filter(|&place| steps[place] > self.steps[place]);
            match (stepped.next(), stepped.next()) {
                (Some(one), None) => self.current = Some(one),
                (Some(_), Some(_)) => self.current = None,
                (None, _) => {}
            }
        } else {
            self.current = None;
        }
        (self.job, self.steps) = (job, steps);
        self.current
    }
}

fn total(result: &tidegate::ResultInfo) -> u64 {
    result.buffer.as_ref().map_or(0, |buffer| buffer.borrow().total())
}

/// `why` is the job's failure with its place in the script.
fn summary(view: &JobView, why: Option<Diagnostic>, rows: u64, sql: &str, sinks: &[&str]) -> JobSummary {
    let (state, failure) = match &view.state {
        JobState::Created => ("CREATED", None),
        JobState::Restoring => ("INITIALIZING", None),
        JobState::Running => ("RUNNING", None),
        JobState::Restarting { .. } => {
            let problem = last_failure(view, sql, sinks).map(|(mut problem, place)| {
                place.into_iter().for_each(|place| problem.hints.insert(0, place));
                problem
            });
            ("RESTARTING", problem)
        }
        JobState::Finished => ("FINISHED", None),
        JobState::Failed(_) => {
            let mut problem = problems_of(sql, why.as_slice()).pop();
            if let (Some(problem), Some(place)) = (&mut problem, last_failure(view, sql, sinks).and_then(|last| last.1))
            {
                problem.hints.insert(0, place);
            }
            ("FAILED", problem)
        }
        JobState::Canceled => ("CANCELED", None),
    };
    JobSummary { state: state.to_owned(), failure, attempt: view.attempt, step: view.step, rows }
}

/// What failed last, and where.
fn last_failure(view: &JobView, sql: &str, sinks: &[&str]) -> Option<(Problem, Option<String>)> {
    view.log.iter().rev().find_map(|entry| match &entry.event {
        LogEvent::Failed { diagnostic, subtask } => {
            let place = subtask.and_then(|(vertex, index)| {
                let vertex = view.vertices.get(vertex)?;
                let of = if vertex.parallelism > 1 { format!(", subtask {index}") } else { String::new() };
                // Whose rows it is that do not fit is worth its name, also where the sink itself is another subtask.
                let sink = match sinks {
                    [] => String::new(),
                    sinks => format!(", on the way to sink '{}'", sinks.join("' and '")),
                };
                Some(format!("In {}{of}{sink}.", vertex.name))
            });
            Some((problems_of(sql, std::slice::from_ref(diagnostic)).pop()?, place))
        }
        _ => None,
    })
}

fn job_layout(number: usize, job: &JobHandle, view: &JobView) -> JobLayout {
    let first = job.results.first().map(|result| &result.target);
    let name = match first.map(|target| (&target.sink, target.statement)) {
        Some((Some(sink), _)) => sink.clone(),
        Some((None, statement)) => format!("SELECT {statement}"),
        None => format!("job {number}"),
    };
    let results = job.results.iter().map(|result| ResultLayout {
        sink: result.target.sink.clone(),
        columns: column_texts(&result.target.columns),
        changelog_mode: result.target.changelog_mode.clone(),
        external: matches!(result.kind, ResultKind::Log(_) | ResultKind::Table(_)),
        dropped: result.kind == ResultKind::Dropped,
        key: {
            let nodes = &job.plan.plan.nodes;
            let input = nodes.get(result.target.node).and_then(|node| nodes.get(*node.inputs.first()?));
            let key = input.and_then(|input| input.upsert_keys.iter().min_by_key(|key| key.len()));
            let name = |column: &usize| result.target.columns.get(*column).map(|(name, _)| name.clone());
            key.and_then(|key| key.iter().map(name).collect())
        },
    });
    let vertices = view.vertices.iter().enumerate().map(|(place, vertex)| VertexLayout {
        name: vertex.name.clone(),
        operators: vertex
            .operators
            .iter()
            .map(|one| (one.uid.clone(), one.name.clone(), one.description.clone()))
            .collect(),
        parallelism: vertex.parallelism,
        source: job.edges.iter().all(|(_, to, _)| *to != place),
        sink: job.edges.iter().all(|(from, _, _)| *from != place),
        hidden: watches(vertex),
    });
    let setting = |key: &str| job.plan.config.millis(key).map(|ms| (key.to_owned(), interval_text(ms)));
    let keys = ["pipeline.auto-watermark-interval", "execution.checkpointing.interval", "table.exec.state.ttl"];
    JobLayout {
        name,
        sql: first.map_or_else(String::new, |target| target.sql.clone()),
        line: first.map_or(1, |target| target.line),
        results: results.collect(),
        vertices: vertices.collect(),
        edges: job.edges.iter().map(|(from, to, exchange)| (*from as u32, *to as u32, exchange.clone())).collect(),
        plan: job.plan.shown.clone(),
        settings: keys.into_iter().filter_map(setting).collect(),
        checkpoints: job.makes_checkpoints(),
        aligns: job.aligns(),
        transactional: job.results.iter().any(|result| result.transactional),
    }
}

/// Whether a vertex only keeps rows for people to look at, beside the sink that the script names.
fn watches(vertex: &view::VertexView) -> bool {
    vertex.operators.iter().any(|operator| operator.uid.ends_with("-watch"))
}

fn interval_text(ms: i64) -> String {
    match ms {
        0 => "off".to_owned(),
        _ if ms % 1000 == 0 => format!("{} s", ms / 1000),
        _ => format!("{ms} ms"),
    }
}

fn subtask_name(view: &JobView, subtask: &SubtaskView) -> String {
    let vertex = &view.vertices[subtask.vertex];
    let name = vertex.name.split(" -> ").find(|part| !part.starts_with("Calc")).unwrap_or(&vertex.name);
    if vertex.parallelism > 1 { format!("{name}[{}]", subtask.index) } else { name.to_owned() }
}
