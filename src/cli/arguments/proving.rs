//! `--prove`: the limits of a search for a proof beyond the tables.

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
    /// Search this long for a proof of each position that has more seeds than the tables, like
    /// 500ms, 10s or 2min; or off [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = prove_option)]
    prove: Option<ProveOption>,

    /// Limit the search by positions instead of time, so that the answer is the same on every
    /// machine
    #[arg(long, value_name = "N", conflicts_with = "prove")]
    prove_positions: Option<u64>,

    /// The number of threads that search for a proof, shared by simultaneous searches [default:
    /// the number of processors; with --prove-positions 1]
    #[arg(long, value_name = "T", value_parser = options::threads())]
    threads: Option<u16>,
}

/// The default time of a search.
const USUAL: Duration = Duration::from_secs(1);

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
    /// Returns the limits of the search, or `None` without a search.
    pub(crate) fn search(&self) -> Option<Search> {
        self.search_or(ProveOption::Time(USUAL))
    }

    /// Like [`search`](Proving::search), but off by default.
    pub(crate) fn search_if_asked(&self) -> Option<Search> {
        self.search_or(ProveOption::Off)
    }

    fn search_or(&self, usual: ProveOption) -> Option<Search> {
        let budget = match (self.prove_positions, self.prove.unwrap_or(usual)) {
            (Some(positions), _) => Budget::nodes(positions),
            (None, ProveOption::Time(time)) => Budget::time(time),
            (None, ProveOption::Off) => return None,
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
