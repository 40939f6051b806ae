//! The automaton of a row pattern, state by state as Flink's `NFACompiler` builds it and `NFA` runs it: with which rows a match begins, which of several
//! comes first, what is given up after it.
//!
//! In SQL each variable takes the row right behind the one before, so a partial match is its first row and how many rows each variable has taken.

use tidegate_runtime::Failure;

use super::queue::Queue;
use super::{PatternVariable, SkipTo};

/// A partial match, or a whole one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Computation {
    /// The state that it is in.
    pub(crate) state: usize,
    /// Its first row; none before it has one.
    pub(crate) first: Option<First>,
    /// How many rows each variable has taken, in the order of the pattern.
    pub(crate) taken: Box<[u32]>,
}

/// The first row of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct First {
    /// Its time, in ms.
    pub(crate) time: i64,
    /// Its number among the rows of its key.
    pub(crate) number: u64,
}

impl Computation {
    /// The order of partial matches: by their first rows; one without any comes last.
    pub(crate) fn rank(&self) -> u64 {
        self.first.map_or(u64::MAX, |first| first.number)
    }

    /// The numbers of the rows that a variable has taken.
    pub(crate) fn rows(&self, variable: usize) -> std::ops::Range<u64> {
        let first = self.first.map_or(0, |first| first.number);
        let before: u64 = self.taken[..variable].iter().map(|count| u64::from(*count)).sum();
        first + before..first + before + u64::from(self.taken[variable])
    }

    /// The number of its last row.
    fn last(&self) -> u64 {
        let first = self.first.map_or(0, |first| first.number);
        (first + self.taken.iter().map(|count| u64::from(*count)).sum::<u64>()).saturating_sub(1)
    }
}

/// What a transition asks of a row: that it is one of `takes`, and none of `leaves` (which greedy variables before it would have taken).
#[derive(Clone, Debug, Default)]
struct Asked {
    takes: Option<usize>,
    leaves: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Transition {
    /// The variable takes the row; otherwise the state behind is tried on it.
    takes: bool,
    target: usize,
    asked: Asked,
}

#[derive(Clone, Debug, Default)]
struct State {
    variable: usize,
    transitions: Vec<Transition>,
}

/// The automaton.
#[derive(Clone, Debug)]
pub(crate) struct Nfa {
    states: Vec<State>,
    start: usize,
    variables: usize,
    skip: SkipTo,
    /// WITHIN, in ms; 0 without.
    within: i64,
}

/// The last state.
const END: usize = 0;

/// What is known of the rows of a key: the partial matches, and whole ones that an earlier partial match holds back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matches {
    pub(crate) partial: Queue,
    pub(crate) complete: Queue,
}

/// Why a search ends.
pub(crate) enum Stop {
    /// A condition cannot be computed.
    Failed(Failure),
    /// The search is to go on at a row of a variable that has none in the match.
    NoSuchRow(usize, Computation),
    /// The search is to go on where the match began.
    FirstRow,
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failed(failure)
    }
}

/// Whether a row is one of a variable, as far as a partial match is.
pub(crate) type Holds<'a> = &'a mut dyn FnMut(usize, &Computation) -> Result<bool, Failure>;

impl Nfa {
    /// The automaton of the variables in order.
    pub(crate) fn new(variables: &[PatternVariable], skip: SkipTo, within: i64) -> Nfa {
        let states = vec![State::default()];
        let mut nfa = Nfa { states, start: END, variables: variables.len(), skip, within: within.max(0) };
        let mut sink = END;
        for (i, variable) in variables.iter().enumerate().rev() {
            sink = nfa.variable(i, variable, sink);
        }
        nfa.start = sink;
        nfa
    }

    /// Before the first row.
    pub(crate) fn begin(&self) -> Matches {
        let mut partial = Queue::default();
        partial.push(Computation { state: self.start, first: None, taken: vec![0; self.variables].into() });
        Matches { partial, complete: Queue::default() }
    }

    fn variable(
        &mut self,
        variable: usize,
        PatternVariable { min, max, greedy, .. }: &PatternVariable,
        sink: usize,
    ) -> usize {
        let (from, optional) = ((*min).max(1), *min == 0);
        match *max {
            None => {
                // A state that takes rows again and again, and one for each that there has to be.
                if *greedy {
                    self.leave_to(variable, sink);
                }
                let looping = self.states.len();
                self.states.push(State { variable, transitions: Vec::new() });
                self.connect(looping, false, sink, None);
                self.connect(looping, true, looping, Some(variable));
                self.times(variable, looping, sink, (from, from), optional)
            }
            Some(max) => {
                if *greedy && from != max {
                    self.leave_to(variable, sink);
                }
                self.times(variable, sink, sink, (from, max), optional)
            }
        }
    }

    fn times(&mut self, variable: usize, sink: usize, proceed: usize, (from, to): (u32, u32), optional: bool) -> usize {
        let mut last = sink;
        for _ in from..to {
            last = self.single(variable, last, Some(proceed));
        }
        for _ in 1..from {
            last = self.single(variable, last, None);
        }
        self.single(variable, last, optional.then_some(proceed))
    }

    fn single(&mut self, variable: usize, sink: usize, proceed: Option<usize>) -> usize {
        let state = self.states.len();
        self.states.push(State { variable, transitions: Vec::new() });
        self.connect(state, true, sink, Some(variable));
        if let Some(proceed) = proceed {
            self.connect(state, false, proceed, None);
        }
        state
    }

    fn connect(&mut self, state: usize, takes: bool, target: usize, variable: Option<usize>) {
        let asked = Asked { takes: variable, leaves: Vec::new() };
        self.states[state].transitions.push(Transition { takes, target, asked });
    }

    /// What a greedy variable would take is not for the state behind it.
    fn leave_to(&mut self, variable: usize, state: usize) {
        self.states[state].transitions.iter_mut().for_each(|transition| transition.asked.leaves.push(variable));
    }

    /// A row: gives the matches that it completes.
    pub(crate) fn row(&self, matches: &mut Matches, row: First, holds: Holds<'_>) -> Result<Vec<Computation>, Stop> {
        let mut partial = Queue::default();
        let mut found = Queue::default();
        for computation in matches.partial.iter() {
            for next in self.next(computation, row, holds)? {
                if next.state == END {
                    found.push(next);
                } else {
                    partial.push(next);
                }
            }
        }
        for complete in found.iter() {
            matches.complete.push(complete.clone());
        }
        self.choose(matches, partial)
    }

    /// The time of the next row, or the watermark: what has waited too long is given up. Gives the matches that were held back by it.
    pub(crate) fn advance(&self, matches: &mut Matches, time: i64) -> Result<Vec<Computation>, Stop> {
        if self.within == 0 {
            return Ok(Vec::new());
        }
        let mut partial = Queue::default();
        let open = |computation: &&Computation| {
            computation.first.is_none_or(|first| time.saturating_sub(first.time) < self.within)
        };
        matches.partial.iter().filter(open).for_each(|computation| partial.push(computation.clone()));
        self.choose(matches, partial)
    }

    /// The times at which partial matches are given up.
    pub(crate) fn deadlines(&self, matches: &Matches) -> Vec<i64> {
        if self.within == 0 {
            return Vec::new();
        }
        matches.partial.iter().filter_map(|own| own.first).map(|first| first.time.saturating_add(self.within)).collect()
    }

    fn next(&self, computation: &Computation, row: First, holds: Holds<'_>) -> Result<Vec<Computation>, Failure> {
        // The transitions first, then what they lead to.
        let mut edges: Vec<(usize, usize)> = Vec::new();
        let mut states = vec![computation.state];
        while let Some(state) = states.pop() {
            for (i, transition) in self.states[state].transitions.iter().enumerate() {
                if self.allowed(&transition.asked, computation, holds)? {
                    match transition.takes {
                        true => edges.push((state, i)),
                        false => states.push(transition.target),
                    }
                }
            }
        }
        let mut next = Vec::new();
        for (state, i) in edges {
            let mut taken = computation.taken.clone();
            taken[self.states[state].variable] += 1;
            let target = self.states[state].transitions[i].target;
            let reached = Computation { state: target, first: Some(computation.first.unwrap_or(row)), taken };
            let ends = target != END && self.ends(target, computation, holds)?;
            next.push(reached.clone());
            if ends {
                next.push(Computation { state: END, ..reached });
            }
        }
        if computation.first.is_none() {
            next.push(computation.clone());
        }
        Ok(next)
    }

    /// Whether the end can be reached from a state without a further row.
    fn ends(&self, state: usize, computation: &Computation, holds: Holds<'_>) -> Result<bool, Failure> {
        let mut states = vec![state];
        while let Some(state) = states.pop() {
            for transition in self.states[state].transitions.iter().filter(|transition| !transition.takes) {
                if self.allowed(&transition.asked, computation, holds)? {
                    if transition.target == END {
                        return Ok(true);
                    }
                    states.push(transition.target);
                }
            }
        }
        Ok(false)
    }

    fn allowed(&self, asked: &Asked, computation: &Computation, holds: Holds<'_>) -> Result<bool, Failure> {
        if let Some(variable) = asked.takes
            && !holds(variable, computation)?
        {
            return Ok(false);
        }
        for variable in &asked.leaves {
            if holds(*variable, computation)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The whole matches that no earlier partial match holds back, each with what it makes others be given up.
    fn choose(&self, matches: &mut Matches, mut partial: Queue) -> Result<Vec<Computation>, Stop> {
        let mut chosen = Vec::new();
        while let Some(earliest) = matches.complete.peek()
            && partial.peek().is_none_or(|other| earliest.rank() <= other.rank())
        {
            let Some(found) = matches.complete.pop() else { break };
            // Those that begin before this row are given up.
            let until = match self.skip {
                SkipTo::NextRow => found.rank() + 1,
                SkipTo::PastLastRow => found.last() + 1,
                SkipTo::First(variable) => self.skip_to(&found, variable, |rows| rows.start)?,
                SkipTo::Last(variable) => self.skip_to(&found, variable, |rows| rows.end - 1)?,
            };
            let keep = |own: &Computation| own.first.is_none_or(|first| first.number >= until);
            partial.retain(keep);
            matches.complete.retain(keep);
            chosen.push(found);
        }
        matches.partial = partial;
        Ok(chosen)
    }

    fn skip_to(&self, found: &Computation, variable: usize, row: fn(std::ops::Range<u64>) -> u64) -> Result<u64, Stop> {
        let rows = found.rows(variable);
        if rows.is_empty() {
            return Err(Stop::NoSuchRow(variable, found.clone()));
        }
        let to = row(rows);
        if to == found.rank() {
            return Err(Stop::FirstRow);
        }
        Ok(to)
    }
}
