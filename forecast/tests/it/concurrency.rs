use std::sync::Arc;

use forecast::{FetchResult, ForecastService, RetryPolicy};
use futures::future::join_all;

use crate::support::{api, server, service};

#[tokio::test(start_paused = true)]
async fn two_hundred_calls_keep_their_own_counts() {
    let server = server("503:1, reset, ok");
    let service = Arc::new(service(&server));
    let calls = (0..200).map(|n| {
        let service = Arc::clone(&service);
        // Spawned: the call is `Send`, with everything it borrows inside.
        tokio::spawn(async move {
            let city = if n % 2 == 0 { format!("Nowhere {n}") } else { "Seoul".to_owned() };
            let result = service.fetch_forecast(&city, RetryPolicy::at_most(3).unwrap()).await;
            (n, result)
        })
    });
    for ended in join_all(calls).await {
        let (n, result) = ended.unwrap();
        match result {
            Ok(FetchResult::Success { attempts: 3, .. }) => assert_eq!(n % 2, 1),
            Err(forecast::ApiError::UnknownCity { .. }) => assert_eq!(n % 2, 0),
            other => panic!("call {n} gave {other:?}"),
        }
    }
    // 100 names that are not found: three searches each. 100 calls for Seoul: a forecast more.
    assert_eq!(server.received().len(), 100 * 3 + 100 * 4);
    assert_eq!(server.attempts().len(), 100 * 3 + 3);
}

#[test]
fn a_call_runs_on_a_runtime_of_many_threads() {
    let server = server("502");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let service = Arc::new(ForecastService::new(api(&server)));
    let call = {
        let service = Arc::clone(&service);
        async move { service.fetch_forecast("Seoul", RetryPolicy::at_most(2).unwrap()).await }
    };
    let result = runtime.block_on(runtime.spawn(call)).unwrap();
    assert!(matches!(result, Ok(FetchResult::Success { attempts: 2, .. })), "{result:?}");
}
