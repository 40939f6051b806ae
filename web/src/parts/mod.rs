//! All components with made-up data, to look at them by themselves: `cargo xtask parts`. Not part of the site.

mod made_up;

use std::cell::RefCell;
use std::rc::Rc;

use tidegate_protocol::FrameRequest;
use yew::prelude::*;

use crate::app::Desk;
use crate::costs::FiguresView;
use crate::dataflow::DataflowPanel;
use crate::engine::Link;
use crate::guarantees::{AmountsView, BatchesView, OutcomeView};
use crate::header::Header;
use crate::inputs::InputsPanel;
use crate::query::QueryPanel;
use crate::results::ResultsPanel;
use crate::state::{Action, Page, Phase, Tab};
use crate::transport::TransportBar;

/// Properties of [`Part`].
#[derive(Properties, PartialEq)]
struct Props {
    name: AttrValue,
    /// Width and height in px.
    size: (u32, u32),
    /// What the page looks like there.
    actions: Rc<Vec<fn() -> Action>>,
    children: Html,
}

/// A component in a frame of its own, with a state of its own.
#[component(Part)]
fn part(props: &Props) -> Html {
    let page = use_reducer(Page::new);
    {
        let page = page.dispatcher();
        use_effect_with(props.actions.clone(), move |actions| {
            actions.iter().for_each(|action| page.dispatch(action()))
        });
    }
    let link = use_memo((), |()| Link::idle());
    let wanted = Rc::new(RefCell::new(FrameRequest::default()));
    let desk = Desk { page, link: (*link).clone(), wanted, runs: Rc::default() };
    let (width, height) = props.size;
    html! {
        <ContextProvider<Desk> context={desk}>
            <h3>{&props.name}</h3>
            <div class="part region" style={format!("width:{width}px;height:{height}px")}>{props.children.clone()}</div>
        </ContextProvider<Desk>>
    }
}

/// The page of parts.
#[component(Parts)]
pub fn parts() -> Html {
    fn running() -> Action {
        Action::Running(made_up::SQL.into(), None, Vec::new(), Vec::new(), None)
    }
    fn aligning() -> Action {
        Action::Frame(Box::new(made_up::frame(2, 2, true)))
    }
    fn many() -> Action {
        Action::Frame(Box::new(made_up::frame(4, 10, true)))
    }
    fn past() -> Action {
        Action::Frame(Box::new(made_up::past()))
    }
    fn failed() -> Action {
        Action::Frame(Box::new(made_up::failed()))
    }
    fn no_query() -> Action {
        Action::Frame(Box::new(made_up::no_query()))
    }
    let list = |actions: &[fn() -> Action]| Rc::new(actions.to_vec());
    let quiet = list(&[running, aligning]);
    let tab = |name: &'static str, show: fn() -> Action| {
        html! { <Part {name} size={(780, 320)} actions={list(&[running, aligning, show])}><ResultsPanel /></Part> }
    };
    html! {
        <div class="parts-page">
            <Part name="Head" size={(1200, 60)} actions={quiet.clone()}><Header /></Part>
            <Part name="Head: in memory, with a message" size={(1200, 60)} actions={list(&[running, aligning,
                || Action::Storage(false, Some("denied".into())), || Action::Message(Some("Resumed from checkpoint 3.".into()))])}><Header /></Part>
            <Part name="Head: the engine has died" size={(1200, 220)} actions={list(&[running, aligning,
                || Action::Phase(Phase::Dead("TG9005".into(), "The engine stopped: memory ran out".into()))])}><Header /></Part>
            <Part name="Query, with an error" size={(520, 320)} actions={list(&[running, aligning, || Action::Text(made_up::WRONG.into()),
                || Action::Checked(made_up::WRONG.into(), made_up::problems())])}><QueryPanel /></Part>
            <Part name="Query, with a text that was not run before the reload" size={(520, 200)} actions={list(&[running, aligning,
                || Action::Draft(made_up::WRONG.into())])}><QueryPanel /></Part>
            <Part name="Query, without a query" size={(520, 200)} actions={list(&[running, no_query])}><QueryPanel /></Part>
            <Part name="Inputs" size={(520, 320)} actions={quiet.clone()}><InputsPanel /></Part>
            <Part name="Dataflow: boxes, aligning" size={(830, 320)} actions={quiet.clone()}><DataflowPanel /></Part>
            <Part name="Dataflow: cards, ten operators at parallelism 4" size={(830, 320)} actions={list(&[running, many])}><DataflowPanel /></Part>
            <Part name="Dataflow: chips" size={(344, 560)} actions={quiet.clone()}><DataflowPanel /></Part>
            {tab("Changelog and dynamic table", || Action::Tab(Tab::Changelog))}
            <Part name="Results: a job that has failed, beside another" size={(780, 320)} actions={list(&[running, failed])}><ResultsPanel /></Part>
            {tab("State", || Action::Tab(Tab::State))}
            {tab("Batch", || Action::Tab(Tab::Batch))}
            {tab("Checkpoints", || Action::Tab(Tab::Checkpoints))}
            {tab("Sink", || Action::Tab(Tab::Sink))}
            {tab("Commit", || Action::Tab(Tab::Commit))}
            {tab("Faults", || Action::Tab(Tab::Faults))}
            <Part name="Guarantees: one of nine" size={(400, 260)} actions={list(&[running, aligning])}>
                <OutcomeView columns={made_up::bill_columns()} outcome={made_up::outcome()} /></Part>
            <Part name="The bill service, half-way" size={(780, 520)} actions={list(&[running, aligning])}>
                <div class="bills"><AmountsView accounts={made_up::bills().accounts} /><BatchesView frame={made_up::bills()} /></div></Part>
            <Part name="Modes of checkpoints" size={(1100, 360)} actions={list(&[running, aligning])}>
                <div class="costs"><FiguresView frame={made_up::costs()} /></div></Part>
            {tab("Plan", || Action::Tab(Tab::Plan))}
            <Part name="Transport" size={(1200, 60)} actions={quiet}><TransportBar /></Part>
            <Part name="Transport, in the past" size={(1200, 100)} actions={list(&[running, past])}><div class="at-the-foot"><TransportBar /></div></Part>
        </div>
    }
}
