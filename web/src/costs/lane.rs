//! The run of one mode as a small chart: how long rows were on their way, and the checkpoints that were made meanwhile.

use tidegate_protocol::{CostLane, CostsFrame};
use yew::prelude::*;

use super::mode_name;

/// Height of a chart in units of its own; its width is one unit per ms of the run.
const HEIGHT: f64 = 100.0;

/// Properties of [`LaneView`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// All modes, of which this is one.
    pub frame: CostsFrame,
    /// Which.
    pub place: usize,
    /// What the top of each chart stands for, ms: the same for all.
    pub top: u64,
}

/// The chart.
#[component(LaneView)]
pub fn lane_view(props: &Props) -> Html {
    let CostsFrame { now, length, part, lanes, .. } = &props.frame;
    let Some(lane) = lanes.get(props.place) else { return Html::default() };
    let y = |ms: u64| HEIGHT - HEIGHT * ms.min(props.top) as f64 / props.top.max(1) as f64;
    let band = |class: &'static str, from: u64, lasts: u64| {
        html! { <rect class={class} x={from.to_string()} y="0" width={lasts.max(8).to_string()} height={HEIGHT.to_string()} /> }
    };
    let (name, _) = mode_name(&lane.mode);
    let points = lane.latencies.iter().enumerate().filter_map(|(place, ms)| {
        let x = place as u64 * part + part / 2;
        ms.filter(|_| x <= *now).map(|ms| format!("{x},{:.1}", y(ms)))
    });
    html! {
        <svg class="lane" viewBox={format!("0 0 {length} {HEIGHT}")} preserveAspectRatio="none" role="img" aria-label={format!("{name}: {}", says(lane))}>
            <line class="half" x1="0" x2={length.to_string()} y1={(HEIGHT / 2.0).to_string()} y2={(HEIGHT / 2.0).to_string()} />
            { for lane.checkpoints.iter().map(|one| band("took", one.at, one.took)) }
            { for lane.under_way.map(|at| band("took open", at, now.saturating_sub(at))) }
            { for lane.checkpoints.iter().filter(|one| one.blocked > 0).map(|one| html! {
                <rect class="blocked" x={one.at.to_string()} y={(HEIGHT - 12.0).to_string()} width={one.blocked.max(8).to_string()} height="12" />
            }) }
            <polyline class="latency" points={points.collect::<Vec<_>>().join(" ")} />
        </svg>
    }
}

/// The chart in words.
fn says(lane: &CostLane) -> String {
    let longest = lane.latencies.iter().flatten().max();
    let took = lane.checkpoints.iter().map(|one| one.took).max();
    let rows = longest
        .map_or("no row has come out yet".to_owned(), |ms| format!("rows were on their way for {ms} ms at the most"));
    let made = match (lane.checkpoints.len(), took) {
        (0, _) | (_, None) => "no checkpoint yet".to_owned(),
        (1, Some(took)) => format!("1 checkpoint, which took {took} ms"),
        (count, Some(took)) => format!("{count} checkpoints, which took {took} ms at the most"),
    };
    format!("{rows}; {made}")
}
