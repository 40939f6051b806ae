//! Scripts with a word too few, too many or in the wrong place: they may be refused, but never bring the planner down, and what is
//! refused says where.

use std::fs;

use tidegate_plan::{Catalog, Outcome};

mod common;

use common::{cases, connectors};

/// A generator of chance: the same numbers for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// Words, quoted texts, and every other character for itself; blanks and comments go with what stands before them.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(first) = chars.next() {
        let mut token = String::from(first);
        if first.is_alphanumeric() || first == '_' {
            while let Some(next) = chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
                token.push(next);
            }
        } else if matches!(first, '\'' | '`') {
            for next in chars.by_ref() {
                token.push(next);
                if next == first {
                    break;
                }
            }
        }
        match tokens.last_mut() {
            Some(last) if first.is_whitespace() => last.push_str(&token),
            _ => tokens.push(token),
        }
    }
    tokens
}

fn mutate(tokens: &[String], others: &[String], chance: &mut Chance) -> String {
    let mut tokens = tokens.to_vec();
    for _ in 0..=chance.below(3) {
        let at = chance.below(tokens.len());
        let other = chance.below(tokens.len());
        match chance.below(5) {
            0 if tokens.len() > 1 => {
                tokens.remove(at);
            }
            1 => tokens.insert(at, tokens[other].clone()),
            2 => tokens.swap(at, other),
            3 => tokens[at] = format!("{} ", others[chance.below(others.len())]),
            _ => tokens[at] = tokens[other].clone(),
        }
    }
    tokens.concat()
}

#[test]
fn no_script_brings_the_planner_down() {
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    let scripts: Vec<Vec<String>> = cases()
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path).expect("a case");
            let lines = text.lines().filter(|line| !line.starts_with("--"));
            tokens(&lines.collect::<Vec<_>>().join("\n"))
        })
        .filter(|script| !script.is_empty())
        .collect();
    let words: Vec<String> = scripts.iter().flatten().map(|token| token.trim().to_owned()).collect();
    let rounds = std::env::var("TIDEGATE_TEST_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(2);
    let (mut planned, mut faults) = (0, Vec::new());
    for script in scripts.iter().cycle().take(scripts.len() * rounds) {
        let text = mutate(script, &words, &mut chance);
        let seen = std::panic::catch_unwind(|| run(&text));
        match seen {
            Ok(jobs) => planned += jobs,
            Err(_) => faults.push(text),
        }
    }
    assert!(faults.is_empty(), "these scripts bring the planner down:\n{}", faults.join("\n----\n"));
    assert!(planned > scripts.len(), "too little is left whole: {planned} jobs of {} scripts", scripts.len());
}

/// Runs a script as far as its parts can be read; how many jobs it made.
fn run(text: &str) -> usize {
    let mut catalog = Catalog::new(connectors());
    let mut jobs = 0;
    for statement in &tidegate_sql::parse_script(text).statements {
        match catalog.execute(text, statement) {
            Ok(Outcome::Job(_)) => jobs += 1,
            Ok(_) => {}
            Err(diagnostics) => {
                assert!(!diagnostics.is_empty(), "refused without a word");
                for diagnostic in &diagnostics {
                    let span = diagnostic.span.unwrap_or_else(|| panic!("no place: {}", diagnostic.message));
                    assert!(text.get(span.start as usize..span.end as usize).is_some(), "{span:?} is no place");
                }
            }
        }
    }
    jobs
}
