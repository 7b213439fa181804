//! The captures of a layer, which follow from the rules alone, without tables.
//!
//! A move captures depending on the opponent's half-board and on the number of seeds that cross,
//! if the last seed is among them. Each half-board of the mover has a set of numbers of seeds that
//! can cross, and each half-board of the opponent a set of numbers that capture. A position has a
//! capture if the two sets meet. There are far fewer sets than half-boards, so counting them takes
//! less time than going through the positions.

use std::cmp::Reverse;
use std::collections::HashMap;

use granero_game::position::join;
use granero_game::rules::{Arrival, Permission, Ruleset};
use granero_game::{House, MAX_SEEDS, Position};
use granero_table::index::{Crossing, Layer, half};
use granero_table::parallel;

/// The captures of a layer.
///
/// ```
/// use granero::Ruleset;
/// use granero::captures::LayerCaptures;
/// use granero::index::Layer;
///
/// let captures = LayerCaptures::of(Ruleset::Abapa, Layer::new(4).unwrap());
/// let longest = captures.longest.unwrap();
/// assert_eq!((captures.capturing, longest.captured), (62, 3));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayerCaptures {
    /// The number of positions with a move that captures.
    pub capturing: u64,
    /// The most seeds that one move captures; `None` if no move captures.
    pub longest: Option<LongestCapture>,
}

/// The most seeds that one move of a layer captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongestCapture {
    /// The number of seeds captured.
    pub captured: u8,
    /// The first position, in the order of the index, with such a move.
    pub position: Position,
}

impl LayerCaptures {
    /// Computes the captures of a layer.
    pub fn of(ruleset: Ruleset, layer: Layer) -> LayerCaptures {
        let captures = parallel::map(0..=layer.seeds(), |own| {
            of_matrix(ruleset, own, layer.seeds() - own)
        });
        let together = |a: LayerCaptures, b: LayerCaptures| LayerCaptures {
            capturing: a.capturing + b.capturing,
            longest: longer(a.longest, b.longest),
        };
        captures
            .into_iter()
            .fold(LayerCaptures::default(), together)
    }
}

/// The longer of two captures of the same layer; of equal captures, the one whose position comes
/// first.
fn longer(a: Option<LongestCapture>, b: Option<LongestCapture>) -> Option<LongestCapture> {
    a.into_iter().chain(b).max_by_key(|longest| {
        let index = Layer::of(&longest.position).index(&longest.position);
        (longest.captured, Reverse(index))
    })
}

/// The captures of the positions with these numbers of seeds.
fn of_matrix(ruleset: Ruleset, own: u8, opponents: u8) -> LayerCaptures {
    let movers = Movers::with(own, opponents);
    let opponents = Opponents::with(ruleset, opponents, own);
    let mut captures = LayerCaptures::default();
    for (&sent, &sending) in &movers.by_sent {
        for (&captured, &losing) in &opponents.by_captured {
            if sent & captured != 0 {
                captures.capturing += sending * losing;
            }
        }
    }
    for (mover, reply) in movers.first.iter().zip(&opponents.longest) {
        if let (Some(mover), Some((captured, opponent))) = (mover, reply) {
            let longest = LongestCapture {
                captured: *captured,
                position: Position::from_valid(join(*mover, *opponent)),
            };
            captures.longest = longer(captures.longest, Some(longest));
        }
    }
    if ruleset.variation().slam == Permission::LastResort {
        add_last_resorts(&mut captures, ruleset, &movers, &opponents);
    }
    captures
}

/// Adds the positions with moves of last resort only, one by one: there are few.
fn add_last_resorts(
    captures: &mut LayerCaptures,
    ruleset: Ruleset,
    movers: &Movers,
    opponents: &Opponents,
) {
    for &(mover, sent) in &movers.all_across {
        for &(opponent, barred) in &opponents.barred {
            if sent & !barred != 0 {
                continue;
            }
            let position = Position::from_valid(join(mover, opponent));
            let moves = ruleset.moves(&position);
            let captured = moves.iter().map(|play| play.captured).max().unwrap_or(0);
            if captured > 0 {
                captures.capturing += 1;
                let longest = LongestCapture { captured, position };
                captures.longest = longer(captures.longest, Some(longest));
            }
        }
    }
}

/// A set of numbers of seeds that cross, the last seed of the move among them: a bit for each number.
type Crossings = u64;

/// The numbers from 0 to 48 seeds.
const SIZES: usize = MAX_SEEDS as usize + 1;

/// The mover's half-boards with the same number of seeds.
struct Movers {
    /// The number of half-boards for each set of seeds that they can send across.
    by_sent: HashMap<Crossings, u64>,
    /// By seeds sent: the first half-board that can send them.
    first: [Option<[u8; 6]>; SIZES],
    /// The half-boards all of whose legal moves end across.
    all_across: Vec<([u8; 6], Crossings)>,
}

impl Movers {
    fn with(seeds: u8, opponents_seeds: u8) -> Movers {
        let mut movers = Movers {
            by_sent: HashMap::new(),
            first: [None; SIZES],
            all_across: Vec::new(),
        };
        for houses in half::all(seeds) {
            let mut sent: Crossings = 0;
            let mut ends_at_home = false;
            // The seeds that cross do not depend on the opponent's seeds.
            let mover = Position::from_valid(join(houses, [0; 6]));
            for house in House::ALL {
                if houses[house.index()] == 0 {
                    continue;
                }
                let (sown, last) = mover.sown(house);
                let across = sown.opponents_seeds();
                if last >= 6 {
                    sent |= 1 << across;
                    movers.first[usize::from(across)].get_or_insert(houses);
                } else if opponents_seeds + across > 0 {
                    ends_at_home = true;
                }
            }
            *movers.by_sent.entry(sent).or_default() += 1;
            if !ends_at_home && sent != 0 {
                movers.all_across.push((houses, sent));
            }
        }
        movers
    }
}

/// The opponent's half-boards with the same number of seeds.
struct Opponents {
    /// The number of half-boards for each set of numbers of seeds that capture from them.
    by_captured: HashMap<Crossings, u64>,
    /// By seeds sent: the most that they capture, and the first half-board that loses this many.
    longest: [Option<(u8, [u8; 6])>; SIZES],
    /// The half-boards to which some numbers of seeds cannot be sent, or only as a last resort.
    barred: Vec<([u8; 6], Crossings)>,
}

impl Opponents {
    fn with(ruleset: Ruleset, seeds: u8, most_sent: u8) -> Opponents {
        let mut opponents = Opponents {
            by_captured: HashMap::new(),
            longest: [None; SIZES],
            barred: Vec::new(),
        };
        for houses in half::all(seeds) {
            let (mut captured_by, mut barred): (Crossings, Crossings) = (0, 0);
            for sent in 1..=most_sent {
                match arrival(ruleset, houses, sent) {
                    Arrival::Captures { captured, .. } | Arrival::EndsGame { captured } => {
                        captured_by |= 1 << sent;
                        let longest = &mut opponents.longest[usize::from(sent)];
                        if longest.is_none_or(|(most, _)| most < captured) {
                            *longest = Some((captured, houses));
                        }
                    }
                    Arrival::Barred => barred |= 1 << sent,
                    Arrival::Quiet => {}
                }
            }
            *opponents.by_captured.entry(captured_by).or_default() += 1;
            if barred != 0 {
                opponents.barred.push((houses, barred));
            }
        }
        opponents
    }
}

/// The outcome of a move that sends `sent` seeds to a half-board, and ends there.
fn arrival(ruleset: Ruleset, houses: [u8; 6], sent: u8) -> Arrival {
    let crossing = Crossing::new(sent, true);
    ruleset.arrival(crossing.added_to(houses), crossing.last_house())
}
