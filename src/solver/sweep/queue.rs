//! The last positions that change, one by one: each change is passed on to the positions that lead there.
//!
//! Few positions change at the end, all over the layer, so that a sweep would do little for its time. Almost all time
//! goes into waiting for memory, so many positions are fetched together before the first one is looked at.

use super::grid::ZERO;
use super::layer::LayerState;
use super::step::{Phase, Step};
use granero_game::House;
#[cfg(test)]
use granero_game::Position;
use granero_table::index::{Crossing, Layer, half};
use granero_table::rows::{CrossingClass, Matrix, is_quiet};

/// A position that has changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) plane: u8,
    pub(crate) own: u8,
    /// Its byte before, and after.
    pub(crate) before: u8,
    pub(crate) after: u8,
    /// The ranks of its half-boards.
    pub(crate) opponents: u32,
    pub(crate) movers: u32,
}

/// Where the byte of a position lies in a plane.
#[derive(Clone, Copy)]
struct Place {
    own: u8,
    row: u32,
    column: u32,
}

/// A position that a quiet move takes to one that has changed.
struct Parent {
    plane: u8,
    place: Place,
    opponents: u32,
    /// The byte of the child before and after the change.
    before: u8,
    after: u8,
}

/// The events that are passed on together.
const TOGETHER: usize = 64;

impl LayerState<'_> {
    /// Passes on changes until nothing changes, except through moves of last resort.
    pub(crate) fn pass_on(&mut self, mut events: Vec<Event>, phase: Phase) {
        let (mut parents, mut stale, mut children) = (Vec::new(), Vec::new(), Vec::new());
        while !events.is_empty() {
            let mut next = Vec::new();
            for events in events.chunks(TOGETHER) {
                for event in events {
                    self.parents_of(event, &mut parents);
                }
                for parent in parents.drain(..) {
                    let bytes = self.bytes(&parent, phase);
                    if parent.after > parent.before {
                        // The child is worth more.
                        let byte = bytes.before.min(bytes.after_best(parent.after));
                        next.extend(self.set(&parent, bytes.before, byte));
                    } else if bytes.before >= bytes.after_best(parent.before) {
                        // It is worth less, and no other move was worth more.
                        let begin = children.len();
                        self.children_of(&parent, &mut children);
                        stale.push((parent, begin..children.len()));
                    }
                }
                for (parent, range) in stale.drain(..) {
                    let bytes = self.bytes(&parent, phase);
                    let best = self.best_of(&parent, &children[range]);
                    next.extend(self.set(&parent, bytes.before, bytes.after_best(best)));
                }
                children.clear();
            }
            events = next;
        }
    }

    /// What a position and its step consist of.
    fn bytes(&self, parent: &Parent, phase: Phase) -> Bytes {
        let Place { own, row, column } = parent.place;
        let (plane, a) = (&self.planes[usize::from(parent.plane)], usize::from(own));
        let secured = plane.secured.get(a);
        Bytes {
            step: Step::of(phase, parent.plane.into()),
            before: plane.grids[a].get(row as usize, column as usize),
            sides: self.sides(own),
            secured: secured.map_or(0, |grid| grid.get(row as usize, column as usize)),
        }
    }

    fn set(&mut self, parent: &Parent, before: u8, after: u8) -> Option<Event> {
        let Place { own, row, column } = parent.place;
        let grids = &mut self.planes[usize::from(parent.plane)].grids;
        grids[usize::from(own)].set(row as usize, column as usize, after);
        (after != before).then_some(Event {
            plane: parent.plane,
            own,
            before,
            after,
            opponents: parent.opponents,
            movers: column,
        })
    }

    /// Finds the children of a position by quiet moves, and fetches them.
    fn children_of(&self, parent: &Parent, children: &mut Vec<Place>) {
        let plane = usize::from(parent.plane);
        let Place { own, column, .. } = parent.place;
        self.planes[plane].captures[usize::from(own)].fetch(column, parent.opponents);
        let opponents = half::unrank(self.seeds - own, parent.opponents);
        let layer = Layer::new(self.seeds).expect("at most 48 seeds");
        let row = Matrix::new(layer, own).row(column);
        let (rows, numbers) = (&self.tables.rows, &self.tables.numbers);
        let grids = &self.planes[self.other(plane)].grids;
        for (left_seeds, left, class) in rows.moves_of(row) {
            let after = class.crossing().added_to(opponents);
            if is_quiet(rows.ruleset(), class, after) {
                let child = Place {
                    own: self.seeds - left_seeds,
                    row: numbers.row(left_seeds, left).expect("an empty house"),
                    column: half::rank(after),
                };
                grids[usize::from(child.own)].fetch(child.row, child.column);
                children.push(child);
            }
        }
    }

    /// The best move of a position.
    fn best_of(&self, parent: &Parent, children: &[Place]) -> u8 {
        let plane = usize::from(parent.plane);
        let Place { own, column, .. } = parent.place;
        let captures = &self.planes[plane].captures[usize::from(own)];
        let capture = captures.get(column as usize, parent.opponents as usize);
        let grids = &self.planes[self.other(plane)].grids;
        let of_child = |child: &Place| {
            grids[usize::from(child.own)].get(child.row as usize, child.column as usize)
        };
        children.iter().map(of_child).fold(capture, u8::max)
    }

    /// Finds the positions that a quiet move takes to a position, and fetches them.
    fn parents_of(&self, event: &Event, parents: &mut Vec<Parent>) {
        let own = half::unrank(event.own, event.movers);
        let left = half::unrank(self.seeds - event.own, event.opponents);
        let plane = self.other(event.plane.into());
        let rules = self.tables.rows.ruleset();
        for house in House::ALL
            .into_iter()
            .filter(|house| left[house.index()] == 0)
        {
            // Takes back the seeds that were sown from this house, one by one.
            let (mut movers, mut opponents) = (left, own);
            let (mut sown, mut crossed) = (0, 0);
            let places = (0..12).cycle().skip(house.index() + 1);
            for place in places.filter(|&place| place != house.index()) {
                let crosses = place >= 6;
                let seeds = if crosses {
                    &mut opponents[place - 6]
                } else {
                    &mut movers[place]
                };
                let Some(taken) = seeds.checked_sub(1) else {
                    break;
                };
                *seeds = taken;
                sown += 1;
                crossed += u8::from(crosses);
                let class = CrossingClass::of(Crossing {
                    seeds: crossed,
                    ends_there: crosses,
                });
                if !is_quiet(rules, class, own) {
                    continue;
                }
                let opponents = half::rank(opponents);
                let Some(row) = self.tables.numbers.row(event.own - crossed, opponents) else {
                    continue;
                };
                let mut movers = movers;
                movers[house.index()] = sown;
                let own = self.seeds - event.own + crossed;
                let column = half::rank(movers);
                self.planes[plane].grids[usize::from(own)].fetch(row, column);
                if let Some(secured) = self.planes[plane].secured.get(usize::from(own)) {
                    secured.fetch(row, column);
                }
                parents.push(Parent {
                    plane: plane as u8,
                    place: Place { own, row, column },
                    opponents,
                    before: event.before,
                    after: event.after,
                });
            }
        }
    }
}

/// The byte of a position, and what its next one depends on besides its best move.
struct Bytes {
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

#[cfg(test)]
impl LayerState<'_> {
    /// The positions that a quiet move takes to a position.
    pub(super) fn parents(&self, position: &Position) -> Vec<Position> {
        let mut parents = Vec::new();
        let event = Event {
            plane: 0,
            own: position.own_seeds(),
            before: 0,
            after: 0,
            opponents: half::rank(position.opponents()),
            movers: half::rank(position.own()),
        };
        self.parents_of(&event, &mut parents);
        let layer = Layer::new(self.seeds).expect("at most 48 seeds");
        let position = |parent: Parent| {
            let row = Matrix::new(layer, parent.place.own).row(parent.place.column);
            row.position(parent.opponents)
        };
        parents.into_iter().map(position).collect()
    }
}
