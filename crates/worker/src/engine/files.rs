//! Files in and out, and the words that the editor may offer.

use std::rc::Rc;

use tidegate::files::{csv_head, csv_line, json_line, read_rows};
use tidegate::runtime::FeedItem;
use tidegate::{Session, SessionOptions};
use tidegate_protocol::{Answer, ExportFormat, ExportPart, NameOffer};

use crate::answer;
use crate::desk::{Desk, Run, Sender, failed};

/// Rows kept at once, so that no message and no record of the workspace gets large.
const BATCH: usize = 2000;
/// Rows of one part of an export.
const PART: usize = 20_000;

impl Desk {
    /// Sends the rows of a file, all of them or none.
    pub fn send_text(self: Rc<Self>, id: u32, table: String, split: Option<u32>, text: &str) {
        let read = match &*self.run.borrow() {
            Some(run) => run.read_file(&table, split, text),
            None => Err(failed("TG9100", "Nothing runs.")),
        };
        let (batches, rows, format) = match read {
            Ok(read) => read,
            Err(refusal) => return answer(id, refusal),
        };
        if rows == 0 {
            return answer(id, Answer::Taken { rows: 0, format: format.to_owned() });
        }
        let last = batches.len() - 1;
        let sender = move |number: usize| if number == last { Sender::File(id, rows, format) } else { Sender::Script };
        let log = self
            .run
            .borrow()
            .as_ref()
            .is_some_and(|run| run.inputs.iter().any(|input| input.feed.table == table && input.topic().is_some()));
        if !log {
            for (number, (split, items)) in batches.into_iter().enumerate() {
                self.clone().feed(table.clone(), split, items, sender(number));
            }
            return;
        }
        // One append after the other: they would compete for the same offsets.
        wasm_bindgen_futures::spawn_local(async move {
            for (number, (split, items)) in batches.into_iter().enumerate() {
                self.clone().append(table.clone(), split, items, sender(number)).await;
            }
        });
    }
}

type Batches = (Vec<(u32, Vec<FeedItem>)>, u64, &'static str);

impl Run {
    fn read_file(&self, table: &str, split: Option<u32>, text: &str) -> Result<Batches, Answer> {
        let input = self.inputs.iter().find(|input| input.feed.table == table && input.by_hand());
        let input = input.ok_or_else(|| failed("TG9101", format!("Nothing can be sent to '{table}'.")))?;
        let splits = input.feed.splits.max(1);
        if split.is_some_and(|split| split >= splits) {
            return Err(failed("TG9101", format!("'{table}' has no such partition.")));
        }
        let read = read_rows(text, &input.feed.physical, &input.feed.kinds);
        let (format, rows) = read.map_err(|problem| {
            let hints: String = problem.hints.iter().map(|hint| format!(" {hint}")).collect();
            failed(&problem.code.to_string(), format!("{}{hints}", problem.message))
        })?;
        let mut lists: Vec<Vec<FeedItem>> = vec![Vec::new(); splits as usize];
        let count = rows.len() as u64;
        for (number, row) in rows.into_iter().enumerate() {
            let item = self.session.parse_row(table, row.kind, &row.values).map_err(|errors| {
                let first = errors.into_iter().next();
                let column = first.as_ref().and_then(|first| input.feed.physical.fields.get(first.column));
                let message = first.as_ref().map_or("it does not fit", |first| &first.message);
                let column = column.map_or_else(String::new, |column| format!(", {}", column.name));
                failed("TG9123", format!("Line {}{column}: {message} Nothing was sent.", row.line))
            })?;
            lists[split.unwrap_or(number as u32 % splits) as usize].push(item);
        }
        let mut batches = Vec::new();
        for (split, mut items) in lists.into_iter().enumerate() {
            while items.len() > BATCH {
                let rest = items.split_off(BATCH);
                batches.push((split as u32, std::mem::replace(&mut items, rest)));
            }
            if !items.is_empty() {
                batches.push((split as u32, items));
            }
        }
        Ok((batches, count, format.name()))
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
