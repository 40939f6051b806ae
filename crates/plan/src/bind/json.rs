//! The functions of JSON, whose clauses become words among their arguments (see `tidegate_expr::functions::json`).

use tidegate_data::{DataType, LogicalType, Value};
use tidegate_diag::Span;
use tidegate_sql::ast::{Expr, JsonBehavior, JsonCall, JsonKind, JsonWrapper};

use super::cast::fold_constant;
use super::expr::ExprContext;
use super::{Binder, data_type};
use crate::rex::{Rex, RexKind};

/// The predicate that IS JSON means.
pub(super) fn test_name(kind: JsonKind) -> &'static str {
    match kind {
        JsonKind::Value => "IS JSON VALUE",
        JsonKind::Object => "IS JSON OBJECT",
        JsonKind::Array => "IS JSON ARRAY",
        JsonKind::Scalar => "IS JSON SCALAR",
    }
}

fn word(word: &str) -> Rex {
    let ty = DataType::not_null(LogicalType::Char(word.len() as u32));
    Rex { kind: RexKind::Flag(word.to_owned()), ty }
}

/// Whether an expression makes JSON, which goes into other JSON as it is.
pub(super) fn is_json(rex: &Rex) -> bool {
    ["JSON_OBJECT", "JSON_ARRAY", "JSON"].iter().any(|made| rex.args_of(made).is_some())
}

fn behavior(behavior: Option<&JsonBehavior>, otherwise: &str) -> Rex {
    word(match behavior {
        None => otherwise,
        Some(JsonBehavior::Null) => "NULL",
        Some(JsonBehavior::Error) => "ERROR",
        Some(JsonBehavior::Default(_)) => "DEFAULT",
        Some(JsonBehavior::True) => "TRUE",
        Some(JsonBehavior::False) => "FALSE",
        Some(JsonBehavior::Unknown) => "UNKNOWN",
        Some(JsonBehavior::EmptyArray) => "EMPTY ARRAY",
        Some(JsonBehavior::EmptyObject) => "EMPTY OBJECT",
    })
}

impl Binder<'_> {
    /// A function of JSON with its clauses.
    pub(super) fn json_call(&self, call: &JsonCall, span: Span, cx: &ExprContext<'_>) -> Rex {
        let name = call.name.value.to_ascii_uppercase();
        let returning = match call.returning.as_ref().map(data_type).transpose() {
            Ok(ty) => Rex::null(&ty.unwrap_or_else(DataType::string)),
            Err(diagnostic) => return self.fail(diagnostic),
        };
        let mut args: Vec<Rex> = call.args.iter().map(|arg| self.expr(arg, cx)).collect();
        let default = |of: Option<&JsonBehavior>| match of {
            Some(JsonBehavior::Default(value)) => {
                let bound = self.expr(value, cx);
                match bound.clone().cast(&returning.ty, false) {
                    Ok(cast) if bound.as_literal().is_some_and(|value| *value != Value::Null) => {
                        fold_constant(&bound, cast)
                    }
                    Ok(cast) => cast,
                    Err(error) => self.fail_call(error, value.span),
                }
            }
            _ => Rex::null(&returning.ty),
        };
        match name.as_str() {
            "JSON_VALUE" => {
                args.push(returning.clone());
                for on in [call.on_empty.as_ref(), call.on_error.as_ref()] {
                    args.push(behavior(on, "NULL"));
                    args.push(default(on));
                }
            }
            "JSON_QUERY" => {
                args.push(returning);
                args.push(word(match call.wrapper {
                    Some(JsonWrapper::Unconditional) => "UNCONDITIONAL",
                    Some(JsonWrapper::Conditional) => "CONDITIONAL",
                    Some(JsonWrapper::Without) | None => "WITHOUT",
                }));
                args.push(behavior(call.on_empty.as_ref(), "NULL"));
                args.push(behavior(call.on_error.as_ref(), "NULL"));
            }
            "JSON_EXISTS" => args.push(behavior(call.on_error.as_ref(), "FALSE")),
            "JSON_OBJECT" | "JSON_ARRAY" => {
                let object = name == "JSON_OBJECT";
                let mut parts: Vec<Rex> = Vec::new();
                let mut words = String::from(if call.absent_on_null.unwrap_or(!object) { "ABSENT" } else { "NULL" });
                let values: Vec<&Expr> = match object {
                    true => call.entries.iter().map(|(_, value)| value).collect(),
                    false => call.args.iter().collect(),
                };
                for (at, value) in values.into_iter().enumerate() {
                    parts.extend(call.entries.get(at).map(|(key, _)| self.expr(key, cx)));
                    let part = self.json_part(value, cx);
                    if is_json(&part) {
                        words.push_str(&format!(" {}", parts.len() + 1));
                    }
                    parts.push(part);
                }
                args = vec![word(&words)];
                args.extend(parts);
            }
            _ => {
                self.not_yet(&name, span);
                return Rex::error();
            }
        }
        self.call(&name, args, span)
    }

    /// A value that goes into a document; a bare NULL is a text.
    pub(super) fn json_part(&self, value: &Expr, cx: &ExprContext<'_>) -> Rex {
        let rex = self.expr(value, cx);
        if rex.ty.logical == LogicalType::Null && !rex.has_error() { Rex::null(&DataType::string()) } else { rex }
    }
}
