//! The front end: one page that shows what the engine does and sends it what the person does.

mod app;
mod dataflow;
mod engine;
mod examples;
mod header;
mod inputs;
mod query;
mod results;
mod state;
mod transport;
mod ui;

fn main() {
    yew::Renderer::<app::App>::new().render();
}
