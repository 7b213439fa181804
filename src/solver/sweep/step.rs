//! What a sweep makes of the best move of a position.

use super::grid::ZERO;
use super::movers::Line;

/// What the sweeps of a layer do. Checkpoints have the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// With one value for each position: takes the best move.
    Settle = 0,
    /// With bounds: lets endless play count the difference of the sides.
    Sink = 1,
    /// With bounds: secures all that follows.
    Rise = 2,
    /// With bounds: like a sink, but down to what is secured. If that is all that is left, it is the result.
    Confirm = 3,
}

/// What a sweep reads besides the values of children.
#[derive(Clone, Copy)]
pub(crate) struct Reads {
    pub(crate) captures: bool,
    /// What is secured.
    pub(crate) secured: bool,
}

/// The step of a sweep for a plane: the first one has values or low bounds, the second one high bounds. Bytes are
/// what a position is worth to the player who moved to it, see [`ZERO`]: they fall when values rise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Settle,
    SinkLow,
    SinkHigh,
    RiseLow,
    RiseHigh,
    ConfirmLow,
    ConfirmHigh,
}

impl Step {
    pub(crate) fn of(phase: Phase, plane: usize) -> Step {
        match (phase, plane) {
            (Phase::Settle, _) => Step::Settle,
            (Phase::Sink, 0) => Step::SinkLow,
            (Phase::Sink, _) => Step::SinkHigh,
            (Phase::Rise, 0) => Step::RiseLow,
            (Phase::Rise, _) => Step::RiseHigh,
            (Phase::Confirm, 0) => Step::ConfirmLow,
            (Phase::Confirm, _) => Step::ConfirmHigh,
        }
    }

    /// What a sweep reads, the first one of a phase or another.
    pub(crate) fn reads(self, is_first: bool) -> Reads {
        Reads {
            captures: match self {
                Step::Settle | Step::SinkLow | Step::RiseHigh => true,
                // The first sweep has brought all values up to the best capture, and they do not fall again.
                Step::SinkHigh | Step::RiseLow | Step::ConfirmHigh => is_first,
                // The rise has brought up what is secured.
                Step::ConfirmLow => false,
            },
            secured: matches!(self, Step::ConfirmLow | Step::ConfirmHigh),
        }
    }

    /// The new byte of a position, given the byte before, the one that its best move gives, the one for the
    /// difference of its sides, and the one of what is secured.
    #[inline(always)]
    pub(crate) fn apply(self, before: u8, best: u8, sides: u8, secured: u8) -> u8 {
        match self {
            Step::Settle => best,
            Step::SinkLow => best.max(sides).max(before),
            Step::SinkHigh => best.min(sides).min(before),
            Step::RiseLow => best.min(before),
            Step::RiseHigh => best.max(before),
            Step::ConfirmLow => best.max(sides).min(secured).max(before),
            Step::ConfirmHigh => best.min(sides).max(secured).min(before),
        }
    }

    /// Like [`apply`](Step::apply), for a line of bytes. `best` has results for the mover.
    #[inline(always)]
    pub(crate) fn apply_all(self, before: &Line, best: &Line, sides: u8, secured: &Line) -> Line {
        let each = |step: Step| {
            std::array::from_fn(|lane| {
                let best = (2 * ZERO).wrapping_sub(best[lane]);
                step.apply(before[lane], best, sides, secured[lane])
            })
        };
        // In each of these loops the step is constant.
        match self {
            Step::Settle => each(Step::Settle),
            Step::SinkLow => each(Step::SinkLow),
            Step::SinkHigh => each(Step::SinkHigh),
            Step::RiseLow => each(Step::RiseLow),
            Step::RiseHigh => each(Step::RiseHigh),
            Step::ConfirmLow => each(Step::ConfirmLow),
            Step::ConfirmHigh => each(Step::ConfirmHigh),
        }
    }
}
