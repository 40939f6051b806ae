//! Sharing a run: as a link whose fragment holds it all, or as a file where that is too long. Nothing goes to a server.

mod browser;
mod menu;
mod open;

pub use browser::full_address;
pub use menu::ShareMenu;
pub use open::{open_from_address, use_links};
