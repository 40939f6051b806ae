//! Functions of texts, character by character.

use tidegate_data::Value;

use super::{Stop, unknown};

/// Whether a text fits a pattern of LIKE.
pub fn like(text: &[char], pattern: &[char], escape: Option<char>) -> bool {
    match pattern {
        [] => text.is_empty(),
        [mark, one, rest @ ..] if Some(*mark) == escape => text.first() == Some(one) && like(&text[1..], rest, escape),
        ['%', rest @ ..] => (0..=text.len()).any(|skipped| like(&text[skipped..], rest, escape)),
        ['_', rest @ ..] => !text.is_empty() && like(&text[1..], rest, escape),
        [one, rest @ ..] => text.first() == Some(one) && like(&text[1..], rest, escape),
    }
}

/// `SUBSTRING(text FROM position FOR length)`: position 0 is 1, negative ones count from the end; a negative length gives NULL.
fn part(text: &[char], position: i64, length: Option<i64>) -> Value {
    if length.is_some_and(|length| length < 0) {
        return Value::Null;
    }
    let count = text.len() as i64;
    let start = match position {
        0 => 0,
        1.. => position - 1,
        _ => count + position,
    };
    if start < 0 || start >= count {
        return Value::from("");
    }
    let taken = length.unwrap_or(count).min(count - start);
    Value::String(text.iter().skip(start as usize).take(taken as usize).collect())
}

fn found(text: &[char], sought: &[char]) -> i64 {
    let at = (0..=text.len().saturating_sub(sought.len())).find(|at| text[*at..].starts_with(sought));
    at.map_or(0, |at| at as i64 + 1)
}

/// A function of texts and numbers, none of them NULL.
///
/// # Errors
/// When the reference does not know it.
pub fn call(name: &str, args: &[Value]) -> Result<Value, Stop> {
    let unfit = || unknown(format!("{name} of {args:?}"));
    let chars = |at: usize| match args.get(at) {
        Some(Value::String(text)) => Ok(text.chars().collect::<Vec<char>>()),
        _ => Err(unfit()),
    };
    let number = |at: usize| match args.get(at) {
        Some(Value::Int(number)) => Ok(*number),
        _ => Err(unfit()),
    };
    let text = |chars: &[char]| Value::String(chars.iter().collect());
    Ok(match name {
        "UPPER" => text(&chars(0)?.iter().flat_map(|c| c.to_uppercase()).collect::<Vec<_>>()),
        "LOWER" => text(&chars(0)?.iter().flat_map(|c| c.to_lowercase()).collect::<Vec<_>>()),
        "REVERSE" => text(&chars(0)?.into_iter().rev().collect::<Vec<_>>()),
        "CHAR_LENGTH" => Value::Int(chars(0)?.len() as i64),
        "||" | "CONCAT" => {
            let mut all = Vec::new();
            for at in 0..args.len() {
                all.extend(chars(at)?);
            }
            text(&all)
        }
        "SUBSTRING" => part(&chars(0)?, number(1)?, if args.len() > 2 { Some(number(2)?) } else { None }),
        "LEFT" => text(&chars(0)?.into_iter().take(number(1)?.max(0) as usize).collect::<Vec<_>>()),
        "RIGHT" => {
            let (all, count) = (chars(0)?, number(1)?.max(0) as usize);
            text(&all[all.len().saturating_sub(count)..])
        }
        "POSITION" => Value::Int(found(&chars(1)?, &chars(0)?)),
        "INSTR" => Value::Int(found(&chars(0)?, &chars(1)?)),
        "REPLACE" => {
            let (all, sought, put) = (chars(0)?, chars(1)?, chars(2)?);
            let (mut made, mut at) = (Vec::new(), 0);
            while at < all.len() {
                if !sought.is_empty() && all[at..].starts_with(&sought) {
                    made.extend(&put);
                    at += sought.len();
                } else {
                    made.push(all[at]);
                    at += 1;
                }
            }
            text(&made)
        }
        "TRIM" => {
            let (flag, dropped, mut all) = (chars(0)?.into_iter().collect::<String>(), chars(1)?, chars(2)?);
            while flag != "LEADING" && all.last().is_some_and(|last| dropped.contains(last)) {
                all.pop();
            }
            while flag != "TRAILING" && all.first().is_some_and(|first| dropped.contains(first)) {
                all.remove(0);
            }
            text(&all)
        }
        "LIKE" => {
            let escape = if args.len() > 2 { chars(2)?.first().copied() } else { None };
            Value::Boolean(like(&chars(0)?, &chars(1)?, escape))
        }
        _ => return Err(unfit()),
    })
}
