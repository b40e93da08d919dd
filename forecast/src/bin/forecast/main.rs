//! `forecast`: the weather of one city or many, with every attempt in sight.

mod args;
mod cities;
mod report;
mod run;
mod table;
mod text;
mod timeline;
mod watch;

use std::process::ExitCode;

use forecast::{HttpForecastApi, WeatherServer};
use indicatif::ProgressBar;

use self::args::{Args, Exit, Source};
use self::report::Report;
use self::timeline::Picture;
use self::watch::Watch;

fn main() -> ExitCode {
    match Args::read().and_then(|args| start(&args)) {
        Ok(code) | Err(Exit { code, line: None }) => code.into(),
        Err(Exit { code, line: Some(line) }) => {
            text::err(&format!("forecast: {line}"));
            code.into()
        }
    }
}

fn start(args: &Args) -> Result<u8, Exit> {
    if args.verbose {
        text::trace_to_stderr();
    }
    let cities = cities::gather(&args.cities, args.file.as_deref())?;
    let picture = args.timeline.as_deref().map(Picture::create).transpose()?;

    // Kept to the end of the function: dropping it ends it.
    let embedded;
    let url = match &args.source {
        Source::Url(url) => url.clone(),
        Source::Embedded(script) => {
            embedded = WeatherServer::start(script.clone())
                .map_err(|error| Exit::failure(format!("the weather server cannot start: {error}")))?;
            embedded.url()
        }
    };
    let api = HttpForecastApi::builder(&url)
        .timeout(args.timeout)
        .connect_timeout(args.timeout.min(forecast::http::DEFAULT_CONNECT_TIMEOUT))
        .build()
        .map_err(|error| Exit::usage(text::explain(&error)))?;

    let one = cities.len() == 1 && args.file.is_none();
    let report = Report::new(args.json, one, url);
    let watches: Vec<Watch> = cities.into_iter().map(|city| Watch::new(city, &report)).collect();
    // One city has lines instead, and a trace would run through the bar.
    let bar = if one || args.verbose { ProgressBar::hidden() } else { run::bar(watches.len()) };
    let ended = run::run(&api, &args.rule, &watches, &bar)
        .map_err(|error| Exit::failure(format!("the runtime cannot start: {error}")))?;
    let drawn = picture.map(|picture| picture.draw(&watches)).transpose();
    report.finish(&watches, ended);
    drawn?;
    Ok(run::exit_code(&watches, ended))
}
