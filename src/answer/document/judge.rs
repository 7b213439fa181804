//! The moves of a recorded game, judged.

use granero::judge::{self, Class, JudgedByProof, JudgedMove, Judgement, ProofSummary};
use granero::{
    Cycles, FinalScore, Game, Measured, Move, Ply, ReplayError, ReplayErrorReason, Side, Tables,
    Value,
};
use serde::Serialize;

use super::UNIT;
use super::parts::fields::Fields;
use super::parts::rules_and_cycles::RulesAndCycles;
use super::parts::score::FinalScoreJson;
use super::parts::situation::side as player_name;
use crate::proven::Effort;

/// The output of `granero judge --json`.
#[derive(Serialize)]
pub struct JudgeDocument {
    #[serde(flatten)]
    tables: RulesAndCycles,
    variant: Option<String>,
    /// Set with endless play by own-side, if it is decided for a player.
    #[serde(skip_serializing_if = "Option::is_none")]
    favours: Option<&'static str>,
    length: usize,
    beyond: usize,
    /// Set with deciding tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_off: Option<usize>,
    moves: Vec<JudgedMoveJson>,
    /// The moves beyond the tables, if they were searched for proofs.
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<Vec<JudgedByProofJson>>,
    south: PlayerJson,
    north: PlayerJson,
    error: Option<ReplayErrorJson>,
}

/// The server's answer: the verb's document, and what a page needs to show it.
#[derive(Serialize)]
pub struct ServedJudgeDocument {
    #[serde(flatten)]
    judgement: JudgeDocument,
    unit: &'static str,
    /// The first position and the moves up to the first that is impossible.
    game: String,
    /// The number of the first move; `second` is true if it is the second of a pair.
    first: u32,
    second: bool,
    /// The number of games in the text.
    games: usize,
}

#[derive(Serialize)]
struct JudgedMoveJson {
    #[serde(flatten)]
    played: PlayedMoveJson,
    #[serde(flatten)]
    errors: Fields<u8>,
}

/// A move, judged by the tables or by a proof.
#[derive(Serialize)]
struct PlayedMoveJson {
    number: usize,
    /// The number in the record, and the move: `35… a`.
    label: String,
    r#move: char,
    position: [u8; 12],
    seeds: u8,
    /// The seeds that both players had captured before the move.
    stores: StoresJson,
    /// The worth of the position to the player who moved.
    #[serde(flatten)]
    worth: Fields<i8>,
    /// The moves that are certainly best.
    best: Vec<char>,
    /// The worth of the move that was played.
    #[serde(flatten)]
    played: Fields<i8>,
    /// `None` if the proof does not settle it.
    class: Option<&'static str>,
    /// True if a player had captured more than half of all seeds before the move.
    decided: bool,
    /// The end of the game with best play from before the move, and after it.
    #[serde(flatten)]
    promised: Fields<FinalScoreJson>,
    #[serde(flatten)]
    left: Fields<FinalScoreJson>,
}

#[derive(Serialize)]
struct StoresJson {
    south: u8,
    north: u8,
}

/// A move beyond the tables.
#[derive(Serialize)]
struct JudgedByProofJson {
    #[serde(flatten)]
    played: PlayedMoveJson,
    best_known: Vec<char>,
    given_away_at_least: u8,
    given_away_at_most: u8,
    #[serde(flatten)]
    effort: Effort,
    ended: &'static str,
}

#[derive(Serialize)]
struct PlayerJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    judged: usize,
    best: usize,
    #[serde(flatten)]
    errors: Fields<u32>,
    changed_winner: usize,
    gave_away: usize,
    harmless: usize,
    worst: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<ProofSummaryJson>,
}

/// The moves of a player beyond the tables.
#[derive(Serialize)]
struct ProofSummaryJson {
    judged: usize,
    best: usize,
    given_away_at_least: u32,
    /// The number of moves that certainly have each class, and of those with none for certain.
    changed_winner: usize,
    gave_away: usize,
    harmless: usize,
    unsettled: usize,
    worst: Option<usize>,
}

/// The first move that cannot have been played.
#[derive(Serialize)]
struct ReplayErrorJson {
    number: usize,
    r#move: char,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    legal: Option<Vec<char>>,
}

impl JudgeDocument {
    /// `searched` says that proofs were searched for beyond the tables.
    pub fn new(
        tables: &Tables,
        game: &Game,
        judgement: &Judgement,
        searched: bool,
    ) -> JudgeDocument {
        let Judgement {
            moves,
            beyond,
            cut_off,
            proven,
            error,
        } = judgement;
        let favours = match tables.cycles() {
            Cycles::Split => None,
            Cycles::OwnSide => game.favours(),
        };
        // Decided endless play leaves each move one value.
        let cycles = match favours {
            None => tables.cycles(),
            Some(_) => Cycles::Split,
        };
        let player = |side| {
            let summary = judgement.player(side);
            let [changed_winner, gave_away, harmless] = summary.wrong;
            PlayerJson {
                name: game.player(side).map(String::from),
                judged: summary.judged,
                best: summary.best,
                errors: errors(cycles, summary.given_away, summary.given_up),
                changed_winner,
                gave_away,
                harmless,
                worst: summary.worst.map(|worst| worst.number),
                proven: searched.then(|| ProofSummaryJson::from(&summary.by_proof)),
            }
        };
        JudgeDocument {
            tables: RulesAndCycles::from(tables),
            variant: game.tag("Variant").map(String::from),
            favours: favours.map(player_name),
            length: game.moves.len(),
            beyond: *beyond,
            cut_off: (!tables.extent().is_full()).then_some(*cut_off),
            moves: moves
                .iter()
                .map(|judged| JudgedMoveJson::of(cycles, game, judged))
                .collect(),
            proven: searched.then(|| {
                let proven = proven.iter();
                let proven = proven.map(|judged| JudgedByProofJson::of(game, judged));
                proven.collect()
            }),
            south: player(Side::South),
            north: player(Side::North),
            error: error.as_ref().map(ReplayErrorJson::from),
        }
    }
}

fn class(class: Class) -> &'static str {
    match class {
        Class::Best => "best",
        Class::Harmless => "harmless",
        Class::GaveAway => "gave-away",
        Class::ChangedWinner => "changed-winner",
    }
}

impl ServedJudgeDocument {
    pub fn new(
        tables: &Tables,
        mut game: Game,
        judgement: &Judgement,
        games: usize,
    ) -> ServedJudgeDocument {
        let document = JudgeDocument::new(tables, &game, judgement, false);
        if let Some(error) = &judgement.error {
            game.moves.truncate(error.number - 1);
        }
        let moves = game.moves.iter().map(|played| played.sown.letter());
        ServedJudgeDocument {
            judgement: document,
            unit: UNIT,
            game: format!("{} {}", game.start, moves.collect::<String>()),
            first: game.numbering.first,
            second: game.numbering.second,
            games,
        }
    }
}

/// The seeds that a move costs, or all moves of a player: with bounds it can be wrong in two ways.
fn errors<T>(cycles: Cycles, given_away: T, given_up: T) -> Fields<T> {
    let bounds = ["guaranteed_given_away", "attainable_given_up"];
    let errors = match cycles {
        Cycles::Split => Measured::Value(given_away),
        Cycles::OwnSide => Measured::Bounds {
            low: given_away,
            high: given_up,
        },
    };
    Fields::named("given_away", bounds, errors)
}

/// The letters of some moves of a side.
fn letters(side: Side, moves: impl Iterator<Item = Move>) -> Vec<char> {
    moves.map(|play| play.house.letter(side)).collect()
}

impl JudgedMoveJson {
    fn of(cycles: Cycles, game: &Game, judged: &JudgedMove) -> JudgedMoveJson {
        let best = judged.best().map(|best| best.play);
        let promised = [judged.promised(), judged.left()];
        let worth = [judged.worth, judged.played];
        JudgedMoveJson {
            played: PlayedMoveJson {
                best: letters(judged.side(), best),
                class: Some(class(judged.class())),
                ..PlayedMoveJson::of(game, judged.number, &judged.ply, worth, promised)
            },
            errors: errors(cycles, judged.given_away(), judged.given_up()),
        }
    }
}

impl JudgedByProofJson {
    fn of(game: &Game, judged: &JudgedByProof) -> JudgedByProofJson {
        let (side, proof) = (judged.side(), &judged.proof);
        let promised = [judged.promised(), judged.left()];
        let worth = [judged.worth, judged.played];
        JudgedByProofJson {
            played: PlayedMoveJson {
                best: letters(side, proof.best().map(|best| best.play)),
                class: judged.class().map(class),
                ..PlayedMoveJson::of(game, judged.number, &judged.ply, worth, promised)
            },
            best_known: letters(side, proof.best_known().map(|best| best.play)),
            given_away_at_least: judged.given_away_at_least(),
            given_away_at_most: judged.given_away_at_most(),
            effort: proof.into(),
            ended: proof.ended.name(),
        }
    }
}

impl PlayedMoveJson {
    /// Leaves `best` and `class` to the caller. `worth` is the worth of the position and of the move,
    /// `ends` the end of the game from before the move and after it.
    fn of(
        game: &Game,
        number: usize,
        ply: &Ply,
        worth: [Measured<Value>; 2],
        ends: [Measured<FinalScore>; 2],
    ) -> PlayedMoveJson {
        let before = &ply.before;
        let position = before.position();
        let letter = ply.play.house.letter(before.to_move());
        let [worth, played] = worth.map(|worth| worth.map(Value::seeds));
        let [promised, left] = ends.map(|ends| ends.map(FinalScoreJson::from));
        PlayedMoveJson {
            number,
            label: format!("{} {letter}", game.numbering.of(number - 1)),
            r#move: letter,
            position: position.houses(),
            seeds: position.seeds(),
            stores: StoresJson {
                south: before.store(Side::South),
                north: before.store(Side::North),
            },
            worth: Fields::of_worth(worth),
            best: Vec::new(),
            played: Fields::named("played", ["played_low", "played_high"], played),
            class: None,
            decided: judge::decided(before).is_some(),
            promised: Fields::named("final", ["final_low", "final_high"], promised),
            left: Fields::named(
                "final_played",
                ["final_played_low", "final_played_high"],
                left,
            ),
        }
    }
}

impl From<&ProofSummary<'_>> for ProofSummaryJson {
    fn from(summary: &ProofSummary<'_>) -> ProofSummaryJson {
        let [changed_winner, gave_away, harmless] = summary.wrong;
        ProofSummaryJson {
            judged: summary.judged,
            best: summary.best,
            given_away_at_least: summary.given_away,
            changed_winner,
            gave_away,
            harmless,
            unsettled: summary.unsettled.iter().sum(),
            worst: summary.worst.map(|worst| worst.number),
        }
    }
}

impl From<&ReplayError> for ReplayErrorJson {
    fn from(error: &ReplayError) -> ReplayErrorJson {
        let legal = match &error.reason {
            ReplayErrorReason::Illegal { side, legal, .. }
            | ReplayErrorReason::NotTheMover { side, legal } => {
                Some(legal.iter().map(|house| house.letter(*side)).collect())
            }
            _ => None,
        };
        ReplayErrorJson {
            number: error.number,
            r#move: error.sown.letter(),
            reason: error.reason.to_string(),
            legal,
        }
    }
}
