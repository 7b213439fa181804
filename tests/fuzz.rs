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

/// A target, and the inputs of a whole run.
struct Target {
    /// The name of the target in `fuzz/`, and of its directory of good inputs, except for layer files.
    name: &'static str,
    trials: u64,
    run: fn(&[u8]),
}

static TARGETS: [Target; 9] = [
    Target::new("layer_file", 5_000, targets::layer_file::run),
    Target::new("manifest", 20_000, targets::manifest::run),
    Target::new("positions", 100_000, targets::positions::run),
    Target::new("games", 100_000, targets::games::run),
    Target::new("uci", 10_000, targets::uci::run),
    Target::new("lines", 6_000, targets::lines::run),
    Target::new("bodies", 50_000, targets::bodies::run),
    Target::new("requests", 20_000, targets::requests::run),
    Target::new("connections", 8_000, targets::connections::run),
];

impl Target {
    const fn new(name: &'static str, trials: u64, run: fn(&[u8])) -> Target {
        Target { name, trials, run }
    }

    /// The good inputs: the files of its directories.
    fn seeds(&self) -> Vec<Vec<u8>> {
        let directories = match self.name {
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

    /// Runs the target on its good inputs, and on the inputs of some trials, which are made from them.
    fn fuzz(&self, trials: Range<u64>) {
        let Target { name, run, .. } = self;
        let seeds = self.seeds();
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
}

/// Runs the trials of plain `cargo test`: a sixteenth, or the requested number.
fn first_of(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name);
    let target = target.expect("a target of this name");
    target.fuzz(0..number("FUZZ_TRIALS").unwrap_or(target.trials / 16));
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref().copied())
        .unwrap_or("a panic")
}

#[test]
fn layer_files() {
    first_of("layer_file");
}

#[test]
fn manifests() {
    first_of("manifest");
}

#[test]
fn positions() {
    first_of("positions");
}

#[test]
fn games() {
    first_of("games");
}

#[test]
fn dialogues() {
    first_of("uci");
}

#[test]
fn lines() {
    first_of("lines");
}

#[test]
fn bodies() {
    first_of("bodies");
}

#[test]
fn requests() {
    first_of("requests");
}

#[test]
fn connections() {
    first_of("connections");
}

#[test]
#[ignore = "slow: .ci/run has it"]
fn all_targets_go_on() {
    for target in &TARGETS {
        target.fuzz(target.trials / 16..target.trials);
    }
}
