//! What each fault of the embedded server is called, and what each way to go wrong at the socket is.

use std::error::Error as _;
use std::io::Write as _;
use std::net::TcpListener;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use forecast::{ApiError, ForecastApi as _, HttpForecastApi};

use crate::support::{
    StandingStill, answering, answering_after, api, catch_up, ok, read_head, requests, server, until,
};

/// The name of the case.
fn case(error: &ApiError) -> &'static str {
    match error {
        ApiError::Status { .. } => "status",
        ApiError::Unreachable { .. } => "unreachable",
        ApiError::UnknownCity { .. } => "unknown city",
        ApiError::Unexpected { .. } => "unexpected",
    }
}

#[tokio::test(start_paused = true)]
async fn of_the_embedded_server() {
    let table = [
        ("503:7", "status"),
        ("429", "status"),
        ("500", "status"),
        ("delay:60", "unreachable"),
        ("reset", "unreachable"),
        ("cut", "unreachable"),
        ("garbage", "unexpected"),
        ("stall", "unreachable"),
    ];
    for (fault, expected) in table {
        for (endpoint, count) in [("search", 1), ("forecast", 2)] {
            let server = server(&format!("{fault}@{endpoint}"));
            let api = api(&server);
            // Only when the faulty request has been read may the clock jump, to the timeout if nothing else comes.
            let (result, ()) = tokio::join!(api.fetch("id:1", "Seoul"), async {
                until(|| requests(&server) == count).await;
                catch_up(&server);
            });
            let error = result.unwrap_err();
            assert_eq!(case(&error), expected, "{fault}@{endpoint}: {error:?}");
            assert!(error.source().is_some(), "{fault}@{endpoint}: {error:?}");
            // Nothing was sent again behind our back.
            catch_up(&server);
            assert_eq!(requests(&server), count, "{fault}@{endpoint}");
        }
    }
}

#[tokio::test]
async fn of_an_answer() {
    let chunked = |body: &str| format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{body}");
    let many_headers = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(200));
    let table = [
        ("ends before the head", String::new(), "unreachable"),
        ("ends inside the head", "HTTP/1.1 200 O".to_owned(), "unreachable"),
        ("ends inside a header", "HTTP/1.1 200 OK\r\ncontent-le".to_owned(), "unreachable"),
        ("is not HTTP", "hello\r\n\r\n".to_owned(), "unexpected"),
        ("has too many headers", many_headers, "unexpected"),
        ("ends inside the body", "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{".to_owned(), "unreachable"),
        ("ends inside a chunk", chunked("9\r\n{\"res"), "unreachable"),
        ("ends between chunks", chunked("1\r\n{\r\n"), "unreachable"),
        ("has a wrong chunk", chunked("zz\r\n{}\r\n"), "unexpected"),
        ("ends early, undelimited", "HTTP/1.1 200 OK\r\n\r\n{\"resul".to_owned(), "unreachable"),
        ("is not JSON, undelimited", "HTTP/1.1 200 OK\r\n\r\nnope".to_owned(), "unexpected"),
        ("is empty", ok(""), "unexpected"),
        ("is not JSON", ok("<html>"), "unexpected"),
        ("is JSON cut short, but delimited", ok("{\"results\":[{"), "unexpected"),
        ("is another JSON", ok("[1, 2]"), "unexpected"),
        ("is null", ok("null"), "unexpected"),
        ("has a place without coordinates", ok(r#"{"results":[{"name":"x"}]}"#), "unexpected"),
        ("has an error inside", ok(r#"{"reason":"no","error":true}"#), "unexpected"),
        ("has no results", ok(r#"{"generationtime_ms":0.5}"#), "unknown city"),
        ("has null results", ok(r#"{"results":null}"#), "unknown city"),
        ("has empty results", ok(r#"{"results":[]}"#), "unknown city"),
        ("has no content", "HTTP/1.1 204 No Content\r\n\r\n".to_owned(), "unexpected"),
        ("redirects", "HTTP/1.1 301 M\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n".to_owned(), "unexpected"),
        ("is a status of its own", "HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n".to_owned(), "unexpected"),
        ("is a 400 in HTML", "HTTP/1.1 400 X\r\n\r\n<html>no</html>".to_owned(), "status"),
        ("is a 503 cut off", "HTTP/1.1 503 X\r\ncontent-length: 99\r\n\r\n{".to_owned(), "status"),
        ("is too long", ok(&" ".repeat(2 << 20)), "unexpected"),
    ];
    for (what, bytes, expected) in table {
        let url = answering(bytes);
        let error = HttpForecastApi::new(&url).unwrap().fetch("id:1", "Seoul").await.unwrap_err();
        assert_eq!(case(&error), expected, "an answer that {what}: {error:?}");
        assert!(!error.to_string().is_empty());
    }
}

#[tokio::test]
async fn a_server_that_is_not_there() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let api = HttpForecastApi::new(&format!("http://{address}")).unwrap();
    let error = api.fetch("id:1", "Seoul").await.unwrap_err();
    assert_eq!(case(&error), "unreachable");
    assert!(error.root_cause().unwrap().to_string().contains("refused"), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn the_timeout_is_for_the_whole_attempt() {
    // Both requests get this answer, each after 50 real milliseconds.
    let place = r#"{"name":"X","latitude":1,"longitude":2}"#;
    let both = ok(&format!(r#"{{"results":[{place}],"current":{{"weather_code":0}}}}"#));
    let url = answering_after(Duration::from_millis(50), both);
    let api = HttpForecastApi::builder(&url).timeout(Duration::from_secs(10)).build().unwrap();

    assert_eq!(StandingStill(api.clone()).fetch("id:1", "X").await.unwrap().summary, "clear sky");

    // Six seconds pass during each, so either would be in time, but not both together.
    let start = Instant::now();
    let (result, ()) = tokio::join!(api.fetch("id:2", "X"), async {
        for middle in [25, 75] {
            until(|| start.elapsed() > Duration::from_millis(middle)).await;
            tokio::time::advance(Duration::from_secs(6)).await;
        }
        until(|| start.elapsed() > Duration::from_millis(150)).await;
    });
    assert_eq!(case(&result.unwrap_err()), "unreachable");
}

#[tokio::test]
async fn an_answer_that_trickles_ends_with_the_timeout() {
    for beginning in ["HTTP/1.1 200 OK\r\nx: ", "HTTP/1.1 200 OK\r\n\r\n"] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            read_head(&mut socket);
            socket.write_all(beginning.as_bytes()).unwrap();
            // There is always something more, until the client has had enough.
            while socket.write_all(b" ").is_ok() {
                thread::sleep(Duration::from_millis(5));
            }
        });
        let api = HttpForecastApi::builder(&url).timeout(Duration::from_millis(100)).build().unwrap();
        let error = api.fetch("id:1", "Seoul").await.unwrap_err();
        assert_eq!(case(&error), "unreachable", "{error:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_one_although_its_body_stalls() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let api = HttpForecastApi::new(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let (answered, answer) = mpsc::channel();
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        read_head(&mut socket);
        socket.write_all(b"HTTP/1.1 503 X\r\nretry-after: 7\r\ncontent-length: 99\r\n\r\n{").unwrap();
        // With the socket, so that it stays open.
        answered.send(socket).unwrap();
    });
    let start = tokio::time::Instant::now();
    let mut open = None;
    let (result, ()) = tokio::join!(
        api.fetch("id:1", "Seoul"),
        until(|| {
            open = answer.try_recv().ok();
            open.is_some()
        })
    );
    let retry_after = Some(Duration::from_secs(7));
    assert!(
        matches!(result, Err(ApiError::Status { status: 503, retry_after: seen, source: None }) if seen == retry_after)
    );
    assert_eq!(start.elapsed().as_secs(), 1, "the reason is not worth a longer wait");
}

#[tokio::test]
async fn the_longest_timeouts_are_no_problem() {
    let server = server("ok");
    let api =
        HttpForecastApi::builder(&server.url()).timeout(Duration::MAX).connect_timeout(Duration::MAX).build().unwrap();
    assert_eq!(api.fetch("id:1", "Seoul").await.unwrap().city, "Seoul");
}

#[tokio::test]
async fn a_connection_that_died_between_two_attempts_is_noticed() {
    // The second attempt finds the pooled connection of the first one, and that is reset.
    let server = server("503, reset");
    let api = api(&server);
    assert_eq!(case(&api.fetch("id:1", "Seoul").await.unwrap_err()), "status");
    assert_eq!(case(&api.fetch("id:2", "Seoul").await.unwrap_err()), "unreachable");
    assert_eq!(api.fetch("id:3", "Seoul").await.unwrap().city, "Seoul");
    assert_eq!(server.received().len(), 4);
}
