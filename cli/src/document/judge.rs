//! What the moves of a recorded game were worth.

use granero::judge::{self, BeyondMove, Class, JudgedMove, Judgement};
use granero::{
    Cycles, FinalScore, Game, Measured, ReplayError, ReplayErrorReason, Side, Tables, Value,
};
use serde::Serialize;

use super::UNIT;
use super::fields::Fields;
use super::proven::EffortJson;
use super::rules_and_cycles::RulesAndCycles;
use super::score::FinalScoreJson;
use super::situation::side as player_name;
use crate::answer::Proven;

/// What `granero judge --json` prints.
#[derive(Serialize)]
pub(crate) struct JudgeDocument {
    #[serde(flatten)]
    tables: RulesAndCycles,
    variant: Option<String>,
    /// Only with endless play by own-side, if it is decided for a player.
    #[serde(skip_serializing_if = "Option::is_none")]
    favours: Option<&'static str>,
    length: usize,
    beyond: usize,
    /// Only with deciding tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_off: Option<usize>,
    moves: Vec<JudgedMoveJson>,
    /// Those beyond the tables, if they were searched for proofs.
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<Vec<BeyondMoveJson>>,
    south: PlayerJson,
    north: PlayerJson,
    error: Option<ReplayErrorJson>,
}

/// What the server answers: the same, and what a page needs to show it.
#[derive(Serialize)]
pub(crate) struct ServedJudgeDocument {
    #[serde(flatten)]
    judgement: JudgeDocument,
    unit: &'static str,
    /// The first position and the moves up to the first that is impossible.
    game: String,
    /// The number of the first move, and whether it is the second of a pair.
    first: u32,
    second: bool,
    /// How many games the text has.
    games: usize,
}

#[derive(Serialize)]
struct JudgedMoveJson {
    number: usize,
    /// The number in the record, and the move: `35… a`.
    label: String,
    r#move: char,
    position: [u8; 12],
    seeds: u8,
    /// What both players have captured before the move.
    stores: StoresJson,
    /// What the position was worth to the player who moved.
    #[serde(flatten)]
    worth: Fields<i8>,
    best: Vec<char>,
    /// What the move that was played is worth.
    #[serde(flatten)]
    played: Fields<i8>,
    #[serde(flatten)]
    errors: Fields<u8>,
    class: &'static str,
    /// Whether a player had captured more than half of all seeds before the move.
    decided: bool,
    /// How the game ends with best play from before the move, and after it.
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

/// A move beyond the tables, and what is proven of it.
#[derive(Serialize)]
struct BeyondMoveJson {
    number: usize,
    r#move: char,
    position: [u8; 12],
    seeds: u8,
    /// What the position is worth to the player who moved.
    low: i8,
    high: i8,
    /// The best known moves.
    best: Vec<char>,
    /// What the move that was played is worth.
    played_low: i8,
    played_high: i8,
    given_away_at_least: u8,
    given_away_at_most: u8,
    #[serde(flatten)]
    effort: EffortJson,
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
    proven: Option<BeyondPlayerJson>,
}

/// The moves of a player beyond the tables.
#[derive(Serialize)]
struct BeyondPlayerJson {
    judged: usize,
    best: usize,
    given_away_at_least: u32,
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
    /// `searched` says whether proofs were searched for beyond the tables.
    pub(crate) fn new(
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
                proven: searched.then(|| BeyondPlayerJson {
                    judged: summary.beyond.judged,
                    best: summary.beyond.best,
                    given_away_at_least: summary.beyond.given_away,
                    worst: summary.beyond.worst.map(|worst| worst.number),
                }),
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
                proven.map(BeyondMoveJson::from).collect()
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
    pub(crate) fn new(
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

/// What a move costs, or all moves of a player: with bounds it can be wrong in two ways.
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

impl JudgedMoveJson {
    fn of(cycles: Cycles, game: &Game, judged: &JudgedMove) -> JudgedMoveJson {
        let side = judged.side();
        let best = judged.best();
        let played = judged.played.map(Value::seeds);
        let letter = judged.ply.play.house.letter(side);
        let before = &judged.ply.before;
        let ends = |name, bounds, ends: Measured<FinalScore>| {
            Fields::named(name, bounds, ends.map(FinalScoreJson::from))
        };
        JudgedMoveJson {
            number: judged.number,
            label: format!("{} {letter}", game.numbering.of(judged.number - 1)),
            r#move: letter,
            position: judged.assessment.position.houses(),
            seeds: judged.assessment.position.seeds(),
            stores: StoresJson {
                south: before.store(Side::South),
                north: before.store(Side::North),
            },
            worth: Fields::of_worth(judged.worth.map(Value::seeds)),
            best: best.map(|best| best.play.house.letter(side)).collect(),
            played: Fields::named("played", ["played_low", "played_high"], played),
            errors: errors(cycles, judged.given_away(), judged.given_up()),
            class: class(judged.class()),
            decided: judge::decided(before).is_some(),
            promised: ends("final", ["final_low", "final_high"], judged.promised()),
            left: ends(
                "final_played",
                ["final_played_low", "final_played_high"],
                judged.left(),
            ),
        }
    }
}

impl From<&BeyondMove> for BeyondMoveJson {
    fn from(judged: &BeyondMove) -> BeyondMoveJson {
        let side = judged.side();
        let position = judged.ply.before.position();
        let proven = Proven::of_played(judged);
        BeyondMoveJson {
            number: judged.number,
            r#move: judged.ply.play.house.letter(side),
            position: position.houses(),
            seeds: position.seeds(),
            low: judged.low.seeds(),
            high: judged.high.seeds(),
            best: proven.best_known(side),
            played_low: judged.played_low.seeds(),
            played_high: judged.played_high.seeds(),
            given_away_at_least: judged.given_away_at_least(),
            given_away_at_most: judged.given_away_at_most(),
            effort: EffortJson::from(proven.effort),
            ended: proven.ended.name(),
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
