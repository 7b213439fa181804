//! Numbers and times as text for people.
//!
//! indicatif shows counts. Its `HumanBytes` is not used: the library's errors show bytes with
//! `granero::build::bytes`, and the command shows them alike.

use std::time::Duration;

use indicatif::HumanCount;

/// A number with commas between its thousands.
pub fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// A rounded number: in millions from a million on.
pub fn rounded(number: u64) -> String {
    if number < 1_000_000 {
        grouped(number)
    } else {
        format!("{:.1} M", number as f64 / 1e6)
    }
}

/// A rate in a second: of positions, or of an engine's answers.
pub fn rate(per_second: f64) -> String {
    match per_second {
        ..100.0 => format!("{per_second:.1}/s"),
        ..1e6 => format!("{}/s", grouped(per_second as u64)),
        _ => format!("{:.1} M/s", per_second / 1e6),
    }
}

/// A number of something whose plural ends in `s`.
pub fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(number))
}

/// A time for people. `HumanDuration` of indicatif rounds to seconds, and many times are shorter.
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        _ if seconds < 0.95 => format!("{:.0} ms", seconds * 1000.0),
        _ if seconds < 99.5 => format!("{seconds:.1} s"),
        _ if seconds < 5940.0 => format!("{:.0} min", seconds / 60.0),
        _ if seconds < 3600.0 * 48.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1234567), "1,234,567");
        assert_eq!(rounded(999_999), "999,999");
        assert_eq!(rounded(1_234_567), "1.2 M");
        assert_eq!(rate(0.26), "0.3/s");
        assert_eq!(rate(12_345.6), "12,345/s");
        assert_eq!(rate(12_345_678.9), "12.3 M/s");
        assert_eq!(counted(1, "seed"), "1 seed");
        assert_eq!(counted(1000, "seed"), "1,000 seeds");
        assert_eq!(duration(Duration::from_millis(12)), "12 ms");
        assert_eq!(duration(Duration::from_secs(75)), "75.0 s");
        assert_eq!(duration(Duration::from_secs(600)), "10 min");
    }
}
