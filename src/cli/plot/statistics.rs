//! The figure of `granero stats --plot`: how often each value occurs in a layer, and how many positions of
//! each layer are won, drawn and lost.

use granero::table::{FinishedLayer, LayerStatistics};
use granero::{Cycles, Tables, signed};

use super::{Colour, DRAWN, Drawing, LOST, Panel, UNDECIDED, WON, begin, step};
use granero_answer::counted;

/// Draws the figure as SVG, with the histogram of a layer.
pub(crate) fn statistics(tables: &Tables, histogram: &LayerStatistics) -> String {
    let (rules, cycles) = (tables.rules(), tables.cycles());
    let title = format!("Oware endgames, rules {rules}, endless play by {cycles}");
    let legend = [
        ("lost", LOST),
        ("undecided", UNDECIDED),
        ("drawn", DRAWN),
        ("won", WON),
    ];
    // With one value for each position, nothing is undecided.
    let shows = |colour: Colour| cycles != Cycles::Split || colour != UNDECIDED;
    let occurring = legend.into_iter().filter(|&(_, colour)| shows(colour));
    let mut drawing = begin(&title, &occurring.collect::<Vec<_>>());
    draw_histogram(&mut drawing, cycles, histogram);
    draw_shares(&mut drawing, &tables.manifest().layers, shows);
    drawing.finish()
}

fn draw_histogram(drawing: &mut Drawing, cycles: Cycles, statistics: &LayerStatistics) {
    let bars = bars(statistics);
    // The layer without seeds needs room for a bar, too.
    let reach = f32::from(statistics.seeds.max(1));
    let share = |count: u64| count as f32 / statistics.positions as f32 * 100.0;
    let heights = bars.iter().map(|&(_, [_, to], _)| to);
    let (top_value, marks) = marks(share(heights.max().unwrap_or(0)));
    let panel = Panel {
        left: 70.0,
        width: PANEL_WIDTH,
        slots: (-reach, reach),
        top_value,
    };
    let seeds = counted(statistics.seeds.into(), "seed");
    let heading = format!("{seeds}: {}", counted(statistics.positions, "position"));
    panel.draw_scale(drawing, &heading, marks);
    for (value, [from, to], colour) in bars {
        panel.draw_bar(drawing, value.into(), share(from), share(to), colour);
    }
    let below = match cycles {
        Cycles::Split => "value for the player to move (seeds)",
        Cycles::OwnSide => "what the player to move is sure to win or to lose (seeds)",
    };
    let label = |value| signed(value as i8).replace('-', "\u{2212}");
    panel.draw_base(drawing, label, [below, BESIDE]);
}

fn draw_shares(drawing: &mut Drawing, layers: &[FinishedLayer], shows: impl Fn(Colour) -> bool) {
    let last = layers.len().saturating_sub(1) as f32;
    let (top_value, marks) = marks(100.0);
    let panel = Panel {
        left: 560.0,
        width: PANEL_WIDTH,
        slots: (0.0, last),
        top_value,
    };
    let layers = layers.iter().map(|layer| &layer.statistics);
    let positions: u64 = layers.clone().map(|layer| layer.positions).sum();
    let heading = format!("0 to {last} seeds: {}", counted(positions, "position"));
    panel.draw_scale(drawing, &heading, marks);
    for layer in layers {
        let mut below = 0.0;
        let decided = layer.wins() + layer.draws + layer.losses();
        for (count, colour) in [
            (layer.wins(), WON),
            (layer.draws, DRAWN),
            (layer.positions - decided, UNDECIDED),
            (layer.losses(), LOST),
        ] {
            if shows(colour) {
                let above = below + count as f32 / layer.positions as f32 * 100.0;
                panel.draw_bar(drawing, layer.seeds.into(), below, above, colour);
                below = above;
            }
        }
    }
    let label = |seeds: i32| seeds.to_string();
    panel.draw_base(drawing, label, ["seeds on the board", BESIDE]);
}

/// The width of both panels.
const PANEL_WIDTH: f32 = 384.0;

const BESIDE: &str = "share of positions (%)";

/// Returns the bars of a layer, or parts of them: the value, the positions from the first to the last, the colour. With
/// bounds, a position counts at its low bound if that wins and at its high bound if that loses. All other positions are
/// in the middle, drawn or undecided.
fn bars(statistics: &LayerStatistics) -> Vec<(i8, [u64; 2], Colour)> {
    let bar = |colour| move |&(value, count): &(i8, u64)| (value, [0, count], colour);
    let values = statistics.values.as_ref();
    let lost = values.high().histogram.iter().map(bar(LOST));
    let won = values.low().histogram.iter().map(bar(WON));
    let (drawn, losses) = (statistics.draws, statistics.losses());
    let middle = [
        (0, [0, drawn], DRAWN),
        (
            0,
            [drawn, statistics.positions - statistics.wins() - losses],
            UNDECIDED,
        ),
    ];
    let (lost, won) = (lost.filter(|bar| bar.0 < 0), won.filter(|bar| bar.0 > 0));
    let all = lost.chain(middle).chain(won);
    all.filter(|(_, [from, to], _)| from < to).collect()
}

/// Returns the marks of a scale that begins with 0, up to the first that is not below `most`, and this one.
fn marks(most: f32) -> (f32, impl Iterator<Item = (f32, String)>) {
    let step = step(most / 7.0);
    let count = (most / step - 1e-4).ceil().max(1.0) as u32;
    let digits = usize::from(step < 1.0);
    let values = (0..=count).map(move |number| number as f32 * step);
    let marks = values.map(move |value| (value, format!("{value:.digits$}")));
    (count as f32 * step, marks)
}
