//! Partial matches as bytes of state, and as the page shows them.

use super::nfa::{Computation, First, Matches};
use super::queue::Queue;

/// The number of the next row, and the matches.
pub(super) fn encode(next: u64, matches: &Matches) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(next.to_be_bytes());
    for queue in [&matches.partial, &matches.complete] {
        out.extend((queue.len() as u32).to_be_bytes());
        for own in queue.iter() {
            out.extend((own.state as u32).to_be_bytes());
            match own.first {
                Some(first) => {
                    out.push(1);
                    out.extend(first.time.to_be_bytes());
                    out.extend(first.number.to_be_bytes());
                }
                None => out.push(0),
            }
            own.taken.iter().for_each(|count| out.extend(count.to_be_bytes()));
        }
    }
    out
}

/// What [`encode`] wrote, for a pattern of so many variables; none where it is something else.
pub(super) fn decode(mut bytes: &[u8], variables: usize) -> Option<(u64, Matches)> {
    let next = u64::from_be_bytes(take(&mut bytes)?);
    let partial = queue(&mut bytes, variables)?;
    let complete = queue(&mut bytes, variables)?;
    Some((next, Matches { partial, complete }))
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*head)
}

fn queue(bytes: &mut &[u8], variables: usize) -> Option<Queue> {
    let count = u32::from_be_bytes(take(bytes)?);
    let mut items = Vec::new();
    for _ in 0..count {
        let state = u32::from_be_bytes(take(bytes)?) as usize;
        let [there] = take(bytes)?;
        let first = match there {
            0 => None,
            _ => Some(First { time: i64::from_be_bytes(take(bytes)?), number: u64::from_be_bytes(take(bytes)?) }),
        };
        let taken = (0..variables).map(|_| take(bytes).map(u32::from_be_bytes)).collect::<Option<Vec<u32>>>()?;
        items.push(Computation { state, first, taken: taken.into() });
    }
    Some(Queue::stored(items))
}
