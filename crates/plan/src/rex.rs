//! The planner's expressions: typed, over the columns of an input, with Calcite's names, since plans are shown in them.
//!
//! They differ from `tidegate_expr::Expr` in that implicit casts are not written out and AND and OR take any number of
//! operands. [`Rex::lower`] turns one into the other; types always come from there.

use tidegate_data::{DataType, LogicalType, Value, Zone};
use tidegate_expr::{CallError, EvalContext, Expr, ExprKind, build};

use crate::over::OverCall;
use crate::sarg::Sarg;

/// A planner's expression with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Rex {
    /// What it computes.
    pub kind: RexKind,
    /// The type of its result.
    pub ty: DataType,
}

/// The forms of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum RexKind {
    /// A column of the input, by position.
    Column(usize),
    /// A constant.
    Literal {
        /// Its value.
        value: Value,
        /// The unit of an interval, as plans show it (`SECOND`, `YEAR TO MONTH`).
        unit: Option<String>,
    },
    /// A word that is an argument (`YEAR` in EXTRACT): shown as `FLAG(YEAR)`, text to the function.
    Flag(String),
    /// A conversion to the type of the expression.
    Cast {
        /// What is converted.
        input: Box<Rex>,
        /// TRY_CAST.
        safe: bool,
    },
    /// `CASE WHEN condition THEN value ... ELSE otherwise END`.
    Case {
        /// Conditions and values.
        branches: Vec<(Rex, Rex)>,
        /// The ELSE value.
        otherwise: Box<Rex>,
    },
    /// An operator or function; AND and OR with two operands or more.
    Call {
        /// Its name as plans show it.
        op: String,
        /// Its operands.
        args: Vec<Rex>,
    },
    /// Whether a value lies in a set of ranges: what simplification makes of BETWEEN, IN and their like.
    Search {
        /// The value.
        operand: Box<Rex>,
        /// The ranges.
        sarg: Sarg,
    },
    /// A call with OVER. Only the syntax tree has it: the rules begin by giving it a node of its own.
    Over(Box<OverCall>),
    /// A column of the query around a subquery, by position; a join takes its place. Never reaches a plan.
    Outer(usize),
    /// What could not be bound; its type is NULL. Never reaches a plan.
    Error,
}

impl Rex {
    /// A column.
    pub fn column(index: usize, ty: DataType) -> Rex {
        Rex { kind: RexKind::Column(index), ty }
    }

    /// A constant.
    pub fn literal(value: Value, ty: DataType) -> Rex {
        Rex { kind: RexKind::Literal { value, unit: None }, ty }
    }

    /// TRUE or FALSE.
    pub fn boolean(value: bool) -> Rex {
        Rex::literal(Value::Boolean(value), DataType::not_null(LogicalType::Boolean))
    }

    /// NULL of a type.
    pub fn null(ty: &DataType) -> Rex {
        Rex::literal(Value::Null, ty.with_nullable(true))
    }

    /// What could not be bound.
    pub fn error() -> Rex {
        Rex { kind: RexKind::Error, ty: DataType::new(LogicalType::Null) }
    }

    /// A call whose type the expression library says.
    ///
    /// # Errors
    /// When there is no such function or it takes no such arguments.
    pub fn call(op: impl Into<String>, args: Vec<Rex>) -> Result<Rex, CallError> {
        let op = op.into();
        if args.iter().any(Rex::has_error) {
            return Ok(Rex::error());
        }
        let ty = lower_call(&op, &args)?.ty;
        Ok(Rex { kind: RexKind::Call { op, args }, ty })
    }

    /// A call whose type the planner knows.
    pub fn typed_call(op: impl Into<String>, args: Vec<Rex>, ty: DataType) -> Rex {
        Rex { kind: RexKind::Call { op: op.into(), args }, ty }
    }

    /// All of them; nothing is TRUE. Nested ANDs become one.
    pub fn and(terms: Vec<Rex>) -> Rex {
        Rex::junction("AND", terms, true)
    }

    /// Any of them; nothing is FALSE. Nested ORs become one.
    pub fn or(terms: Vec<Rex>) -> Rex {
        Rex::junction("OR", terms, false)
    }

    fn junction(op: &str, terms: Vec<Rex>, empty: bool) -> Rex {
        let mut flat = Vec::new();
        for term in terms {
            match term.kind {
                RexKind::Call { op: inner, args } if inner == op => flat.extend(args),
                kind => flat.push(Rex { kind, ty: term.ty }),
            }
        }
        match flat.len() {
            0 => Rex::boolean(empty),
            1 => flat.remove(0),
            _ => {
                let nullable = flat.iter().any(|term| term.ty.nullable);
                Rex::typed_call(op, flat, DataType { logical: LogicalType::Boolean, nullable })
            }
        }
    }

    /// A conversion to `ty`, which keeps the nullability of what is converted; nothing where the type is there already.
    ///
    /// # Errors
    /// When there is no such cast.
    pub fn cast(self, ty: &DataType, safe: bool) -> Result<Rex, CallError> {
        if self.has_error() {
            return Ok(self);
        }
        if !safe && self.ty.logical == ty.logical {
            return Ok(self);
        }
        let ty = build::cast(self.lower()?, ty, safe)?.ty;
        Ok(Rex { kind: RexKind::Cast { input: Box::new(self), safe }, ty })
    }

    /// The same value under exactly this type, as a cast that plans show. The memory form is the same.
    #[must_use]
    pub fn typed_as(self, ty: &DataType) -> Rex {
        if self.ty == *ty {
            return self;
        }
        Rex { kind: RexKind::Cast { input: Box::new(self), safe: false }, ty: ty.clone() }
    }

    /// The operands of a call of `op`.
    pub fn args_of(&self, op: &str) -> Option<&[Rex]> {
        match &self.kind {
            RexKind::Call { op: own, args } if own == op => Some(args),
            _ => None,
        }
    }

    /// A number that equal expressions share, to find them among thousands.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        self.hash_into(&mut hash);
        hash.0
    }

    fn hash_into(&self, hash: &mut Fnv) {
        match &self.kind {
            RexKind::Column(index) => hash.number(*index as u64),
            RexKind::Call { op, .. } => hash.bytes(op.as_bytes()),
            RexKind::Literal { value, .. } => match value {
                Value::Int(value) => hash.number(*value as u64),
                Value::String(value) => hash.bytes(value.as_bytes()),
                Value::Decimal(value) => hash.bytes(&value.to_le_bytes()),
                _ => hash.number(1),
            },
            RexKind::Cast { .. } => hash.number(2),
            _ => hash.number(3),
        }
        for child in self.children() {
            child.hash_into(hash);
        }
    }

    /// The terms of an AND; the expression itself if it is none.
    pub fn conjuncts(self) -> Vec<Rex> {
        match self.kind {
            RexKind::Call { op, args } if op == "AND" => args.into_iter().flat_map(Rex::conjuncts).collect(),
            _ => vec![self],
        }
    }

    /// The constant, if it is one.
    pub fn as_literal(&self) -> Option<&Value> {
        match &self.kind {
            RexKind::Literal { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The column's position, if it is a bare column.
    pub fn as_column(&self) -> Option<usize> {
        match self.kind {
            RexKind::Column(index) => Some(index),
            _ => None,
        }
    }

    /// Whether it is the constant TRUE.
    pub fn is_true(&self) -> bool {
        self.as_literal() == Some(&Value::Boolean(true))
    }

    /// Whether it is the constant FALSE.
    pub fn is_false(&self) -> bool {
        self.as_literal() == Some(&Value::Boolean(false))
    }

    /// Whether some part of it could not be bound.
    pub fn has_error(&self) -> bool {
        self.any(&mut |rex| matches!(rex.kind, RexKind::Error))
    }

    /// Whether some part of it, itself included, is such.
    pub fn any(&self, test: &mut dyn FnMut(&Rex) -> bool) -> bool {
        test(self) || self.children().into_iter().any(|child| child.any(test))
    }

    /// The parts directly below it.
    pub fn children(&self) -> Vec<&Rex> {
        match &self.kind {
            RexKind::Column(_) | RexKind::Outer(_) | RexKind::Literal { .. } | RexKind::Flag(_) | RexKind::Error => {
                Vec::new()
            }
            RexKind::Cast { input, .. } => vec![input],
            RexKind::Case { branches, otherwise } => {
                let mut all: Vec<&Rex> = branches.iter().flat_map(|(condition, value)| [condition, value]).collect();
                all.push(otherwise);
                all
            }
            RexKind::Call { args, .. } => args.iter().collect(),
            RexKind::Search { operand, .. } => vec![operand],
            RexKind::Over(call) => call.parts().collect(),
        }
    }

    /// The same with each part directly below it replaced.
    #[must_use]
    pub fn map_children(self, f: &mut dyn FnMut(Rex) -> Rex) -> Rex {
        let kind = match self.kind {
            kind @ (RexKind::Column(_)
            | RexKind::Outer(_)
            | RexKind::Literal { .. }
            | RexKind::Flag(_)
            | RexKind::Error) => kind,
            RexKind::Cast { input, safe } => RexKind::Cast { input: Box::new(f(*input)), safe },
            RexKind::Case { branches, otherwise } => RexKind::Case {
                branches: branches.into_iter().map(|(condition, value)| (f(condition), f(value))).collect(),
                otherwise: Box::new(f(*otherwise)),
            },
            RexKind::Call { op, args } => RexKind::Call { op, args: args.into_iter().map(f).collect() },
            RexKind::Search { operand, sarg } => RexKind::Search { operand: Box::new(f(*operand)), sarg },
            RexKind::Over(call) => RexKind::Over(Box::new(call.map(f))),
        };
        Rex { kind, ty: self.ty }
    }

    /// The same from the leaves up, each part replaced by what `f` makes of it.
    #[must_use]
    pub fn transform(self, f: &mut dyn FnMut(Rex) -> Rex) -> Rex {
        let inner = self.map_children(&mut |child| child.transform(f));
        f(inner)
    }

    /// Marks the columns that it reads.
    pub fn mark_columns(&self, used: &mut [bool]) {
        self.any(&mut |rex| {
            if let RexKind::Column(index) = rex.kind {
                used[index] = true;
            }
            false
        });
    }

    /// Whether all columns that it reads fulfil `test`.
    pub fn reads_only(&self, test: impl Fn(usize) -> bool) -> bool {
        !self.any(&mut |rex| matches!(rex.kind, RexKind::Column(index) if !test(index)))
    }

    /// Whether it reads no column.
    pub fn is_constant(&self) -> bool {
        self.reads_only(|_| false)
    }

    /// The same with its columns moved.
    #[must_use]
    pub fn map_columns(self, f: &dyn Fn(usize) -> usize) -> Rex {
        self.transform(&mut |rex| match rex.kind {
            RexKind::Column(index) => Rex { kind: RexKind::Column(f(index)), ty: rex.ty },
            _ => rex,
        })
    }

    /// The same over the input of a projection, where it was over its output.
    #[must_use]
    pub fn substitute(self, projections: &[Rex]) -> Rex {
        self.transform(&mut |rex| match rex.kind {
            RexKind::Column(index) => projections[index].clone(),
            _ => rex,
        })
    }

    /// Whether a call with OVER is in it.
    pub fn has_over(&self) -> bool {
        self.any(&mut |rex| matches!(rex.kind, RexKind::Over(_)))
    }

    /// Whether equal rows always give an equal result.
    pub fn is_deterministic(&self) -> bool {
        const CHANCE: [&str; 4] = ["RAND", "RAND_INTEGER", "UUID", "UNIX_TIMESTAMP"];
        !self.any(&mut |rex| matches!(&rex.kind, RexKind::Call { op, .. } if CHANCE.contains(&op.as_str())))
    }

    /// The expression as operators evaluate it.
    ///
    /// # Errors
    /// Those of the expression library; none for what came from [`Rex::call`] and kept its types.
    pub fn lower(&self) -> Result<Expr, CallError> {
        match &self.kind {
            RexKind::Column(index) => Ok(build::column(*index, plain(&self.ty))),
            // Only its type is of interest, as long as it stands there.
            RexKind::Outer(index) => Ok(build::column(usize::MAX - index, plain(&self.ty))),
            RexKind::Literal { value, .. } => Ok(build::literal(value.clone(), plain(&self.ty))),
            RexKind::Flag(word) => {
                let ty = DataType::not_null(LogicalType::Char(word.len() as u32));
                Ok(build::literal(Value::String(word.clone()), ty))
            }
            RexKind::Cast { input, safe } => {
                let input = input.lower()?;
                if !safe && input.ty.logical == self.ty.logical.without_time_attribute() {
                    return Ok(input);
                }
                build::cast(input, &plain(&self.ty), *safe)
            }
            RexKind::Case { branches, otherwise } => {
                let branches = branches
                    .iter()
                    .map(|(condition, value)| Ok((condition.lower()?, value.lower()?)))
                    .collect::<Result<Vec<_>, CallError>>()?;
                build::case(branches, Some(otherwise.lower()?))
            }
            RexKind::Call { op, args } => lower_call(op, args),
            RexKind::Search { operand, sarg } => sarg.expand(operand).lower(),
            // Only its type is asked for.
            RexKind::Over(_) => Ok(build::literal(Value::Null, plain(&self.ty))),
            RexKind::Error => Ok(build::literal(Value::Null, DataType::new(LogicalType::Null))),
        }
    }
}

/// The hash of Fowler, Noll and Vo.
struct Fnv(u64);

impl Fnv {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }
}

fn plain(ty: &DataType) -> DataType {
    DataType { logical: ty.logical.without_time_attribute(), nullable: ty.nullable }
}

/// Calls by the names of the expression library; AND and OR half by half.
fn lower_call(op: &str, args: &[Rex]) -> Result<Expr, CallError> {
    let lowered = args.iter().map(Rex::lower).collect::<Result<Vec<_>, CallError>>()?;
    if matches!(op, "AND" | "OR") && lowered.len() > 2 {
        return connect(op, lowered);
    }
    if matches!(op, "=" | "<>") && lowered.len() == 2 {
        let text = lowered.iter().position(|arg| arg.ty.logical.is_character());
        let boolean = lowered.iter().position(|arg| arg.ty.logical == LogicalType::Boolean);
        if let (Some(text), Some(boolean)) = (text, boolean) {
            return never_equal(op, &lowered[boolean], &lowered[text]);
        }
    }
    build::call(op, lowered)
}

/// AND or OR of at least one term. Each call takes nested ones in, so that thousands of terms go in by halves and not one by one.
fn connect(op: &str, mut terms: Vec<Expr>) -> Result<Expr, CallError> {
    if terms.len() <= 2 {
        return match terms.pop() {
            Some(only) if terms.is_empty() => Ok(only),
            Some(right) => build::call(op, terms.into_iter().chain([right]).collect()),
            None => build::call(op, terms),
        };
    }
    let right = terms.split_off(terms.len() / 2);
    build::call(op, vec![connect(op, terms)?, connect(op, right)?])
}

/// `=` or `<>` of two that are never equal: of interest is only whether one of them is NULL.
fn never_equal(op: &str, one: &Expr, other: &Expr) -> Result<Expr, CallError> {
    let opposite = if op == "=" { "<>" } else { "=" };
    let null = build::literal(Value::Null, DataType::new(LogicalType::Boolean));
    let is_null = build::call("IS NULL", vec![other.clone()])?;
    let outcome = build::call(opposite, vec![one.clone(), one.clone()])?;
    build::case(vec![(is_null, null)], Some(outcome))
}

/// The expression with its constant parts computed, as far as that does not fail and needs no time zone.
#[must_use]
pub fn fold(rex: Rex) -> Rex {
    fold_with(rex, &evaluate)
}

/// The same in a session's time zone.
#[must_use]
pub fn fold_in(rex: Rex, zone: &Zone) -> Rex {
    let context = EvalContext { zone: *zone, ..EvalContext::default() };
    fold_with(rex, &|rex| {
        let expr = rex.lower().ok().filter(|expr| expr.is_deterministic() && expr.ty.logical != LogicalType::Null)?;
        let value = expr.eval_constant(&context).ok()?;
        (expr.ty.nullable || !value.is_null()).then_some(value)
    })
}

fn fold_with(rex: Rex, evaluate: &dyn Fn(&Rex) -> Option<Value>) -> Rex {
    if rex.is_constant()
        && !rex.has_over()
        && rex.is_deterministic()
        && rex.as_literal().is_none()
        && !matches!(rex.kind, RexKind::Flag(_))
        && let Some(value) = evaluate(&rex)
    {
        let unit = unit_of(&rex);
        let nullable = value == Value::Null;
        let literal = Rex { kind: RexKind::Literal { value, unit }, ty: rex.ty.with_nullable(nullable) };
        return literal.typed_as(&rex.ty);
    }
    rex.map_children(&mut |child| fold_with(child, evaluate))
}

/// The value of a constant expression; `None` where it depends on a row, a clock or the time zone, or fails.
pub fn evaluate(rex: &Rex) -> Option<Value> {
    match build::fold_constants(rex.lower().ok()?).kind {
        ExprKind::Literal(value) => Some(value),
        _ => None,
    }
}

fn unit_of(rex: &Rex) -> Option<String> {
    let mut unit = None;
    if rex.ty.logical.is_interval() {
        rex.any(&mut |part| {
            if let RexKind::Literal { unit: Some(own), .. } = &part.kind {
                unit.get_or_insert_with(|| own.clone());
            }
            unit.is_some()
        });
    }
    unit
}
