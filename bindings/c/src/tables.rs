//! Tables.

use std::ffi::c_char;
use std::ops::Deref;
use std::path::PathBuf;

use granero::{Access, Clamped, Cycles, Measured, TableOptions, Tables, Value, pool};

use crate::border;
use crate::position;
use crate::rules::{
    self, GRANERO_MAX_MOVES, GRANERO_OVER_NOT, GraneroMove, GraneroOver, GraneroRules,
};
use crate::status::{Failure, GRANERO_OK, GRANERO_UNKNOWN, GraneroStatus};

/// Open tables, to look positions up. Threads can share them: calls wait for each other only while one
/// looks up a block of the cache. A child of `fork` can use them, whatever its parent's threads were
/// doing.
pub struct GraneroTables(Tables);

impl Deref for GraneroTables {
    type Target = Tables;

    fn deref(&self) -> &Tables {
        &self.0
    }
}

/// A convention for endless play: one of the GRANERO_CYCLES_…
pub type GraneroCycles = u32;

/// The convention that the directory has; "split" if it has both.
pub const GRANERO_CYCLES_ANY: GraneroCycles = 0;
/// Endless play is worth nothing to either. Positions have one value.
pub const GRANERO_CYCLES_SPLIT: GraneroCycles = 1;
/// Endless play gives each player the seeds on their own side. Positions have two bounds.
pub const GRANERO_CYCLES_OWN_SIDE: GraneroCycles = 2;

/// The way in which files are read: one of the GRANERO_ACCESS_…
pub type GraneroAccess = u32;

/// Maps files into memory. If a part of a mapped file cannot be read, because a medium fails or another
/// program truncates the file, the operating system sends the program a signal.
pub const GRANERO_ACCESS_MAP: GraneroAccess = 0;
/// Reads files piece by piece. Whatever happens to them, the result is an ordinary error.
pub const GRANERO_ACCESS_READ: GraneroAccess = 1;

/// Stands for a value that the tables do not have.
pub const GRANERO_NONE: i8 = -128;

/// The least and the most that the player to move gets, in seeds, as far as the tables tell it. Both are the
/// value if it is known, and GRANERO_NONE beyond the tables.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GraneroRange {
    /// The least.
    pub low: i8,
    /// The most.
    pub high: i8,
}

/// A legal move and its worth to the player who makes it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct GraneroAssessedMove {
    /// The move.
    pub play: GraneroMove,
    /// The worth of the move.
    pub range: GraneroRange,
    /// True for a best move.
    pub best: bool,
}

/// The worth of a position and of each of its moves.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GraneroAssessment {
    /// The legal moves, the best first; `count` of them.
    pub moves: [GraneroAssessedMove; GRANERO_MAX_MOVES],
    /// The number of moves: 0 if the game is over.
    pub count: u8,
    /// The reason why the game is over.
    pub over: GraneroOver,
    /// The worth of the position.
    pub range: GraneroRange,
}

impl GraneroRange {
    pub(crate) fn between(low: Value, high: Value) -> GraneroRange {
        GraneroRange {
            low: low.seeds(),
            high: high.seeds(),
        }
    }

    /// The range of a worth with `seeds` seeds on the board.
    fn new(worth: Option<Measured<Clamped>>, seeds: u8) -> GraneroRange {
        match worth {
            None => GraneroRange::default(),
            // This is nearly always so, and is worth a short cut.
            Some(Measured::Value(Clamped::Exactly(value))) => GraneroRange::between(value, value),
            Some(worth) => {
                let [low, high] = worth.range(seeds);
                GraneroRange::between(low, high)
            }
        }
    }
}

impl Default for GraneroRange {
    fn default() -> GraneroRange {
        GraneroRange {
            low: GRANERO_NONE,
            high: GRANERO_NONE,
        }
    }
}

fn cycles(cycles: GraneroCycles) -> Result<Option<Cycles>, Failure> {
    match cycles {
        GRANERO_CYCLES_ANY => Ok(None),
        GRANERO_CYCLES_SPLIT => Ok(Some(Cycles::Split)),
        GRANERO_CYCLES_OWN_SIDE => Ok(Some(Cycles::OwnSide)),
        other => Err(Failure::argument(format!(
            "there is no convention {other} for endless play"
        ))),
    }
}

fn access(access: GraneroAccess) -> Result<Access, Failure> {
    match access {
        GRANERO_ACCESS_MAP => Ok(Access::Map),
        GRANERO_ACCESS_READ => Ok(Access::Read),
        other => Err(Failure::argument(format!("there is no access {other}"))),
    }
}

#[cfg(unix)]
fn path(text: *const c_char) -> Result<PathBuf, Failure> {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let bytes = border::bytes(text, "the directory")?;
    Ok(OsStr::from_bytes(bytes).into())
}

#[cfg(not(unix))]
fn path(text: *const c_char) -> Result<PathBuf, Failure> {
    Ok(border::text(text, "the directory")?.into())
}

/// Hands tables over to the caller.
fn give(opened: Tables, tables: *mut *mut GraneroTables) -> Result<GraneroStatus, Failure> {
    let given = Box::into_raw(Box::new(GraneroTables(opened)));
    let written = border::write(tables, given, "the place for the tables");
    written.inspect_err(|_| drop(border::take_back(given)))
}

/// Opens a directory of tables, with mapped files and 64 MiB for decoded blocks. `granero_close`
/// closes them.
///
/// `directory`: its name, which ends with a zero; on Windows in UTF-8.
/// `tables`: room for the answer.
#[unsafe(no_mangle)]
pub extern "C" fn granero_open(
    directory: *const c_char,
    tables: *mut *mut GraneroTables,
) -> GraneroStatus {
    border::guard(|| {
        let opened = TableOptions::new().open(path(directory)?)?;
        give(opened, tables)
    })
}

/// Opens a directory of tables.
///
/// `cache_bytes`: the memory for decoded blocks.
/// `in_memory`: decode layers up to this number of seeds and keep them in memory; none if negative.
#[unsafe(no_mangle)]
pub extern "C" fn granero_open_with(
    directory: *const c_char,
    cycles: GraneroCycles,
    access: GraneroAccess,
    cache_bytes: u64,
    in_memory: i32,
    tables: *mut *mut GraneroTables,
) -> GraneroStatus {
    border::guard(|| {
        let mut options = TableOptions::new().cache_bytes(cache_bytes);
        options = options.access(self::access(access)?);
        if let Some(cycles) = self::cycles(cycles)? {
            options = options.cycles(cycles);
        }
        if in_memory >= 0 {
            options = options.in_memory(u8::try_from(in_memory).unwrap_or(u8::MAX));
        }
        let directory = path(directory)?;
        give(pool::install(|| options.open(directory))?, tables)
    })
}

/// Opens the sample tables inside the library: "abapa", up to 8 seeds.
#[unsafe(no_mangle)]
pub extern "C" fn granero_open_sample(
    cycles: GraneroCycles,
    tables: *mut *mut GraneroTables,
) -> GraneroStatus {
    border::guard(|| {
        let cycles = self::cycles(cycles)?.unwrap_or_default();
        give(Tables::open_sample(cycles), tables)
    })
}

/// Closes tables, which no thread may use any more. Does nothing for a null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn granero_close(tables: *mut GraneroTables) {
    border::guard_with((), || drop(border::take_back(tables)));
}

/// The rules of tables; 4294967295 for a null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn granero_rules(tables: *const GraneroTables) -> GraneroRules {
    border::guard_with(GraneroRules::MAX, || {
        let tables = border::read(tables, "the tables").ok();
        let number = tables.and_then(|tables| rules::number(tables.rules()));
        number.unwrap_or(GraneroRules::MAX)
    })
}

/// The convention of tables for endless play; GRANERO_CYCLES_ANY for a null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn granero_cycles(tables: *const GraneroTables) -> GraneroCycles {
    border::guard_with(GRANERO_CYCLES_ANY, || {
        match border::read(tables, "the tables").map(|tables| tables.cycles()) {
            Ok(Cycles::Split) => GRANERO_CYCLES_SPLIT,
            Ok(Cycles::OwnSide) => GRANERO_CYCLES_OWN_SIDE,
            Err(_) => GRANERO_CYCLES_ANY,
        }
    })
}

/// The most seeds that a position in the tables has; -1 if they have no layers, or for a null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn granero_max_seeds(tables: *const GraneroTables) -> i32 {
    border::guard_with(-1, || {
        let tables = border::read(tables, "the tables").ok();
        let seeds = tables.and_then(|tables| tables.max_seeds());
        seeds.map_or(-1, i32::from)
    })
}

/// Looks up the worth of a position. GRANERO_UNKNOWN beyond the tables.
///
/// `position`: GRANERO_HOUSES bytes.
/// `range`: room for the answer.
#[unsafe(no_mangle)]
pub extern "C" fn granero_probe(
    tables: *const GraneroTables,
    position: *const u8,
    range: *mut GraneroRange,
) -> GraneroStatus {
    border::guard(|| {
        let tables = border::read(tables, "the tables")?;
        let position = position::of(position)?;
        let worth = tables.clamped_worth(position)?;
        let found = GraneroRange::new(worth, position.seeds());
        border::write(range, found, "the place for the range")?;
        Ok(match worth {
            Some(_) => GRANERO_OK,
            None => GRANERO_UNKNOWN,
        })
    })
}

/// Looks up the worth of many positions. This is much faster than one at a time: it uses all processors, or
/// as many threads as the environment variable RAYON_NUM_THREADS says, and looks up positions of one block
/// together. The threads stay for the next call; a child of `fork` starts its own.
///
/// `positions`: `count` times GRANERO_HOUSES bytes.
/// `low`, `high`: room for `count` bytes each, GRANERO_NONE for positions beyond the tables. Either
/// may be a null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn granero_probe_many(
    tables: *const GraneroTables,
    positions: *const u8,
    count: usize,
    low: *mut i8,
    high: *mut i8,
) -> GraneroStatus {
    border::guard(|| {
        let tables = border::read(tables, "the tables")?;
        let positions = position::many(positions, count)?;
        let worths = pool::install(|| tables.clamped_worths(positions))?;
        let ranges = worths.into_iter().zip(positions);
        let ranges = ranges.map(|(worth, position)| {
            let GraneroRange { low, high } = GraneroRange::new(worth, position.seeds());
            (low, high)
        });
        let (lows, highs): (Vec<i8>, Vec<i8>) = ranges.unzip();
        for (place, values, what) in [(low, &lows, "low"), (high, &highs, "high")] {
            if !place.is_null() {
                border::write_many(place, values, what)?;
            }
        }
        Ok(GRANERO_OK)
    })
}

/// Looks up the worth of a position and of each of its moves. GRANERO_UNKNOWN if the position is beyond the
/// tables; the worth of some of its moves may still be known.
///
/// `position`: GRANERO_HOUSES bytes.
/// `assessment`: room for the answer.
#[unsafe(no_mangle)]
pub extern "C" fn granero_assess(
    tables: *const GraneroTables,
    position: *const u8,
    assessment: *mut GraneroAssessment,
) -> GraneroStatus {
    border::guard(|| {
        let tables = border::read(tables, "the tables")?;
        let found = tables.assess(position::of(position)?)?;
        let seeds = found.position.seeds();
        let mut given = GraneroAssessment {
            moves: Default::default(),
            count: found.moves.len() as u8,
            over: found.over.map_or(Ok(GRANERO_OVER_NOT), rules::over)?,
            range: GraneroRange::new(found.clamped, seeds),
        };
        for (place, assessed) in given.moves.iter_mut().zip(&found.moves) {
            *place = GraneroAssessedMove {
                play: assessed.play.into(),
                range: GraneroRange::new(assessed.clamped, seeds),
                best: assessed.best,
            };
        }
        border::write(assessment, given, "the place for the assessment")?;
        Ok(match found.clamped {
            Some(_) => GRANERO_OK,
            None => GRANERO_UNKNOWN,
        })
    })
}

/// Threads can share tables.
const fn is_shared<T: Send + Sync>() {}
const _: () = is_shared::<GraneroTables>();
