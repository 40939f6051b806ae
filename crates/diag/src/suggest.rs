//! "Did you mean …?" for a misspelt name.

/// The candidate that is most like `name`, if one is like enough; case does not count.
pub fn closest<'a, S: AsRef<str> + ?Sized + 'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a S>,
) -> Option<&'a str> {
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    let limit = match wanted.len() {
        0..=3 => 1,
        4..=5 => 2,
        n => n / 3 + 1,
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let candidate = candidate.as_ref();
        let other: Vec<char> = candidate.to_lowercase().chars().collect();
        if other.len().abs_diff(wanted.len()) > limit {
            continue;
        }
        let d = distance(&wanted, &other);
        // A name of which nothing is left is no likeness.
        if d <= limit && d < wanted.len().max(1) && best.is_none_or(|(b, _)| d < b) {
            best = Some((d, candidate));
        }
    }
    best.map(|(_, c)| c)
}

/// A hint that names the candidate most like `name`, if one is like enough.
pub fn did_you_mean<'a, S: AsRef<str> + ?Sized + 'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a S>,
) -> Option<String> {
    closest(name, candidates).map(|c| format!("Did you mean '{c}'?"))
}

/// Edits between two words: insert, delete, replace, swap neighbours (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// The first of some names, for a hint: `a, b, c` or `a, b, … (30 in all)`.
pub fn listed(names: &[&str]) -> String {
    const MOST: usize = 12;
    let shown = names[..names.len().min(MOST)].join(", ");
    if names.len() > MOST { format!("{shown}, … ({} in all)", names.len()) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness() {
        let names = ["orders", "clicks", "amount"];
        assert_eq!(closest("order", names), Some("orders"));
        assert_eq!(closest("CLIKCS", names), Some("clicks"));
        assert_eq!(closest("amuont", names), Some("amount"));
        assert_eq!(closest("zzzzzz", names), None);
        assert_eq!(closest("b", ["c"]), None);
        assert_eq!(closest("foo", ["OR"]), None);
        assert_eq!(did_you_mean("form", ["from"]).as_deref(), Some("Did you mean 'from'?"));
        let owned = vec!["orders".to_string()];
        assert_eq!(closest("ordres", &owned), Some("orders"));
    }
}
