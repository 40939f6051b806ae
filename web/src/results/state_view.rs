//! Keyed state: the tables of each operator, and under them the entries by key, over all subtasks.

use std::cell::Cell;
use std::rc::Rc;

use tidegate_protocol::{Answer, Command, JobFrame, JobLayout};
use yew::prelude::*;

use crate::app::Desk;
use crate::ui::{ScrollRows, Window, bytes, count, value_of_select};

/// A table of an operator, over all its subtasks.
#[derive(Clone, Debug, PartialEq)]
struct Table {
    vertex: u32,
    uid: String,
    name: String,
    /// Entries and bytes, subtask by subtask.
    parts: Vec<(u32, u64, u64)>,
}

/// An entry: its subtask, key and value.
type Entry = (u32, String, String);

/// The state of the chosen job.
#[component(StateView)]
pub fn state_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let chosen = use_state(|| None::<usize>);
    let wanted = use_state_eq(|| (0u64, 40u32));
    let entries = use_state(|| (0u64, Vec::<Entry>::new()));
    let asked = use_memo((), |()| Cell::new(0u32));
    let layout = page.layout.as_ref().and_then(|layout| layout.jobs.get(page.job));
    let frame = page.frame.as_ref().and_then(|frame| frame.job.as_ref());
    let tables = match (layout, frame) {
        (Some(layout), Some(frame)) => tables(layout, frame),
        _ => Vec::new(),
    };
    // Keyed state is what people come for; where a source stands is told second.
    let is_source = |vertex: u32| {
        layout.and_then(|layout| layout.vertices.get(vertex as usize)).is_some_and(|vertex| vertex.source)
    };
    let first = tables.iter().position(|table| !is_source(table.vertex)).unwrap_or(0);
    let index = (*chosen).unwrap_or(first).min(tables.len().saturating_sub(1));
    let table = tables.get(index).cloned();
    // Asked again whenever the job has taken a step.
    let step = page.frame.as_ref().and_then(|frame| frame.jobs.get(page.job)).map_or(0, |job| job.step);
    {
        let (desk, entries, asked) = (desk.clone(), entries.clone(), asked.clone());
        use_effect_with((table.clone(), *wanted, step), move |(table, (from, limit), _)| {
            if let Some(table) = table {
                asked.set(asked.get() + 1);
                let reader = Rc::new(Reader {
                    desk,
                    entries,
                    asked: asked.clone(),
                    number: asked.get(),
                    table: table.clone(),
                    first: *from,
                });
                reader.read(0, *from, u64::from(*limit), Vec::new());
            }
        });
    }
    let onchange = {
        let (chosen, wanted, entries) = (chosen.clone(), wanted.clone(), entries.clone());
        Callback::from(move |event: Event| {
            chosen.set(value_of_select(&event).parse().ok());
            wanted.set((0, 40));
            entries.set((0, Vec::new()));
        })
    };
    let wants = {
        let wanted = wanted.setter();
        Callback::from(move |window: Window| wanted.set((window.from.unwrap_or(0), window.limit.max(8))))
    };
    let Some(table) = table else {
        return html! { <p class="empty">{"No operator of this job keeps state."}</p> };
    };
    let name = |table: &Table| {
        let vertex = layout.and_then(|layout| layout.vertices.get(table.vertex as usize));
        let operator = vertex.and_then(|vertex| vertex.operators.iter().find(|(uid, ..)| *uid == table.uid));
        operator.map_or_else(|| table.uid.clone(), |(_, name, _)| name.clone())
    };
    let total = |table: &Table| table.parts.iter().map(|(_, entries, _)| entries).sum::<u64>();
    let (from, shown) = &*entries;
    let rows = shown.iter().enumerate().map(|(place, (subtask, key, value))| html! {
        <div class="row state-row" role="listitem" key={from + place as u64}>
            <span class="mute">{format!("[{subtask}]")}</span>
            <span class="cell" title={key.clone()}>{key}</span><span class="cell" title={value.clone()}>{value}</span>
        </div>
    });
    html! {
        <div class="state" id="state">
            <div class="choice">
                <select aria-label="Operator and state table" {onchange}>
                    { for tables.iter().enumerate().map(|(place, one)| html! {
                        <option value={place.to_string()} selected={place == index}>
                            {format!("{} · {} · {} entries · {}", name(one), one.name, count(total(one)), bytes(one.parts.iter().map(|part| part.2).sum()))}
                        </option>
                    }) }
                </select>
                <span class="mute parts-of">{ table.parts.iter().map(|(subtask, entries, _)| format!("[{subtask}] {}", count(*entries))).collect::<Vec<_>>().join("  ") }</span>
            </div>
            <div class="sheet"><div>
            <div class="row head state-row"><span></span><span>{"key"}</span><span>{"value"}</span></div>
            <ScrollRows key={index} total={total(&table)} from={*from} rows={rows.collect::<Vec<_>>()} {wants} label="Entries" empty="This table holds nothing now." />
            </div></div>
        </div>
    }
}

fn tables(layout: &JobLayout, frame: &JobFrame) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    for subtask in &frame.subtasks {
        if layout.vertices.get(subtask.vertex as usize).is_none_or(|vertex| vertex.hidden) {
            continue;
        }
        for (uid, name, entries, size) in &subtask.state {
            let part = (subtask.index, *entries, *size);
            let same =
                tables.iter_mut().find(|one| one.vertex == subtask.vertex && one.uid == *uid && one.name == *name);
            match same {
                Some(table) => table.parts.push(part),
                None => tables.push(Table {
                    vertex: subtask.vertex,
                    uid: uid.clone(),
                    name: name.clone(),
                    parts: vec![part],
                }),
            }
        }
    }
    tables
}

/// Reads a page of entries that may lie in several subtasks.
struct Reader {
    desk: Desk,
    entries: UseStateHandle<(u64, Vec<Entry>)>,
    asked: Rc<Cell<u32>>,
    number: u32,
    table: Table,
    first: u64,
}

impl Reader {
    /// From part `part` on, without its first `skip` entries, `limit` more than those read.
    fn read(self: Rc<Self>, part: usize, skip: u64, limit: u64, read: Vec<Entry>) {
        let Some((subtask, there, _)) = self.table.parts.get(part).copied().filter(|_| limit > 0) else {
            self.entries.set((self.first, read));
            return;
        };
        if skip >= there {
            return self.read(part + 1, skip - there, limit, read);
        }
        let command = Command::State {
            job: self.desk.page.job as u32,
            vertex: self.table.vertex,
            subtask,
            uid: self.table.uid.clone(),
            table: self.table.name.clone(),
            offset: skip as u32,
            limit: limit as u32,
        };
        let reader = self.clone();
        self.desk.link.send(command, move |answer| {
            if let Answer::State(page) = answer
                && reader.asked.get() == reader.number
            {
                let mut read = read;
                let left = limit - (page.entries.len() as u64).min(limit);
                read.extend(page.entries.into_iter().map(|(key, value)| (subtask, key, value)));
                reader.read(part + 1, 0, left, read);
            }
        });
    }
}
