//! The engine's worker.

fn main() {
    tidegate_worker::host::speak_on_panic();
}
