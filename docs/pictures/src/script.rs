//! What a source does, in a line: `0:a 50:b 300:|`.

use std::time::Duration;

/// What a source does in a run.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) steps: Vec<Step>,
    pub(crate) ending: Ending,
}

/// A value, so long after the one before has been taken.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) after: Duration,
    pub(crate) text: &'static str,
}

/// How a run ends, so long after its last value has been taken.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ending {
    Ends { after: Duration },
    Fails { after: Duration, cause: &'static str },
    Never,
}

impl Script {
    /// Reads steps of the form `MILLISECONDS:TEXT`, counted from the start for a consumer that never keeps the source
    /// waiting. `|` is the end and `!CAUSE` a failure; without either it goes on for ever.
    ///
    /// # Panics
    ///
    /// When a step has another form: the scripts are part of this program.
    pub(crate) fn parse(text: &'static str) -> Self {
        let mut script = Self { steps: Vec::new(), ending: Ending::Never };
        let mut before = 0;
        for step in text.split_whitespace() {
            let (at, what) = step.split_once(':').expect("a step of a script has a colon");
            let at: u64 = at.parse().expect("a step of a script begins with a number");
            let after = Duration::from_millis(at - before);
            before = at;
            match what.strip_prefix('!') {
                _ if what == "|" => script.ending = Ending::Ends { after },
                Some(cause) => script.ending = Ending::Fails { after, cause },
                None => script.steps.push(Step { after, text: what }),
            }
        }
        script
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_from_the_start() {
        let script = Script::parse("0:a 50:b 80:!down");
        let steps: Vec<_> = script.steps.iter().map(|step| (step.after.as_millis(), step.text)).collect();
        assert_eq!(steps, [(0, "a"), (50, "b")]);
        assert!(matches!(script.ending, Ending::Fails { after, cause: "down" } if after.as_millis() == 30));
        assert!(matches!(Script::parse("10:|").ending, Ending::Ends { after } if after.as_millis() == 10));
        assert!(matches!(Script::parse("").ending, Ending::Never));
    }
}
