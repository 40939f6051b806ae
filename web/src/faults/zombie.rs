//! The engine that was taken for dead: what it tried when it came back, and how it was fenced off.

use tidegate_protocol::ZombieFrame;
use yew::prelude::*;

/// Properties of [`ZombieView`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The engine.
    pub zombie: ZombieFrame,
}

/// The zombie.
#[component(ZombieView)]
pub fn zombie_view(props: &Props) -> Html {
    let ZombieFrame { attempt, awake, tried, fenced } = &props.zombie;
    let how = match (awake, fenced) {
        (false, _) => "Taken for dead; another engine takes over.",
        (true, None) => "Back, and believes that it still runs the job. Its next write shows otherwise.",
        (true, Some(_)) => "Fenced off.",
    };
    html! {
        <div class="outage" role="status" id="zombie">
            <div>
                <b>{format!("Zombie: attempt {attempt}")}</b>{" "}{how}
                if !tried.is_empty() {
                    <div id="zombie-tried">{format!("It tried: {}.", tried.join("; "))}</div>
                }
                if let Some((code, message)) = fenced {
                    <div id="zombie-fenced"><b>{code}</b>{" "}{message}</div>
                }
            </div>
        </div>
    }
}
