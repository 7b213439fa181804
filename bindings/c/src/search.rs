//! Searches beyond the tables: proofs of positions, and judged games.

use std::cmp::Reverse;
use std::ffi::{c_char, c_void};
use std::ops::ControlFlow;
use std::time::Duration;

use granero::Turn;
use granero::judge::Judgement;
use granero::prove::{Budget, Ended, Prover};
use granero_answer::ChosenGame;
use granero_answer::document;

use crate::border;
use crate::position;
use crate::rules::{self, GRANERO_OVER_NOT};
use crate::status::GraneroStatus;
use crate::status::{Failure, GRANERO_ERROR_ARGUMENT, GRANERO_ERROR_NOTATION};
use crate::tables::{GraneroAssessedMove, GraneroAssessment, GraneroRange, GraneroTables};

/// The limits of a search. It ends at the first one that it reaches; there must be one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GraneroBudget {
    /// The most positions that it looks at, apart from those in the tables; 0 for any number. The same number
    /// proves the same on every machine.
    pub positions: u64,
    /// The most seconds that it takes; 0 for any time.
    pub seconds: f64,
    /// Called now and then, on the calling thread: the search ends when it returns true. It may be a null
    /// pointer, and must return: no exception, no longjmp.
    pub stop: Option<extern "C" fn(data: *mut c_void) -> bool>,
    /// The argument of `stop`.
    pub data: *mut c_void,
}

/// The reason why a search ended: one of the GRANERO_ENDED_…
pub type GraneroEnded = u8;

/// Everything is proven, or there is nothing left to look at.
pub const GRANERO_ENDED_SETTLED: GraneroEnded = 0;
/// The search has looked at its number of positions.
pub const GRANERO_ENDED_POSITIONS: GraneroEnded = 1;
/// The time is over.
pub const GRANERO_ENDED_TIME: GraneroEnded = 2;
/// The search has used 1 GiB of memory.
pub const GRANERO_ENDED_MEMORY: GraneroEnded = 3;
/// `stop` returned true.
pub const GRANERO_ENDED_STOPPED: GraneroEnded = 4;

/// What a search has proven.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GraneroProof {
    /// The least and the most that the position and each of its moves are worth, as far as it is proven. A move
    /// is best if it certainly is.
    pub assessment: GraneroAssessment,
    /// The number of positions looked at, apart from those in the tables.
    pub positions: u64,
    /// The seconds that it took.
    pub seconds: f64,
    /// The reason why the search ended.
    pub ended: GraneroEnded,
}

impl GraneroBudget {
    fn read(&self) -> Result<Budget, Failure> {
        let time = Duration::try_from_secs_f64(self.seconds);
        let time = time.map_err(|error| Failure::of(GRANERO_ERROR_ARGUMENT, &error))?;
        let time = (!time.is_zero()).then_some(time);
        let nodes = match self.positions {
            0 if time.is_none() => return Err(Failure::argument("a search needs a limit")),
            0 => u64::MAX,
            nodes => nodes,
        };
        Ok(Budget { nodes, time })
    }

    fn watch(&self) -> ControlFlow<()> {
        match self.stop {
            Some(stop) if stop(self.data) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Searches from a position into the tables, and proves the least and the most that the player to move gets. The
/// position may be within the tables, too.
///
/// `position`: GRANERO_HOUSES bytes.
/// `budget`: the limits of the search.
/// `proof`: room for the answer.
#[unsafe(no_mangle)]
pub extern "C" fn granero_prove(
    tables: *const GraneroTables,
    position: *const u8,
    budget: *const GraneroBudget,
    proof: *mut GraneroProof,
) -> GraneroStatus {
    border::guard(|| {
        let tables = border::read(tables, "the tables")?;
        let position = position::of(position)?;
        let budget = border::read(budget, "the budget")?;
        let found = Prover::new(tables).prove(position, budget.read()?, |_| budget.watch())?;
        let best: Vec<_> = found.best().copied().collect();
        let mut moves = found.moves.clone();
        // No move is worth more than the position.
        moves
            .iter_mut()
            .for_each(|proven| proven.high = proven.high.min(found.high));
        moves.sort_by_key(|proven| Reverse((proven.low, proven.high)));
        let mut assessment = GraneroAssessment {
            moves: Default::default(),
            count: moves.len() as u8,
            over: match tables.rules().turn(position) {
                Turn::Play(_) => GRANERO_OVER_NOT,
                Turn::Over(over) => rules::over(over)?,
            },
            range: GraneroRange::between(found.low, found.high),
        };
        for (place, proven) in assessment.moves.iter_mut().zip(&moves) {
            *place = GraneroAssessedMove {
                play: proven.play.into(),
                range: GraneroRange::between(proven.low, proven.high),
                best: best.iter().any(|best| best.play == proven.play),
            };
        }
        let given = GraneroProof {
            assessment,
            positions: found.nodes,
            seconds: found.time.as_secs_f64(),
            ended: match found.ended {
                Ended::Nodes => GRANERO_ENDED_POSITIONS,
                Ended::Time => GRANERO_ENDED_TIME,
                Ended::Memory => GRANERO_ENDED_MEMORY,
                Ended::Stopped => GRANERO_ENDED_STOPPED,
                _ => GRANERO_ENDED_SETTLED,
            },
        };
        border::write(proof, given, "the place for the proof")
    })
}

/// Judges the moves of a game: the answer is the JSON document that `granero judge --json` prints, without the
/// version; docs/cli.md describes it. `granero_free` frees it.
///
/// `text`: games in any notation, in UTF-8 and with a zero at the end.
/// `game`: the number of the game to judge, from 1.
/// `budget`: the limits of the search from each position beyond the tables; a null pointer for no search. After
/// `stop` has returned true there is no other search, and the game is judged by the proofs so far.
/// `document`: room for the answer, text in UTF-8 that ends with a zero.
#[unsafe(no_mangle)]
pub extern "C" fn granero_judge(
    tables: *const GraneroTables,
    text: *const c_char,
    game: usize,
    budget: *const GraneroBudget,
    document: *mut *mut c_char,
) -> GraneroStatus {
    border::guard(|| {
        let tables = border::read(tables, "the tables")?;
        let chosen = ChosenGame::of(border::text(text, "the text")?, game);
        let game = chosen.map_err(|error| Failure {
            // Only what is no game has a place in the text.
            status: match error.at {
                Some(_) => GRANERO_ERROR_NOTATION,
                None => GRANERO_ERROR_ARGUMENT,
            },
            message: error.message,
        })?;
        let budget = border::read(budget, "the budget").ok();
        let limits = budget.map(GraneroBudget::read).transpose()?;
        let watch = |_: &_| budget.map_or(ControlFlow::Continue(()), GraneroBudget::watch);
        let judgement = Judgement::with_search(tables, &game.game, limits, watch)?;
        let judged = document::judge(tables, &game.game, &judgement);
        let judged = serde_json::to_string(&judged);
        let judged = judged.map_err(|error| Failure::of(GRANERO_ERROR_ARGUMENT, &error))?;
        border::give_text(judged, document, "the place for the document")
    })
}

/// Frees a text that a call has given. Does nothing for a null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn granero_free(text: *mut c_char) {
    border::guard_with((), || border::take_back_text(text));
}
