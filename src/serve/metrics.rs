//! Counts for Prometheus.

use std::sync::LazyLock;

use prometheus::{
    HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, register_histogram_vec,
    register_int_counter, register_int_counter_vec, register_int_gauge, register_int_gauge_vec,
};

/// Makes the struct of all metrics, each with its type and how it is registered.
macro_rules! metrics {
    ($($name:ident: $kind:ty = $registered:expr;)*) => {
        pub(crate) struct Metrics {
            $(pub(crate) $name: $kind,)*
        }

        pub(crate) static METRICS: LazyLock<Metrics> = LazyLock::new(|| Metrics {
            $($name: $registered.expect("each has a name of its own, and is registered once"),)*
        });
    };
}

metrics! {
    info: IntGaugeVec = register_int_gauge_vec!("granero_info", "The program.", &["version"]);
    requests: IntCounterVec = register_int_counter_vec!("granero_requests_total", "Requests answered.", &["route", "status"]);
    seconds: HistogramVec = register_histogram_vec!("granero_request_seconds", "How long answers take to make.", &["route"], vec![0.0001, 0.0005, 0.002, 0.01, 0.05, 0.25, 1.0]);
    positions: IntCounter = register_int_counter!("granero_positions_total", "Positions asked for.");
    overloaded: IntCounter = register_int_counter!("granero_overloaded_total", "Requests told to try again.");
    searches: IntGaugeVec = register_int_gauge_vec!("granero_searches", "Searches for proven bounds that are at work, and that wait.", &["state"]);
    searches_ended: IntCounterVec = register_int_counter_vec!("granero_searches_total", "Searches that are over, by why they ended.", &["ended"]);
    searched_positions: IntCounter = register_int_counter!("granero_searched_positions_total", "Positions that searches looked at.");
    connections: IntGauge = register_int_gauge!("granero_connections", "Open connections.");
    refused: IntCounter = register_int_counter!("granero_connections_refused_total", "Connections closed at once because there was no room.");
    evicted: IntCounter = register_int_counter!("granero_connections_displaced_total", "Connections that gave way to new ones.");
    accept_errors: IntCounter = register_int_counter!("granero_accept_errors_total", "How often the system refused a connection.");
    dropped_lines: IntCounterVec = register_int_counter_vec!("granero_log_lines_dropped_total", "Lines dropped because the stream is not read.", &["stream"]);
    table_seeds: IntGaugeVec = register_int_gauge_vec!("granero_table_seeds", "The most seeds that tables hold.", &["rules", "cycles"]);
}
