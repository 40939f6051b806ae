//! The binder: from the syntax tree to the logical plan. It reports all that it finds and goes on.

mod aggregate;
mod calls;
mod case;
mod cast;
mod chain;
mod compare;
mod expr;
mod from;
mod grouping;
mod hints;
mod in_value;
mod insert;
mod join;
mod json;
mod lateral;
mod limits;
mod literal;
mod over;
mod pattern;
mod pattern_shape;
mod query;
mod scalar;
mod scope;
mod select;
mod set_all;
mod sort;
mod subquery;
mod temporal;
mod time;
mod types;
mod values;
mod window;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use tidegate_diag::{Code, Diagnostic, Span};
use tidegate_sql::ast;

use crate::catalog::Catalog;
use crate::codes::NOT_YET;
use crate::logical::Rel;
use crate::outcome::RiskKind;

pub(crate) use aggregate::VARIANCES;
pub use insert::is_implicit;
pub use literal::{qualifier_text, unit_name};
pub(crate) use query::coerce;
pub use scope::{Scope, suggest, suggest_at, uniquify};
pub(crate) use temporal::NO_TIME_ATTRIBUTE;
pub use types::data_type;

/// Binds the statements of a script against its catalog.
pub struct Binder<'a> {
    /// Tables, views, connectors and settings.
    pub catalog: &'a Catalog,
    diagnostics: RefCell<Vec<Diagnostic>>,
    ctes: RefCell<Vec<Arc<CteFrame>>>,
    /// The windows of the WINDOW clauses around.
    windows: RefCell<Vec<ast::NamedWindow>>,
    /// What the queries around the one in work see, from the outermost.
    outer: RefCell<Vec<Scope>>,
    /// The subqueries that are values in the expressions in work; none where there may be none.
    scalars: RefCell<Option<Vec<scalar::Scalar>>>,
    /// The hints `STATE_TTL` of the SELECTs around.
    ttls: RefCell<Vec<Vec<hints::TtlHint>>>,
    depth: Cell<usize>,
    in_view: Cell<bool>,
    /// The views in work, from the outermost: one that reads itself would never end.
    views: RefCell<Vec<String>>,
    counted: limits::Counted,
    risks: RefCell<Vec<(RiskKind, Span)>>,
    /// The names of the columns of the query that was bound last, as written: before they were made unique.
    written_names: RefCell<Vec<String>>,
}

/// A common table expression that is in sight; bound anew at each use, as Flink expands it.
struct CteFrame {
    cte: ast::Cte,
    /// How many common table expressions it sees itself: those before it.
    visible: usize,
}

/// What the language has and the engine has not.
fn not_yet(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(NOT_YET, format!("{what} is not supported yet.")).at(span)
}

/// Views in views, and queries in queries, to this depth.
const MAX_DEPTH: usize = 100;

impl<'a> Binder<'a> {
    /// A binder over a catalog.
    pub fn new(catalog: &'a Catalog) -> Binder<'a> {
        Binder {
            catalog,
            diagnostics: RefCell::default(),
            ctes: RefCell::default(),
            windows: RefCell::default(),
            outer: RefCell::default(),
            scalars: RefCell::default(),
            ttls: RefCell::default(),
            depth: Cell::new(0),
            in_view: Cell::new(false),
            views: RefCell::default(),
            counted: limits::Counted::default(),
            risks: RefCell::default(),
            written_names: RefCell::default(),
        }
    }

    /// What was found, in the order in which Flink looks: FROM, WHERE, GROUP BY, HAVING, SELECT.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        let found = self.diagnostics.into_inner();
        let mut unique: Vec<Diagnostic> = Vec::new();
        for diagnostic in found {
            if !unique.contains(&diagnostic) {
                unique.push(diagnostic);
            }
        }
        unique
    }

    /// The expressions that can fail as rows come.
    pub fn risks(&self) -> Vec<(RiskKind, Span)> {
        self.risks.borrow().clone()
    }

    /// Remembers an expression that can fail as rows come.
    fn risk(&self, kind: RiskKind, span: Span) {
        let mut risks = self.risks.borrow_mut();
        if risks.len() < 1_000 {
            risks.push((kind, span));
        }
    }

    /// Whether an error was found.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.borrow().iter().any(Diagnostic::is_error)
    }

    pub(crate) fn report(&self, diagnostic: Diagnostic) {
        self.diagnostics.borrow_mut().push(diagnostic);
    }

    pub(crate) fn error(&self, code: Code, message: impl Into<String>, span: Span) {
        self.report(Diagnostic::error(code, message).at(span));
    }

    /// Refuses what the language has and the engine has not.
    pub(crate) fn not_yet(&self, what: &str, span: Span) {
        self.report(not_yet(what, span));
    }

    /// Takes back what was reported since `mark`; for a second look at the same text.
    fn rollback(&self, mark: usize) {
        self.diagnostics.borrow_mut().truncate(mark);
    }

    /// Puts what was reported since `second` before what was reported since `first`.
    fn swap_reports(&self, first: usize, second: usize) {
        self.diagnostics.borrow_mut()[first..].rotate_left(second - first);
    }

    fn mark(&self) -> usize {
        self.diagnostics.borrow().len()
    }

    /// Runs `bind` one level deeper; refuses to go on for ever.
    fn nested(&self, span: Span, bind: impl FnOnce() -> Option<Rel>) -> Option<Rel> {
        if self.depth.get() >= MAX_DEPTH {
            self.error(NOT_YET, format!("Queries are nested more than {MAX_DEPTH} levels deep."), span);
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let bound = bind();
        self.depth.set(self.depth.get() - 1);
        bound
    }
}
