//! What a workspace keeps besides logs, tables and checkpoints: the script, the rows fed by hand, and how it was driven.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tidegate::History;
use tidegate::runtime::outage::KeptOutages;
use tidegate::runtime::{FeedItem, Planned, Scenario};
use tidegate::store::{Key, StoreRequest, StoreResponse};
use tidegate_worker::host;

use crate::port::Port;

/// Entries read at once.
const PAGE: usize = 500;

/// The script that runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedScript {
    /// The script.
    pub sql: String,
    /// The example's name.
    pub name: Option<String>,
    /// The seed of its jobs.
    pub seed: u64,
    /// Host time when it was begun, ms.
    pub start: i64,
    /// What its jobs have begun from, if that was a run before it.
    pub from: Vec<tidegate::runtime::Restore>,
}

/// How the run was driven.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedDrive {
    /// Whether it played.
    pub playing: bool,
    /// Elements per second.
    pub speed: f64,
    /// The generator's rates.
    pub rates: Vec<(String, f64)>,
}

/// Items fed to a table by hand, in one go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedFeed {
    /// The table.
    pub table: String,
    /// The split.
    pub split: u32,
    /// The items.
    pub items: Vec<FeedItem>,
}

/// Everything that a workspace holds about a run.
pub struct Saved {
    /// The script.
    pub script: SavedScript,
    /// How it was driven.
    pub drive: Option<SavedDrive>,
    /// What was fed, in order.
    pub feeds: Vec<SavedFeed>,
    /// What has happened to each job.
    pub histories: Vec<History>,
    /// Scenarios that were made.
    pub scenarios: Vec<Scenario>,
    /// What of them was set off and has not happened, job by job.
    pub planned: Vec<Vec<Vec<Planned>>>,
    /// What was wrong with storage.
    pub outages: KeptOutages,
}

/// Reads the workspace; `None` if nothing was run in it.
///
/// # Errors
/// Why it cannot be read.
pub async fn load(port: &Port) -> Result<Option<Saved>, String> {
    let Some(script) = get(port, SCRIPT).await? else { return Ok(None) };
    let script = postcard::from_bytes(&script).map_err(|error| format!("the script kept is unreadable: {error}"))?;
    let drive = get(port, DRIVE).await?.and_then(|bytes| postcard::from_bytes(&bytes).ok());
    let histories = get(port, HISTORIES).await?.and_then(|bytes| postcard::from_bytes(&bytes).ok()).unwrap_or_default();
    let scenarios = get(port, SCENARIOS).await?.and_then(|bytes| postcard::from_bytes(&bytes).ok()).unwrap_or_default();
    let planned = get(port, PLANNED).await?.and_then(|bytes| postcard::from_bytes(&bytes).ok()).unwrap_or_default();
    let outages = get(port, OUTAGES).await?.and_then(|bytes| postcard::from_bytes(&bytes).ok()).unwrap_or_default();
    let mut feeds = Vec::new();
    let mut from = feed_key(0);
    loop {
        let request = StoreRequest::Scan { from: from.clone(), to: Key::from_static(FEEDS_END), limit: PAGE };
        let entries = match port.ask(request).await {
            StoreResponse::Entries(entries) => entries,
            other => return Err(refused(other)),
        };
        for (_, value) in &entries {
            feeds.push(postcard::from_bytes(value).map_err(|error| format!("a row kept is unreadable: {error}"))?);
        }
        if entries.len() < PAGE {
            return Ok(Some(Saved { script, drive, feeds, histories, scenarios, planned, outages }));
        }
        from = feed_key(feeds.len() as u64);
    }
}

/// The script that a workspace keeps, if another build than this one has written it: what else lies there is not to be read.
///
/// # Errors
/// Why the store does not answer.
pub async fn of_other_build(port: &Port) -> Result<Option<Text>, String> {
    let Some(script) = get(port, SCRIPT).await? else { return Ok(None) };
    if get(port, BUILD).await?.is_some_and(|build| build == host::build().as_bytes()) {
        return Ok(None);
    }
    Ok(Some(text_of(port, &script).await?))
}

/// The text that a workspace keeps, for when nothing else in it can be used.
///
/// # Errors
/// Why the store does not answer.
pub async fn text(port: &Port) -> Result<Text, String> {
    let script = get(port, SCRIPT).await?.unwrap_or_default();
    text_of(port, &script).await
}

async fn text_of(port: &Port, script: &[u8]) -> Result<Text, String> {
    // It is kept once more as plain text, which every build can read; the first builds did not.
    if let Some(text) = get(port, TEXT).await? {
        let text = String::from_utf8_lossy(&text).into_owned();
        // The name of the example before, the script behind.
        let (name, sql) = text.split_once('\n').unwrap_or(("", &text));
        return Ok(Text { sql: sql.to_owned(), name: (!name.is_empty()).then(|| name.to_owned()) });
    }
    Ok(match postcard::from_bytes::<SavedScript>(script) {
        Ok(SavedScript { sql, name, .. }) => Text { sql, name },
        Err(_) => Text::default(),
    })
}

/// What a person has written.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// The script; empty where it could not be read.
    pub sql: String,
    /// The example's name.
    pub name: Option<String>,
}

/// The script, also as plain text, and which build has written all of it.
fn script_entries(script: &SavedScript) -> [(Key, Bytes); 3] {
    let name = script.name.as_deref().unwrap_or_default().replace('\n', " ");
    [
        (Key::from_static(SCRIPT), pack(script)),
        (Key::from_static(TEXT), format!("{name}\n{}", script.sql).into()),
        (Key::from_static(BUILD), host::build().into()),
    ]
}

/// Whether something was run in the workspace.
pub async fn holds_script(port: &Port) -> bool {
    matches!(get(port, SCRIPT).await, Ok(Some(_)))
}

/// Forgets everything in the workspace and keeps this script.
pub fn begin(script: &SavedScript) -> StoreRequest {
    StoreRequest::Batch {
        require: Vec::new(),
        delete: vec![(Key::new(), Key::from_static(&[0xff]))],
        put: script_entries(script).to_vec(),
    }
}

/// The same for a run that is under way: with what was fed to it, and with what else is to lie in the store.
pub fn begin_with(
    script: &SavedScript,
    fed: &[(String, u32, Vec<FeedItem>)],
    mut put: Vec<(Key, Bytes)>,
) -> StoreRequest {
    put.extend(script_entries(script));
    put.extend(fed.iter().enumerate().map(|(number, (table, split, items))| {
        let feed = SavedFeed { table: table.clone(), split: *split, items: items.clone() };
        (feed_key(number as u64), pack(&feed))
    }));
    StoreRequest::Batch { require: Vec::new(), delete: vec![(Key::new(), Key::from_static(&[0xff]))], put }
}

/// The same for a run that begins with what the one before has left: of that, only what was fed is known to it.
pub fn begin_over(script: &SavedScript, fed: &[SavedFeed], mut put: Vec<(Key, Bytes)>) -> StoreRequest {
    put.extend(script_entries(script));
    put.extend(fed.iter().enumerate().map(|(number, feed)| (feed_key(number as u64), pack(feed))));
    let delete = vec![(Key::from_static(b"session/"), Key::from_static(b"session0"))];
    StoreRequest::Batch { require: Vec::new(), delete, put }
}

/// Keeps how the run is driven.
pub fn keep_drive(drive: &SavedDrive) -> StoreRequest {
    put(Key::from_static(DRIVE), pack(drive))
}

/// Keeps what has happened to the jobs.
pub fn keep_histories(histories: &[&History]) -> StoreRequest {
    let (key, value) = history_entry(histories);
    put(key, value)
}

/// The same as an entry.
pub fn history_entry(histories: &[&History]) -> (Key, Bytes) {
    (Key::from_static(HISTORIES), pack(&histories))
}

/// Keeps the scenarios.
pub fn keep_scenarios(scenarios: &[Scenario]) -> StoreRequest {
    put(Key::from_static(SCENARIOS), pack(&scenarios))
}

/// The same as an entry, if there are any.
pub fn scenario_entry(scenarios: &[Scenario]) -> Option<(Key, Bytes)> {
    (!scenarios.is_empty()).then(|| (Key::from_static(SCENARIOS), pack(&scenarios)))
}

/// Keeps what was set off and has not happened.
pub fn keep_planned(planned: &[Vec<Vec<Planned>>]) -> StoreRequest {
    put(Key::from_static(PLANNED), pack(&planned))
}

/// Keeps what is wrong with storage.
pub fn keep_outages(outages: &KeptOutages) -> StoreRequest {
    put(Key::from_static(OUTAGES), pack(outages))
}

/// Keeps what is fed; `number` counts the feeds of the run.
pub fn keep_feed(number: u64, feed: &SavedFeed) -> StoreRequest {
    put(feed_key(number), pack(feed))
}

/// What a failed answer means, for people.
pub fn refused(response: StoreResponse) -> String {
    match response {
        StoreResponse::Failed { message, .. } => message,
        _ => "the store gave an answer to another question".to_owned(),
    }
}

const SCRIPT: &[u8] = b"session/script";
const TEXT: &[u8] = b"session/text";
const BUILD: &[u8] = b"session/build";
const DRIVE: &[u8] = b"session/drive";
const HISTORIES: &[u8] = b"session/history";
const SCENARIOS: &[u8] = b"session/scenarios";
const OUTAGES: &[u8] = b"session/outages";
const PLANNED: &[u8] = b"session/planned";
const FEEDS_END: &[u8] = b"session/feed0";
/// Where what was fed lies: from this key to below that one.
pub const FEEDS: (&[u8], &[u8]) = (b"session/feed/", FEEDS_END);

fn feed_key(number: u64) -> Key {
    format!("session/feed/{number:020}").into()
}

/// Writes one value.
pub fn put(key: Key, value: Bytes) -> StoreRequest {
    StoreRequest::Batch { require: Vec::new(), delete: Vec::new(), put: vec![(key, value)] }
}

/// A value as bytes.
pub fn pack<T: Serialize>(value: &T) -> Bytes {
    // Plain data always packs.
    postcard::to_allocvec(value).unwrap_or_default().into()
}

async fn get(port: &Port, key: &'static [u8]) -> Result<Option<Bytes>, String> {
    match port.ask(StoreRequest::Get { key: Key::from_static(key) }).await {
        StoreResponse::Value(value) => Ok(value),
        other => Err(refused(other)),
    }
}
