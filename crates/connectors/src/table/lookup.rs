//! `FROM o JOIN d FOR SYSTEM_TIME AS OF o.proctime ON o.k = d.k`: each row beside the rows that the table store has for it when it comes.
//!
//! Input: any changelog; output: the same kinds. No state: what was looked up is not looked up again when the table changes. A row waits for the store's
//! answer; one that fails is asked for again. Where the key holds the table's primary key a row is read, otherwise the table.
//! Flink's counterpart: `LookupJoinRunner` with the JDBC connector's lookup function.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use tidegate_data::sorted::SortedMap;

use arrow_array::{Array, ArrayRef, BooleanArray};
use tidegate_data::{Chunk, Schema, concat, encode_keys, gather, gather_or_null};
use tidegate_diag::Diagnostic;
use tidegate_runtime::graph::OperatorFactory;
use tidegate_runtime::{Context, Failure, Key, Operator, Outcome, Progress, RequestId, StoreResponse};

use super::read::{Isolation, Query};
use super::{rows, store_name};
use crate::codec::Block;
use crate::options::Options;

/// Computes columns of rows.
pub type Compute = Rc<dyn Fn(&Chunk, &dyn Context) -> Result<Vec<ArrayRef>, Failure>>;
/// Says of each row whether something holds.
pub type Holds = Rc<dyn Fn(&Chunk, &dyn Context) -> Result<BooleanArray, Failure>>;

/// What a lookup join is made from.
#[derive(Clone)]
pub struct LookupArgs {
    /// The table's name without catalog and database.
    pub table: String,
    /// The table's options.
    pub options: BTreeMap<String, String>,
    /// The table's physical columns.
    pub physical: Schema,
    /// The primary key, as positions in `physical`.
    pub primary_key: Option<Vec<usize>>,
    /// Pairs of a column of the input and a physical column that has to equal it.
    pub keys: Vec<(usize, usize)>,
    /// The table's columns that are joined, over the physical ones.
    pub columns: Compute,
    /// What must be true of a pair besides, over the columns of both sides.
    pub condition: Option<Holds>,
    /// Whether rows stay for which there is none, padded with NULLs.
    pub outer: bool,
}

/// Rows that are asked for one by one; with more of them the whole table is read.
const SINGLE: usize = 64;
/// The pause before a store that failed is asked again, ms.
const RETRY: i64 = 200;

/// The operator of a lookup join.
pub fn lookup(args: LookupArgs) -> OperatorFactory {
    let options = Options(&args.options);
    let name = store_name(options, &args.table);
    let isolation = match options.word("isolation-level", "read-committed").as_str() {
        "read-uncommitted" => Isolation::ReadUncommitted,
        _ => Isolation::ReadCommitted,
    };
    Box::new(move |_| {
        Box::new(LookupJoin {
            name: name.clone(),
            isolation,
            args: args.clone(),
            left: None,
            queries: Vec::new(),
            asked: SortedMap::new(),
            answers: SortedMap::new(),
            retry: None,
            pairs: None,
        })
    })
}

struct LookupJoin {
    name: String,
    isolation: Isolation,
    args: LookupArgs,
    /// The rows in work.
    left: Option<Chunk>,
    /// What is asked for them; with the name of the row, where it is one.
    queries: Vec<(Query, Option<Vec<u8>>)>,
    /// The requests, by their query.
    asked: SortedMap<RequestId, usize>,
    answers: SortedMap<RequestId, StoreResponse>,
    retry: Option<i64>,
    pairs: Option<Pairs>,
}

/// The output in work.
struct Pairs {
    left: Chunk,
    right: Vec<ArrayRef>,
    pairs: Vec<(u32, Option<u32>)>,
    done: usize,
}

impl Operator for LookupJoin {
    fn on_chunk(&mut self, _input: usize, chunk: Chunk, cx: &mut dyn Context) -> Outcome {
        self.queries = self.queries_for(&chunk);
        self.left = Some(chunk);
        self.ask(cx);
        self.resume(cx)
    }

    fn on_response(&mut self, id: RequestId, response: StoreResponse, cx: &mut dyn Context) -> Result<(), Failure> {
        if !self.asked.contains_key(&id) {
            return Ok(());
        }
        if matches!(response, StoreResponse::Failed { .. }) {
            self.asked.clear();
            self.answers.clear();
            self.retry = Some(cx.now().saturating_add(RETRY));
            cx.wake_at(cx.now().saturating_add(RETRY));
            return Ok(());
        }
        self.answers.insert(id, response);
        Ok(())
    }

    fn on_processing_time(&mut self, cx: &mut dyn Context) -> Outcome {
        self.resume(cx)
    }

    fn resume(&mut self, cx: &mut dyn Context) -> Outcome {
        if let Some(at) = self.retry {
            if at > cx.now() {
                cx.wake_at(at);
                return Ok(Progress::Wait);
            }
            self.retry = None;
            self.ask(cx);
        }
        if self.left.is_some() {
            if self.answers.len() < self.asked.len() {
                return Ok(Progress::Wait);
            }
            self.join(cx)?;
        }
        let Some(pairs) = &mut self.pairs else { return Ok(Progress::Done) };
        let part = &pairs.pairs[pairs.done..(pairs.done + Chunk::MAX_ROWS).min(pairs.pairs.len())];
        if !part.is_empty() {
            let (left, right): (Vec<u32>, Vec<Option<u32>>) = part.iter().copied().unzip();
            let mut out = pairs.left.take(&left);
            out.columns.extend(pairs.right.iter().map(|column| gather_or_null(column, &right)));
            cx.emit(out);
        }
        pairs.done += part.len();
        if pairs.done < pairs.pairs.len() {
            return Ok(Progress::More);
        }
        self.pairs = None;
        Ok(Progress::Done)
    }
}

impl LookupJoin {
    fn queries_for(&self, chunk: &Chunk) -> Vec<(Query, Option<Vec<u8>>)> {
        let all = Query::all(self.name.clone(), self.isolation);
        let by_key = self.args.primary_key.as_ref().and_then(|key| {
            let column = |own: &usize| self.args.keys.iter().find(|(_, right)| right == own).map(|(left, _)| *left);
            key.iter().map(column).collect::<Option<Vec<usize>>>()
        });
        let Some(columns) = by_key.filter(|columns| !columns.is_empty()) else { return vec![(all, None)] };
        let columns: Vec<ArrayRef> = columns.iter().map(|column| chunk.columns[*column].clone()).collect();
        let encoded = encode_keys(&columns);
        let there = |row: &usize| columns.iter().all(|column| column.is_valid(*row));
        let names: BTreeSet<Vec<u8>> = (0..chunk.len).filter(there).map(|row| encoded.row(row).to_vec()).collect();
        // What is not committed has no place by which it could be found.
        if names.len() > SINGLE || self.isolation == Isolation::ReadUncommitted {
            return vec![(all, None)];
        }
        let start = rows(&self.name).0;
        let one = |name: Vec<u8>| {
            let from = Key::from([&start[..], &name].concat());
            (Query { from: Some(from), limit: 1, ..all.clone() }, Some(name))
        };
        names.into_iter().map(one).collect()
    }

    fn ask(&mut self, cx: &mut dyn Context) {
        for (i, (query, _)) in self.queries.iter().enumerate() {
            self.asked.extend(query.requests().into_iter().map(|request| (cx.request(request), i)));
        }
    }

    /// The rows that the store has.
    fn found(&mut self) -> Result<Vec<ArrayRef>, Diagnostic> {
        let mut parts: Vec<Vec<ArrayRef>> = Vec::new();
        let mut answers = std::mem::take(&mut self.answers);
        let asked = std::mem::take(&mut self.asked);
        for (i, (query, name)) in std::mem::take(&mut self.queries).iter().enumerate() {
            // Request ids ascend, so the answers are in the order of the requests.
            let own = asked.iter().filter(|(_, query)| **query == i).filter_map(|(id, _)| answers.remove(id)).collect();
            let page = query.decode(own)?;
            let other = name.as_ref().is_some_and(|name| page.names.first() != Some(name));
            if page.rows.len > 0 && !other {
                parts.push(Block { schema: page.schema, chunk: page.rows }.columns(&self.args.physical, false)?);
            }
        }
        let fields = &self.args.physical.fields;
        Ok((0..fields.len())
            .map(|column| match parts.as_slice() {
                [] => tidegate_data::empty_column(&fields[column].ty),
                parts => concat(&parts.iter().map(|part| &part[column]).collect::<Vec<_>>()),
            })
            .collect())
    }

    fn join(&mut self, cx: &mut dyn Context) -> Result<(), Failure> {
        let Some(left) = self.left.take() else { return Ok(()) };
        let physical = self.found().map_err(|diagnostic| Failure { diagnostic })?;
        let len = physical.first().map_or(0, |column| column.len());
        let right = (self.args.columns)(&Chunk::insert(physical.clone(), len), cx)?;
        let mut pairs = equal(&left, &physical, len, &self.args.keys);
        if let (Some(condition), false) = (&self.args.condition, pairs.is_empty()) {
            let (rows, found): (Vec<u32>, Vec<u32>) = pairs.iter().copied().unzip();
            let mut both = left.project(&(0..left.columns.len()).collect::<Vec<_>>()).take(&rows);
            both.columns.extend(right.iter().map(|column| gather(column, &found)));
            let keep = condition(&both, cx)?;
            let mut at = 0..pairs.len();
            pairs.retain(|_| at.next().is_some_and(|at| keep.value(at)));
        }
        let mut out = Vec::with_capacity(pairs.len());
        let mut pairs = pairs.into_iter().peekable();
        for row in 0..left.len as u32 {
            if self.args.outer && pairs.peek().is_none_or(|(own, _)| *own != row) {
                out.push((row, None));
            }
            while let Some((_, found)) = pairs.next_if(|(own, _)| *own == row) {
                out.push((row, Some(found)));
            }
        }
        self.pairs = Some(Pairs { left, right, pairs: out, done: 0 });
        Ok(())
    }
}

/// The pairs whose keys are equal, in the order of the left rows; NULL equals nothing.
fn equal(left: &Chunk, right: &[ArrayRef], len: usize, keys: &[(usize, usize)]) -> Vec<(u32, u32)> {
    if keys.is_empty() {
        return (0..left.len as u32).flat_map(|row| (0..len as u32).map(move |found| (row, found))).collect();
    }
    let left_keys: Vec<ArrayRef> = keys.iter().map(|(column, _)| left.columns[*column].clone()).collect();
    let right_keys: Vec<ArrayRef> = keys.iter().map(|(_, column)| right[*column].clone()).collect();
    let there = |columns: &[ArrayRef], row: usize| columns.iter().all(|column| column.is_valid(row));
    let mut found: BTreeMap<Vec<u8>, Vec<u32>> = BTreeMap::new();
    if len > 0 {
        let encoded = encode_keys(&right_keys);
        for row in (0..len).filter(|row| there(&right_keys, *row)) {
            found.entry(encoded.row(row).to_vec()).or_default().push(row as u32);
        }
    }
    let encoded = encode_keys(&left_keys);
    let mut pairs = Vec::new();
    for row in (0..left.len).filter(|row| there(&left_keys, *row)) {
        pairs.extend(found.get(encoded.row(row)).into_iter().flatten().map(|found| (row as u32, *found)));
    }
    pairs
}
