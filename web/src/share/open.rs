//! Opening a run that was handed on.

use tidegate_protocol::{Answer, Command};
use wasm_bindgen::prelude::*;
use yew::prelude::*;

use super::browser::{forget_run, on_run, run_in_address};
use crate::app::Desk;
use crate::state::Action;

/// Opens a run of this text in the place of what runs.
pub fn open(desk: &Desk, text: String) {
    let desk = desk.clone();
    desk.act(Action::Message(Some("Opening the run…".to_owned())));
    let link = desk.link.clone();
    link.send(Command::Open { text }, move |answer| match answer {
        Answer::Running { sql, name, problems, notes, resumed } => {
            desk.act(Action::Running(sql, name, problems, notes, resumed));
        }
        Answer::Failed { code, message } => refused(&desk, format!("{code}: {message}")),
        Answer::Checked { problems } => {
            let first = problems.first().map_or_else(String::new, |problem| problem.message.clone());
            refused(&desk, format!("The script of this run has an error: {first}"));
        }
        _ => {}
    });
}

/// What runs goes on; where nothing does, nothing begins in its place, and the address stays for whoever wants to mend it.
fn refused(desk: &Desk, why: String) {
    desk.act(Action::Message(Some(why)));
}

/// Opens the run in the page's address, if there is one. True then.
pub fn open_from_address(desk: &Desk) -> bool {
    let Some(text) = run_in_address() else { return false };
    open(desk, text);
    true
}

/// Watches the address: a link to a run may be put into it while the page is open.
#[hook]
pub fn use_links(desk: &Desk) {
    let desk = desk.clone();
    // Once something runs, a reload resumes that.
    use_effect_with(desk.page.running.is_some(), |running| {
        if *running {
            forget_run();
        }
    });
    use_effect_with((), move |()| {
        let callback = Closure::<dyn FnMut()>::new(move || {
            open_from_address(&desk);
            forget_run();
        });
        on_run(&callback);
        // It lives as long as the page.
        callback.forget();
    });
}
