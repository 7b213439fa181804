//! Looks up the worth of a position.

use std::cell::RefCell;

use super::assessment::Assessment;
use super::cache::{Cached, Key};
use super::tables::{LayerTable, Tables};
use crate::codec::block::DecoderScratch;
use crate::codec::tiling::TileOffset;
use crate::error::TableError;
use crate::file::layer_file::DecodedTile;
use crate::file::named_file::NamedFile;
use crate::index::Layer;
use granero_game::rules::{Move, Moves, Turn};
use granero_game::{Bound, Clamped, Cycles, Measured, Position, Value};

/// The permission of a look-up to read and decode blocks that are not in the cache.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decoding {
    IfNeeded,
    Never,
}

/// The reason why a look-up found nothing.
enum Miss {
    /// The block is not in the cache, and must not be decoded.
    NotCached,
    Error(TableError),
}

impl From<TableError> for Miss {
    fn from(error: TableError) -> Miss {
        Miss::Error(error)
    }
}

thread_local! {
    static SCRATCH: RefCell<DecoderScratch> = RefCell::default();
}

impl Tables {
    /// The worth of a position to the player to move: its value or its bounds, depending on the convention
    /// of the tables. `None` if it has more seeds than the tables, or if deciding tables have cut its
    /// worth off: then [`clamped_worth`](Tables::clamped_worth) says more.
    ///
    /// # Errors
    ///
    /// When a file is damaged or cannot be read.
    ///
    /// ```
    /// # use granero::{Measured, Position, Tables, Value};
    /// let worth = Tables::sample().worth(&Position::EMPTY)?;
    /// assert_eq!(worth, Some(Measured::Value(Value::ZERO)));
    /// assert_eq!(Tables::sample().worth(&Position::START)?, None);
    /// # Ok::<(), granero::TableError>(())
    /// ```
    pub fn worth(&self, position: &Position) -> Result<Option<Measured<Value>>, TableError> {
        let worth = self.clamped_worth(position)?;
        Ok(worth.and_then(Measured::exactly))
    }

    /// The worth of a position to the player to move, as far as the tables tell it. `None` if it has more
    /// seeds than the tables.
    ///
    /// # Errors
    ///
    /// Like [`worth`](Tables::worth).
    pub fn clamped_worth(
        &self,
        position: &Position,
    ) -> Result<Option<Measured<Clamped>>, TableError> {
        let worth = self.cut_worth(position, Decoding::IfNeeded)?;
        Ok(worth.map(|worth| self.clamped(position.seeds(), worth)))
    }

    /// The worth of a position with number `index` in its layer, if the layer is kept in memory.
    #[doc(hidden)]
    pub fn worth_in_memory(
        &self,
        position: &Position,
        index: u64,
    ) -> Result<Option<Measured<Clamped>>, TableError> {
        let Some(decoded) = &self.layer_table(position).decoded else {
            return Ok(None);
        };
        let worth = self.worth_in_layer(position, index, decoded)?;
        Ok(Some(self.clamped(position.seeds(), worth)))
    }

    /// The worth of a position in a layer that is kept in memory, cut off at the limit. `decoded` has the
    /// values of the layer, and `index` says where in them.
    #[inline]
    fn worth_in_layer(
        &self,
        position: &Position,
        index: u64,
        decoded: &Measured<Vec<i8>>,
    ) -> Result<Measured<Value>, TableError> {
        let files = self
            .layer_table(position)
            .files
            .as_ref()
            .zip(decoded.as_ref());
        let worth =
            files.try_map(|(file, values)| self.checked(file, values[index as usize], position))?;
        self.with_sound_order(position, worth)
    }

    /// Interprets a worth in the layer of `seeds` seeds, as [`layer`](Tables::layer) reads it: in deciding
    /// tables it may be cut off.
    pub fn clamped(&self, seeds: u8, worth: Measured<Value>) -> Measured<Clamped> {
        worth.map(|worth| Clamped::new(self.manifest.limits(), seeds, worth))
    }

    /// Assesses a position and each of its moves. A position beyond the tables may have moves of known worth.
    ///
    /// # Errors
    ///
    /// Like [`worth`](Tables::worth).
    ///
    /// ```
    /// # use granero::{Position, Tables};
    /// let assessment = Tables::sample().assess(&Position::START)?;
    /// assert_eq!(assessment.moves.len(), 6);
    /// assert_eq!(assessment.worth, None);
    /// # Ok::<(), granero::TableError>(())
    /// ```
    pub fn assess(&self, position: &Position) -> Result<Assessment, TableError> {
        let look_up = |position: &Position| self.cut_worth(position, Decoding::IfNeeded);
        let assessment = Assessment::new(self.rules(), self.manifest.limits(), position, look_up);
        if matches!(&assessment, Err(error) if error.is_not_yet()) {
            // As in `ask_for_rest`.
            for play in &self.rules().moves(position) {
                let _ = look_up(&play.position);
            }
        }
        assessment
    }

    /// Like [`assess`](Tables::assess), but only from memory: does not read a file or decode a block.
    /// `None` if memory is not enough.
    ///
    /// This is for callers that must not wait, such as servers.
    ///
    /// # Errors
    ///
    /// When a value in memory is impossible.
    ///
    /// ```
    /// # use granero::Tables;
    /// let position = "0 0 0 0 2 1 2 0 0 0 0 0".parse()?;
    /// let assessment = Tables::sample().assess(&position)?;
    /// assert_eq!(Tables::sample().assess_cached(&position)?, Some(assessment));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn assess_cached(&self, position: &Position) -> Result<Option<Assessment>, TableError> {
        let mut cached = true;
        let limits = self.manifest.limits();
        let assessment = Assessment::new(self.rules(), limits, position, |position| {
            if !cached || !self.reaches(position) {
                return Ok(None);
            }
            let worth = self.cut_worth(position, Decoding::Never)?;
            cached = worth.is_some();
            Ok(worth)
        });
        Ok(Some(assessment?).filter(|_| cached))
    }

    /// The worth of a position, cut off at the limit. `None` beyond the tables, or if a block is needed
    /// that must not be decoded.
    fn cut_worth(
        &self,
        position: &Position,
        decoding: Decoding,
    ) -> Result<Option<Measured<Value>>, TableError> {
        if !self.reaches(position) {
            return Ok(None);
        }
        // A short cut: the general way would spend most of its time on passing the result on.
        if let Some(decoded) = &self.layer_table(position).decoded {
            let index = Layer::of(position).index(position);
            return self.worth_in_layer(position, index, decoded).map(Some);
        }
        let measures = self.cycles().measures();
        let worth = measures.try_map(|measure| self.resolved(position, measure.bound(), decoding));
        match worth {
            Err(Miss::NotCached) => Ok(None),
            Err(Miss::Error(error)) => {
                if error.is_not_yet() && self.cycles() == Cycles::OwnSide {
                    // As in `ask_for_rest`.
                    let _ = self.resolved(position, Bound::High, decoding);
                }
                Err(error)
            }
            Ok(worth) => self.with_sound_order(position, worth).map(Some),
        }
    }

    /// Returns a worth after checking that its low bound is not above the high one. With sound checksums
    /// it never is.
    pub(super) fn with_sound_order(
        &self,
        position: &Position,
        worth: Measured<Value>,
    ) -> Result<Measured<Value>, TableError> {
        if worth.low() <= worth.high() {
            return Ok(worth);
        }
        Err(self.out_of_order(position))
    }

    #[cold]
    fn out_of_order(&self, position: &Position) -> TableError {
        let what = format!("it gives {position} a low bound above the high one");
        let path = &self.layer_table(position).files.as_ref().low().path;
        TableError::damaged(path, what)
    }

    /// Returns whether a position has few enough seeds for the tables.
    pub(super) fn reaches(&self, position: &Position) -> bool {
        usize::from(position.seeds()) < self.layers.len()
    }

    /// The layer of a position within the tables.
    pub(super) fn layer_table(&self, position: &Position) -> &LayerTable {
        &self.layers[usize::from(position.seeds())]
    }

    /// The value of a position within the tables, or one of its bounds, cut off at the limit.
    fn resolved(
        &self,
        position: &Position,
        bound: Bound,
        decoding: Decoding,
    ) -> Result<Value, Miss> {
        let table = self.layer_table(position);
        let file = table.files.get(bound);
        if let Some(decoded) = &table.decoded {
            let index = Layer::of(position).index(position);
            return Ok(self.checked(file, decoded.get(bound)[index as usize], position)?);
        }
        if position.opponents().iter().all(|&seeds| seeds > 0) {
            return self.unreachable(position, bound, decoding);
        }
        let stored = match self.stored(position, bound, decoding) {
            Ok(stored) => stored,
            Err(miss) => {
                let moves = self.rules().moves(position);
                return Err(self.ask_for_rest(miss, captures(&moves), bound, decoding));
            }
        };
        // If a capture gives the value, the stored one may be less, see `docs/format.md`.
        let best = self.checked(file, stored, position)?;
        if !can_capture(position) {
            return Ok(self.cut(position, best));
        }
        let moves = self.rules().moves(position);
        let best = self.best(best, captures(&moves), bound, decoding)?;
        Ok(self.cut(position, best))
    }

    /// The best of a value and of the worths of some moves.
    fn best<'a>(
        &self,
        mut best: Value,
        mut plays: impl Iterator<Item = &'a Move>,
        bound: Bound,
        decoding: Decoding,
    ) -> Result<Value, Miss> {
        while let Some(play) = plays.next() {
            match self.resolved(&play.position, bound.of_child(), decoding) {
                Ok(child) => best = best.max(play.value(child)),
                Err(miss) => return Err(self.ask_for_rest(miss, plays, bound, decoding)),
            }
        }
        Ok(best)
    }

    /// Returns the miss. If it says that bytes are still on their way, first looks up the positions after the
    /// other moves: that asks the source of the bytes for everything that the look-up needs at once.
    #[cold]
    fn ask_for_rest<'a>(
        &self,
        miss: Miss,
        plays: impl Iterator<Item = &'a Move>,
        bound: Bound,
        decoding: Decoding,
    ) -> Miss {
        if matches!(&miss, Miss::Error(error) if error.is_not_yet()) {
            for play in plays {
                // The first miss stands for all.
                let _ = self.resolved(&play.position, bound.of_child(), decoding);
            }
        }
        miss
    }

    /// The value of a position in the file of a bound.
    fn stored(&self, position: &Position, bound: Bound, decoding: Decoding) -> Result<i8, Miss> {
        let file = self.layer_table(position).files.get(bound);
        let place = file.place(position);
        let key = Key {
            seeds: position.seeds(),
            measure: file.file.header().measure,
            tile: place.tile,
        };
        let read = |tile: &DecodedTile| tile.get(place.offset);
        self.cache.value(key, read, |cached| {
            if decoding == Decoding::Never {
                return Err(Miss::NotCached);
            }
            Ok(decode(file, place, cached)?)
        })
    }

    /// The value of an unreachable position, whose opponent has no empty house: it is not stored.
    fn unreachable(
        &self,
        position: &Position,
        bound: Bound,
        decoding: Decoding,
    ) -> Result<Value, Miss> {
        let moves = match self.rules().turn(position) {
            Turn::Over(over) => return Ok(self.cut(position, over.value)),
            Turn::Play(moves) => moves,
        };
        let best = self.best(Value::WORST, moves.iter(), bound, decoding)?;
        Ok(self.cut(position, best))
    }

    /// Cuts off the value of a position at the limit of its layer.
    pub(super) fn cut(&self, position: &Position, value: Value) -> Value {
        value.cut(self.manifest.limits().of(position.seeds()))
    }

    /// Checks that the position can have this value. With sound checksums it always can.
    #[inline]
    pub(super) fn checked(
        &self,
        file: &NamedFile,
        seeds: i8,
        position: &Position,
    ) -> Result<Value, TableError> {
        let limit = self.manifest.limits().of(position.seeds());
        Value::new(seeds)
            .filter(|_| seeds.abs() <= limit)
            .ok_or_else(|| impossible(file, seeds, position))
    }
}

#[cold]
fn impossible(file: &NamedFile, seeds: i8, position: &Position) -> TableError {
    let what = format!("it gives {position} a value of {seeds}");
    TableError::damaged(&file.path, what)
}

/// The moves that take seeds off the board.
fn captures(moves: &Moves) -> impl Iterator<Item = &Move> {
    let moves = moves.iter();
    moves.filter(|play| play.captured + play.conceded > 0)
}

/// The value stored at a place, and its tile.
pub(super) fn decode(
    file: &NamedFile,
    place: TileOffset,
    cached: Cached,
) -> Result<(DecodedTile, i8), TableError> {
    SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
        Ok(mut scratch) => file.decode(place, cached, &mut scratch),
        // It is in use if the source of the bytes looks up positions itself.
        Err(_) => file.decode(place, cached, &mut DecoderScratch::default()),
    })
}

/// Tells if a move might capture: it ends in one of the opponent's houses, which then has two or three
/// seeds. This is cheaper than generating all moves. `false` is always right; `true` may be wrong.
pub(super) fn can_capture(position: &Position) -> bool {
    let opponents = position.opponents();
    (0..).zip(position.own()).any(|(house, seeds)| {
        let last = house + seeds;
        let lands = seeds > 0 && (6..12).contains(&last);
        // Houses of twelve seeds or more are rare: assume that they capture.
        seeds >= 12 || lands && matches!(opponents[usize::from(last) - 6], 1 | 2)
    })
}
