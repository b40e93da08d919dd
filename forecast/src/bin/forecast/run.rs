use std::io;

use forecast::{ForecastService, HttpForecastApi};
use futures::{StreamExt as _, stream};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::runtime;

use crate::args::Rule;
use crate::watch::Watch;

/// How many cities are asked for at the same time.
const AT_ONCE: usize = 16;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    ByItself,
    ByCtrlC,
}

/// A bar for so many cities, on standard error and only if that is a terminal.
pub(crate) fn bar(cities: usize) -> ProgressBar {
    let bar = ProgressBar::new(cities as u64);
    match ProgressStyle::with_template("{bar:40} {pos} of {len} cities") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Asks for every city, unless Ctrl-C comes first: then all that is under way is dropped, and nothing more is sent.
pub(crate) fn run(api: &HttpForecastApi, rule: &Rule, watches: &[Watch<'_>], bar: &ProgressBar) -> io::Result<Ended> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    bar.tick();
    let all = stream::iter(watches).for_each_concurrent(AT_ONCE, |watch| {
        let service = ForecastService::new(api).observed_by(watch);
        async move {
            watch.done(match rule {
                Rule::Plain(policy) => service.fetch_forecast(&watch.city, *policy).await,
                Rule::Policy(policy) => service.fetch_with_policy(&watch.city, policy.clone()).await,
            });
            bar.inc(1);
        }
    });
    let ended = runtime.block_on(async {
        tokio::select! {
            biased;
            Ok(()) = tokio::signal::ctrl_c() => Ended::ByCtrlC,
            () = all => Ended::ByItself,
        }
    });
    bar.finish_and_clear();
    // A name being looked up keeps a thread busy for seconds; nobody waits for that any more.
    runtime.shutdown_background();
    Ok(ended)
}

pub(crate) fn exit_code(watches: &[Watch<'_>], ended: Ended) -> u8 {
    match ended {
        // What shells expect of a program that was interrupted.
        Ended::ByCtrlC => 130,
        Ended::ByItself => u8::from(!watches.iter().all(Watch::succeeded)),
    }
}
