//! Java's regular expressions, read into a tree.

use super::class::{Class, is_line_end};

/// A piece of a pattern.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// One character of a set.
    Set(Class),
    /// A place, not a character.
    At(Place),
    /// One after the other; none is the empty text.
    All(Vec<Node>),
    /// The first that leads to a match.
    Either(Vec<Node>),
    /// A group, with its number if it keeps what it matched.
    Group(Box<Node>, Option<usize>),
    /// So many times.
    Repeat { node: Box<Node>, least: u32, most: u32, mode: Mode },
    /// What follows, or precedes, does or does not match.
    Look { node: Box<Node>, behind: bool, negate: bool },
    /// The first way it matches and no other.
    Atomic(Box<Node>),
    /// The text that a group matched, and whether case does not count.
    Same(usize, bool),
}

/// Places in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    TextStart,
    TextEnd,
    /// The end, or before the line end that is the text's last.
    LastLineEnd,
    LineStart,
    LineEnd,
    WordEdge,
    NoWordEdge,
}

/// How a repetition chooses its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Most,
    Fewest,
    /// The most, for good.
    Possessive,
}

/// A number of times without limit.
pub(super) const UNLIMITED: u32 = u32::MAX;
/// More is not expanded.
const MOST_TIMES: u32 = 1000;
/// Groups within groups, which are read by recursion.
const DEEPEST: usize = 200;

#[derive(Clone, Copy, Default)]
struct Flags {
    no_case: bool,
    dot_all: bool,
    lines: bool,
    comments: bool,
}

pub(super) struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    flags: Flags,
    /// The number of groups that keep what they matched, the whole included.
    pub groups: usize,
    names: Vec<(String, usize)>,
}

type Parsed = Result<Node, String>;

impl Parser {
    pub fn new(pattern: &str) -> Parser {
        Parser {
            chars: pattern.chars().collect(),
            at: 0,
            depth: 0,
            flags: Flags::default(),
            groups: 1,
            names: Vec::new(),
        }
    }

    /// The whole pattern.
    ///
    /// # Errors
    /// What is wrong with it, in Java's words.
    pub fn parse(&mut self) -> Parsed {
        let node = self.either()?;
        if self.at < self.chars.len() { self.fail("Unmatched closing ')'") } else { Ok(node) }
    }

    fn fail<T>(&self, what: &str) -> Result<T, String> {
        Err(format!("{what} near index {}", self.at))
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = text.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c));
        if found {
            self.at += text.chars().count();
        }
        found
    }

    fn either(&mut self) -> Parsed {
        if self.depth == DEEPEST {
            return self.fail("Too many groups within groups");
        }
        self.depth += 1;
        let mut branches = vec![self.sequence()?];
        while self.eat("|") {
            branches.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(if branches.len() == 1 { branches.remove(0) } else { Node::Either(branches) })
    }

    fn sequence(&mut self) -> Parsed {
        let mut nodes = Vec::new();
        while let Some(c) = self.peek().filter(|c| !matches!(c, '|' | ')')) {
            if self.flags.comments && (c.is_whitespace() || c == '#') {
                self.at += 1;
                while c == '#' && self.peek().is_some_and(|c| c != '\n') {
                    self.at += 1;
                }
                continue;
            }
            let node = self.atom()?;
            nodes.push(self.repeated(node)?);
        }
        Ok(Node::All(nodes))
    }

    fn repeated(&mut self, mut node: Node) -> Parsed {
        loop {
            let (least, most) = match self.peek() {
                Some('*') => (0, UNLIMITED),
                Some('+') => (1, UNLIMITED),
                Some('?') => (0, 1),
                Some('{') => self.counts()?,
                _ => return Ok(node),
            };
            // The mark itself, or the brace that closes the numbers.
            self.at += 1;
            let mode = match () {
                () if self.eat("?") => Mode::Fewest,
                () if self.eat("+") => Mode::Possessive,
                () => Mode::Most,
            };
            node = Node::Repeat { node: Box::new(node), least, most, mode };
        }
    }

    /// `{n}`, `{n,}` or `{n,m}`; leaves the position at the closing brace.
    fn counts(&mut self) -> Result<(u32, u32), String> {
        self.at += 1;
        let Some(least) = self.number() else { return self.fail("Illegal repetition") };
        let most = if self.eat(",") { self.number().unwrap_or(UNLIMITED) } else { least };
        if self.peek() != Some('}') {
            return self.fail("Unclosed counted closure");
        }
        if most < least || least > MOST_TIMES || most != UNLIMITED && most > MOST_TIMES {
            return self.fail("Illegal repetition range");
        }
        Ok((least, most))
    }

    fn number(&mut self) -> Option<u32> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        self.chars[start..self.at].iter().collect::<String>().parse().ok()
    }

    fn set(&self, class: Class) -> Node {
        Node::Set(if self.flags.no_case { Class::NoCase(Box::new(class)) } else { class })
    }

    fn atom(&mut self) -> Parsed {
        let Some(c) = self.next() else { return self.fail("Unexpected end") };
        Ok(match c {
            '(' => return self.group(),
            '[' => {
                let class = self.class()?;
                self.set(class)
            }
            '.' if self.flags.dot_all => Node::Set(Class::Test(|_| true)),
            '.' => Node::Set(Class::Test(|c| !is_line_end(c))),
            '^' => Node::At(if self.flags.lines { Place::LineStart } else { Place::TextStart }),
            '$' => Node::At(if self.flags.lines { Place::LineEnd } else { Place::LastLineEnd }),
            '*' | '+' | '?' => {
                self.at -= 1;
                return self.fail(&format!("Dangling meta character '{c}'"));
            }
            '\\' => return self.escaped(),
            c => self.set(Class::one(c)),
        })
    }

    /// The inside of a group up to its closing bracket; flags set in it end with it.
    fn inner(&mut self, before: Flags) -> Result<Box<Node>, String> {
        let node = self.either()?;
        if !self.eat(")") {
            return self.fail("Unclosed group");
        }
        self.flags = before;
        Ok(Box::new(node))
    }

    fn group(&mut self) -> Parsed {
        let before = self.flags;
        if !self.eat("?") {
            let number = self.groups;
            self.groups += 1;
            return Ok(Node::Group(self.inner(before)?, Some(number)));
        }
        for (mark, behind, negate) in [("=", false, false), ("!", false, true), ("<=", true, false), ("<!", true, true)]
        {
            if self.eat(mark) {
                return Ok(Node::Look { node: self.inner(before)?, behind, negate });
            }
        }
        if self.eat(">") {
            return Ok(Node::Atomic(self.inner(before)?));
        }
        if self.eat("<") {
            let name = self.name('>')?;
            let number = self.groups;
            self.groups += 1;
            self.names.push((name, number));
            return Ok(Node::Group(self.inner(before)?, Some(number)));
        }
        let mut on = true;
        while let Some(c) = self.next() {
            match c {
                '-' => on = false,
                'i' => self.flags.no_case = on,
                's' => self.flags.dot_all = on,
                'm' => self.flags.lines = on,
                'x' => self.flags.comments = on,
                'u' | 'd' | 'U' => {}
                ':' => return Ok(Node::Group(self.inner(before)?, None)),
                // To the end of the group that this stands in.
                ')' => return Ok(Node::All(Vec::new())),
                _ => return self.fail("Unknown inline modifier"),
            }
        }
        self.fail("Unknown group type")
    }

    fn name(&mut self, end: char) -> Result<String, String> {
        let start = self.at;
        while let Some(c) = self.next() {
            if c == end {
                return Ok(self.chars[start..self.at - 1].iter().collect());
            }
        }
        self.fail(&format!("named capturing group is missing trailing '{end}'"))
    }

    fn escaped(&mut self) -> Parsed {
        let Some(c) = self.next() else { return self.fail("Unexpected internal error") };
        Ok(match c {
            'b' => Node::At(Place::WordEdge),
            'B' => Node::At(Place::NoWordEdge),
            'A' | 'G' => Node::At(Place::TextStart),
            'z' => Node::At(Place::TextEnd),
            'Z' => Node::At(Place::LastLineEnd),
            'R' => {
                let crlf = Node::All(vec![Node::Set(Class::one('\r')), Node::Set(Class::one('\n'))]);
                let one = Node::Set(Class::escape('v').expect("a known letter"));
                Node::Atomic(Box::new(Node::Either(vec![crlf, one])))
            }
            '1'..='9' => {
                let mut number = c as usize - '0' as usize;
                // As many digits as there are groups.
                while let Some(digit) = self.peek().and_then(|c| c.to_digit(10))
                    && number * 10 + (digit as usize) < self.groups
                {
                    number = number * 10 + digit as usize;
                    self.at += 1;
                }
                Node::Same(number, self.flags.no_case)
            }
            'k' => {
                if !self.eat("<") {
                    return self.fail("\\k is not followed by '<' for named capturing group");
                }
                let name = self.name('>')?;
                match self.names.iter().find(|(known, _)| *known == name) {
                    Some((_, number)) => Node::Same(*number, self.flags.no_case),
                    None => return self.fail(&format!("named capturing group <{name}> does not exist")),
                }
            }
            'Q' => {
                let mut nodes = Vec::new();
                while !self.eat("\\E")
                    && let Some(c) = self.next()
                {
                    nodes.push(self.set(Class::one(c)));
                }
                Node::Group(Box::new(Node::All(nodes)), None)
            }
            _ => {
                let class = self.escaped_class(c)?;
                self.set(class)
            }
        })
    }

    /// What a backslash and `c` mean inside and outside of brackets alike.
    fn escaped_class(&mut self, c: char) -> Result<Class, String> {
        if let Some(class) = Class::escape(c) {
            return Ok(class);
        }
        Ok(match c {
            'p' | 'P' => {
                let name =
                    if self.eat("{") { self.name('}')? } else { self.next().map(String::from).unwrap_or_default() };
                match Class::property(&name, c == 'P') {
                    Some(class) => class,
                    None => return self.fail(&format!("Unknown character property name {{{name}}}")),
                }
            }
            't' => Class::one('\t'),
            'n' => Class::one('\n'),
            'r' => Class::one('\r'),
            'f' => Class::one('\u{c}'),
            'a' => Class::one('\u{7}'),
            'e' => Class::one('\u{1b}'),
            '0' => self.code(8, 1, 3)?,
            'x' if self.eat("{") => {
                let class = self.code(16, 1, 6)?;
                if !self.eat("}") {
                    return self.fail("Unclosed hexadecimal escape sequence");
                }
                class
            }
            'x' => self.code(16, 2, 2)?,
            'u' => self.code(16, 4, 4)?,
            c if c.is_ascii_alphabetic() => return self.fail("Illegal/unsupported escape sequence"),
            c => Class::one(c),
        })
    }

    fn code(&mut self, radix: u32, least: usize, most: usize) -> Result<Class, String> {
        let (mut value, mut count) = (0, 0);
        while count < most
            && let Some(digit) = self.peek().and_then(|c| c.to_digit(radix))
        {
            value = value * radix + digit;
            count += 1;
            self.at += 1;
        }
        match char::from_u32(value) {
            Some(c) if count >= least => Ok(Class::one(c)),
            _ => self.fail("Illegal hexadecimal escape sequence"),
        }
    }

    /// The inside of `[...]`, with unions and intersections.
    fn class(&mut self) -> Result<Class, String> {
        let negate = self.eat("^");
        let mut parts: Vec<Class> = Vec::new();
        let mut left: Option<Class> = None;
        let start = self.at;
        loop {
            let first = self.at == start;
            let Some(c) = self.next() else { return self.fail("Unclosed character class") };
            match c {
                ']' if !first => break,
                '[' if self.depth < DEEPEST => {
                    self.depth += 1;
                    parts.push(self.class()?);
                    self.depth -= 1;
                }
                '&' if self.eat("&") => {
                    let so_far = Class::Any(std::mem::take(&mut parts));
                    left = Some(match left {
                        None => so_far,
                        Some(left) => Class::Both(Box::new(left), Box::new(so_far)),
                    });
                }
                c => {
                    let low = self.member(c)?;
                    parts.push(self.range(low)?);
                }
            }
        }
        let last = Class::Any(parts);
        let class = match left {
            None => last,
            Some(left) => Class::Both(Box::new(left), Box::new(last)),
        };
        Ok(if negate { Class::Not(Box::new(class)) } else { class })
    }

    /// A range, if a hyphen and its end follow its beginning.
    fn range(&mut self, low: Class) -> Result<Class, String> {
        let hyphen = self.peek() == Some('-') && !matches!(self.chars.get(self.at + 1), None | Some(']' | '['));
        let Class::Ranges(ranges) = &low else { return Ok(low) };
        let [(from, to)] = ranges[..] else { return Ok(low) };
        if !hyphen || from != to {
            return Ok(low);
        }
        self.at += 1;
        let end = self.next().expect("looked at before");
        match self.member(end)? {
            Class::Ranges(end) if end.len() == 1 && end[0].0 >= from => Ok(Class::Ranges(vec![(from, end[0].0)])),
            _ => self.fail("Illegal character range"),
        }
    }

    fn member(&mut self, c: char) -> Result<Class, String> {
        if c != '\\' {
            return Ok(Class::one(c));
        }
        match self.next() {
            Some(c) => self.escaped_class(c),
            None => self.fail("Unclosed character class"),
        }
    }
}
