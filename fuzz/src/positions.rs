//! Any text as a position in each notation, and as moves: what is read can be written, and read again.

use granero::notation::{NOTATIONS, PositionText, moves, playstrategy};
use granero::{PlayerHouse, Position, Ruleset, Situation};

/// Panics if something is read in two ways, an error points beyond the text, or a rule fails.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let houses = moves::parse_all(&text);
    if let Ok(houses) = &houses {
        let written = moves::write_all(houses);
        assert_eq!(moves::parse_all(&written).as_ref(), Ok(houses));
    }
    let read = text.parse::<PositionText>();
    let alone = NOTATIONS.iter().map(|notation| notation.parse(&text));
    let alone: Vec<_> = alone.collect();
    let errors = [
        houses.err(),
        playstrategy::parse_move(&text).err(),
        text.parse::<Position>().err(),
        text.parse::<Situation>().err(),
        text.parse::<PlayerHouse>().err(),
    ];
    let of_notations = alone.iter().filter_map(|read| read.as_ref().err());
    for error in errors.iter().flatten().chain(of_notations) {
        assert!(error.at <= text.chars().count(), "{error}");
    }
    let read = match read {
        Ok(read) => read,
        Err(error) => {
            // The command shows it below the text.
            assert!(error.to_string().starts_with("at character "), "{error}");
            return;
        }
    };
    assert!(alone.contains(&Ok(read)));
    let position = read.position();
    assert_eq!(position.to_string().parse(), Ok(position));
    for notation in &NOTATIONS {
        let written = notation.write(&read);
        let again = notation.parse(&written).unwrap();
        assert_eq!(written.parse(), Ok(again));
        assert_eq!(again.position(), position);
        if let (Some(situation), Some(again)) = (read.situation(), again.situation()) {
            assert_eq!(again, situation);
        }
    }
    for ruleset in Ruleset::ALL {
        for play in &ruleset.moves(&position) {
            let after: u8 = Position::seeds(&play.position);
            assert_eq!(after + play.captured + play.conceded, position.seeds());
        }
    }
}
