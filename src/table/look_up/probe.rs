//! Looks up the value of a position.

use std::io::ErrorKind;

use super::assessment::Assessment;
use super::cache::Key;
use super::tables::{LayerTable, Tables};
use crate::codec::scale::{OPEN, least_open};
use crate::error::TableError;
use crate::file::directory::error;
use crate::file::layer_file::DecodedTile;
use crate::index::half;
use granero_game::rules::Move;
use granero_game::{Bound, Clamped, MAX_SEEDS, Measured, Position, Value};

/// The permission of a look-up to read and decode blocks that are not in the cache.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decoding {
    IfNeeded,
    Never,
}

impl Tables {
    /// The value of a position to the player to move: its value or its bounds, depending on the convention
    /// of the tables. `None` if it has more seeds than the tables, or if deciding tables have cut its
    /// value off: then [`clamped_value`](Tables::clamped_value) says more.
    ///
    /// ```
    /// # use granero::{Measured, Position, Tables, Value};
    /// let value = Tables::sample().value(&Position::EMPTY)?;
    /// assert_eq!(value, Some(Measured::Value(Value::ZERO)));
    /// assert_eq!(Tables::sample().value(&Position::START)?, None);
    /// # Ok::<(), granero::TableError>(())
    /// ```
    pub fn value(&self, position: &Position) -> Result<Option<Measured<Value>>, TableError> {
        let value = self.clamped_value(position)?;
        Ok(value.and_then(Measured::exactly))
    }

    /// The value of a position to the player to move, as far as the tables tell it. `None` if it has more
    /// seeds than the tables.
    pub fn clamped_value(
        &self,
        position: &Position,
    ) -> Result<Option<Measured<Clamped>>, TableError> {
        let value = self.cut_value(position, Decoding::IfNeeded)?;
        Ok(value.map(|value| self.clamped(position.seeds(), value)))
    }

    /// The value of a position with number `index` in its layer, if the layer is kept in memory.
    #[doc(hidden)]
    pub fn value_in_memory(
        &self,
        position: &Position,
        index: u64,
    ) -> Result<Option<Measured<Clamped>>, TableError> {
        let Some(decoded) = &self.layer_table(position).decoded else {
            return Ok(None);
        };
        let value = decoded.as_ref().map(|values| values[index as usize]);
        let value = self.checked(position, value)?;
        Ok(Some(self.clamped(position.seeds(), value)))
    }

    /// Interprets a value in the layer of `seeds` seeds, as [`layer`](Tables::layer) reads it: in deciding
    /// tables it may be cut off.
    pub fn clamped(&self, seeds: u8, value: Measured<Value>) -> Measured<Clamped> {
        value.map(|value| Clamped::new(self.manifest.kind(), seeds, value))
    }

    /// Assesses a position and each of its moves. A position beyond the tables may have moves of known value.
    ///
    /// ```
    /// # use granero::{Position, Tables};
    /// let assessment = Tables::sample().assess(&Position::START)?;
    /// assert_eq!(assessment.moves.len(), 6);
    /// assert_eq!(assessment.value, None);
    /// # Ok::<(), granero::TableError>(())
    /// ```
    pub fn assess(&self, position: &Position) -> Result<Assessment, TableError> {
        let look_up = |position: &Position| self.cut_value(position, Decoding::IfNeeded);
        let assessment = Assessment::new(self.manifest.kind(), position, look_up);
        if matches!(&assessment, Err(error) if error.is_not_yet()) {
            // Ask for the bytes of the other moves, too.
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
        let kind = self.manifest.kind();
        let assessment = Assessment::new(kind, position, |position| {
            if !cached || !self.reaches(position) {
                return Ok(None);
            }
            let value = self.cut_value(position, Decoding::Never)?;
            cached = value.is_some();
            Ok(value)
        });
        Ok(Some(assessment?).filter(|_| cached))
    }

    /// The value of a position, cut off at the limit. `None` beyond the tables, or if a block is needed
    /// that must not be decoded.
    fn cut_value(
        &self,
        position: &Position,
        decoding: Decoding,
    ) -> Result<Option<Measured<Value>>, TableError> {
        if !self.reaches(position) {
            return Ok(None);
        }
        // A short cut: the general way would spend most of its time on passing the result on.
        if let Some(value) = self.layer_table(position).in_memory(position) {
            return self.checked(position, value).map(Some);
        }
        match self.found(position, decoding) {
            Err(error) if decoding == Decoding::Never && error.is_not_yet() => Ok(None),
            found => found.map(Some),
        }
    }

    /// Returns whether a position has few enough seeds for the tables.
    pub(super) fn reaches(&self, position: &Position) -> bool {
        usize::from(position.seeds()) < self.layers.len()
    }

    /// The layer of a position within the tables.
    pub(super) fn layer_table(&self, position: &Position) -> &LayerTable {
        &self.layers[usize::from(position.seeds())]
    }

    /// The value of a position within the tables, cut off at the limit.
    fn found(
        &self,
        position: &Position,
        decoding: Decoding,
    ) -> Result<Measured<Value>, TableError> {
        let stored = self.stored_soon(position, decoding)?;
        let measures = self.cycles().measures().zip(stored);
        let value = measures.map(|(measure, stored)| match stored {
            OPEN => self.best(position, measure.bound(), i8::MAX, decoding),
            stored => Ok(stored),
        });
        // If the first bound waits for bytes, the second has asked for its own.
        let value = value.try_map(|found| found)?;
        self.checked(position, value)
    }

    /// The measures of a position as far as they are stored, otherwise [`OPEN`].
    fn stored(&self, position: &Position, decoding: Decoding) -> Result<Measured<i8>, TableError> {
        let table = self.layer_table(position);
        if let Some(stored) = table.in_memory(position) {
            return Ok(stored);
        }
        if is_unreachable(position) {
            return Ok(self.cycles().measures().map(|_| OPEN));
        }
        let place = table.file.place(position);
        let key = Key {
            seeds: position.seeds(),
            tile: place.tile,
        };
        let read = |tile: &DecodedTile| tile.get(place.offset);
        self.cache.value(key, read, |cached| {
            if decoding == Decoding::Never {
                // As if the bytes of the block came later.
                return Err(error("read", &table.file.path)(
                    ErrorKind::WouldBlock.into(),
                ));
            }
            table.file.decode(place, cached)
        })
    }

    /// Like `stored`. If bytes are not there yet, asks their source at once for all that the position may need.
    fn stored_soon(
        &self,
        position: &Position,
        decoding: Decoding,
    ) -> Result<Measured<i8>, TableError> {
        let stored = self.stored(position, decoding);
        if matches!(&stored, Err(error) if error.is_not_yet()) && decoding == Decoding::IfNeeded {
            for play in &self.rules().moves(position) {
                let child = &play.position;
                let _ = if child.seeds() < position.seeds() {
                    self.stored_soon(child, decoding)
                } else {
                    self.stored(child, decoding)
                };
            }
        }
        stored
    }

    /// An open measure of a position: the best result of its moves, cut off at the limit; or any number between
    /// `enough` and that. Recurses only into children with fewer seeds, except once at an unreachable position, so
    /// the depth is bounded.
    fn best(
        &self,
        position: &Position,
        bound: Bound,
        enough: i8,
        decoding: Decoding,
    ) -> Result<i8, TableError> {
        let seeds = position.seeds();
        let plays = self.rules().moves(position);
        let is_quiet = |play: &&Move| play.position.seeds() == seeds;
        let limit = self.manifest.kind().limit(seeds);
        let enough = enough.min(limit);
        let mut best = game_over(&plays, position);
        let mut waits = None;
        // Quiet moves come first because they are cheaper: then most captures need not be followed.
        let captures = plays.iter().filter(|play| !is_quiet(play));
        for play in plays.iter().filter(is_quiet).chain(captures) {
            if best >= enough {
                break;
            }
            let child = &play.position;
            let found = if is_quiet(&play) && !is_unreachable(position) {
                let stored = self.stored(child, decoding);
                stored.map(|stored| *stored.get(bound.of_child()))
            } else {
                self.child(child, bound.of_child(), play.gain() - best, decoding)
            };
            match found {
                Ok(OPEN) => {}
                Ok(child) => best = best.max(play.gain() - child),
                Err(error) if error.is_not_yet() && decoding == Decoding::IfNeeded => {
                    waits = waits.or(Some(error));
                }
                Err(error) => return Err(error),
            }
        }
        if let Some(error) = waits.filter(|_| best < enough) {
            return Err(error);
        }
        if best < self.least_open(bound) && !is_unreachable(position) {
            return Err(self.layer_table(position).file.unfounded(position));
        }
        Ok(best.clamp(-limit, limit))
    }

    /// A measure of a child. If it is not below `needed`, any number that is not either, or [`OPEN`].
    fn child(
        &self,
        child: &Position,
        bound: Bound,
        needed: i8,
        decoding: Decoding,
    ) -> Result<i8, TableError> {
        let stored = *self.stored_soon(child, decoding)?.get(bound);
        if stored != OPEN || self.least_open(bound) >= needed {
            return Ok(stored);
        }
        self.best(child, bound, needed, decoding)
    }

    /// The least that an open measure of a stored position can be.
    pub(super) fn least_open(&self, bound: Bound) -> i8 {
        least_open(self.cycles(), bound)
    }

    /// Returns numbers as the value of a position, after checking that it can have them. With sound
    /// checksums it always can.
    #[inline]
    pub(super) fn checked(
        &self,
        position: &Position,
        value: Measured<i8>,
    ) -> Result<Measured<Value>, TableError> {
        let limit = self.manifest.kind().limit(position.seeds());
        let within = |seeds: i8| Value::new(seeds).filter(|_| seeds.abs() <= limit).ok_or(());
        let found = value.try_map(within).ok();
        let found = found.filter(|value| value.low() <= value.high());
        found.ok_or_else(|| self.impossible(position, value))
    }

    #[cold]
    fn impossible(&self, position: &Position, value: Measured<i8>) -> TableError {
        let numbers: Vec<String> = value.iter().map(|(_, seeds)| seeds.to_string()).collect();
        let what = format!("it gives {position} a value of {}", numbers.join(" to "));
        TableError::damaged(&self.layer_table(position).file.path, what)
    }
}

/// Tells if a position is unreachable: its opponent has no empty house. It is not stored.
pub(super) fn is_unreachable(position: &Position) -> bool {
    half::is_filled(position.opponents())
}

/// The result of a position without a move; with moves, less than their results.
pub(super) fn game_over(plays: &[Move], position: &Position) -> i8 {
    if plays.is_empty() {
        // Each player takes the seeds on their own side.
        position.own_seeds() as i8 - position.opponents_seeds() as i8
    } else {
        -(MAX_SEEDS as i8)
    }
}
