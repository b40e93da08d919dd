//! Plays one scenario on a clock of its own.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use crate::holder::Holder;
use crate::hot;
use crate::interpret::Scope;
use crate::recorder::{Recorder, Recording};
use crate::spec::{Cold, Outcome, Scenario, Setting};
use crate::terminal::collect;

/// No scenario takes as long. What would never end is cancelled then.
const FOR_EVER: u64 = 10_000_000;

/// How a scenario went.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) recording: Recording,
    /// None in a hot scenario.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) end: u64,
}

/// Why a scenario could not be played to its end: the message of a panic.
#[derive(Debug)]
pub(crate) enum Panicked {
    Building(String),
    Running(String),
}

/// A task that shares a flow may keep what it is made of for as long as it likes, so that stays for good.
pub(crate) fn play(scenario: &'static Scenario) -> Result<Played, Panicked> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime without I/O needs nothing");
    let playing = async {
        let recorder: &'static Recorder = Box::leak(Box::new(Recorder::new()));
        let outcome = match &scenario.setting {
            Setting::Cold(scenario) => Some(play_cold(scenario, recorder).await?),
            Setting::Hot(scenario) => {
                hot::play(scenario, recorder).await;
                None
            }
        };
        let end = recorder.now();
        Ok(Played { recording: recorder.finish(), outcome, end })
    };
    caught(|| runtime.block_on(playing)).map_err(Panicked::Running)?
}

async fn play_cold(scenario: &Cold, recorder: &Recorder) -> Result<Outcome, Panicked> {
    let flow = caught(|| Scope::new(recorder).build(&scenario.flow)).map_err(Panicked::Building)?;
    let out = Holder { recorder, lane: Some("out".into()), place: Arc::from(""), outer: None };
    let deadline = recorder.instant(scenario.cancel_at.unwrap_or(FOR_EVER));
    let outcome = tokio::time::timeout_at(deadline, collect(&scenario.terminal, flow, out)).await;
    Ok(outcome.unwrap_or(Outcome::Cancelled(true)))
}

thread_local! {
    /// The message of the last panic, while panics are caught.
    static CAUGHT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Lets `caught` keep the messages of panics for the report. Other panics are printed as ever.
pub(crate) fn keep_caught_panics_quiet() {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        CAUGHT.with_borrow_mut(|message| match message {
            Some(message) => *message = panic.to_string(),
            None => print(panic),
        });
    }));
}

fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let outer = CAUGHT.replace(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    let message = CAUGHT.replace(outer).unwrap_or_default();
    result.map_err(|_| message)
}
