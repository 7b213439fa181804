//! `granero moves`: the legal moves of a position.

use granero::notation::{Notation, PositionText, board};
use granero::rules::Refusal;
use granero::{House, Ruleset, Turn};

use crate::arguments::position_arg;
use crate::output::text::{captured_so_far, indented};
use granero_answer::counted;
use granero_answer::document::LegalMoves;
use granero_console::{Failure, options, paint, style};

/// List the legal moves of a position, or say why the game is over
///
/// Shows for each legal move the seeds that it captures and the position that it leads to, as seen
/// by the opponent, who moves next.
#[derive(Debug, clap::Args)]
#[command(after_help = position_arg::notations_and("\
Examples:
  granero moves 4 0 0 1 3 1 2 1 2 0 0 6
  granero moves \"6 0 0 2 1 2 / 4 0 0 1 3 1\" --rules italian
  granero moves 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S --json
  granero moves \"DDDDDD/DDDDDD 0 0 S\" --notation aalina"))]
pub(crate) struct Args {
    #[arg(required = true, allow_negative_numbers = true, help = position_arg::HELP)]
    position: Vec<String>,

    #[command(flatten)]
    rules: options::RulesOption,

    /// Only write the position, in this notation
    #[arg(long, value_name = "NOTATION", conflicts_with = "json", value_parser = position_arg::notation())]
    notation: Option<&'static Notation>,

    /// Print JSON, see docs/json.md
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let text = position_arg::parse(&args.position)?;
    if let Some(notation) = args.notation {
        Ok(notation.write(&text))
    } else if args.json {
        crate::output::json(&LegalMoves::new(&text.position(), args.rules.rules))
    } else {
        Ok(describe(&text, args.rules.rules))
    }
}

fn describe(text: &PositionText, ruleset: Ruleset) -> String {
    let position = text.position();
    let side = text.to_move();
    let seeds = counted(position.seeds().into(), "seed");
    let mut output = format!("{side} to move, {seeds} on the board, rules {ruleset}.\n");
    if let Some(situation) = text.situation() {
        output += &captured_so_far(&situation);
    }
    output.push('\n');
    output += &indented(&board::write(&position, side));
    output.push('\n');
    let moves = match ruleset.turn(&position) {
        Turn::Play(moves) => moves,
        Turn::Over(over) => {
            let heading = paint(style::HEADING, "The game is over");
            let (reason, value) = (over.reason, over.value);
            return output + &format!("{heading}: {reason}.\nValue for {side}: {value}\n");
        }
    };
    let opponent = side.other();
    let heading = format!("move  captures  leads to, as {opponent} sees it");
    output += &(paint(style::HEADING, heading) + "\n");
    for play in &moves {
        let captured = match play.captured {
            0 => format!("{:8}", 0),
            captured => paint(style::GAIN, format_args!("{captured:8}")),
        };
        let leads_to = match (play.ends_game, play.conceded) {
            (false, _) => play.position.to_string(),
            (true, 0) => "the end of the game".into(),
            (true, 1) => format!("the end of the game: 1 seed goes to {opponent}"),
            (true, seeds) => format!("the end of the game: {seeds} seeds go to {opponent}"),
        };
        let house = play.house.letter(side);
        output += &format!("{house:4}  {captured}  {leads_to}\n");
    }
    // Houses that hold seeds but are not legal moves.
    for house in House::ALL {
        if let Err(illegal) = ruleset.play(&position, house)
            && illegal.refusal != Refusal::EmptyHouse
        {
            let line = format!("{} is not legal: {}", house.letter(side), illegal.refusal);
            output += &(paint(style::FAINT, line) + "\n");
        }
    }
    output
}
