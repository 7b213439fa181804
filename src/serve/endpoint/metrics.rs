//! `GET /metrics`: counts in the text format of Prometheus.
//!
//! `prometheus-client` is not used: it writes OpenMetrics, which changes the type of the document and
//! the label of a bucket (`le="1.0"`), and orders lines at random.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hyper::StatusCode;

use super::{ENDPOINTS, Endpoint};
use crate::reply::Reply;
use crate::server::Server;

/// All statuses of the server's answers.
const STATUSES: [u16; 14] = [
    200, 204, 304, 400, 403, 404, 405, 408, 413, 415, 422, 500, 503, 505,
];

/// The upper limits of the histogram, in seconds.
const LIMITS: [f64; 7] = [0.0001, 0.0005, 0.002, 0.01, 0.05, 0.25, 1.0];

#[derive(Default)]
pub(crate) struct Metrics {
    /// In the order of [`ENDPOINTS`].
    endpoints: [EndpointCounts; ENDPOINTS.len()],
    /// Positions that were asked for, alone or in batches.
    pub(crate) positions: Arc<AtomicU64>,
    /// Connections that the system refused.
    pub(crate) accept_errors: AtomicU64,
}

#[derive(Default)]
struct EndpointCounts {
    statuses: [AtomicU64; STATUSES.len()],
    /// Requests by the first limit that they did not exceed; then those that exceeded all.
    times: [AtomicU64; LIMITS.len() + 1],
    microseconds: AtomicU64,
}

impl Metrics {
    /// Counts a request that was answered.
    pub(crate) fn count(&self, endpoint: &Endpoint, status: StatusCode, time: Duration) {
        let counts = &self.endpoints[endpoint.action as usize];
        let place = STATUSES.iter().position(|&known| known == status);
        debug_assert!(place.is_some(), "{status} is not in STATUSES");
        if let Some(place) = place {
            add(&counts.statuses[place], 1);
        }
        let seconds = time.as_secs_f64();
        let place = LIMITS.iter().position(|&limit| seconds <= limit);
        add(&counts.times[place.unwrap_or(LIMITS.len())], 1);
        add(&counts.microseconds, time.as_micros() as u64);
    }
}

/// Writes all counts of a server.
pub(super) fn answer(server: &Server) -> Reply {
    let metrics = &server.metrics;
    let mut text = Text::default();

    text.family("granero_info", "gauge", "The program");
    text.labelled("version", [(env!("CARGO_PKG_VERSION"), 1)]);

    text.family("granero_requests_total", "counter", "Requests answered");
    for (Endpoint { name, .. }, counts) in ENDPOINTS.iter().zip(&metrics.endpoints) {
        for (status, count) in STATUSES.iter().zip(counts.statuses.iter().map(get)) {
            if count > 0 {
                text.sample("", &format!("route=\"{name}\",status=\"{status}\""), count);
            }
        }
    }

    let help = "How long answers take to make";
    text.family("granero_request_seconds", "histogram", help);
    for (Endpoint { name, .. }, counts) in ENDPOINTS.iter().zip(&metrics.endpoints) {
        let route = format!("route=\"{name}\"");
        let mut count = 0;
        for (limit, time) in LIMITS.iter().zip(&counts.times) {
            count += get(time);
            text.sample("_bucket", &format!("{route},le=\"{limit}\""), count);
        }
        count += get(&counts.times[LIMITS.len()]);
        text.sample("_bucket", &format!("{route},le=\"+Inf\""), count);
        text.sample("_sum", &route, get(&counts.microseconds) as f64 / 1e6);
        text.sample("_count", &route, count);
    }

    text.family("granero_positions_total", "counter", "Positions asked for");
    text.sample("", "", get(&metrics.positions));

    let help = "Requests told to try again";
    text.family("granero_overloaded_total", "counter", help);
    let place = STATUSES.iter().position(|&status| status == 503);
    let counts = metrics.endpoints.iter();
    let overloaded = counts.filter_map(|counts| Some(get(&counts.statuses[place?])));
    text.sample("", "", overloaded.sum::<u64>());

    let help = "Searches for proven bounds that are at work, and that wait";
    text.family("granero_searches", "gauge", help);
    text.labelled("state", server.searches.current());

    let help = "Searches that are over, by why they ended";
    text.family("granero_searches_total", "counter", help);
    text.labelled("ended", server.searches.ended());

    let help = "Positions that searches looked at";
    text.family("granero_searched_positions_total", "counter", help);
    text.sample("", "", server.searches.positions());

    text.family("granero_connections", "gauge", "Open connections");
    text.sample("", "", server.connections.open());

    let help = "Connections closed at once because there was no room, and for whom";
    text.family("granero_connections_refused_total", "counter", help);
    text.labelled("limit", server.connections.refused());

    let help = "Connections that gave way to new ones, idle or while a body arrived";
    text.family("granero_connections_displaced_total", "counter", help);
    text.sample("", "", server.connections.evicted());

    let help = "How often the system refused a connection";
    text.family("granero_accept_errors_total", "counter", help);
    text.sample("", "", get(&metrics.accept_errors));

    let help = "Lines dropped because the stream is not read";
    text.family("granero_log_lines_dropped_total", "counter", help);
    text.labelled("stream", server.log.dropped());

    let help = "The most seeds that tables hold";
    text.family("granero_table_seeds", "gauge", help);
    for set in server.current.catalogue().sets() {
        if let Some(seeds) = set.tables.max_seeds() {
            let (rules, cycles) = (set.tables.rules(), set.tables.cycles());
            text.sample("", &format!("rules=\"{rules}\",cycles=\"{cycles}\""), seeds);
        }
    }
    Reply::new("text/plain; version=0.0.4", text.text)
}

#[derive(Default)]
struct Text {
    text: String,
    /// The name of the family whose samples follow.
    name: &'static str,
}

impl Text {
    /// Begins a family of samples.
    fn family(&mut self, name: &'static str, kind: &str, help: &str) {
        self.name = name;
        self.text += &format!("# HELP {name} {help}.\n# TYPE {name} {kind}\n");
    }

    fn sample(&mut self, suffix: &str, labels: &str, value: impl Display) {
        let [begin, end] = if labels.is_empty() {
            ["", ""]
        } else {
            ["{", "}"]
        };
        self.text += &format!("{}{suffix}{begin}{labels}{end} {value}\n", self.name);
    }

    /// Writes samples that differ in one label.
    fn labelled<T: Display>(
        &mut self,
        label: &str,
        samples: impl IntoIterator<Item = (&'static str, T)>,
    ) {
        for (name, value) in samples {
            self.sample("", &format!("{label}=\"{name}\""), value);
        }
    }
}

/// The counters need no order among each other.
fn add(counter: &AtomicU64, number: u64) {
    counter.fetch_add(number, Ordering::Relaxed);
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}
