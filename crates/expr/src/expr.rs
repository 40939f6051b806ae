//! The bound expression tree: every node typed, names gone, casts explicit.

use tidegate_data::sorted::SortedSet;
use tidegate_data::{DataType, Value};

use crate::functions::ScalarFunction;

/// A bound expression with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// The type of its result, nullability included.
    pub ty: DataType,
}

/// The forms of a bound expression. Everything else (operators, LIKE, IN over literals, EXTRACT, ...) is a `Call`.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A column of the input, by position.
    Column(usize),
    /// A constant.
    Literal(Value),
    /// A conversion to `Expr::ty`.
    Cast {
        /// What is converted.
        input: Box<Expr>,
        /// TRY_CAST: a failure gives NULL instead of failing the job.
        safe: bool,
    },
    /// `CASE WHEN condition THEN value ... ELSE otherwise END`, all values already of `Expr::ty`; evaluated lazily.
    Case {
        /// Conditions and values.
        branches: Vec<(Expr, Expr)>,
        /// The ELSE value (a NULL literal when there is none).
        otherwise: Box<Expr>,
    },
    /// A function or operator on arguments that already have the types it wants.
    Call {
        /// The function.
        function: &'static ScalarFunction,
        /// Its arguments.
        args: Vec<Expr>,
    },
}

impl Expr {
    /// The expressions directly below this one.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Column(_) | ExprKind::Literal(_) => Vec::new(),
            ExprKind::Cast { input, .. } => vec![input],
            ExprKind::Case { branches, otherwise } => {
                let mut children: Vec<&Expr> = branches.iter().flat_map(|(when, then)| [when, then]).collect();
                children.push(otherwise);
                children
            }
            ExprKind::Call { args, .. } => args.iter().collect(),
        }
    }

    /// The same expression with `change` done to each one directly below it.
    #[must_use]
    pub fn map_children(self, change: &mut dyn FnMut(Expr) -> Expr) -> Expr {
        let kind = match self.kind {
            leaf @ (ExprKind::Column(_) | ExprKind::Literal(_)) => leaf,
            ExprKind::Cast { input, safe } => ExprKind::Cast { input: Box::new(change(*input)), safe },
            ExprKind::Case { branches, otherwise } => ExprKind::Case {
                branches: branches.into_iter().map(|(when, then)| (change(when), change(then))).collect(),
                otherwise: Box::new(change(*otherwise)),
            },
            ExprKind::Call { function, args } => {
                ExprKind::Call { function, args: args.into_iter().map(change).collect() }
            }
        };
        Expr { kind, ty: self.ty }
    }

    /// The input columns that it reads, ascending.
    pub fn columns(&self) -> Vec<usize> {
        fn visit(expr: &Expr, columns: &mut SortedSet<usize>) {
            if let ExprKind::Column(column) = &expr.kind {
                columns.insert(*column);
            }
            expr.children().into_iter().for_each(|child| visit(child, columns));
        }
        let mut columns = SortedSet::new();
        visit(self, &mut columns);
        columns.into_iter().collect()
    }

    /// The same expression over an input whose columns lie elsewhere.
    #[must_use]
    pub fn remap(&self, column: &dyn Fn(usize) -> usize) -> Expr {
        self.substitute(&|index, ty| Expr { kind: ExprKind::Column(column(index)), ty: ty.clone() })
    }

    /// The same expression with each column (its position and type) replaced by what `column` gives: how a projection is merged into another.
    #[must_use]
    pub fn substitute(&self, column: &dyn Fn(usize, &DataType) -> Expr) -> Expr {
        match &self.kind {
            ExprKind::Column(index) => column(*index, &self.ty),
            _ => self.clone().map_children(&mut |child| child.substitute(column)),
        }
    }

    /// Whether equal rows always give an equal result.
    pub fn is_deterministic(&self) -> bool {
        let own = match &self.kind {
            ExprKind::Call { function, .. } => function.deterministic,
            _ => true,
        };
        own && self.children().into_iter().all(Expr::is_deterministic)
    }

    /// The value, if this is a literal.
    pub fn as_literal(&self) -> Option<&Value> {
        match &self.kind {
            ExprKind::Literal(value) => Some(value),
            _ => None,
        }
    }

    /// The name and arguments, if this is a call.
    pub fn as_call(&self) -> Option<(&'static str, &[Expr])> {
        match &self.kind {
            ExprKind::Call { function, args } => Some((function.name, args)),
            _ => None,
        }
    }
}
