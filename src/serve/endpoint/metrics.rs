//! `GET /metrics`: counts in the text format of Prometheus.
//!
//! `prometheus-client` is not used: it writes OpenMetrics, which changes the type of the document and
//! the label of a bucket (`le="1.0"`), and orders lines at random.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hyper::StatusCode;

use super::{ENDPOINTS, Endpoint};
use crate::reply::Reply;
use crate::server::Server;

/// All statuses of the server's answers.
const STATUSES: [u16; 13] = [
    200, 204, 304, 400, 403, 404, 405, 408, 413, 415, 422, 500, 503,
];

/// The upper limits of the histogram, in seconds.
const LIMITS: [f64; 7] = [0.0001, 0.0005, 0.002, 0.01, 0.05, 0.25, 1.0];

/// The counts of a server.
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
        if let Some(place) = STATUSES.iter().position(|&known| known == status.as_u16()) {
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
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, server);
    Reply::metrics(text)
}

fn write(text: &mut String, server: &Server) -> std::fmt::Result {
    let metrics = &server.metrics;
    describe(text, "granero_info", "gauge", "The program")?;
    let version = env!("CARGO_PKG_VERSION");
    writeln!(text, "granero_info{{version=\"{version}\"}} 1")?;

    describe(
        text,
        "granero_requests_total",
        "counter",
        "Requests answered",
    )?;
    for (Endpoint { name: route, .. }, counts) in ENDPOINTS.iter().zip(&metrics.endpoints) {
        for (status, count) in STATUSES.iter().zip(&counts.statuses) {
            let count = get(count);
            if count > 0 {
                let labels = format!("route=\"{route}\",status=\"{status}\"");
                writeln!(text, "granero_requests_total{{{labels}}} {count}")?;
            }
        }
    }

    let name = "granero_request_seconds";
    describe(text, name, "histogram", "How long answers take to make")?;
    for (Endpoint { name: route, .. }, counts) in ENDPOINTS.iter().zip(&metrics.endpoints) {
        let label = format!("route=\"{route}\"");
        let mut count = 0;
        for (limit, time) in LIMITS.iter().zip(&counts.times) {
            count += get(time);
            writeln!(text, "{name}_bucket{{{label},le=\"{limit}\"}} {count}")?;
        }
        count += get(&counts.times[LIMITS.len()]);
        writeln!(text, "{name}_bucket{{{label},le=\"+Inf\"}} {count}")?;
        let seconds = get(&counts.microseconds) as f64 / 1e6;
        writeln!(text, "{name}_sum{{{label}}} {seconds}")?;
        writeln!(text, "{name}_count{{{label}}} {count}")?;
    }

    let name = "granero_positions_total";
    describe(text, name, "counter", "Positions asked for")?;
    writeln!(text, "{name} {}", get(&metrics.positions))?;

    let name = "granero_overloaded_total";
    describe(text, name, "counter", "Requests told to try again")?;
    let place = STATUSES.iter().position(|&status| status == 503);
    let overloaded = place.map_or(0, |place| {
        let counts = metrics
            .endpoints
            .iter()
            .map(|counts| get(&counts.statuses[place]));
        counts.sum()
    });
    writeln!(text, "{name} {overloaded}")?;

    let name = "granero_searches";
    let what = "Searches for proven bounds that are at work, and that wait";
    describe(text, name, "gauge", what)?;
    for (state, count) in server.searches.current() {
        writeln!(text, "{name}{{state=\"{state}\"}} {count}")?;
    }

    let name = "granero_searches_total";
    describe(
        text,
        name,
        "counter",
        "Searches that are over, by why they ended",
    )?;
    for (ended, count) in server.searches.ended() {
        writeln!(text, "{name}{{ended=\"{ended}\"}} {count}")?;
    }

    let name = "granero_searched_positions_total";
    describe(text, name, "counter", "Positions that searches looked at")?;
    writeln!(text, "{name} {}", server.searches.positions())?;

    let name = "granero_connections";
    describe(text, name, "gauge", "Open connections")?;
    writeln!(text, "{name} {}", server.connections.open())?;

    let name = "granero_connections_refused_total";
    let what = "Connections closed at once because there was no room, and for whom";
    describe(text, name, "counter", what)?;
    for (limit, count) in server.connections.refused() {
        writeln!(text, "{name}{{limit=\"{limit}\"}} {count}")?;
    }

    let name = "granero_connections_displaced_total";
    let what = "Connections without a request that gave way to others";
    describe(text, name, "counter", what)?;
    writeln!(text, "{name} {}", server.connections.evicted())?;

    let name = "granero_accept_errors_total";
    let what = "How often the system refused a connection";
    describe(text, name, "counter", what)?;
    writeln!(text, "{name} {}", get(&metrics.accept_errors))?;

    let name = "granero_log_lines_dropped_total";
    let what = "Lines dropped because the stream is not read";
    describe(text, name, "counter", what)?;
    for (stream, count) in server.log.dropped() {
        writeln!(text, "{name}{{stream=\"{stream}\"}} {count}")?;
    }

    let name = "granero_table_seeds";
    describe(text, name, "gauge", "The most seeds that tables hold")?;
    for set in server.current.catalogue().sets() {
        if let Some(seeds) = set.tables.max_seeds() {
            let (rules, cycles) = (set.tables.rules(), set.tables.cycles());
            let labels = format!("rules=\"{rules}\",cycles=\"{cycles}\"");
            writeln!(text, "{name}{{{labels}}} {seeds}")?;
        }
    }
    Ok(())
}

fn describe(text: &mut String, name: &str, kind: &str, what: &str) -> std::fmt::Result {
    write!(text, "# HELP {name} {what}.\n# TYPE {name} {kind}\n")
}

/// The counters need no order among each other.
fn add(counter: &AtomicU64, number: u64) {
    counter.fetch_add(number, Ordering::Relaxed);
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}
