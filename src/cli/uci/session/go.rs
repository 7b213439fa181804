//! The line `go`: the limits of a search, and the event that the answer has to wait for.

use std::collections::HashMap;
use std::time::Duration;

use granero::Side;
use granero::player::MAX_DEPTH;

/// The request in a line `go`. The first limit that is reached counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Go {
    /// The most moves to look ahead.
    pub(super) depth: u8,
    /// The most positions to look at.
    pub(super) positions: Option<u64>,
    /// The time to think.
    pub(super) time: Option<Duration>,
    /// The event that the answer has to wait for.
    pub(super) hold: Hold,
}

/// The event that an answer has to wait for, even if it is known earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// Nothing.
    None,
    /// `ponderhit`, which starts the clock, or `stop`.
    Ponder,
    /// `stop`.
    Infinite,
}

/// The default time to think.
const USUAL_TIME: Duration = Duration::from_secs(1);

/// The longest search for proofs. A longer one would fill the memory.
const LONG_PROOF: Duration = Duration::from_secs(10);

/// The longest search for proofs with a limit of depth, where no program expects all of the time to be used.
const SHORT_PROOF: Duration = Duration::from_millis(500);

impl Go {
    /// Reads the words after `go` for the player to move, and returns the names that were ignored because no
    /// number follows them. Unknown words are ignored, as in UCI.
    ///
    /// White's clock is South's. A negative number counts as 0, a number that is too large as the largest
    /// possible. A depth that no search reaches is ignored.
    pub(super) fn parse(text: &str, to_move: Side) -> (Go, Vec<&str>) {
        let mut ignored = Vec::new();
        let mut numbers = HashMap::new();
        let (mut ponder, mut infinite) = (false, false);
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "ponder" => ponder = true,
                "infinite" => infinite = true,
                "depth" | "nodes" | "movetime" | "movestogo" | "wtime" | "btime" | "winc"
                | "binc" => match words.peek().and_then(|word| number(word)) {
                    // Another name may follow instead.
                    None => ignored.push(word),
                    Some(number) => {
                        numbers.insert(word, number);
                        words.next();
                    }
                },
                _ => {}
            }
        }
        let get = |name| numbers.get(name).copied();
        let [own_time, own_increment] = match to_move {
            Side::South => ["wtime", "winc"],
            Side::North => ["btime", "binc"],
        };
        let (positions, movetime) = (get("nodes"), get("movetime"));
        let depth = get("depth").filter(|&depth| depth <= u64::from(MAX_DEPTH));
        let increment = Duration::from_millis(get(own_increment).unwrap_or(0));
        let moves = get("movestogo").filter(|&moves| moves > 0);
        let left = get(own_time).map(Duration::from_millis);
        let times = [
            movetime.map(Duration::from_millis),
            left.map(|left| allotment(left, increment, moves)),
        ];
        let time = times.into_iter().flatten().min();
        let unlimited = depth.is_none() && positions.is_none() && !infinite;
        let go = Go {
            depth: depth.map_or(MAX_DEPTH, |depth| depth as u8),
            positions,
            time: time.or(unlimited.then_some(USUAL_TIME)),
            hold: match (infinite, ponder) {
                (true, _) => Hold::Infinite,
                (false, true) => Hold::Ponder,
                (false, false) => Hold::None,
            },
        };
        (go, ignored)
    }

    /// Returns the share of the time for proofs near the tables. Proofs have no depth, and count positions in
    /// another way than other searches.
    pub(super) fn time_for_proofs(&self) -> Option<Duration> {
        let is_deep = self.depth == MAX_DEPTH;
        let most = if is_deep { LONG_PROOF } else { SHORT_PROOF };
        match (self.positions, self.time, self.hold) {
            (Some(_), _, _) => None,
            (None, Some(time), _) => Some((time / 2).min(most)),
            (None, None, Hold::Infinite) if is_deep => Some(most),
            (None, None, _) => None,
        }
    }
}

/// Reads a whole number, or the nearest `u64`.
fn number(word: &str) -> Option<u64> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Only the size can be wrong.
    let largest = if digits == word { u64::MAX } else { 0 };
    Some(digits.parse().unwrap_or(largest).min(largest))
}

/// Reserve for delays outside the search: the transport of lines, a busy machine.
const MARGIN: Duration = Duration::from_millis(50);

/// The default number of moves that the time left is for.
const HORIZON: u64 = 30;

/// Returns the time for a move if so much is left, each move adds `increment`, and the time left is for `moves` moves,
/// if that is known: an equal share of the time left, and most of the increment.
///
/// No move gets more than half of the time left, so a move that takes twice its time loses no game.
fn allotment(left: Duration, increment: Duration, moves: Option<u64>) -> Duration {
    let spare = left.saturating_sub(MARGIN);
    let moves = moves.unwrap_or(HORIZON).clamp(1, HORIZON);
    let share = spare / moves as u32;
    let bonus = increment / 4 * 3;
    share.saturating_add(bonus).min(spare).min(left / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn south(text: &str) -> Go {
        let (go, ignored) = Go::parse(text, Side::South);
        assert!(ignored.is_empty(), "{text}: {ignored:?}");
        go
    }

    fn ms(milliseconds: u64) -> Option<Duration> {
        Some(Duration::from_millis(milliseconds))
    }

    /// Returns time and depth.
    fn limits(text: &str) -> (Option<Duration>, u8) {
        (south(text).time, south(text).depth)
    }

    #[test]
    fn limits_alone_and_together() {
        assert_eq!(limits(""), (Some(USUAL_TIME), MAX_DEPTH));
        assert_eq!(limits("movetime 100"), (ms(100), MAX_DEPTH));
        assert_eq!(limits("depth 8"), (None, 8));
        assert_eq!(limits("depth 64"), (None, 64));
        // A board that sends only a depth that no search comes to still waits for an answer.
        assert_eq!(limits("depth 65"), (Some(USUAL_TIME), MAX_DEPTH));
        assert_eq!(limits("depth 127"), (Some(USUAL_TIME), MAX_DEPTH));
        assert_eq!(limits("depth 8 movetime 100"), (ms(100), 8));
        assert_eq!(limits("movetime 3600 depth 127"), (ms(3600), MAX_DEPTH));
        assert_eq!(limits("wtime 3050 btime 9 depth 127"), (ms(100), MAX_DEPTH));
        assert_eq!(limits("wtime 3050 btime 9 depth 5"), (ms(100), 5));
        assert_eq!(limits("wtime 3050 movetime 50"), (ms(50), MAX_DEPTH));
        assert_eq!(limits("wtime 3050 movetime 500"), (ms(100), MAX_DEPTH));
        assert_eq!(limits("movestogo 10 wtime 1050"), (ms(100), MAX_DEPTH));
        assert_eq!(limits("infinite"), (None, MAX_DEPTH));
        assert_eq!(limits("infinite depth 127"), (None, MAX_DEPTH));
        assert_eq!(limits("nodes 10"), (None, MAX_DEPTH));
        assert_eq!(south("nodes 10 depth 3").positions, Some(10));
    }

    #[test]
    fn proofs_take_half_of_the_time() {
        let time = |text| south(text).time_for_proofs();
        assert_eq!(time("movetime 100"), ms(50));
        assert_eq!(time("wtime 3050 btime 9"), ms(50));
        assert_eq!(time(""), ms(500));
        assert_eq!(time("ponder"), ms(500));
        assert_eq!(time("movetime 3600000"), Some(LONG_PROOF));
        assert_eq!(time("infinite"), Some(LONG_PROOF));
        assert_eq!(time("depth 8 movetime 1200"), ms(500));
        assert_eq!(time("depth 8 movetime 3600000"), Some(SHORT_PROOF));
        assert_eq!(time("movetime 0"), ms(0));
        for none in [
            "depth 8",
            "nodes 500",
            "nodes 500 movetime 100",
            "infinite depth 5",
        ] {
            assert_eq!(time(none), None, "{none}");
        }
    }

    #[test]
    fn each_side_has_its_clock() {
        let text = "wtime 3050 btime 6050 winc 100 binc 200 depth 127";
        assert_eq!(Go::parse(text, Side::South).0.time, ms(175));
        assert_eq!(Go::parse(text, Side::North).0.time, ms(350));
        // The other's clock says nothing about ours.
        assert_eq!(limits("btime 300 binc 10"), (Some(USUAL_TIME), MAX_DEPTH));
    }

    #[test]
    fn numbers_of_all_kinds() {
        assert_eq!(limits("movetime 18446744073709551615").0, ms(u64::MAX));
        assert_eq!(limits("movetime 18446744073709551616").0, ms(u64::MAX));
        assert_eq!(limits("movetime -1").0, ms(0));
        assert_eq!(limits("wtime -250 btime 10 depth 127").0, ms(0));
        assert_eq!(limits("wtime 0 winc 1000").0, ms(0));
        assert_eq!(limits("wtime 3050 winc -5").0, ms(100));
        assert_eq!(limits("wtime 3050 movestogo 0").0, ms(100));
        assert_eq!(limits("wtime 3050 movestogo -3").0, ms(100));
        assert_eq!(limits("depth -1"), (None, 0));
        assert_eq!(limits("depth 99999999999999999999 movetime 1").1, MAX_DEPTH);
        let largest = u64::MAX;
        let text = format!("wtime {largest} winc {largest} movestogo {largest}");
        assert_eq!(limits(&text).0, Some(Duration::from_millis(largest) / 2));
    }

    #[test]
    fn what_is_no_number_is_ignored_and_told() {
        let parse = |text| Go::parse(text, Side::North);
        let (go, ignored) = parse("depth x movetime 7");
        assert_eq!((go.time, ignored), (ms(7), vec!["depth"]));
        let (go, ignored) = parse("depth infinite");
        assert_eq!((go.hold, ignored), (Hold::Infinite, vec!["depth"]));
        let (go, ignored) = parse("wtime 1e3 btime - nodes");
        assert_eq!(ignored, ["wtime", "btime", "nodes"]);
        assert_eq!(go.time, Some(USUAL_TIME));
        assert_eq!(parse("searchmoves f e mate 3 so on").1, [""; 0]);
    }

    fn milliseconds() -> impl Strategy<Value = u64> {
        prop_oneof![0..400_u64, 0..3_600_000_u64, any::<u64>()]
    }

    proptest! {
        #[test]
        fn all_moves_together_leave_the_margin(
            left in milliseconds(),
            increment in 0..10_000_u64,
            moves in prop_oneof![Just(None), (1..100_u64).prop_map(Some)],
        ) {
            let [mut left, increment] = [left, increment].map(Duration::from_millis);
            let mut moves = moves;
            let least = left.min(MARGIN);
            for _ in 0..200 {
                let time = allotment(left, increment, moves);
                prop_assert!(time <= left / 2);
                left -= time;
                prop_assert!(left >= least);
                left = left.saturating_add(increment);
                moves = moves.map(|moves| (moves - 1).max(1));
            }
        }
    }

    #[test]
    fn some_clocks() {
        let time = |left, increment, moves| {
            let [left, increment] = [left, increment].map(Duration::from_millis);
            allotment(left, increment, moves).as_millis()
        };
        assert_eq!(time(0, 0, None), 0);
        assert_eq!(time(0, 5000, None), 0);
        assert_eq!(time(40, 5000, Some(1)), 0);
        assert_eq!(time(300, 0, None), 8);
        assert_eq!(time(60_000, 0, None), 1998);
        assert_eq!(time(60_000, 1000, None), 2748);
        assert_eq!(time(60_050, 0, Some(10)), 6000);
        assert_eq!(time(60_000, 0, Some(1)), 30_000);
        assert_eq!(time(60_050, 0, Some(500)), 2000);
        assert_eq!(time(1000, 60_000, None), 500);
    }
}
