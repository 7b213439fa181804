//! The figure of `granero stats --plot`: how often each value occurs in a layer, and how many positions of
//! each layer are won, drawn and lost.

use granero::table::{FinishedLayer, LayerStatistics};
use granero::{Cycles, Ruleset};

use super::svg::{Anchor, Colour, Drawing, INK};
use super::{
    DRAWN, GRID, HEADING_SIZE, HEIGHT, LABEL_SIZE, LOST, TITLE_LINE, TITLE_SIZE, UNDECIDED, WIDTH,
    WON, labelled_slots, step,
};
use granero_answer::counted;

pub(crate) struct Figure<'a> {
    pub(crate) rules: Ruleset,
    pub(crate) cycles: Cycles,
    /// All layers, from 0 seeds on.
    pub(crate) layers: &'a [FinishedLayer],
    /// The layer of the histogram.
    pub(crate) histogram: &'a LayerStatistics,
}

/// The fraction of its slot that a bar leaves free.
const GAP: f32 = 0.14;

impl Figure<'_> {
    pub(crate) fn to_svg(&self) -> String {
        let mut drawing = Drawing::new(WIDTH, HEIGHT);
        let title = format!(
            "Oware endgames, rules {}, endless play by {}",
            self.rules, self.cycles
        );
        drawing.text((16.0, TITLE_LINE), Anchor::Start, TITLE_SIZE, &title);
        draw_legend(&mut drawing, self.cycles);
        self.draw_histogram(&mut drawing);
        self.draw_shares(&mut drawing);
        drawing.finish()
    }

    fn draw_histogram(&self, drawing: &mut Drawing) {
        let statistics = self.histogram;
        let bars = bars(statistics);
        // The layer without seeds needs room for a bar, too.
        let reach = f32::from(statistics.seeds.max(1));
        let share = |count: u64| count as f32 / statistics.positions as f32 * 100.0;
        let heights = bars.iter().map(|bar| bar.from + bar.count);
        let ticks = Ticks::up_to(share(heights.max().unwrap_or(0)));
        let panel = Panel {
            left: 70.0,
            slots: (-reach, reach),
            top_value: ticks.last(),
        };
        panel.draw_grid(drawing, &ticks);
        for bar in bars {
            let (from, to) = (share(bar.from), share(bar.from + bar.count));
            panel.draw_bar(drawing, bar.value.into(), from, to, bar.colour);
        }
        panel.draw_base(drawing);
        for value in labelled_slots(panel.slots) {
            panel.draw_label(drawing, value, &signed(value));
        }
        let heading = format!(
            "{}: {}",
            counted(statistics.seeds.into(), "seed"),
            counted(statistics.positions, "position")
        );
        panel.draw_texts(
            drawing,
            &heading,
            match self.cycles {
                Cycles::Split => "value for the player to move (seeds)",
                Cycles::OwnSide => "what the player to move is sure to win or to lose (seeds)",
            },
            "share of positions (%)",
        );
    }

    fn draw_shares(&self, drawing: &mut Drawing) {
        let last = self.layers.len().saturating_sub(1) as f32;
        let ticks = Ticks::up_to(100.0);
        let panel = Panel {
            left: 560.0,
            slots: (0.0, last),
            top_value: 100.0,
        };
        panel.draw_grid(drawing, &ticks);
        for layer in self.layers.iter().map(|layer| &layer.statistics) {
            let mut below = 0.0;
            let decided = layer.wins() + layer.draws + layer.losses();
            let parts = [
                (layer.wins(), WON),
                (layer.draws, DRAWN),
                (layer.positions - decided, UNDECIDED),
                (layer.losses(), LOST),
            ];
            let occurring = |&(_, colour): &(u64, Colour)| shows(self.cycles, colour);
            for (count, colour) in parts.into_iter().filter(occurring) {
                let above = below + count as f32 / layer.positions as f32 * 100.0;
                panel.draw_bar(drawing, layer.seeds.into(), below, above, colour);
                below = above;
            }
        }
        panel.draw_base(drawing);
        for seeds in labelled_slots(panel.slots) {
            panel.draw_label(drawing, seeds, &seeds.to_string());
        }
        let positions = self.layers.iter();
        let positions: u64 = positions.map(|layer| layer.statistics.positions).sum();
        panel.draw_texts(
            drawing,
            &format!("0 to {last} seeds: {}", counted(positions, "position")),
            "seeds on the board",
            "share of positions (%)",
        );
    }
}

/// A bar of the histogram, or a part of one.
struct Bar {
    value: i8,
    /// The positions below this part of the bar.
    from: u64,
    count: u64,
    colour: Colour,
}

/// Returns the bars of a layer. With bounds, a position counts at its low bound if that wins and at its high
/// bound if that loses. All other positions are in the middle, drawn or undecided.
fn bars(statistics: &LayerStatistics) -> Vec<Bar> {
    let bar = |value, count, colour| Bar {
        value,
        from: 0,
        count,
        colour,
    };
    let values = statistics.values.as_ref();
    let lost = values
        .high()
        .histogram
        .iter()
        .filter(|(value, _)| *value < 0);
    let won = values
        .low()
        .histogram
        .iter()
        .filter(|(value, _)| *value > 0);
    let lost = lost.map(|&(value, count)| bar(value, count, LOST));
    let won = won.map(|&(value, count)| bar(value, count, WON));
    let decided = statistics.wins() + statistics.draws + statistics.losses();
    let undecided = Bar {
        from: statistics.draws,
        ..bar(0, statistics.positions - decided, UNDECIDED)
    };
    let middle = [bar(0, statistics.draws, DRAWN), undecided];
    let all = lost.chain(middle).chain(won);
    all.filter(|bar| bar.count > 0).collect()
}

/// Returns true if a colour is used: with one value for each position, nothing is undecided.
fn shows(cycles: Cycles, colour: Colour) -> bool {
    cycles != Cycles::Split || colour != UNDECIDED
}

/// Draws the legend of both panels at the end of the title's line.
fn draw_legend(drawing: &mut Drawing, cycles: Cycles) {
    const BOX: f32 = 11.0;
    let mut right = WIDTH - 16.0;
    let all = [
        ("lost", LOST),
        ("undecided", UNDECIDED),
        ("drawn", DRAWN),
        ("won", WON),
    ];
    let occurring = |&(_, colour): &(&str, Colour)| shows(cycles, colour);
    for (name, colour) in all.into_iter().filter(occurring) {
        // The average width of a letter.
        right -= name.len() as f32 * LABEL_SIZE * 0.52;
        let at = (right, TITLE_LINE);
        drawing.text(at, Anchor::Start, LABEL_SIZE, name);
        right -= BOX + 5.0;
        drawing.rectangle((right, TITLE_LINE - BOX + 1.0), (BOX, BOX), colour);
        right -= 18.0;
    }
}

/// A panel with bars in slots of the same width, over a scale that begins with 0.
struct Panel {
    left: f32,
    /// The numbers of the first slot and of the last.
    slots: (f32, f32),
    /// The end of the scale.
    top_value: f32,
}

impl Panel {
    const WIDTH: f32 = 384.0;
    const TOP: f32 = 84.0;
    const BOTTOM: f32 = 350.0;

    fn right(&self) -> f32 {
        self.left + Panel::WIDTH
    }

    fn slot_width(&self) -> f32 {
        let (first, last) = self.slots;
        Panel::WIDTH / (last - first + 1.0)
    }

    /// Returns the middle of a slot.
    fn x(&self, slot: f32) -> f32 {
        self.left + (slot - self.slots.0 + 0.5) * self.slot_width()
    }

    fn y(&self, value: f32) -> f32 {
        Panel::BOTTOM - value / self.top_value * (Panel::BOTTOM - Panel::TOP)
    }

    fn draw_grid(&self, drawing: &mut Drawing, ticks: &Ticks) {
        for (value, label) in ticks.labelled() {
            let y = self.y(value);
            drawing.line((self.left, y), (self.right(), y), 1.0, GRID);
            let at = (self.left - 8.0, y + LABEL_SIZE * 0.36);
            drawing.text(at, Anchor::End, LABEL_SIZE, &label);
        }
    }

    fn draw_bar(&self, drawing: &mut Drawing, slot: f32, from: f32, to: f32, colour: Colour) {
        let width = self.slot_width() * (1.0 - GAP);
        let (bottom, top) = (self.y(from), self.y(to));
        let left = self.x(slot) - width / 2.0;
        drawing.rectangle((left, top), (width, bottom - top), colour);
    }

    /// Draws the line that the bars stand on.
    fn draw_base(&self, drawing: &mut Drawing) {
        let y = Panel::BOTTOM;
        drawing.line((self.left, y), (self.right(), y), 1.0, INK);
    }

    fn draw_label(&self, drawing: &mut Drawing, slot: i32, label: &str) {
        let x = self.x(slot as f32);
        let y = Panel::BOTTOM;
        drawing.line((x, y), (x, y + 4.0), 1.0, INK);
        let at = (x, y + 18.0);
        drawing.text(at, Anchor::Middle, LABEL_SIZE, label);
    }

    fn draw_texts(&self, drawing: &mut Drawing, heading: &str, below: &str, beside: &str) {
        let at = (self.left, Panel::TOP - 18.0);
        drawing.text(at, Anchor::Start, HEADING_SIZE, heading);
        let middle = (self.left + self.right()) / 2.0;
        let at = (middle, Panel::BOTTOM + 42.0);
        drawing.text(at, Anchor::Middle, LABEL_SIZE, below);
        let at = (self.left - 46.0, (Panel::TOP + Panel::BOTTOM) / 2.0);
        drawing.text_upwards(at, LABEL_SIZE, beside);
    }
}

/// The marks of a scale that begins with 0.
struct Ticks {
    step: f32,
    count: u32,
}

impl Ticks {
    /// Returns marks up to the first that is not below the value.
    fn up_to(value: f32) -> Ticks {
        let step = step(value / 7.0);
        let count = (value / step - 1e-4).ceil().max(1.0);
        Ticks {
            step,
            count: count as u32,
        }
    }

    fn last(&self) -> f32 {
        self.step * self.count as f32
    }

    fn labelled(&self) -> impl Iterator<Item = (f32, String)> {
        let digits = usize::from(self.step < 1.0);
        let values = (0..=self.count).map(|count| count as f32 * self.step);
        values.map(move |value| (value, format!("{value:.digits$}")))
    }
}

fn signed(value: i32) -> String {
    match value {
        0 => "0".into(),
        1.. => format!("+{value}"),
        _ => format!("\u{2212}{}", value.unsigned_abs()),
    }
}
