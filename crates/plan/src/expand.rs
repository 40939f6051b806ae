//! Queries as Flink stores them for views: every name in full, stars written out, each clause on a line of its own.

use tidegate_sql::ast::{
    ArgValue, BinaryOp, Expr, ExprKind, GroupingKind, Ident, JoinCondition, JoinKind, ObjectName, OrderItem, Query,
    Select, SelectItem, SetExpr, SetExprKind, SetOp, TableRef, TableRefKind,
};

use crate::catalog::{Catalog, DATABASE_PATH, Relation};
use crate::unparse::{expr_text, name};

/// The text of a view's query; none where it has a form that is not written out yet.
pub fn query_text(catalog: &Catalog, query: &Query) -> Option<String> {
    let mut expander = Expander { catalog, ctes: Vec::new() };
    expander.query(query).map(|query| query.text)
}

/// A query written out, and the names of its columns.
struct Written {
    text: String,
    columns: Vec<String>,
}

/// A table of FROM: its name and its columns.
struct Seen {
    name: Option<String>,
    columns: Vec<String>,
}

struct Expander<'a> {
    catalog: &'a Catalog,
    /// The WITH queries in sight.
    ctes: Vec<Seen>,
}

impl Expander<'_> {
    fn query(&mut self, query: &Query) -> Option<Written> {
        if query.recursive || query.offset.is_some() {
            return None;
        }
        let outside = self.ctes.len();
        let mut parts = Vec::new();
        for cte in &query.with {
            let written = self.query(&cte.query)?;
            let columns: Vec<String> = cte.columns.iter().map(|column| column.value.clone()).collect();
            let list: Vec<String> = columns.iter().map(|column| name(column)).collect();
            let list = if list.is_empty() { String::new() } else { format!(" ({})", list.join(", ")) };
            parts.push(format!("{}{list} AS ({})", name(&cte.name.value), written.text));
            let columns = if columns.is_empty() { written.columns } else { columns };
            self.ctes.push(Seen { name: Some(cte.name.value.clone()), columns });
        }
        let with = if parts.is_empty() { String::new() } else { format!("WITH {} ", parts.join(", ")) };
        let (body, seen) = self.body(&query.body)?;
        self.ctes.truncate(outside);
        let mut text = format!("{with}{}", body.text);
        if !query.order_by.is_empty() {
            // A name of the SELECT list goes before one of the tables.
            let keys = query.order_by.iter().map(|item| match &item.expr.kind {
                ExprKind::Column(parts) if parts.len() == 1 && !knows(&seen, &parts[0].value) => {
                    body.columns.contains(&parts[0].value).then(|| ordered(item, name(&parts[0].value)))
                }
                ExprKind::Literal(_) => Some(ordered(item, expr_text(&item.expr))),
                _ => qualified(&item.expr, &seen).map(|expr| ordered(item, expr_text(&expr))),
            });
            text.push_str(&format!("\nORDER BY {}", keys.collect::<Option<Vec<_>>>()?.join(", ")));
        }
        if let Some(limit) = &query.limit {
            text.push_str(&format!("\nFETCH NEXT {} ROWS ONLY", expr_text(limit)));
        }
        Some(Written { text, columns: body.columns })
    }

    fn body(&mut self, body: &SetExpr) -> Option<(Written, Vec<Seen>)> {
        let written = match &body.kind {
            SetExprKind::Select(select) => return self.select(select),
            SetExprKind::Values(rows) => {
                let mut columns = 0;
                let rows = rows.iter().map(|row| {
                    let items = match &row.kind {
                        ExprKind::Row(items) => items.iter().map(expr_text).collect(),
                        _ => vec![expr_text(row)],
                    };
                    columns = items.len();
                    format!("ROW({})", items.join(", "))
                });
                let text = format!("VALUES {}", rows.collect::<Vec<_>>().join(",\n"));
                Written { text, columns: (0..columns).map(|i| format!("EXPR${i}")).collect() }
            }
            SetExprKind::SetOp { op, all, left, right, .. } => {
                let ((left, _), (right, _)) = (self.body(left)?, self.body(right)?);
                let word = match op {
                    SetOp::Union => "UNION",
                    SetOp::Except => "EXCEPT",
                    SetOp::Intersect => "INTERSECT",
                };
                let all = if *all { " ALL" } else { "" };
                Written { text: format!("{}\n{word}{all}\n{}", left.text, right.text), columns: left.columns }
            }
            SetExprKind::Query(_) | SetExprKind::Table(_) => return None,
        };
        Some((written, Vec::new()))
    }

    fn select(&mut self, select: &Select) -> Option<(Written, Vec<Seen>)> {
        if !select.hints.is_empty() || !select.windows.is_empty() || select.qualify.is_some() {
            return None;
        }
        let mut seen = Vec::new();
        let tables = select.from.iter().map(|table| self.table(table, &mut seen)).collect::<Option<Vec<String>>>()?;
        let (mut items, mut columns) = (Vec::new(), Vec::new());
        for item in &select.projection {
            match item {
                SelectItem::Wildcard(_) => {
                    for table in &seen {
                        star(table, &mut items, &mut columns)?;
                    }
                }
                SelectItem::QualifiedWildcard { qualifier, .. } => {
                    let [table] = qualifier.parts.as_slice() else { return None };
                    star(seen.iter().find(|own| own.name.as_ref() == Some(&table.value))?, &mut items, &mut columns)?;
                }
                SelectItem::Expr { expr, alias } => {
                    let text = expr_text(&qualified(expr, &seen)?);
                    columns.push(match (alias, &expr.kind) {
                        (Some(alias), _) => alias.value.clone(),
                        (None, ExprKind::Column(parts)) => parts.last()?.value.clone(),
                        (None, _) => format!("EXPR${}", columns.len()),
                    });
                    let alias = alias.as_ref().map(|alias| format!(" AS {}", name(&alias.value)));
                    items.push(format!("{text}{}", alias.unwrap_or_default()));
                }
            }
        }
        let distinct = if select.distinct { "DISTINCT " } else { "" };
        let mut text = format!("SELECT {distinct}{}", items.join(", "));
        if !tables.is_empty() {
            text.push_str(&format!("\nFROM {}", tables.join(",\n")));
        }
        if let Some(filter) = &select.filter {
            text.push_str(&format!("\nWHERE {}", expr_text(&qualified(filter, &seen)?)));
        }
        if let Some(group_by) = &select.group_by {
            let keys = group_by.items.iter().map(|item| match &item.kind {
                GroupingKind::Expr(expr) => qualified(expr, &seen).map(|expr| expr_text(&expr)),
                _ => None,
            });
            text.push_str(&format!("\nGROUP BY {}", keys.collect::<Option<Vec<_>>>()?.join(", ")));
        }
        if let Some(having) = &select.having {
            text.push_str(&format!("\nHAVING {}", expr_text(&qualified(having, &seen)?)));
        }
        Some((Written { text, columns }, seen))
    }

    /// A table of FROM, which comes into sight.
    fn table(&mut self, table: &TableRef, seen: &mut Vec<Seen>) -> Option<String> {
        let alias = table.alias.as_ref();
        if alias.is_some_and(|alias| !alias.columns.is_empty()) {
            return None;
        }
        match &table.kind {
            TableRefKind::Table { name: object, hints, as_of: None } if hints.is_empty() => {
                let (path, columns) = self.named(object)?;
                let own = alias.map_or(&object.last().value, |alias| &alias.name.value).clone();
                let text = format!("{path} AS {}", name(&own));
                seen.push(Seen { name: Some(own), columns });
                Some(text)
            }
            TableRefKind::Subquery { query, lateral: false } => {
                let written = self.query(query)?;
                let own = alias?.name.value.clone();
                let text = format!("({}) AS {}", written.text, name(&own));
                seen.push(Seen { name: Some(own), columns: written.columns });
                Some(text)
            }
            TableRefKind::Join(join) if !join.natural => {
                let left = self.table(&join.left, seen)?;
                let right = self.table(&join.right, seen)?;
                let word = match join.kind {
                    JoinKind::Inner => "INNER JOIN",
                    JoinKind::Left => "LEFT JOIN",
                    JoinKind::Right => "RIGHT JOIN",
                    JoinKind::Full => "FULL JOIN",
                    JoinKind::Cross => "CROSS JOIN",
                };
                let condition = match &join.condition {
                    JoinCondition::None => String::new(),
                    JoinCondition::On(condition) => format!(" ON {}", expr_text(&qualified(condition, seen)?)),
                    JoinCondition::Using(_) => return None,
                };
                Some(format!("{left}\n{word} {right}{condition}"))
            }
            _ => None,
        }
    }

    /// A table's name in full, and its columns.
    fn named(&self, object: &ObjectName) -> Option<(String, Vec<String>)> {
        if let [single] = object.parts.as_slice()
            && let Some(cte) = self.ctes.iter().rev().find(|cte| cte.name.as_ref() == Some(&single.value))
        {
            return Some((name(&single.value), cte.columns.clone()));
        }
        let columns = match self.catalog.find(object)? {
            Relation::Table(table) => table.columns.iter().map(|column| column.name.clone()).collect(),
            Relation::View(view) => view.schema.fields.iter().map(|field| field.name.clone()).collect(),
        };
        let path: Vec<String> = DATABASE_PATH.iter().copied().chain([object.last().value.as_str()]).map(name).collect();
        Some((path.join("."), columns))
    }
}

fn knows(seen: &[Seen], column: &str) -> bool {
    seen.iter().any(|table| table.columns.iter().any(|own| own == column))
}

fn star(table: &Seen, items: &mut Vec<String>, columns: &mut Vec<String>) -> Option<()> {
    let own = table.name.as_ref()?;
    for column in &table.columns {
        items.push(format!("{}.{}", name(own), name(column)));
        columns.push(column.clone());
    }
    Some(())
}

fn ordered(item: &OrderItem, text: String) -> String {
    let nulls = match item.nulls_first {
        None => "",
        Some(true) => " NULLS FIRST",
        Some(false) => " NULLS LAST",
    };
    format!("{text}{}{nulls}", if item.descending { " DESC" } else { "" })
}

/// An expression with the table before each of its columns. None for forms whose text is not known.
fn qualified(expr: &Expr, seen: &[Seen]) -> Option<Expr> {
    let mut expr = expr.clone();
    qualify(&mut expr, seen)?;
    Some(expr)
}

fn qualify(expr: &mut Expr, seen: &[Seen]) -> Option<()> {
    let span = expr.span;
    match &mut expr.kind {
        ExprKind::Literal(_) => {}
        ExprKind::Column(parts) => match parts.as_slice() {
            [column] => {
                let mut tables = seen.iter().filter(|table| table.columns.contains(&column.value));
                let (Some(table), None) = (tables.next(), tables.next()) else { return None };
                parts.insert(0, Ident { value: table.name.clone()?, quoted: true, span });
            }
            [table, _] => {
                seen.iter().find(|own| own.name.as_ref() == Some(&table.value))?;
            }
            _ => return None,
        },
        ExprKind::Unary { expr, .. }
        | ExprKind::IsNull { expr, .. }
        | ExprKind::IsTruth { expr, .. }
        | ExprKind::Cast { expr, .. }
        | ExprKind::Extract { expr, .. } => qualify(expr, seen)?,
        // FLOOR and CEIL of a time, and what else has words of its own, are left as they are written.
        ExprKind::Binary { op, left, right, .. } => {
            // Of two that bind alike, parentheses are not told from none.
            let regrouped = |side: &Expr| matches!(&side.kind, ExprKind::Binary { op: own, .. } if own == op);
            if matches!(op, BinaryOp::And | BinaryOp::Or) && regrouped(right) {
                return None;
            }
            qualify(left, seen)?;
            qualify(right, seen)?;
        }
        ExprKind::IsDistinctFrom { left, right, .. } => {
            qualify(left, seen)?;
            qualify(right, seen)?;
        }
        ExprKind::Between { expr, low, high, .. } => {
            qualify(expr, seen)?;
            qualify(low, seen)?;
            qualify(high, seen)?;
        }
        ExprKind::InList { expr, list, .. } => {
            qualify(expr, seen)?;
            list.iter_mut().try_for_each(|item| qualify(item, seen))?;
        }
        ExprKind::Like { expr, pattern, escape: None, .. } => {
            qualify(expr, seen)?;
            qualify(pattern, seen)?;
        }
        ExprKind::Case { operand: None, branches, otherwise } => {
            for (condition, value) in branches {
                qualify(condition, seen)?;
                qualify(value, seen)?;
            }
            otherwise.iter_mut().try_for_each(|value| qualify(value, seen))?;
        }
        ExprKind::Function(call) => {
            let plain = call.over.is_none()
                && call.filter.is_none()
                && call.order_by.is_empty()
                && call.within_group.is_empty()
                && call.ignore_nulls.is_none();
            if !plain {
                return None;
            }
            for arg in &mut call.args {
                match &mut arg.value {
                    ArgValue::Expr(expr) => qualify(expr, seen)?,
                    ArgValue::Star => {}
                    _ => return None,
                }
            }
        }
        _ => return None,
    }
    Some(())
}
