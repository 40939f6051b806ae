//! A request to the store in words, for people.

use tidegate_runtime::StoreRequest;

/// What a request does: `commit of transaction 00000/0000000001-0000000002 of 'copies'`.
pub fn describe(request: &StoreRequest) -> String {
    let StoreRequest::Batch { delete, put, .. } = request else { return "a look at the store".to_owned() };
    let text = |key: &[u8]| String::from_utf8_lossy(key).into_owned();
    let put: Vec<String> = put.iter().map(|(key, _)| text(key)).collect();
    let deleted: Vec<String> = delete.iter().map(|(from, _)| text(from)).collect();
    let part = |keys: &[String], name: &str| {
        keys.iter().find_map(|key| key.split_once(name).map(|(of, rest)| (place(of), rest.to_owned())))
    };
    let rows = put.iter().filter(|key| ["/row/", "/data/", "/txn/"].iter().any(|part| key.contains(part))).count();
    let (open, opened) = (part(&deleted, "/open/"), part(&put, "/open/"));
    match (part(&put, "/done/"), open, opened) {
        (Some(_), Some((of, transaction)), _) => format!("commit of transaction {} into '{of}'", short(&transaction)),
        (_, Some((of, transaction)), _) => format!("rollback of transaction {} of '{of}'", short(&transaction)),
        (_, _, Some((of, transaction))) => {
            let count = put.iter().filter(|key| key.contains("/data/") || key.contains("/txn/")).count();
            let what = if count == 1 { "a write" } else { "writes" };
            format!("{what} into transaction {} of '{of}'", short(&transaction))
        }
        _ if put.iter().chain(&deleted).any(|key| key.starts_with("checkpoints/")) => {
            "a part of a checkpoint".to_owned()
        }
        _ if rows > 0 => "a write of rows".to_owned(),
        _ => "a write".to_owned(),
    }
}

/// `table/copies` and `log/copies` without the kind.
fn place(base: &str) -> String {
    base.split_once('/').map_or(base, |(_, name)| name).to_owned()
}

/// Epoch and number, without the zeros before them.
fn short(transaction: &str) -> String {
    let last = transaction.rsplit('/').next().unwrap_or(transaction);
    last.split('-').map(|part| part.trim_start_matches('0')).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transaction::{Names, Transaction, only};

    #[test]
    fn what_a_sink_asks_can_be_read() {
        let names = Names::new("table/copies/", "job/1");
        let transaction = Transaction { subtask: 0, epoch: 1, number: 2 };
        let batch = |delete: Vec<_>, put: Vec<_>| {
            let put = put.into_iter().map(|key| (key, Vec::new().into())).collect();
            describe(&StoreRequest::Batch { require: Vec::new(), delete, put })
        };
        let open = names.open(transaction);
        let row = format!("table/copies/txn/{}/a", names.id(transaction)).into();
        assert_eq!(batch(vec![], vec![open.clone(), row]), "a write into transaction 1-2 of 'copies'");
        let commit = batch(vec![only(open.clone())], vec![names.done(0)]);
        assert_eq!(commit, "commit of transaction 1-2 into 'copies'");
        assert_eq!(batch(vec![only(open)], vec![]), "rollback of transaction 1-2 of 'copies'");
        assert_eq!(batch(vec![], vec!["checkpoints/job/last".into()]), "a part of a checkpoint");
        assert_eq!(batch(vec![], vec!["table/copies/row/a".into()]), "a write of rows");
    }
}
