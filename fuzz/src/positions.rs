//! Any text as a position in each of the notations, and as moves: what is read is written,
//! and read again, as the same.

use granero::notation::{PositionText, aalina, board, integers, moves, openspiel, playstrategy};
use granero::{Position, Ruleset, Side};

/// Panics if something is read in two ways, or a rule fails.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(houses) = moves::parse_all(&text) {
        let written = moves::write_all(&houses);
        assert_eq!(moves::parse_all(&written), Ok(houses));
    }
    let read = text.parse::<PositionText>();
    let alone = [
        integers::parse(&text).ok(),
        board::parse(&text).ok(),
        aalina::parse(&text).ok().map(|found| found.position()),
        playstrategy::parse(&text)
            .ok()
            .map(|found| found.position()),
        openspiel::parse(&text).ok().map(|found| found.position()),
    ];
    let text = match read {
        Ok(text) => text,
        Err(error) => {
            // It can be shown below the text, as the command does.
            assert!(error.to_string().starts_with("at character "), "{error}");
            return;
        }
    };
    let position = text.position();
    assert!(alone.into_iter().flatten().any(|found| found == position));
    assert_eq!(position.to_string().parse(), Ok(position));
    for side in [Side::South, Side::North] {
        assert_eq!(board::parse(&board::write(&position, side)), Ok(position));
    }
    if let Some(situation) = text.situation() {
        assert_eq!(aalina::parse(&situation.to_string()), Ok(situation));
        assert_eq!(situation.position(), position);
        let written = playstrategy::write(&situation, 7);
        assert_eq!(playstrategy::parse(&written), Ok(situation));
        let written = openspiel::write(&situation);
        assert_eq!(openspiel::parse(&written), Ok(situation));
        let written = openspiel::write_observation(&situation);
        assert_eq!(openspiel::parse(&written), Ok(situation));
    }
    for ruleset in Ruleset::ALL {
        for play in &ruleset.moves(&position) {
            let after: u8 = Position::seeds(&play.position);
            assert_eq!(after + play.captured + play.conceded, position.seeds());
        }
    }
}
