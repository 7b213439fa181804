//! The symbols of a recorded game: `!`, `?` and others, which judge a move.

/// The symbols of a recorded game. Each follows a number of moves, and is a number as in PGN:
/// 1 is `!`, 2 `?`, 3 `!!`, 4 `??`, 5 `!?`, 6 `?!`, and `$14` is 14.
///
/// ```
/// use granero::notation::ogn;
///
/// let game = ogn::parse("1. F! f 2. B?? $14 e")?;
/// assert_eq!(game.symbols.after(1).collect::<Vec<u8>>(), [1]);
/// assert_eq!(game.symbols.after(2).count(), 0);
/// assert_eq!(game.symbols.after(3).collect::<Vec<u8>>(), [4, 14]);
/// # Ok::<(), granero::notation::ParseError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    /// The number of moves before each symbol, and the symbol, in the order of the game.
    all: Vec<(u32, u8)>,
}

impl Symbols {
    /// The symbols after this number of moves.
    pub fn after(&self, moves: usize) -> impl Iterator<Item = u8> {
        let start = self
            .all
            .partition_point(|&(before, _)| (before as usize) < moves);
        let here = self.all[start..].iter();
        here.take_while(move |&&(before, _)| before as usize == moves)
            .map(|&(_, symbol)| symbol)
    }

    /// Adds a symbol after this number of moves.
    ///
    /// # Panics
    ///
    /// If there is a symbol after more moves already (add symbols in the order of the game), or if
    /// there are more than `u32::MAX` moves.
    pub fn add(&mut self, moves: usize, symbol: u8) {
        let moves = u32::try_from(moves).expect("a game that can be played");
        let last = self.all.last().map_or(0, |&(before, _)| before);
        assert!(last <= moves, "symbols are added in the order of the game");
        self.all.push((moves, symbol));
    }
}
