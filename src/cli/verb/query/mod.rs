//! `granero query`: the value of positions and their moves.

mod batch;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod npy;
mod rules;
pub(in crate::verb) mod text;

use std::io;
use std::path::PathBuf;

use clap::ArgAction;
use granero::notation::{Notation, PositionText, board};
use granero::{TableError, Tables};
use rules::Which;

use crate::arguments::position_arg;
use crate::arguments::proving::{Proving, Search};
use crate::output::meter::{Meter, Unit};
use crate::system::allocator;
use crate::system::interruption::{self, Work};
use granero_answer::document::PositionJson;
use granero_answer::{PositionAnswer, so_far};
use granero_console::Failure;

/// Say what a position is worth, and each of its moves
///
/// The values come from tables made by `granero build`. Several positions may be given, if each is
/// one argument. With --batch, positions are read from a file, one per line, and each line gets a
/// line of output. A line that is not a valid position gives `error`, a tab and the reason; all
/// other lines are answered, and the exit code is 2.
///
/// If a position has more seeds than the tables, a search proves the value, or the least and the
/// most that the player to move gets. It takes a second for each position and each convention for
/// endless play, or the time of --prove; in a batch and with --rules all, only --prove starts a
/// search. Ctrl-C ends the search and prints the proofs so far, with exit code 130.
#[derive(Debug, clap::Args)]
#[command(mut_arg("db", |db| db.action(ArgAction::Append).help("\
    The directory of the tables; if the default one has no tables, the sample in this program answers \
    [default: granero-db]. With --rules all there may be several")))]
#[command(mut_arg("prove", |prove| prove.help("\
    Search this long for a proof of each position that has more seeds than the tables, like 500ms, 10s \
    or 2min; or off [default: 1s; with --batch or --rules all off]")))]
#[command(after_help = position_arg::notations_and("\
Examples:
  granero query 1 1 0 2 4 0 1 1 1 0 0 0
  granero query \"0 0 0 1 1 1 / 1 1 0 2 4 0\" --db granero-db
  granero query 0-0-0-0-0-5-1-0-0-0-0-0-20-22-N --json
  granero query 6 0 0 2 1 2 1 0 1 4 0 1 --prove 10s
  granero query \"1 1 0 2 4 0 0 0 0 0 0 0\" \"0 0 0 0 1 1 / 1 1 0 0 0 0\"
  granero query --batch positions.txt --format tsv > values.tsv
  granero query --batch - < positions.txt
  granero query --batch positions.npy --format npy > values.npy
  granero query 1 1 0 2 4 0 1 1 1 0 0 0 --rules all
  granero query 1 1 0 2 4 0 1 1 1 0 0 0 --rules all --db awari-db --db italian-db
  granero query 1 1 0 2 4 0 1 1 1 0 0 0 --notation playstrategy --format tsv
  granero query --batch positions.txt --prove 200ms"))]
pub(crate) struct Args {
    #[arg(
        required_unless_present = "batch",
        allow_negative_numbers = true,
        help = position_arg::HELP
    )]
    position: Vec<String>,

    /// A file with a position in each line, or - for the standard input
    #[arg(long, value_name = "FILE", conflicts_with = "position")]
    batch: Option<PathBuf>,

    /// Require these rules; or all: answer under the rules of all tables in the directory and its
    /// neighbours, or in all directories that --db names
    #[arg(long, value_name = "NAME|all", value_parser = Which::parse, conflicts_with = "batch")]
    rules: Option<Which>,

    /// Write the position in this notation instead of the board or, with --format tsv, of the twelve
    /// houses
    #[arg(long, value_name = "NOTATION", conflicts_with_all = ["batch", "json"], value_parser = position_arg::notation())]
    notation: Option<&'static Notation>,

    #[command(flatten)]
    proving: Proving,

    /// The form of the answers
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Print JSON, see docs/json.md: the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people; in a batch one line for each position
    Text,
    /// The twelve houses, the mover's first, a tab, and the value, or the low bound, a tab and the
    /// high bound; 2..6 if only a range is proven, - if nothing is known
    Tsv,
    /// A JSON document on one line for each position, see docs/json.md
    Json,
    /// A NumPy array of values for a NumPy array of positions; only with --batch
    Npy,
}

pub(crate) fn run(args: &Args) -> Result<String, Failure> {
    let format = if args.json { Format::Json } else { args.format };
    let all_rules = args.rules == Some(Which::All);
    if args.proving.db.several().is_some() && !all_rules {
        return Err(Failure::not_possible(
            "several directories need --rules all",
            "add --rules all, or name one directory with --db",
        ));
    }
    let db = &args.proving.db;
    if let Some(file) = &args.batch {
        allocator::give_back_at_once();
        let input = batch::open(file)?;
        let search = args.proving.search(true);
        if format == Format::Npy && search.is_some() {
            return Err(Failure::not_possible(
                "--prove cannot be combined with --format npy",
                "leave out --prove and --prove-positions; or give the positions as lines \
                 of text, with --format tsv",
            ));
        }
        let mut tables = db.ask(args.proving.look_up.access())?;
        let mut output = io::stdout().lock();
        if format == Format::Npy {
            npy::run(&tables, input, file, &mut output)?;
            return Ok(String::new());
        }
        let search = search.map(|search| search.shared_by(rayon::current_num_threads()));
        if let Some(search) = search {
            interruption::let_work_end();
            search.prepare(&mut tables)?;
        }
        batch::run(&tables, search, format, input, file, &mut output)?;
        return Ok(String::new());
    }
    let texts = position_arg::parse_several(&args.position)?;
    if format == Format::Npy {
        return Err(Failure::not_possible(
            "--format npy needs --batch",
            "name a NumPy file with --batch, or choose another format",
        ));
    }
    let shown = Shown::new(format, args.notation)?;
    if all_rules {
        let tables = rules::tables(db, db.several())?;
        return rules::all(&texts, tables, args.proving.search(true), &shown);
    }
    let mut tables = db.ask(args.proving.look_up.access())?;
    if let Some(Which::One(rules)) = args.rules {
        rules::check(rules, &tables, db)?;
    }
    let mut other = db.other_convention(&tables, args.proving.look_up.access());
    let search = args.proving.search(false);
    let _work = search.map(|_| Work::begin());
    let mut answers = Vec::with_capacity(texts.len());
    for text in &texts {
        let mut answer = answer(&mut tables, text, search)?;
        answer.find_distance()?;
        let other = other
            .as_mut()
            .map(|other| self::answer(other, text, search));
        let mut other = other.transpose()?;
        if let Some(other) = &mut other {
            other.find_distance()?;
        }
        answers.push(match format {
            Format::Text => text::describe(&answer, other.as_ref(), &shown.of(text)),
            Format::Tsv | Format::Npy => shown.tsv(&answer),
            Format::Json => crate::output::json(&PositionJson::new(&answer, other.as_ref()))?,
        });
    }
    let between = if format == Format::Text { "\n" } else { "" };
    let output = answers.join(between);
    interruption::outcome(output)
}

/// Looks a position up, and searches for a proof if it is beyond the tables.
fn answer<'a>(
    tables: &'a mut Tables,
    text: &'a PositionText,
    search: Option<Search>,
) -> Result<PositionAnswer<'a>, TableError> {
    let position = text.position();
    let is_beyond = PositionAnswer::new(tables, text)?.is_beyond();
    let meter = Meter::late(Unit::Positions, None);
    let proof = match search.filter(|_| is_beyond) {
        None => None,
        Some(search) => Some(search.prove_loading(tables, position, |progress| {
            meter.begin(so_far(progress, position.seeds()));
            meter.reach(progress.nodes);
        })?),
    };
    let mut answer = PositionAnswer::new(tables, text)?;
    if let Some(proof) = proof {
        answer.prove(&proof);
    }
    answer.estimate()?;
    Ok(answer)
}

/// The form of an answer, and the notation of the positions in it.
struct Shown {
    format: Format,
    notation: Option<&'static Notation>,
}

impl Shown {
    /// Fails for a notation of several lines with TSV, and for any notation with JSON, which has numbers.
    fn new(format: Format, notation: Option<&'static Notation>) -> Result<Shown, Failure> {
        let is_possible = match (format, notation) {
            (_, None) | (Format::Text, _) => true,
            (Format::Tsv, Some(notation)) => notation.is_one_line(),
            (Format::Json | Format::Npy, Some(_)) => false,
        };
        if is_possible {
            return Ok(Shown { format, notation });
        }
        Err(Failure::not_possible(
            "--notation cannot be used with this --format",
            "choose --format text; or with --format tsv a notation of one line",
        ))
    }

    /// Formats a position for people: as a board, unless a notation was chosen.
    fn of(&self, text: &PositionText) -> String {
        match self.notation {
            None => board::write(&text.position(), text.to_move()),
            Some(notation) => notation.write(text),
        }
    }

    /// Formats a position and its value, with tabs between them.
    fn tsv(&self, answer: &PositionAnswer<'_>) -> String {
        let line = text::tsv(answer);
        match (self.notation, line.split_once('\t')) {
            (Some(notation), Some((_, value))) => {
                format!("{}\t{value}", notation.write(answer.text).trim_end())
            }
            _ => line,
        }
    }
}
