//! A store in a folder: what the command line keeps logs, tables and checkpoints in.
//!
//! All entries are in memory; on disk lie a snapshot of them and a log of the batches since then. A batch is one record of
//! the log, written and synced before it is answered: `length, hash, ranges deleted, entries put`. A record that a crash has
//! cut short is the last one, its hash says so, and it is dropped. When the log has outgrown what lives, a new snapshot is
//! written beside the old one and renamed, and a new log begun.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use tidegate_data::keys::hash::hash_bytes;
use tidegate_diag::{Code, Diagnostic};
use tidegate_runtime::{Key, MemoryStore, Store, StoreRequest, StoreResponse};

use crate::codec::{Input, put_number};

const NOT_OPENED: Code = Code::new("TG5080");
/// A log shorter than this is not worth a snapshot, bytes.
const SMALL_LOG: u64 = 4 << 20;
const HEAD: usize = 12;

/// See the module.
#[derive(Debug)]
pub struct FolderStore {
    folder: PathBuf,
    memory: MemoryStore,
    /// Number of the snapshot and of the log behind it.
    generation: u64,
    log: File,
    /// Where the last whole record of the log ends.
    end: u64,
    /// Bytes of the snapshot.
    snapshot: u64,
    /// What lies behind `end` may be rubbish.
    spoilt: bool,
    /// Held for as long as the store is open.
    _lock: File,
}

impl FolderStore {
    /// Opens the store of a folder, which is made if it does not exist.
    ///
    /// # Errors
    /// When the folder cannot be read or written, or another process has it open (TG5080).
    pub fn open(folder: impl AsRef<Path>) -> Result<FolderStore, Diagnostic> {
        let folder = folder.as_ref();
        open(folder).map_err(|error| {
            let message = format!("The store '{}' cannot be opened: {error}.", folder.display());
            Diagnostic::error(NOT_OPENED, message).hint("Choose a folder that can be written, one for each process.")
        })
    }

    /// All entries, as they are now.
    pub fn memory(&self) -> &MemoryStore {
        &self.memory
    }

    fn write(&mut self, record: &[u8]) -> io::Result<()> {
        if std::mem::replace(&mut self.spoilt, true) {
            self.log.set_len(self.end)?;
            self.log.seek(SeekFrom::Start(self.end))?;
        }
        self.log.write_all(record)?;
        self.log.sync_data()?;
        self.end += record.len() as u64;
        self.spoilt = false;
        Ok(())
    }

    /// Writes a snapshot and begins a new log, if the log has grown too long.
    fn compact(&mut self) -> io::Result<()> {
        if self.end < SMALL_LOG.max(2 * self.snapshot) {
            return Ok(());
        }
        let next = self.generation + 1;
        let puts: Vec<(Key, Bytes)> = self.memory.entries().iter().map(|(k, v)| (k.clone(), v.clone())).collect();
        let snapshot = record(&[], &puts);
        let temporary = self.folder.join("snapshot.new");
        let mut file = File::create(&temporary)?;
        file.write_all(&snapshot)?;
        file.sync_all()?;
        let mut log = File::create(path(&self.folder, "log", next))?;
        log.sync_all()?;
        fs::rename(&temporary, path(&self.folder, "snapshot", next))?;
        sync_folder(&self.folder)?;
        log.seek(SeekFrom::Start(0))?;
        for kind in ["snapshot", "log"] {
            // What cannot be removed is removed when the store is opened next.
            let _ = fs::remove_file(path(&self.folder, kind, self.generation));
        }
        (self.generation, self.log, self.end, self.snapshot) = (next, log, 0, snapshot.len() as u64);
        Ok(())
    }
}

impl Store for FolderStore {
    fn execute(&mut self, request: StoreRequest) -> StoreResponse {
        let StoreRequest::Batch { require, delete, put } = request else { return self.memory.execute(request) };
        // What is refused must leave no trace, and what is to be kept must be on disk before it is seen.
        let conditions = StoreRequest::Batch { require, delete: Vec::new(), put: Vec::new() };
        let refused = self.memory.execute(conditions);
        if refused != StoreResponse::Done {
            return refused;
        }
        if delete.is_empty() && put.is_empty() {
            return StoreResponse::Done;
        }
        if let Err(error) = self.write(&record(&delete, &put)) {
            return StoreResponse::Failed { message: error.to_string(), uncertain: true };
        }
        self.memory.execute(StoreRequest::Batch { require: Vec::new(), delete, put });
        // The batch is kept whether or not the log could be made shorter.
        let _ = self.compact();
        StoreResponse::Done
    }
}

fn open(folder: &Path) -> io::Result<FolderStore> {
    fs::create_dir_all(folder)?;
    let lock = OpenOptions::new().write(true).create(true).truncate(false).open(folder.join("lock"))?;
    lock.try_lock().map_err(|_| io::Error::other("another process has it open"))?;
    let mut generations: Vec<u64> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number =
            name.to_str().and_then(|name| name.strip_prefix("snapshot-")).and_then(|number| number.parse::<u64>().ok());
        generations.extend(number);
    }
    let generation = generations.iter().copied().max().unwrap_or(0);
    let mut memory = MemoryStore::new();
    let mut snapshot = 0;
    if generation > 0 {
        let bytes = fs::read(path(folder, "snapshot", generation))?;
        let read = replay(&bytes, &mut memory);
        if read != bytes.len() {
            return Err(io::Error::other("its snapshot is damaged"));
        }
        snapshot = bytes.len() as u64;
    }
    for old in generations.into_iter().filter(|old| *old < generation) {
        let _ = fs::remove_file(path(folder, "snapshot", old));
    }
    if generation > 0 {
        let _ = fs::remove_file(path(folder, "log", generation - 1));
    }
    let name = path(folder, "log", generation);
    let mut log = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(name)?;
    let mut bytes = Vec::new();
    log.read_to_end(&mut bytes)?;
    let end = replay(&bytes, &mut memory) as u64;
    log.set_len(end)?;
    log.seek(SeekFrom::Start(end))?;
    log.sync_all()?;
    sync_folder(folder)?;
    Ok(FolderStore { folder: folder.to_owned(), memory, generation, log, end, snapshot, spoilt: false, _lock: lock })
}

fn path(folder: &Path, kind: &str, generation: u64) -> PathBuf {
    folder.join(format!("{kind}-{generation}"))
}

/// New names in a folder are durable once the folder is synced (where that can be done).
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn record(delete: &[(Key, Key)], put: &[(Key, Bytes)]) -> Vec<u8> {
    let mut out = vec![0; HEAD];
    for pairs in [delete, put] {
        put_number(&mut out, pairs.len() as u64);
        for part in pairs.iter().flat_map(|(a, b)| [a, b]) {
            put_number(&mut out, part.len() as u64);
            out.extend_from_slice(part);
        }
    }
    let (len, hash) = ((out.len() - HEAD) as u32, hash_bytes(&out[HEAD..]));
    out[..4].copy_from_slice(&len.to_le_bytes());
    out[4..HEAD].copy_from_slice(&hash.to_le_bytes());
    out
}

/// Applies the whole records at the front; gives where they end.
fn replay(bytes: &[u8], memory: &mut MemoryStore) -> usize {
    let mut end = 0;
    while let Some((batch, len)) = read_record(&bytes[end..]) {
        memory.execute(batch);
        end += len;
    }
    end
}

fn read_record(bytes: &[u8]) -> Option<(StoreRequest, usize)> {
    let (len, rest) = bytes.split_first_chunk::<4>()?;
    let (hash, rest) = rest.split_first_chunk::<8>()?;
    let len = u32::from_le_bytes(*len) as usize;
    let body = rest.get(..len)?;
    if hash_bytes(body) != u64::from_le_bytes(*hash) {
        return None;
    }
    let mut input = Input(body);
    let mut pairs = || -> Option<Vec<(Key, Bytes)>> {
        let mut pairs = Vec::new();
        for _ in 0..input.number()? {
            let mut part = || Some(Bytes::copy_from_slice(input.take_long()?));
            pairs.push((part()?, part()?));
        }
        Some(pairs)
    };
    let (delete, put) = (pairs()?, pairs()?);
    Some((StoreRequest::Batch { require: Vec::new(), delete, put }, HEAD + len))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("tidegate-store-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            Folder(folder)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn batch(require: &[(&str, Option<&str>)], delete: &[(&str, &str)], put: &[(&str, String)]) -> StoreRequest {
        let key = |text: &str| Bytes::copy_from_slice(text.as_bytes());
        StoreRequest::Batch {
            require: require.iter().map(|(k, v)| (key(k), v.map(key))).collect(),
            delete: delete.iter().map(|(a, b)| (key(a), key(b))).collect(),
            put: put.iter().map(|(k, v)| (key(k), key(v))).collect(),
        }
    }

    #[test]
    fn what_was_answered_is_there_after_reopening() {
        let folder = Folder::new("reopen");
        let mut store = FolderStore::open(&folder.0).unwrap();
        assert_eq!(store.execute(batch(&[], &[], &[("a", "1".into()), ("b", "2".into())])), StoreResponse::Done);
        let refused = store.execute(batch(&[("a", Some("7"))], &[], &[("c", "3".into())]));
        assert!(matches!(refused, StoreResponse::Refused { .. }));
        assert_eq!(store.execute(batch(&[("a", Some("1"))], &[("a", "b")], &[("d", "4".into())])), StoreResponse::Done);
        assert!(FolderStore::open(&folder.0).is_err(), "it is open already");
        let before = store.memory().clone();
        drop(store);
        let store = FolderStore::open(&folder.0).unwrap();
        assert_eq!(store.memory(), &before);
        assert_eq!(store.memory().entries().len(), 2);
    }

    #[test]
    fn a_record_cut_short_is_as_if_it_had_never_been() {
        let folder = Folder::new("cut");
        let mut store = FolderStore::open(&folder.0).unwrap();
        store.execute(batch(&[], &[], &[("a", "1".into())]));
        let (whole, before) = (store.end, store.memory().clone());
        store.execute(batch(&[], &[], &[("b", "2".repeat(50))]));
        let len = store.end;
        drop(store);
        let log = path(&folder.0, "log", 0);
        let bytes = fs::read(&log).unwrap();
        for cut in whole..len {
            fs::write(&log, &bytes[..cut as usize]).unwrap();
            let mut store = FolderStore::open(&folder.0).unwrap();
            assert_eq!((store.memory(), store.end), (&before, whole));
            assert_eq!(store.execute(batch(&[], &[], &[("c", "3".into())])), StoreResponse::Done);
            drop(store);
            let store = FolderStore::open(&folder.0).unwrap();
            assert_eq!(store.memory().entries().len(), 2);
        }
        let mut spoilt = bytes.clone();
        *spoilt.last_mut().unwrap() ^= 1;
        fs::write(&log, spoilt).unwrap();
        assert_eq!(FolderStore::open(&folder.0).unwrap().memory(), &before);
    }

    #[test]
    fn a_long_log_becomes_a_snapshot() {
        let folder = Folder::new("compact");
        let mut store = FolderStore::open(&folder.0).unwrap();
        for round in 0..12 {
            assert_eq!(
                store.execute(batch(&[], &[], &[("big", "x".repeat(1 << 20)), ("n", round.to_string())])),
                StoreResponse::Done
            );
        }
        assert!(store.generation > 0);
        let files = fs::read_dir(&folder.0).unwrap().count();
        assert_eq!(files, 3, "lock, snapshot and log");
        let before = store.memory().clone();
        drop(store);
        let store = FolderStore::open(&folder.0).unwrap();
        assert_eq!(store.memory(), &before);
    }
}
