//! Searches for proven bounds beyond the tables: a few at a time, each with limits of time and
//! memory. A few more wait. A search ends when its client goes away.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use granero::prove::{Budget, Ended, Proof, Prover};
use granero::{Position, TableError, Tables};

use super::gate::Gate;
use super::number;
use super::permits::{Caps, Permits};
use crate::connection::Connection;
use crate::reply::Problem;
use granero_answer::duration;
use granero_console::{ProveOption, options};

/// The largest value of `--prove`, which is less than the time for requests to finish when the
/// server ends.
const LONGEST: Duration = Duration::from_secs(20);

/// The time of a search if the client gives none.
const DEFAULT: Duration = Duration::from_secs(1);

/// The time that a search waits for its turn before the client is told to try again.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most searches for each that may work at a time, including those that wait.
const PERMITS: Caps = Caps {
    all: 8,
    address: 2,
    network: 4,
};

/// Proven bounds beyond the tables
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Beyond the tables")]
pub(crate) struct SearchOptions {
    /// The longest time to search for a proof of the value of a position that has more seeds than
    /// the tables, like 500ms, at most 20s; or off
    #[arg(long, value_name = "TIME", default_value = "4s", value_parser = limit)]
    prove: ProveOption,

    /// The most searches that work at a time
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = number(1..=256))]
    prove_searches: usize,

    /// The memory that each search may take
    #[arg(long, value_name = "SIZE", default_value = "128M", value_parser = options::memory)]
    prove_memory: u64,
}

fn limit(text: &str) -> Result<ProveOption, String> {
    match options::prove_option(text)? {
        ProveOption::Time(time) if time > LONGEST => {
            Err(format!("at most {} are allowed", duration(LONGEST)))
        }
        limit => Ok(limit),
    }
}

impl SearchOptions {
    fn longest(&self) -> Option<Duration> {
        match self.prove {
            ProveOption::Off => None,
            ProveOption::Time(time) => Some(time),
        }
    }

    /// Returns the most searches that work at a time.
    pub(crate) fn most(&self) -> usize {
        self.longest().map_or(0, |_| self.prove_searches)
    }

    /// Returns the memory of all searches. Besides positions, each keeps lists of positions to visit.
    pub(crate) fn memory(&self) -> u64 {
        let each = self.prove_memory.saturating_add(self.prove_memory / 8);
        each.saturating_mul(self.most() as u64)
    }
}

pub(crate) struct Searches {
    /// The longest time of a search, if there are searches.
    pub(crate) longest: Option<Duration>,
    memory: u64,
    gate: Gate,
    /// Permits for searches that work or wait.
    permits: Arc<Permits>,
    counts: Arc<SearchCounts>,
}

#[derive(Default)]
struct SearchCounts {
    /// In the order of [`Searches::ENDS`].
    ended: [AtomicU64; Searches::ENDS.len()],
    positions: AtomicU64,
}

/// Tells a search when its request is dropped.
#[derive(Default)]
struct Request {
    is_gone: Arc<AtomicBool>,
}

impl Drop for Request {
    fn drop(&mut self) {
        self.is_gone.store(true, Ordering::Relaxed);
    }
}

impl Searches {
    /// All reasons why searches end.
    const ENDS: [Ended; 4] = [
        Ended::Settled,
        Ended::Time,
        Ended::Memory,
        // By a client that goes away.
        Ended::Stopped,
    ];

    pub(crate) fn new(options: &SearchOptions) -> Searches {
        let working = options.prove_searches;
        let caps = Caps {
            all: PERMITS.all * working,
            address: PERMITS.address * working,
            network: PERMITS.network * working,
        };
        Searches {
            longest: options.longest(),
            memory: options.prove_memory,
            gate: Gate::new(working).with_patience(PATIENCE),
            permits: Permits::new(caps),
            counts: Arc::default(),
        }
    }

    /// Returns a server without searches.
    #[cfg(feature = "fuzzing")]
    pub(crate) fn off() -> Searches {
        Searches::new(&SearchOptions {
            prove: ProveOption::Off,
            prove_searches: 1,
            prove_memory: 0,
        })
    }

    /// Returns the time to search, given the time in the request if there is one; `None` without
    /// searches.
    pub(crate) fn time(&self, asked: Option<Duration>) -> Result<Option<Duration>, Problem> {
        let Some(longest) = self.longest else {
            return Ok(None);
        };
        let time = asked.unwrap_or(DEFAULT.min(longest));
        if time > longest {
            let message = "the value of `time` is more than this server allows";
            let hint = format!("ask for at most {}", duration(longest));
            return Err(Problem::bad_parameter(message, hint));
        }
        Ok(Some(time))
    }

    /// Returns the limit of the searches from each position of a game, if there are searches.
    pub(crate) fn each(&self) -> Option<Budget> {
        self.longest.map(|_| Budget::time(DEFAULT))
    }

    /// Does some work that searches, in its turn. The search ends when the request is dropped.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        connection: &Connection,
        time: Duration,
        work: impl FnOnce(SearchTurn) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = self.permits.take(connection.counted_peer())?;
        let request = Request::default();
        let (memory, counts) = (self.memory, Arc::clone(&self.counts));
        let is_gone = Arc::clone(&request.is_gone);
        let search = move || {
            let done = work(SearchTurn {
                end: Instant::now() + time,
                time,
                memory,
                is_gone,
                counts,
            });
            drop(permit);
            done
        };
        let done = self.gate.work(connection.counted_peer(), search).await;
        drop(request);
        done
    }

    /// Counts the searches that work, and those that wait.
    pub(crate) fn current(&self) -> [(&'static str, usize); 2] {
        let working = self.gate.busy();
        let waiting = self.permits.count().saturating_sub(working);
        [("working", working), ("waiting", waiting)]
    }

    /// Counts the finished searches by the reason why they ended.
    pub(crate) fn ended(&self) -> [(&'static str, u64); Searches::ENDS.len()] {
        let mut counts = self.counts.ended.iter();
        Searches::ENDS.map(|ended| {
            let count = counts.next();
            let count = count.map_or(0, |count| count.load(Ordering::Relaxed));
            (ended.name(), count)
        })
    }

    /// Returns the number of positions that searches have visited.
    pub(crate) fn positions(&self) -> u64 {
        self.counts.positions.load(Ordering::Relaxed)
    }
}

/// The turn of a request, for one search or several, one after the other.
pub(crate) struct SearchTurn {
    /// The end of its time.
    end: Instant,
    time: Duration,
    pub(crate) memory: u64,
    is_gone: Arc<AtomicBool>,
    counts: Arc<SearchCounts>,
}

impl SearchTurn {
    pub(crate) fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// Proves bounds of a position within the whole time.
    pub(crate) fn prove(&self, tables: &Tables, position: &Position) -> Result<Proof, TableError> {
        self.prove_within(self.time, tables, position)
    }

    /// Proves bounds of one of several positions within half of the time that is left.
    pub(crate) fn prove_next(
        &self,
        tables: &Tables,
        position: &Position,
    ) -> Result<Proof, TableError> {
        self.prove_within(self.left() / 2, tables, position)
    }

    /// Proves bounds of a position within a part of the time.
    pub(crate) fn prove_within(
        &self,
        time: Duration,
        tables: &Tables,
        position: &Position,
    ) -> Result<Proof, TableError> {
        let prover = Prover::new(tables).memory(self.memory);
        let proof = prover.prove(position, Budget::time(time), |_| {
            if self.is_gone.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        let counts = &self.counts;
        let place = Searches::ENDS.iter().position(|&end| end == proof.ended);
        if let Some(place) = place {
            counts.ended[place].fetch_add(1, Ordering::Relaxed);
        }
        counts.positions.fetch_add(proof.nodes, Ordering::Relaxed);
        Ok(proof)
    }
}
