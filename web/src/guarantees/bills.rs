//! The bill service twice: as it is today, in batches, and as a streaming job; the same log, the same duplicates, the same crash.

use std::cell::Cell;
use std::rc::Rc;

use tidegate_protocol::{Answer, BillsCommand, BillsFrame, Command};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use yew::prelude::*;

use super::amounts::AmountsView;
use super::batches::BatchesView;
use crate::app::Desk;
use crate::examples::BILLS;
use crate::state::{Action, Phase};
use crate::ui::{count, value_of_select};

/// Time between two ticks while it runs, ms.
const PACE: i32 = 120;

/// What a run is begun with: seed, rows of a batch, the batch half-way through which both crash.
type Chosen = (u32, u32, u32);

/// The line to the two services.
#[derive(Clone)]
struct Line {
    desk: Desk,
    frame: UseStateSetter<Option<BillsFrame>>,
    /// Whether it goes on by itself, and which of its goings-on that is.
    runs: UseStateSetter<bool>,
    number: Rc<Cell<u32>>,
}

impl Line {
    /// Carries out a command, and shows how both stand then.
    fn send(&self, command: BillsCommand) {
        let line = self.clone();
        self.desk.link.send(Command::Bills(command), move |answer| {
            line.show(answer);
        });
    }

    /// Gives whether both are done.
    fn show(&self, answer: Answer) -> bool {
        match answer {
            Answer::Bills(frame) => {
                let done = frame.done;
                self.frame.set(Some(*frame));
                return done;
            }
            Answer::Failed { code, message } => {
                self.desk.act(Action::Message(Some(format!("{code}: {message}"))));
            }
            _ => {}
        }
        true
    }

    /// A tick, and after a while the next one, until both are done or somebody stops it.
    fn go_on(&self, of: u32) {
        let line = self.clone();
        self.desk.link.send(Command::Bills(BillsCommand::On { ticks: 1 }), move |answer| {
            if line.number.get() != of {
                return;
            }
            if line.show(answer) {
                line.runs.set(false);
                return;
            }
            let next = Closure::once_into_js(move || {
                if line.number.get() == of {
                    line.go_on(of);
                }
            });
            if let Some(window) = web_sys::window() {
                let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(next.unchecked_ref(), PACE);
            }
        });
    }
}

/// Both services.
#[component(BillsView)]
pub fn bills_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let chosen = use_state_eq::<Chosen, _>(|| (1, 4, 2));
    let frame = use_state_eq(|| None::<BillsFrame>);
    let runs = use_state_eq(|| false);
    let number = use_memo((), |()| Rc::new(Cell::new(0u32)));
    let live = desk.page.phase == Phase::Live;
    let line = Line { desk, frame: frame.setter(), runs: runs.setter(), number: (*number).clone() };
    {
        let line = line.clone();
        use_effect_with((*chosen, live), move |((seed, batch, crash_in), live)| {
            // Whatever went on is over.
            line.number.set(line.number.get() + 1);
            line.runs.set(false);
            if *live {
                let (seed, batch, crash_in) = (*seed, *batch, *crash_in);
                line.send(BillsCommand::Begin { sql: BILLS.to_owned(), seed, batch, crash_in });
            }
        });
    }
    {
        let number = number.clone();
        use_effect_with((), move |()| move || number.set(number.get() + 1));
    }
    let (seed, batch, crash_in) = *chosen;
    let choose = |change: fn(Chosen, u32) -> Chosen| {
        let chosen = chosen.clone();
        Callback::from(move |event: Event| {
            chosen.set(change(*chosen, value_of_select(&event).parse().unwrap_or_default()));
        })
    };
    let another = {
        let chosen = chosen.clone();
        Callback::from(move |_: MouseEvent| chosen.set((seed + 1, batch, crash_in)))
    };
    let again = {
        let line = line.clone();
        Callback::from(move |_: MouseEvent| {
            line.number.set(line.number.get() + 1);
            line.runs.set(false);
            line.send(BillsCommand::Begin { sql: BILLS.to_owned(), seed, batch, crash_in });
        })
    };
    let run = {
        let (line, runs) = (line.clone(), *runs);
        Callback::from(move |_: MouseEvent| {
            line.number.set(line.number.get() + 1);
            line.runs.set(!runs);
            if !runs {
                line.go_on(line.number.get());
            }
        })
    };
    let tell = |command: BillsCommand| {
        let line = line.clone();
        Callback::from(move |_: MouseEvent| line.send(command.clone()))
    };
    let done = frame.as_ref().is_some_and(|frame| frame.done);
    let ready = live && frame.is_some();
    html! {
        <div class="bills" id="bills" data-input={seed.to_string()}>
            <p class="label mute">{"The same payments, duplicates and crash for both. Today’s service reads a batch after the last recorded offset, drops what is twice within the batch, writes row after row, and records the offset when all is written. The streaming job is the example “A bill service”."}</p>
            <p class="choices">
                <button class={classes!("small", (!*runs && !done).then_some("primary"))} id="bills-run" disabled={!ready || done} onclick={run}>{if *runs { "Pause" } else { "Run" }}</button>
                <button class="small" id="bills-step" disabled={!ready || *runs || done} title="The service does one thing, the job works off a few elements"
                    onclick={tell(BillsCommand::On { ticks: 1 })}>{"Step"}</button>
                <button class="small danger" id="bills-crash" disabled={!ready} title="The service and the job, at once" onclick={tell(BillsCommand::Crash)}>{"Crash both"}</button>
                <button class="small" id="bills-pay" disabled={!ready} onclick={tell(BillsCommand::Pay)}>{"New payment"}</button>
                <button class="small" id="bills-again" disabled={!ready} title="The payment that came last comes once more" onclick={tell(BillsCommand::Again)}>{"Last one again"}</button>
                <button class="small" id="bills-restart" disabled={!ready} onclick={again}>{"From the start"}</button>
            </p>
            <p class="choices">
                <select id="bills-batch" aria-label="Rows of a batch" onchange={choose(|(seed, _, crash), batch| (seed, batch, crash))}>
                    { for [3u32, 4, 6, 10].map(|rows| html! { <option value={rows.to_string()} selected={rows == batch}>{format!("batches of {rows}")}</option> }) }
                </select>
                <select id="bills-crash-in" aria-label="When both crash" onchange={choose(|(seed, batch, _), crash| (seed, batch, crash))}>
                    { for (0u32..4).map(|place| html! {
                        <option value={place.to_string()} selected={place == crash_in}>{ match place {
                            0 => "crash by hand only".to_owned(),
                            place => format!("crash half-way through batch {place}"),
                        } }</option>
                    }) }
                </select>
                <button class="small" id="bills-another" disabled={!live} onclick={another}>{"Another input"}</button>
                <span class="mute">{format!("input {seed}")}</span>
            </p>
            if let Some(frame) = &*frame {
                <p class="label" id="bills-say">{says(frame)}</p>
                <p class="label verdict" role="status">{ if frame.done { verdict(frame) } else { Html::default() } }</p>
                <AmountsView accounts={frame.accounts.clone()} />
                <BatchesView frame={frame.clone()} />
                <details class="label"><summary>{"The streaming job"}</summary><pre>{BILLS}</pre></details>
            }
        </div>
    }
}

/// How both stand, in a sentence.
fn says(frame: &BillsFrame) -> String {
    let all = frame.payments.len() as u64;
    let read: u64 = frame.read.iter().sum();
    let checkpoints = if frame.checkpoints == 1 { "checkpoint" } else { "checkpoints" };
    let service = if frame.done { "has recorded all".to_owned() } else { frame.next.clone() };
    format!(
        "Tick {} · {all} payments in the log, {} different · the service {service} · the job is {}, has read {} and completed {} {checkpoints}",
        frame.tick,
        frame.distinct,
        frame.state,
        count(read),
        frame.checkpoints
    )
}

/// What both have come to.
fn verdict(frame: &BillsFrame) -> Html {
    let wrong = frame.accounts.iter().filter(|account| !account.right.0).count();
    let job = frame.accounts.iter().filter(|account| !account.right.1).count();
    let of = |wrong: usize| match wrong {
        0 => html! { <b class="right">{"all amounts right"}</b> },
        1 => html! { <b class="wrong">{"1 amount wrong"}</b> },
        wrong => html! { <b class="wrong">{format!("{wrong} amounts wrong")}</b> },
    };
    html! { <><span>{"Today’s service: "}{of(wrong)}</span><span>{"Streaming job: "}{of(job)}</span></> }
}
