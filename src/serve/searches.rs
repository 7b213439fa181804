//! Searches for proven bounds beyond the tables: a few at a time, each with a limit of time and
//! of memory. A few more wait. A search ends when its client goes away.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use granero::prove::{Budget, Ended, Proof, Prover};
use granero::{Position, TableError, Tables};

use crate::gate::Gate;
use crate::guests::Guest;
use crate::problem::Problem;
use crate::shares::{Most, Shares};
use granero_answer::amounts::duration;
use granero_console::options::{self, ProveOption};

/// The longest time that can be allowed for a search: less than what requests have to finish
/// when the server ends.
const LONGEST: Duration = Duration::from_secs(20);

/// How long a search takes if the client does not say.
const USUAL: Duration = Duration::from_secs(1);

/// How long a search waits for its turn before the client is told to try again.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many searches there may be for each that can work at a time, those that wait included:
/// of all clients, of one address and of one network.
const PLACES: Most = Most {
    all: 8,
    address: 2,
    network: 4,
};

/// Proven bounds beyond the tables
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Beyond the tables")]
pub(super) struct Proving {
    /// The longest time of a search for a proof of what a position is worth that has more seeds
    /// than the tables, like 500ms, 20s at most; or off
    #[arg(long, value_name = "TIME", default_value = "4s", value_parser = limit)]
    prove: ProveOption,

    /// How many searches may work at a time
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = searches)]
    prove_searches: usize,

    /// The memory that each search may take
    #[arg(long, value_name = "SIZE", default_value = "128M", value_parser = options::memory)]
    prove_memory: u64,
}

fn limit(text: &str) -> Result<ProveOption, String> {
    match options::prove_option(text)? {
        ProveOption::Time(time) if time > LONGEST => {
            Err(format!("{} are the most", duration(LONGEST)))
        }
        limit => Ok(limit),
    }
}

fn searches(text: &str) -> Result<usize, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (1..=256).contains(number));
    number.ok_or_else(|| "a number from 1 to 256 is needed".into())
}

impl Proving {
    /// The longest time of a search, if there are searches.
    fn longest(&self) -> Option<Duration> {
        match self.prove {
            ProveOption::Off => None,
            ProveOption::Time(time) => Some(time),
        }
    }

    /// How many may work at a time.
    pub(super) fn searches(&self) -> usize {
        self.longest().map_or(0, |_| self.prove_searches)
    }

    /// The memory of all searches together: besides the positions of a search there are lists of
    /// those to be looked at.
    pub(super) fn memory(&self) -> u64 {
        let each = self.prove_memory.saturating_add(self.prove_memory / 8);
        each.saturating_mul(self.searches() as u64)
    }
}

/// The searches of a server.
pub(super) struct Searches {
    longest: Option<Duration>,
    memory: u64,
    gate: Gate,
    /// Places for searches, whether they work or wait.
    places: Arc<Shares>,
    counts: Arc<Counts>,
}

/// Searches that are over.
#[derive(Default)]
struct Counts {
    /// In the order of [`Searches::ENDS`].
    ended: [AtomicU64; Searches::ENDS.len()],
    positions: AtomicU64,
}

/// Tells a search when the request is dropped that it is for.
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
    /// Why searches end.
    const ENDS: [Ended; 4] = [
        Ended::Settled,
        Ended::Time,
        Ended::Memory,
        // The client has gone away.
        Ended::Stopped,
    ];

    pub(super) fn new(options: &Proving) -> Searches {
        let working = options.prove_searches;
        let most = Most {
            all: PLACES.all * working,
            address: PLACES.address * working,
            network: PLACES.network * working,
        };
        Searches {
            longest: options.longest(),
            memory: options.prove_memory,
            gate: Gate::new(working).with_patience(PATIENCE),
            places: Shares::new(most),
            counts: Arc::default(),
        }
    }

    /// No searches.
    #[cfg(feature = "fuzzing")]
    pub(super) fn off() -> Searches {
        Searches::new(&Proving {
            prove: ProveOption::Off,
            prove_searches: 1,
            prove_memory: 0,
        })
    }

    /// The longest time of a search, if there are searches.
    pub(super) fn longest(&self) -> Option<Duration> {
        self.longest
    }

    /// How long to search for a client that asks for some time, or for none; `None` without
    /// searches.
    pub(super) fn time(&self, asked: Option<Duration>) -> Result<Option<Duration>, Problem> {
        let Some(longest) = self.longest else {
            return Ok(None);
        };
        let time = asked.unwrap_or(USUAL.min(longest));
        if time > longest {
            let message = "the value of `time` is more than this server allows";
            let hint = format!("it searches for {} at most", duration(longest));
            return Err(Problem::bad_parameter(message, hint));
        }
        Ok(Some(time))
    }

    /// Does some work, with a search in it, when it is its turn. The search ends when the
    /// request is dropped.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        guest: &Guest,
        time: Duration,
        work: impl FnOnce(Search) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let place = self.places.take(guest.counted());
        let place = place.ok_or_else(Problem::overloaded)?;
        let request = Request::default();
        let (memory, counts) = (self.memory, Arc::clone(&self.counts));
        let is_gone = Arc::clone(&request.is_gone);
        let work = move || {
            let done = work(Search {
                end: Instant::now() + time,
                time,
                memory,
                is_gone,
                counts,
            });
            drop(place);
            done
        };
        let done = self.gate.work(guest.counted(), work).await;
        drop(request);
        done
    }

    /// How many searches are at work, and how many wait.
    pub(super) fn present(&self) -> [(&'static str, usize); 2] {
        let working = self.gate.busy();
        let waiting = self.places.count().saturating_sub(working);
        [("working", working), ("waiting", waiting)]
    }

    /// How many searches are over, by why they ended.
    pub(super) fn ended(&self) -> [(&'static str, u64); Searches::ENDS.len()] {
        let mut counts = self.counts.ended.iter();
        Searches::ENDS.map(|ended| {
            let count = counts.next();
            let count = count.map_or(0, |count| count.load(Ordering::Relaxed));
            (ended.name(), count)
        })
    }

    /// How many positions searches have looked at.
    pub(super) fn positions(&self) -> u64 {
        self.counts.positions.load(Ordering::Relaxed)
    }
}

/// A search whose turn it is, or several one after the other.
pub(super) struct Search {
    /// When its time is over.
    end: Instant,
    time: Duration,
    memory: u64,
    is_gone: Arc<AtomicBool>,
    counts: Arc<Counts>,
}

impl Search {
    /// The memory that it may take.
    pub(super) fn memory(&self) -> u64 {
        self.memory
    }

    /// Proves bounds of a position in all of the time.
    pub(super) fn prove(&self, tables: &Tables, position: &Position) -> Result<Proof, TableError> {
        self.prove_within(self.time, tables, position)
    }

    /// Proves bounds of one of several positions, in half of the time that is left.
    pub(super) fn prove_next(
        &self,
        tables: &Tables,
        position: &Position,
    ) -> Result<Proof, TableError> {
        let left = self.end.saturating_duration_since(Instant::now());
        self.prove_within(left / 2, tables, position)
    }

    fn prove_within(
        &self,
        time: Duration,
        tables: &Tables,
        position: &Position,
    ) -> Result<Proof, TableError> {
        let prover = Prover::new(tables).memory(self.memory);
        let proof = prover.prove(position, Budget::time(time), |_| {
            match self.is_gone.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
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
