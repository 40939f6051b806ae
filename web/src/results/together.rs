//! A result's changelog and table, and another job's result where that is wanted: as many as there is room for.

use yew::prelude::*;

use super::beside::BesideView;
use super::changelog::ChangelogView;
use super::table::TableView;
use crate::app::Desk;
use crate::ui::use_size;

/// px from which all three have room beside each other; below, the table makes room for the other job.
const ROOM_FOR_THREE: f64 = 960.0;

/// The ways to see a result that are shown at once.
#[component(Together)]
pub fn together() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let node = use_node_ref();
    let (width, _) = use_size(&node);
    let page = &*desk.page;
    let beside = page.beside_job().is_some();
    let three = beside && width >= ROOM_FOR_THREE;
    html! {
        <div ref={node} class={classes!("pair", three.then_some("three"))}>
            <ChangelogView key={format!("changelog {}", page.result)} />
            if !beside || three { <TableView key={format!("table {}", page.result)} /> }
            if beside { <BesideView key="beside" /> }
        </div>
    }
}
