//! `GET /metrics`: what the server has done, in the text format of Prometheus.
//!
//! `prometheus-client` is not used: it writes OpenMetrics instead, which changes the type of the
//! document and the label of a bucket (`le="1.0"`), and its order of lines is random.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hyper::StatusCode;

use crate::guests::Guests;
use crate::log::Log;
use crate::route::Route;
use crate::searches::Searches;
use crate::shelf::Shelf;

/// All statuses of the server's answers.
const STATUSES: [u16; 13] = [
    200, 204, 304, 400, 403, 404, 405, 408, 413, 415, 422, 500, 503,
];

/// Seconds up to which requests are counted together.
const LIMITS: [f64; 7] = [0.0001, 0.0005, 0.002, 0.01, 0.05, 0.25, 1.0];

/// What is counted.
#[derive(Default)]
pub(super) struct Metrics {
    routes: [OfRoute; Route::NAMES.len()],
    /// Positions that were asked for, those of batches each.
    pub(super) positions: Arc<AtomicU64>,
    /// How often the system refused a connection.
    pub(super) accept_errors: AtomicU64,
}

#[derive(Default)]
struct OfRoute {
    statuses: [AtomicU64; STATUSES.len()],
    /// Requests that took at most as long as each limit and longer than the one before; and
    /// the others.
    times: [AtomicU64; LIMITS.len() + 1],
    microseconds: AtomicU64,
}

impl Metrics {
    /// A request was answered.
    pub(super) fn count(&self, route: &Route<'_>, status: StatusCode, time: Duration) {
        let of_route = &self.routes[route.number()];
        if let Some(place) = STATUSES.iter().position(|&known| known == status.as_u16()) {
            add(&of_route.statuses[place], 1);
        }
        let seconds = time.as_secs_f64();
        let place = LIMITS.iter().position(|&limit| seconds <= limit);
        add(&of_route.times[place.unwrap_or(LIMITS.len())], 1);
        add(&of_route.microseconds, time.as_micros() as u64);
    }

    pub(super) fn write(
        &self,
        guests: &Guests,
        log: &Log,
        searches: &Searches,
        shelf: &Shelf,
    ) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_to(&mut text, guests, log, searches, shelf);
        text
    }

    fn write_to(
        &self,
        text: &mut String,
        guests: &Guests,
        log: &Log,
        searches: &Searches,
        shelf: &Shelf,
    ) -> std::fmt::Result {
        describe(text, "granero_info", "gauge", "The program")?;
        let version = env!("CARGO_PKG_VERSION");
        writeln!(text, "granero_info{{version=\"{version}\"}} 1")?;

        describe(
            text,
            "granero_requests_total",
            "counter",
            "Requests answered",
        )?;
        for (route, of_route) in Route::NAMES.iter().zip(&self.routes) {
            for (status, count) in STATUSES.iter().zip(&of_route.statuses) {
                let count = get(count);
                if count > 0 {
                    let labels = format!("route=\"{route}\",status=\"{status}\"");
                    writeln!(text, "granero_requests_total{{{labels}}} {count}")?;
                }
            }
        }

        let name = "granero_request_seconds";
        describe(text, name, "histogram", "How long answers take to make")?;
        for (route, of_route) in Route::NAMES.iter().zip(&self.routes) {
            let label = format!("route=\"{route}\"");
            let mut count = 0;
            for (limit, time) in LIMITS.iter().zip(&of_route.times) {
                count += get(time);
                writeln!(text, "{name}_bucket{{{label},le=\"{limit}\"}} {count}")?;
            }
            count += get(&of_route.times[LIMITS.len()]);
            writeln!(text, "{name}_bucket{{{label},le=\"+Inf\"}} {count}")?;
            let seconds = get(&of_route.microseconds) as f64 / 1e6;
            writeln!(text, "{name}_sum{{{label}}} {seconds}")?;
            writeln!(text, "{name}_count{{{label}}} {count}")?;
        }

        let name = "granero_positions_total";
        describe(text, name, "counter", "Positions asked for")?;
        writeln!(text, "{name} {}", get(&self.positions))?;

        let name = "granero_overloaded_total";
        describe(text, name, "counter", "Requests told to try again")?;
        let place = STATUSES.iter().position(|&status| status == 503);
        let overloaded = place.map_or(0, |place| {
            let counts = self.routes.iter().map(|of| get(&of.statuses[place]));
            counts.sum()
        });
        writeln!(text, "{name} {overloaded}")?;

        let name = "granero_searches";
        let what = "Searches for proven bounds that are at work, and that wait";
        describe(text, name, "gauge", what)?;
        for (state, count) in searches.present() {
            writeln!(text, "{name}{{state=\"{state}\"}} {count}")?;
        }

        let name = "granero_searches_total";
        describe(
            text,
            name,
            "counter",
            "Searches that are over, by why they ended",
        )?;
        for (ended, count) in searches.ended() {
            writeln!(text, "{name}{{ended=\"{ended}\"}} {count}")?;
        }

        let name = "granero_searched_positions_total";
        describe(text, name, "counter", "Positions that searches looked at")?;
        writeln!(text, "{name} {}", searches.positions())?;

        let name = "granero_connections";
        describe(text, name, "gauge", "Open connections")?;
        writeln!(text, "{name} {}", guests.open())?;

        let name = "granero_connections_refused_total";
        let what = "Connections closed at once because there was no room, and for whom";
        describe(text, name, "counter", what)?;
        for (limit, count) in guests.refused() {
            writeln!(text, "{name}{{limit=\"{limit}\"}} {count}")?;
        }

        let name = "granero_connections_displaced_total";
        let what = "Connections without a request that gave way to others";
        describe(text, name, "counter", what)?;
        writeln!(text, "{name} {}", guests.closed())?;

        let name = "granero_accept_errors_total";
        let what = "How often the system refused a connection";
        describe(text, name, "counter", what)?;
        writeln!(text, "{name} {}", get(&self.accept_errors))?;

        let name = "granero_log_lines_dropped_total";
        let what = "Lines dropped because the stream is not read";
        describe(text, name, "counter", what)?;
        for (stream, count) in log.dropped() {
            writeln!(text, "{name}{{stream=\"{stream}\"}} {count}")?;
        }

        let name = "granero_table_seeds";
        describe(text, name, "gauge", "The most seeds that tables hold")?;
        for volume in shelf.volumes() {
            if let Some(seeds) = volume.tables.max_seeds() {
                let (rules, cycles) = (volume.tables.rules(), volume.tables.cycles());
                let labels = format!("rules=\"{rules}\",cycles=\"{cycles}\"");
                writeln!(text, "{name}{{{labels}}} {seeds}")?;
            }
        }
        Ok(())
    }
}

fn describe(text: &mut String, name: &str, kind: &str, what: &str) -> std::fmt::Result {
    write!(text, "# HELP {name} {what}.\n# TYPE {name} {kind}\n")
}

/// Counts need no order among each other.
fn add(counter: &AtomicU64, number: u64) {
    counter.fetch_add(number, Ordering::Relaxed);
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}
