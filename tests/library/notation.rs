//! Positions, moves and games as text: written text can be read back, and bad text gives an error with its
//! place.

use granero::notation::ogn::Dialect;
use granero::notation::{
    self, NOTATIONS, PositionText, aalina, board, integers, is_hidden, moves, ogn, playstrategy,
    visible,
};
use granero::{
    Capture, Game, House, MoveNumber, PlayedMove, PlayerHouse, Position, Ruleset, Side, Situation,
};
use proptest::prelude::*;

fn error(text: &str) -> String {
    text.parse::<Position>().unwrap_err().to_string()
}

fn positions() -> impl Strategy<Value = Position> {
    (0..=48u8, any::<u64>()).prop_map(|(seeds, index)| {
        let layer = granero::index::Layer::new(seeds).unwrap();
        layer.position(index % layer.len()).unwrap()
    })
}

fn situations() -> impl Strategy<Value = Situation> {
    (positions(), any::<bool>(), 0..=48u8).prop_map(|(position, south, store)| {
        let captured = 48 - position.seeds();
        let store = store.min(captured);
        let side = if south { Side::South } else { Side::North };
        Situation::new(position, side, store, captured - store).unwrap()
    })
}

/// A game of random legal moves.
fn games() -> impl Strategy<Value = (Ruleset, Game)> {
    (
        situations(),
        prop::sample::select(&Ruleset::ALL[..]),
        prop::collection::vec(any::<prop::sample::Index>(), 0..60),
    )
        .prop_map(|(start, ruleset, choices)| {
            let mut now = start;
            let mut moves = Vec::new();
            for choice in choices {
                let legal = ruleset.moves(&now.position());
                if legal.is_empty() {
                    break;
                }
                let house = legal[choice.index(legal.len())].house;
                let side = now.to_move();
                moves.push(PlayedMove::from(PlayerHouse { side, house }));
                (_, now) = now.play(ruleset, house).unwrap();
            }
            (
                ruleset,
                Game {
                    start,
                    moves,
                    ..Game::default()
                },
            )
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn positions_survive_all_notations(position in positions()) {
        for side in [Side::South, Side::North] {
            prop_assert_eq!(board::parse(&board::write(&position, side)), Ok(position));
        }
        prop_assert_eq!(position.to_string().parse(), Ok(position));
        prop_assert_eq!(format!("{position:#}").parse(), Ok(position));
        let commas = position.to_string().replace(' ', ",");
        prop_assert_eq!(commas.parse(), Ok(position));
        let open = Situation::open(position);
        prop_assert_eq!(open.to_string().parse(), Ok(position));
    }

    /// The fast way of reading agrees with the notation, on right and nearly right texts.
    #[test]
    fn numbers_are_read_as_the_notation_reads_them(
        numbers in prop::collection::vec(0..9u16, 11..=13),
        change in (0..14usize, prop::sample::select(vec!["", "0", "48", "49", "007", "255", "256", "x", " 1"])),
        separator in (0..13usize, prop::sample::select(vec![",", "\t", "  ", ", ", " \r", "\u{a0}", ""])),
    ) {
        let mut text = String::new();
        for (place, number) in numbers.iter().enumerate() {
            let number = number.saturating_sub(3).to_string();
            text += if place == change.0 { change.1 } else { &number };
            text += if place == separator.0 { separator.1 } else if place + 1 < numbers.len() { " " } else { "" };
        }
        prop_assert_eq!(text.parse::<Position>(), integers::parse(&text), "{:?}", text);
    }

    #[test]
    fn situations_survive_all_notations(situation in situations()) {
        prop_assert_eq!(situation.to_string().parse(), Ok(situation));
        for notation in &NOTATIONS {
            let written = notation.write(&PositionText::Full(situation));
            let read = written.parse::<PositionText>();
            prop_assert_eq!(&read, &notation.parse(&written), "{}", notation.name);
            let read = read.unwrap();
            prop_assert_eq!(read.position(), situation.position());
            prop_assert_eq!(read.situation().unwrap_or(situation), situation);
        }
    }

    #[test]
    fn situations_survive_playstrategy(situation in situations(), number in any::<u32>()) {
        let text = playstrategy::write(&situation, number);
        prop_assert_eq!(playstrategy::parse(&text), Ok(situation));
        prop_assert_eq!(text.parse(), Ok(situation));
        prop_assert_eq!(text.replace(' ', "_").to_lowercase().replace("_s_", "_S_").replace("_n_", "_N_").parse(), Ok(situation));
        let older = in_letters(&situation);
        prop_assert_eq!(older.parse(), Ok(situation), "{}", older);
    }

    #[test]
    fn games_survive_playstrategy((ruleset, mut game) in games(), first in any::<u32>()) {
        game.tags.push(("Variant".into(), ruleset.name().into()));
        if !game.moves.is_empty() {
            game.numbering = MoveNumber { pair: first, second: game.start.to_move() == Side::North };
        }
        let text = ogn::write(&game, ruleset, Dialect::PlayStrategy).unwrap();
        let read = ogn::parse(&text).unwrap();
        prop_assert_eq!((read.start, read.moves, read.numbering), (game.start, game.moves, game.numbering));
    }

    #[test]
    fn houses_and_stores_hold_48_seeds_all_along((ruleset, game) in games()) {
        for ply in game.replay(ruleset).unwrap() {
            let after = ply.after;
            let stores = after.store(Side::South) + after.store(Side::North);
            prop_assert_eq!(stores + after.position().seeds(), 48);
        }
    }

    #[test]
    fn games_survive_aalina((_, game) in games()) {
        let text = aalina::write_game(&game);
        prop_assert_eq!(aalina::parse_game(&text), Ok(game));
    }

    #[test]
    fn games_survive_ogn((ruleset, mut game) in games(), comment in "[^{}]{0,40}", tag in ".{0,20}") {
        let comment = comment.split_whitespace().collect::<Vec<_>>().join(" ");
        let tag = tag.split_whitespace().collect::<Vec<_>>().join(" ");
        game.comments.add(game.moves.len(), &comment);
        game.tags.push(("Annotator".into(), tag));
        survives_ogn(ruleset, &game)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn marks_of_moves_survive_ogn(
        (ruleset, mut game) in games(),
        symbols in prop::collection::vec((0..60usize, any::<u8>()), 0..5),
        variation in "(\\([A-F ;]{0,9}(\\{ ?\\)\\})?\\)){0,2}",
        first in any::<u32>(),
    ) {
        let length = game.moves.len();
        let mut symbols = symbols;
        symbols.retain(|(after, _)| (1..=length).contains(after));
        symbols.sort_unstable();
        game.symbols = symbols;
        game.variations.add(length / 2, &variation.replace(")(", ") ("));
        if length > 0 {
            let second = game.start.to_move() == Side::North;
            game.numbering = MoveNumber { pair: first, second };
        }
        survives_ogn(ruleset, &game)?;
    }
}

/// Reads a written game back.
fn survives_ogn(ruleset: Ruleset, game: &Game) -> Result<(), TestCaseError> {
    let text = ogn::write(game, ruleset, Dialect::Ogn).unwrap();
    prop_assert!(
        text.lines()
            .all(|line| line.starts_with('[') || line.chars().count() < 80)
    );

    let read = ogn::parse(&text).unwrap();
    prop_assert_eq!(read.start, game.start);
    prop_assert_eq!(read.tag("Annotator"), game.tag("Annotator"));
    prop_assert_eq!(read.tag("Variant"), Some(ruleset.name()));
    let plies = game.replay(ruleset).unwrap();
    prop_assert_eq!(read.replay(ruleset), Ok(plies.clone()));
    for ((read, written), ply) in read.moves.iter().zip(&game.moves).zip(&plies) {
        prop_assert_eq!(read.sown, written.sown);
        let noted = Some(ply.play.captured).filter(|&captured| captured > 0);
        prop_assert_eq!(read.captured, noted.map(Capture::Seeds));
    }
    prop_assert_eq!(&read.comments, &game.comments);
    prop_assert_eq!(&read.symbols, &game.symbols);
    prop_assert_eq!(&read.variations, &game.variations);
    prop_assert_eq!(read.numbering, game.numbering);
    // Writing it again gives the same text.
    prop_assert_eq!(ogn::write(&read, ruleset, Dialect::Ogn).unwrap(), text);
    Ok(())
}

/// A position in PlayStrategy's older form, written from its description.
fn in_letters(situation: &Situation) -> String {
    let letter = |&seeds: &u8| match seeds {
        0 => '1',
        1..=26 => char::from(b'A' + seeds - 1),
        _ => char::from(b'a' + seeds - 27),
    };
    let fields: Vec<u8> = {
        let text = situation.to_string();
        let fields = text.split('-').take(14);
        fields.map(|field| field.parse().unwrap()).collect()
    };
    let upper: String = fields[6..12].iter().rev().map(letter).collect();
    let lower: String = fields[..6].iter().map(letter).collect();
    let side = if situation.to_move() == Side::South {
        'S'
    } else {
        'N'
    };
    format!("{upper}/{lower} {} {} {side}", fields[12], fields[13])
}

#[test]
fn examples_of_notations_are_one_position() {
    let situation: Situation = "4-0-0-1-3-1-2-1-2-0-0-6-14-14-S".parse().unwrap();
    for notation in &NOTATIONS {
        let read: PositionText = notation.example.parse().unwrap();
        assert_eq!(Ok(read), notation.parse(notation.example));
        assert_eq!(read.position(), situation.position(), "{}", notation.name);
        assert!(read.situation().is_none_or(|read| read == situation));
        let written = notation.write(&read);
        assert!(notation.name == "board" || written.trim_end() == notation.example);
        assert_eq!(notation.is_one_line(), written.lines().count() == 1);
    }
}

#[test]
fn aalinas_stores_are_souths_first_whoever_moves() {
    let north: Situation = "1-2-3-4-5-6-6-5-4-3-2-1-4-2-N".parse().unwrap();
    assert_eq!(north.store(Side::South), 4);
    assert_eq!(north.store(Side::North), 2);
}

/// `texts.txt` says what texts are read as, or why they cannot be read.
#[test]
fn texts_are_read_as_they_should() {
    let lines = include_str!("texts.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let (text, expected) = line.split_once(" => ").unwrap();
        let (kind, text) = text.split_once(' ').unwrap();
        let text = &text.replace("\\n", "\n").replace("\\t", "\t");
        let found = match kind {
            "situation" => {
                let read: Situation = text.parse().unwrap();
                assert_eq!(text.parse(), Ok(read.position()), "{line}");
                read.to_string()
            }
            "position" | "impossible" => {
                let error = text.parse::<PositionText>().unwrap_err();
                assert_eq!(error.impossible, kind == "impossible", "{line}");
                assert_eq!(text.parse::<Position>(), Err(error.clone()), "{line}");
                error.to_string()
            }
            "seen" => text.parse::<Situation>().unwrap().position().to_string(),
            "north" => board::write(&text.parse().unwrap(), Side::North).replace('\n', "\\n"),
            "aalina" => aalina::write_game(&aalina::parse_game(text).unwrap()),
            "moves" => moves::parse_all(text).unwrap_err().to_string(),
            "game" => aalina::parse_game(text).unwrap_err().to_string(),
            "games" => notation::games(text)
                .map(Result::unwrap)
                .count()
                .to_string(),
            "rules" => {
                let rules = ogn::parse(text).unwrap().ruleset().unwrap();
                rules.map_or("none", Ruleset::name).into()
            }
            "written" => {
                let game = ogn::parse(text).unwrap();
                let rules = game.ruleset().unwrap().unwrap_or_default();
                game.replay(rules).unwrap();
                let written = ogn::write(&game, rules, Dialect::Ogn).unwrap();
                let again = ogn::parse(&written).unwrap();
                assert_eq!(again.comments, game.comments);
                assert_eq!(again.variations, game.variations);
                written.replace('\n', "\\n")
            }
            "replay" => {
                let game: Game = text.parse().unwrap();
                let rules = game.ruleset().unwrap().unwrap_or_default();
                let error = game.replay(rules).unwrap_err();
                let accepted = game.plies(rules).take_while(Result::is_ok).count();
                assert_eq!(accepted, error.number - 1, "{line}");
                error.to_string()
            }
            _ => ogn::parse(text).unwrap_err().to_string(),
        };
        assert_eq!(found, expected, "{line}");
    }
}

#[test]
fn errors_repeat_neither_long_texts_nor_control_characters() {
    let long = error(&"x".repeat(1000));
    assert!(
        long.ends_with(&format!("found `{}…`", "x".repeat(20))),
        "{long}"
    );
    assert!(error("\u{1b}[31m").ends_with(r"found `\u{1b}[31m`"));
}

#[test]
fn what_a_terminal_would_obey_or_hide_is_escaped() {
    // Control characters, the separators of lines and paragraphs, and category Cf of Unicode 16.
    let hidden = "0-1f 7f-9f ad 600-605 61c 6dd 70f 890-891 8e2 180e 200b-200f 2028-202e 2060-2064 2066-206f \
        feff fff9-fffb 110bd 110cd 13430-1343f 1bca0-1bca3 1d173-1d17a e0001 e0020-e007f";
    for range in hidden.split(' ') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let [first, last] = [first, last].map(|text| u32::from_str_radix(text, 16).unwrap());
        for c in first..=last {
            let c = char::from_u32(c).unwrap();
            assert!(is_hidden(c), "{c:?}");
            assert_eq!(visible(&c.to_string()), c.escape_debug().to_string());
        }
    }
    for shown in ["O'Neill \"\\\"", "Ọ̀wẹ̀", "עברית", "हिन्दी", "日本", "🎲"]
    {
        assert_eq!(visible(shown), shown);
    }
}

#[test]
fn moves_are_letters() {
    let houses = moves::parse_all("FfBeBc").unwrap();
    let [south, north] = [(Side::South, House::F), (Side::North, House::E)]
        .map(|(side, house)| PlayerHouse { side, house });
    assert_eq!((houses[0], houses[3]), (south, north));
    assert_eq!(moves::write_all(&houses), "FfBeBc");
    assert_eq!(moves::parse_all(" ").unwrap(), []);
    // The longest file of a game takes little memory.
    assert!(size_of::<PlayedMove>() <= 4);
    assert!("FF".parse::<PlayerHouse>().is_err());
    assert!("".parse::<PlayerHouse>().is_err());
}

#[test]
fn a_text_has_at_least_one_game() {
    for blank in ["", " \n", "\u{feff}\n"] {
        let error = notation::games(blank)
            .find_map(Result::err)
            .unwrap()
            .to_string();
        let expected = "expected a game, found the end of the text";
        assert!(error.ends_with(expected), "{error}");
        assert!(blank.parse::<Game>().is_err());
        assert_eq!(ogn::games(blank).count(), 0);
    }
    let of_six = "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N";
    let text = format!("{of_six} aF\n{of_six} a7");
    let error = notation::games(&text).find_map(Result::err).unwrap();
    assert_eq!(error.line_and_column(&text), (2, 34));
}

#[test]
fn ogn_leaves_out_tags_that_could_not_be_read_again() {
    let game = Game {
        tags: vec![("!!".into(), "x".into()), ("F-EN".into(), "x".into())],
        ..Game::default()
    };
    let text = ogn::write(&game, Ruleset::Abapa, Dialect::Ogn).unwrap();
    assert_eq!(text.lines().count(), 8, "{text}");
    assert!(ogn::parse(&text).is_ok());
}

#[test]
fn slam_ends_gives_the_rest_to_the_other_store() {
    let start: Situation = "1-1-0-2-4-0-1-1-1-0-0-0-19-18-S".parse().unwrap();
    let (_, end) = start.play(Ruleset::SlamEnds, House::E).unwrap();
    assert_eq!(end.to_string(), "0-0-0-0-0-0-0-0-0-0-0-0-25-23-N");
}

#[test]
fn moves_are_written_as_playstrategy_does() {
    // A grand slam, which captures nothing.
    let before = playstrategy::parse("3,2S,1S,2S/1S,3,2S,3S 20 17 S 50").unwrap();
    assert_eq!(playstrategy::write_move(&before, House::F), "f1d2");
    let (_, after) = before.play(Ruleset::Abapa, House::F).unwrap();
    let expected = "3,3S,2S,3S/1S,3,2S,1 20 17 N 50";
    assert_eq!(playstrategy::write(&after, 50), expected);
}

#[test]
fn records_of_playstrategy_are_read() {
    let tags = "[P1 \"Ama\"]\n[P2 \"Kofi\"]\n[Variant \"Oware\"]\n[Result \"1-0\"]\n\n";
    // With numbers, as on the site, or without them, as in its database; letters are moves, too.
    for moves in ["1. c1f2 f2a2 2. f1b2", "c1f2 f2a2 f1b2", "1. C a 2. F"] {
        let game = ogn::parse(&format!("{tags}{moves} 1-0")).unwrap();
        assert_eq!(aalina::write_game(&game), "CaF");
        assert_eq!(game.ruleset(), Ok(Some(Ruleset::Abapa)));
        let players = [Side::South, Side::North].map(|side| game.player(side));
        assert_eq!(players, [Some("Ama"), Some("Kofi")]);
        let written = ogn::write(&game, Ruleset::Abapa, Dialect::PlayStrategy).unwrap();
        assert!(
            written.ends_with("\n\n1. c1f2 f2a2 2. f1b2 1-0\n"),
            "{written}"
        );
    }
}
