//! The moves of a recorded game, judged.

use std::iter;

use granero::judge::{Class, Count, JudgedMove, Judgement, PlayerSummary, decided};
use granero::player::Player as Estimator;
use granero::{
    Cycles, FinalScore, Game, Measured, Move, ReplayError, ReplayErrorReason, Side, Situation,
    Tables, Value,
};
use serde_json::Number;

use super::UNIT;
use super::parts::{Houses, Player, RulesAndCycles, Score, number, one_or_two};
use super::position::Search;
use crate::documents;

/// The depth of the search for an estimate, in moves.
const DEPTH: u8 = 6;

documents! {
    /// The output of `granero judge --json`.
    #[schemars(rename = "Judgement")]
    pub struct JudgementJson(tables: &Tables, game: &Game, judgement: &Judgement) {
        let by = match tables.cycles() {
            Cycles::Split => None,
            Cycles::OwnSide => game.favours(),
        };
        // Decided endless play leaves each move one value.
        let cycles = by.map_or(tables.cycles(), |_| Cycles::Split);
        let player = |side| JudgedPlayer::new(cycles, game.player(side), judgement.player(side));
        let judged = judgement.moves.iter();
        ..tables: RulesAndCycles = tables.into(),
        /// The tag `Variant` of the record, or `null`.
        variant: Option<String> = game.tag("Variant").map(String::from),
        /// Only with `own-side`, if the game or `--favours` says for whom cycles are decided; moves then have values.
        favours?: Player = by.map(Player::from),
        /// Moves of the game.
        length: usize = game.moves.len(),
        /// Moves beyond the tables.
        beyond: usize = judgement.beyond,
        /// Only with deciding tables: moves that are not judged, because the value is cut off.
        cut_off?: usize = (!tables.extent().is_full()).then_some(judgement.cut_off),
        /// The judged moves.
        moves: Vec<JudgedMoveJson> = judged.map(|judged| JudgedMoveJson::new(cycles, game, judged)).collect(),
        /// South's judged moves.
        south: JudgedPlayer = player(Side::South),
        /// North's judged moves.
        north: JudgedPlayer = player(Side::North),
        /// The first impossible move, or `null`; the moves before it are judged.
        error: Option<ImpossibleMove> = judgement.error.as_ref().map(|error| ImpossibleMove::new(game, error)),
    }

    /// The server's answer: the verb's document, and what a page needs to show it. `count` counts the games in the text,
    /// `positions` the positions beyond the tables from which the search is done, and from which it is not.
    pub struct ServedJudgement(
        tables: &Tables, played: &Game, judgement: &Judgement, count: usize, positions: [usize; 2]
    ) {
        let letters = played.moves[..judgement.possible(played)].iter().map(|played| played.sown.letter());
        ..judged: JudgementJson = JudgementJson::new(tables, played, judgement),
        unit: &'static str = UNIT,
        /// The first position and the possible moves, in Aalina's notation.
        game: String = format!("{} {}", played.start, letters.collect::<String>()),
        /// The number of the first move in the record.
        first: u32 = played.numbering.pair,
        /// It is the second move of its round.
        second: bool = played.numbering.second,
        /// Games in the text.
        games: usize = count,
        /// Positions beyond the tables that have been searched.
        searched: usize = positions[0],
        /// Positions that have not; 0 without searches.
        to_search: usize = positions[1],
        /// South's seeds at the end, before the first move and after each, as a search of six moves estimates them;
        /// `null` within the tables.
        estimates: Vec<Option<u8>> = estimates(tables, played),
    }

    /// The judged moves of a player.
    struct JudgedPlayer(cycles: Cycles, player: Option<&str>, summary: PlayerSummary<'_>) {
        let [changed_winner, gave_away, harmless] = summary.wrong.map(certain);
        /// Only if the record has it.
        name?: String = player.map(String::from),
        /// Moves that are certainly best or certainly wrong.
        judged: usize = summary.judged,
        /// Moves that are certainly best.
        best: usize = summary.best,
        ..errors: Errors = Errors::new(cycles, summary.lost, summary.given_up),
        ..changed_winner: ChangedWinner = changed_winner.into(),
        ..gave_away: GaveAway = gave_away.into(),
        ..harmless: Harmless = harmless.into(),
        /// The number of the costliest move; ties go to the one that gave up most, then the first.
        worst: Option<usize> = summary.worst.map(|worst| worst.number),
    }

    /// The seeds that a move costs, or all moves of a player. With bounds a move can be wrong in two ways.
    struct Errors(cycles: Cycles, difference: Count, less: Count) {
        let seeds = |difference: usize| number(difference as f64 / 2.0);
        let is_proven = less.least == less.most;
        ..given_away: GivenAway = certain(difference).map(seeds).into(),
        ..lost: DifferenceLost = certain(difference).into(),
        /// Only with `own-side`: possible seeds that were given up, if nothing guaranteed was given away; `null` if
        /// unproven.
        given_up?: Option<Number> = (cycles == Cycles::OwnSide).then(|| is_proven.then(|| seeds(less.least))),
    }

    /// A judged move.
    #[schemars(rename = "JudgedMove")]
    struct JudgedMoveJson(cycles: Cycles, game: &Game, judged: &JudgedMove) {
        let before = &judged.ply.before;
        let side = judged.side();
        let letters = |moves: Vec<Move>| moves.iter().map(|play| play.house.letter(side)).collect();
        let at = before.position();
        let letter = judged.ply.play.house.letter(side);
        // Beyond the tables, one number if it is settled.
        let shown = |value: Measured<Value>| match (cycles, value.exact()) {
            (Cycles::Split, Some(value)) => Measured::Value(value),
            _ => value,
        };
        let [of_best, of_played] = [judged.value, judged.played].map(shown);
        let ends = |value: Measured<Value>| value.map(|value| Score::new(FinalScore::new(before, value)));
        let count = |least: u8, most: u8| Count { least: least.into(), most: most.into() };
        let lost = count(judged.lost_at_least(), judged.lost_at_most());
        let less = judged.given_up();
        let less = count(less.unwrap_or(0), less.unwrap_or(1));
        /// Its number in the game, from 1.
        number: usize = judged.number,
        /// As in the record: `35. B`, `35… a`.
        label: String = game.label(judged.number, letter),
        /// `A` to `F` for South, `a` to `f` for North.
        r#move: char = letter,
        /// The position before it.
        position: Houses = at.houses(),
        /// Seeds on the board.
        seeds: u8 = at.seeds(),
        /// The captures of both players before it.
        stores: Stores = Stores::new(before),
        ..value: ValueJson = of_best.map(Value::seeds).into(),
        /// The moves that are certainly best.
        best: Vec<char> = letters(judged.best()),
        /// The moves that no other is known to be better than.
        best_known: Vec<char> = letters(judged.best_known()),
        ..played: Played = of_played.map(Value::seeds).into(),
        ..errors: Errors = Errors::new(cycles, lost, less),
        /// `best`; `changed-winner`, also if a draw is lost; `gave-away`; `harmless`: the game was decided; `null` if
        /// open.
        class: Option<&'static str> = judged.class().map(Class::name),
        /// The mildest class that it may have.
        class_at_least: &'static str = judged.class_at_least().name(),
        /// Hardly anything is proven.
        unknown: bool = judged.is_unknown(),
        /// A player already had more than half of all seeds.
        decided: bool = decided(before).is_some(),
        ..promised: Promised = ends(of_best).into(),
        ..left: Left = ends(of_played).into(),
        /// Only beyond the tables: the search.
        search?: Search = judged.proof().map(Search::new),
    }

    /// The seeds that both players have captured.
    struct Stores(situation: &Situation) {
        south: u8 = situation.store(Side::South),
        north: u8 = situation.store(Side::North),
    }

    /// The first move that cannot have been played.
    struct ImpossibleMove(game: &Game, error: &ReplayError) {
        let letter = error.sown.letter();
        /// Its number in the game, from 1.
        number: usize = error.number,
        /// As in the record: `35. B`, `35… a`.
        label: String = game.label(error.number, letter),
        /// `A` to `F` for South, `a` to `f` for North.
        r#move: char = letter,
        /// Why, for people.
        reason: String = error.reason.to_string(),
        /// Only if there are any: the legal moves.
        legal?: Vec<char> = match &error.reason {
            ReplayErrorReason::Illegal { side, legal, .. }
            | ReplayErrorReason::NotTheMover { side, legal } => {
                Some(legal.iter().map(|house| house.letter(*side)).collect())
            }
            _ => None,
        },
    }
}

one_or_two! {
    GivenAway: Number = given_away | given_away_at_least, given_away_at_most,
        "Seeds that it cost: half of `difference_lost`.";
    DifferenceLost: usize = difference_lost | difference_lost_at_least, difference_lost_at_most,
        "`value` minus `played`, or `low` minus `played_low`.";
    ChangedWinner: usize = changed_winner | changed_winner_at_least, changed_winner_at_most,
        "Moves of this class.";
    GaveAway: usize = gave_away | gave_away_at_least, gave_away_at_most,
        "Moves of this class.";
    Harmless: usize = harmless | harmless_at_least, harmless_at_most,
        "Moves of this class.";
    ValueJson: i8 = value | low, high,
        "The value of the position to the player who moved.";
    Played: i8 = played | played_low, played_high,
        "The value of the move.";
    Promised: Score = r#final | final_low, final_high,
        "The final score with best play.";
    Left: Score = final_played | final_played_low, final_played_high,
        "The final score with best play after the move.";
}

/// South's seeds at the end, as a player expects them, before the first move and after each; `None` within the
/// tables and when the game is over.
fn estimates(tables: &Tables, game: &Game) -> Vec<Option<u8>> {
    let player = Estimator::without_tables(tables.rules());
    let plies = game.plies(tables.rules()).map_while(Result::ok);
    let situations = iter::once(game.start).chain(plies.map(|ply| ply.after));
    let estimate = |situation: Situation| {
        let position = situation.position();
        if tables.max_seeds() >= Some(position.seeds()) {
            return None;
        }
        let choice = player.choose(&position, DEPTH, || false).ok()??;
        let end = FinalScore::new(&situation, choice.value);
        Some(end.seeds(Side::South).round() as u8)
    };
    situations.map(estimate).collect()
}

/// A count as one number if it is settled, else as the least and the most.
fn certain(Count { least, most }: Count) -> Measured<usize> {
    if least == most {
        Measured::Value(least)
    } else {
        Measured::Bounds {
            low: least,
            high: most,
        }
    }
}
