//! Every mode in one table: its chart, and its figures with a bar each, as long as the figure is beside those of the others.

use tidegate_protocol::{CostCheckpoint, CostLane, CostsFrame};
use yew::prelude::*;

use super::lane::LaneView;
use super::{median, mode_name};
use crate::ui::{bytes, count};

/// Properties of [`FiguresView`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// All modes.
    pub frame: CostsFrame,
}

/// A figure of a mode: what stands in its cell, and how long its bar is.
type Figure = (String, Option<u64>);

/// The table.
#[component(FiguresView)]
pub fn figures_view(props: &Props) -> Html {
    let lanes = &props.frame.lanes;
    let longest = lanes.iter().flat_map(|lane| lane.latencies.iter().flatten()).copied().max().unwrap_or(0);
    // A round number, so that the scale does not change with every row.
    let top = [20, 50, 100, 200, 500, 1_000, 2_000, 4_000].into_iter().find(|top| *top >= longest).unwrap_or(8_000);
    let rows: Vec<Vec<Figure>> = lanes.iter().map(figures).collect();
    let most = |column: usize| rows.iter().filter_map(|row| row[column].1).max().unwrap_or(0).max(1);
    html! {
        <div class="scroll" tabindex="0" role="region" aria-label="Figures of every mode">
            <table class="modes" id="modes">
                <thead><tr>
                    <th scope="col">{"mode"}</th>
                    <th scope="col" class="wide">{format!("latency of rows, up to {top} ms")}</th>
                    <th scope="col" title="The median, and what 99 of 100 rows stay within">{"latency p50 · p99"}</th>
                    <th scope="col" title="The longest that an input stood still for a checkpoint: the median of all checkpoints, and the most">{"blocked"}</th>
                    <th scope="col" title="Elements behind a barrier; unaligned: overtaken and kept; stop the world: rows that waited outside">{"queued"}</th>
                    <th scope="col">{"bytes"}</th>
                    <th scope="col">{"to complete"}</th>
                </tr></thead>
                <tbody>{ for lanes.iter().zip(&rows).enumerate().map(|(place, (lane, figures))| {
                    let (name, says) = mode_name(&lane.mode);
                    html! {
                        <tr key={lane.mode.clone()} data-mode={lane.mode.clone()} data-checkpoints={lane.checkpoints.len().to_string()}>
                            <th scope="row"><span>{name}</span><small class="mute">{says}</small></th>
                            <td class="wide"><LaneView frame={props.frame.clone()} {place} {top} /></td>
                            { for figures.iter().enumerate().map(|(column, (text, figure))| html! {
                                <td><span class="figure">{text}</span>
                                    <i class="bar" aria-hidden="true" style={format!("width:{:.1}%", figure.unwrap_or(0) as f64 * 100.0 / most(column) as f64)}></i></td>
                            }) }
                        </tr>
                    }
                }) }</tbody>
            </table>
        </div>
    }
}

/// A mode's figures, column by column.
fn figures(lane: &CostLane) -> Vec<Figure> {
    let of = |figure: fn(&CostCheckpoint) -> u64, text: fn(u64) -> String| {
        let all: Vec<u64> = lane.checkpoints.iter().map(figure).collect();
        let most = all.iter().copied().max();
        match (median(all), most) {
            (Some(median), Some(most)) if most > median => {
                (format!("{} · ≤ {}", text(median), text(most)), Some(median))
            }
            (Some(median), _) => (text(median), Some(median)),
            _ => ("–".to_owned(), None),
        }
    };
    let latency = match lane.latency {
        Some((median, most)) => (format!("{median} · {most} ms"), Some(most)),
        None => ("–".to_owned(), None),
    };
    let ms = |ms: u64| format!("{} ms", count(ms));
    vec![
        latency,
        of(|one| one.blocked, ms),
        of(|one| one.queued, count),
        of(|one| one.bytes, bytes),
        of(|one| one.took, ms),
    ]
}
