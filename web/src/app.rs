//! The root: holds the page's state, the line to the engine and the frame loop.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tidegate_protocol::{Answer, CheckpointFrame, Command, FrameRequest, Problem, StatementNote, Transport};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use yew::prelude::*;

use crate::dataflow::DataflowPanel;
use crate::embed::{first_example, use_embed};
use crate::engine::{Link, LinkEvent, keep_draft, kept_draft};
use crate::examples::{EXAMPLES, nexmark_name};
use crate::header::Header;
use crate::inputs::InputsPanel;
use crate::query::{QueryPanel, rates};
use crate::results::ResultsPanel;
use crate::share::{open_from_address, use_links};
use crate::state::{Action, Page, Phase, Region, Tab};
use crate::transport::TransportBar;
use crate::ui::{Split, Splitter};

/// What every part of the page can reach.
#[derive(Clone)]
pub struct Desk {
    /// The state and the way to change it.
    pub page: UseReducerHandle<Page>,
    /// The line to the engine.
    pub link: Rc<Link>,
    /// What the next frame is to hold.
    pub wanted: Rc<RefCell<FrameRequest>>,
    /// Counts the scripts that were run: what follows from one is not done once another was asked for.
    pub runs: Rc<Cell<u32>>,
}

impl PartialEq for Desk {
    fn eq(&self, other: &Desk) -> bool {
        self.page == other.page
    }
}

impl Desk {
    /// Changes the page.
    pub fn act(&self, action: Action) {
        self.page.dispatch(action);
    }

    /// Sends a command; a refusal becomes the page's message.
    pub fn tell(&self, command: Command) {
        let page = self.page.dispatcher();
        self.link.send(command, move |answer| {
            if let Answer::Failed { code, message } = answer {
                page.dispatch(Action::Message(Some(format!("{code}: {message}"))));
            }
        });
    }

    /// Runs a script; `rates` are set and playing starts once it runs.
    pub fn run(&self, sql: &str, name: Option<String>, rates: Vec<(String, f64)>, speed: Option<f64>) {
        self.begin(Command::Run { sql: sql.to_owned(), name }, sql.into(), rates, speed, None);
    }

    /// Runs the editor's script with the state of a checkpoint of a job, in the way in which it runs now.
    pub fn run_from(&self, job: u32, checkpoint: &CheckpointFrame) {
        let (text, name) = (self.page.text.clone(), self.page.name.clone());
        let kind = if checkpoint.savepoint { "savepoint" } else { "checkpoint" };
        let refused = format!("The script does not fit {kind} {}: the run before goes on.", checkpoint.id);
        let command = Command::RunFrom { sql: text.to_string(), name, job, checkpoint: checkpoint.id };
        self.begin(command, text, rates(&self.page), None, Some(refused));
    }

    /// What runs from now on; `refused` is said where the script has errors.
    fn begin(
        &self,
        command: Command,
        text: Rc<str>,
        rates: Vec<(String, f64)>,
        speed: Option<f64>,
        refused: Option<String>,
    ) {
        let desk = self.clone();
        let number = self.runs.get() + 1;
        self.runs.set(number);
        self.link.send(command, move |answer| {
            let page = desk.page.dispatcher();
            match answer {
                _ if desk.runs.get() != number => {}
                Answer::Running { sql, name, problems, notes, resumed } => {
                    page.dispatch(Action::Running(sql, name, problems, notes, resumed));
                    if let Some(speed) = speed {
                        desk.tell(Command::Transport(Transport::Speed(speed)));
                    }
                    for (table, rate) in rates {
                        desk.tell(Command::Generate { table, rate });
                    }
                    desk.tell(Command::Transport(Transport::Play));
                }
                Answer::Checked { problems } => {
                    page.dispatch(Action::Refused(text, problems));
                    if let Some(refused) = refused {
                        page.dispatch(Action::Message(Some(refused)));
                    }
                }
                Answer::Failed { code, message } => page.dispatch(Action::Message(Some(format!("{code}: {message}")))),
                _ => {}
            }
        });
    }

    /// A workspace is gone on with; what was typed and not run before the page was loaded is back in the editor.
    fn resumed(
        &self,
        sql: String,
        name: Option<String>,
        problems: Vec<Problem>,
        notes: Vec<StatementNote>,
        how: Option<String>,
    ) {
        let draft = kept_draft().filter(|draft| self.page.running.is_none() && *draft != sql);
        let told = draft.as_ref().and(how.as_ref()).map(|how| format!("{how} The editor’s text was not run yet."));
        self.act(Action::Running(sql, name, problems, notes, told.or(how)));
        if let Some(draft) = draft {
            self.act(Action::Draft(draft));
        }
    }

    /// A workspace cannot be gone on with: its script is run afresh, and no text is lost.
    fn not_resumed(&self, sql: String, name: Option<String>, why: &str) {
        let draft = kept_draft().filter(|draft| *draft != sql && !draft.trim().is_empty());
        let (text, name, then) = match (draft, sql.trim().is_empty()) {
            (Some(draft), _) => (draft, None, "the editor’s text runs afresh, without rows and state."),
            (None, false) => (sql, name, "its script runs afresh, without rows and state."),
            (None, true) => (String::new(), None, "its script cannot be read either, so the first example runs."),
        };
        self.act(Action::NotResumed(text, name, format!("{why}: {then}")));
    }

    /// Runs an example.
    pub fn run_example(&self, index: usize) {
        let Some(example) = EXAMPLES.get(index) else {
            return self.run_nexmark(index - EXAMPLES.len());
        };
        self.act(Action::Text(example.sql.to_owned()));
        let rates = example.rates.iter().map(|(table, rate)| ((*table).to_owned(), *rate)).collect();
        self.run(example.sql, Some(example.name.to_owned()), rates, Some(example.speed));
    }

    /// Runs a query of Nexmark, as fast as it goes.
    fn run_nexmark(&self, number: usize) {
        let desk = self.clone();
        self.link.send(Command::Nexmark { number: number as u32 }, move |answer| {
            if let Answer::Script(sql) = answer {
                desk.act(Action::Text(sql.clone()));
                desk.run(&sql, Some(nexmark_name(number)), Vec::new(), Some(f64::INFINITY));
            }
        });
    }
}

/// The page.
#[component(App)]
pub fn app() -> Html {
    let page = use_reducer(Page::new);
    let wanted = use_mut_ref(|| FrameRequest { changelog_limit: 60, table_limit: 60, ..FrameRequest::default() });
    let runs = use_memo((), |()| Cell::new(0));
    let link = {
        let page = page.dispatcher();
        use_memo((), move |()| {
            Link::start(Callback::from(move |event| match event {
                LinkEvent::Ready { resumable } => page.dispatch(Action::Ready(resumable)),
                LinkEvent::Storage { persistent, reason } => page.dispatch(Action::Storage(persistent, reason)),
                LinkEvent::Died(code, message) => page.dispatch(Action::Phase(Phase::Dead(code, message))),
                LinkEvent::OtherBuild => reload_once(&page),
            }))
        })
    };
    let desk = Desk { page: page.clone(), link: (*link).clone(), wanted, runs };

    // Once the engine answers: resume what the workspace holds, or run the first example.
    {
        let desk = desk.clone();
        use_effect_with(page.phase.clone(), move |phase| match phase {
            Phase::Restoring | Phase::Live if desk.page.running.is_none() && open_from_address(&desk) => {}
            Phase::Restoring => {
                let target = desk.clone();
                desk.link.send(Command::Resume, move |answer| match answer {
                    Answer::Running { sql, name, problems, notes, resumed } => {
                        target.resumed(sql, name, problems, notes, resumed)
                    }
                    Answer::NotResumed { sql, name, why } => target.not_resumed(sql, name, &why),
                    Answer::Failed { code, message } => target.act(Action::Phase(Phase::Dead(code, message))),
                    _ => {}
                });
            }
            Phase::Live if desk.page.running.is_some() && !desk.page.afresh => {}
            Phase::Live if desk.page.text.is_empty() => {
                let first = first_example().unwrap_or_else(|asked| {
                    desk.act(Action::Notice(format!("There is no example {asked}: the first one runs.")));
                    0
                });
                desk.run_example(first);
            }
            Phase::Live => match EXAMPLES.iter().position(|example| *example.sql == *desk.page.text) {
                Some(example) => desk.run_example(example),
                None => desk.run(&desk.page.text, desk.page.name.clone(), Vec::new(), None),
            },
            _ => {}
        });
    }
    use_effect_with((page.text.clone(), page.running.clone()), |(text, running)| {
        // Before something runs, nothing is known of what is a draft.
        if running.is_some() && !crate::embed::is_embedded() {
            keep_draft((running.as_ref() != Some(text)).then_some(&**text));
        }
    });
    use_escape(&page);
    use_frames(&desk);
    use_links(&desk);
    use_embed(&desk);

    let live = page.phase == Phase::Live && page.layout.is_some() && !page.stale;
    let split = use_state(Split::default);
    let onsplit = {
        let split = split.setter();
        Callback::from(move |moved| split.set(moved))
    };
    let region = |region: Region| {
        let expanded = page.expanded == Some(region);
        classes!("region", (page.region == region).then_some("shown"), expanded.then_some("expanded"))
    };
    html! {
        <ContextProvider<Desk> context={desk.clone()}>
            <Header />
            <main data-phase={phase_name(&page.phase)} data-live={live.to_string()} class={classes!(page.expanded.map(|_| "one"))}
                style={format!("--left:{:.1}fr;--right:{:.1}fr;--upper:{:.1}fr;--lower:{:.1}fr", split.x, 100.0 - split.x, split.y, 100.0 - split.y)}>
                <section class={region(Region::Query)} aria-label="Query"><QueryPanel /></section>
                <section class={region(Region::Dataflow)} aria-label="Dataflow"><DataflowPanel /></section>
                <section class={region(Region::Inputs)} aria-label="Inputs"><InputsPanel /></section>
                <section class={region(Region::Results)} aria-label="Results"><ResultsPanel /></section>
                <Splitter vertical=true split={*split} onsplit={onsplit.clone()} />
                <Splitter vertical=false split={*split} {onsplit} />
            </main>
            <TransportBar />
        </ContextProvider<Desk>>
    }
}

/// Escape gives an expanded region the size that it had; what is open within it, and closes by Escape, comes first.
#[hook]
fn use_escape(page: &UseReducerHandle<Page>) {
    let target = page.dispatcher();
    use_effect_with(page.expanded.is_some(), move |expanded| {
        let listener = Closure::<dyn FnMut(KeyboardEvent)>::new(move |event: KeyboardEvent| {
            let document = web_sys::window().and_then(|window| window.document());
            let menu = document.and_then(|document| document.query_selector(":popover-open").ok().flatten());
            if event.key() == "Escape" && !event.default_prevented() && menu.is_none() {
                target.dispatch(Action::Expand(None));
            }
        });
        let window = web_sys::window().filter(|_| *expanded);
        if let Some(window) = &window {
            let _ = window.add_event_listener_with_callback("keydown", listener.as_ref().unchecked_ref());
        }
        move || {
            if let Some(window) = window {
                let _ = window.remove_event_listener_with_callback("keydown", listener.as_ref().unchecked_ref());
            }
            drop(listener);
        }
    });
}

/// A short name of the phase, for styles and tests.
fn phase_name(phase: &Phase) -> &'static str {
    match phase {
        Phase::Starting => "starting",
        Phase::Live => "live",
        Phase::Restoring => "restoring",
        Phase::Dead(..) => "dead",
    }
}

/// Reloads, but not for ever, when a cache mixes builds.
fn reload_once(page: &UseReducerDispatcher<Page>) {
    let Some(window) = web_sys::window() else {
        return;
    };
    let storage = window.session_storage().ok().flatten();
    let reloaded = storage.as_ref().and_then(|storage| storage.get_item("tidegate.reloaded").ok().flatten());
    if reloaded.is_none() && storage.is_some_and(|storage| storage.set_item("tidegate.reloaded", "1").is_ok()) {
        let _ = window.location().reload();
    } else {
        page.dispatch(Action::Phase(Phase::Dead(
            "TG9006".into(),
            "Page and engine are of different builds. Clear the browser's cache for this site, then reload.".into(),
        )));
    }
}

/// How long a frame may stay away before the engine is stopped, in ms.
const PATIENCE: f64 = 6000.0;
/// What a single animation frame adds to that at the most: a page that slept has not waited.
const TICK: f64 = 100.0;

/// Asks for a frame each animation frame, one outstanding; a background tab asks for none. Frames are the engine's sign of life, so
/// they are asked for while it restores, too.
#[hook]
fn use_frames(desk: &Desk) {
    let latest = use_mut_ref(|| desk.clone());
    *latest.borrow_mut() = desk.clone();
    use_effect_with((), move |()| {
        // How long the outstanding frame has been waited for.
        let (alive, waited) = (Rc::new(Cell::new(true)), Rc::new(Cell::new(None::<f64>)));
        let tick = Rc::new(RefCell::new(None::<Closure<dyn FnMut(f64)>>));
        let again = tick.clone();
        let running = alive.clone();
        let last = Cell::new(0.0);
        *tick.borrow_mut() = Some(Closure::new(move |now: f64| {
            if !running.get() {
                return;
            }
            let passed = (now - last.replace(now)).min(TICK);
            let desk = latest.borrow().clone();
            if matches!(desk.page.phase, Phase::Live | Phase::Restoring) {
                match waited.get() {
                    None => {
                        waited.set(Some(0.0));
                        ask(&desk, &latest, &waited);
                    }
                    Some(so_far) if so_far > PATIENCE => {
                        waited.set(None);
                        desk.link.stop_engine();
                        desk.act(Action::Phase(Phase::Dead(
                            "TG9007".into(),
                            "The engine has not answered for a while and was stopped. Either a query does not come to an end, or one \
                             has more to do in one go than fits in. Give it a smaller input or filter earlier, or try once more."
                                .into(),
                        )));
                    }
                    Some(so_far) => waited.set(Some(so_far + passed)),
                }
            } else {
                waited.set(None);
            }
            animate(&again);
        }));
        animate(&tick);
        move || {
            alive.set(false);
            tick.borrow_mut().take();
        }
    });
}

fn ask(desk: &Desk, latest: &Rc<RefCell<Desk>>, waited: &Rc<Cell<Option<f64>>>) {
    let mut request = desk.wanted.borrow().clone();
    request.job = desk.page.job as u32;
    request.outside = matches!(desk.page.tab, Tab::Sink | Tab::Commit);
    request.beside = desk.page.beside_job().map(|job| job as u32);
    request.known_version = match (&desk.page.layout, &desk.page.frame) {
        (Some(_), Some(frame)) if !desk.page.stale => frame.version,
        _ => 0,
    };
    let (waited, latest) = (waited.clone(), latest.clone());
    desk.link.send(Command::Frame(request), move |answer| {
        waited.set(None);
        if let Answer::Frame(frame) = answer {
            let desk = latest.borrow().clone();
            if frame.lost {
                // The moment that was chosen for it.
                desk.act(Action::Replace(false));
                return desk.link.crash_worker();
            }
            let shown = desk.page.phase == Phase::Live && desk.page.running.is_some();
            if shown && desk.page.frame.as_deref() != Some(&frame) {
                desk.act(Action::Frame(frame));
            } else if desk.page.phase == Phase::Restoring
                && frame.restoring
                && desk.page.message.as_deref() != Some(frame.sentence.as_str())
            {
                // What is to be seen stays that of before; only how far it is is told.
                desk.act(Action::Message(Some(frame.sentence.clone())));
            }
        }
    });
}

fn animate(tick: &Rc<RefCell<Option<Closure<dyn FnMut(f64)>>>>) {
    if let (Some(window), Some(tick)) = (web_sys::window(), &*tick.borrow()) {
        let _ = window.request_animation_frame(tick.as_ref().unchecked_ref());
    }
}
