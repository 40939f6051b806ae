//! The amounts of every account: the truth, today's service, the streaming job.

use tidegate_protocol::BillAccount;
use yew::prelude::*;

/// Properties of [`AmountsView`].
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The accounts.
    pub accounts: Vec<BillAccount>,
}

/// The table of amounts; what is too much is marked, and said why.
#[component(AmountsView)]
pub fn amounts_view(props: &Props) -> Html {
    html! {
        <div class="scroll amounts" tabindex="0" role="region" aria-label="Amounts">
            <table id="amounts">
                <thead><tr>
                    <th scope="col">{"account"}</th><th scope="col" class="right">{"truth"}</th>
                    <th scope="col" class="right">{"today’s service"}</th><th scope="col">{"too much"}</th>
                    <th scope="col" class="right">{"streaming job"}</th><th scope="col">{"not committed yet"}</th>
                </tr></thead>
                <tbody>{ for props.accounts.iter().map(|account| html! {
                    <tr data-account={account.name.clone()}>
                        <th scope="row">{&account.name}</th>
                        <td class="right">{&account.truth}</td>
                        <td class={classes!("right", "service", (!account.right.0).then_some("off"))}>{&account.service}</td>
                        <td class="why">
                            { for account.twice.iter().map(|amount| html! { <span class="twice">{format!("+{amount} written twice")}</span> }) }
                            { for account.through.iter().map(|amount| html! { <span class="through">{format!("+{amount} duplicate")}</span> }) }
                        </td>
                        <td class={classes!("right", "job", (!account.right.1).then_some("off"))}>{&account.job}</td>
                        <td class="mute">{ account.pending.as_deref().map_or(String::new(), |pending| format!("{pending} pending")) }</td>
                    </tr>
                }) }</tbody>
            </table>
        </div>
    }
}
