//! The summary of a build, as text and as JSON.

use std::path::Path;
use std::time::Duration;

use granero::build::{Build, BuiltLayer, Moved, bytes};
use granero::table::{FinishedLayer, LayerStatistics, Manifest};
use granero::{Cycles, Extent, Situation};

use crate::verb::estimate::Shares;
use granero_answer::document::{BuiltLayer as LayerJson, RulesAndCycles};
use granero_answer::{counted, documents, duration, grouped, held, outcomes};
use granero_console::{hint, machine, paint, style};

/// Returns an example position that the tables hold: the opening, if they are those of a whole game.
fn example(extent: Extent, seeds: u8) -> Option<String> {
    if seeds == extent.max_seeds()
        && let Some(opening) = Situation::opening(seeds)
    {
        return Some(opening.to_string());
    }
    let examples = [
        (11, "0 0 0 1 1 1 / 1 1 0 2 4 0"),
        (8, "0 1 0 2 0 1 / 0 2 0 1 1 0"),
        (3, "0 0 0 0 0 2 / 0 0 0 0 0 1"),
    ];
    let mut within = examples.into_iter().filter(|(most, _)| *most <= seeds);
    within.next().map(|(_, example)| format!("\"{example}\""))
}

/// The work of a build, and the tables after it.
pub(super) struct Summary<'a> {
    pub(super) db: &'a Path,
    pub(super) build: &'a Build,
    pub(super) built: &'a [BuiltLayer],
    /// The bytes that processes have sent each other.
    pub(super) sent: Option<u64>,
    pub(super) manifest: &'a Manifest,
    pub(super) time: Duration,
}

impl Summary<'_> {
    /// Returns the record of a layer that this run has built.
    fn built(&self, layer: &LayerStatistics) -> Option<&BuiltLayer> {
        let mut built = self.built.iter();
        built.find(|built| built.statistics.seeds == layer.seeds)
    }

    fn positions(&self) -> u64 {
        let built = self.built.iter();
        built.map(|layer| layer.statistics.positions).sum()
    }

    pub(super) fn text(&self) -> String {
        let (rules, cycles, db) = (self.manifest.rules, self.manifest.cycles, self.db);
        let heading = "seeds      positions     won  drawn   lost      time";
        let mut text = paint(style::HEADING, heading) + "\n";
        let layers = self.manifest.layers.iter();
        for layer in layers.map(|layer| &layer.statistics) {
            let built = self.built(layer);
            let time = built.map_or_else(|| "built already".into(), |built| duration(built.total));
            text += &format!(
                "{:5}  {:>13}  {}  {time:>8}\n",
                layer.seeds,
                grouped(layer.positions),
                outcomes(layer),
            );
        }
        let positions = self.positions();
        if positions > 0 {
            text += &format!(
                "\nSolved {} positions in {}, {} a second.\n",
                grouped(positions),
                duration(self.time),
                match positions as f64 / self.time.as_secs_f64() {
                    slow @ ..1e6 => grouped(slow as u64),
                    fast => format!("{:.1} million", fast / 1e6),
                }
            );
        } else {
            text += "\nAll layers were built already.\n";
        }
        let moved: Vec<_> = self.built.iter().filter_map(|built| built.moved).collect();
        if !moved.is_empty() {
            let sum = |of: fn(&Moved) -> u64| bytes(moved.iter().map(of).sum());
            text += &format!(
                "{} larger than memory: {} read and {} written in shares.\n",
                counted(moved.len() as u64, "layer"),
                sum(|moved| moved.read),
                sum(|moved| moved.written),
            );
        }
        if let Some(sent) = self.sent.filter(|_| positions > 0) {
            text += &format!(
                "The processes sent each other {}, {:.1} bytes for each position.\n",
                bytes(sent),
                sent as f64 / positions as f64
            );
        }
        let size = self.manifest.files().map(|file| file.bytes).sum();
        let what = held(self.manifest);
        let whatever = match cycles {
            Cycles::Split => "",
            Cycles::OwnSide => ",\nwhichever position of an endless cycle counts",
        };
        text += &format!(
            "{} now holds {what} of all positions with up to {} seeds under the\n\
             rules {rules}, in {}. \"Won\" means that the player to move ends up with more of\n\
             these seeds than the opponent{whatever}.\n\n",
            db.display(),
            self.manifest.finished() - 1,
            bytes(size),
        );
        text += match cycles {
            Cycles::Split => {
                "Endless play is shared equally. For tournaments that count each player's side, build\n\
                 with --cycles own-side, too.\n\n"
            }
            Cycles::OwnSide => "",
        };
        let (finished, extent) = (self.manifest.finished(), self.manifest.extent);
        let options = hint::option("cycles", cycles) + &hint::db_option(db);
        text += "Try next:\n";
        if let Some(example) = example(extent, finished - 1) {
            text += &format!("  granero query {example}{options}\n");
        }
        let more = (finished + 2).min(extent.max_seeds());
        if more >= finished {
            let next = hint::build(rules, cycles, extent, more, db);
            let estimate = next.replacen("build", "estimate", 1);
            text += &format!("  {estimate}\n  {next}\n");
        }
        text
    }
}

documents! {
    /// The output of `granero build --json`.
    pub(crate) struct Built(of: &Summary<'_>) {
        let Manifest { rules, cycles, extent, .. } = *of.manifest;
        let time = of.time.as_secs_f64();
        ..tables: RulesAndCycles = RulesAndCycles::new(rules, cycles, extent),
        /// The directory.
        db: String = of.db.display().to_string(),
        /// As requested.
        seeds: u8 = of.build.seeds,
        /// As requested.
        threads: usize = of.build.threads,
        /// The layers that the directory now holds.
        layers: Vec<LayerOfBuild> = of.manifest.layers.iter()
            .map(|layer| LayerOfBuild::new(layer, of.built(&layer.statistics))).collect(),
        /// Positions that this run solved.
        positions: u64 = of.positions(),
        /// Time of this run.
        seconds: f64 = time,
        positions_per_second: f64 = of.positions() as f64 / time,
        /// The peak of memory; `null` if unknown.
        peak_memory_bytes: Option<u64> = machine::peak_memory(),
    }

    /// A layer, and what this run did for it.
    struct LayerOfBuild(layer: &FinishedLayer, built: Option<&BuiltLayer>) {
        ..layer: LayerJson = LayerJson::new(layer, built.map(|built| [built.total, built.solving])),
        ..shares: Option<Shares> = built.and_then(|built| built.moved).map(|moved| {
            Shares::new(moved.shares as u64, moved.read, moved.written)
        }),
    }
}
