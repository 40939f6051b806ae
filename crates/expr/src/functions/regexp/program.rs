//! A pattern as a program, and the machine that runs it: backtracking, as Java's does, but with a limit on its steps.

use super::class::{Class, is_line_end};
use super::parse::{Mode, Node, Parser, Place, UNLIMITED};

/// A compiled pattern.
pub(in crate::functions) struct Regex {
    code: Vec<Step>,
    groups: usize,
    /// The number of loops that need to know where their round began.
    loops: usize,
    /// The characters that a match can begin with, where that is known.
    first: Option<Class>,
}

enum Step {
    Set(Class),
    At(Place),
    /// The first target, and if that fails the second.
    Fork(usize, usize),
    Jump(usize),
    /// Notes the position for a group's start (even) or end (odd).
    Mark(usize),
    /// Notes where a round of a loop begins.
    Round(usize),
    /// Back to the loop's start, but only if its round took something.
    Progress(usize, usize),
    /// Runs the code from the next step to a `Done`, then goes on at `end`.
    Inner {
        kind: Inner,
        end: usize,
    },
    Same(usize, bool),
    /// The end of the program or of an inner one.
    Done,
}

#[derive(Clone, Copy)]
enum Inner {
    Look { behind: bool, negate: bool },
    Atomic,
}

/// How many steps one search may take before it gives up and finds nothing.
const MOST_STEPS: u32 = 2_000_000;
/// How long a program may become.
const MOST_CODE: usize = 100_000;

/// Where the groups matched; group 0 is the whole.
pub(in crate::functions) struct Captures {
    marks: Vec<Option<usize>>,
}

impl Captures {
    /// The range of a group that took part.
    pub fn get(&self, group: usize) -> Option<std::ops::Range<usize>> {
        let start = *self.marks.get(group * 2)?;
        let end = *self.marks.get(group * 2 + 1)?;
        Some(start?..end?)
    }

    /// The range of the whole match.
    pub fn whole(&self) -> std::ops::Range<usize> {
        self.get(0).expect("a match has a range")
    }
}

impl Regex {
    /// The number of groups, the whole included.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// Compiles a pattern.
    ///
    /// # Errors
    /// What is wrong with it, in Java's words.
    pub fn new(pattern: &str) -> Result<Regex, String> {
        let mut parser = Parser::new(pattern);
        let node = parser.parse()?;
        let mut regex = Regex { code: Vec::new(), groups: parser.groups, loops: 0, first: first_of(&node) };
        regex.compile(&node)?;
        regex.code.push(Step::Done);
        Ok(regex)
    }

    fn compile(&mut self, node: &Node) -> Result<(), String> {
        if self.code.len() > MOST_CODE {
            return Err("The pattern is too large".to_owned());
        }
        match node {
            Node::Set(class) => self.code.push(Step::Set(class.clone())),
            Node::At(place) => self.code.push(Step::At(*place)),
            Node::All(nodes) => nodes.iter().try_for_each(|node| self.compile(node))?,
            Node::Either(branches) => self.either(branches)?,
            Node::Group(node, None) => self.compile(node)?,
            Node::Group(node, Some(number)) => {
                self.code.push(Step::Mark(number * 2));
                self.compile(node)?;
                self.code.push(Step::Mark(number * 2 + 1));
            }
            Node::Repeat { node, least, most, mode: Mode::Possessive } => {
                let greedy = Node::Repeat { node: node.clone(), least: *least, most: *most, mode: Mode::Most };
                self.inner(Inner::Atomic, &greedy)?;
            }
            Node::Repeat { node, least, most, mode } => self.repeat(node, *least, *most, *mode == Mode::Most)?,
            Node::Look { node, behind, negate } => {
                self.inner(Inner::Look { behind: *behind, negate: *negate }, node)?
            }
            Node::Atomic(node) => self.inner(Inner::Atomic, node)?,
            Node::Same(number, no_case) => self.code.push(Step::Same(*number, *no_case)),
        }
        Ok(())
    }

    fn either(&mut self, branches: &[Node]) -> Result<(), String> {
        let mut ends = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            if index + 1 == branches.len() {
                self.compile(branch)?;
                break;
            }
            let fork = self.code.len();
            self.code.push(Step::Done);
            self.compile(branch)?;
            ends.push(self.code.len());
            self.code.push(Step::Done);
            self.code[fork] = Step::Fork(fork + 1, self.code.len());
        }
        let end = self.code.len();
        ends.into_iter().for_each(|at| self.code[at] = Step::Jump(end));
        Ok(())
    }

    fn inner(&mut self, kind: Inner, node: &Node) -> Result<(), String> {
        let at = self.code.len();
        self.code.push(Step::Done);
        self.compile(node)?;
        self.code.push(Step::Done);
        self.code[at] = Step::Inner { kind, end: self.code.len() };
        Ok(())
    }

    fn repeat(&mut self, node: &Node, least: u32, most: u32, greedy: bool) -> Result<(), String> {
        let fork = |again: usize, on: usize| if greedy { Step::Fork(again, on) } else { Step::Fork(on, again) };
        (0..least).try_for_each(|_| self.compile(node))?;
        if most == UNLIMITED {
            let number = self.loops;
            self.loops += 1;
            let start = self.code.len();
            self.code.push(Step::Done);
            self.code.push(Step::Round(number));
            self.compile(node)?;
            self.code.push(Step::Progress(number, start));
            self.code[start] = fork(start + 1, self.code.len());
            return Ok(());
        }
        let mut forks = Vec::new();
        for _ in least..most {
            forks.push(self.code.len());
            self.code.push(Step::Done);
            self.compile(node)?;
        }
        let end = self.code.len();
        forks.into_iter().for_each(|at| self.code[at] = fork(at + 1, end));
        Ok(())
    }

    /// The first match at or behind byte `from` of the text.
    pub fn find(&self, text: &str, from: usize) -> Option<Captures> {
        let mut machine = Machine {
            regex: self,
            text,
            marks: vec![None; self.groups * 2],
            rounds: vec![usize::MAX; self.loops],
            left: MOST_STEPS,
        };
        let mut start = from;
        loop {
            let next = text[start..].chars().next();
            if self.first.as_ref().is_none_or(|first| next.is_some_and(|c| first.contains(c))) {
                machine.marks.fill(None);
                if let Some(end) = machine.run(0, start) {
                    (machine.marks[0], machine.marks[1]) = (Some(start), Some(end));
                    return Some(Captures { marks: machine.marks });
                }
                if machine.left == 0 {
                    return None;
                }
            }
            start += next?.len_utf8();
        }
    }

    /// All matches, each behind the one before; an empty one moves on by a character, as in Java.
    pub fn find_all<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Captures> + 'a {
        let mut from = Some(0);
        std::iter::from_fn(move || {
            let found = self.find(text, from?)?;
            let range = found.whole();
            from = if range.is_empty() {
                text[range.end..].chars().next().map(|c| range.end + c.len_utf8())
            } else {
                Some(range.end)
            };
            Some(found)
        })
    }

    /// Whether the pattern occurs in the text.
    pub fn is_match(&self, text: &str) -> bool {
        self.find(text, 0).is_some()
    }
}

/// What a match has to begin with, if that is one set.
fn first_of(node: &Node) -> Option<Class> {
    match node {
        Node::Set(class) => Some(class.clone()),
        Node::All(nodes) => first_of(nodes.first()?),
        Node::Either(branches) => branches.iter().map(first_of).collect::<Option<Vec<_>>>().map(Class::Any),
        Node::Group(node, _) | Node::Atomic(node) => first_of(node),
        Node::Repeat { node, least: 1.., .. } => first_of(node),
        _ => None,
    }
}

struct Machine<'a> {
    regex: &'a Regex,
    text: &'a str,
    marks: Vec<Option<usize>>,
    rounds: Vec<usize>,
    left: u32,
}

/// What to do when the way taken has failed.
enum Undo {
    Try(usize, usize),
    Mark(usize, Option<usize>),
    Round(usize, usize),
}

impl Machine<'_> {
    /// Runs from a step and a position to a `Done`; the position there.
    fn run(&mut self, step: usize, position: usize) -> Option<usize> {
        let mut undo: Vec<Undo> = Vec::new();
        let (mut step, mut at) = (step, position);
        loop {
            self.left = self.left.checked_sub(1)?;
            let next = match &self.regex.code[step] {
                Step::Done => return Some(at),
                Step::Set(class) => {
                    let c = self.text[at..].chars().next();
                    c.filter(|c| class.contains(*c)).map(|c| (step + 1, at + c.len_utf8()))
                }
                Step::At(place) => self.is_at(*place, at).then_some((step + 1, at)),
                Step::Jump(target) => Some((*target, at)),
                Step::Fork(first, second) => {
                    undo.push(Undo::Try(*second, at));
                    Some((*first, at))
                }
                Step::Mark(slot) => {
                    undo.push(Undo::Mark(*slot, self.marks[*slot]));
                    self.marks[*slot] = Some(at);
                    Some((step + 1, at))
                }
                Step::Round(number) => {
                    undo.push(Undo::Round(*number, self.rounds[*number]));
                    self.rounds[*number] = at;
                    Some((step + 1, at))
                }
                Step::Progress(number, start) => Some((if self.rounds[*number] == at { step + 1 } else { *start }, at)),
                Step::Same(group, no_case) => self.same(*group, *no_case, at).map(|end| (step + 1, end)),
                Step::Inner { kind, end } => {
                    let (kind, end) = (*kind, *end);
                    self.inner(kind, step + 1, at, &mut undo).map(|at| (end, at))
                }
            };
            (step, at) = match next {
                Some(next) => next,
                None => self.back(&mut undo)?,
            };
        }
    }

    fn back(&mut self, undo: &mut Vec<Undo>) -> Option<(usize, usize)> {
        loop {
            match undo.pop()? {
                Undo::Try(step, at) => return Some((step, at)),
                Undo::Mark(slot, old) => self.marks[slot] = old,
                Undo::Round(number, old) => self.rounds[number] = old,
            }
        }
    }

    /// Runs an inner program; where to go on if it allows that. Groups keep what a positive one matched.
    fn inner(&mut self, kind: Inner, step: usize, at: usize, undo: &mut Vec<Undo>) -> Option<usize> {
        let saved = self.marks.clone();
        let found = match kind {
            Inner::Look { behind: true, .. } => {
                let starts = self.text[..at].char_indices().map(|(start, _)| start).rev();
                // A match may end early where a longer one would do; that is rare behind a position.
                std::iter::once(at).chain(starts).find(|start| self.run(step, *start) == Some(at))
            }
            _ => self.run(step, at),
        };
        let allowed = match kind {
            Inner::Look { negate, .. } => found.is_some() != negate,
            Inner::Atomic => found.is_some(),
        };
        if allowed && found.is_some() {
            let changed = saved.iter().enumerate().filter(|(slot, old)| self.marks[*slot] != **old);
            undo.extend(changed.map(|(slot, old)| Undo::Mark(slot, *old)));
        } else {
            self.marks = saved;
        }
        match kind {
            Inner::Atomic => found,
            Inner::Look { .. } => allowed.then_some(at),
        }
    }

    fn same(&self, group: usize, no_case: bool, at: usize) -> Option<usize> {
        let range = (*self.marks.get(group * 2)?)?..(*self.marks.get(group * 2 + 1)?)?;
        let (known, rest) = (&self.text[range], &self.text[at..]);
        let head = rest.get(..known.len())?;
        let equal = if no_case { head.eq_ignore_ascii_case(known) } else { head == known };
        equal.then_some(at + known.len())
    }

    fn is_at(&self, place: Place, at: usize) -> bool {
        let (before, after) = self.text.split_at(at);
        let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let edge = || word(before.chars().next_back()) != word(after.chars().next());
        let within_crlf = || before.ends_with('\r') && after.starts_with('\n');
        match place {
            Place::TextStart => at == 0,
            Place::TextEnd => after.is_empty(),
            Place::LastLineEnd => {
                let mut rest = after.chars();
                match (rest.next(), rest.next(), rest.next()) {
                    (None, ..) | (Some('\r'), Some('\n'), None) => true,
                    (Some(c), None, _) => is_line_end(c) && !within_crlf(),
                    _ => false,
                }
            }
            Place::LineStart => at == 0 || before.ends_with(is_line_end) && !after.is_empty() && !within_crlf(),
            Place::LineEnd => after.is_empty() || after.starts_with(is_line_end) && !within_crlf(),
            Place::WordEdge => edge(),
            Place::NoWordEdge => !edge(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find<'a>(pattern: &str, text: &'a str) -> Option<&'a str> {
        Regex::new(pattern).unwrap().find(text, 0).map(|found| &text[found.whole()])
    }

    #[test]
    fn matches_as_java_does() {
        for (pattern, text, expected) in [
            ("[0-9]+", "foo-123-bar", Some("123")),
            ("a|ab", "ab", Some("a")),
            ("(a*)*b", "aaab", Some("aaab")),
            ("a*?b", "aab", Some("aab")),
            ("o++b", "foob", Some("oob")),
            ("a++a", "aaa", None),
            ("x(?=y)", "xxy", Some("x")),
            ("x(?!y)", "xyx", Some("x")),
            ("(?<=b)a", "aba", Some("a")),
            ("(.)X\\1X", "aXbXbX", Some("bXbX")),
            ("(?<c>.)\\k<c>", "abb", Some("bb")),
            ("(?i)B", "abc", Some("b")),
            ("\\p{Lu}", "äÄ", Some("Ä")),
            ("a\\Q.\\Eb", "axba.b", Some("a.b")),
            ("\\w+", "héé", Some("h")),
            ("b$|c$", "abc", Some("c")),
            ("c$", "abc\n", Some("c")),
            ("^b", "ab", None),
            ("(?m)^b", "a\nb", Some("b")),
            ("a.b", "a\nb", None),
            ("(?s)a.b", "a\nb", Some("a\nb")),
            ("[a-c&&[^b]]+", "bac", Some("ac")),
            ("[^a-c]", "abcd", Some("d")),
            ("[]x]", "]", Some("]")),
            ("[a-]+", "b-a", Some("-a")),
            ("a{2,3}", "aaaa", Some("aaa")),
            ("a{2}?", "aaaa", Some("aa")),
            ("\\bfoo\\b", "a foo b", Some("foo")),
            ("", "", Some("")),
            ("\\u00e4\\x41", "äA", Some("äA")),
        ] {
            assert_eq!(find(pattern, text), expected, "{pattern} in {text}");
        }
        for pattern in ["(", "[", "*a", "a)", "a{2", "\\", "(?z)"] {
            assert!(Regex::new(pattern).is_err(), "{pattern}");
        }
        assert_eq!(Regex::new("(").err(), Some("Unclosed group near index 1".into()));
    }

    #[test]
    fn groups_and_all_matches() {
        let regex = Regex::new("([a-z]+)-([0-9]+)|(x)").unwrap();
        let found = regex.find("foo-123", 0).unwrap();
        assert_eq!((found.get(1), found.get(2), found.get(3), found.get(9)), (Some(0..3), Some(4..7), None, None));
        let ranges = |pattern: &str, text: &str| {
            Regex::new(pattern).unwrap().find_all(text).map(|found| found.whole()).collect::<Vec<_>>()
        };
        assert_eq!(ranges("a*", "baac"), [0..0, 1..3, 3..3, 4..4]);
    }

    #[test]
    fn a_search_gives_up() {
        assert_eq!(find("(a|a)*(a|a)*(a|a)*b", &"a".repeat(60)), None);
    }
}
