//! What a checkpoint costs: the figures of this job's checkpoints as charts, and the same query in every mode, beside each other.

mod figures;
mod lane;
mod panel;
mod so_far;

#[cfg(feature = "parts")]
pub use figures::FiguresView;
pub use panel::CostsView;
pub use so_far::SoFarView;

/// A mode's name for people, and what it does in a few words.
fn mode_name(mode: &str) -> (&'static str, &'static str) {
    match mode {
        "aligned" => ("aligned", "barriers block a channel until all are in"),
        "aligned-with-timeout" => ("aligned with timeout", "barriers block for 30 ms, and then overtake"),
        "unaligned" => ("unaligned", "barriers overtake what is on its way, which becomes part of the checkpoint"),
        "at-least-once" => ("at-least-once", "no channel is blocked; after a restore some rows count twice"),
        _ => ("stop the world", "sources stop, all is worked off and written, then all go on"),
    }
}

/// The one in the middle.
fn median(mut figures: Vec<u64>) -> Option<u64> {
    figures.sort_unstable();
    figures.get(figures.len() / 2).copied()
}
