//! `granero match`: two engines play each other.

mod score;

use std::iter;
use std::path::PathBuf;

use granero::notation::visible;
use granero::random::SplitMix64;
use granero::{Ruleset, Side, Situation, Tables, Turn};
use score::{Score, ScoreJson};

use super::engines::{Asking, positions_of, with_kill_switches};
use crate::output::json;
use crate::output::meter::Meter;
use crate::referee::{Ask, Game};
use crate::uci::{EngineCommand, KillSwitch, Patience};
use granero_answer::document::RulesAndCycles;
use granero_answer::{counted, documents};
use granero_console::{Failure, options, paint, style};

/// Let two engines play each other, and say by how much one is better
///
/// Each opening is played twice, with the sides changed. A game ends when a player has more than half of
/// all seeds, when the tables know the rest, or when a position comes again, which shares the seeds on
/// the board. An engine that gives no legal answer loses the game, and the exit code is 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero match --engine ./my-engine --against 'granero uci'
  granero match --engine ./my-engine --against ./old-engine --openings 500 --movetime 50
  granero match --engine ./my-engine --against ./old-engine --positions openings.txt --json")]
pub(crate) struct Args {
    /// The command that starts the first engine, whose score is printed; quotes keep words together; no shell is
    /// involved
    #[arg(long, value_name = "COMMAND")]
    engine: EngineCommand,

    /// The command that starts its opponent
    #[arg(long, value_name = "COMMAND")]
    against: EngineCommand,

    /// A file of openings, one position per line, in any notation; - for the standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["openings", "seed"])]
    positions: Option<PathBuf>,

    /// The number of random openings, of 4 to 11 moves after which no player is more than three seeds ahead
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = options::number::<u32>(1..=1_000_000))]
    openings: u32,

    /// The seed of the openings: the same number draws the same openings
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = options::number::<u64>(0..=u64::MAX))]
    seed: u64,

    #[command(flatten)]
    asking: Asking,
}

/// The most moves of a game, by both players together. Few games have more than 150.
const MOST_MOVES: usize = 500;

/// The ends of games, and their names in JSON.
const ENDS: [(&str, &str); 6] = [
    ("majority", "more than half of the seeds"),
    ("tables", "by the tables"),
    ("over", "no legal move"),
    ("repetition", "a position came again"),
    ("too-long", "too many moves"),
    ("fault", "no legal answer"),
];

/// A match, as far as it was played.
struct Match<'a> {
    args: &'a Args,
    tables: &'a Tables,
    engines: [String; 2],
    /// The openings, and the games that were played from each: in the first one, the first engine was to move. Both have
    /// the first engine's lead.
    pairs: Vec<(Situation, [Game; 2])>,
    score: Score,
    /// True if one of the engines could not be asked any more.
    given_up: bool,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let tables = args.asking.db.ask(args.asking.look_up.access())?;
    let openings = match &args.positions {
        Some(file) => positions_of(file)?,
        None => draw(tables.rules(), args.seed)
            .take(args.openings as usize)
            .collect(),
    };
    with_kill_switches(|switches| play(args, &tables, &openings, switches))
}

fn play(
    args: &Args,
    tables: &Tables,
    openings: &[Situation],
    [ours, theirs]: &[KillSwitch; 2],
) -> Result<String, Failure> {
    let patience = Patience {
        own_book: true,
        ..Patience::default()
    };
    let mut engine = args.asking.start(&args.engine, patience, ours)?;
    let mut against = args.asking.start(&args.against, patience, theirs)?;
    let meter = Meter::unless(args.asking.quiet, openings.len() as u64);
    let mut played = Match {
        args,
        tables,
        engines: [&engine, &against].map(|engine| engine.name.clone()),
        pairs: Vec::new(),
        score: Score::default(),
        given_up: false,
    };
    for opening in openings {
        let mut ours = |start: &_, moves: &_| engine.ask(start, moves);
        let mut theirs = |start: &_, moves: &_| against.ask(start, moves);
        let play = |first: &mut Ask<'_>, second: &mut Ask<'_>| {
            Game::play(tables, opening, true, MOST_MOVES, first, Some(second))
        };
        let first = play(&mut ours, &mut theirs)?;
        let second = match first {
            Some(_) => play(&mut theirs, &mut ours)?,
            None => None,
        };
        let Some((first, mut second)) = first.zip(second) else {
            played.given_up = true;
            break;
        };
        second.lead = -second.lead;
        played.score.add([first.lead, second.lead]);
        played.pairs.push((*opening, [first, second]));
        meter.begin(played.score.to_string().replace('\n', "; "));
        meter.add(1);
    }
    drop(meter);
    engine.quit();
    against.quit();
    let output = if args.asking.json {
        json(&MatchJson::new(&played))?
    } else {
        played.describe()
    };
    let is_whole = !played.given_up && played.count("fault") == 0;
    Failure::unless(is_whole, output)
}

impl Match<'_> {
    fn count(&self, end: &str) -> usize {
        let games = self.pairs.iter().flat_map(|(_, games)| games);
        games.filter(|game| game.end.name() == end).count()
    }

    fn describe(&self) -> String {
        let from = match &self.args.positions {
            Some(file) => format!("from {}", file.display()),
            None => format!("drawn with seed {}", self.args.seed),
        };
        let [engine, against] = self.engines.each_ref().map(|name| visible(name));
        let mut text = format!(
            "{}: {} {from}, each played twice,\n{} ms for a move, rules {}.\n\n",
            paint(style::HEADING, format_args!("{engine} against {against}")),
            counted(self.pairs.len() as u64, "opening"),
            self.args.asking.movetime,
            self.tables.rules(),
        );
        if !self.pairs.is_empty() {
            text += &format!("{}\n", self.score);
        }
        for (name, end) in ENDS {
            text += &format!("{:6} games ended: {end}\n", self.count(name));
        }
        if self.given_up {
            let line =
                "An engine has ended or hung too often, so the match ends here; see --stderr.";
            text += &(paint(style::ERROR, line) + "\n");
        }
        text
    }
}

documents! {
    /// The output of `granero match --json`.
    pub(crate) struct MatchJson(of: &Match<'_>) {
        let [first, other] = of.engines.clone();
        /// The name of the first engine.
        engine: String = first,
        /// The name of the other engine.
        against: String = other,
        ..tables: RulesAndCycles = of.tables.into(),
        /// The time for a move.
        movetime_ms: u64 = of.args.asking.movetime,
        /// The seed of the random positions; `null` if they come from a file.
        seed: Option<u64> = of.args.positions.is_none().then_some(of.args.seed),
        /// The match ended early, because an engine failed too often.
        given_up: bool = of.given_up,
        ..score: ScoreJson = ScoreJson::new(&of.score),
        /// The games, by opening.
        games: Vec<PairJson> = of.pairs.iter().map(PairJson::new).collect(),
    }

    /// An opening, played twice.
    struct PairJson((start, games): &(Situation, [Game; 2])) {
        /// In Aalina's notation; in the first game the first engine is to move.
        opening: String = start.to_string(),
        /// The first engine's lead in seeds at the end of each game; ±1 after a fault.
        results: [i32; 2] = games.each_ref().map(|game| game.lead),
        /// Why they ended: `majority`, `tables`, `over`, `repetition`, `too-long` or `fault`.
        ends: [&'static str; 2] = games.each_ref().map(|game| game.end.name()),
    }
}

/// The numbers of moves in an opening.
const FEWEST: u64 = 4;
const MOST: u64 = 11;

/// The most that a player may be ahead in an opening. With more, that player usually wins.
const AHEAD: u8 = 3;

/// Draws openings, the same for the same seed.
fn draw(rules: Ruleset, seed: u64) -> impl Iterator<Item = Situation> {
    let mut random = SplitMix64::new(seed);
    iter::repeat_with(move || draw_one(rules, &mut random)).flatten()
}

/// Returns the situation after some random moves; `None` if it is no fair opening.
fn draw_one(rules: Ruleset, random: &mut SplitMix64) -> Option<Situation> {
    let mut situation = Situation::START;
    for _ in 0..FEWEST + random.below(MOST - FEWEST + 1) {
        let Turn::Play(plays) = rules.turn(&situation.position()) else {
            return None;
        };
        let play = &plays[random.below(plays.len() as u64) as usize];
        (_, situation) = situation.play(rules, play.house).ok()?;
    }
    let [south, north] = [Side::South, Side::North].map(|side| situation.store(side));
    let goes_on = matches!(rules.turn(&situation.position()), Turn::Play(_));
    (goes_on && south.abs_diff(north) <= AHEAD).then_some(situation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_open_and_the_same_for_the_same_seed() {
        let draw = |seed| draw(Ruleset::Abapa, seed).take(50);
        assert!(draw(1).eq(draw(1)));
        assert!(!draw(1).eq(draw(2)));
        for situation in draw(3) {
            assert_ne!(situation, Situation::START);
            let position = situation.position();
            assert!(matches!(Ruleset::Abapa.turn(&position), Turn::Play(_)));
        }
    }
}
