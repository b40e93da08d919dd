use std::time::Duration;

use forecast::server::{Endpoint, Fault, RetryAfter, Script, Step};

fn read(text: &str) -> Script {
    text.parse().unwrap()
}

fn status(status: u16, retry_after: RetryAfter) -> Fault {
    Fault::Status { status, retry_after: Some(retry_after) }
}

#[test]
fn every_step() {
    assert_eq!(read("ok"), Script::new([Step::OK]));
    assert_eq!(read("503"), Script::new([Fault::status(503)]));
    assert_eq!(read("503:7"), Script::new([Fault::unavailable_for(7)]));
    assert_eq!(read("503:date+7"), Script::new([status(503, RetryAfter::DateIn(7))]));
    assert_eq!(read("503:date-7"), Script::new([status(503, RetryAfter::DateIn(-7))]));
    assert_eq!(read("429:soon"), Script::new([status(429, RetryAfter::Text("soon".to_owned()))]));
    assert_eq!(read("503:"), Script::new([status(503, RetryAfter::Text(String::new()))]));
    assert_eq!(read("delay:200ms"), Script::new([Fault::Delay(Duration::from_millis(200))]));
    let four = [Fault::Reset, Fault::Cut, Fault::Garbage, Fault::Stall];
    assert_eq!(read(" reset,cut , garbage,stall "), Script::new(four));
    assert_eq!(read("cut@forecast"), Script::new([Fault::Cut.on(Endpoint::Forecast)]));
    assert_eq!(read("cut@search"), Script::new([Fault::Cut]));
    assert_eq!(read("ok, 502*"), Script::new([Step::OK, Fault::status(502).into()]).repeating_the_last());
}

#[test]
fn what_is_no_step() {
    let wrong = [
        "",
        ",",
        "ok,",
        "*",
        "no",
        "OK",
        "50",
        "200",
        "600",
        "-1",
        "503:date",
        "503:dateX",
        "503:a\nb",
        "delay",
        "delay:",
        "delay:-1",
        "delay:x",
        "cut@",
        "cut@moon",
        "reset*, ok",
        "503 :1",
    ];
    for text in wrong {
        let error = text.parse::<Script>().unwrap_err().to_string();
        assert!(error.contains("is no step of a script"), "{text:?}: {error}");
    }
}
