//! What the buffer keeps, drops, and gives back after a restore.

use std::collections::BTreeMap;

use tidegate_data::{ChangelogMode, DataType, LogicalType, Value, build_column};
use tidegate_runtime::SubtaskInfo;
use tidegate_runtime::state::{EntryRef, StateTable};

use super::*;
use tidegate_data::{RowKind, Schema, Zone};

fn args(mode: &str, key: Option<Vec<usize>>) -> SinkArgs {
    SinkArgs {
        table: "t".into(),
        connector: "print".into(),
        options: BTreeMap::new(),
        physical: Schema::new([("k", DataType::new(LogicalType::Int)), ("v", DataType::new(LogicalType::Int))]),
        primary_key: key,
        mode: ChangelogMode::parse(mode).unwrap(),
        writer: "w".into(),
    }
}

fn chunk(rows: &[(&str, i64, i64)]) -> Chunk {
    let column = |values: Vec<Value>| build_column(&DataType::new(LogicalType::Int), &values).unwrap();
    let columns = vec![
        column(rows.iter().map(|row| Value::Int(row.1)).collect()),
        column(rows.iter().map(|row| Value::Int(row.2)).collect()),
    ];
    Chunk::with_kinds(columns, rows.iter().map(|row| RowKind::parse(row.0).unwrap()).collect())
}

fn table(buffer: &CollectBuffer) -> Vec<(i64, i64)> {
    let number = |value: &Option<String>| value.as_ref().unwrap().parse().unwrap();
    buffer.table_rows(Zone::UTC).iter().map(|row| (number(&row[0]), number(&row[1]))).collect()
}

#[test]
fn the_dynamic_table_follows_the_changelog() {
    let mut buffer = CollectBuffer::new(&args("I,UB,UA,D", None));
    buffer.push(chunk(&[("+I", 1, 10), ("+I", 2, 20), ("+I", 1, 10)]));
    assert_eq!(table(&buffer), [(1, 10), (1, 10), (2, 20)]);
    buffer.push(chunk(&[("-U", 2, 20), ("+U", 2, 21), ("-D", 1, 10), ("+I", 3, 30), ("-U", 3, 30)]));
    assert_eq!(table(&buffer), [(1, 10), (2, 21)]);
    // Taken away before it came.
    buffer.push(chunk(&[("-D", 9, 9)]));
    assert_eq!((table(&buffer).len(), buffer.table_len()), (2, 2));
    buffer.push(chunk(&[("+I", 9, 9)]));
    assert_eq!(table(&buffer), [(1, 10), (2, 21)]);

    let mut buffer = CollectBuffer::new(&args("I,UA,D", Some(vec![0])));
    buffer.push(chunk(&[("+I", 1, 10), ("+I", 2, 20), ("+U", 1, 11), ("-D", 7, 0)]));
    assert_eq!(table(&buffer), [(1, 11), (2, 20)]);
    buffer.push(chunk(&[("-D", 1, 99)]));
    assert_eq!(table(&buffer), [(2, 20)]);
    assert_eq!(buffer.table(0, 10, Zone::UTC)[0].1, 1);
}

#[test]
fn rows_have_numbers_and_steps() {
    let mut buffer = CollectBuffer::new(&args("I", None));
    for step in 0..200 {
        buffer.set_step(step / 3);
        buffer.push(chunk(&[("+I", step as i64, 0)]));
    }
    assert!(buffer.blocks.len() < 100, "small blocks are joined");
    let rows = buffer.rows(90, 20, Zone::UTC);
    assert_eq!(rows.len(), 20);
    for (i, row) in rows.iter().enumerate() {
        let number = 90 + i as u64;
        assert_eq!((row.number, row.step), (number, number / 3));
        assert_eq!(row.values[0].as_deref(), Some(number.to_string().as_str()));
    }
    assert_eq!((buffer.rows(300, 5, Zone::UTC).len(), buffer.rows(198, 5, Zone::UTC).len()), (0, 2));
    assert_eq!((buffer.first(), buffer.total(), buffer.table_len()), (0, 200, 200));
}

/// A job's checkpoints of the two tables.
#[derive(Default, Clone)]
struct State([BTreeMap<Vec<u8>, Vec<u8>>; 2]);

impl State {
    fn tables(collect: &Rc<RefCell<CollectBuffer>>) -> [Box<dyn StateTable>; 2] {
        [Box::new(RowsTable(collect.clone())), Box::new(BaseTable(collect.clone()))]
    }

    fn snapshot(&mut self, collect: &Rc<RefCell<CollectBuffer>>) {
        for (mut table, state) in State::tables(collect).into_iter().zip(&mut self.0) {
            while table.snapshot(3, &mut |entry| match entry.value {
                Some(value) => drop(state.insert(entry.key.to_vec(), value.to_vec())),
                None => drop(state.remove(entry.key)),
            }) {}
        }
    }

    fn load(&self, collect: &Rc<RefCell<CollectBuffer>>) {
        for (mut table, state) in State::tables(collect).into_iter().zip(&self.0) {
            for (key, value) in state {
                table.load(EntryRef { key_group: 0, key, value: Some(value) }).unwrap();
            }
        }
    }
}

#[test]
fn what_came_after_the_checkpoint_vanishes() {
    for (mode, key) in [("I", None), ("I,UB,UA,D", None), ("I,UA,D", Some(vec![0]))] {
        let parts = sink(args(mode, key));
        let buffer = parts.results.unwrap();
        buffer.borrow_mut().limit = 20_000;
        let info = SubtaskInfo { index: 0, parallelism: 1, max_parallelism: 128, attempt: 1, job: "j".into() };
        let mut state = State::default();
        let big = |value: i64| -> Chunk {
            let rows: Vec<(&str, i64, i64)> = (0..100)
                .map(|i| (if mode == "I" || value == 0 { "+I" } else { "+U" }, i, if key_is(mode) { value } else { 0 }))
                .collect();
            chunk(&rows)
        };
        for round in 0..3 {
            drop((parts.factory)(&info));
            state.load(&buffer);
            let before = buffer.borrow().total();
            let table_before = buffer.borrow().table_len();
            for value in 0..130 {
                buffer.borrow_mut().push(big(value));
                if value % 50 == 10 {
                    buffer.borrow().table_len();
                }
            }
            state.snapshot(&buffer);
            let (total, first) = (buffer.borrow().total(), buffer.borrow().first());
            let wanted = (buffer.borrow().table_len(), buffer.borrow().table(10, 5, Zone::UTC));
            assert_eq!(total, before + 130 * 100);
            // Whole blocks go, and only as long as the limit remains.
            let kept = total - first;
            let as_many = if round == 0 { kept == total } else { (20_000..20_000 + 6_500).contains(&kept) };
            assert!(as_many, "round {round}: {kept} rows of {total}");
            assert!(round == 0 || first > 0);
            assert!(buffer.borrow().table_len() >= table_before);
            buffer.borrow_mut().push(big(500));
            drop((parts.factory)(&info));
            assert_eq!(buffer.borrow().total(), 0);
            state.load(&buffer);
            let buffer = buffer.borrow();
            assert_eq!((buffer.total(), buffer.first()), (total, first));
            assert_eq!((buffer.table_len(), buffer.table(10, 5, Zone::UTC)), wanted, "{mode}");
        }
    }
}

fn key_is(mode: &str) -> bool {
    mode == "I,UA,D"
}
