//! Several processes that MPI has started, which build tables together. All calls of MPI are here.
//!
//! MPI is initialised so that any thread may call it, but one at a time: the carrier of messages has one
//! owner, and belongs to one thread at any moment.

mod carrier;

use std::env;
use std::time::Duration;

use granero::cluster::Cluster;
use mpi::Threading;
use mpi::environment::{Universe, processor_name};
use mpi::topology::{Communicator, SimpleCommunicator};

use crate::output;
use carrier::MpiCarrier;
use granero_answer::duration;
use granero_console::{Failure, note};

/// Variables that launchers of MPI set for each process that they start.
const STARTED: [&str; 5] = [
    "OMPI_COMM_WORLD_SIZE",
    "PMI_SIZE",
    "PMI_RANK",
    "PMIX_RANK",
    "MPI_LOCALNRANKS",
];

/// The variable in which `srun` tells each process how many it has started.
const STARTED_BY_SRUN: &str = "SLURM_STEP_NUM_TASKS";

/// This process among others that MPI has started.
pub(crate) struct Processes {
    /// Ends MPI when it is dropped.
    universe: Universe,
}

impl Processes {
    /// Joins the other processes, if MPI has started this one with others. A process alone does not
    /// need MPI.
    pub(crate) fn join() -> Result<Option<Processes>, Failure> {
        if !STARTED.iter().any(|name| env::var_os(name).is_some()) {
            note_if_alone_by_mistake();
            return Ok(None);
        }
        let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Serialized)
        else {
            return Ok(None);
        };
        let processes = Processes { universe };
        if processes.world().size() < 2 {
            note_if_alone_by_mistake();
            return Ok(None);
        }
        if threading < Threading::Serialized {
            processes.end_all(&Failure::not_possible(
                "this MPI does not let several threads call it",
                "use an MPI that supports MPI_THREAD_SERIALIZED",
            ));
        }
        // After a panic the others would wait for ever, and so would MPI when it ends.
        let tell = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            tell(panic);
            SimpleCommunicator::world().abort(PANICKED);
        }));
        Ok(Some(processes))
    }

    fn world(&self) -> SimpleCommunicator {
        self.universe.world()
    }

    /// The number of this process, which MPI calls its rank.
    pub(crate) fn number(&self) -> usize {
        self.world().rank() as usize
    }

    pub(crate) fn on_this_machine(&self) -> usize {
        self.world().split_shared(0).size().max(1) as usize
    }

    /// The processes to build with. One that waits for another for long says so, and goes on waiting.
    pub(crate) fn cluster(&self) -> Cluster {
        let mut cluster = Cluster::new(MpiCarrier::new(self.world()));
        let name = self.name();
        cluster.on_silence(SILENCE, move |other, waited| {
            note(&format!(
                "{name} has waited for process {other} for {}, and goes on waiting: that process is at \
                 work, or was stopped",
                duration(waited)
            ));
        });
        cluster
    }

    /// This process, as messages name it.
    fn name(&self) -> String {
        let place = processor_name().unwrap_or_else(|_| "its machine".into());
        format!("process {} on {place}", self.number())
    }

    /// Tells the user of a failure, and ends all processes.
    pub(crate) fn end_all(&self, failure: &Failure) -> ! {
        let code = match self.number() {
            0 => output::tell(failure),
            _ => output::tell(&failure.of(&self.name())),
        };
        self.world().abort(code.into());
    }
}

/// Tells a user whose `srun` has started several processes that they do not know of each other. They may
/// be meant to work alone, so that is no error.
fn note_if_alone_by_mistake() {
    let started = env::var(STARTED_BY_SRUN).ok();
    let started: Option<u32> = started.and_then(|number| number.parse().ok());
    if let Some(started @ 2..) = started {
        note(&format!(
            "srun has started {started} processes that do not know of each other: this one builds alone. For \
             one build by all of them, use srun with an --mpi that the MPI of this program knows, often \
             --mpi=pmix"
        ));
    }
}

/// The exit code of a program that has panicked.
const PANICKED: i32 = 101;

/// The time without any sign of another process after which a process says that it waits.
const SILENCE: Duration = Duration::from_secs(60);
