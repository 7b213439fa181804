//! The figure of `granero judge --plot`: how the promised end of a game changed, move by move.

use granero::judge::{Class, Judgement};
use granero::{FinalScore, Game, Side};

use super::panel::{LABEL_SIZE, LOST, Panel, UNDECIDED, WIDTH, WON, begin, labelled_slots, step};
use super::svg::{Colour, Drawing, INK, MIDDLE};

/// For each move, the seeds that South ends up with if both play their best from there.
pub(crate) struct Review {
    title: String,
    /// All seeds of the game.
    all: u8,
    moves: Vec<Point>,
}

struct Point {
    /// The number of the move in the record, with its house.
    label: String,
    /// South's least and most seeds at the end, with best play after the move; `None` if unknown.
    south: Option<(f64, f64)>,
    /// The mildest class that the move may have.
    class: Class,
}

/// The mark of moves that changed who wins.
const CHANGED: Colour = "#c02020";

impl Review {
    pub(crate) fn new(game: &Game, judgement: &Judgement) -> Review {
        let name = |side: Side| game.player(side).map_or(side.to_string(), String::from);
        let known = judgement.moves.iter();
        let mut known = known.filter(|judged| !judged.is_unknown()).peekable();
        let length = judgement.error.as_ref().map(|error| error.number - 1);
        let played = game.moves.iter().take(length.unwrap_or(usize::MAX));
        let moves = (1..).zip(played).map(|(number, played)| {
            let judged = known.next_if(|judged| judged.number == number);
            let souths = |score: FinalScore| score.seeds(Side::South);
            Point {
                label: format!("{} {}", game.numbering.of(number - 1), played.sown),
                south: judged.map(|judged| {
                    let ends = judged.left().map(souths);
                    let (low, high) = (ends.low(), ends.high());
                    (low.min(high), low.max(high))
                }),
                class: judged.map_or(Class::Best, |judged| judged.class_at_least()),
            }
        });
        Review {
            title: format!(
                "{} (South) and {} (North)",
                name(Side::South),
                name(Side::North)
            ),
            all: game.start.game(),
            moves: moves.collect(),
        }
    }

    /// Draws the figure as SVG.
    pub(crate) fn to_svg(&self) -> String {
        let legend = [("gave away seeds", INK), ("changed who wins", CHANGED)];
        let mut drawing = begin(&self.title, &legend);
        let panel = Panel {
            left: 70.0,
            width: WIDTH - 94.0,
            slots: (0.0, self.moves.len().max(1) as f32 - 1.0),
            top_value: self.all.into(),
        };
        let heading = "South's seeds at the end with best play after each move";
        let marks = (0..=self.all).step_by(usize::from(self.all / 6));
        let marks = marks.map(|seeds| (seeds.into(), seeds.to_string()));
        panel.draw_scale(&mut drawing, heading, marks);
        for (slot, point) in self.moves.iter().enumerate() {
            self.draw_move(&mut drawing, &panel, slot as f32, point);
        }
        panel.draw_level(&mut drawing, f32::from(self.all) / 2.0, INK);
        let wide = step(panel.slots.1 / 9.0).max(1.0);
        for slot in labelled_slots(panel.slots).filter(|slot| *slot as f32 % wide == 0.0) {
            let label = self.moves.get(slot as usize);
            let label = label.map_or("", |point| point.label.as_str());
            let at = (panel.x(slot as f32), Panel::BOTTOM + 28.0);
            drawing.text(at, MIDDLE, LABEL_SIZE, label);
        }
        drawing.finish()
    }

    /// Draws a bar from an equal share to the promised result, upwards if South wins, and a mark below if the move was
    /// wrong.
    fn draw_move(&self, drawing: &mut Drawing, panel: &Panel, slot: f32, point: &Point) {
        let Some((low, high)) = point.south else {
            return;
        };
        // First the certain part, then the part that is not proven or depends on endless play.
        let half = f64::from(self.all) / 2.0;
        for (from, to, colour) in [
            (half, low.max(half), WON),
            (high.min(half), half, LOST),
            (low.max(half), high.max(half), UNDECIDED),
            (low.min(half), high.min(half), UNDECIDED),
        ] {
            panel.draw_bar(drawing, slot, from as f32, to as f32, colour);
        }
        let colour = match point.class {
            Class::ChangedWinner => CHANGED,
            Class::GaveAway => INK,
            Class::Best | Class::Harmless => return,
        };
        let size = panel.slot_width().clamp(2.0, 8.0);
        let at = (panel.x(slot) - size / 2.0, Panel::BOTTOM + 3.0);
        drawing.rectangle(at, (size, size), colour);
    }
}
