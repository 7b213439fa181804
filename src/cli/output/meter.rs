//! Progress of verbs that take a while: a bar on a terminal, lines elsewhere.

use std::fmt;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use granero_answer::{duration, grouped, rate};
use granero_console::say;

/// The least time between lines, without a terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// The time after which usually brief work gets a bar.
const PATIENCE: Duration = Duration::from_secs(2);

/// The most characters of a line.
const WIDTH: usize = 80;

/// The progress of a verb. Its bar disappears when this is dropped.
pub(crate) struct Meter {
    /// The counter, also if it is not drawn.
    bar: ProgressBar,
    unit: Unit,
    show: Show,
}

/// Shows progress besides a bar that is drawn from the beginning.
enum Show {
    Nothing,
    /// A bar after [`PATIENCE`].
    BarLater,
    /// Lines, with the time of the last one.
    Lines(Mutex<Instant>),
}

#[derive(Clone, Copy)]
pub(crate) enum Unit {
    Positions,
    Bytes,
}

impl Meter {
    /// Counts what usually takes a moment; if it takes longer, a terminal shows a bar.
    pub(crate) fn late(unit: Unit, all: Option<u64>) -> Meter {
        let show = terminal().map_or(Show::Nothing, |_| Show::BarLater);
        Meter::showing(show, unit, all)
    }

    /// Shows nothing: progress is unwanted, or would mix with the output on a terminal.
    pub(crate) fn hidden() -> Meter {
        Meter::showing(Show::Nothing, Unit::Positions, None)
    }

    /// Counts up to `positions` positions, or shows nothing.
    pub(crate) fn unless(quiet: bool, positions: u64) -> Meter {
        if quiet {
            return Meter::hidden();
        }
        Meter::new(Unit::Positions, positions)
    }

    /// Counts up to `all`.
    pub(crate) fn new(unit: Unit, all: u64) -> Meter {
        let Some(terminal) = terminal() else {
            let lines = Show::Lines(Mutex::new(Instant::now()));
            return Meter::showing(lines, unit, Some(all));
        };
        let meter = Meter::showing(Show::Nothing, unit, Some(all));
        meter.draw(terminal);
        meter
    }

    fn showing(show: Show, unit: Unit, all: Option<u64>) -> Meter {
        let bar = ProgressBar::with_draw_target(all, ProgressDrawTarget::hidden());
        bar.set_style(unit.style(all.is_some()));
        Meter { bar, unit, show }
    }

    fn draw(&self, terminal: ProgressDrawTarget) {
        self.bar.set_draw_target(terminal);
        // The steady tick starts a thread, and panics if it cannot. Without it the bar moves with the work.
        let thread = thread::Builder::new().spawn(|| ());
        if thread.is_ok_and(|thread| thread.join().is_ok()) {
            self.bar.enable_steady_tick(Duration::from_millis(250));
        }
    }

    /// Names the current step.
    pub(crate) fn begin(&self, what: impl Into<String>) {
        self.bar.set_message(what.into());
        self.show(false);
    }

    /// Prints a line that stays above the bar.
    pub(crate) fn note(&self, text: &str) {
        self.bar.suspend(|| say(text));
    }

    /// Counts up to `number` more than before.
    pub(crate) fn expect(&self, number: u64) {
        self.bar.inc_length(number);
    }

    /// Says in words how much is done, and names the current step.
    pub(crate) fn so_far(&self) -> String {
        let (done, all) = (self.bar.position(), self.bar.length().unwrap_or_default());
        let of = match self.unit {
            Unit::Bytes => format!("{} of {}", HumanBytes(done), HumanBytes(all)),
            _ => format!("{} of {} positions", grouped(done), grouped(all)),
        };
        format!("{}: {of} done", self.bar.message())
    }

    /// Counts `number` more.
    pub(crate) fn add(&self, number: u64) {
        self.bar.inc(number);
        self.show(false);
    }

    /// Raises the count to `number`.
    pub(crate) fn reach(&self, number: u64) {
        self.bar.set_position(number.max(self.bar.position()));
        self.show(false);
    }

    /// Ends a step, at a count of `number` or more. A long step gets a line even if the last line is recent.
    pub(crate) fn end_part(&self, number: u64, what: String, time: Duration) {
        self.bar.set_message(what);
        self.bar.set_position(number.max(self.bar.position()));
        self.show(time >= LINE_EVERY);
    }

    /// Prints a line or draws the first bar, if it is time.
    fn show(&self, at_once: bool) {
        match &self.show {
            Show::Nothing => {}
            Show::BarLater => {
                if self.is_due()
                    && let Some(terminal) = terminal()
                {
                    self.draw(terminal);
                }
            }
            Show::Lines(said) => {
                let Ok(mut said) = said.lock() else { return };
                if at_once || said.elapsed() >= LINE_EVERY {
                    *said = Instant::now();
                    say(&self.line());
                }
            }
        }
    }

    /// Returns true if it is time for the first bar.
    fn is_due(&self) -> bool {
        self.bar.is_hidden() && self.bar.elapsed() >= PATIENCE
    }

    /// Formats a line. The message is last, because it may be cut off.
    fn line(&self) -> String {
        let done = self.bar.position();
        let all = self.bar.length().unwrap_or_default();
        let mut text = format!("{:3.0} %", done as f64 / all.max(1) as f64 * 100.0);
        if done > 0 {
            let per_second = done as f64 / self.bar.elapsed().as_secs_f64();
            text += &format!(", {}", self.unit.rate(per_second));
            let left = all.saturating_sub(done) as f64 / per_second;
            if left > 0.0 {
                let left = Duration::try_from_secs_f64(left).unwrap_or_default();
                text += &format!(", {} left", duration(left));
            }
        }
        text += &format!(": {}", self.bar.message());
        text.chars().take(WIDTH).collect()
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Returns stderr if bars can be drawn on it.
fn terminal() -> Option<ProgressDrawTarget> {
    let stderr = ProgressDrawTarget::stderr();
    (!stderr.is_hidden()).then_some(stderr)
}

impl Unit {
    /// Describes the bar. The message and the bar fill the columns that the numbers leave.
    fn style(self, is_bounded: bool) -> ProgressStyle {
        let template = match self {
            Unit::Positions if !is_bounded => {
                "{spinner} {human_pos} positions looked at  {wide_msg}"
            }
            Unit::Positions => {
                "{wide_msg}\n\
                 {wide_bar} {human_pos} of {human_len} positions, {rate}, {eta} left"
            }
            Unit::Bytes => {
                "{wide_msg}\n\
                 {wide_bar} {bytes} of {total_bytes}, {rate}, {eta} left"
            }
        };
        ProgressStyle::with_template(template)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━╸ ")
            .with_key(
                "rate",
                move |state: &ProgressState, text: &mut dyn fmt::Write| {
                    // The work goes on if the bar cannot be drawn.
                    let _ = text.write_str(&self.rate(state.per_sec()));
                },
            )
    }

    fn rate(self, per_second: f64) -> String {
        match self {
            Unit::Bytes => format!("{}/s", HumanBytes(per_second as u64)),
            Unit::Positions => rate(per_second),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_waits_until_it_is_needed() {
        let meter = Meter::showing(Show::BarLater, Unit::Bytes, Some(1000));
        meter.add(10);
        assert!(!meter.is_due());
        meter.bar.set_elapsed(PATIENCE);
        assert!(meter.is_due());
        meter.add(20);
        assert_eq!(meter.bar.position(), 30);
    }

    #[test]
    fn lines_are_no_longer_than_80_characters() {
        let lines = Show::Lines(Mutex::new(Instant::now()));
        let meter = Meter::showing(lines, Unit::Positions, Some(1000));
        meter.begin("reads 4 seeds");
        assert_eq!(meter.line(), "  0 %: reads 4 seeds");
        meter.bar.set_elapsed(Duration::from_secs(20));
        meter.add(250);
        let line = meter.line();
        assert!(line.starts_with(" 25 %, 12.5/s, 60.0 s left: "), "{line}");
        meter.add(750);
        assert_eq!(meter.line(), "100 %, 50.0/s: reads 4 seeds");
        let so_far = "reads 4 seeds: 1,000 of 1,000 positions done";
        assert_eq!(meter.so_far(), so_far);
        meter.begin("x".repeat(100));
        assert_eq!(meter.line().chars().count(), WIDTH);
    }
}
