//! A position with bounds while a threshold is decided, in half a byte.
//!
//! Each position occurs twice, in two [planes](Plane). Both share a byte: the lower half
//! belongs to the one, the upper half to the other. Between two decisions all bytes are 0.
//!
//! | half | favoured side to move | other side to move |
//! |---|---|---|
//! | 0 | in another interval | in another interval |
//! | 1 to 6 | open, 1 to 6 moves left | open, 1 to 6 moves left |
//! | 7 | open, seven moves left | reached |
//! | 8 to 14 | reached, 1 to 7 moves left | lost, 0 to 6 moves left |
//! | 15 | lost | |
//!
//! Two states need no number of moves. With the favoured side to move, a lost position has none left.
//! With the other side to move, a reached position is reached with any number; if it is lost after all, its
//! moves are counted again (`docs/thresholds.md`).

use super::news::{Effect, News};

/// The side to move: each position occurs in two planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plane {
    /// The favoured side.
    Favoured = 0,
    /// The other side.
    Other = 1,
}

pub(crate) const PLANES: [Plane; 2] = [Plane::Favoured, Plane::Other];

impl Plane {
    /// News of its positions.
    pub(crate) fn news(self) -> News {
        match self {
            Plane::Favoured => News::First,
            Plane::Other => News::Second,
        }
    }

    /// Where its half of a byte begins.
    fn shift(self) -> u32 {
        4 * self as u32
    }

    /// Its half of a byte.
    fn half(self) -> u8 {
        0xf << self.shift()
    }

    /// Returns whether a byte says that the position is in the interval.
    #[inline(always)]
    pub(crate) fn is_in_interval(self) -> impl Fn(u8) -> bool {
        let half = self.half();
        move |byte| byte & half != 0
    }

    /// Returns whether a byte says that the position is open.
    #[inline(always)]
    pub(crate) fn is_open(self) -> impl Fn(u8) -> bool {
        let state = State::Open;
        let most_left = match self {
            Plane::Favoured => 7,
            Plane::Other => 6,
        };
        let [first, last] = [1, most_left].map(|left| Status { state, left }.put(0, self));
        let half = self.half();
        move |byte| (byte & half).wrapping_sub(first) <= last - first
    }
}

/// A position of one plane while a threshold is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) state: State,
    /// With the favoured side to move: the number of moves within the interval that are not lost, and
    /// one more if a capture is good. With the other side: the number of moves that are not reached.
    pub(crate) left: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// In another interval.
    Elsewhere,
    Open,
    Reached,
    Lost,
}

impl Status {
    pub(crate) const ELSEWHERE: Status = Status {
        state: State::Elsewhere,
        left: 0,
    };

    /// Reads the half of a plane.
    #[inline(always)]
    pub(crate) fn of(byte: u8, plane: Plane) -> Status {
        let half = byte >> plane.shift() & 0xf;
        let (state, left) = match (plane, half) {
            (_, 0) => (State::Elsewhere, 0),
            (Plane::Favoured, 1..8) | (Plane::Other, 1..7) => (State::Open, half),
            (Plane::Favoured, 8..15) => (State::Reached, half - 7),
            (Plane::Favoured, _) => (State::Lost, 0),
            (Plane::Other, 7) => (State::Reached, 0),
            (Plane::Other, _) => (State::Lost, half - 8),
        };
        Status { state, left }
    }

    /// Puts this into the half of a plane.
    #[inline(always)]
    pub(crate) fn put(self, byte: u8, plane: Plane) -> u8 {
        let Status { state, left } = self;
        let half = match (plane, state) {
            (_, State::Elsewhere) => 0,
            (_, State::Open) => left,
            (Plane::Favoured, State::Reached) => 7 + left,
            (Plane::Favoured, State::Lost) => 15,
            (Plane::Other, State::Reached) => 7,
            (Plane::Other, State::Lost) => 8 + left,
        };
        debug_assert!(half < 16 && Status::of(half << plane.shift(), plane).state == state);
        byte & !plane.half() | half << plane.shift()
    }

    pub(crate) fn with(self, state: State) -> Status {
        Status { state, ..self }
    }

    fn one_less(self) -> Status {
        let left = self.left.saturating_sub(1);
        Status { left, ..self }
    }
}

/// Makes the effect of one kind of news on bytes from `next`, its effect on a position of a plane.
fn effect(plane: Plane, next: impl Fn(Status) -> (Status, bool)) -> Effect {
    std::array::from_fn(|byte| {
        let byte = byte as u8;
        let (status, settled) = next(Status::of(byte, plane));
        (status.put(byte, plane), settled)
    })
}

/// News of lost positions, by the plane of the child.
pub(crate) fn lost_effects() -> [Effect; 2] {
    let is_alive = |status: Status| matches!(status.state, State::Open | State::Reached);
    let for_other = effect(Plane::Other, |status| {
        if is_alive(status) {
            // The other side goes there. If it was reached, the moves that are left are counted again.
            (status.with(State::Lost), true)
        } else {
            (status, false)
        }
    });
    let for_favoured = effect(Plane::Favoured, |status| match is_alive(status) {
        true if status.left <= 1 => (status.with(State::Lost), true),
        true => (status.one_less(), false),
        false => (status, false),
    });
    [for_other, for_favoured]
}

/// News of reached positions, by the plane of the child.
pub(crate) fn reached_effects() -> [Effect; 2] {
    let for_other = effect(Plane::Other, |status| match status.state {
        State::Open if status.left <= 1 => (status.with(State::Reached), true),
        // Lost positions count on, to find the number of children that are left in their interval.
        State::Open | State::Lost => (status.one_less(), false),
        State::Reached | State::Elsewhere => (status, false),
    });
    let for_favoured = effect(Plane::Favoured, |status| match status.state {
        State::Open => (status.with(State::Reached), true),
        State::Reached | State::Lost | State::Elsewhere => (status, false),
    });
    [for_other, for_favoured]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that can be known of a position of a plane.
    fn all(plane: Plane) -> Vec<Status> {
        let with = |state, left: std::ops::RangeInclusive<u8>| {
            left.map(move |left| Status { state, left })
        };
        let mut all: Vec<Status> = with(State::Elsewhere, 0..=0).collect();
        match plane {
            Plane::Favoured => {
                all.extend(with(State::Open, 1..=7));
                all.extend(with(State::Reached, 1..=7));
                all.extend(with(State::Lost, 0..=0));
            }
            Plane::Other => {
                all.extend(with(State::Open, 1..=6));
                all.extend(with(State::Reached, 0..=0));
                all.extend(with(State::Lost, 0..=6));
            }
        }
        all
    }

    #[test]
    fn either_half_of_a_byte_says_what_was_put_there() {
        for favoured in all(Plane::Favoured) {
            for other in all(Plane::Other) {
                for before in [0, 0x5a, 0xff] {
                    let byte = favoured.put(other.put(before, Plane::Other), Plane::Favoured);
                    assert_eq!(Status::of(byte, Plane::Favoured), favoured);
                    assert_eq!(Status::of(byte, Plane::Other), other);
                    for (plane, status) in [(Plane::Favoured, favoured), (Plane::Other, other)] {
                        let is_elsewhere = status.state == State::Elsewhere;
                        assert_eq!(plane.is_in_interval()(byte), !is_elsewhere);
                        assert_eq!(plane.is_open()(byte), status.state == State::Open);
                    }
                }
            }
        }
    }

    /// The effect of news of a lost or reached child, by the definition.
    fn after(plane: Plane, status: Status, child_is_lost: bool) -> (Status, bool) {
        let Status { state, left } = status;
        let (state, left, settled) = match (plane, child_is_lost, state) {
            (Plane::Favoured, true, State::Open | State::Reached) => match left {
                1 => (State::Lost, 0, true),
                _ => (state, left - 1, false),
            },
            (Plane::Favoured, false, State::Open) => (State::Reached, left, true),
            (Plane::Other, true, State::Open) => (State::Lost, left, true),
            (Plane::Other, true, State::Reached) => (State::Lost, 0, true),
            (Plane::Other, false, State::Open) => match left {
                1 => (State::Reached, 0, true),
                _ => (state, left - 1, false),
            },
            (Plane::Other, false, State::Lost) if left > 0 => (state, left - 1, false),
            _ => (state, left, false),
        };
        (Status { state, left }, settled)
    }

    #[test]
    fn effects_do_what_the_definition_says_and_leave_the_other_half() {
        for (effects, child_is_lost) in [(lost_effects(), true), (reached_effects(), false)] {
            for (child, plane) in [
                (Plane::Favoured, Plane::Other),
                (Plane::Other, Plane::Favoured),
            ] {
                for status in all(plane) {
                    for beside in all(child) {
                        let byte = status.put(beside.put(0, child), plane);
                        let (next, settled) = effects[child as usize][usize::from(byte)];
                        let expected = after(plane, status, child_is_lost);
                        assert_eq!((Status::of(next, plane), settled), expected);
                        assert_eq!(Status::of(next, child), beside);
                    }
                }
            }
        }
    }

    #[test]
    fn a_settled_byte_changes() {
        for effect in lost_effects().iter().chain(&reached_effects()) {
            let changes = |(byte, &(next, settled)): (u8, &(u8, bool))| !settled || next != byte;
            assert!((0..=255).zip(effect).all(changes));
        }
    }
}
