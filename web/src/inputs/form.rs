//! The form that sends one row, made from the table's schema.

use tidegate_protocol::{Answer, Command, FieldProblem, InputLayout, InputRow};
use yew::prelude::*;

use crate::app::Desk;
use crate::state::Action;
use crate::ui::{value_of_input, value_of_select};

/// Properties of [`Form`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The table.
    pub layout: InputLayout,
    /// The split that the row goes to.
    pub split: u32,
    /// Whether its button is the loud one.
    pub primary: bool,
}

/// The form.
#[component(Form)]
pub fn form(props: &Props) -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let columns = &props.layout.columns;
    let values = use_state(|| columns.iter().map(|(name, ty)| sample(name, ty)).collect::<Vec<_>>());
    let kind = use_state(|| "+I".to_owned());
    let wrong = use_state(Vec::<FieldProblem>::new);
    let id = |column: usize| format!("{}-{}-{column}", props.layout.table, props.split);

    let onsubmit = {
        let (desk, values, kind, wrong) = (desk.clone(), values.clone(), kind.clone(), wrong.clone());
        let (table, split) = (props.layout.table.clone(), props.split);
        let texts: Vec<bool> = columns.iter().map(|(_, ty)| is_text(ty)).collect();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let row =
                values.iter().zip(&texts).map(|(value, text)| meant(value, *text).then(|| value.clone())).collect();
            let rows = vec![InputRow { kind: (*kind).clone(), values: row }];
            let (page, wrong) = (desk.page.dispatcher(), wrong.clone());
            desk.link.send(Command::Send { table: table.clone(), split, rows }, move |answer| match answer {
                Answer::Refused { fields } => wrong.set(fields),
                Answer::Failed { code, message } => page.dispatch(Action::Message(Some(format!("{code}: {message}")))),
                _ => wrong.set(Vec::new()),
            });
        })
    };
    let onkind = {
        let kind = kind.clone();
        Callback::from(move |event: Event| kind.set(value_of_select(&event)))
    };
    html! {
        <form class="row-form" {onsubmit}>
            if props.layout.kinds.len() > 1 {
                <select aria-label="Row kind" class="kind-choice" onchange={onkind}>
                    { for props.layout.kinds.iter().map(|offer| html! {
                        <option value={offer.clone()} selected={*offer == *kind}>{offer}</option>
                    }) }
                </select>
            }
            { for columns.iter().enumerate().map(|(column, (name, ty))| {
                let values = values.clone();
                let problem = wrong.iter().find(|problem| problem.column == column as u32);
                let value = values.get(column).cloned().unwrap_or_default();
                // What an empty field, or the word, stands for is said beside the name.
                let sends = match (value.as_str(), meant(&value, is_text(ty))) {
                    (_, false) => Some("NULL"),
                    ("", true) => Some("''"),
                    _ => None,
                };
                let says = match is_text(ty) {
                    true => format!("{ty}; empty is the empty text '', and the word NULL is NULL"),
                    false => format!("{ty}; empty is NULL"),
                };
                let oninput = Callback::from(move |event: InputEvent| {
                    let mut changed = (*values).clone();
                    changed.resize(changed.len().max(column + 1), String::new());
                    changed[column] = value_of_input(&event);
                    values.set(changed);
                });
                html! {
                    <div class={classes!("field", is_long(ty).then_some("long"), problem.map(|_| "wrong"))}>
                        <label for={id(column)} title={says.clone()}><span class="cell">{name}</span>
                            if let Some(sends) = sends { <i class="sends">{sends}</i> }
                        </label>
                        <input id={id(column)} type="text" {value} {oninput} autocomplete="off" spellcheck="false"
                            title={says} placeholder={if is_text(ty) { "''" } else { "NULL" }} aria-invalid={problem.map(|_| "true")} />
                        if let Some(problem) = problem { <span class="why" role="alert">{&problem.message}</span> }
                    </div>
                }
            }) }
            <button type="submit" class={classes!("send", props.primary.then_some("primary"))}>{"Send"}</button>
        </form>
    }
}

fn is_text(ty: &str) -> bool {
    ty.contains("STRING") || ty.contains("CHAR")
}

/// Whether a field's value is sent as it is; it is NULL otherwise. An empty field is NULL, but for texts, where it is the empty text.
fn meant(value: &str, text: bool) -> bool {
    value != "NULL" && (text || !value.is_empty())
}

/// Something that fits a type, to start from.
fn sample(name: &str, ty: &str) -> String {
    let base = ty.split(['(', ' ']).next().unwrap_or_default();
    match base {
        "BOOLEAN" => "TRUE",
        "TINYINT" | "SMALLINT" | "INT" | "BIGINT" => "1",
        "FLOAT" | "DOUBLE" | "DECIMAL" => "1.5",
        "DATE" => "2024-01-01",
        "TIME" => "12:00:00",
        "TIMESTAMP" | "TIMESTAMP_LTZ" => "2024-01-01 12:00:00",
        "STRING" | "CHAR" | "VARCHAR" => match name {
            "user" | "name" => "Mary",
            "url" | "path" => "./home",
            "product" | "item" => "tea",
            "sensor" | "room" => "attic",
            _ => "a",
        },
        _ => "",
    }
    .to_owned()
}

/// Whether values of a type want more room than others.
pub fn is_long(ty: &str) -> bool {
    ty.starts_with("TIMESTAMP")
}
