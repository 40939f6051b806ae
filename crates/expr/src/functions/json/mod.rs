//! JSON: JSON_VALUE, JSON_QUERY, JSON_EXISTS, IS JSON, and what makes documents: JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON, JSON_QUOTE.
//!
//! The binder of SQL hands the clauses over as words: `JSON_VALUE(doc, path, NULL of the RETURNING type, on empty, its default, on
//! error, its default)`, `JSON_QUERY(doc, path, NULL of the RETURNING type, wrapper, on empty, on error)`, `JSON_EXISTS(doc, path, on error)`,
//! `JSON_OBJECT(on null, key, value, …)`, `JSON_ARRAY(on null, value, …)`, where numbers behind the word say which arguments are JSON already.

mod document;
mod encode;
mod path;

use std::cell::RefCell;
use std::rc::Rc;

use tidegate_data::{DataType, LogicalType, Value};

use self::document::Json;
pub(crate) use self::document::write_text;
use self::path::Path;
use super::signature::{Family, any_nullable, check};
use super::{Binding, Call, Kernel, ScalarFunction, Shape};
use crate::build::cast;
use crate::eval::EvalError;
use crate::{CallError, Expr};

use encode::encode;

pub(super) const BINDINGS: &[Binding] = &[
    Binding { name: "JSON_VALUE", bind: |_, args| bind_value(args) },
    Binding { name: "JSON_QUERY", bind: |_, args| bind_query(args) },
    Binding { name: "JSON_EXISTS", bind: |_, args| bind_exists(args) },
    Binding { name: "IS JSON VALUE", bind: |_, args| bind_test(&IS_VALUE, args) },
    Binding { name: "IS JSON OBJECT", bind: |_, args| bind_test(&IS_OBJECT, args) },
    Binding { name: "IS JSON ARRAY", bind: |_, args| bind_test(&IS_ARRAY, args) },
    Binding { name: "IS JSON SCALAR", bind: |_, args| bind_test(&IS_SCALAR, args) },
    Binding { name: "JSON_OBJECT", bind: |_, args| bind_made(&OBJECT, args) },
    Binding { name: "JSON_ARRAY", bind: |_, args| bind_made(&ARRAY, args) },
    Binding { name: "JSON_STRING", bind: |_, args| bind_string(args) },
    Binding { name: "JSON", bind: |name, args| bind_text(&JSON, name, args) },
    Binding { name: "JSON_QUOTE", bind: |name, args| bind_text(&QUOTE, name, args) },
    Binding { name: "JSON_UNQUOTE", bind: |name, args| bind_text(&UNQUOTE, name, args) },
];

const fn function(
    name: &'static str,
    strict: usize,
    row: fn(&Call<'_>, &[Value]) -> Result<Value, EvalError>,
) -> ScalarFunction {
    ScalarFunction::new(name, Kernel::Rows { strict, row })
}

static VALUE: ScalarFunction = function("JSON_VALUE", 0, value).failing(|_, _| true);
static QUERY: ScalarFunction = function("JSON_QUERY", 0, query).failing(|_, _| true);
static EXISTS: ScalarFunction = function("JSON_EXISTS", 0, exists).failing(|_, _| true);
static IS_VALUE: ScalarFunction =
    function("IS JSON VALUE", 0, |_, row| Ok(test(row, |_| true))).shown_as(Shape::Postfix);
static IS_OBJECT: ScalarFunction =
    function("IS JSON OBJECT", 0, |_, row| Ok(test(row, |json| matches!(json, Json::Object(_)))))
        .shown_as(Shape::Postfix);
static IS_ARRAY: ScalarFunction =
    function("IS JSON ARRAY", 0, |_, row| Ok(test(row, |json| matches!(json, Json::Array(_)))))
        .shown_as(Shape::Postfix);
static IS_SCALAR: ScalarFunction =
    function("IS JSON SCALAR", 0, |_, row| Ok(test(row, Json::is_scalar))).shown_as(Shape::Postfix);
static OBJECT: ScalarFunction = function("JSON_OBJECT", 0, object).failing(|_, _| true);
static ARRAY: ScalarFunction = function("JSON_ARRAY", 0, array).failing(|_, _| true);
static STRING: ScalarFunction = function("JSON_STRING", usize::MAX, |call, row| {
    Ok(Value::String(encode(&row[0], &call.args[0].ty, call.ctx.zone).text()))
});
/// A document that stands in another one as it is; outside of JSON_OBJECT and JSON_ARRAY there is no use for it.
static JSON: ScalarFunction = function("JSON", usize::MAX, |_, row| {
    let Value::String(text) = &row[0] else { return Ok(Value::Null) };
    let json = Json::parse(text).map_err(|error| invalid(text, &error))?;
    Ok(Value::String(json.text()))
})
.failing(|_, _| true);
static QUOTE: ScalarFunction = function("JSON_QUOTE", usize::MAX, |_, row| {
    let Value::String(text) = &row[0] else { return Ok(Value::Null) };
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' | '/' => out.extend(['\\', c]),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_ascii() => out.push(c),
            // What is beyond ASCII is written in ASCII.
            c => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    out.push('"');
    Ok(Value::String(out))
});
static UNQUOTE: ScalarFunction = function("JSON_UNQUOTE", usize::MAX, |_, row| {
    let Value::String(text) = &row[0] else { return Ok(Value::Null) };
    Ok(Value::String(match Json::parse(text) {
        Ok(Json::Text(inner)) if text.starts_with('"') => inner,
        _ => text.clone(),
    }))
});

fn invalid(text: &str, why: &str) -> EvalError {
    let mut error = EvalError::new(format!("Invalid JSON string in JSON(value) function: {text}"));
    error.diagnostic = error.diagnostic.hint(format!("{why}."));
    error
}

thread_local! {
    /// The path last used: most calls use one. What is in it changes no result.
    static LAST: RefCell<Option<(String, Result<Rc<Path>, String>)>> = const { RefCell::new(None) };
}

fn path(text: &str) -> Result<Rc<Path>, String> {
    LAST.with_borrow_mut(|last| match last {
        Some((known, path)) if known == text => path.clone(),
        _ => {
            let path = Path::parse(text).map(Rc::new);
            *last = Some((text.to_owned(), path.clone()));
            path
        }
    })
}

/// What a path finds in a document, and whether it is strict; none where document or path is NULL.
fn found(row: &[Value]) -> Option<(Result<Option<Json>, String>, bool)> {
    let (Value::String(document), Value::String(text)) = (&row[0], &row[1]) else { return None };
    let path = match path(text) {
        Ok(path) => path,
        Err(error) => return Some((Err(error), true)),
    };
    let found = match Json::parse(document) {
        Ok(document) => path.read(&document),
        Err(error) if path.strict => Err(error),
        Err(_) => Ok(None),
    };
    Some((found, path.strict))
}

fn word(value: &Value) -> &str {
    match value {
        Value::String(word) => word,
        _ => "NULL",
    }
}

fn exists(_: &Call<'_>, row: &[Value]) -> Result<Value, EvalError> {
    match found(row) {
        None => Ok(Value::Null),
        Some((Ok(found), _)) => Ok(Value::Boolean(!matches!(found, None | Some(Json::Null)))),
        Some((Err(error), _)) => match word(&row[2]) {
            "TRUE" => Ok(Value::Boolean(true)),
            "FALSE" => Ok(Value::Boolean(false)),
            "ERROR" => Err(EvalError::new(error)),
            _ => Ok(Value::Null),
        },
    }
}

fn value(call: &Call<'_>, row: &[Value]) -> Result<Value, EvalError> {
    let Some((found, strict)) = found(row) else { return Ok(Value::Null) };
    let choose = |behavior: usize, error: &str| match word(&row[behavior]) {
        "ERROR" => Err(EvalError::new(error)),
        "DEFAULT" => Ok(row[behavior + 1].clone()),
        _ => Ok(Value::Null),
    };
    match found {
        Err(error) => choose(5, &error),
        Ok(value) if !strict && value.as_ref().is_none_or(|value| !value.is_scalar() || *value == Json::Null) => {
            choose(3, "Empty result of JSON_VALUE function is not allowed")
        }
        Ok(None) => Ok(Value::Null),
        Ok(Some(value)) if !value.is_scalar() || value == Json::Null => choose(
            5,
            &format!("Strict jsonpath mode requires scalar value, and the actual value is: '{}'", value.text()),
        ),
        Ok(Some(value)) => returned(&value, &call.ty.logical),
    }
}

/// A scalar as the type that RETURNING says.
fn returned(value: &Json, ty: &LogicalType) -> Result<Value, EvalError> {
    let misfit = || EvalError::new(format!("The JSON value {} is no {ty}", value.text()));
    let text = match value {
        Json::Text(text) => text.clone(),
        other => other.text(),
    };
    match (ty, value) {
        (ty, _) if ty.is_character() => Ok(Value::String(text)),
        (LogicalType::Boolean, Json::Boolean(truth)) => Ok(Value::Boolean(*truth)),
        (LogicalType::Int, Json::Number(text)) => match text.parse::<i32>() {
            Ok(number) => Ok(Value::Int(number.into())),
            Err(_) => Err(misfit()),
        },
        (LogicalType::Double, Json::Number(text)) => text.parse().map(Value::Double).map_err(|_| misfit()),
        _ => Err(misfit()),
    }
}

fn query(call: &Call<'_>, row: &[Value]) -> Result<Value, EvalError> {
    let Some((found, strict)) = found(row) else { return Ok(Value::Null) };
    let returned = |json: Json| match (&call.ty.logical, json) {
        (LogicalType::Array(_), Json::Array(items)) => Value::List(
            items
                .into_iter()
                .map(|item| match item {
                    Json::Null => Value::Null,
                    Json::Text(text) => Value::String(text),
                    other => Value::String(other.text()),
                })
                .collect(),
        ),
        (LogicalType::Array(_), _) => Value::Null,
        (_, json) => Value::String(json.text()),
    };
    let choose = |behavior: usize, error: &str| match word(&row[behavior]) {
        "ERROR" => Err(EvalError::new(error)),
        "EMPTY ARRAY" => Ok(returned(Json::Array(Vec::new()))),
        "EMPTY OBJECT" => Ok(returned(Json::Object(Vec::new()))),
        _ => Ok(Value::Null),
    };
    let wrapped = match found {
        Err(error) => return choose(5, &error),
        Ok(None | Some(Json::Null)) => None,
        Ok(Some(value)) => Some(match word(&row[3]) {
            "UNCONDITIONAL" => Json::Array(vec![value]),
            "CONDITIONAL" if !matches!(value, Json::Array(_)) => Json::Array(vec![value]),
            _ => value,
        }),
    };
    match wrapped {
        None => choose(4, "Empty result of JSON_QUERY function is not allowed"),
        Some(value) if value.is_scalar() && !strict => choose(4, "Empty result of JSON_QUERY function is not allowed"),
        Some(value) if value.is_scalar() => choose(
            5,
            &format!(
                "Strict jsonpath mode requires array or object value, and the actual value is: '{}'",
                value.text()
            ),
        ),
        Some(value) => Ok(returned(value)),
    }
}

/// Whether a text is a document of a sort; NULL is none.
fn test(row: &[Value], sort: fn(&Json) -> bool) -> Value {
    let Value::String(text) = &row[0] else { return Value::Boolean(false) };
    Value::Boolean(Json::parse(text).is_ok_and(|json| sort(&json)))
}

/// A value that goes into a document; a document that another function made goes in as one: its place stands behind the first word.
fn part(call: &Call<'_>, at: usize, words: &str, value: &Value) -> Result<Json, EvalError> {
    let made = words.split(' ').skip(1).any(|own| own.parse() == Ok(at));
    match value {
        Value::String(text) if made => Ok(Json::Raw(text.clone())),
        value => Ok(encode(value, &call.args[at].ty, call.ctx.zone)),
    }
}

fn object(call: &Call<'_>, row: &[Value]) -> Result<Value, EvalError> {
    let words = word(&row[0]);
    let absent = words.starts_with("ABSENT");
    let mut members: Vec<(String, Json)> = Vec::with_capacity(row.len() / 2);
    for at in (1..row.len().saturating_sub(1)).step_by(2) {
        let Value::String(key) = &row[at] else {
            return Err(EvalError::new("A key of JSON_OBJECT is NULL."));
        };
        if absent && row[at + 1].is_null() {
            continue;
        }
        let value = part(call, at + 1, words, &row[at + 1])?;
        match members.iter_mut().find(|(own, _)| own == key) {
            Some(known) => known.1 = value,
            None => members.push((key.clone(), value)),
        }
    }
    Ok(Value::String(Json::Object(members).text()))
}

fn array(call: &Call<'_>, row: &[Value]) -> Result<Value, EvalError> {
    let words = word(&row[0]);
    let absent = words.starts_with("ABSENT");
    let items = (1..row.len()).filter(|&at| !absent || !row[at].is_null()).map(|at| part(call, at, words, &row[at]));
    Ok(Value::String(Json::Array(items.collect::<Result<_, _>>()?).text()))
}

// Binding.

fn document_and_path(name: &str, args: &[Expr]) -> Result<(), CallError> {
    check(name, args[..2].to_vec(), &[&[Family::Character; 2]]).map(|_| ())
}

fn bind_value(mut args: Vec<Expr>) -> Result<Expr, CallError> {
    if args.len() != 7 {
        return Err(CallError::count("JSON_VALUE", args.len(), "2"));
    }
    document_and_path("JSON_VALUE", &args)?;
    let ty = args[2].ty.clone().with_nullable(true);
    if !(ty.logical.is_character()
        || matches!(ty.logical, LogicalType::Boolean | LogicalType::Int | LogicalType::Double))
    {
        let mut error = CallError::arguments("Invalid function call:", None);
        error.message = format!("Unsupported RETURNING type of JSON_VALUE: {}", ty.calcite());
        error.hints.push("It returns STRING, BOOLEAN, INTEGER or DOUBLE; CAST makes any other type of these.".into());
        return Err(error);
    }
    for at in [4, 6] {
        let default = args[at].clone();
        if default.ty.logical != ty.logical {
            args[at] = cast(default, &ty, false)?;
        }
    }
    Ok(VALUE.on(args, ty))
}

fn bind_query(args: Vec<Expr>) -> Result<Expr, CallError> {
    if args.len() != 6 {
        return Err(CallError::count("JSON_QUERY", args.len(), "2"));
    }
    document_and_path("JSON_QUERY", &args)?;
    let ty = args[2].ty.with_nullable(true);
    let texts = matches!(&ty.logical, LogicalType::Array(element) if element.logical.is_character());
    if !(texts || ty.logical.is_character()) {
        let mut error =
            CallError::arguments(format!("Unsupported RETURNING type of JSON_QUERY: {}", ty.calcite()), None);
        error.hints.push("It returns STRING or ARRAY<STRING>.".into());
        return Err(error);
    }
    Ok(QUERY.on(args, ty))
}

fn bind_exists(args: Vec<Expr>) -> Result<Expr, CallError> {
    if args.len() != 3 {
        return Err(CallError::count("JSON_EXISTS", args.len(), "2"));
    }
    document_and_path("JSON_EXISTS", &args)?;
    Ok(EXISTS.on(args, DataType::new(LogicalType::Boolean)))
}

fn bind_test(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    let args = check(function.name, args, &[&[Family::Character]])?;
    Ok(function.on(args, DataType::not_null(LogicalType::Boolean)))
}

/// The document that holds these values; which types can be in one, [`encode::refusal`] says.
fn bind_made(function: &'static ScalarFunction, args: Vec<Expr>) -> Result<Expr, CallError> {
    let object = function == &OBJECT;
    if args.is_empty() || object && args.len().is_multiple_of(2) {
        return Err(CallError::count(function.name, args.len(), "2"));
    }
    for (at, arg) in args.iter().enumerate().skip(1) {
        if object && at % 2 == 1 {
            if !arg.ty.logical.is_character() || arg.as_literal().is_none() {
                let mut error = CallError::arguments("Invalid input arguments.", Some(at));
                error.hints.push("A key of JSON_OBJECT is a text constant.".into());
                return Err(error);
            }
        } else if let Some(error) = encode::refusal(&arg.ty) {
            return Err(CallError::arguments(error, Some(at)));
        }
    }
    Ok(function.on(args, DataType::string().with_nullable(false)))
}

fn bind_string(args: Vec<Expr>) -> Result<Expr, CallError> {
    if args.len() != 1 {
        return Err(CallError::count("JSON_STRING", args.len(), "1"));
    }
    if let Some(error) = encode::refusal(&args[0].ty) {
        return Err(CallError::arguments(error, Some(0)));
    }
    let ty = DataType::string().with_nullable(any_nullable(&args));
    Ok(STRING.on(args, ty))
}

fn bind_text(function: &'static ScalarFunction, name: &str, args: Vec<Expr>) -> Result<Expr, CallError> {
    Ok(function.on_texts(check(name, args, &[&[Family::Character]])?))
}

impl ScalarFunction {
    fn on_texts(&'static self, args: Vec<Expr>) -> Expr {
        let ty = DataType::string().with_nullable(any_nullable(&args));
        self.on(args, ty)
    }
}
