//! The line `position`: `position startpos` or `position fen POSITION`, then `moves FfBe` for the moves since.

use granero::notation::{ParseError, PositionText, aalina, moves};
use granero::{Game, PlayerHouse, Situation};

/// Writes the line.
pub(super) fn write(start: &Situation, played: &[PlayerHouse]) -> String {
    let mut line = if *start == Situation::START {
        "position startpos".to_string()
    } else {
        format!("position fen {}", aalina::write(start))
    };
    if !played.is_empty() {
        line += " moves ";
        line += &moves::write_all(played);
    }
    line
}

/// Reads the game after the word `position`.
pub(super) fn parse(text: &str) -> Result<Game, ParseError> {
    let (position, played) = match text.split_once(" moves ") {
        Some((position, played)) => (position, played),
        None => (
            text.strip_suffix(" moves").unwrap_or(text),
            &text[text.len()..],
        ),
    };
    let position = position.trim();
    let fen = position.strip_prefix("fen ").unwrap_or(position);
    let start = match fen.parse() {
        Ok(PositionText::Full(situation)) => situation,
        _ => aalina::parse(fen).map_err(|error| error.within(text, fen))?,
    };
    let houses = moves::parse_all(played).map_err(|error| error.within(text, played))?;
    Ok(Game::of(start, houses))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_are_written() {
        let positions = [
            "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S",
            "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N",
        ];
        for (position, played) in positions.into_iter().zip(["FfBe", "aF"]) {
            for played in ["", played] {
                let start = aalina::parse(position).unwrap();
                let houses = moves::parse_all(played).unwrap();
                let line = write(&start, &houses);
                let game = parse(line.strip_prefix("position ").unwrap()).unwrap();
                assert_eq!(game.start, start);
                let read: Vec<_> = game.moves.iter().map(|played| played.sown).collect();
                assert_eq!(read, houses);
            }
        }
        assert!(parse("startpos moves").unwrap().moves.is_empty());
        let start = "4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S 1";
        let game = parse(&format!("fen {start} moves Ff")).unwrap();
        assert_eq!((game.start, game.moves.len()), (Situation::START, 2));
    }

    #[test]
    fn errors_name_the_place() {
        let at = |text| parse(text).unwrap_err().at;
        assert_eq!(at("startpos moves FfX"), 17);
        assert_eq!(at("fen 4-4-x"), 8);
        assert_eq!(at(""), 0);
    }
}
