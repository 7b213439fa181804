//! The last positions that change, one by one: each change is passed on to the positions that lead there.
//!
//! Few positions change at the end, all over the layer, so that a sweep would do little for its time. Almost all time
//! goes into waiting for memory, so many positions are fetched together before the first one is looked at.

use super::grid::ZERO;
use super::shares::Shares;
use super::step::{Phase, Step};
use super::tables::Tables;
use granero_game::position::join;
use granero_game::rules::Ruleset;
use granero_game::{House, Position};
use granero_table::first_error::Stopped;
use granero_table::index::{Crossing, half};
use granero_table::parallel;
use granero_table::rows::is_quiet;

/// A position that has changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) plane: u8,
    /// Its byte before, and after.
    pub(crate) before: u8,
    pub(crate) after: u8,
    pub(crate) position: Position,
}

/// Where the byte of a position lies.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) plane: u8,
    pub(super) own: u8,
    pub(super) row: u32,
    pub(super) column: u32,
}

impl Tables {
    /// The place of a position in a plane, if the opponent has an empty house.
    #[inline(always)]
    pub(super) fn place(&self, plane: u8, position: &Position) -> Option<Place> {
        let opponents = half::rank(position.opponents());
        Some(Place {
            plane,
            own: position.own_seeds(),
            row: self.numbers.row(position.opponents_seeds(), opponents)?,
            column: half::rank(position.own()).0,
        })
    }
}

/// A position that a quiet move takes to one that has changed.
pub(super) struct Parent {
    place: Place,
    pub(super) position: Position,
    /// The byte of the child before and after the change.
    before: u8,
    after: u8,
}

/// What a position becomes.
pub(super) struct Update {
    place: Place,
    position: Position,
    byte: u8,
    /// Set if other moves may be better.
    rises: bool,
}

/// The events whose memory is fetched together.
const TOGETHER: usize = 64;

/// The events of a task, and those that are passed on before their updates are made.
const TASK: usize = 4 * TOGETHER;
const WAVE: usize = 8 * TASK;

/// The bytes of a layer, one by one.
pub(super) trait Cells: Sync {
    fn tables(&self) -> &Tables;

    /// The division of the layer.
    fn division(&self) -> &Shares;

    fn get(&self, place: Place) -> u8;

    fn put(&mut self, place: Place, byte: u8);

    /// What is secured, with bounds.
    fn secured(&self, place: Place) -> u8;

    /// The best capture of a position, given the opponent's half-board.
    fn capture(&self, place: Place, opponents: half::Rank) -> u8;

    /// Fetches a byte into the cache.
    fn fetch(&self, _place: Place) {}

    /// Fetches what is secured.
    fn fetch_secured(&self, _place: Place) {}

    /// Fetches a capture.
    fn fetch_capture(&self, _place: Place, _opponents: half::Rank) {}

    /// Tells if the row of a place is here.
    #[inline(always)]
    fn has_row(&self, _place: Place) -> bool {
        true
    }

    /// The plane with the values of children.
    #[inline(always)]
    fn children_plane(&self, plane: u8) -> u8 {
        self.division().other(plane.into()) as u8
    }

    /// The error that has ended the work.
    fn check(&self) -> Result<(), Stopped> {
        Ok(())
    }

    /// Passes on changes until nothing changes, except through moves of last resort.
    fn pass_on_all(&mut self, mut events: Vec<Event>, phase: Phase) -> Result<(), Stopped> {
        while !events.is_empty() {
            events = self.pass_on_once(&events, phase);
            self.check()?;
        }
        Ok(())
    }

    /// Passes on changes to the positions that lead there, and returns what changes there.
    fn pass_on_once(&mut self, events: &[Event], phase: Phase) -> Vec<Event> {
        let mut next = Vec::new();
        for wave in events.chunks(WAVE) {
            let updates = parallel::map(wave.chunks(TASK), |events| {
                let mut updates = Vec::new();
                for events in events.chunks(TOGETHER) {
                    self.pass_to_parents(events, phase, &mut updates);
                }
                updates
            });
            let updates = updates.iter().flatten();
            next.extend(updates.filter_map(|update| self.set(update)));
        }
        next
    }

    /// Finds what changes make of the positions that lead to them.
    fn pass_to_parents(&self, events: &[Event], phase: Phase, updates: &mut Vec<Update>) {
        let (mut parents, mut stale, mut children) = (Vec::new(), Vec::new(), Vec::new());
        for event in events {
            self.parents_of(event, &mut parents);
        }
        if phase == Phase::Confirm {
            let fetch = |parent: &Parent| self.fetch_secured(parent.place);
            parents.iter().for_each(fetch);
        }
        let update = |parent: Parent, byte, rises| Update {
            place: parent.place,
            position: parent.position,
            byte,
            rises,
        };
        for parent in parents {
            let bytes = self.bytes(&parent, phase);
            if parent.after > parent.before {
                // The child is worth more.
                let byte = bytes.after_best(parent.after);
                if byte < bytes.before {
                    updates.push(update(parent, byte, true));
                }
            } else if bytes.before >= bytes.after_best(parent.before) {
                // It is worth less, and no other move was worth more.
                let begin = children.len();
                self.children_of(&parent, &mut children);
                stale.push((parent, begin..children.len()));
            }
        }
        for (parent, range) in stale {
            let bytes = self.bytes(&parent, phase);
            let best = self.best_of(&parent, &children[range]);
            let byte = bytes.after_best(best);
            if byte != bytes.before {
                updates.push(update(parent, byte, false));
            }
        }
    }

    /// What a position and its step consist of.
    fn bytes(&self, parent: &Parent, phase: Phase) -> Bytes {
        let place = parent.place;
        let step = Step::of(phase, place.plane.into());
        Bytes {
            step,
            before: self.get(place),
            sides: self.tables().sides(self.division().seeds, place.own),
            secured: if step.reads(false).secured {
                self.secured(place)
            } else {
                0
            },
        }
    }

    /// Makes an update, unless an earlier one has made it.
    fn set(&mut self, update: &Update) -> Option<Event> {
        let before = self.get(update.place);
        let after = if update.rises {
            before.min(update.byte)
        } else {
            update.byte
        };
        if after == before {
            return None;
        }
        self.put(update.place, after);
        Some(Event {
            plane: update.place.plane,
            before,
            after,
            position: update.position,
        })
    }

    /// Finds the children of a position by quiet moves, and fetches them.
    fn children_of(&self, parent: &Parent, children: &mut Vec<Place>) {
        let Parent {
            position, place, ..
        } = parent;
        let opponents = half::rank(position.opponents());
        self.fetch_capture(*place, opponents);
        let plane = self.children_plane(place.plane);
        for child in quiet_children(self.tables().rows.kind().rules, position) {
            let child = self.tables().place(plane, &child).expect("an empty house");
            self.fetch(child);
            children.push(child);
        }
    }

    /// The best move of a position.
    fn best_of(&self, parent: &Parent, children: &[Place]) -> u8 {
        let opponents = half::rank(parent.position.opponents());
        let capture = self.capture(parent.place, opponents);
        let of_child = |&child: &Place| self.get(child);
        children.iter().map(of_child).fold(capture, u8::max)
    }

    /// Finds the positions that a quiet move takes to a position, and fetches them.
    fn parents_of(&self, event: &Event, parents: &mut Vec<Parent>) {
        let (own, left) = (event.position.own(), event.position.opponents());
        let plane = self.children_plane(event.plane);
        let rules = self.tables().rows.kind().rules;
        for house in (0..6).filter(|&house| left[house] == 0) {
            // Takes back the seeds that were sown from this house, one by one.
            let (mut movers, mut crossed, mut last) = (left, 0, house);
            for sown in 1.. {
                last = (last + 1) % 12;
                if last == house {
                    last += 1;
                }
                if let Some(seeds) = movers.get_mut(last) {
                    let Some(taken) = seeds.checked_sub(1) else {
                        break;
                    };
                    *seeds = taken;
                } else {
                    crossed += 1;
                }
                let class = Crossing::new(crossed, last >= 6);
                let Some(opponents) = class.taken_from(own) else {
                    break;
                };
                if !is_quiet(rules, class, own) {
                    continue;
                }
                movers[house] = sown;
                let position = Position::from_valid(join(movers, opponents));
                movers[house] = 0;
                let place = self.tables().place(plane, &position);
                let here = place.filter(|&place| self.has_row(place));
                let Some(place) = here else {
                    continue;
                };
                self.fetch(place);
                parents.push(Parent {
                    place,
                    position,
                    before: event.before,
                    after: event.after,
                });
            }
        }
    }
}

/// The children of a position by quiet moves.
#[inline(always)]
pub(super) fn quiet_children(
    rules: Ruleset,
    position: &Position,
) -> impl Iterator<Item = Position> {
    let houses = House::ALL.into_iter();
    let houses = houses.filter(|&house| position.seeds_in(house) > 0);
    houses.filter_map(move |house| {
        let (left, last) = position.sown(house);
        let crossed = position.own_seeds() - left.own_seeds();
        let class = Crossing::new(crossed, last >= 6);
        is_quiet(rules, class, left.opponents()).then(|| left.turned())
    })
}

/// The byte of a position, and what its next one depends on besides its best move.
pub(super) struct Bytes {
    step: Step,
    before: u8,
    sides: u8,
    secured: u8,
}

impl Bytes {
    /// The byte after a step with this best move.
    fn after_best(&self, best: u8) -> u8 {
        let best = (2 * ZERO).wrapping_sub(best);
        self.step.apply(self.before, best, self.sides, self.secured)
    }
}
