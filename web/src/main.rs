//! The front end: one page that shows what the engine does and sends it what the person does.

// Among the parts there is no engine to talk to.
#![cfg_attr(feature = "parts", allow(dead_code))]

mod app;
mod commit;
mod costs;
mod dataflow;
mod embed;
mod engine;
mod examples;
mod faults;
mod guarantees;
mod header;
mod inputs;
#[cfg(feature = "parts")]
mod parts;
mod query;
mod results;
mod share;
mod state;
mod transport;
mod ui;
mod words;

fn main() {
    #[cfg(feature = "parts")]
    yew::Renderer::<parts::Parts>::new().render();
    #[cfg(not(feature = "parts"))]
    yew::Renderer::<app::App>::new().render();
}
