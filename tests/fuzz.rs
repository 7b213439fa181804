//! The fuzz targets, without a fuzzer: each gets a few thousand inputs made from its seeds, always the same.
//!
//! For more or other inputs, set their number and the seed:
//!
//! ```sh
//! FUZZ_TRIALS=1000000 FUZZ_SEED=2 cargo test --test fuzz -- --nocapture
//! ```
//!
//! A fuzzer that sees which code its inputs reach finds more: `fuzz/README.md`.

// In their own package these are public, and all are used.
#[allow(unreachable_pub, dead_code)]
#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::any::Any;
use std::fs;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use granero::random::SplitMix64;
use test_case::test_case;

use targets::Run;

/// Texts to put into inputs, besides random bytes: with bars between them.
const PIECES: &str = "0|-1|48|49|255|256|4294967296|18446744073709551616|1e999| |\n|/|-|\"|\\|[|{|}|null|%|+|&|\
    \r\n|\0|\u{7f}|\u{9b}|é|\u{feff}|S|f";

/// Draws inputs.
struct Random(SplitMix64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0.below(u64::MAX)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// A short piece of an input.
    fn piece(&mut self, input: &[u8]) -> Range<usize> {
        let start = self.below(input.len() + 1);
        let length = 1 + self.below(16);
        start..input.len().min(start + length)
    }

    /// An input made from good ones.
    fn input(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut input = seeds[self.below(seeds.len())].clone();
        for _ in 0..1 + self.below(6) {
            let place = self.piece(&input);
            match self.below(9) {
                0 if !place.is_empty() => input[place.start] ^= 1 << self.below(8),
                1 if !place.is_empty() => input[place.start] = self.next() as u8,
                2 => drop(input.drain(place)),
                3 => {
                    let copy = input[place].to_vec();
                    let to = self.below(input.len() + 1);
                    input.splice(to..to, copy);
                }
                4 => {
                    let other = &seeds[self.below(seeds.len())];
                    let copy = other[self.piece(other)].to_vec();
                    input.splice(place, copy);
                }
                5 => {
                    let pieces: Vec<&str> = PIECES.split('|').collect();
                    input.splice(place, pieces[self.below(pieces.len())].bytes());
                }
                6 => {
                    // Replace a number by another one.
                    let is_digit = |&place: &usize| input[place].is_ascii_digit();
                    let digits: Vec<usize> = (0..input.len()).filter(is_digit).collect();
                    if !digits.is_empty() {
                        let start = digits[self.below(digits.len())];
                        let rest = input[start..].iter();
                        let length = rest.take_while(|byte| byte.is_ascii_digit()).count();
                        let number = self.next() >> self.below(64);
                        input.splice(start..start + length, number.to_string().into_bytes());
                    }
                }
                7 => {
                    let copies = input[place.clone()].repeat(1 << self.below(9));
                    input.splice(place, copies);
                }
                _ => {
                    let to = place.start;
                    input.splice(to..to, self.next().to_le_bytes());
                }
            }
        }
        input
    }
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// The good inputs of a target: the files of its directories.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    let directories = match name {
        "layer_file" => vec![
            "src/table/sample".into(),
            "src/table/sample/own-side".into(),
        ],
        name => vec![format!("fuzz/seeds/{name}")],
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = directories
        .iter()
        .flat_map(|directory| fs::read_dir(root.join(directory)).unwrap());
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.is_file());
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// Runs a target on its good inputs, and on the inputs of some trials, which are made from them.
fn fuzz(name: &str, run: Run, trials: Range<u64>) {
    let seeds = seeds(name);
    for seed in &seeds {
        run(seed);
    }
    let first = number("FUZZ_SEED").unwrap_or(1) << 32;
    for trial in trials {
        let input = Random(SplitMix64::new(first + trial)).input(&seeds);
        let ended = catch_unwind(AssertUnwindSafe(|| run(&input)));
        if let Err(panic) = ended {
            let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{name}"));
            fs::write(&kept, &input).unwrap();
            let (shown, what) = (input.escape_ascii(), words(&*panic));
            panic!("{name}, trial {trial}: {what}\n{}: {shown}", kept.display());
        }
    }
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref().copied())
        .unwrap_or("a panic")
}

/// Runs all targets at the same time, with a part of the trials of a whole run, or as many as `FUZZ_TRIALS` says; and
/// with the rest.
#[test_case(|all| 0..number("FUZZ_TRIALS").unwrap_or(all / 80); "some trials")]
#[test_case(|all| all / 80..all => ignore["slow: .ci/run has it"] (); "more trials")]
fn targets_keep_their_promises(trials: impl Fn(u64) -> Range<u64> + Sync) {
    std::thread::scope(|scope| {
        for (name, all, run) in targets::TARGETS {
            let trials = trials(all);
            scope.spawn(move || fuzz(name, run, trials));
        }
    });
}
