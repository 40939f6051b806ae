//! The comparison of modes: what storage and channels are like in it, its button, and its figures while it runs.

use std::cell::Cell;
use std::rc::Rc;

use tidegate_protocol::{Answer, Command, CostsFrame};
use yew::prelude::*;

use super::figures::FiguresView;
use super::mode_name;
use crate::app::Desk;
use crate::state::{Action, Phase};
use crate::ui::{bytes, value_of_select};

/// How long checkpoint storage may take, ms.
const STORAGE: [u32; 4] = [0, 20, 100, 300];
/// How long a slow channel may take for an element, ms.
const CHANNEL: [u32; 4] = [0, 5, 10, 20];

/// The comparison.
#[component(CostsView)]
pub fn costs_view() -> Html {
    let desk = use_context::<Desk>().expect("inside the app");
    let (storage, channel) = (use_state_eq(|| 20u32), use_state_eq(|| 10u32));
    let frame = use_state_eq(|| None::<CostsFrame>);
    // Counts comparisons: what comes of an earlier one is not shown any more, nor once nobody looks.
    let number = use_memo((), |()| Rc::new(Cell::new(0u32)));
    {
        let number = number.clone();
        use_effect_with((), move |()| move || number.set(number.get() + 1));
    }
    let live = desk.page.phase == Phase::Live && !desk.page.stale;
    let begin = {
        let (desk, frame, number, job) = (desk.clone(), frame.setter(), (*number).clone(), desk.page.job as u32);
        let (storage, channel) = (*storage, *channel);
        Callback::from(move |_: MouseEvent| {
            number.set(number.get() + 1);
            go_on(&desk, Command::Costs { job, storage, channel }, frame.clone(), number.clone(), number.get());
        })
    };
    let choice = |id: &'static str,
                  label: &'static str,
                  chosen: &UseStateHandle<u32>,
                  offers: [u32; 4],
                  text: fn(u32) -> String| {
        let set = chosen.setter();
        let onchange = Callback::from(move |event: Event| set.set(value_of_select(&event).parse().unwrap_or(0)));
        html! {
            <select {id} aria-label={label} {onchange}>
                { for offers.map(|ms| html! { <option value={ms.to_string()} selected={ms == **chosen}>{text(ms)}</option> }) }
            </select>
        }
    };
    let says = match &*frame {
        None => {
            "The script that runs, five times beside each other over the same generated rows, in a time of its own."
                .to_owned()
        }
        Some(frame) => {
            let slow = frame.channel.as_ref().map_or(String::new(), |channel| format!(" · slow: {channel}"));
            format!("{} of {} ms, a checkpoint every {} ms{slow}", frame.now, frame.length, frame.interval)
        }
    };
    html! {
        <div class="costs">
            <p class="choices">
                { choice("cost-storage", "Checkpoint storage", &storage, STORAGE, |ms| match ms {
                    0 => "storage answers at once".to_owned(),
                    ms => format!("storage takes {ms} ms"),
                }) }
                { choice("cost-channel", "One channel", &channel, CHANNEL, |ms| match ms {
                    0 => "all channels are fast".to_owned(),
                    ms => format!("one channel: {ms} ms an element"),
                }) }
                <button class="small primary" id="compare-modes" disabled={!live} onclick={begin}
                    title="Runs the script in every mode, beside each other">{"Compare modes"}</button>
            </p>
            <p class="label mute" id="costs-say">{says}</p>
            if let Some(frame) = &*frame {
                <FiguresView frame={frame.clone()} />
                <p class="label mute legend"><span><i class="latency" aria-hidden="true"></i>{"longest latency"}</span>
                    <span><i class="took" aria-hidden="true"></i>{"a checkpoint is under way"}</span>
                    <span><i class="blocked" aria-hidden="true"></i>{"an input stands still"}</span></p>
                <details class="label"><summary>{"Every checkpoint"}</summary>{ all(frame) }</details>
            }
        </div>
    }
}

/// Sends a command of the comparison, shows what comes, and goes on until its end.
fn go_on(desk: &Desk, command: Command, frame: UseStateSetter<Option<CostsFrame>>, number: Rc<Cell<u32>>, of: u32) {
    let next = desk.clone();
    desk.link.send(command, move |answer| {
        if number.get() != of {
            return;
        }
        match answer {
            Answer::Costs(now) => {
                let over = now.now >= now.length;
                frame.set(Some(now));
                if !over {
                    go_on(&next, Command::CostsOn, frame, number, of);
                }
            }
            Answer::Failed { code, message } => next.act(Action::Message(Some(format!("{code}: {message}")))),
            _ => {}
        }
    });
}

/// The figures of every checkpoint, as a table.
fn all(frame: &CostsFrame) -> Html {
    let rows = frame.lanes.iter().flat_map(|lane| lane.checkpoints.iter().map(|one| (mode_name(&lane.mode).0, one)));
    html! {
        <div class="scroll" tabindex="0" role="region" aria-label="Every checkpoint"><table>
            <thead><tr>
                <th scope="col">{"mode"}</th><th scope="col" class="right">{"id"}</th><th scope="col" class="right">{"at"}</th>
                <th scope="col" class="right">{"blocked"}</th><th scope="col" class="right">{"queued"}</th>
                <th scope="col" class="right">{"bytes"}</th><th scope="col" class="right">{"to complete"}</th>
            </tr></thead>
            <tbody>{ for rows.map(|(mode, one)| html! {
                <tr>
                    <td>{mode}</td><td class="right">{one.id}</td><td class="right">{format!("{} ms", one.at)}</td>
                    <td class="right">{format!("{} ms", one.blocked)}</td><td class="right">{one.queued}</td>
                    <td class="right">{bytes(one.bytes)}</td><td class="right">{format!("{} ms", one.took)}</td>
                </tr>
            }) }</tbody>
        </table></div>
    }
}
