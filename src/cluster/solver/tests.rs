use std::convert::Infallible;

use super::*;
use crate::carry::{Sizes, channels};
use granero_game::rules::Ruleset;
use granero_game::{Cycles, Extent, Measured};
use granero_solver::checkpoint::{CheckpointStore, InMemory, Kept, NoCheckpoints};
use granero_solver::solve::solve_all;
use granero_solver::tuning::Tuning;
use granero_table::index::half;
use granero_table::rows::{LayerValues, Matrix};

/// Calls `work` in processes that are threads, with the solver and the cluster of each. Returns the
/// results of all.
fn with_processes<T: Send>(
    kind: Kind,
    processes: usize,
    most_counted: u8,
    solved: &[Measured<Vec<i8>>],
    work: impl Fn(&JointSolver, &mut Cluster) -> T + Sync,
) -> Vec<T> {
    let max_seeds = solved.len() as u8 - 1;
    let work = &work;
    std::thread::scope(|scope| {
        let run = |carrier| {
            let work = move || {
                let tuning = Tuning {
                    most_counted,
                    ..Tuning::SMALL
                };
                let mut cluster = Cluster::with(carrier, Sizes::USUAL, tuning);
                let threads = 1 + cluster.process() % 2;
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                pool.build().unwrap().install(|| {
                    let tile_rows = |seeds| {
                        let count = half::count(seeds);
                        (0..count)
                            .step_by(5)
                            .map(move |first| first..count.min(first + 5))
                    };
                    let solver = JointSolver::new(kind, max_seeds, &cluster, tile_rows);
                    let done = work(&solver, &mut cluster);
                    // No process ends before all others are done.
                    cluster.sum(Vec::new()).unwrap();
                    done
                })
            };
            scope.spawn(work)
        };
        let threads: Vec<_> = channels(processes).into_iter().map(run).collect();
        let done = threads.into_iter().map(|thread| thread.join().unwrap());
        done.collect()
    })
}

fn turned(solved: &[Measured<Vec<i8>>]) -> Vec<Measured<Arc<TurnedLayer>>> {
    let turn = |(layer, values): (Layer, &Measured<Vec<i8>>)| {
        (values.as_ref()).map(|values| Arc::new(TurnedLayer::new(layer, values)))
    };
    Layer::all().zip(solved).map(turn).collect()
}

/// Checks the part of a layer that a process has solved, and completes it; `turned` has all layers.
/// Returns how many numbers it owns.
fn check_found(
    solver: &JointSolver,
    process: usize,
    found: SolvedLayer<'_>,
    values: &Measured<Vec<i8>>,
    turned: &[Measured<Arc<TurnedLayer>>],
) -> u64 {
    let layer = found.layer();
    let full =
        |seeds: u8, bound, _| Ok::<_, Infallible>(turned[usize::from(seeds)].get(bound).clone());
    let Ok(unreachable) = solver.unreachable(&found, full);
    let found = found.values_with(&unreachable);
    let mut owned = 0;
    for ((_, found), (_, values)) in found.into_iter().zip(values.iter()) {
        for matrix in Matrix::all(layer) {
            for row in (0..matrix.rows()).map(|rank| matrix.row(rank)) {
                if solver.owner(row) == process {
                    let mut copied = vec![0; row.len()];
                    found.copy(row, 0, &mut copied);
                    assert!(copied == values[row.places()], "{layer:?}");
                    owned += row.len() as u64;
                }
            }
        }
    }
    owned
}

/// Solves all layers with processes, and compares the part of each with `solved`.
fn check_processes(kind: Kind, processes: usize, most_counted: u8, solved: &[Measured<Vec<i8>>]) {
    let turned = turned(solved);
    let owned = with_processes(kind, processes, most_counted, solved, |solver, cluster| {
        let mut owned = 0;
        for (layer, values) in Layer::all().zip(solved) {
            let smaller = |seeds: u8, bound, _| {
                Ok::<_, ClusterError>(turned[usize::from(seeds)].get(bound).clone())
            };
            cluster.seeds = layer.seeds();
            let found = solver
                .solve(layer, cluster, smaller, &mut NoCheckpoints, |_| {})
                .unwrap();
            owned += check_found(solver, cluster.process(), found, values, &turned);
        }
        owned
    });
    let all: u64 = Layer::all().zip(solved).map(|(layer, _)| layer.len()).sum();
    let all = all * kind.cycles.measures().into_iter().count() as u64;
    assert_eq!(owned.into_iter().sum::<u64>(), all);
}

/// Solves the last layer of `solved` with processes, of which the first keeps `checkpoints`; `captures` says
/// whether they may look at smaller layers. Checks their values, and returns the checkpoints.
fn check_processes_with(
    checkpoints: InMemory,
    captures: bool,
    kind: Kind,
    processes: usize,
    most_counted: u8,
    solved: &[Measured<Vec<i8>>],
) -> InMemory {
    let turned = turned(solved);
    let values = solved.last().unwrap();
    let layer = Layer::new(solved.len() as u8 - 1).unwrap();
    let checkpoints = std::sync::Mutex::new(checkpoints);
    with_processes(kind, processes, most_counted, solved, |solver, cluster| {
        let smaller = |seeds: u8, bound, _| {
            assert!(captures, "captures are looked up");
            Ok::<_, ClusterError>(turned[usize::from(seeds)].get(bound).clone())
        };
        cluster.seeds = layer.seeds();
        let (mut kept, mut none);
        let store: &mut dyn CheckpointStore = match cluster.process() {
            0 => {
                kept = checkpoints.lock().unwrap();
                &mut *kept
            }
            _ => {
                none = NoCheckpoints;
                &mut none
            }
        };
        let found = solver.solve(layer, cluster, smaller, store, |_| {});
        check_found(solver, cluster.process(), found.unwrap(), values, &turned)
    });
    checkpoints.into_inner().unwrap()
}

/// The checkpoints that one process keeps of the last layer of `solved`.
fn kept_alone(kind: Kind, most_counted: u8, solved: &[Measured<Vec<i8>>]) -> Vec<Kept> {
    let seeds = solved.len() as u8 - 1;
    let solver = ThresholdSolver::new(kind, seeds).tuned(Tuning {
        most_counted,
        ..Tuning::SMALL
    });
    let turned = turned(solved);
    let smaller =
        |seeds: u8, bound, _| Ok::<_, Infallible>(turned[usize::from(seeds)].get(bound).clone());
    let mut kept = InMemory::default();
    let layer = Layer::new(seeds).unwrap();
    let Ok(_) = solver.solve_in_parts(layer, smaller, &mut kept, |_| Ok(()));
    kept.kept
}

/// At each border, any number of processes keeps what one process keeps, and any number of processes
/// goes on from there.
fn processes_go_on_from_what_one_process_keeps(
    kind: Kind,
    seeds: u8,
    processes: &[usize],
    every: usize,
) {
    let solved = solve_all(kind, seeds, 1);
    for most_counted in [u8::MAX, 0] {
        let alone = kept_alone(kind, most_counted, &solved);
        for &processes in processes {
            let check = |checkpoints, captures| {
                check_processes_with(
                    checkpoints,
                    captures,
                    kind,
                    processes,
                    most_counted,
                    &solved,
                )
            };
            let what = format!("{kind:?}, {most_counted}, {processes} processes");
            assert!(check(InMemory::default(), true).kept == alone, "{what}");
            for border in (0..alone.len()).step_by(every) {
                let checkpoint = &alone[border];
                let then = check(InMemory::from(checkpoint), false);
                assert!(then.kept == alone[border..], "{what}, {border}");
            }
            let begins_again = |checkpoints| {
                let then = check(checkpoints, true);
                assert!(then.resume.is_none(), "{what}");
                then.kept
            };
            // It turns out to be damaged, and cannot be written, either.
            let (lists, parts) = &alone[processes % alone.len()];
            let all = parts.iter().map(Vec::len).sum::<usize>();
            let damaged = InMemory {
                most: Some(all * processes / 5),
                ..InMemory::from(&alone[1])
            };
            assert!(begins_again(damaged).is_empty(), "{what}");
            // Its lists are not of this layer.
            let foreign = (lists[..lists.len() - 8].to_vec(), parts.clone());
            assert!(begins_again(InMemory::from(&foreign)) == alone, "{what}");
        }
    }
}

#[test]
fn processes_go_on_from_checkpoints_of_one_process() {
    for cycles in Cycles::ALL {
        let kind = Kind::from((Ruleset::Abapa, cycles));
        processes_go_on_from_what_one_process_keeps(kind, 6, &[3], 5);
    }
}

#[test]
#[ignore = "slow: .ci/mpi has it"]
fn processes_go_on_from_checkpoints_of_any_number() {
    for (ruleset, extent) in [
        (Ruleset::Abapa, Extent::FULL),
        (Ruleset::Abapa, Extent::deciding(8).unwrap()),
        (Ruleset::Awari, Extent::FULL),
        (Ruleset::SlamEnds, Extent::FULL),
    ] {
        for cycles in Cycles::ALL {
            let kind = Kind::from((ruleset, cycles, extent));
            processes_go_on_from_what_one_process_keeps(kind, 6, &[1, 2, 3, 4], 1);
        }
    }
}

fn processes_find_what_one_process_finds_up_to(seeds: u8, processes: &[usize], extents: &[Extent]) {
    for ruleset in Ruleset::ALL {
        for cycles in Cycles::ALL {
            for &extent in extents {
                let kind = Kind::from((ruleset, cycles, extent));
                let solved = solve_all(kind, seeds, 1);
                for &processes in processes {
                    check_processes(kind, processes, u8::MAX, &solved);
                }
                if extent == Extent::FULL {
                    check_processes(kind, 2, 0, &solved);
                }
            }
        }
    }
}

#[test]
fn processes_find_what_one_process_finds() {
    processes_find_what_one_process_finds_up_to(5, &[3], &[Extent::FULL]);
}

#[test]
#[ignore = "slow: .ci/mpi has it"]
fn processes_find_what_one_process_finds_up_to_8_seeds() {
    let extents = [Extent::FULL, Extent::deciding(9).unwrap()];
    processes_find_what_one_process_finds_up_to(8, &[4], &extents);
}
