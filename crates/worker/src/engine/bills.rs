//! The bill service twice: what the page does with it, and what it is told.

use tidegate::bills::{Account, Bills, BillsSpec, Fate, Fault, decimal};
use tidegate::diag::Diagnostic;
use tidegate::runtime::JobState;
use tidegate_protocol::{Answer, BillAccount, BillBatch, BillCrash, BillLine, BillPayment, BillsCommand, BillsFrame};

use crate::answer;
use crate::desk::{Desk, failed};

/// The most ticks of a command.
const TICKS: u32 = 50;
/// The most payments of a run.
const PAYMENTS: usize = 200;

impl Desk {
    /// Carries out a command and answers with how both stand.
    pub fn bills(&self, id: u32, command: BillsCommand) {
        let mut bills = self.bills.borrow_mut();
        let said = match command {
            BillsCommand::Begin { sql, seed, batch, crash_in } => {
                let spec = BillsSpec { sql, seed, batch: batch.clamp(1, 100) as usize, crash_in: crash_in as usize };
                Bills::new(spec).map(|begun| *bills = Some(begun)).map_err(|problems| problems.into_iter().next())
            }
            command => match &mut *bills {
                Some(bills) => act(bills, &command).map_err(Some),
                None => Err(None),
            },
        };
        let told = said.and_then(|()| bills.as_mut().map_or(Err(None), |bills| frame(bills).map_err(Some)));
        answer(
            id,
            match told {
                Ok(frame) => Answer::Bills(Box::new(frame)),
                Err(Some(why)) => failed("TG9117", why.message),
                Err(None) => failed("TG9117", "The bill service has not begun."),
            },
        );
    }
}

fn act(bills: &mut Bills, command: &BillsCommand) -> Result<(), Diagnostic> {
    match command {
        BillsCommand::Begin { .. } => Ok(()),
        BillsCommand::On { ticks } => {
            for _ in 0..(*ticks).min(TICKS) {
                if bills.is_done()? {
                    break;
                }
                bills.advance(1)?;
            }
            Ok(())
        }
        BillsCommand::Crash => {
            bills.crash();
            Ok(())
        }
        BillsCommand::Pay | BillsCommand::Again if bills.payments().len() >= PAYMENTS => Ok(()),
        BillsCommand::Pay => bills.pay(None),
        BillsCommand::Again => bills.again(bills.payments().len().saturating_sub(1)),
    }
}

fn frame(bills: &mut Bills) -> Result<BillsFrame, Diagnostic> {
    let (state, checkpoints, read) = bills.job();
    let accounts = bills.accounts()?;
    let faults = bills.faults();
    let batches = bills.batches().iter().enumerate().map(|(number, batch)| BillBatch {
        recorded: batch.recorded,
        lost: batch.lost,
        lines: batch
            .lines
            .iter()
            .enumerate()
            .map(|(place, line)| {
                let fault = faults.iter().find(|(of, at, _)| (*of, *at) == (number, place)).map(|(.., fault)| *fault);
                let (fate, by) = match (fault, line.fate) {
                    (Some(Fault::Twice { crash }), _) => ("twice", crash),
                    (Some(Fault::Through { batch }), _) => ("through", batch as u32),
                    (None, Fate::Waiting) => ("waiting", 0),
                    (None, Fate::Dropped) => ("dropped", 0),
                    (None, Fate::Written) => ("written", 0),
                };
                BillLine {
                    place: (line.partition, line.offset),
                    values: line.values.clone(),
                    fate: fate.to_owned(),
                    by,
                }
            })
            .collect(),
    });
    let batches = batches.collect();
    Ok(BillsFrame {
        tick: bills.tick(),
        done: bills.is_done()?,
        payments: bills
            .payments()
            .iter()
            .map(|paid| BillPayment {
                id: paid.id,
                account: paid.account.clone(),
                amount: decimal(paid.cents),
                again: paid.again,
            })
            .collect(),
        distinct: bills.distinct() as u32,
        next: bills.next().to_owned(),
        recorded: bills.recorded()?,
        batches,
        state: match state {
            JobState::Created | JobState::Restoring => "INITIALIZING",
            JobState::Running => "RUNNING",
            JobState::Restarting { .. } => "RESTARTING",
            JobState::Finished => "FINISHED",
            JobState::Failed(_) => "FAILED",
            JobState::Canceled => "CANCELED",
        }
        .to_owned(),
        checkpoints,
        read,
        crashes: bills
            .crashes()
            .iter()
            .map(|crash| BillCrash { tick: crash.tick, batch: crash.batch as u32, restored: crash.restored })
            .collect(),
        accounts: accounts.iter().map(account).collect(),
    })
}

fn account(account: &Account) -> BillAccount {
    let some = |cents: i64| (cents != 0).then(|| decimal(cents));
    BillAccount {
        name: account.name.clone(),
        truth: decimal(account.truth),
        service: decimal(account.service),
        twice: some(account.twice),
        through: some(account.through),
        job: decimal(account.job),
        pending: (account.pending != account.job).then(|| decimal(account.pending)),
        right: (account.service == account.truth, account.job == account.truth),
    }
}
