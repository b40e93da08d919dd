//! The embedded server by itself, spoken to in raw bytes.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use forecast::WeatherServer;
use forecast::server::Script;

use crate::support::server;

/// Sends bytes, closes the sending half, and reads until the server closes.
fn exchange(server: &WeatherServer, bytes: &[u8]) -> String {
    let mut socket = TcpStream::connect(server.address()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    // A server that refuses need not read to the end.
    let _ = socket.write_all(bytes);
    let _ = socket.shutdown(std::net::Shutdown::Write);
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}

/// The status lines in an answer.
fn statuses(answer: &str) -> Vec<&str> {
    answer.lines().filter_map(|line| line.split_once("HTTP/1.1 ")?.1.get(..3)).collect()
}

fn get(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nhost: x\r\n\r\n")
}

#[test]
fn bad_requests_are_answered() {
    let server = server("ok");
    let table = [
        ("hello\r\n\r\n".to_owned(), "400"),
        ("GET / HTTP/9.9\r\n\r\n".to_owned(), "400"),
        ("\0\0\0\0\r\n\r\n".to_owned(), "400"),
        (format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(40_000)), "431"),
        (format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(150)), "431"),
        ("POST /v1/search HTTP/1.1\r\ncontent-length: 5\r\n\r\nhello".to_owned(), "413"),
        ("GET / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n".to_owned(), "413"),
        ("POST /v1/search?name=Seoul HTTP/1.1\r\ncontent-length: 0\r\n\r\n".to_owned(), "405"),
        (get("/"), "404"),
        (get("/v1/other"), "404"),
        (get("/v1/search"), "400"),
        (get("/v1/search?nome=Seoul"), "400"),
        (get("/v1/search?name=%ff%"), "200"),
        (get("/v1/search?name="), "200"),
        (get("/v1/forecast"), "400"),
        (get("/v1/forecast?latitude=91&longitude=0"), "400"),
        (get("/v1/forecast?latitude=NaN&longitude=0"), "400"),
        (get("/v1/forecast?latitude=x&longitude=0"), "400"),
        (get("/v1/forecast?latitude=1&longitude=181"), "400"),
        (get("/v1/forecast?latitude=1&longitude=2&current=mood"), "400"),
        (get("/v1/forecast?latitude=1&longitude=2"), "200"),
    ];
    for (request, expected) in table {
        let answer = exchange(&server, request.as_bytes());
        assert_eq!(statuses(&answer), [expected], "{request:.60?} gave {answer}");
        if expected.starts_with('4') {
            assert!(answer.contains(r#""error":true"#) && answer.contains(r#""reason":"#), "{answer}");
        }
    }
    // And it still works.
    let answer = exchange(&server, get("/v1/search?name=sEOUL").as_bytes());
    assert!(answer.contains("South Korea"), "{answer}");
}

#[test]
fn a_connection_serves_many_requests() {
    let server = server("ok");
    let requests = [get("/v1/search?name=Oslo"), get("/v1/nothing"), get("/v1/search?name=Rome")].concat();
    assert_eq!(statuses(&exchange(&server, requests.as_bytes())), ["200", "404", "200"]);

    let close = "GET /v1/search?name=Oslo HTTP/1.1\r\nConnection: x, Close\r\n\r\n";
    let answer = exchange(&server, [close, close].concat().as_bytes());
    assert_eq!(statuses(&answer), ["200"], "nothing after a close");
    let old = "GET /v1/search?name=Oslo HTTP/1.0\r\n\r\n";
    assert_eq!(statuses(&exchange(&server, [old, old].concat().as_bytes())), ["200"]);
    let old_but_alive = "GET /v1/search?name=Oslo HTTP/1.0\r\nconnection: keep-alive\r\n\r\n";
    assert_eq!(statuses(&exchange(&server, [old_but_alive, old].concat().as_bytes())), ["200", "200"]);
}

#[test]
fn a_request_may_come_byte_by_byte() {
    let server = server("ok");
    let mut socket = TcpStream::connect(server.address()).unwrap();
    socket.set_nodelay(true).unwrap();
    for byte in "GET /v1/search?name=Oslo HTTP/1.1\r\nconnection: close\r\n\r\n".bytes() {
        socket.write_all(&[byte]).unwrap();
    }
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("Norway"), "{answer}");
    assert_eq!(server.received().len(), 1);
}

#[test]
fn slow_clients_do_not_hold_up_the_others() {
    let server = server("ok");
    let slow: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut socket = TcpStream::connect(server.address()).unwrap();
            socket.write_all(b"GET /v1/sea").unwrap();
            socket
        })
        .collect();
    let start = Instant::now();
    assert_eq!(statuses(&exchange(&server, get("/v1/search?name=Oslo").as_bytes())), ["200"]);
    drop(server);
    assert!(start.elapsed() < Duration::from_secs(10), "neither an answer nor the end waits for them");
    drop(slow);
}

#[test]
fn a_reset_is_a_reset() {
    let server = server("reset");
    let mut socket = TcpStream::connect(server.address()).unwrap();
    socket.write_all(get("/v1/search?name=Oslo").as_bytes()).unwrap();
    let error = socket.read(&mut [0]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
}

#[test]
fn the_steps_of_a_script_go_by_attempt() {
    let server = server("503:1, cut@forecast");
    let ask = |target: &str, id: &str| {
        exchange(&server, format!("GET {target} HTTP/1.1\r\nX-Request-Id: {id}\r\n\r\n").as_bytes())
    };
    let search = "/v1/search?name=Oslo";
    let forecast = "/v1/forecast?latitude=1&longitude=2&current=weather_code";
    let first = ask(search, "a:1");
    assert!(first.contains("503 Service Unavailable") && first.contains("\r\nretry-after: 1\r\n"), "{first}");
    // The same attempt meets the same step, another call begins with the first one.
    assert_eq!(statuses(&ask(search, "a:1")), ["503"]);
    assert_eq!(statuses(&ask(search, "b:1")), ["503"]);
    // The second step strikes the second request.
    assert!(ask(search, "a:2").ends_with('}'));
    assert!(!ask(forecast, "a:2").ends_with('}'));
    // The script is exhausted.
    assert!(ask(search, "a:3").ends_with('}'));
    assert!(ask(forecast, "a:3").ends_with('}'));
    assert_eq!(server.attempts(), ["a:1", "b:1", "a:2", "a:3"]);
    assert_eq!(server.received().len(), 7);
}

#[test]
fn requests_without_an_id_are_attempts_by_themselves() {
    let server = server("503, ok, 502*");
    let answers = [0; 4].map(|_| exchange(&server, get("/v1/search?name=Oslo").as_bytes()));
    let statuses: Vec<_> = answers.iter().flat_map(|answer| statuses(answer)).collect();
    assert_eq!(statuses, ["503", "200", "502", "502"]);
}

#[test]
fn a_port_in_use_is_an_error() {
    let server = server("ok");
    let error = WeatherServer::start_on(server.address(), Script::all_well()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
}

#[test]
fn a_dropped_server_is_gone() {
    let server = server("stall");
    let mut socket = TcpStream::connect(server.address()).unwrap();
    socket.write_all(get("/v1/search?name=Oslo").as_bytes()).unwrap();
    socket.read_exact(&mut [0; 10]).unwrap();
    let address = server.address();
    drop(server);
    assert_eq!(TcpStream::connect(address).unwrap_err().kind(), ErrorKind::ConnectionRefused);
}

#[test]
fn weather_is_the_same_at_every_request_and_fits_the_place() {
    let server = server("ok");
    let temperature = |latitude: i32| {
        let target = format!("/v1/forecast?latitude={latitude}&longitude=10&current=temperature_2m");
        let answer = exchange(&server, get(&target).as_bytes());
        let number = answer.split_once(r#""current":{"temperature_2m":"#).unwrap().1;
        number.split_once('}').unwrap().0.parse::<f64>().unwrap()
    };
    assert!((temperature(60) - temperature(60)).abs() < f64::EPSILON);
    assert!(temperature(0) > temperature(80) + 20.0);
}
