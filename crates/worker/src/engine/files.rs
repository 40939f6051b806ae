//! Files in and out, and the words that the editor may offer.

use std::rc::Rc;

use tidegate::diag::Diagnostic;
use tidegate::files::{FileReader, FileRow, csv_head, csv_line, json_line};
use tidegate::runtime::FeedItem;
use tidegate::{Session, SessionOptions};
use tidegate_protocol::{Answer, ExportFormat, ExportPart, NameOffer};

use crate::answer;
use crate::desk::{Desk, Run, failed};
use crate::inputs::Input;

/// Rows kept at once, so that no message and no record of the workspace gets large.
const BATCH: usize = 2000;
/// Rows of one part of an export.
const PART: usize = 20_000;

/// The longest text that is read, bytes.
const LONGEST: usize = 64 << 20;
/// Rows read between two looks at the clock.
const STRIDE: usize = 64;

impl Desk {
    /// Sends the rows of a file, all of them or none. It is read, and its rows are kept, in slices: what runs goes on.
    pub fn send_text(self: Rc<Self>, id: u32, table: String, split: Option<u32>, text: String) {
        if text.len() > LONGEST {
            let size = text.len() >> 20;
            let most = LONGEST >> 20;
            let message = format!("The file has {size} MB, and {most} MB are read at the most. Nothing was sent.");
            return answer(id, failed("TG9124", message));
        }
        wasm_bindgen_futures::spawn_local(async move {
            let said = self.take_file(&table, split, text).await;
            answer(id, said.unwrap_or_else(|refusal| refusal));
        });
    }

    async fn take_file(self: &Rc<Self>, table: &str, split: Option<u32>, text: String) -> Result<Answer, Answer> {
        let generation = self.generation.get();
        let mut slices = self.turns.slices();
        let mut reader = self.with_file_run(generation, |run| run.file_reader(table, split, text))?;
        let mut taken = Taken::default();
        loop {
            let rows = reader.read(STRIDE).map_err(|problem| refused_file(&problem))?;
            if rows.is_empty() {
                break;
            }
            self.with_file_run(generation, |run| run.take_rows(table, split, rows, &mut taken))?;
            slices.pause().await;
        }
        let (rows, batches) = taken.into_batches();
        for (split, items) in batches {
            self.with_file_run(generation, |_| Ok(()))?;
            match self.keep(table, split, items).await {
                Answer::Done => slices.pause().await,
                refusal => return Err(refusal),
            }
        }
        Ok(Answer::Taken { rows, format: reader.format().name().to_owned() })
    }

    /// Does something with the run that the file is for; it may be over by now.
    fn with_file_run<T>(&self, generation: u32, act: impl FnOnce(&mut Run) -> Result<T, Answer>) -> Result<T, Answer> {
        match &mut *self.run.borrow_mut() {
            Some(run) if self.generation.get() == generation => act(run),
            _ => Err(failed("TG9125", "Another script was run while the file was read; the rest of it was not sent.")),
        }
    }
}

/// Rows of a file that were read: what they are as items, by split.
#[derive(Default)]
struct Taken {
    rows: u64,
    /// Whole batches, and for each split the one that grows.
    batches: Vec<(u32, Vec<FeedItem>)>,
    growing: Vec<Vec<FeedItem>>,
}

impl Taken {
    fn push(&mut self, split: u32, item: FeedItem) {
        self.rows += 1;
        let place = split as usize;
        self.growing.resize(self.growing.len().max(place + 1), Vec::new());
        self.growing[place].push(item);
        if self.growing[place].len() == BATCH {
            self.batches.push((split, std::mem::take(&mut self.growing[place])));
        }
    }

    fn into_batches(mut self) -> (u64, Vec<(u32, Vec<FeedItem>)>) {
        let rest = self.growing.into_iter().enumerate().filter(|(_, items)| !items.is_empty());
        self.batches.extend(rest.map(|(split, items)| (split as u32, items)));
        (self.rows, self.batches)
    }
}

fn refused_file(problem: &Diagnostic) -> Answer {
    let hints: String = problem.hints.iter().map(|hint| format!(" {hint}")).collect();
    failed(&problem.code.to_string(), format!("{}{hints}", problem.message))
}

impl Run {
    fn file_input(&self, table: &str) -> Result<&Input, Answer> {
        let input = self.inputs.iter().find(|input| input.feed.table == table && input.by_hand());
        input.ok_or_else(|| failed("TG9101", format!("Nothing can be sent to '{table}'.")))
    }

    fn file_reader(&self, table: &str, split: Option<u32>, text: String) -> Result<FileReader, Answer> {
        let input = self.file_input(table)?;
        if split.is_some_and(|split| split >= input.feed.splits.max(1)) {
            return Err(failed("TG9101", format!("'{table}' has no such partition.")));
        }
        let reader = FileReader::new(text, input.feed.physical.clone(), input.feed.kinds.clone());
        reader.map_err(|problem| refused_file(&problem))
    }

    fn take_rows(&self, table: &str, split: Option<u32>, rows: Vec<FileRow>, taken: &mut Taken) -> Result<(), Answer> {
        let input = self.file_input(table)?;
        for row in rows {
            let item = self.session.parse_row(table, row.kind, &row.values).map_err(|errors| {
                let first = errors.into_iter().next();
                let column = first.as_ref().and_then(|first| input.feed.physical.fields.get(first.column));
                let message = first.as_ref().map_or("it does not fit", |first| &first.message);
                let column = column.map_or_else(String::new, |column| format!(", {}", column.name));
                failed("TG9123", format!("Line {}{column}: {message} Nothing was sent.", row.line))
            })?;
            let spread = (taken.rows % u64::from(input.feed.splits.max(1))) as u32;
            taken.push(split.unwrap_or(spread), item);
        }
        Ok(())
    }

    /// A part of a result as text.
    pub fn export(
        &mut self,
        job: u32,
        result: usize,
        part: ExportPart,
        format: ExportFormat,
        from: u64,
    ) -> Result<Answer, Answer> {
        let zone = self.session.zone();
        let result = self.job(job)?.results.get(result);
        let nothing = || failed("TG9109", "There is no such result.");
        let result = result.ok_or_else(nothing)?;
        let buffer = result.buffer.as_ref().ok_or_else(nothing)?.borrow();
        let columns = &result.target.columns;
        let rows: Vec<(Option<&str>, Vec<Option<String>>)> = match part {
            ExportPart::Changelog => {
                let rows = buffer.rows(from.max(buffer.first()), PART, zone);
                rows.into_iter().map(|row| (Some(row.kind.text()), row.values)).collect()
            }
            ExportPart::Table => {
                buffer.table(from as usize, PART, zone).into_iter().map(|(values, _)| (None, values)).collect()
            }
        };
        let next = match part {
            ExportPart::Changelog => from.max(buffer.first()) + rows.len() as u64,
            ExportPart::Table => from + rows.len() as u64,
        };
        let mut text = String::new();
        if from == 0 && format == ExportFormat::Csv {
            text.push_str(&csv_head(part == ExportPart::Changelog, columns));
        }
        for (kind, values) in &rows {
            text.push_str(&match format {
                ExportFormat::Csv => csv_line(*kind, values),
                ExportFormat::JsonLines => json_line(*kind, columns, values),
            });
        }
        Ok(Answer::Exported { text, next: (rows.len() == PART).then_some(next) })
    }
}

/// The words that a script's words may be completed to.
pub fn names(sql: &str, options: &SessionOptions) -> Vec<NameOffer> {
    let mut offers = Vec::new();
    let mut offer = |name: &str, kind: &str, detail: &str, table: Option<&str>| {
        offers.push(NameOffer {
            name: name.to_owned(),
            kind: kind.to_owned(),
            detail: detail.to_owned(),
            table: table.map(str::to_owned),
        });
    };
    for (table, connector, columns) in Session::tables_of(sql, options) {
        offer(&table, "table", &connector, None);
        for (column, ty) in columns {
            offer(&column, "column", &ty, Some(&table));
        }
    }
    for function in Session::function_names() {
        offer(&function, "function", "", None);
    }
    offers
}
