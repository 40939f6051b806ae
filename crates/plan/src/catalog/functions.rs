//! Functions that a script makes: `CREATE FUNCTION f(x INT) RETURN x + 1`, our own, in the place of Flink's classes. A call of one is its
//! expression with the arguments in it, so that plans show what is computed.

use tidegate_data::sorted;
use tidegate_data::{DataType, Schema};
use tidegate_diag::Diagnostic;
use tidegate_expr::aggregates::AggregateFunction;
use tidegate_sql::ast::{CreateFunction, Drop};

use super::{Catalog, done};
use crate::bind::{Binder, data_type};
use crate::codes::{NO_FUNCTION, OBJECT_EXISTS};
use crate::outcome::Outcome;
use crate::rex::Rex;

/// A function of the script.
#[derive(Clone, Debug)]
pub struct UserFunction {
    /// Its name as written.
    pub name: String,
    /// The types of its parameters.
    pub parameters: Vec<DataType>,
    /// What it computes, over columns that stand for its parameters.
    pub body: Rex,
}

impl Catalog {
    /// The function of the script that a name means; case does not count.
    pub fn user_function(&self, name: &str) -> Option<&UserFunction> {
        self.functions.get(&name.to_ascii_lowercase())
    }

    pub(super) fn create_function(&mut self, create: &CreateFunction) -> Result<Outcome, Vec<Diagnostic>> {
        let name = create.name.last().value.clone();
        let key = name.to_ascii_lowercase();
        if self.functions.contains_key(&key) {
            if create.if_not_exists {
                return Ok(done(super::OK));
            }
            let message = format!("Function {} already exists in Catalog default_catalog.", super::path_of(&name));
            return Err(vec![Diagnostic::error(OBJECT_EXISTS, message).at(create.name.span)]);
        }
        let mut found = Vec::new();
        let mut typed = |ty| match data_type(ty) {
            Ok(ty) => ty,
            Err(diagnostic) => {
                found.push(diagnostic);
                DataType::string()
            }
        };
        let parameters: Vec<(String, DataType)> =
            create.parameters.iter().map(|(name, ty)| (name.value.clone(), typed(ty))).collect();
        let returns = create.returns.as_ref().map(typed);
        let binder = Binder::new(self);
        let mut body = binder.table_expr(&create.body, Schema::new(parameters.clone()), &name);
        if let Some(returns) = &returns
            && !body.has_error()
        {
            body = match body.clone().cast(&returns.with_nullable(true), false) {
                Ok(cast) => cast,
                Err(error) => {
                    found.push(error.into_diagnostic(create.body.span));
                    body
                }
            };
        }
        found.extend(binder.into_diagnostics());
        if found.iter().any(Diagnostic::is_error) {
            return Err(found);
        }
        let parameters = parameters.into_iter().map(|(_, ty)| ty).collect();
        self.functions.insert(key, UserFunction { name, parameters, body });
        Ok(done(super::OK))
    }

    pub(super) fn drop_function(&mut self, drop: &Drop) -> Result<Outcome, Vec<Diagnostic>> {
        let name = drop.name.last();
        if self.functions.remove(&name.value.to_ascii_lowercase()).is_some() || drop.if_exists {
            return Ok(done(super::OK));
        }
        let message = format!("Function {} does not exist in Catalog default_catalog.", super::path_of(&name.value));
        let error = Diagnostic::error(NO_FUNCTION, message).at(drop.name.span);
        Err(vec![crate::bind::suggest(error, name, self.functions.values().map(|known| known.name.as_str()))])
    }

    /// The names of all functions, those of the script included, in order.
    pub(super) fn function_names(&self, user: bool) -> Vec<String> {
        let mut names: Vec<String> = self.functions.values().map(|function| function.name.clone()).collect();
        if !user {
            let word = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            names.extend(tidegate_expr::functions::names().filter(word).map(String::from));
            names.extend(AggregateFunction::ALL.map(|function| function.name().to_owned()));
            names.extend(crate::bind::VARIANCES.iter().map(|name| (*name).to_owned()));
        }
        sorted::sort_by_key(&mut names, |name| name.to_ascii_uppercase());
        names.dedup();
        names
    }
}
