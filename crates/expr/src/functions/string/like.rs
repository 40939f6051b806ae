//! LIKE and SIMILAR TO.

use arrow_array::ArrayRef;
use tidegate_data::Value;

use crate::eval::EvalError;
use crate::functions::regexp::with_pattern;
use crate::functions::signature::{Family, check, misfit};
use crate::functions::{Binding, Call, ScalarFunction};
use crate::{CallError, Expr};

pub(in crate::functions) const BINDINGS: &[Binding] = &[
    Binding { name: "LIKE", bind: |_, args| bind(&LIKE, args, false) },
    Binding { name: "NOT LIKE", bind: |_, args| bind(&LIKE, args, true) },
    Binding { name: "SIMILAR TO", bind: |_, args| bind(&SIMILAR_TO, args, false) },
    Binding { name: "NOT SIMILAR TO", bind: |_, args| bind(&SIMILAR_TO, args, true) },
];

static LIKE: ScalarFunction = ScalarFunction::strict("LIKE", like).failing(has_escape);
static SIMILAR_TO: ScalarFunction = ScalarFunction::strict("SIMILAR TO", similar).failing(|_, _| true);

fn has_escape(args: &[Expr], _: &tidegate_data::DataType) -> bool {
    args.len() == 3
}

fn bind(function: &'static ScalarFunction, args: Vec<Expr>, negate: bool) -> Result<Expr, CallError> {
    if args.iter().any(|arg| !Family::Character.takes(&arg.ty.logical)) {
        // Calcite shows one form, with the escape character.
        return Err(misfit(function.name, &args, &[&[Family::String; 3]]));
    }
    let args = check(function.name, args, &[&[Family::Character; 2], &[Family::Character; 3]])?;
    if let Some(Value::String(escape)) = args.get(2).and_then(Expr::as_literal)
        && escape.chars().count() != 1
    {
        return Err(CallError::arguments(format!("Invalid escape character '{escape}'"), Some(2)));
    }
    if let (Some(Value::String(pattern)), Some(Value::String(escape)), "LIKE") =
        (args[1].as_literal(), args.get(2).and_then(Expr::as_literal), function.name)
    {
        prepare(pattern, escape.chars().next())
            .map_err(|error| CallError::arguments(error.diagnostic.message, Some(1)))?;
    }
    let call = function.on_booleans(args);
    Ok(if negate { super::super::logic::NOT.on_booleans(vec![call]) } else { call })
}

/// A pattern of LIKE, prepared.
enum Pattern<'a> {
    Equal(&'a str),
    Prefix(&'a str),
    Suffix(&'a str),
    Contains(&'a str),
    Any(Vec<Token>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    One(char),
    Each,
    Many,
}

fn prepare(pattern: &str, escape: Option<char>) -> Result<Pattern<'_>, EvalError> {
    if escape.is_none_or(|escape| !pattern.contains(escape)) && !pattern.contains('_') {
        let inner = pattern.trim_matches('%');
        let (head, tail) = (pattern.starts_with('%'), pattern.ends_with('%'));
        if !inner.contains('%') {
            return Ok(match (head, tail) {
                (false, false) => Pattern::Equal(pattern),
                (false, true) => Pattern::Prefix(inner),
                (true, false) => Pattern::Suffix(inner),
                (true, true) => Pattern::Contains(inner),
            });
        }
    }
    let mut tokens = Vec::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        tokens.push(match c {
            c if Some(c) == escape => match chars.next() {
                Some(next) if next == '%' || next == '_' || Some(next) == escape => Token::One(next),
                next => {
                    let left = chars.as_str().chars().count() + usize::from(next.is_some());
                    let at = pattern.chars().count() - left - 1;
                    return Err(EvalError::new(format!("Invalid escape sequence '{pattern}', {at}")));
                }
            },
            '%' => Token::Many,
            '_' => Token::Each,
            c => Token::One(c),
        });
    }
    Ok(Pattern::Any(tokens))
}

impl Pattern<'_> {
    fn matches(&self, text: &str) -> bool {
        match self {
            Pattern::Equal(whole) => text == *whole,
            Pattern::Prefix(prefix) => text.starts_with(prefix),
            Pattern::Suffix(suffix) => text.ends_with(suffix),
            Pattern::Contains(part) => text.contains(part),
            Pattern::Any(tokens) => matches_tokens(tokens, text),
        }
    }
}

/// Greedy with one point to come back to, the last `%`: linear but for repeated parts.
fn matches_tokens(tokens: &[Token], text: &str) -> bool {
    let (mut token, mut rest) = (0, text);
    let mut retry: Option<(usize, &str)> = None;
    loop {
        match tokens.get(token) {
            Some(Token::Many) => {
                token += 1;
                retry = Some((token, rest));
                continue;
            }
            None if rest.is_empty() => return true,
            Some(expected) => {
                if let Some(c) = rest.chars().next() {
                    // `_` is a regular expression's `.`, which stops at the end of a line.
                    let fits = match expected {
                        Token::One(wanted) => *wanted == c,
                        _ => !matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}'),
                    };
                    if fits {
                        token += 1;
                        rest = &rest[c.len_utf8()..];
                        continue;
                    }
                }
            }
            None => {}
        }
        match retry {
            Some((back, from)) => {
                let Some(c) = from.chars().next() else { return false };
                let from = &from[c.len_utf8()..];
                retry = Some((back, from));
                (token, rest) = (back, from);
            }
            None => return false,
        }
    }
}

fn escape_of(escape: Option<&str>) -> Result<Option<char>, EvalError> {
    let Some(escape) = escape else { return Ok(None) };
    let mut chars = escape.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Ok(Some(c)),
        _ => Err(EvalError::new(format!("Invalid escape character '{escape}'"))),
    }
}

fn like(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (texts, patterns) = (call.strings(0), call.strings(1));
    let escapes = (call.values.len() == 3).then(|| call.strings(2));
    let constant_escape = escapes.as_ref().is_none_or(|escapes| escapes.constant().is_some());
    if let Some(pattern) = patterns.constant().filter(|_| constant_escape) {
        let escape = escape_of(escapes.as_ref().and_then(|escapes| escapes.constant()))?;
        let pattern = prepare(pattern, escape)?;
        return Ok(call.make_strict_booleans(|row| pattern.matches(texts.raw(row))));
    }
    let mut truths = Vec::with_capacity(call.len);
    for row in 0..call.len {
        truths.push(match (texts.get(row), patterns.get(row), escapes.as_ref().map(|escapes| escapes.get(row))) {
            (Some(_), Some(_), Some(None)) | (None, _, _) | (_, None, _) => None,
            (Some(text), Some(pattern), escape) => Some(prepare(pattern, escape_of(escape.flatten())?)?.matches(text)),
        });
    }
    Ok(call.make_booleans(|row| truths[row]))
}

/// A pattern of SIMILAR TO as a regular expression for the whole text.
fn similar_to_regex(pattern: &str, escape: Option<char>) -> Result<String, EvalError> {
    let mut regex = String::from("\\A(?:");
    let mut chars = pattern.chars();
    let mut in_class = false;
    let literal = |c: char, regex: &mut String| {
        if !c.is_alphanumeric() && !c.is_whitespace() && c.is_ascii() {
            regex.push('\\');
        }
        regex.push(c);
    };
    while let Some(c) = chars.next() {
        if Some(c) == escape {
            let next = chars.next().ok_or_else(|| EvalError::new(format!("Invalid escape sequence '{pattern}'")))?;
            literal(next, &mut regex);
            continue;
        }
        match c {
            ']' if in_class => {
                in_class = false;
                regex.push(']');
            }
            '^' | '-' if in_class => regex.push(c),
            c if in_class => literal(c, &mut regex),
            '[' => {
                in_class = true;
                regex.push('[');
            }
            '%' => regex.push_str("(?s:.*)"),
            '_' => regex.push('.'),
            '|' | '*' | '+' | '?' | '(' | ')' | '{' | '}' => regex.push(c),
            ',' => regex.push(','),
            c => literal(c, &mut regex),
        }
    }
    regex.push_str(")\\z");
    Ok(regex)
}

fn similar(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (texts, patterns) = (call.strings(0), call.strings(1));
    let escapes = (call.values.len() == 3).then(|| call.strings(2));
    let mut truths = Vec::with_capacity(call.len);
    for row in 0..call.len {
        truths.push(match (texts.get(row), patterns.get(row)) {
            (Some(text), Some(pattern)) => {
                let escape = escape_of(escapes.as_ref().and_then(|escapes| escapes.get(row)))?;
                let regex = similar_to_regex(pattern, escape)?;
                Some(with_pattern(&regex, |regex| regex.is_match(text)).map_err(EvalError::new)?)
            }
            _ => None,
        });
    }
    Ok(call.make_booleans(|row| truths[row]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(text: &str, pattern: &str, escape: Option<char>) -> bool {
        prepare(pattern, escape).unwrap().matches(text)
    }

    #[test]
    fn patterns() {
        for (text, pattern, expected) in [
            ("hello", "h%", true),
            ("hello", "%l%", true),
            ("hello", "h_l%", true),
            ("hello", "%lo", true),
            ("hello", "hello", true),
            ("hello", "", false),
            ("", "%", true),
            ("", "", true),
            ("abcabd", "%ab%d", true),
            ("abcabd", "%abc", false),
            ("a%b", "a\\%b", false),
            ("äb", "_b", true),
            ("a\nb", "a%b", true),
            ("a\nb", "a_b", false),
            ("aaab", "%a_b", true),
        ] {
            assert_eq!(like(text, pattern, None), expected, "{text} LIKE {pattern}");
        }
        assert!(like("h%llo", "h#%%", Some('#')));
        assert!(!like("hello", "h#%%", Some('#')));
        assert!(prepare("h#e", Some('#')).is_err());
    }

    #[test]
    fn similar_patterns_become_regular_expressions() {
        assert_eq!(similar_to_regex("[a-h]%", None).unwrap(), "\\A(?:[a-h](?s:.*))\\z");
        assert_eq!(similar_to_regex("a.b", None).unwrap(), "\\A(?:a\\.b)\\z");
    }
}
