//! The words of the field that the page uses, a sentence each, and its keys.

use yew::prelude::*;

use crate::ui::{run_keys, use_more};

const WORDS: &[(&str, &str)] = &[
    (
        "Dynamic table",
        "A table that changes as rows come in; a query over it never ends, and its result is a dynamic table as well.",
    ),
    (
        "Changelog",
        "The changes of a dynamic table as a stream: +I adds a row, -U and +U are the old and the new row of an update, -D takes a row away.",
    ),
    ("Retraction", "What takes an earlier result back: -U or -D with the row as it was."),
    (
        "Watermark",
        "Says how far time has come: no row older than this is waited for any more. Windows give their result when it passes their end.",
    ),
    ("Late row", "A row that is older than the watermark; a window that is closed drops it."),
    ("Idle", "An input that sends nothing for a while holds no watermark back until its next row."),
    ("State", "What an operator keeps per key to go on with: counts, sums, rows that wait for their match."),
    ("Checkpoint", "A consistent image of all state and all read positions, from which a crashed job starts again."),
    (
        "Barrier",
        "A mark that flows with the rows: what is before it belongs to the checkpoint, what is behind it does not.",
    ),
    (
        "Alignment",
        "A subtask that has the barrier of one input waits for those of the others; what comes behind the first one queues.",
    ),
    (
        "Two-phase commit",
        "The sink prepares its rows with the checkpoint and commits them once that is complete: each row counts once, whatever crashes.",
    ),
];

/// The button and what it opens.
#[component(Words)]
pub fn words() -> Html {
    let node = use_node_ref();
    use_more(&node, ());
    html! {
        <>
            <button id="words" class="quiet icon" popovertarget="words-menu" aria-label="Words and keys" title="Words and keys">{"?"}</button>
            <div id="words-menu" class="words" popover="auto" role="dialog" aria-label="Words and keys"><div class="scroll" ref={node} tabindex="0">
                <h2>{"Words"}</h2>
                <dl>{ for WORDS.iter().map(|(word, says)| html! { <div><dt>{word}</dt><dd>{says}</dd></div> }) }</dl>
                <h2>{"Keys"}</h2>
                <dl>
                    <div><dt><kbd>{run_keys()}</kbd></dt><dd>{"runs the editor’s text"}</dd></div>
                    <div><dt><kbd>{"Ctrl Space"}</kbd></dt><dd>{"offers tables, columns and functions"}</dd></div>
                    <div><dt><kbd>{"Esc Tab"}</kbd></dt><dd>{"leaves the editor"}</dd></div>
                    <div><dt><kbd>{"Home End ↑ ↓"}</kbd></dt><dd>{"move in a list of rows; on the line between regions, the arrows move it"}</dd></div>
                </dl>
            </div></div>
        </>
    }
}
