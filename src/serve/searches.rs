//! Searches for proven bounds beyond the tables: a few at a time, each with limits of time and
//! memory. A few more wait. A search ends when its client goes away.

use std::ops::ControlFlow;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use granero::prove::{Budget, Ended, Proof, Prover};
use granero::{Position, TableError, Tables};
use granero_answer::duration;
use granero_console::options::{self, TimeOrOff};

use crate::limits::Gate;
use crate::metrics::METRICS;
use crate::problem::Problem;

/// The largest value of `--prove`, less than the time for requests to finish when the server ends.
const LONGEST: Duration = Duration::from_secs(20);

/// The time of a search if the client gives none.
pub(crate) const DEFAULT: Duration = Duration::from_secs(1);

/// The longest wait of a search for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most searches that work or wait, for each that may work at a time.
const QUEUE: usize = 8;

/// Proven bounds beyond the tables
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Beyond the tables")]
pub(crate) struct SearchOptions {
    /// The longest time to search for a proof of the value of a position that has more seeds than
    /// the tables, like 500ms, at most 20s; or off
    #[arg(long, value_name = "TIME", default_value = "4s", value_parser = limit)]
    prove: TimeOrOff,

    /// The most searches that work at a time
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=256))]
    prove_searches: u16,

    /// The memory that each search may take
    #[arg(long, value_name = "SIZE", default_value = "128M", value_parser = options::memory)]
    prove_memory: u64,
}

fn limit(text: &str) -> Result<TimeOrOff, String> {
    let limit = options::time_or_off(text)?;
    if limit.0 > Some(LONGEST) {
        return Err(format!("at most {} are allowed", duration(LONGEST)));
    }
    Ok(limit)
}

impl SearchOptions {
    /// Returns the most searches that work at a time.
    pub(crate) fn most(&self) -> usize {
        self.prove.0.map_or(0, |_| self.prove_searches.into())
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
    pub(crate) gate: Gate,
}

impl Searches {
    pub(crate) fn new(options: &SearchOptions) -> Searches {
        for ended in [Ended::Settled, Ended::Time, Ended::Memory, Ended::Stopped] {
            METRICS.searches_ended.with_label_values(&[ended.name()]);
        }
        let working = usize::from(options.prove_searches);
        Searches {
            longest: options.prove.0,
            memory: options.prove_memory,
            gate: Gate::new([working, QUEUE * working], PATIENCE),
        }
    }

    /// Checks a time to search. Returns `None` without searches.
    pub(crate) fn time(&self, asked: Option<Duration>) -> Result<Option<Duration>, Problem> {
        match self.longest {
            Some(longest) if asked > Some(longest) => {
                let message = "the value of `time` is more than this server allows";
                let hint = format!("ask for at most {}", duration(longest));
                Err(Problem::bad_parameter(message, hint))
            }
            longest => Ok(asked.filter(|_| longest.is_some())),
        }
    }

    /// Does some work that searches, in its turn. The search ends when the request is dropped.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        time: Duration,
        work: impl FnOnce(SearchTurn) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        // Dropped with the request.
        let request = Arc::new(());
        let (memory, client) = (self.memory, Arc::downgrade(&request));
        let search = move || {
            work(SearchTurn {
                end: Instant::now() + time,
                memory,
                request: client,
            })
        };
        self.gate.work(search).await
    }
}

/// The turn of a request, for one search or several, one after the other.
pub(crate) struct SearchTurn {
    /// The end of its time.
    end: Instant,
    pub(crate) memory: u64,
    /// Gone if the client is.
    request: Weak<()>,
}

impl SearchTurn {
    pub(crate) fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// Proves bounds of a position within some time.
    pub(crate) fn prove(
        &self,
        time: Duration,
        tables: &Tables,
        position: &Position,
    ) -> Result<Proof, TableError> {
        let prover = Prover::new(tables).memory(self.memory);
        let proof = prover.prove(position, Budget::time(time), |_| {
            match self.request.strong_count() {
                0 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        })?;
        let ended = proof.ended.name();
        METRICS.searches_ended.with_label_values(&[ended]).inc();
        METRICS.searched_positions.inc_by(proof.nodes);
        Ok(proof)
    }
}
