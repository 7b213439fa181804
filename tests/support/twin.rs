//! The move rules of all rulesets of Oware, written a second time and as plainly as possible, to compare the library
//! with. Each step follows the sentence of the rules text that it implements (quoted with `>`). It is slow on purpose,
//! and shares nothing with the library.

/// A legal move and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwinMove {
    /// The house that is emptied, 0 to 5.
    pub house: usize,
    /// The seeds that the mover takes.
    pub captured: u8,
    /// The seeds that the move gives to the opponent: all that a grand slam leaves on the board in `slam-ends`, otherwise 0.
    pub conceded: u8,
    /// The position, seen from the next mover.
    pub after: [u8; 12],
}

/// The turn of the mover: the legal moves, or the end of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TwinTurn {
    /// The legal moves in the order of houses; there is at least one.
    Moves(Vec<TwinMove>),
    /// The seeds on the board that the mover ends up with minus those that the opponent ends up with.
    Over { value: i32 },
}

/// A sowing, before the ruleset decides if it is legal and what it captures.
#[derive(Clone)]
struct Sowing {
    house: usize,
    /// The board right after sowing, before captures, still seen from the mover.
    sown: [u8; 12],
    /// The houses that point 2 of "A move" captures, in capturing order: the one where the last seed fell comes first.
    chain: Vec<usize>,
    /// True if capturing the chain would take all the opponent's seeds.
    slam: bool,
}

/// The turn of the player who sees `p`. Panics if there is no ruleset of that name and the game is not over anyway.
pub fn turn(ruleset: &str, p: [u8; 12]) -> TwinTurn {
    let own = own_seeds(&p);
    let opponents = opponents_seeds(&p);

    // > `n` = seeds on the board (already captured seeds are not part of a position).
    let n = own + opponents;

    // > 5. Starvation: the mover has no seeds → the game is over, the opponent takes all `n`: value `-n`.
    if own == 0 {
        return TwinTurn::Over { value: -n };
    }

    // > 1. Pick a non-empty own house `i`
    let mut sowings: Vec<Sowing> = Vec::new();
    for house in 0..6 {
        if p[house] > 0 {
            sowings.push(sow(&p, house));
        }
    }

    // > 4. Feeding: if the opponent had no seeds before the move, the move must give at least one; other moves are
    // > illegal.
    //
    // "Give" is judged by the sowing: the opponent has at least one seed right after it, before captures. In `awari`
    // its row of the table stands in place of points 4 and 5, see below.
    if ruleset != "awari" && opponents == 0 {
        let mut feeding: Vec<Sowing> = Vec::new();
        for sowing in &sowings {
            if opponents_seeds(&sowing.sown) >= 1 {
                feeding.push(sowing.clone());
            }
        }
        sowings = feeding;

        // > 5. [...] The opponent has no seeds and no move can feed → the game is over, the mover takes all `n`:
        // > value `+n`.
        if sowings.is_empty() {
            return TwinTurn::Over { value: n };
        }
    }

    // > 3. A capture that would take all the opponent's seeds is a grand slam: see the table.
    let mut moves: Vec<TwinMove> = Vec::new();
    match ruleset {
        // > legal, captures nothing
        "abapa" => {
            for sowing in &sowings {
                if sowing.slam {
                    moves.push(finish(sowing, &[]));
                } else {
                    moves.push(finish(sowing, &sowing.chain));
                }
            }
        }

        // > not a legal move; if no legal move remains although both sides have seeds, the game is over and each player
        // > takes the seeds on their own side: value = own − opponent's
        //
        // This is also the value if the opponent has no seeds and every feeding move is a slam.
        "slam-illegal" => {
            for sowing in &sowings {
                if !sowing.slam {
                    moves.push(finish(sowing, &sowing.chain));
                }
            }
            if moves.is_empty() {
                return TwinTurn::Over {
                    value: own - opponents,
                };
            }
        }

        // > legal; the slam's seeds are captured and all other seeds on the board go to the opponent; the game is over:
        // > value = captured − (n − captured)
        "slam-ends" => {
            for sowing in &sowings {
                let mut played = finish(sowing, &sowing.chain);
                if sowing.slam {
                    let others = n - i32::from(played.captured);
                    played.conceded =
                        u8::try_from(others).expect("no more than 255 seeds on the board");
                    played.after = [0; 12];
                }
                moves.push(played);
            }
        }

        // > the chain is captured except for its last house in capturing order (the one furthest back from where the
        // > last seed fell)
        // >
        // > With a one-house chain, `slam-leaves-last` and `slam-leaves-first` capture nothing.
        "slam-leaves-last" => {
            for sowing in &sowings {
                if sowing.slam {
                    let last = sowing.chain.len() - 1;
                    moves.push(finish(sowing, &sowing.chain[..last]));
                } else {
                    moves.push(finish(sowing, &sowing.chain));
                }
            }
        }

        // > the chain is captured except for its first house in capturing order (where the last seed fell)
        // >
        // > With a one-house chain, `slam-leaves-last` and `slam-leaves-first` capture nothing.
        "slam-leaves-first" => {
            for sowing in &sowings {
                if sowing.slam {
                    moves.push(finish(sowing, &sowing.chain[1..]));
                } else {
                    moves.push(finish(sowing, &sowing.chain));
                }
            }
        }

        // > not legal while another legal move exists; if every legal move is a slam, it is played and captures nothing
        //
        // Moves that do not feed when they must are illegal, and already gone from `sowings`.
        "italian" => {
            for sowing in &sowings {
                if !sowing.slam {
                    moves.push(finish(sowing, &sowing.chain));
                }
            }
            if moves.is_empty() {
                for sowing in &sowings {
                    moves.push(finish(sowing, &[]));
                }
            }
        }

        // > an ordinary capture (the opponent, left without seeds, then loses by starvation)
        "slam-captures" => {
            for sowing in &sowings {
                moves.push(finish(sowing, &sowing.chain));
            }
        }

        // > a move that leaves the opponent without seeds, by slam or by not feeding, is illegal unless every move does
        // > so; then they are all legal and captures count (so a mover who can only starve the opponent ends up with
        // > all `n`)
        "awari" => {
            for sowing in &sowings {
                let played = finish(sowing, &sowing.chain);
                // The next mover is the opponent.
                if own_seeds(&played.after) > 0 {
                    moves.push(played);
                }
            }
            if moves.is_empty() {
                for sowing in &sowings {
                    moves.push(finish(sowing, &sowing.chain));
                }
            }
        }

        _ => panic!("no ruleset is called {ruleset:?}"),
    }
    TwinTurn::Moves(moves)
}

/// The seeds in the mover's houses.
fn own_seeds(p: &[u8; 12]) -> i32 {
    // > `p[0..6]` are the mover's houses in sowing order, `p[6..12]` the opponent's.
    let mut seeds = 0;
    for &in_house in &p[0..6] {
        seeds += i32::from(in_house);
    }
    seeds
}

/// The seeds in the opponent's houses.
fn opponents_seeds(p: &[u8; 12]) -> i32 {
    let mut seeds = 0;
    for &in_house in &p[6..12] {
        seeds += i32::from(in_house);
    }
    seeds
}

/// Sows the mover's house `house`, which is not empty, and finds the chain to capture.
fn sow(p: &[u8; 12], house: usize) -> Sowing {
    // > 1. Pick a non-empty own house `i`, empty it, sow its seeds one by one into the following houses, skipping house
    // > `i` on every lap (so 12 seeds or more, a granary, still leave it empty).
    let mut sown = *p;
    let mut in_hand = sown[house];
    sown[house] = 0;
    let mut here = house;
    while in_hand > 0 {
        here = (here + 1) % 12;
        if here != house {
            sown[here] += 1;
            in_hand -= 1;
        }
    }

    // > 2. If the last seed falls into an opponent's house and makes it 2 or 3, that house is captured, and so are the
    // > houses directly before it, as long as they are the opponent's and hold 2 or 3. The chain stops at the first
    // > house that does not qualify, or at the border to the mover's own houses.
    let mut chain: Vec<usize> = Vec::new();
    while here >= 6 && (sown[here] == 2 || sown[here] == 3) {
        chain.push(here);
        here -= 1;
    }

    // > 3. A capture that would take all the opponent's seeds is a grand slam
    let mut in_chain = 0;
    for &captured_house in &chain {
        in_chain += i32::from(sown[captured_house]);
    }
    let slam = !chain.is_empty() && in_chain == opponents_seeds(&sown);

    Sowing {
        house,
        sown,
        chain,
        slam,
    }
}

/// The move that captures exactly `captured_houses` after the sowing, and concedes nothing.
fn finish(sowing: &Sowing, captured_houses: &[usize]) -> TwinMove {
    let mut board = sowing.sown;
    let mut captured = 0;
    for &house in captured_houses {
        captured += board[house];
        board[house] = 0;
    }

    // > A position is always seen from the player to move [...] Turning the board by 180° turns North-to-move into
    // > South-to-move
    let mut after = [0; 12];
    for house in 0..12 {
        after[house] = board[(house + 6) % 12];
    }

    TwinMove {
        house: sowing.house,
        captured,
        conceded: 0,
        after,
    }
}
