//! Kotlin's trace against ours. The differences that the crate has on purpose are rules here, by kind.

use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

use crate::play::Played;
use crate::recorder::{Event, Raised};
use crate::spec::{Cold, Error, Outcome, Scenario, Setting, Tag, Terminal, Trace};

/// A difference on purpose. Its number is that of the design and of `docs/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Difference {
    /// A collection that is dropped because something failed below it is cancelled: `on_completion` does not see the error.
    Cancellation = 2,
    /// What was emitted before a failure is delivered before it, and the consumer is not cut off.
    Cut = 3,
    /// `first`, `last` and `reduce` give `None` on an empty flow.
    NoValue = 4,
    /// An argument that makes no sense is a panic at the call, or no value of its type; `take(0)` is an empty flow.
    Argument = 5,
}

impl Difference {
    pub(crate) const ALL: [Self; 4] = [Self::Cancellation, Self::Cut, Self::NoValue, Self::Argument];
}

/// The differences on purpose that were met, or what else differs.
pub(crate) type Verdict = Result<BTreeSet<Difference>, String>;

pub(crate) fn compare(scenario: &Scenario, played: &Played) -> Verdict {
    let exact = Comparison { scenario, played, cut: false, met: BTreeSet::new() };
    if !scenario.tags.contains(&Tag::Cut) {
        return exact.run();
    }
    let cut = Comparison { scenario, played, cut: true, met: BTreeSet::from([Difference::Cut]) };
    exact.run().or_else(|_| cut.run())
}

/// What the panic or the type error says with which a scenario was refused when it was built.
pub(crate) fn refused(assembly: bool, reason: &str) -> Verdict {
    let by_type = reason.contains("invalid value: integer");
    let by_panic_at_the_call = reason.contains(file!().trim_end_matches("compare.rs")) && reason.contains("\n`");
    if assembly && (by_type || by_panic_at_the_call) {
        Ok(BTreeSet::from([Difference::Argument]))
    } else {
        Err(format!("cannot be built: {reason}"))
    }
}

#[derive(Debug)]
struct Comparison<'a> {
    scenario: &'a Scenario,
    played: &'a Played,
    /// Compares as the tag `cut` says.
    cut: bool,
    met: BTreeSet<Difference>,
}

impl Comparison<'_> {
    fn run(mut self) -> Verdict {
        if self.scenario.tags.contains(&Tag::Assembly) {
            return self.nothing_has_run();
        }
        self.lanes()?;
        let Trace { outcome, end, .. } = &self.scenario.expect;
        let got = &self.played.outcome;
        if !self.same_outcome() {
            return Err(format!("outcome: expected {}, got {}", json!(outcome), json!(got)));
        }
        let (end, got) = (*end, self.played.end);
        if got != end && !(self.cut && got > end) {
            return Err(format!("end: expected {end}, got {got}"));
        }
        Ok(self.met)
    }

    /// An argument that Kotlin refuses and the crate does not makes an empty flow.
    fn nothing_has_run(self) -> Verdict {
        let Played { recording, outcome, end } = self.played;
        if recording.lanes.is_empty() && *end == 0 {
            Ok(BTreeSet::from([Difference::Argument]))
        } else {
            Err(format!("expected a refusal or an empty flow, got {} at {end}", json!(outcome)))
        }
    }

    /// Compares all lanes, and reports the earliest difference.
    fn lanes(&mut self) -> Result<(), String> {
        let (expected, got) = (&self.scenario.expect.lanes, &self.played.recording.lanes);
        let names: BTreeSet<_> = expected.keys().chain(got.keys()).collect();
        let different = names.into_iter().filter_map(|name| {
            let expected = expected.get(name).map_or(&[][..], Vec::as_slice);
            let got = got.get(name).map_or(&[][..], Vec::as_slice);
            self.lane(name, expected, got)
        });
        different.min_by_key(|(time, _)| *time).map_or(Ok(()), |(_, message)| Err(message))
    }

    fn lane(&mut self, name: &str, mut expected: &[Json], mut got: &[Event]) -> Option<(u64, String)> {
        if self.cut {
            // Up to Kotlin's end all is the same. Later, what the consumer had got by then is the beginning of ours.
            let end = self.scenario.expect.end;
            let got_before = got.partition_point(|event| time(&event.entry) < end);
            if name == "out" {
                got = &got[..got_before.max(expected.len()).min(got.len())];
            } else {
                got = &got[..got_before];
                expected = &expected[..expected.partition_point(|entry| time(entry) < end)];
            }
        }
        for index in 0..expected.len().max(got.len()) {
            let (expected, got) = (expected.get(index), got.get(index));
            if !self.same_event(expected, got) {
                let got = got.map(|event| &event.entry);
                let time = expected.into_iter().chain(got).map(time).min().expect("one of them is there");
                let [expected, got] = [expected, got].map(|entry| entry.map_or("nothing".to_owned(), Json::to_string));
                return Some((time, format!("lane {name}, event {index}: expected {expected}, got {got}")));
            }
        }
        None
    }

    fn same_event(&mut self, expected: Option<&Json>, got: Option<&Event>) -> bool {
        let (Some(expected), Some(got)) = (expected, got) else { return false };
        if *expected == got.entry {
            return true;
        }
        let time = time(expected);
        let cancelled = got.entry == json!([time, "done", "cancelled"]);
        let failed_below = |raised: &Raised| {
            raised.time == time
                && *expected == json!([time, "done", raised.error])
                && stands_below(&raised.place, &got.place)
        };
        let on_purpose = cancelled && self.played.recording.raised.iter().any(failed_below);
        if on_purpose {
            self.met.insert(Difference::Cancellation);
        }
        on_purpose
    }

    fn same_outcome(&mut self) -> bool {
        let (expected, got) = (&self.scenario.expect.outcome, &self.played.outcome);
        if expected == got {
            return true;
        }
        let (Setting::Cold(Cold { terminal, cancel_at, .. }), Some(expected), Some(got)) =
            (&self.scenario.setting, expected, got)
        else {
            return false;
        };
        if matches!(terminal, Terminal::First { .. } | Terminal::Last | Terminal::Reduce { .. })
            && *expected == Outcome::Error(Error("NoSuchElement".to_owned()))
            && *got == Outcome::Value(Json::Null)
        {
            self.met.insert(Difference::NoValue);
            return true;
        }
        // The longer run may meet another error, or its cancellation, first.
        let kotlins_end = self.scenario.expect.end;
        let met_first = |error: &Error| {
            let mut raised = self.played.recording.raised.iter();
            raised.any(|raised| raised.error == *error && raised.time >= kotlins_end)
        };
        self.cut
            && match got {
                Outcome::Error(error) => met_first(error),
                Outcome::Cancelled(_) => cancel_at.is_some(),
                Outcome::Value(_) => false,
            }
    }
}

fn time(entry: &Json) -> u64 {
    entry[0].as_u64().expect("an event begins with its time")
}

/// Whether what `node` emits goes through the place of `raised`: an operator or the terminal below it, or a part of a flow
/// that is collected within the emission, as the inner flow of `flat_map_concat` is.
fn stands_below(raised: &str, node: &str) -> bool {
    let mut way = node.split('/');
    for step in raised.split('/') {
        match way.next() {
            Some(shared) if shared == step => {}
            parted => return parted == Some("in") && step.starts_with("inner@"),
        }
    }
    true
}
