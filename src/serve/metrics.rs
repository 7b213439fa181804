//! Counts for Prometheus.

use std::sync::LazyLock;

use prometheus::{
    HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, TextEncoder,
    register_histogram_vec, register_int_counter, register_int_counter_vec, register_int_gauge,
    register_int_gauge_vec,
};

pub(crate) static METRICS: LazyLock<Metrics> = LazyLock::new(|| {
    Metrics::registered().expect("each has a name of its own, with which it is registered once")
});

pub(crate) struct Metrics {
    pub(crate) requests: IntCounterVec,
    pub(crate) seconds: HistogramVec,
    pub(crate) positions: IntCounter,
    pub(crate) overloaded: IntCounter,
    pub(crate) searches: IntGaugeVec,
    pub(crate) searches_ended: IntCounterVec,
    pub(crate) searched_positions: IntCounter,
    pub(crate) connections: IntGauge,
    pub(crate) refused: IntCounter,
    pub(crate) evicted: IntCounter,
    pub(crate) accept_errors: IntCounter,
    pub(crate) dropped_lines: IntCounterVec,
    pub(crate) table_seeds: IntGaugeVec,
}

impl Metrics {
    #[rustfmt::skip]
    fn registered() -> prometheus::Result<Metrics> {
        let info = register_int_gauge_vec!("granero_info", "The program.", &["version"])?;
        info.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
        let limits = vec![0.0001, 0.0005, 0.002, 0.01, 0.05, 0.25, 1.0];
        Ok(Metrics {
            requests: register_int_counter_vec!("granero_requests_total", "Requests answered.", &["route", "status"])?,
            seconds: register_histogram_vec!("granero_request_seconds", "How long answers take to make.", &["route"], limits)?,
            positions: register_int_counter!("granero_positions_total", "Positions asked for.")?,
            overloaded: register_int_counter!("granero_overloaded_total", "Requests told to try again.")?,
            searches: register_int_gauge_vec!("granero_searches", "Searches for proven bounds that are at work, and that wait.", &["state"])?,
            searches_ended: register_int_counter_vec!("granero_searches_total", "Searches that are over, by why they ended.", &["ended"])?,
            searched_positions: register_int_counter!("granero_searched_positions_total", "Positions that searches looked at.")?,
            connections: register_int_gauge!("granero_connections", "Open connections.")?,
            refused: register_int_counter!("granero_connections_refused_total", "Connections closed at once because there was no room.")?,
            evicted: register_int_counter!("granero_connections_displaced_total", "Connections that gave way to new ones.")?,
            accept_errors: register_int_counter!("granero_accept_errors_total", "How often the system refused a connection.")?,
            dropped_lines: register_int_counter_vec!("granero_log_lines_dropped_total", "Lines dropped because the stream is not read.", &["stream"])?,
            table_seeds: register_int_gauge_vec!("granero_table_seeds", "The most seeds that tables hold.", &["rules", "cycles"])?,
        })
    }
}

/// Writes all counts.
pub(crate) fn text() -> String {
    let text = TextEncoder::new().encode_to_string(&prometheus::gather());
    text.expect("names and numbers are text")
}
