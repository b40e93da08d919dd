use std::collections::HashMap;

use super::head::Head;

/// A request whose head the server read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The method, such as `GET`.
    pub method: String,
    /// Path and query as they arrived.
    pub target: String,
    /// The header `x-request-id` as it arrived.
    pub request_id: Option<String>,
}

/// What arrived, and which attempt of which call each request belongs to.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    received: Vec<Received>,
    /// The request ids of each call, in order of arrival.
    calls: HashMap<String, Vec<String>>,
    without_id: usize,
}

impl Attempts {
    pub(super) fn received(&self) -> &[Received] {
        &self.received
    }

    /// Writes a request down and tells which attempt of its call it belongs to, counted from 0.
    pub(super) fn record(&mut self, head: &Head) -> usize {
        self.received.push(Received {
            method: head.method.clone(),
            target: head.target.clone(),
            request_id: head.request_id.clone(),
        });
        let Some(id) = &head.request_id else {
            self.without_id += 1;
            return self.without_id - 1;
        };
        let call = id.rsplit_once(':').map_or(id.as_str(), |(call, _)| call);
        let ids = self.calls.entry(call.to_owned()).or_default();
        ids.iter().position(|known| known == id).unwrap_or_else(|| {
            ids.push(id.clone());
            ids.len() - 1
        })
    }
}
