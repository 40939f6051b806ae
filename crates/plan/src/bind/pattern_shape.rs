//! PATTERN: its variables with their quantifiers, and what Flink cannot search for.

use tidegate_sql::ast::{Ident, Pattern, PatternKind};

use crate::pattern::Variable;

/// What is wrong with a pattern, and what to do.
pub(super) type Impossible = (String, &'static str);

/// Whether a variable takes as many rows as it can, and might take fewer.
pub(super) fn is_greedy(own: &Variable) -> bool {
    own.quantified && !own.reluctant && own.max != Some(own.min) && !(own.min == 0 && own.max == Some(1))
}

/// The variables of a pattern in order, and the first thing that Flink cannot search for.
pub(super) fn variables(pattern: &Pattern) -> (Vec<Variable>, Result<(), Impossible>) {
    let mut found = Vec::new();
    let outcome = collect(pattern, &mut found);
    (found, outcome)
}

fn collect(pattern: &Pattern, found: &mut Vec<Variable>) -> Result<(), Impossible> {
    let unsupported = |why: &str| format!("Expression not supported: {} {why}", text(pattern));
    match &pattern.kind {
        PatternKind::Variable(name) => push(name, None, found),
        PatternKind::Concat(parts) => {
            let mut outcome = Ok(());
            for part in parts {
                // The names of what comes behind are known all the same.
                let own = collect(part, found);
                outcome = outcome.and(own);
            }
            outcome
        }
        PatternKind::Repeat { inner, min, max, reluctant } => match &inner.kind {
            PatternKind::Variable(name) => push(name, Some((*min, *max, *reluctant)), found),
            _ => {
                let outcome = collect(inner, found);
                let message =
                    format!("Expression not supported: {} Group patterns are not supported yet.", text(inner));
                outcome.and(Err((message, "A quantifier stands behind one variable.")))
            }
        },
        PatternKind::Alternation(parts) => {
            parts.iter().for_each(|part| drop(collect(part, found)));
            Err((
                format!(
                    "Expression not supported: {}. Currently, CEP doesn't support branching patterns.",
                    text(pattern)
                ),
                "Define one variable by both conditions, with OR.",
            ))
        }
        PatternKind::Permute(parts) => {
            parts.iter().for_each(|part| drop(collect(part, found)));
            Err((
                format!(
                    "Expression not supported: {}. Currently, CEP doesn't support PERMUTE patterns.",
                    text(pattern)
                ),
                "Each order needs a query of its own.",
            ))
        }
        PatternKind::Exclude(inner) => {
            drop(collect(inner, found));
            Err((
                format!(
                    "Expression not supported: {}. Currently, CEP doesn't support '{{-' '-}}' patterns.",
                    text(pattern)
                ),
                "Leave its measures out instead.",
            ))
        }
        PatternKind::Empty => Err((unsupported("Empty patterns are not supported."), "Name a variable.")),
    }
}

fn push(
    name: &Ident,
    quantifier: Option<(u32, Option<u32>, bool)>,
    found: &mut Vec<Variable>,
) -> Result<(), Impossible> {
    let after_greedy = found.last().is_some_and(is_greedy);
    let twice = found.iter().any(|own| own.name == name.value);
    let (min, max, reluctant) = quantifier.unwrap_or((1, Some(1), false));
    let quantified = quantifier.is_some();
    if twice {
        let message = "Pattern variables must be unique. That might change in the future.".to_owned();
        return Err((message, "Give the second one a name of its own, with the same condition."));
    }
    found.push(Variable { name: name.value.clone(), min, max, reluctant, quantified });
    if max.is_some_and(|max| max < min.max(1)) {
        return Err((
            "The times should be larger than 0.".into(),
            "A variable takes one row at least, or is left out of the pattern.",
        ));
    }
    if min == 0 && (max.is_none() || max == Some(1)) && after_greedy {
        let message = "Optional pattern cannot be preceded by greedy pattern".to_owned();
        return Err((message, "Put a ? behind the quantifier before it."));
    }
    if min == 0 && max == Some(1) && reluctant {
        return Err(("Reluctant optional variables are not supported yet.".into(), "Leave the second ? out."));
    }
    Ok(())
}

/// A pattern as Calcite writes it.
fn text(pattern: &Pattern) -> String {
    let list = |parts: &[Pattern]| parts.iter().map(text).collect::<Vec<_>>().join(", ");
    match &pattern.kind {
        PatternKind::Empty => "()".into(),
        PatternKind::Variable(name) => format!("_UTF-16LE'{}'", name.value),
        PatternKind::Concat(parts) => {
            let mut all = parts.iter().map(text);
            let first = all.next().unwrap_or_default();
            all.fold(first, |before, part| format!("({before}, {part})"))
        }
        PatternKind::Alternation(parts) => format!("|({})", list(parts)),
        PatternKind::Permute(parts) => format!("PATTERN_PERMUTE({})", list(parts)),
        PatternKind::Exclude(inner) => format!("PATTERN_EXCLUDE({})", text(inner)),
        PatternKind::Repeat { inner, min, max, reluctant } => {
            let max = max.map_or(-1, i64::from);
            format!("PATTERN_QUANTIFIER({}, {min}, {max}, {reluctant})", text(inner))
        }
    }
}
