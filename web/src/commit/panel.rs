//! The view of a two-phase commit: its steps, its transactions, and the sink as a committed and an uncommitted reader sees it.

use yew::prelude::*;

use super::countdown::Countdown;
use super::moments::Moments;
use super::transactions::Transactions;
use crate::app::Desk;
use crate::results::SinkView;
use crate::state::Phase;

/// Two-phase commit of the chosen job.
#[component(CommitView)]
pub fn commit_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let page = &*desk.page;
    let layout = page.layout.as_ref().and_then(|layout| layout.jobs.get(page.job));
    let frame = page.frame.as_ref().and_then(|frame| frame.job.as_ref());
    let (Some(layout), Some(frame)) = (layout, frame) else {
        return Html::default();
    };
    let state = page.frame.as_ref().and_then(|frame| frame.jobs.get(page.job)).map_or("", |job| job.state.as_str());
    let not = match (page.phase == Phase::Live && !page.stale, state) {
        (true, "RUNNING") => None,
        (true, _) => Some("the job does not run"),
        (false, _) => Some("the engine is starting"),
    };
    html! {
        <div class="commit pair even">
            <div class="scroll" tabindex="0" role="region" aria-label="Two-phase commit, step by step">
                <Countdown frame={frame.clone()} {not} />
                <Moments frame={frame.clone()} {not} />
                <Transactions layout={layout.clone()} transactions={frame.transactions.clone()} />
            </div>
            <SinkView />
        </div>
    }
}
