//! Top-N, deduplication, ORDER BY and LIMIT as physical nodes: which changes they yield, how they follow those of their input, and
//! what the job makes of them.

use tidegate_data::Value;
use tidegate_expr::{AggregateCall, AggregateFunction};

use crate::convert::Converter;
use crate::logical::{AggFunction, Rel, RelOp};
use crate::monotonicity::{Monotonicity, columns};
use crate::over::{Bound, OverFunction, OverGroup, Rank, Sort, SortColumn};
use crate::phys::{Changes, Phys, PhysKind, RankStrategy, Updates, WindowRank};
use crate::physical::{NodeKind, OverFrame};
use crate::rex::{Rex, evaluate};
use crate::upsert_keys::{sorted, upsert_keys};
use crate::window::window_columns;

impl Converter<'_> {
    /// The physical node of a window function, a rank or a sort.
    pub(crate) fn ordered(&self, rel: Rel) -> Phys {
        let schema = rel.schema.clone();
        let op = rel.op.clone();
        if let RelOp::Rank(rank) = &op
            && let Some(columns) = window_columns(rel.input())
            && columns.is_grouped(&rank.partition)
        {
            let of = |columns: &[usize]| rank.partition.iter().copied().find(|key| columns.contains(key));
            let (Some(start), Some(end)) = (of(&columns.start), of(&columns.end)) else { return self.rel(rel) };
            let ranked = WindowRank {
                bounds: (start, end),
                partition: rank.partition.iter().copied().filter(|key| !columns.contains(*key)).collect(),
                order: rank.order.clone(),
                start: rank.start,
                end: rank.end.unwrap_or(u64::MAX),
                with_rank: rank.with_rank,
                window: columns.window,
            };
            let input = self.rel(rel.into_input()).exchange_by(&ranked.partition);
            return Phys::new(PhysKind::WindowRank(ranked), vec![input], schema);
        }
        let input = self.rel(rel.into_input());
        let strategy = RankStrategy::Undefined;
        let (keys, kind) = match op {
            RelOp::Over(groups) => {
                // Checked before: it is one.
                let Some(group) = groups.into_iter().next() else { return input };
                (group.partition.clone(), PhysKind::OverAggregate(group))
            }
            RelOp::Rank(Rank { partition, order, start, end, with_rank, .. }) => {
                let end = end.unwrap_or(u64::MAX);
                (partition.clone(), PhysKind::Rank { partition, order, start, end, with_rank, strategy })
            }
            RelOp::Sort(Sort { order, offset, fetch }) => {
                let kind = match fetch {
                    Some(fetch) => PhysKind::SortLimit { order, offset: offset.unwrap_or(0), fetch, strategy },
                    None => PhysKind::TemporalSort(order),
                };
                (Vec::new(), kind)
            }
            _ => return input,
        };
        Phys::new(kind, vec![input.exchange_by(&keys)], schema)
    }
}

/// One row per key by time: its time column, and whether the last row is kept. `input` is only added to.
pub fn deduplication(kind: &PhysKind, input: &Phys) -> Option<(SortColumn, bool)> {
    let PhysKind::Rank { order, start: 1, end: 1, with_rank: false, .. } = kind else { return None };
    let [time] = order.as_slice() else { return None };
    let ty = &input.schema.fields[time.column].ty;
    ((ty.is_rowtime() || ty.is_proctime()) && input.changes.is_insert_only()).then_some((*time, time.descending))
}

/// The first or the last row of each window by event time: its column, and whether the last row is kept.
pub fn window_deduplication(rank: &WindowRank, input: &Phys) -> Option<(usize, bool)> {
    let [time] = rank.order.as_slice() else { return None };
    let single = rank.start == 1 && rank.end == 1 && !rank.with_rank;
    (single && input.schema.fields[time.column].ty.is_rowtime()).then_some((time.column, time.descending))
}

/// The order without processing time: it has no value before something reads it, so that arrival decides, as in Flink.
fn without_proctime(order: &[SortColumn], input: &Phys) -> Vec<SortColumn> {
    order.iter().copied().filter(|key| !input.schema.fields[key.column].ty.is_proctime()).collect()
}

/// The changes that a Top-N yields.
pub fn changes(kind: &PhysKind, input: &Phys) -> Changes {
    let appends = input.changes.is_insert_only();
    let first = match kind {
        PhysKind::SortLimit { order, .. } => order.is_empty(),
        PhysKind::Rank { .. } => deduplication(kind, input).is_some_and(|(_, keep_last)| !keep_last),
        _ => false,
    };
    if appends && first { Changes::INSERT } else { Changes::ALL }
}

/// Whether a window's rows are ordered by time.
pub fn by_time(group: &OverGroup, input: &Phys) -> bool {
    group.order.first().is_some_and(|key| {
        let ty = &input.schema.fields[key.column].ty;
        ty.is_rowtime() || ty.is_proctime()
    })
}

/// The changes that window functions yield.
pub fn over_changes(group: &OverGroup, input: &Phys) -> Changes {
    if by_time(group, input) { Changes::INSERT } else { Changes::ALL }
}

/// How a Top-N may follow its input, best first (Flink's `RankProcessStrategy.analyzeRankProcessStrategies`).
pub fn strategies(node: &Phys) -> Vec<RankStrategy> {
    let (partition, order): (&[usize], &[SortColumn]) = match &node.kind {
        PhysKind::Rank { partition, order, .. } => (partition, order),
        PhysKind::SortLimit { order, .. } => (&[], order),
        _ => return Vec::new(),
    };
    let input = node.input();
    if input.changes.is_insert_only() {
        return vec![RankStrategy::AppendFast];
    }
    let key = upsert_keys(input)
        .into_iter()
        .filter(|key| partition.iter().all(|column| key.contains(column)))
        .min_by_key(Vec::len);
    let (Some(key), Some(columns), false) = (key, columns(input), order.is_empty()) else {
        return vec![RankStrategy::Retract];
    };
    let upwards = order.iter().all(|sort| match columns[sort.column] {
        Monotonicity::Constant => true,
        Monotonicity::Increasing => sort.descending,
        Monotonicity::Decreasing => !sort.descending,
        Monotonicity::None => false,
    });
    match upwards {
        true => vec![RankStrategy::UpdateFast(key), RankStrategy::Retract],
        false => vec![RankStrategy::Retract],
    }
}

/// The node with its strategy.
pub fn with_strategy(mut node: Phys, chosen: RankStrategy) -> Phys {
    if let PhysKind::Rank { strategy, .. } | PhysKind::SortLimit { strategy, .. } = &mut node.kind {
        *strategy = chosen;
    }
    node
}

/// The upsert keys of a rank.
pub fn upsert_keys_of(node: &Phys) -> Vec<Vec<usize>> {
    let PhysKind::Rank { partition, start, end, with_rank, .. } = &node.kind else { return Vec::new() };
    let mut keys = Vec::new();
    if *start == 1 && *end == 1 {
        keys.push(sorted(partition.clone()));
    } else if *with_rank {
        keys.push(sorted(partition.iter().copied().chain([node.schema.fields.len() - 1]).collect()));
    }
    for key in upsert_keys(node.input()) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// What the job is made of.
pub fn lower(node: &Phys) -> NodeKind {
    let emit_update_before = node.updates == Updates::Both;
    let input = node.input();
    match &node.kind {
        PhysKind::Rank { partition, order, start, end, with_rank, strategy } => {
            match deduplication(&node.kind, input) {
                Some((time, keep_last)) => NodeKind::Deduplicate {
                    keys: partition.clone(),
                    rowtime: input.schema.fields[time.column].ty.is_rowtime().then_some(time.column),
                    keep_last,
                    emit_update_before,
                },
                None => NodeKind::TopN {
                    partition: partition.clone(),
                    order: without_proctime(order, input),
                    start: *start,
                    end: *end,
                    with_rank: *with_rank,
                    strategy: strategy.clone(),
                    emit_update_before,
                },
            }
        }
        PhysKind::SortLimit { order, offset, fetch, strategy } => NodeKind::TopN {
            partition: Vec::new(),
            order: without_proctime(order, input),
            start: offset + 1,
            end: offset.saturating_add(*fetch),
            with_rank: false,
            strategy: strategy.clone(),
            emit_update_before,
        },
        PhysKind::TemporalSort(order) => NodeKind::TemporalSort { order: without_proctime(order, input) },
        PhysKind::OverAggregate(group) => over(group, node),
        PhysKind::WindowRank(rank) => NodeKind::WindowTopN {
            end_column: rank.bounds.1,
            event_time: rank.window.event_time,
            partition: rank.partition.clone(),
            order: without_proctime(&rank.order, input),
            start: rank.start,
            end: rank.end,
            with_rank: rank.with_rank,
            newest_first: window_deduplication(rank, input).is_some_and(|(_, last)| last),
        },
        _ => NodeKind::Union,
    }
}

fn over(group: &OverGroup, node: &Phys) -> NodeKind {
    let schema = &node.input().schema;
    let width = schema.fields.len();
    let mut constants = Vec::new();
    let aggregates = group.calls.iter().zip(&node.schema.fields[width..]).map(|(call, field)| {
        let args = match call.function {
            OverFunction::Rank | OverFunction::DenseRank => group.order.iter().map(|key| key.column).collect(),
            _ => {
                let column = |arg: &Rex| match arg.as_column() {
                    Some(column) => column,
                    None => {
                        let value = arg.as_literal().cloned().or_else(|| evaluate(arg)).unwrap_or(Value::Null);
                        constants.push((arg.ty.with_nullable(true), value));
                        width + constants.len() - 1
                    }
                };
                call.args.iter().map(column).collect()
            }
        };
        let (function, ty) = match call.function {
            OverFunction::Aggregate(AggFunction::Sql(function)) => (function, call.ty.clone()),
            // The CASE above it gives NULL where there was nothing to add.
            OverFunction::Aggregate(AggFunction::Sum0) => (AggregateFunction::Sum, call.ty.with_nullable(true)),
            OverFunction::Lag => (AggregateFunction::Lag, call.ty.clone()),
            OverFunction::Rank => (AggregateFunction::Rank, call.ty.clone()),
            OverFunction::DenseRank => (AggregateFunction::DenseRank, call.ty.clone()),
            // The number of rows so far; what cannot stream was refused before.
            _ => (AggregateFunction::Count, call.ty.clone()),
        };
        AggregateCall { function, args, filter: None, distinct: call.distinct, ty, name: field.name.clone() }
    });
    let aggregates = aggregates.collect();
    if !by_time(group, node.input()) {
        return NodeKind::OverNonTime {
            partition: group.partition.clone(),
            order: group.order.clone(),
            rows: group.frame.rows,
            aggregates,
            constants,
            emit_update_before: node.updates == Updates::Both,
        };
    }
    let rowtime = group.order.first().map(|key| key.column).filter(|&column| schema.fields[column].ty.is_rowtime());
    NodeKind::OverAggregate {
        partition: group.partition.clone(),
        rowtime,
        frame: match (group.frame.rows, group.frame.start) {
            (true, Bound::Preceding(n)) => OverFrame::Rows(n.max(0) as u64),
            (true, Bound::CurrentRow) => OverFrame::Rows(0),
            (false, Bound::Preceding(n)) => OverFrame::Range(n),
            (false, Bound::CurrentRow) => OverFrame::Range(0),
            (true, _) => OverFrame::UnboundedRows,
            (false, _) => OverFrame::UnboundedRange,
        },
        aggregates,
        constants,
    }
}
