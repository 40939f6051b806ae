//! The syntax tree: plain data, every node with the span of its text.
//!
//! Shaped after Flink SQL 2.2 as a whole. Names keep the case in which they were written; Flink
//! compares table, column and field names with case, function names without.

use std::fmt;

use tidegate_diag::Span;

/// One statement of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// What it says.
    pub kind: StatementKind,
    /// Its text, without the semicolon.
    pub span: Span,
    /// Its position among all statements of the script, faulty ones included, from 1.
    pub ordinal: u32,
}

/// What a statement says.
#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    /// `CREATE TABLE`
    CreateTable(Box<CreateTable>),
    /// `ALTER TABLE`
    AlterTable(Box<AlterTable>),
    /// `CREATE FUNCTION f(x INT) RETURN expression`, our own.
    CreateFunction(Box<CreateFunction>),
    /// `CREATE VIEW`
    CreateView(Box<CreateView>),
    /// `DROP TABLE`, `DROP VIEW`
    Drop(Drop),
    /// `SET 'key' = 'value'`; without both, it lists the configuration.
    Set(Option<SqlOption>),
    /// `RESET 'key'`; without it, everything.
    Reset(Option<StringLit>),
    /// `SHOW …`
    Show(Show),
    /// `DESCRIBE t`, `DESC t`
    Describe(ObjectName),
    /// `EXPLAIN …`
    Explain(Explain),
    /// `INSERT INTO`
    Insert(Box<Insert>),
    /// `EXECUTE STATEMENT SET BEGIN … END`
    StatementSet(Vec<Insert>),
    /// `SELECT`, `VALUES`, `WITH …`
    Query(Box<Query>),
}

/// A name as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Ident {
    /// The name without its quotes.
    pub value: String,
    /// Whether it stood in backticks.
    pub quoted: bool,
    /// Its text, quotes included.
    pub span: Span,
}

/// A name of one to three parts: `[[catalog.]database.]object`.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectName {
    /// The parts; never empty.
    pub parts: Vec<Ident>,
    /// From the first part to the last.
    pub span: Span,
}

impl Ident {
    /// Whether the name is `word`, case aside.
    pub fn is(&self, word: &str) -> bool {
        self.value.eq_ignore_ascii_case(word)
    }
}

impl ObjectName {
    /// The last part: the object's own name.
    pub fn last(&self) -> &Ident {
        // The parser never makes an empty name.
        &self.parts[self.parts.len() - 1]
    }
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.value)
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.parts.iter().enumerate() {
            if i > 0 {
                f.write_str(".")?;
            }
            f.write_str(&part.value)?;
        }
        Ok(())
    }
}

/// A quoted string where the grammar wants one, not an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct StringLit {
    /// Without quotes, escapes resolved.
    pub value: String,
    /// Its text, quotes included.
    pub span: Span,
}

/// `'key' = 'value'`
#[derive(Debug, Clone, PartialEq)]
pub struct SqlOption {
    /// The key.
    pub key: StringLit,
    /// The value; always text, as in Flink.
    pub value: StringLit,
}

// ---------------------------------------------------------------------------------------------
// Tables and views

/// `CREATE [TEMPORARY] TABLE`
#[derive(Debug, Clone, PartialEq)]
pub struct CreateTable {
    /// `TEMPORARY`
    pub temporary: bool,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// The table.
    pub name: ObjectName,
    /// Columns of all sorts, in order.
    pub columns: Vec<ColumnDef>,
    /// `WATERMARK FOR`; more than one is for the binder to refuse.
    pub watermarks: Vec<WatermarkDef>,
    /// `PRIMARY KEY` and `UNIQUE` of the table and of single columns, in order.
    pub constraints: Vec<Constraint>,
    /// `COMMENT '…'`
    pub comment: Option<StringLit>,
    /// `DISTRIBUTED BY …`
    pub distribution: Option<Distribution>,
    /// `PARTITIONED BY (…)`
    pub partitioned_by: Vec<Ident>,
    /// `WITH (…)`
    pub options: Vec<SqlOption>,
    /// `LIKE other (…)`
    pub like: Option<Like>,
    /// `AS SELECT …`
    pub as_query: Option<Query>,
}

/// One column of a `CREATE TABLE`.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnDef {
    /// Its name.
    pub name: Ident,
    /// Its sort.
    pub kind: ColumnKind,
    /// `COMMENT '…'`
    pub comment: Option<StringLit>,
    /// The whole definition.
    pub span: Span,
}

/// The three sorts of columns.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnKind {
    /// `name type`
    Physical(TypeName),
    /// `name type METADATA [FROM 'key'] [VIRTUAL]`
    Metadata {
        /// The column's type.
        ty: TypeName,
        /// The metadata key, if it is not the column's name.
        key: Option<StringLit>,
        /// Whether sinks leave it out.
        is_virtual: bool,
    },
    /// `name AS expression`
    Computed(Expr),
}

/// `WATERMARK FOR column AS expression`
#[derive(Debug, Clone, PartialEq)]
pub struct WatermarkDef {
    /// The rowtime column; several parts name a nested field.
    pub column: ObjectName,
    /// What gives the watermark.
    pub expr: Expr,
    /// The whole clause.
    pub span: Span,
}

/// `PRIMARY KEY (…) NOT ENFORCED` or `UNIQUE (…)`
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    /// `CONSTRAINT name`
    pub name: Option<Ident>,
    /// Whether it is a primary key.
    pub primary: bool,
    /// The columns, for a constraint at a column that column.
    pub columns: Vec<Ident>,
    /// `ENFORCED`, `NOT ENFORCED` or neither.
    pub enforced: Option<bool>,
    /// The whole clause.
    pub span: Span,
}

/// `DISTRIBUTED BY [HASH|RANGE] (columns) INTO n BUCKETS`
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// `HASH`, `RANGE` or neither, as written.
    pub kind: Option<Ident>,
    /// The columns.
    pub columns: Vec<Ident>,
    /// The number of buckets, as written.
    pub buckets: Option<Expr>,
    /// The whole clause.
    pub span: Span,
}

/// `LIKE other (INCLUDING …, EXCLUDING …)`
#[derive(Debug, Clone, PartialEq)]
pub struct Like {
    /// The other table.
    pub table: ObjectName,
    /// What is taken over.
    pub options: Vec<LikeOption>,
    /// The whole clause.
    pub span: Span,
}

/// One option of a `LIKE`.
#[derive(Debug, Clone, PartialEq)]
pub struct LikeOption {
    /// How the two are merged.
    pub strategy: LikeStrategy,
    /// What it is about.
    pub feature: LikeFeature,
    /// Both words.
    pub span: Span,
}

/// How `LIKE` merges a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LikeStrategy {
    /// `INCLUDING`: take over, fail on duplicates.
    Including,
    /// `EXCLUDING`: leave out.
    Excluding,
    /// `OVERWRITING`: take over, the new table's own win.
    Overwriting,
}

/// What a `LIKE` option is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "Flink's own words")]
pub enum LikeFeature {
    All,
    Constraints,
    Distribution,
    Generated,
    Metadata,
    Options,
    Partitions,
    Watermarks,
}

/// `ALTER TABLE [IF EXISTS] table action`
#[derive(Debug, Clone, PartialEq)]
pub struct AlterTable {
    /// `IF EXISTS`
    pub if_exists: bool,
    /// The table.
    pub name: ObjectName,
    /// What changes.
    pub action: AlterAction,
    /// The action's text.
    pub span: Span,
}

/// What `ALTER TABLE` changes.
#[derive(Debug, Clone, PartialEq)]
pub enum AlterAction {
    /// `SET ('key' = 'value')`
    Set(Vec<SqlOption>),
    /// `RESET ('key')`
    Reset(Vec<StringLit>),
    /// `RENAME TO name`
    Rename(ObjectName),
    /// `RENAME column TO name`
    RenameColumn(Ident, Ident),
    /// `ADD …`, `MODIFY …`
    Elements {
        /// `ADD`
        add: bool,
        /// Columns of all sorts.
        columns: Vec<ColumnDef>,
        /// `WATERMARK FOR`
        watermarks: Vec<WatermarkDef>,
        /// `PRIMARY KEY`
        constraints: Vec<Constraint>,
    },
    /// `DROP column`, `DROP (column, …)`
    DropColumns(Vec<Ident>),
    /// `DROP WATERMARK`
    DropWatermark,
    /// `DROP PRIMARY KEY`
    DropKey,
}

/// `CREATE [TEMPORARY] FUNCTION [IF NOT EXISTS] f(x INT, y STRING) [RETURNS type] RETURN expression`
#[derive(Debug, Clone, PartialEq)]
pub struct CreateFunction {
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// The function.
    pub name: ObjectName,
    /// Its parameters.
    pub parameters: Vec<(Ident, TypeName)>,
    /// `RETURNS type`
    pub returns: Option<TypeName>,
    /// What a call of it is.
    pub body: Expr,
}

/// `CREATE [TEMPORARY] VIEW`
#[derive(Debug, Clone, PartialEq)]
pub struct CreateView {
    /// `TEMPORARY`
    pub temporary: bool,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// The view.
    pub name: ObjectName,
    /// Names for the columns; empty: those of the query.
    pub columns: Vec<Ident>,
    /// `COMMENT '…'`
    pub comment: Option<StringLit>,
    /// What it stands for.
    pub query: Query,
}

/// `DROP [TEMPORARY] TABLE|VIEW [IF EXISTS] name`
#[derive(Debug, Clone, PartialEq)]
pub struct Drop {
    /// Table or view.
    pub object: DropObject,
    /// `TEMPORARY`
    pub temporary: bool,
    /// `IF EXISTS`
    pub if_exists: bool,
    /// What goes.
    pub name: ObjectName,
}

/// What is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they say it themselves")]
pub enum DropObject {
    Table,
    View,
    Function,
}

/// `INSERT INTO table [(columns)] query`
#[derive(Debug, Clone, PartialEq)]
pub struct Insert {
    /// The sink.
    pub table: ObjectName,
    /// `/*+ OPTIONS(…) */` behind it
    pub hints: Vec<Hint>,
    /// `PARTITION (a = 1, …)`
    pub partition: Vec<(Ident, Expr)>,
    /// The columns that are written; empty: all.
    pub columns: Vec<Ident>,
    /// `OVERWRITE` in place of `INTO`.
    pub overwrite: bool,
    /// What is written.
    pub query: Query,
    /// The whole statement.
    pub span: Span,
}

/// `SHOW …`
#[derive(Debug, Clone, PartialEq)]
pub enum Show {
    /// `SHOW TABLES [LIKE '…']`
    Tables(Option<StringLit>),
    /// `SHOW VIEWS [LIKE '…']`
    Views(Option<StringLit>),
    /// `SHOW [USER] FUNCTIONS [LIKE '…']`
    Functions {
        /// Only those of the user.
        user: bool,
        /// The pattern.
        like: Option<StringLit>,
    },
    /// `SHOW CREATE TABLE t`
    CreateTable(ObjectName),
    /// `SHOW CREATE VIEW v`
    CreateView(ObjectName),
    /// `SHOW COLUMNS FROM t`
    Columns(ObjectName),
}

/// `EXPLAIN [details] statement`
#[derive(Debug, Clone, PartialEq)]
pub struct Explain {
    /// What is printed beside the plans.
    pub details: Vec<ExplainDetail>,
    /// A query, an insert or a statement set.
    pub statement: Box<Statement>,
}

/// What `EXPLAIN` prints beside the plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "Flink's own words")]
pub enum ExplainDetail {
    ChangelogMode,
    EstimatedCost,
    JsonExecutionPlan,
    PlanAdvice,
}

// ---------------------------------------------------------------------------------------------
// Queries

/// A query with its common table expressions, order and limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// `WITH a AS (…), …`
    pub with: Vec<Cte>,
    /// `WITH RECURSIVE`
    pub recursive: bool,
    /// What it selects.
    pub body: SetExpr,
    /// `ORDER BY`
    pub order_by: Vec<OrderItem>,
    /// `LIMIT n` or `FETCH FIRST n ROWS ONLY`; `LIMIT ALL` is none.
    pub limit: Option<Expr>,
    /// `OFFSET n [ROWS]`
    pub offset: Option<Expr>,
    /// The whole query, without parentheses around it.
    pub span: Span,
}

/// `name [(columns)] AS (query)`
#[derive(Debug, Clone, PartialEq)]
pub struct Cte {
    /// The name.
    pub name: Ident,
    /// Names for the columns; empty: those of the query.
    pub columns: Vec<Ident>,
    /// What it stands for.
    pub query: Query,
    /// The whole of it.
    pub span: Span,
}

/// What stands between `WITH` and `ORDER BY`.
#[derive(Debug, Clone, PartialEq)]
pub struct SetExpr {
    /// What it is.
    pub kind: SetExprKind,
    /// Its text.
    pub span: Span,
}

/// The sorts of query bodies.
#[derive(Debug, Clone, PartialEq)]
pub enum SetExprKind {
    /// `SELECT …`
    Select(Box<Select>),
    /// `VALUES (…), (…)`: each row an expression, a [`ExprKind::Row`] or a single value.
    Values(Vec<Expr>),
    /// `TABLE t`
    Table(ObjectName),
    /// `( query )`
    Query(Box<Query>),
    /// `left UNION ALL right` and its like; chains lean left.
    SetOp {
        /// Which one.
        op: SetOp,
        /// `ALL`: keeps duplicates.
        all: bool,
        /// The operator's words.
        op_span: Span,
        /// The left side.
        left: Box<SetExpr>,
        /// The right side.
        right: Box<SetExpr>,
    },
}

/// `UNION`, `EXCEPT` (also `MINUS`), `INTERSECT`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they say it themselves")]
pub enum SetOp {
    Union,
    Except,
    Intersect,
}

/// `SELECT … FROM … WHERE …`
#[derive(Debug, Clone, PartialEq)]
pub struct Select {
    /// `/*+ … */` behind `SELECT`
    pub hints: Vec<Hint>,
    /// `DISTINCT`
    pub distinct: bool,
    /// What is selected; never empty.
    pub projection: Vec<SelectItem>,
    /// The tables, separated by commas; empty without `FROM`.
    pub from: Vec<TableRef>,
    /// `WHERE`
    pub filter: Option<Expr>,
    /// `GROUP BY`
    pub group_by: Option<GroupBy>,
    /// `HAVING`
    pub having: Option<Expr>,
    /// `WINDOW w AS (…), …`
    pub windows: Vec<NamedWindow>,
    /// `QUALIFY`
    pub qualify: Option<Expr>,
    /// The whole of it.
    pub span: Span,
}

/// One item of a projection.
#[derive(Debug, Clone, PartialEq)]
pub enum SelectItem {
    /// `expression [[AS] alias]`
    Expr {
        /// The expression.
        expr: Expr,
        /// Its name.
        alias: Option<Ident>,
    },
    /// `*`
    Wildcard(Span),
    /// `t.*`
    QualifiedWildcard {
        /// What stands before the star.
        qualifier: ObjectName,
        /// All of it.
        span: Span,
    },
}

/// `GROUP BY [DISTINCT] …`
#[derive(Debug, Clone, PartialEq)]
pub struct GroupBy {
    /// `DISTINCT` or `ALL`: whether equal grouping sets count once.
    pub distinct: bool,
    /// The elements; the result is their cross product.
    pub items: Vec<GroupingItem>,
    /// From `GROUP` on.
    pub span: Span,
}

/// One element of a `GROUP BY`.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupingItem {
    /// What it is.
    pub kind: GroupingKind,
    /// Its text.
    pub span: Span,
}

/// The sorts of grouping elements.
#[derive(Debug, Clone, PartialEq)]
pub enum GroupingKind {
    /// A plain expression.
    Expr(Expr),
    /// `(a, b)`, also `()`
    Set(Vec<Expr>),
    /// `ROLLUP (a, (b, c))`
    Rollup(Vec<Vec<Expr>>),
    /// `CUBE (a, (b, c))`
    Cube(Vec<Vec<Expr>>),
    /// `GROUPING SETS (…)`
    Sets(Vec<GroupingItem>),
}

/// `name AS (window)`
#[derive(Debug, Clone, PartialEq)]
pub struct NamedWindow {
    /// The name.
    pub name: Ident,
    /// The window.
    pub spec: WindowSpec,
}

/// `expression [ASC|DESC] [NULLS FIRST|LAST]`
#[derive(Debug, Clone, PartialEq)]
pub struct OrderItem {
    /// What is sorted by.
    pub expr: Expr,
    /// `DESC`
    pub descending: bool,
    /// `NULLS FIRST` or `NULLS LAST`, if said.
    pub nulls_first: Option<bool>,
    /// The whole of it.
    pub span: Span,
}

/// `/*+ NAME('key' = 'value', …) */`
#[derive(Debug, Clone, PartialEq)]
pub struct Hint {
    /// Its name.
    pub name: Ident,
    /// Its options: pairs, or values without a key.
    pub options: Vec<HintOption>,
    /// Its text.
    pub span: Span,
}

/// One option of a hint.
#[derive(Debug, Clone, PartialEq)]
pub struct HintOption {
    /// The key, where it is a pair.
    pub key: Option<StringLit>,
    /// The value: a string, a name or a number, as text.
    pub value: StringLit,
}

// ---------------------------------------------------------------------------------------------
// Table references

/// Something rows come from.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRef {
    /// What it is.
    pub kind: TableRefKind,
    /// `[AS] name [(columns)]`
    pub alias: Option<TableAlias>,
    /// Its text, alias included.
    pub span: Span,
}

/// `[AS] name [(columns)]`
#[derive(Debug, Clone, PartialEq)]
pub struct TableAlias {
    /// The name.
    pub name: Ident,
    /// Names for the columns; empty: as they are.
    pub columns: Vec<Ident>,
}

/// The sorts of table references.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "few of them live at a time")]
pub enum TableRefKind {
    /// `name [/*+ hints */] [FOR SYSTEM_TIME AS OF expression]`
    Table {
        /// The table, view or common table expression.
        name: ObjectName,
        /// `/*+ OPTIONS(…) */`
        hints: Vec<Hint>,
        /// `FOR SYSTEM_TIME AS OF`
        as_of: Option<Expr>,
    },
    /// `[LATERAL] ( query )`; `(VALUES …)` is one, too.
    Subquery {
        /// `LATERAL`
        lateral: bool,
        /// The query.
        query: Box<Query>,
    },
    /// `[LATERAL] TABLE(function(…))`
    Function {
        /// `LATERAL`
        lateral: bool,
        /// The call; see [`ArgValue`] for `TABLE t` and `DESCRIPTOR(…)`.
        call: FunctionCall,
    },
    /// `UNNEST(expression, …) [WITH ORDINALITY]`
    Unnest {
        /// What is unnested.
        args: Vec<Expr>,
        /// `WITH ORDINALITY`
        with_ordinality: bool,
    },
    /// A join.
    Join(Box<Join>),
    /// `input MATCH_RECOGNIZE ( … )`
    MatchRecognize(Box<MatchRecognize>),
}

/// `left JOIN right ON …`
#[derive(Debug, Clone, PartialEq)]
pub struct Join {
    /// The left side.
    pub left: TableRef,
    /// The right side.
    pub right: TableRef,
    /// Its sort.
    pub kind: JoinKind,
    /// `NATURAL`
    pub natural: bool,
    /// `ON`, `USING` or neither.
    pub condition: JoinCondition,
    /// The words between the sides, such as `LEFT OUTER JOIN`.
    pub op_span: Span,
}

/// The sorts of joins. A comma between tables is a `Vec` entry of [`Select::from`], not a join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "SQL's own words")]
pub enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
    Cross,
}

/// When rows of a join match.
#[derive(Debug, Clone, PartialEq)]
pub enum JoinCondition {
    /// Always, or by equal names with `NATURAL`.
    None,
    /// `ON expression`
    On(Expr),
    /// `USING (columns)`
    Using(Vec<Ident>),
}

/// `input MATCH_RECOGNIZE ( … )`
#[derive(Debug, Clone, PartialEq)]
pub struct MatchRecognize {
    /// Where the rows come from.
    pub input: TableRef,
    /// `PARTITION BY`
    pub partition_by: Vec<Expr>,
    /// `ORDER BY`
    pub order_by: Vec<OrderItem>,
    /// `MEASURES`
    pub measures: Vec<Measure>,
    /// `ALL ROWS PER MATCH` in place of `ONE ROW PER MATCH`
    pub all_rows: bool,
    /// `AFTER MATCH …`
    pub after_match: Option<AfterMatch>,
    /// `PATTERN ( … )`
    pub pattern: Pattern,
    /// `^` at its start
    pub anchored_start: bool,
    /// `$` at its end
    pub anchored_end: bool,
    /// `WITHIN interval`
    pub within: Option<Expr>,
    /// `SUBSET name = (variables), …`
    pub subsets: Vec<(Ident, Vec<Ident>)>,
    /// `DEFINE variable AS condition, …`
    pub defines: Vec<(Ident, Expr)>,
    /// From `MATCH_RECOGNIZE` to its parenthesis.
    pub span: Span,
}

/// `expression AS name`
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// What is measured; `FINAL`/`RUNNING` is [`ExprKind::MatchTime`].
    pub expr: Expr,
    /// Its name.
    pub alias: Ident,
}

/// Where the search goes on after a match.
#[derive(Debug, Clone, PartialEq)]
pub enum AfterMatch {
    /// `SKIP TO NEXT ROW`
    NextRow,
    /// `SKIP PAST LAST ROW`
    PastLastRow,
    /// `SKIP TO FIRST v`
    ToFirst(Ident),
    /// `SKIP TO LAST v` or `SKIP TO v`
    ToLast(Ident),
}

/// A row pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// What it is.
    pub kind: PatternKind,
    /// Its text.
    pub span: Span,
}

/// The sorts of row patterns.
#[derive(Debug, Clone, PartialEq)]
pub enum PatternKind {
    /// `()`
    Empty,
    /// `A`
    Variable(Ident),
    /// `A B`
    Concat(Vec<Pattern>),
    /// `A | B`
    Alternation(Vec<Pattern>),
    /// `PERMUTE(A, B)`
    Permute(Vec<Pattern>),
    /// `{- A -}`
    Exclude(Box<Pattern>),
    /// `A{min,max}`, also `*`, `+`, `?`
    Repeat {
        /// What is repeated.
        inner: Box<Pattern>,
        /// At least so often.
        min: u32,
        /// At most so often, if there is a bound.
        max: Option<u32>,
        /// `?` behind it: as few as possible.
        reluctant: bool,
    },
}

// ---------------------------------------------------------------------------------------------
// Expressions

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its text; parentheses around it belong to it.
    pub span: Span,
}

/// The sorts of expressions. Keyword forms of functions are plain calls with their arguments in
/// Flink's order: `SUBSTRING(s FROM a FOR n)` is `SUBSTRING(s, a, n)`, `OVERLAY(s PLACING r FROM a
/// FOR n)` is `OVERLAY(s, r, a, n)`, `POSITION(x IN s)` is `POSITION(x, s)`.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// A constant.
    Literal(Literal),
    /// `a`, `t.a`, `t.a.f`: a column with what may stand before it and fields behind it.
    Column(Vec<Ident>),
    /// `(expression).field`, `f(x).field`, `a[1].field`
    Field {
        /// The row.
        base: Box<Expr>,
        /// Its field.
        field: Ident,
    },
    /// `a[1]`, `m['key']`
    Index {
        /// Array or map (or row, by position or name).
        base: Box<Expr>,
        /// Position from 1, or key.
        index: Box<Expr>,
    },
    /// `-x`, `+x`, `NOT x`
    Unary {
        /// Which one.
        op: UnaryOp,
        /// Its operand.
        expr: Box<Expr>,
    },
    /// `a + b` and all other operators between two operands.
    Binary {
        /// Which one.
        op: BinaryOp,
        /// The operator's text.
        op_span: Span,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
        /// Whether both are parts of one long chain of the operator, `a + b + c + …`: it still leans left, but is kept as a
        /// balanced tree, since nobody could walk down one that is thousands of operands high.
        chain: bool,
    },
    /// `x [NOT] BETWEEN [SYMMETRIC] low AND high`
    Between {
        /// What is compared.
        expr: Box<Expr>,
        /// `NOT`
        negated: bool,
        /// Whether the bounds may be swapped.
        symmetric: bool,
        /// The lower bound.
        low: Box<Expr>,
        /// The upper bound.
        high: Box<Expr>,
    },
    /// `x [NOT] IN (a, b)`
    InList {
        /// What is looked for.
        expr: Box<Expr>,
        /// `NOT`
        negated: bool,
        /// Where; never empty.
        list: Vec<Expr>,
    },
    /// `x [NOT] IN (query)`
    InSubquery {
        /// What is looked for.
        expr: Box<Expr>,
        /// `NOT`
        negated: bool,
        /// Where.
        query: Box<Query>,
    },
    /// `x = SOME (query)`, `x > ALL (1, 2)`
    Quantified {
        /// The left operand.
        left: Box<Expr>,
        /// A comparison.
        op: BinaryOp,
        /// `ALL` in place of `SOME` or `ANY`.
        all: bool,
        /// An [`ExprKind::Subquery`] or, for a list, an [`ExprKind::Row`].
        right: Box<Expr>,
    },
    /// `EXISTS (query)`
    Exists(Box<Query>),
    /// `(query)` as one value
    Subquery(Box<Query>),
    /// `x [NOT] LIKE pattern [ESCAPE c]`
    Like {
        /// The text.
        expr: Box<Expr>,
        /// `NOT`
        negated: bool,
        /// The pattern.
        pattern: Box<Expr>,
        /// The escape character.
        escape: Option<Box<Expr>>,
    },
    /// `x [NOT] SIMILAR TO pattern [ESCAPE c]`
    SimilarTo {
        /// The text.
        expr: Box<Expr>,
        /// `NOT`
        negated: bool,
        /// The pattern.
        pattern: Box<Expr>,
        /// The escape character.
        escape: Option<Box<Expr>>,
    },
    /// `x IS [NOT] NULL`
    IsNull {
        /// The operand.
        expr: Box<Expr>,
        /// `NOT`
        negated: bool,
    },
    /// `x IS [NOT] TRUE|FALSE|UNKNOWN`
    IsTruth {
        /// The operand.
        expr: Box<Expr>,
        /// `NOT`
        negated: bool,
        /// TRUE, FALSE, or none for UNKNOWN.
        value: Option<bool>,
    },
    /// `a IS [NOT] DISTINCT FROM b`
    IsDistinctFrom {
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
        /// `NOT`: then NULL equals NULL.
        negated: bool,
    },
    /// `x IS [NOT] JSON [VALUE|OBJECT|ARRAY|SCALAR]`
    IsJson {
        /// The operand.
        expr: Box<Expr>,
        /// `NOT`
        negated: bool,
        /// Which sort.
        kind: JsonKind,
    },
    /// `CASE [operand] WHEN … THEN … [ELSE …] END`
    Case {
        /// What the `WHEN`s are compared with.
        operand: Option<Box<Expr>>,
        /// Condition and result; never empty.
        branches: Vec<(Expr, Expr)>,
        /// `ELSE`
        otherwise: Option<Box<Expr>>,
    },
    /// `CAST(x AS type)`, `TRY_CAST(x AS type)`
    Cast {
        /// What is cast.
        expr: Box<Expr>,
        /// To what.
        to: TypeName,
        /// `TRY_CAST`: NULL in place of a failure.
        try_cast: bool,
    },
    /// A call of a function, an aggregate or a window function.
    Function(Box<FunctionCall>),
    /// `EXTRACT(unit FROM x)`
    Extract {
        /// What is taken out.
        unit: TimeUnit,
        /// Of what.
        expr: Box<Expr>,
    },
    /// `FLOOR(x TO unit)`, `CEIL(x TO unit)`
    RoundTime {
        /// `CEIL`
        up: bool,
        /// What is rounded.
        expr: Box<Expr>,
        /// To what.
        unit: TimeUnit,
    },
    /// `TIMESTAMPADD(unit, count, time)`
    TimestampAdd {
        /// The unit.
        unit: TimeUnit,
        /// How many.
        count: Box<Expr>,
        /// To what they are added.
        time: Box<Expr>,
    },
    /// `TIMESTAMPDIFF(unit, from, to)`
    TimestampDiff {
        /// The unit of the result.
        unit: TimeUnit,
        /// The earlier one.
        from: Box<Expr>,
        /// The later one.
        to: Box<Expr>,
    },
    /// `TRIM([[BOTH|LEADING|TRAILING] [characters] FROM] s)`
    Trim {
        /// Where.
        side: TrimSide,
        /// What; a space by default.
        what: Option<Box<Expr>>,
        /// Of what.
        expr: Box<Expr>,
    },
    /// `INTERVAL expression unit`, where it is no literal.
    IntervalOf {
        /// How many.
        count: Box<Expr>,
        /// Of what.
        qualifier: IntervalQualifier,
    },
    /// `JSON_VALUE(…)` and its kin, with clauses of their own.
    Json(Box<JsonCall>),
    /// `ARRAY[a, b]`
    Array(Vec<Expr>),
    /// `ARRAY(query)`
    ArrayQuery(Box<Query>),
    /// `MAP[k, v, …]`
    Map(Vec<(Expr, Expr)>),
    /// `ROW(a, b)` or `(a, b)`
    Row(Vec<Expr>),
    /// `(s1, e1) OVERLAPS (s2, e2)` and the other predicates over periods.
    Period {
        /// Which one.
        op: PeriodOp,
        /// The left period.
        left: Box<Expr>,
        /// The right period.
        right: Box<Expr>,
    },
    /// `FINAL x`, `RUNNING x` in a `MATCH_RECOGNIZE`
    MatchTime {
        /// `FINAL`
        is_final: bool,
        /// The measure.
        expr: Box<Expr>,
    },
}

/// A constant as written; the binder gives it a type.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `NULL`
    Null,
    /// `TRUE`, `FALSE`; none for `UNKNOWN`
    Boolean(Option<bool>),
    /// The digits as written: `1`, `1.50`, `.5`, `1e3`. No sign.
    Number(String),
    /// `'text'`, `U&'…'`, `N'…'`, escapes resolved
    String(String),
    /// `X'00ff'`
    Bytes(Vec<u8>),
    /// `DATE '…'`
    Date(String),
    /// `TIME '…'`
    Time(String),
    /// `TIMESTAMP '…'`
    Timestamp(String),
    /// `INTERVAL [-]'…' unit`
    Interval {
        /// The text in quotes.
        value: String,
        /// A minus before the quotes.
        negative: bool,
        /// Its unit or range of units.
        qualifier: IntervalQualifier,
    },
}

/// `DAY`, `DAY(3) TO SECOND(6)`, …
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntervalQualifier {
    /// The first (and largest) unit.
    pub start: TimeUnit,
    /// The unit behind `TO`.
    pub end: Option<TimeUnit>,
    /// Digits of the first unit, if said.
    pub precision: Option<u32>,
    /// Digits of a fraction of a second, if said.
    pub fraction: Option<u32>,
    /// Its text.
    pub span: Span,
}

/// A unit of time; which ones a place takes is for the binder to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "SQL's own words")]
pub enum TimeUnit {
    Nanosecond,
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
    Decade,
    Century,
    Millennium,
    Dow,
    Doy,
    IsoDow,
    IsoYear,
    Epoch,
}

/// Operators before one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they say it themselves")]
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
}

/// Operators between two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they say it themselves")]
pub enum BinaryOp {
    Or,
    And,
    Eq,
    NotEq,
    Lt,
    LtEq,
    Gt,
    GtEq,
    Plus,
    Minus,
    Multiply,
    Divide,
    Modulo,
    /// `||`
    Concat,
}

/// Predicates over periods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "SQL's own words")]
pub enum PeriodOp {
    Overlaps,
    Contains,
    Equals,
    Precedes,
    Succeeds,
    ImmediatelyPrecedes,
    ImmediatelySucceeds,
}

/// Where `TRIM` trims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "SQL's own words")]
pub enum TrimSide {
    Both,
    Leading,
    Trailing,
}

/// A call of a function, an aggregate or a window function.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionCall {
    /// Its name; compared without case.
    pub name: ObjectName,
    /// Whether parentheses stood there: `CURRENT_TIMESTAMP` has none.
    pub parens: bool,
    /// `DISTINCT` before the arguments.
    pub distinct: bool,
    /// The arguments.
    pub args: Vec<Arg>,
    /// `ORDER BY` among the arguments.
    pub order_by: Vec<OrderItem>,
    /// `IGNORE NULLS` (true) or `RESPECT NULLS` (false).
    pub ignore_nulls: Option<bool>,
    /// `WITHIN GROUP (ORDER BY …)`
    pub within_group: Vec<OrderItem>,
    /// `FILTER (WHERE …)`
    pub filter: Option<Expr>,
    /// `OVER …`
    pub over: Option<Over>,
    /// The whole call.
    pub span: Span,
}

/// One argument.
#[derive(Debug, Clone, PartialEq)]
pub struct Arg {
    /// `name =>`
    pub name: Option<Ident>,
    /// What is passed.
    pub value: ArgValue,
    /// The whole of it.
    pub span: Span,
}

/// What can be passed to a function.
#[derive(Debug, Clone, PartialEq)]
pub enum ArgValue {
    /// A value.
    Expr(Expr),
    /// `*`, as in `COUNT(*)`
    Star,
    /// `DEFAULT`
    Default,
    /// `TABLE t [PARTITION BY …] [ORDER BY …]` or `(query) [PARTITION BY …] …` of a table function
    Table(TableArg),
    /// `DESCRIPTOR(a, b)`
    Descriptor(Vec<Ident>),
}

/// A table passed to a table function.
#[derive(Debug, Clone, PartialEq)]
pub struct TableArg {
    /// Its rows.
    pub source: TableArgSource,
    /// `PARTITION BY`
    pub partition_by: Vec<Expr>,
    /// `ORDER BY`
    pub order_by: Vec<OrderItem>,
}

/// Where the rows of a table argument come from.
#[derive(Debug, Clone, PartialEq)]
pub enum TableArgSource {
    /// `TABLE t`
    Table(ObjectName),
    /// `(query)`
    Query(Box<Query>),
}

/// What follows `OVER`.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "few of them live at a time")]
pub enum Over {
    /// The name of a window of the `WINDOW` clause.
    Name(Ident),
    /// A window of its own.
    Spec(WindowSpec),
}

/// `( [name] PARTITION BY … ORDER BY … ROWS … )`
#[derive(Debug, Clone, PartialEq)]
pub struct WindowSpec {
    /// The window that it refines.
    pub base: Option<Ident>,
    /// `PARTITION BY`
    pub partition_by: Vec<Expr>,
    /// `ORDER BY`
    pub order_by: Vec<OrderItem>,
    /// `ROWS` or `RANGE`
    pub frame: Option<Frame>,
    /// With its parentheses.
    pub span: Span,
}

/// `ROWS BETWEEN … AND …`
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// `ROWS` in place of `RANGE`.
    pub rows: bool,
    /// Where it starts.
    pub start: FrameBound,
    /// Where it ends; the current row by default.
    pub end: Option<FrameBound>,
    /// The whole of it.
    pub span: Span,
}

/// One end of a frame.
#[derive(Debug, Clone, PartialEq)]
pub enum FrameBound {
    /// `CURRENT ROW`
    CurrentRow,
    /// `UNBOUNDED PRECEDING`
    UnboundedPreceding,
    /// `UNBOUNDED FOLLOWING`
    UnboundedFollowing,
    /// `n PRECEDING`
    Preceding(Expr),
    /// `n FOLLOWING`
    Following(Expr),
}

/// A JSON function with clauses of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonCall {
    /// `JSON_VALUE`, `JSON_QUERY`, `JSON_EXISTS`, `JSON_OBJECT`, `JSON_ARRAY`, `JSON_OBJECTAGG`, `JSON_ARRAYAGG`
    pub name: Ident,
    /// Plain arguments: document and path, or the items of an array.
    pub args: Vec<Expr>,
    /// `KEY k VALUE v` of `JSON_OBJECT` and `JSON_OBJECTAGG`
    pub entries: Vec<(Expr, Expr)>,
    /// `RETURNING type`
    pub returning: Option<TypeName>,
    /// `WITH[OUT] … WRAPPER`
    pub wrapper: Option<JsonWrapper>,
    /// `… ON EMPTY`
    pub on_empty: Option<JsonBehavior>,
    /// `… ON ERROR`
    pub on_error: Option<JsonBehavior>,
    /// `ABSENT ON NULL` (true) or `NULL ON NULL` (false)
    pub absent_on_null: Option<bool>,
    /// `FILTER (WHERE …)` of the aggregates
    pub filter: Option<Expr>,
}

/// How `JSON_QUERY` wraps its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "SQL's own words")]
pub enum JsonWrapper {
    Without,
    Conditional,
    Unconditional,
}

/// What a JSON function does when there is nothing or an error.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "SQL's own words")]
pub enum JsonBehavior {
    Null,
    Error,
    Default(Expr),
    True,
    False,
    Unknown,
    EmptyArray,
    EmptyObject,
}

/// What `IS JSON` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "SQL's own words")]
pub enum JsonKind {
    Value,
    Object,
    Array,
    Scalar,
}

// ---------------------------------------------------------------------------------------------
// Types

/// The name of a data type.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeName {
    /// Which one.
    pub kind: TypeKind,
    /// `NULL` or `NOT NULL`, if said.
    pub nullable: Option<bool>,
    /// Its text, `NOT NULL` included.
    pub span: Span,
}

/// Flink's type names; lengths and precisions as written, bounds are for the binder to check.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "SQL's own words")]
pub enum TypeKind {
    Boolean,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Float,
    /// `DOUBLE`, `DOUBLE PRECISION`
    Double,
    /// `DECIMAL`, `DEC`, `NUMERIC`
    Decimal {
        precision: Option<u32>,
        scale: Option<u32>,
    },
    Char(Option<u32>),
    Varchar(Option<u32>),
    String,
    Binary(Option<u32>),
    Varbinary(Option<u32>),
    Bytes,
    Date,
    /// `TIME(p)`, also `WITHOUT TIME ZONE`
    Time(Option<u32>),
    /// `TIMESTAMP(p)`, also `WITHOUT TIME ZONE`
    Timestamp(Option<u32>),
    /// `TIMESTAMP_LTZ(p)`, `TIMESTAMP(p) WITH LOCAL TIME ZONE`
    TimestampLtz(Option<u32>),
    /// `TIMESTAMP(p) WITH TIME ZONE`
    TimestampTz(Option<u32>),
    Interval(IntervalQualifier),
    /// `ARRAY<t>`, `t ARRAY`
    Array(Box<TypeName>),
    Map(Box<TypeName>, Box<TypeName>),
    /// `MULTISET<t>`, `t MULTISET`
    Multiset(Box<TypeName>),
    /// `ROW<a INT, …>`, `ROW(a INT, …)`
    Row(Vec<RowField>),
    Raw(Vec<StringLit>),
    Variant,
    Null,
    /// A type of the user's own.
    Named(ObjectName),
}

/// One field of a `ROW` type.
#[derive(Debug, Clone, PartialEq)]
pub struct RowField {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: TypeName,
    /// A comment in quotes.
    pub comment: Option<StringLit>,
}
