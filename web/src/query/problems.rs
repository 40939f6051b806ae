//! What is wrong with the script, and what its other statements said.

use std::rc::Rc;

use tidegate_protocol::{Problem, StatementNote};
use yew::prelude::*;

use crate::ui::cell;

/// Properties of [`Problems`].
#[derive(Properties, PartialEq)]
pub struct ProblemsProps {
    /// The problems.
    pub problems: Rc<Vec<Problem>>,
    /// Jumps to a place in the text.
    pub onreveal: Callback<u32>,
}

/// The problems, one button each.
#[component(Problems)]
pub fn problems(props: &ProblemsProps) -> Html {
    if props.problems.is_empty() {
        return Html::default();
    }
    html! {
        <div class="problems" role="alert" id="problems"><ul>
            { for props.problems.iter().map(|problem| {
                let (place, onreveal) = (problem.span.map(|(from, _)| from), props.onreveal.clone());
                let onclick = Callback::from(move |_| if let Some(place) = place { onreveal.emit(place) });
                html! {
                    <li class={problem.severity.clone()}>
                        <button {onclick}>
                            <b>{&problem.code}</b>
                            if let Some(line) = problem.line { <span class="mute">{format!(" line {line} ")}</span> }
                            <span class="what">{" "}{&problem.message}</span>
                            { for problem.hints.iter().map(|hint| html! { <span class="hint">{hint}</span> }) }
                        </button>
                    </li>
                }
            }) }
        </ul></div>
    }
}

/// Properties of [`Notes`].
#[derive(Properties, PartialEq)]
pub struct NotesProps {
    /// The notes.
    pub notes: Rc<Vec<StatementNote>>,
}

/// The answers of SHOW, DESCRIBE and EXPLAIN, and what statements remarked, such as SET of what has no effect here.
#[component(Notes)]
pub fn notes(props: &NotesProps) -> Html {
    let remark = |note: &StatementNote| note.rows.first().and_then(|row| row.first()?.clone());
    // That all went well is no news.
    let is_news = |note: &&StatementNote| !note.columns.is_empty() || remark(note).is_some_and(|said| said != "OK");
    let shown: Vec<_> = props.notes.iter().filter(is_news).collect();
    if shown.is_empty() {
        return Html::default();
    }
    html! {
        <div class="notes" tabindex="0" aria-label="Answers of statements">
            { for shown.iter().map(|note| match note.columns.is_empty() {
                true => html! { <p class="remark"><code>{&note.sql}</code>{ for remark(note) }</p> },
                false => html! {
                    <details open=true>
                        <summary>{&note.sql}</summary>
                        <table>
                            <thead><tr>{ for note.columns.iter().map(|name| html! { <th scope="col">{name}</th> }) }</tr></thead>
                            <tbody>{ for note.rows.iter().map(|row| html! {
                                <tr>{ for row.iter().map(|value| html! { <td>{cell(value)}</td> }) }</tr>
                            }) }</tbody>
                        </table>
                    </details>
                },
            }) }
        </div>
    }
}
