//! Checks that each side can guarantee what its bound promises, however long play goes on.
//!
//! One side is *favoured*: of the positions that recur endlessly, the one that is best for this
//! side counts. Every position exists twice: with the other side to move, to which the low bound
//! makes a promise, and with the favoured side to move, to which the high bound does.
//! A promise is counted as a *share*: the number of seeds that the side ends up with. A side is
//! *content* in a position if at least its share lies on its own side.
//!
//! A side with the least possible share has been promised nothing, and is content everywhere: with
//! full values this share is no seed, with deciding values the seeds beside the limit.
//!
//! Bounds may be consistent all around a cycle and still be wrong. So two things must be certain,
//! unless play comes to a result:
//!
//! * the favoured side can return again and again to positions where it is content;
//! * the other side can, from some time on, stay among positions where it is content.
//!
//! Rounds add certain positions and drop candidates, until a round changes nothing.
//! `docs/verify.md` has the proof.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use super::moves::LayerMoves;
use super::{Fault, MAX_FAULTS, PIECE};
use granero_game::{Bound, Measure};
use granero_table::index::half::Rank;
use granero_table::parallel;
use granero_table::rows::{Row, TurnedLayer};

/// The bits of a share, which is at most 48 seeds.
const SHARE: u8 = (1 << 6) - 1;

/// In turned order, the bit beside the share: the position is certain, or a candidate.
const HOLDS: u8 = 1 << 6;

/// Larger than every code of a child, so equal to none.
const NO_CODE: u8 = u8::MAX;

/// The side to move, as the bound that promises it something: the low one the other side, the high one the favoured one.
type Mover = Bound;

const OTHER: Mover = Bound::Low;
const FAVOURED: Mover = Bound::High;

/// A `T` for each side to move, in the order of [`BOTH`].
type ByMover<T> = [T; 2];

const BOTH: ByMover<Mover> = [OTHER, FAVOURED];

/// The certainty of a promise, in the bits beside the share.
const OPEN: u8 = 0;

/// It becomes certain unless a round drops it.
const CANDIDATE: u8 = 1 << 6;

const CERTAIN: u8 = 2 << 6;

fn certainty(code: u8) -> u8 {
    code & !SHARE
}

/// The kinds of rounds, by the positions that they look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    /// Open positions that are certain because of their children or of results.
    JoinFirst,
    /// Open positions that are certain because of their children.
    Join,
    /// Candidates that must be dropped.
    Drop,
}

impl Round {
    /// The state of the positions that it looks at, and the new state of the positions that it finds.
    fn states(self) -> (u8, u8) {
        match self {
            Round::JoinFirst | Round::Join => (OPEN, CERTAIN),
            Round::Drop => (CANDIDATE, OPEN),
        }
    }

    /// Returns true if it finds a position. `met` says that the position has a good move if the
    /// proving side chooses, or a bad move if the opponent does.
    fn finds(self, chooses: bool, met: bool) -> bool {
        (met == chooses) == (self != Round::Drop)
    }
}

/// The promises of a layer that one of the sides, the *proving* side, can guarantee.
struct Guarantees<'a> {
    view: View<'a>,
    /// In the order of the index: share and certainty.
    codes: ByMover<Vec<u8>>,
}

/// The positions as their predecessors see them.
struct View<'a> {
    moves: &'a LayerMoves<'a>,
    /// The proving side, which chooses its moves.
    chooser: Mover,
    /// In turned order. All changes of a round go in the same direction, so it does not matter
    /// which thread sees them first.
    codes: ByMover<Vec<AtomicU8>>,
}

/// Finds positions with bounds that a side cannot guarantee. `bounds` are consistent, and `turned`
/// are the same bounds in turned order; `moves` has the last resorts. `progress` gets the number of positions
/// done since its last call.
pub(super) fn check(
    moves: &LayerMoves<'_>,
    bounds: ByMover<Vec<i8>>,
    turned: ByMover<TurnedLayer>,
    progress: impl Fn(u64) + Sync,
) -> Vec<Fault> {
    let mut guarantees = Guarantees::new(moves, bounds, turned);
    // Each position has two bounds, and each bound concerns both sides.
    let certain = AtomicU64::new(0);
    let promises_done = |more| {
        let before = certain.fetch_add(more, Ordering::Relaxed);
        progress((before + more) / 4 - before / 4);
    };

    guarantees.turn_to(FAVOURED);
    promises_done(guarantees.content_become(CERTAIN));
    guarantees.join(Round::JoinFirst, &promises_done);
    let faults = guarantees.faults();
    if !faults.is_empty() {
        return faults;
    }

    guarantees.turn_to(OTHER);
    guarantees.join(Round::JoinFirst, &promises_done);
    loop {
        let mut candidates = guarantees.content_become(CANDIDATE);
        loop {
            let dropped = guarantees.round(Round::Drop);
            if dropped == 0 {
                break;
            }
            candidates -= dropped;
        }
        if candidates == 0 {
            return guarantees.faults();
        }
        guarantees.each(|_, _, code| (certainty(code) == CANDIDATE).then_some(CERTAIN));
        promises_done(candidates);
        guarantees.join(Round::Join, &promises_done);
    }
}

impl<'a> Guarantees<'a> {
    fn new(
        moves: &'a LayerMoves<'a>,
        bounds: ByMover<Vec<i8>>,
        turned: ByMover<TurnedLayer>,
    ) -> Guarantees<'a> {
        let seeds = moves.layer.seeds() as i8;
        let share = |bound| ((seeds + bound) / 2) as u8;
        let codes = bounds.map(|bounds| bounds.into_iter().map(share).collect::<Vec<u8>>());
        let turned = turned.map(|turned| {
            let shares = turned.into_values().into_iter().map(share);
            shares.map(AtomicU8::new).collect()
        });
        Guarantees {
            view: View {
                moves,
                chooser: FAVOURED,
                codes: turned,
            },
            codes,
        }
    }

    /// Makes a side the proving side. Nothing is certain yet.
    fn turn_to(&mut self, chooser: Mover) {
        self.view.chooser = chooser;
        for codes in &mut self.codes {
            parallel::for_each(codes.chunks_mut(PIECE), |codes| {
                for code in codes {
                    *code &= SHARE;
                }
            });
        }
        for seen in &mut self.view.codes {
            parallel::for_each(seen.chunks_mut(PIECE), |seen| {
                for code in seen {
                    *code.get_mut() &= SHARE;
                }
            });
        }
    }

    /// Sets the certainty of the open positions where the proving side is content; returns their
    /// number.
    fn content_become(&mut self, state: u8) -> u64 {
        let moves = self.view.moves;
        let (seeds, least) = (moves.layer.seeds(), moves.least_share());
        self.each(|own_seeds, chooses, code| {
            let share = code & SHARE;
            // The shares of both sides add up to all seeds, and so do the seeds on the sides.
            let (share_of_side, seeds_of_side) = if chooses {
                (share, own_seeds)
            } else {
                (seeds - share, seeds - own_seeds)
            };
            let content = share_of_side <= least || seeds_of_side >= share_of_side;
            (content && certainty(code) == OPEN).then_some(state)
        })
    }

    /// Changes the certainty of positions and returns the number of changes. `change` gets the mover's
    /// seeds, true if the proving side is to move, and the code; it returns the new certainty, if any.
    fn each(&mut self, change: impl Fn(u8, bool, u8) -> Option<u8> + Sync) -> u64 {
        self.each_row(|view, mover, row, codes| {
            let mut changed = 0;
            for (opponents, code) in (0..).map(Rank).zip(codes.iter_mut()) {
                if let Some(state) = change(row.own_seeds(), mover == view.chooser, *code) {
                    *code = state | *code & SHARE;
                    view.show(mover, row.turned_number(opponents), *code);
                    changed += 1;
                }
            }
            changed
        })
    }

    /// Calls `work` for each row, with each side to move; returns the sum of what it counts.
    fn each_row(&mut self, work: impl Fn(&View<'_>, Mover, Row, &mut [u8]) -> u64 + Sync) -> u64 {
        let Guarantees { view, codes } = self;
        let mut sum = 0;
        for (mover, codes) in BOTH.into_iter().zip(codes) {
            let by_row = view
                .moves
                .each_row(codes, |row, codes| Some(work(view, mover, row, codes)));
            sum += by_row.iter().sum::<u64>();
        }
        sum
    }

    /// Makes all positions certain that follow from certain positions.
    fn join(&mut self, first: Round, progress: &impl Fn(u64)) {
        let mut round = first;
        loop {
            let joined = self.round(round);
            if joined == 0 {
                break;
            }
            progress(joined);
            round = Round::Join;
        }
    }

    /// Runs one round over all positions; returns the number of positions found.
    fn round(&mut self, round: Round) -> u64 {
        self.each_row(|view, mover, row, codes| view.row(round, mover, row, codes))
    }

    /// The first open positions.
    fn faults(&mut self) -> Vec<Fault> {
        let Guarantees { view, codes } = self;
        let mut faults = Vec::new();
        for (measure, codes) in [Measure::Low, Measure::High].into_iter().zip(codes) {
            let is_open = |code: u8| certainty(code) == OPEN;
            let open = |code: u8| is_open(code).then(|| view.bound(code));
            faults.extend(view.moves.ungrounded(codes, measure, open));
        }
        faults.truncate(MAX_FAULTS);
        faults
    }
}

impl View<'_> {
    /// The bound of a position with this code.
    fn bound(&self, code: u8) -> i8 {
        2 * (code & SHARE) as i8 - self.moves.layer.seeds() as i8
    }

    /// Shows the code of a position to its predecessors; `turned` is its number in turned order.
    fn show(&self, mover: Mover, turned: usize, code: u8) {
        let holds = if certainty(code) == OPEN { 0 } else { HOLDS };
        let seen = holds | code & SHARE;
        self.codes[mover as usize][turned].store(seen, Ordering::Relaxed);
    }

    /// The code that a child must have to count. The move must keep the bound: the child's mover
    /// gets all but the share of this position. A good child, for the proving side's choice,
    /// holds; a bad child, for the opponent's choice, does not.
    fn wanted(&self, mover: Mover, code: u8) -> u8 {
        let share = self.moves.layer.seeds() - (code & SHARE);
        if mover == self.chooser {
            HOLDS | share
        } else {
            share
        }
    }

    /// Runs a round over a row; returns the number of positions found.
    fn row(&self, round: Round, mover: Mover, row: Row, codes: &mut [u8]) -> u64 {
        let (looked_at, found_becomes) = round.states();
        let matters = |code: u8| certainty(code) == looked_at;
        if !codes.iter().any(|&code| matters(code)) {
            return 0;
        }
        let wanted: Vec<u8> = codes
            .iter()
            .map(|&code| {
                if matters(code) {
                    self.wanted(mover, code)
                } else {
                    NO_CODE
                }
            })
            .collect();
        let chooses = mover == self.chooser;
        let mut met = vec![false; codes.len()];
        if round == Round::JoinFirst && chooses {
            self.moves.results(row, mover, |opponents, result| {
                met[opponents] |= self.bound(codes[opponents]) == result;
            });
        }
        let code = |code: &AtomicU8| code.load(Ordering::Relaxed);
        let children = &self.codes[mover.of_child() as usize];
        (self.moves).meet(row, children, code, &wanted, &mut met);
        let mut found = 0;
        for (opponents, (code, met)) in (0..).map(Rank).zip(codes.iter_mut().zip(met)) {
            if matters(*code) && round.finds(chooses, met) {
                *code = found_becomes | *code & SHARE;
                self.show(mover, row.turned_number(opponents), *code);
                found += 1;
            }
        }
        found
    }
}
