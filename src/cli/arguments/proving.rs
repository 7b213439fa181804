//! `--prove`: how long to search for a proof beyond the tables.

use std::ops::ControlFlow;
use std::time::Duration;

use granero::index::Layer;
use granero::prove::{Budget, Proof, ProofProgress, Prover};
use granero::{Cycles, Position, TableError, Tables};

use crate::system::interruption;
use granero_console::options::{ProveOption, prove_option};
use granero_console::{machine, options};

/// `--prove`, `--prove-positions` and `--threads` of the verbs that prove bounds beyond the tables
#[derive(Debug, clap::Args)]
pub(crate) struct Proving {
    /// How long to search for a proof of what a position is worth if it has more seeds than the
    /// tables: a time for each position, like 500ms, 10s or 2min; or off [default: 1s; in a batch
    /// off]
    #[arg(long, value_name = "TIME", value_parser = prove_option)]
    prove: Option<ProveOption>,

    /// How many positions such a search may look at, in place of a time: then the answer is the
    /// same on every machine
    #[arg(long, value_name = "N", conflicts_with = "prove")]
    prove_positions: Option<u64>,

    /// How many threads search for a proof [default: the number of processors; with
    /// --prove-positions 1]. Where there are several searches at a time, they share them
    #[arg(long, value_name = "T", value_parser = options::threads())]
    threads: Option<u16>,
}

/// How long a search takes unless told otherwise.
const USUAL: Duration = Duration::from_secs(1);

/// The bytes of tables that are decoded for a search of a second. They take less than half of
/// that time, and make the search several times as fast.
const TABLES_PER_SECOND: f64 = (32 << 20) as f64;

/// How many positions a search looks at with one thread: a few milliseconds. Most searches are over
/// then, and the same each time.
const ALONE: u64 = 10_000;

/// What a search may take for each position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    budget: Budget,
    memory: u64,
    threads: usize,
}

impl Proving {
    /// What a search may take for each position; `None` without one.
    pub(crate) fn search(&self) -> Option<Search> {
        self.search_or(ProveOption::Time(USUAL))
    }

    /// The same where proofs are searched for only if that is asked for.
    pub(crate) fn search_if_asked(&self) -> Option<Search> {
        self.search_or(ProveOption::Off)
    }

    fn search_or(&self, usual: ProveOption) -> Option<Search> {
        let budget = match (self.prove_positions, self.prove.unwrap_or(usual)) {
            (Some(positions), _) => Budget::nodes(positions),
            (None, ProveOption::Time(time)) => Budget::time(time),
            (None, ProveOption::Off) => return None,
        };
        // Not all that is free: other programs need some as well.
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
    /// The same for each of several searches at a time.
    pub(crate) fn shared_by(self, searches: usize) -> Search {
        let searches = searches.max(1);
        Search {
            memory: self.memory / searches as u64,
            threads: (self.threads / searches).max(1),
            ..self
        }
    }

    /// Makes tables ready for searches: look-ups in memory are the fastest.
    pub(crate) fn prepare(self, tables: &mut Tables) -> Result<(), TableError> {
        let seconds = self.budget.time.unwrap_or(USUAL).as_secs_f64();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads() {
        let search = |prove_positions, threads| {
            let proving = Proving {
                prove: None,
                prove_positions,
                threads,
            };
            proving.search().unwrap()
        };
        assert_eq!(search(None, None).threads, machine::threads());
        assert_eq!(search(None, Some(3)).threads, 3);
        assert_eq!(search(Some(100), None).threads, 1);
        assert_eq!(search(Some(100), Some(2)).threads, 2);
        let shared = |searches| search(None, Some(8)).shared_by(searches).threads;
        assert_eq!([0, 1, 3, 8, 9].map(shared), [8, 8, 2, 1, 1]);
    }

    #[test]
    fn limits() {
        assert_eq!(prove_option("off"), Ok(ProveOption::Off));
        assert_eq!(
            prove_option("2s"),
            Ok(ProveOption::Time(Duration::from_secs(2)))
        );
        assert!(prove_option("Off").unwrap_err().ends_with("; or off"));
    }
}
