//! The figure of `granero judge --plot`: how the promised end of a game changed, move by move.

use granero::judge::{Class, JudgedMove, Judgement};
use granero::{Game, Side};

use super::{
    Colour, Drawing, INK, LABEL_SIZE, LOST, MIDDLE, Panel, UNDECIDED, WIDTH, WON, begin,
    labelled_slots, step,
};

/// The mark of moves that changed who wins.
const CHANGED: Colour = "#c02020";

/// Draws the figure as SVG: for each move, the seeds that South ends up with if both play their best from there.
pub(crate) fn review(game: &Game, judgement: &Judgement) -> String {
    let name = |side: Side| game.player(side).map_or(side.to_string(), String::from);
    let [south, north] = [Side::South, Side::North].map(name);
    let legend = [("gave away seeds", INK), ("changed who wins", CHANGED)];
    let mut drawing = begin(&format!("{south} (South) and {north} (North)"), &legend);
    let possible = judgement.possible(game);
    let all = game.start.game();
    let panel = Panel {
        left: 70.0,
        width: WIDTH - 94.0,
        slots: (0.0, possible.max(1) as f32 - 1.0),
        top_value: all.into(),
    };
    let heading = "South's seeds at the end with best play after each move";
    let marks = (0..=all).step_by(usize::from(all / 6));
    let marks = marks.map(|seeds| (seeds.into(), seeds.to_string()));
    panel.draw_scale(&mut drawing, heading, marks);
    let half = f64::from(all) / 2.0;
    for judged in judgement.moves.iter().filter(|judged| !judged.is_unknown()) {
        draw_move(&mut drawing, &panel, half, judged);
    }
    panel.draw_level(&mut drawing, half as f32, INK);
    let wide = step(panel.slots.1 / 9.0).max(1.0);
    for slot in labelled_slots(panel.slots).filter(|slot| *slot as f32 % wide == 0.0) {
        let number = slot as usize;
        if let Some(played) = game.moves[..possible].get(number) {
            let label = game.label(number + 1, played.sown.letter());
            let at = (panel.x(slot as f32), Panel::BOTTOM + 28.0);
            drawing.text(at, MIDDLE, LABEL_SIZE, &label);
        }
    }
    drawing.finish()
}

/// Draws a bar from an equal share to the promised result, upwards if South wins, and a mark below if the move was
/// wrong.
fn draw_move(drawing: &mut Drawing, panel: &Panel, half: f64, judged: &JudgedMove) {
    let slot = (judged.number - 1) as f32;
    let ends = judged.left().map(|score| score.seeds(Side::South));
    let [low, high] = [f64::min, f64::max].map(|of| of(ends.low(), ends.high()));
    // First the certain part, then the part that is not proven or depends on endless play.
    for (from, to, colour) in [
        (half, low.max(half), WON),
        (high.min(half), half, LOST),
        (low.max(half), high.max(half), UNDECIDED),
        (low.min(half), high.min(half), UNDECIDED),
    ] {
        panel.draw_bar(drawing, slot, from as f32, to as f32, colour);
    }
    let colour = match judged.class_at_least() {
        Class::ChangedWinner => CHANGED,
        Class::GaveAway => INK,
        Class::Best | Class::Harmless => return,
    };
    let size = panel.slot_width().clamp(2.0, 8.0);
    let at = (panel.x(slot) - size / 2.0, Panel::BOTTOM + 3.0);
    drawing.rectangle(at, (size, size), colour);
}
