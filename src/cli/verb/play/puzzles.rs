//! Puzzles in a file: positions with one right move, which the player has to find.

use std::io;
use std::path::Path;
use std::str::FromStr;

use granero::find::Sampler;
use granero::player::Difficulty;
use granero::{Move, Position, Ruleset, Side, Situation, Tables};

use super::session;
use crate::output::print;
use crate::uci::lines;
use granero_console::{Failure, options};

/// The number of puzzles of a series.
const SERIES: usize = 10;

/// The longest file, in MiB.
const LONGEST: u64 = 1;

/// A position with one right move.
struct Puzzle {
    task: &'static str,
    grade: u8,
    start: Situation,
    right: Move,
}

/// Reads a line of `data/puzzles.tsv`.
impl FromStr for Puzzle {
    type Err = ();

    fn from_str(line: &str) -> Result<Puzzle, ()> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [theme, grade, position, _, letter, ..] = fields[..] else {
            return Err(());
        };
        let task = match theme {
            "win" => "Only one move wins",
            "sacrifice" => "Win with a sacrifice",
            "zugzwang" => "Zugzwang: lose as little as you can",
            "draw" => "Only one move gets half of the seeds on the board",
            _ => return Err(()),
        };
        let position: Position = position.parse().map_err(drop)?;
        let start = Situation::open(position);
        Ok(Puzzle {
            task,
            grade: grade.parse().map_err(drop)?,
            start,
            right: session::read(Ruleset::Abapa, &start, Side::South, letter).map_err(drop)?,
        })
    }
}

/// Asks for the right moves of a series of puzzles, and returns the score.
pub(super) fn train(file: &Path, tables: &Tables, seed: u64) -> Result<String, Failure> {
    let help = "name data/puzzles.tsv, or another file like it, see data/README.md";
    let bytes = options::read_file(file, LONGEST, help)?;
    let mut sampler = Sampler::new(SERIES, seed);
    for (number, line) in (1..).zip(String::from_utf8_lossy(&bytes).lines()) {
        if !line.starts_with('#') {
            let puzzle: Puzzle = line.parse().map_err(|()| {
                Failure::not_possible(
                    format!("line {number} of {} is not a puzzle", file.display()),
                    help,
                )
            })?;
            sampler.offer(puzzle);
        }
    }
    let mut series = sampler.drawn();
    series.sort_by_key(|puzzle| puzzle.grade);
    let lines = lines::of(io::stdin()).map_err(Failure::output)?;
    let (mut solved, mut tried) = (0, 0);
    'series: for (number, puzzle) in (1..).zip(&series) {
        let (task, grade, most) = (puzzle.task, puzzle.grade, series.len());
        print(&format!(
            "\nPuzzle {number} of {most}, grade {grade} of 5: {task}.\n"
        ))?;
        print(&session::position(&puzzle.start, Side::South))?;
        let play = loop {
            print("South, your move, or `quit`: ")?;
            let Ok(line) = lines.recv() else {
                print("\n")?;
                break 'series;
            };
            session::echo(&line)?;
            if line.eq_ignore_ascii_case("quit") {
                break 'series;
            }
            match session::read(Ruleset::Abapa, &puzzle.start, Side::South, &line) {
                Ok(play) => break play,
                Err(message) => print(&message)?,
            }
        };
        tried += 1;
        solved += usize::from(play == puzzle.right);
        let right = puzzle.right.house.letter(Side::South);
        print(&if play == puzzle.right {
            "Right.\n".to_string()
        } else {
            format!("Wrong: {right} is right.\n")
        })?;
        let position = puzzle.start.position();
        let assessment = tables.assess(&position)?;
        if tables.rules() == Ruleset::Abapa && assessment.clamped.is_some() {
            let difficulty = Difficulty::of(tables, &position)?;
            print(&session::assessed(&assessment, Side::South, difficulty))?;
        }
    }
    Ok(format!("\nSolved: {solved} of {tried}.\n"))
}
