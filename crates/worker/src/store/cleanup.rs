//! Workspaces that nobody will come back to: their databases go.
//!
//! A tab that was closed may be opened again, so a workspace stays for a week after its last use, and the newest ones stay in any case.
//! One that a page holds (by its lock) is never touched. When each was used last lies in a database of its own.

use std::collections::{BTreeMap, BTreeSet};

use idb::{DatabaseEvent, Error, Factory, ObjectStoreParams, Query, TransactionMode};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

use crate::database::PREFIX;

/// The register's database and its table: workspace to the time of its last use, ms.
const REGISTER: &str = "tidegate-workspaces";
const USED: &str = "used";
/// How long an unused workspace stays, ms.
const KEPT: f64 = 7.0 * 24.0 * 3_600_000.0;
/// So many of the newest stay for that time; older ones go earlier.
const NEWEST: usize = 20;

/// Notes that `own` is in use and removes what is old. What fails is tried again at the next start.
pub async fn clean(own: &str) {
    let _ = try_clean(own).await;
}

async fn try_clean(own: &str) -> Result<(), Error> {
    let now = js_sys::Date::now();
    let factory = Factory::new()?;
    let mut request = factory.open(REGISTER, Some(1))?;
    request.on_upgrade_needed(|event| {
        if let Ok(database) = event.database() {
            let _ = database.create_object_store(USED, ObjectStoreParams::new());
        }
    });
    let register = request.await?;
    let there = databases().await.unwrap_or_default();
    let held = held().await.unwrap_or_default();

    let transaction = register.transaction(&[USED], TransactionMode::ReadWrite)?;
    let table = transaction.object_store(USED)?;
    let (keys, values) = (table.get_all_keys(None, None)?, table.get_all(None, None)?);
    let (keys, values) = (keys.await?, values.await?);
    let mut used: BTreeMap<String, f64> =
        keys.iter().zip(&values).filter_map(|(key, value)| Some((key.as_string()?, value.as_f64()?))).collect();
    for name in &there {
        // Found here for the first time: it may be in use, or was by a page that wrote no register.
        used.entry(name.clone()).or_insert(now);
    }
    for name in held.iter().map(String::as_str).chain([own]) {
        used.insert(name.to_owned(), now);
    }
    let old = old(&used, &held, own, now);
    for name in &old {
        table.delete(Query::from(JsValue::from(name)))?.await?;
        used.remove(name);
    }
    for (name, at) in &used {
        table.put(&(*at).into(), Some(&name.into()))?;
    }
    transaction.commit()?.await?;
    register.close();
    for name in old {
        factory.delete(&format!("{PREFIX}{name}"))?.await?;
    }
    Ok(())
}

fn old(used: &BTreeMap<String, f64>, held: &BTreeSet<String>, own: &str, now: f64) -> Vec<String> {
    let mut free: Vec<(&String, f64)> =
        used.iter().filter(|(name, _)| *name != own && !held.contains(*name)).map(|(name, at)| (name, *at)).collect();
    free.sort_by(|one, other| other.1.total_cmp(&one.1));
    let gone = free.into_iter().enumerate().filter(|(place, (_, at))| *place >= NEWEST || now - at > KEPT);
    gone.map(|(_, (name, _))| name.clone()).collect()
}

/// The workspaces that have a database; `None` where the browser does not tell.
async fn databases() -> Option<BTreeSet<String>> {
    let factory = get(&js_sys::global(), "indexedDB")?;
    let list = promised(&factory, "databases").await?;
    Some(names(&list, PREFIX))
}

/// The workspaces that a page holds.
async fn held() -> Option<BTreeSet<String>> {
    let locks = get(&get(&js_sys::global(), "navigator")?, "locks")?;
    let all = promised(&locks, "query").await?;
    Some(names(&get(&all, "held")?, PREFIX))
}

fn names(list: &JsValue, prefix: &str) -> BTreeSet<String> {
    let list = js_sys::Array::from(list);
    let names = list.iter().filter_map(|entry| get(&entry, "name")?.as_string());
    names.filter_map(|name| name.strip_prefix(prefix).map(str::to_owned)).collect()
}

fn get(object: &JsValue, name: &str) -> Option<JsValue> {
    js_sys::Reflect::get(object, &name.into()).ok().filter(|value| !value.is_undefined() && !value.is_null())
}

async fn promised(object: &JsValue, method: &str) -> Option<JsValue> {
    let function: js_sys::Function = get(object, method)?.dyn_into().ok()?;
    let promise: js_sys::Promise = function.call0(object).ok()?.dyn_into().ok()?;
    wasm_bindgen_futures::JsFuture::from(promise).await.ok()
}
