//! `--prove`: the limits of a search for a proof beyond the tables.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use granero::index::Layer;
use granero::prove::{Budget, Proof, ProofProgress, Prover};
use granero::{Cycles, Position, TableError, Tables};
use rayon::prelude::*;

use crate::system::interruption;
use granero_console::options::{TimeOrOff, time_or_off};
use granero_console::{ReadOption, TablesOrSample, machine, options};

/// The options of the verbs that look positions up, and prove bounds beyond the tables
#[derive(Debug, clap::Args)]
pub(crate) struct Proving {
    #[command(flatten)]
    pub(crate) db: TablesOrSample,

    #[command(flatten)]
    pub(crate) look_up: ReadOption,

    /// Search this long for a proof of each position that has more seeds than the tables, like
    /// 500ms, 10s or 2min; or off [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = time_or_off)]
    prove: Option<TimeOrOff>,

    /// Limit the search by positions instead of time, so that the answer is the same on every
    /// machine
    #[arg(long, value_name = "N", conflicts_with = "prove", value_parser = options::number::<u64>(0..=u64::MAX))]
    prove_positions: Option<u64>,

    /// The number of threads that search for a proof, shared by simultaneous searches [default:
    /// the number of processors; with --prove-positions 1]
    #[arg(long, value_name = "T", value_parser = options::number::<u16>(1..=256))]
    threads: Option<u16>,
}

/// The default time of a search.
const USUAL: Duration = Duration::from_secs(1);

/// About the positions that a search looks at in a second.
const POSITIONS_PER_SECOND: f64 = 300_000.0;

/// The bytes of tables that are decoded for a search of one second. Decoding takes less than half of that time
/// and makes the search several times as fast.
const TABLES_PER_SECOND: f64 = (32 << 20) as f64;

/// The positions that a search looks at with one thread, in a few milliseconds. Most searches end there, with
/// the same result each time.
const ALONE: u64 = 10_000;

/// The limits of a search for each position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    budget: Budget,
    memory: u64,
    threads: usize,
}

impl Proving {
    /// Returns the limits of the search, or `None` without a search, which is the default if it is only made `if_asked`.
    pub(crate) fn search(&self, if_asked: bool) -> Option<Search> {
        let usual = (!if_asked).then_some(USUAL);
        let time = self.prove.map_or(usual, |TimeOrOff(time)| time);
        let budget = match self.prove_positions {
            Some(positions) => Budget::nodes(positions),
            None => Budget::time(time?),
        };
        // Leave some for other programs.
        let memory = machine::available_memory().map_or(Prover::MEMORY, |free| free / 2);
        let usual = || match self.prove_positions {
            Some(_) => 1,
            None => machine::threads(),
        };
        Some(Search {
            budget,
            memory,
            threads: self.threads.map_or_else(usual, usize::from),
        })
    }
}

impl Search {
    /// Divides the limits among several searches at a time.
    pub(crate) fn shared_by(self, searches: usize) -> Search {
        let searches = searches.max(1);
        Search {
            memory: self.memory / searches as u64,
            threads: (self.threads / searches).max(1),
            ..self
        }
    }

    /// Decodes tables into memory as far as the limits allow, because look-ups in memory are fastest.
    pub(crate) fn prepare(self, tables: &mut Tables) -> Result<(), TableError> {
        // The sample is small enough for its cache.
        if tables.directory().is_none() {
            return Ok(());
        }
        let seconds = match self.budget.time {
            Some(time) => time.as_secs_f64(),
            None => self.budget.nodes as f64 / POSITIONS_PER_SECOND,
        };
        let room = (TABLES_PER_SECOND * seconds).min(self.memory as f64 / 2.0);
        let bounds = match tables.cycles() {
            Cycles::Split => 1.0,
            Cycles::OwnSide => 2.0,
        };
        let mut bytes = 0.0;
        let fit = Layer::all().take_while(|layer| {
            bytes += layer.len() as f64 * bounds;
            bytes <= room
        });
        match fit.last() {
            Some(last) => tables.keep_in_memory(last.seeds()),
            None => Ok(()),
        }
    }

    /// Proves bounds of a position as well as the time allows, which includes the time to load tables.
    pub(crate) fn prove_loading(
        self,
        tables: &mut Tables,
        position: Position,
        watch: impl Fn(&ProofProgress) + Sync,
    ) -> Result<Proof, TableError> {
        let rest = |budget: Budget, proof: &Proof, _: &Position| budget.rest(proof);
        let mut proofs = self.prove_all(tables, &[position], rest, watch, || ())?;
        Ok(proofs.remove(0))
    }

    /// Proves bounds of positions, in their order, many at a time. A short search of each comes first. Tables are loaded
    /// only if it leaves some for which `rest` gives the budget of a longer one.
    pub(crate) fn prove_all(
        self,
        tables: &mut Tables,
        positions: &[Position],
        rest: impl Fn(Budget, &Proof, &Position) -> Option<Budget> + Sync,
        watch: impl Fn(&ProofProgress) + Sync,
        done: impl Fn() + Sync,
    ) -> Result<Vec<Proof>, TableError> {
        let at_a_time = positions.len().min(rayon::current_num_threads());
        let search = self.shared_by(at_a_time);
        if self.budget.time.is_none() {
            self.prepare(tables)?;
        }
        let rest = |proof: &Proof, position: &Position| rest(self.budget, proof, position);
        let first = |position| {
            let budget = self.budget.first();
            let proof = Search { budget, ..search }.prove(tables, position, &watch)?;
            if rest(&proof, position).is_none() {
                done();
            }
            Ok(proof)
        };
        let proofs: Result<Vec<Proof>, TableError> = positions.par_iter().map(first).collect();
        let mut proofs = proofs?;
        let open = proofs.iter().zip(positions);
        let open = open.filter(|(proof, position)| rest(proof, position).is_some());
        let open = open.count() as u32;
        if open == 0 {
            return Ok(proofs);
        }
        let begin = Instant::now();
        self.prepare(tables)?;
        let loading = begin.elapsed() * at_a_time as u32 / open;
        let tables: &Tables = tables;
        let improve = |(proof, position): (&mut Proof, &Position)| {
            let Some(mut budget) = rest(proof, position) else {
                return Ok(());
            };
            budget.time = budget.time.map(|time| time.saturating_sub(loading));
            let longer = Search { budget, ..search }.prove(tables, position, &watch)?;
            *proof = longer.joined(proof);
            done();
            Ok(())
        };
        let searched = proofs.par_iter_mut().zip(positions).map(improve);
        searched.collect::<Result<(), TableError>>()?;
        Ok(proofs)
    }

    /// Proves bounds of a position. Ctrl-C ends the search.
    pub(crate) fn prove(
        self,
        tables: &Tables,
        position: &Position,
        mut watch: impl FnMut(&ProofProgress),
    ) -> Result<Proof, TableError> {
        let prover = Prover::new(tables)
            .memory(self.memory)
            .threads(self.threads)
            .alone_for(ALONE);
        prover.prove(position, self.budget, |progress| {
            watch(progress);
            if interruption::came() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
    }
}
