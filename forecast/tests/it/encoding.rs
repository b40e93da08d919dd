use forecast::{ApiError, RetryPolicy};

use crate::support::{server, service};

#[tokio::test(start_paused = true)]
async fn a_city_that_cannot_stand_in_a_header_or_a_url() {
    let table = [
        ("Seoul", "Seoul", "Seoul"),
        ("New York", "New York", "New%20York"),
        ("서울", "%EC%84%9C%EC%9A%B8", "%EC%84%9C%EC%9A%B8"),
        ("São Paulo", "S%C3%A3o Paulo", "S%C3%A3o%20Paulo"),
        ("a/b?c", "a/b?c", "a%2Fb%3Fc"),
        ("a&count=9#x", "a&count=9#x", "a%26count%3D9%23x"),
        ("1+1", "1+1", "1%2B1"),
        ("a\nb", "a%0Ab", "a%0Ab"),
        ("a\r\nx-evil: 1", "a%0D%0Ax-evil: 1", "a%0D%0Ax-evil%3A%201"),
        ("a\0b\x7f", "a%00b%7F", "a%00b%7F"),
        ("100%", "100%25", "100%25"),
        ("%41", "%2541", "%2541"),
        ("", "", ""),
        (" ", " ", "%20"),
        ("🌧", "%F0%9F%8C%A7", "%F0%9F%8C%A7"),
        ("a:b", "a:b", "a%3Ab"),
    ];
    for (city, in_header, in_url) in table {
        let server = server("503");
        let result = service(&server).fetch_forecast(city, RetryPolicy::at_most(2).unwrap()).await;
        let known = ["Seoul", "New York", "서울", "São Paulo"].contains(&city);
        assert_eq!(result.is_ok(), known, "{city:?}: {result:?}");
        if let Err(error) = result {
            assert!(matches!(&error, ApiError::UnknownCity { city: named } if named == city), "{error:?}");
        }
        let ids = [format!("forecast:{in_header}:1"), format!("forecast:{in_header}:2")];
        assert_eq!(server.attempts(), ids, "{city:?}");
        assert_eq!(server.received()[0].target, format!("/v1/search?name={in_url}&count=1"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_very_long_name() {
    // Too long for the server, then too long for a URL.
    let server = server("ok");
    let result = service(&server).fetch_forecast(&"x".repeat(20_000), RetryPolicy::NO_RETRY).await;
    assert_eq!(result.unwrap(), forecast::FetchResult::Failure { attempts: 1, status: 431 });
    let result = service(&server).fetch_forecast(&"x".repeat(100_000), RetryPolicy::NO_RETRY).await;
    assert!(matches!(result, Err(ApiError::Unexpected { .. })), "{result:?}");
}
