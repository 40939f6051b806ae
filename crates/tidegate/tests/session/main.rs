//! A session as a host drives it: its history over several engines, and its run again from the recording.

mod batch;
mod bills;
mod costs;
mod crash;
mod drive;
mod faults;
mod guarantees;
mod history;
mod link;
mod lookup;
mod replay;
mod savepoints;
mod state;
mod state_ttl;
mod zombie;
