//! URLs: URL_ENCODE, URL_DECODE, PARSE_URL.

use std::fmt::Write as _;

use arrow_array::ArrayRef;
use tidegate_data::DataType;

use crate::eval::EvalError;
use crate::functions::signature::{Family, check};
use crate::functions::{Binding, Call, ScalarFunction};
use crate::{CallError, Expr};

pub(in crate::functions) const BINDINGS: &[Binding] = &[
    Binding { name: "URL_ENCODE", bind: |_, args| bind(&URL_ENCODE, args, &[&[Family::Character]]) },
    Binding { name: "URL_DECODE", bind: |_, args| bind(&URL_DECODE, args, &[&[Family::Character]]) },
    Binding {
        name: "PARSE_URL",
        bind: |_, args| bind(&PARSE_URL, args, &[&[Family::Character; 2], &[Family::Character; 3]]),
    },
];

static URL_ENCODE: ScalarFunction = ScalarFunction::strict("URL_ENCODE", |call| super::map(call, encode));
static URL_DECODE: ScalarFunction = ScalarFunction::strict("URL_DECODE", |call| {
    let texts = call.strings(0);
    Ok(call.make_strings(|row, out| texts.get(row).and_then(decode).map(|text| out.push_str(&text)).is_some()))
});
static PARSE_URL: ScalarFunction = ScalarFunction::strict("PARSE_URL", parse_url);

fn bind(function: &'static ScalarFunction, args: Vec<Expr>, forms: &[&[Family]]) -> Result<Expr, CallError> {
    Ok(function.on(check(function.name, args, forms)?, DataType::string()))
}

/// As an HTML form is sent: a blank is a plus sign.
fn encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'*' | b'_' => out.push(char::from(byte)),
            b' ' => out.push('+'),
            byte => write!(out, "%{byte:02X}").expect("a string takes all"),
        }
    }
}

/// NULL if a percent sign has no two digits behind it.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                (digit()? * 16 + digit()?) as u8
            }
            byte => byte,
        });
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn parse_url(call: &Call<'_>) -> Result<ArrayRef, EvalError> {
    let (urls, parts) = (call.strings(0), call.strings(1));
    let keys = (call.values.len() == 3).then(|| call.strings(2));
    Ok(call.make_slices(|row| {
        let key = match &keys {
            None => None,
            Some(keys) => Some(keys.get(row)?),
        };
        part_of(urls.get(row)?, parts.get(row)?, key)
    }))
}

fn part_of<'a>(url: &'a str, part: &str, key: Option<&str>) -> Option<&'a str> {
    let (protocol, rest) = url.split_once("://")?;
    let (rest, reference) = rest.split_once('#').map_or((rest, None), |(rest, reference)| (rest, Some(reference)));
    let (place, query) = rest.split_once('?').map_or((rest, None), |(place, query)| (place, Some(query)));
    let (authority, path) = place.split_at(place.find('/').unwrap_or(place.len()));
    let (user, host_port) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    if let Some(key) = key {
        let pairs = query.filter(|_| part == "QUERY")?.split('&');
        return pairs.filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == key).map(|(_, value)| value);
    }
    match part {
        "PROTOCOL" => Some(protocol),
        "HOST" => Some(host_port.split_once(':').map_or(host_port, |(host, _)| host)),
        "PATH" => Some(path),
        "QUERY" => query,
        "REF" => reference,
        "AUTHORITY" => Some(authority),
        "USERINFO" => user,
        "FILE" => Some(&rest[authority.len()..]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_url() {
        let url = "http://u:p@h.com:80/p/a?q=1&r=2#f";
        for (part, expected) in [
            ("PROTOCOL", Some("http")),
            ("HOST", Some("h.com")),
            ("PATH", Some("/p/a")),
            ("QUERY", Some("q=1&r=2")),
            ("REF", Some("f")),
            ("AUTHORITY", Some("u:p@h.com:80")),
            ("USERINFO", Some("u:p")),
            ("FILE", Some("/p/a?q=1&r=2")),
            ("OTHER", None),
        ] {
            assert_eq!(part_of(url, part, None), expected, "{part}");
        }
        assert_eq!(part_of(url, "QUERY", Some("r")), Some("2"));
        assert_eq!(decode("a%20b+c"), Some("a b c".into()));
        assert_eq!(decode("%2"), None);
    }
}
