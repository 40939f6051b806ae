//! The editor as a component: CodeMirror, loaded when the page is up.

use std::rc::Rc;

use js_sys::{Array, Function, Object, Reflect};
use tidegate_protocol::{NameOffer, Problem};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use yew::prelude::*;

use crate::engine::{create_editor, meta};

/// Properties of [`Editor`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The text.
    pub text: Rc<str>,
    /// What is wrong with it.
    pub problems: Rc<Vec<Problem>>,
    /// Tables, columns and functions to complete.
    pub names: Rc<Vec<NameOffer>>,
    /// The text was changed by hand.
    pub onchange: Callback<String>,
    /// Ctrl/Cmd+Enter.
    pub onrun: Callback<()>,
    /// Place to jump to, and how often one was asked for.
    pub reveal: Option<(u32, u32)>,
}

struct Handle {
    editor: JsValue,
    _change: Closure<dyn FnMut(String)>,
    _run: Closure<dyn FnMut()>,
}

impl Handle {
    fn call(&self, method: &str, argument: &JsValue) {
        if let Ok(function) = Reflect::get(&self.editor, &method.into())
            && let Ok(function) = function.dyn_into::<Function>()
        {
            let _ = function.call1(&self.editor, argument);
        }
    }
}

/// The editor.
#[component(Editor)]
pub fn editor(props: &Props) -> Html {
    let node = use_node_ref();
    let handle = use_state(|| None::<Rc<Handle>>);
    let failed = use_state(|| false);
    let calls = use_mut_ref(|| (props.onchange.clone(), props.onrun.clone()));
    *calls.borrow_mut() = (props.onchange.clone(), props.onrun.clone());
    {
        let (node, handle, failed, calls, text) =
            (node.clone(), handle.clone(), failed.clone(), calls.clone(), props.text.clone());
        use_effect_with((), move |()| {
            let (changing, running) = (calls.clone(), calls);
            let change = Closure::new(move |text: String| changing.borrow().0.emit(text));
            let run = Closure::new(move || running.borrow().1.emit(()));
            wasm_bindgen_futures::spawn_local(async move {
                let Some(parent) = node.cast::<web_sys::Element>() else {
                    return;
                };
                let options = object(&[
                    ("doc", (&*text).into()),
                    ("label", "SQL".into()),
                    ("onChange", change.as_ref().clone()),
                    ("onRun", run.as_ref().clone()),
                ]);
                match create_editor(&meta("tidegate-editor").unwrap_or_default(), &parent, &options).await {
                    Ok(editor) => handle.set(Some(Rc::new(Handle { editor, _change: change, _run: run }))),
                    Err(_) => failed.set(true),
                }
            });
        });
    }
    let current = (*handle).clone();
    use_effect_with((props.text.clone(), current.is_some()), {
        let current = current.clone();
        move |(text, _)| {
            if let Some(handle) = current {
                handle.call("set", &(&**text).into());
            }
        }
    });
    use_effect_with((props.problems.clone(), current.is_some()), {
        let current = current.clone();
        move |(problems, _)| {
            if let Some(handle) = current {
                handle.call("problems", &problems.iter().filter_map(underline).collect::<Array>());
            }
        }
    });
    use_effect_with((props.names.clone(), current.is_some()), {
        let current = current.clone();
        move |(names, _)| {
            if let Some(handle) = current {
                handle.call("names", &names.iter().map(offer).collect::<Array>());
            }
        }
    });
    use_effect_with((props.reveal, current.is_some()), move |(reveal, _)| {
        if let (Some(handle), Some((place, _))) = (current, reveal) {
            handle.call("reveal", &(*place).into());
        }
    });
    // Where the editor cannot be loaded, a plain text field does.
    if *failed {
        let onchange = props.onchange.clone();
        let oninput = Callback::from(move |event: InputEvent| {
            if let Some(area) = event.target() {
                let value = Reflect::get(&area, &"value".into()).ok().and_then(|value| value.as_string());
                onchange.emit(value.unwrap_or_default());
            }
        });
        return html! { <textarea class="plain-editor" aria-label="SQL" value={props.text.to_string()} {oninput} /> };
    }
    html! { <div class="editor" ref={node} data-ready={handle.is_some().to_string()}></div> }
}

fn object(entries: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in entries {
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object.into()
}

fn underline(problem: &Problem) -> Option<JsValue> {
    let (from, to) = problem.span?;
    let mut message = format!("{} {}", problem.code, problem.message);
    for hint in &problem.hints {
        message.push('\n');
        message.push_str(hint);
    }
    let fix = problem.fix.as_ref().map_or(JsValue::NULL, |(from, to, text)| {
        object(&[("from", (*from).into()), ("to", (*to).into()), ("text", text.as_str().into())])
    });
    Some(object(&[
        ("from", from.into()),
        ("to", to.into()),
        ("severity", problem.severity.as_str().into()),
        ("message", message.into()),
        ("fix", fix),
    ]))
}

fn offer(name: &NameOffer) -> JsValue {
    let table = name.table.as_deref().map_or(JsValue::NULL, Into::into);
    object(&[
        ("name", name.name.as_str().into()),
        ("kind", name.kind.as_str().into()),
        ("detail", name.detail.as_str().into()),
        ("table", table),
    ])
}
