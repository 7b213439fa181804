//! The figure of `granero judge --plot`: how the promised end of a game changed, move by move.

use granero::judge::{Class, Judgement};
use granero::{FinalScore, Game, Side};

use super::svg::{Anchor, Colour, Drawing, INK};
use super::{
    GRID, HEADING_SIZE, HEIGHT, LABEL_SIZE, LOST, TITLE_LINE, TITLE_SIZE, WIDTH, WON,
    labelled_slots, step,
};

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

const LEFT: f32 = 70.0;
const RIGHT: f32 = WIDTH - 24.0;
const TOP: f32 = 70.0;
const BOTTOM: f32 = 350.0;
/// The mark of moves that changed who wins.
const CHANGED: Colour = "#c02020";

impl Review {
    pub(crate) fn new(game: &Game, judgement: &Judgement) -> Review {
        let name = |side: Side| game.player(side).map_or(side.to_string(), String::from);
        let known = judgement.moves.iter();
        let known = known.filter(|judged| !judged.is_unknown());
        let known = known.map(|judged| (judged.number, judged.left(), judged.class_at_least()));
        let mut judged = known.peekable();
        let length = judgement.error.as_ref().map(|error| error.number - 1);
        let played = game.moves.iter().take(length.unwrap_or(usize::MAX));
        let moves = (1..).zip(played).map(|(number, played)| {
            let judged = judged.next_if(|judged| judged.0 == number);
            let souths = |score: FinalScore| score.seeds(Side::South);
            Point {
                label: format!("{} {}", game.numbering.of(number - 1), played.sown),
                south: judged.map(|(_, left, _)| {
                    let ends = left.map(souths);
                    let (low, high) = (ends.low(), ends.high());
                    (low.min(high), low.max(high))
                }),
                class: judged.map_or(Class::Best, |(_, _, class)| class),
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

    /// Returns the left border of a move.
    fn x(&self, index: f32) -> f32 {
        LEFT + (RIGHT - LEFT) * index / self.moves.len().max(1) as f32
    }

    /// Returns the height of a number of seeds.
    fn y(&self, seeds: f32) -> f32 {
        BOTTOM - seeds / f32::from(self.all) * (BOTTOM - TOP)
    }

    /// Draws the figure as SVG.
    pub(crate) fn to_svg(&self) -> String {
        let mut drawing = Drawing::new(WIDTH, HEIGHT);
        let at = (16.0, TITLE_LINE);
        drawing.text(at, Anchor::Start, TITLE_SIZE, &self.title);
        let heading = "South's seeds at the end with best play after each move";
        let at = (LEFT, TOP - 14.0);
        drawing.text(at, Anchor::Start, HEADING_SIZE, heading);
        for seeds in (0..=self.all).step_by(usize::from(self.all / 6)) {
            let y = self.y(seeds.into());
            drawing.line((LEFT, y), (RIGHT, y), 1.0, GRID);
            let at = (LEFT - 8.0, y + LABEL_SIZE * 0.36);
            drawing.text(at, Anchor::End, LABEL_SIZE, &seeds.to_string());
        }
        self.draw_moves(&mut drawing);
        let middle = self.y(f32::from(self.all) / 2.0);
        drawing.line((LEFT, middle), (RIGHT, middle), 1.0, INK);
        self.draw_labels(&mut drawing);
        drawing.finish()
    }

    /// Draws a bar from an equal share to the promised result, upwards if South wins.
    fn draw_moves(&self, drawing: &mut Drawing) {
        for (index, point) in self.moves.iter().enumerate() {
            let Some((low, high)) = point.south else {
                continue;
            };
            let (left, right) = (self.x(index as f32), self.x(index as f32 + 1.0));
            let gap = (right - left) * 0.1;
            let mut bar = |from: f64, to: f64, colour| {
                let (top, bottom) = (self.y(to as f32), self.y(from as f32));
                let size = (right - left - 2.0 * gap, bottom - top);
                drawing.rectangle((left + gap, top), size, colour);
            };
            // First the certain part, then the part that is not proven or depends on endless play.
            let half = f64::from(self.all) / 2.0;
            bar(half, low.max(half), WON);
            bar(high.min(half), half, LOST);
            bar(low.max(half), high.max(half), super::UNDECIDED);
            bar(low.min(half), high.min(half), super::UNDECIDED);
            let colour = match point.class {
                Class::ChangedWinner => CHANGED,
                Class::GaveAway => INK,
                Class::Best | Class::Harmless => continue,
            };
            let middle = (left + right) / 2.0;
            let size = (right - left).clamp(2.0, 8.0);
            drawing.rectangle((middle - size / 2.0, BOTTOM + 3.0), (size, size), colour);
        }
    }

    /// Draws the numbers of some moves below, and the legend of the marks at the end of the title's line.
    fn draw_labels(&self, drawing: &mut Drawing) {
        let last = self.moves.len().saturating_sub(1) as f32;
        let wide = step(last / 9.0).max(1.0);
        for slot in labelled_slots((0.0, last)).filter(|slot| *slot as f32 % wide == 0.0) {
            let x = self.x(slot as f32 + 0.5);
            let label = self.moves.get(slot as usize);
            let label = label.map_or("", |point| point.label.as_str());
            drawing.text((x, BOTTOM + 28.0), Anchor::Middle, LABEL_SIZE, label);
        }
        let mut right = RIGHT;
        for (name, colour) in [("gave away seeds", INK), ("changed who wins", CHANGED)] {
            right -= name.len() as f32 * LABEL_SIZE * 0.52;
            drawing.text((right, TITLE_LINE), Anchor::Start, LABEL_SIZE, name);
            right -= 14.0;
            drawing.rectangle((right, TITLE_LINE - 8.0), (8.0, 8.0), colour);
            right -= 14.0;
        }
    }
}
