use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Parser, ValueEnum};
use coldflow::Retry;
use forecast::http::DEFAULT_TIMEOUT;
use forecast::server::{Fault, Script, ScriptError};
use forecast::span::parse_span;
use forecast::{MAX_RETRY_DELAY, Policy, RetryPolicy};

/// Enough for the script of the default run, which fails twice.
const DEFAULT_ATTEMPTS: u32 = 3;

const EXAMPLES: &str = "\
Examples:
  forecast Seoul                               two failures, then the weather
  forecast --script '503:60, cut' Paris        choose the failures
  forecast --script '503*' --max-attempts 2 Rome
  forecast Seoul Tokyo 'New York'              many at once, with a table
  forecast --retry exponential --max-attempts 6 --deadline 20 Oslo
  forecast --policy retry.toml Oslo            attempts, backoff, cap and so on from a file
  forecast --cities cities.txt --json          one city per line; - reads standard input
  forecast --timeline out.svg Seoul Tokyo      a picture of every attempt and wait
  forecast --api-url https://api.open-meteo.com Berlin

Exit codes: 0 all succeeded, 1 some city failed, 2 wrong usage, 130 stopped by Ctrl-C.";

/// The current weather, with every attempt in sight.
///
/// Without --api-url a weather server is started on this machine that fails as the script says, so that there is
/// something to see.
#[derive(Debug, Parser)]
#[command(name = "forecast", version, after_help = EXAMPLES)]
struct Cli {
    /// The cities to ask for; many are asked for at once
    #[arg(value_name = "CITY")]
    cities: Vec<String>,

    /// Also ask for the cities in this file, one per line; - is standard input, # begins a comment
    #[arg(long = "cities", value_name = "FILE")]
    file: Option<PathBuf>,

    /// Ask this server instead of the embedded one
    #[arg(long, value_name = "URL")]
    api_url: Option<String>,

    /// How often to try, the first time included [default: 3]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_attempts)]
    max_attempts: Option<NonZeroU32>,

    /// Try once
    #[arg(long, conflicts_with = "max_attempts")]
    no_retry: bool,

    /// How long to wait before the next attempt, if the server asks for no longer wait: not at all, or more each time
    #[arg(long, value_name = "HOW", conflicts_with = "no_retry")]
    retry: Option<Backoff>,

    /// How long to go on in all: an attempt that would begin later is not made
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = parse_span)]
    deadline: Option<Duration>,

    /// Read the policy from this TOML file: `attempts`, and if wanted `backoff`, `jitter`, `cap`, `deadline` and so on
    #[arg(long, value_name = "FILE", conflicts_with_all = ["retry", "max_attempts", "no_retry"])]
    policy: Option<PathBuf>,

    /// How long an attempt may take: 5, 1.5s or 200ms [default: 10s]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = parse_timeout)]
    timeout: Option<Duration>,

    /// What the embedded server does, attempt by attempt, separated by commas: ok, 503, 503:RETRY-AFTER,
    /// 503:date+SECONDS, delay:TIME, reset, cut, garbage, stall. Put @forecast behind one to strike the second
    /// request of the attempt, * behind the last to repeat it [default: 503:1, reset]
    #[arg(long, value_name = "STEPS", value_parser = parse_script, conflicts_with = "api_url")]
    script: Option<Script>,

    /// Draw what happened to each attempt of each city into this file, as SVG
    #[arg(long, value_name = "FILE")]
    timeline: Option<PathBuf>,

    /// Print one JSON object per city
    #[arg(long)]
    json: bool,

    /// Show every request and response
    #[arg(short, long)]
    verbose: bool,
}

/// How the waits grow.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Backoff {
    /// One attempt
    None,
    /// No wait
    Immediate,
    /// Up to 100 ms, 200 ms, 400 ms .. 25 s
    Exponential,
}

/// What is tried again, and when.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    /// As the service does by itself.
    Plain(RetryPolicy),
    Policy(Policy),
}

/// What the command line asks for.
#[derive(Debug)]
pub(crate) struct Args {
    pub(crate) cities: Vec<String>,
    pub(crate) file: Option<PathBuf>,
    pub(crate) source: Source,
    pub(crate) rule: Rule,
    pub(crate) timeout: Duration,
    pub(crate) timeline: Option<PathBuf>,
    pub(crate) json: bool,
    pub(crate) verbose: bool,
}

/// Where the weather comes from.
#[derive(Debug)]
pub(crate) enum Source {
    Url(String),
    Embedded(Script),
}

/// The end of the program before any city was asked for.
#[derive(Debug)]
pub(crate) struct Exit {
    pub(crate) code: u8,
    pub(crate) line: Option<String>,
}

impl Exit {
    pub(crate) fn usage(line: String) -> Self {
        Self { code: 2, line: Some(line) }
    }

    pub(crate) fn failure(line: String) -> Self {
        Self { code: 1, line: Some(line) }
    }
}

impl Args {
    pub(crate) fn read() -> Result<Self, Exit> {
        let cli = Cli::try_parse().map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                // A reader that closed the pipe has seen enough.
                let _ = error.print();
                Exit { code: 0, line: None }
            }
            _ => Exit::usage(in_one_line(&error)),
        })?;
        let rule = cli.rule()?;
        let script = || Script::new([Fault::unavailable_for(1), Fault::Reset]);
        Ok(Self {
            cities: cli.cities,
            file: cli.file,
            source: match cli.api_url {
                Some(url) => Source::Url(url),
                None => Source::Embedded(cli.script.unwrap_or_else(script)),
            },
            rule,
            timeout: cli.timeout.unwrap_or(DEFAULT_TIMEOUT),
            timeline: cli.timeline,
            json: cli.json,
            verbose: cli.verbose,
        })
    }
}

impl Cli {
    fn rule(&self) -> Result<Rule, Exit> {
        let attempts = match self.max_attempts {
            Some(attempts) => attempts.get(),
            None if self.no_retry => 1,
            None => DEFAULT_ATTEMPTS,
        };
        let policy: Policy = match (&self.policy, self.retry, self.deadline) {
            (Some(file), ..) => read_policy(file)?,
            (None, Some(Backoff::None), _) if self.max_attempts.is_some() => {
                return Err(Exit::usage("--retry none tries once; leave out --max-attempts".to_owned()));
            }
            (None, Some(Backoff::None), _) => Retry::none().into(),
            (None, Some(Backoff::Exponential), _) => Retry::exponential(attempts).cap(MAX_RETRY_DELAY).into(),
            (None, Some(Backoff::Immediate), _) | (None, None, Some(_)) => Retry::immediate(attempts).into(),
            (None, None, None) => {
                let policy = RetryPolicy::at_most(attempts).map_err(|error| Exit::usage(error.to_string()))?;
                return Ok(Rule::Plain(policy));
            }
        };
        Ok(Rule::Policy(match self.deadline {
            Some(deadline) => policy.deadline(deadline),
            None => policy,
        }))
    }
}

fn read_policy(file: &Path) -> Result<Policy, Exit> {
    let named = file.display();
    let text = fs::read_to_string(file)
        .map_err(|error| Exit::usage(format!("{named} cannot be read: {error}; name a readable TOML file")))?;
    toml::from_str(&text).map_err(|error| {
        let line = 1 + error.span().map_or(0, |span| text[..span.start].matches('\n').count());
        Exit::usage(format!("{named}, line {line}: {}", error.message()))
    })
}

/// Clap spreads an error over several paragraphs. The last ones only say how to get help.
fn in_one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let paragraphs: Vec<String> = text
        .split("\n\n")
        .map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
        .take_while(|paragraph| !paragraph.starts_with("Usage:") && !paragraph.starts_with("For more"))
        .collect();
    let line = paragraphs.join("; ");
    format!("{} (forecast --help shows what is possible)", line.trim_start_matches("error: "))
}

fn parse_attempts(text: &str) -> Result<NonZeroU32, String> {
    let wrong = || format!("expected a number from 1 to {}; --no-retry tries once", u32::MAX);
    text.parse().map_err(|_| wrong())
}

fn parse_timeout(text: &str) -> Result<Duration, String> {
    let timeout = parse_span(text)?;
    if timeout.is_zero() { Err("expected more than 0".to_owned()) } else { Ok(timeout) }
}

fn parse_script(text: &str) -> Result<Script, ScriptError> {
    text.parse()
}
