//! What regular, semi and anti joins share: the rows of a side in state, and the search for the rows that a chunk meets on the other side.
//!
//! A side is a table (join key, sub-key) -> row. By what is known of its rows the sub-key is nothing (the join key holds a unique key: one row),
//! a unique key (the row stands beside it), or the whole row, with the number of times that it is there. Where the side is an outer one, each
//! entry also knows how many rows of the other side it meets. Flink's counterparts: `JoinRecordStateViews` and `OuterJoinRecordStateViews`.

use arrow_array::{ArrayRef, BooleanArray};
use tidegate_data::{Chunk, DataType, EncodedKeys, Schema, SlotColumn, SlotType, decode_keys, encode_keys, gather};
use tidegate_expr::{EvalContext, Expr};
use tidegate_runtime::Failure;
use tidegate_runtime::state::{MapTable, StateVisitor};

use crate::failure::not_computed;
use crate::meaning;
use crate::two_inputs::EncodedRows;

/// How the rows of a side are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinSideKey {
    /// There is one row per join key at most.
    JoinKey,
    /// By these columns.
    Unique(Vec<usize>),
    /// Only as whole rows, each perhaps several times.
    None,
}

/// One side of a join.
#[derive(Clone, Debug)]
pub struct JoinSideSpec {
    /// Its columns.
    pub input: Schema,
    /// The columns of the join key.
    pub keys: Vec<usize>,
    /// How its rows are told apart.
    pub unique: JoinSideKey,
    /// `table.exec.state.ttl` in ms, 0 for none.
    pub state_ttl: i64,
}

/// The rows of one side.
pub(crate) struct JoinSide {
    types: Vec<DataType>,
    keys: Vec<usize>,
    unique: JoinSideKey,
    /// Whether entries count the rows that they meet.
    counts: bool,
    table: MapTable,
}

const CONTENT: usize = 0;
const MATCHES: usize = 1;

impl JoinSide {
    pub(crate) fn new(spec: &JoinSideSpec, counts: bool) -> JoinSide {
        let content = match spec.unique {
            JoinSideKey::None => ("count".to_owned(), SlotType::I64),
            _ => ("row".to_owned(), SlotType::Bytes),
        };
        let mut columns = vec![content];
        if counts {
            columns.push(("matches".to_owned(), SlotType::I64));
        }
        JoinSide {
            types: spec.input.fields.iter().map(|field| field.ty.clone()).collect(),
            keys: spec.keys.clone(),
            unique: spec.unique.clone(),
            counts,
            table: MapTable::unordered(Vec::new(), &columns)
                .of(meaning::rows_by(&spec.input, &spec.keys))
                .showing(&spec.keys, &spec.input.fields, matches!(spec.unique, JoinSideKey::None))
                .kept_for(spec.state_ttl),
        }
    }

    pub(crate) fn state(&mut self, name: &str, visitor: &mut dyn StateVisitor) {
        visitor.table(name, &mut self.table);
    }

    /// Takes away the rows that are over at `now`.
    pub(crate) fn expire(&mut self, now: i64) {
        self.table.expire(now);
    }

    /// How often an entry's row is there.
    fn count(&self, entry: u32) -> i64 {
        match &self.table.columns()[CONTENT] {
            SlotColumn::I64(counts) => counts[entry as usize],
            _ => 1,
        }
    }

    /// Appends an entry's row.
    fn append_row(&self, entry: u32, out: &mut Vec<u8>) {
        match &self.table.columns()[CONTENT] {
            SlotColumn::Bytes(rows) => out.extend_from_slice(rows[entry as usize].as_deref().unwrap_or_default()),
            _ => self.table.append_sub_key(entry, out),
        }
    }

    /// How many rows of the other side an entry meets.
    pub(crate) fn matches(&self, entry: u32) -> i64 {
        match self.table.columns().get(MATCHES) {
            Some(SlotColumn::I64(matches)) => matches[entry as usize],
            _ => 0,
        }
    }

    /// Says how many rows of the other side an entry meets.
    pub(crate) fn set_matches(&mut self, entry: u32, number: i64) {
        if let Some(SlotColumn::I64(matches)) = self.table.columns_mut().get_mut(MATCHES) {
            matches[entry as usize] = number;
            self.table.touch(&[entry]);
        }
    }

    /// Keeps row `row` of the chunk in work, which meets `matches` rows of the other side.
    pub(crate) fn add(&mut self, work: &Work, row: usize, matches: usize) {
        let owner = self.table.owner(work.encoded.key(row), work.encoded.group(row));
        let (entry, _) = self.table.find_or_insert(owner, work.sub_key(row));
        match &mut self.table.columns_mut()[CONTENT] {
            SlotColumn::Bytes(rows) => rows[entry as usize] = Some(work.encoded.row(row).into()),
            SlotColumn::I64(counts) => counts[entry as usize] += 1,
            _ => {}
        }
        if self.counts {
            self.set_matches(entry, matches as i64);
        }
        self.table.touch(&[entry]);
    }

    /// Takes row `row` of the chunk in work away; nothing where it is not there.
    pub(crate) fn retract(&mut self, work: &Work, row: usize) {
        let Some(owner) = self.table.find_owner(work.encoded.key(row)) else { return };
        let Some(entry) = self.table.find(owner, work.sub_key(row)) else { return };
        if let SlotColumn::I64(counts) = &mut self.table.columns_mut()[CONTENT]
            && counts[entry as usize] > 1
        {
            counts[entry as usize] -= 1;
            self.table.touch(&[entry]);
            return;
        }
        self.table.remove(entry);
        if self.table.count(owner) == 0 {
            self.table.clear(owner);
        }
    }
}

/// A chunk in work: its encoded keys and rows, and how far it is done.
pub(crate) struct Work {
    /// The rows.
    pub(crate) chunk: Chunk,
    /// The side that they came on.
    pub(crate) side: usize,
    encoded: EncodedRows,
    unique: Option<EncodedKeys>,
    whole_rows: bool,
    /// The row in work, whether its search has begun, and where it stands: an entry, and how often that was met already.
    row: usize,
    begun: bool,
    at: Option<(u32, i64)>,
    /// How many rows the row in work has met so far.
    pub(crate) met: usize,
}

/// One step of working off a chunk.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    /// A row meets an entry of the other side: the position of the pair, and whether the entry's row is not there once more.
    Pair { row: usize, entry: u32, pair: usize, last: bool },
    /// A row has met all that it meets.
    End { row: usize },
}

/// Pairs of rows, and which of them fulfil the condition.
pub(crate) struct Pairs {
    pub(crate) steps: Vec<Step>,
    /// The other side's rows, one per pair.
    pub(crate) others: Vec<ArrayRef>,
    matched: Option<BooleanArray>,
}

impl Pairs {
    /// Whether a pair fulfils the condition.
    pub(crate) fn fulfils(&self, pair: usize) -> bool {
        self.matched.as_ref().is_none_or(|matched| matched.value(pair))
    }
}

impl Work {
    /// Takes a chunk that came on side `side`. `nulls_match` says of each key whether two NULLs are equal.
    pub(crate) fn new(chunk: Chunk, side: usize, own: &JoinSide, nulls_match: &[bool]) -> Work {
        let unique = match &own.unique {
            JoinSideKey::Unique(columns) => {
                let columns: Vec<ArrayRef> = columns.iter().map(|column| chunk.columns[*column].clone()).collect();
                Some(encode_keys(&columns))
            }
            _ => None,
        };
        Work {
            encoded: EncodedRows::new(&chunk, &own.keys, nulls_match),
            unique,
            whole_rows: own.unique == JoinSideKey::None,
            chunk,
            side,
            row: 0,
            begun: false,
            at: None,
            met: 0,
        }
    }

    /// Whether all its rows are worked off.
    pub(crate) fn is_done(&self) -> bool {
        self.row >= self.chunk.len
    }

    fn sub_key(&self, row: usize) -> &[u8] {
        match &self.unique {
            Some(unique) => unique.row(row),
            None if self.whole_rows => self.encoded.row(row),
            None => &[],
        }
    }

    /// Goes on with the search: what comes next, such that at most [`Chunk::MAX_ROWS`] rows come of it where a pair yields
    /// two and the end of a row one.
    ///
    /// # Errors
    /// When the condition cannot be computed.
    pub(crate) fn search(
        &mut self,
        other: &JoinSide,
        condition: Option<&Expr>,
        context: &EvalContext,
    ) -> Result<Pairs, Failure> {
        let mut room = Chunk::MAX_ROWS - 2;
        let (mut steps, mut inputs): (Vec<Step>, Vec<u32>) = (Vec::new(), Vec::new());
        let (mut bytes, mut ends): (Vec<u8>, Vec<usize>) = (Vec::new(), Vec::new());
        while self.row < self.chunk.len && room >= 2 {
            if !self.begun {
                self.begun = true;
                let key = (!self.encoded.is_alone(self.row)).then(|| self.encoded.key(self.row));
                let owner = key.and_then(|key| other.table.find_owner(key));
                self.at = owner.and_then(|owner| other.table.oldest(owner)).map(|entry| (entry, 0));
            }
            match self.at {
                Some((entry, times)) => {
                    let last = times + 1 >= other.count(entry);
                    steps.push(Step::Pair { row: self.row, entry, pair: inputs.len(), last });
                    inputs.push(self.row as u32);
                    other.append_row(entry, &mut bytes);
                    ends.push(bytes.len());
                    self.at = match last {
                        true => other.table.newer(entry).map(|entry| (entry, 0)),
                        false => Some((entry, times + 1)),
                    };
                    room -= 2;
                }
                None => {
                    steps.push(Step::End { row: self.row });
                    self.row += 1;
                    self.begun = false;
                    room -= 1;
                }
            }
        }
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let others = decode_keys(starts.zip(&ends).map(|(start, end)| &bytes[start..*end]), &other.types);
        let matched = match condition {
            Some(condition) if !inputs.is_empty() => {
                let own = self.chunk.columns.iter().map(|column| gather(column, &inputs));
                let columns: Vec<ArrayRef> = match self.side {
                    0 => own.chain(others.iter().cloned()).collect(),
                    _ => others.iter().cloned().chain(own).collect(),
                };
                let candidates = Chunk::insert(columns, inputs.len());
                Some(condition.filter(&candidates, context).map_err(not_computed)?)
            }
            _ => None,
        };
        Ok(Pairs { steps, others, matched })
    }
}
