//! The number of cores that each phase of a build keeps busy.
//!
//! `cargo bench -p granero-benches --bench phases -- [seeds] [threads] [cycles]` builds `abapa` in a temporary
//! directory, by default up to 20 seeds with one thread, and prints for each phase the elapsed time and the
//! processor time of the whole process. Writing a layer while the next one is solved counts in the phases of
//! the next one.

use std::error::Error;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use granero::build::{Build, BuiltLayer, Watch};
use granero::index::Layer;
use granero::solver::Progress;
use granero::table::TableWriter;
use granero::{Cycles, Extent, Ruleset};
use rustix::time::{ClockId, clock_gettime};

const PHASES: [&str; 4] = [
    "begins a layer",
    "looks captures up",
    "settles",
    "writes, if nothing is solved at that time",
];

/// The time of a phase.
#[derive(Clone, Copy, Default)]
struct Taken {
    time: Duration,
    processor: Duration,
}

struct Clock {
    phase: usize,
    since: Instant,
    processor: Duration,
    taken: [Taken; PHASES.len()],
}

/// Assigns elapsed time to phases.
struct Phases(Mutex<Clock>);

impl Phases {
    fn new() -> Phases {
        Phases(Mutex::new(Clock {
            phase: 0,
            since: Instant::now(),
            processor: processor_time(),
            taken: Default::default(),
        }))
    }

    /// Ends the current phase and begins this one.
    fn begin(&self, phase: usize) {
        let mut clock = self.0.lock().expect("no phase panics");
        let (now, processor) = (Instant::now(), processor_time());
        let (time, busy) = (now - clock.since, processor - clock.processor);
        let at_hand = clock.phase;
        clock.taken[at_hand].time += time;
        clock.taken[at_hand].processor += busy;
        (clock.phase, clock.since, clock.processor) = (phase, now, processor);
    }
}

impl Watch for Phases {
    fn layer_begins(&self, _: Layer) {
        self.begin(0);
    }

    fn layer_goes_on(&self, _: Layer, progress: Progress) {
        self.begin(match progress {
            Progress::Captures(_) | Progress::CapturesOfPart(..) => 1,
            Progress::Sweep { .. } => 2,
        });
    }

    fn layer_is_solved(&self, _: Layer) {
        self.begin(3);
    }

    fn layer_is_finished(&self, _: &BuiltLayer) {
        let phase = self.0.lock().expect("no phase panics").phase;
        self.begin(phase);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // cargo adds an option of its own.
    let mut arguments = std::env::args().skip(1).filter(|text| text != "--bench");
    let seeds = arguments.next().map_or(Ok(20), |text| text.parse())?;
    let threads = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let cycles = arguments
        .next()
        .map_or(Ok(Cycles::Split), |text| text.parse())?;
    let place = tempfile::tempdir()?;
    let mut tables = TableWriter::open(place.path(), (Ruleset::Abapa, cycles))?;
    let phases = Phases::new();
    let build = Build {
        cycles,
        extent: Extent::FULL,
        seeds,
        threads,
        memory: u64::MAX,
        checkpoint: None,
    };
    build.run(&mut tables, &phases)?;
    phases.begin(0);
    let taken = phases.0.into_inner()?.taken;
    println!("abapa, {cycles}, layers 0..={seeds}, threads: {threads}");
    for (name, taken) in PHASES.iter().zip(taken) {
        line(name, taken);
    }
    let all = taken.iter().fold(Taken::default(), |all, next| Taken {
        time: all.time + next.time,
        processor: all.processor + next.processor,
    });
    line("all", all);
    Ok(())
}

fn line(name: &str, taken: Taken) {
    let (time, processor) = (taken.time.as_secs_f64(), taken.processor.as_secs_f64());
    println!(
        "  {name:40} {time:7.2} s, {processor:7.2} s of processor time, {:.2} cores",
        processor / time.max(1e-9)
    );
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
