//! Every example with a position in the documents on which the project is based, with the words around it.
//!
//! The documents are named by their numbers:
//! 000 the Spanish rules of the Oware Society (*Reglas del wari*), 001 Wikipedia's
//! article *Oware*, 002 a Spanish introduction (*El Wari*), 003 the Catalan rules
//! (*Regles del Owaré*), 004 the rules of the Associazione Italiana Oware.

use granero::rules::EndReason;
use granero::{House, Position, Ruleset, Turn};

fn position(board: &str) -> Position {
    board.parse().unwrap()
}

/// Plays one of South's houses and returns the board after it, seen from South, and the captured seeds.
fn south_plays(ruleset: Ruleset, board: &str, house: House) -> (Position, u8) {
    let play = ruleset.play(&position(board), house).unwrap();
    (play.position.turned(), play.captured)
}

/// Checks a move that all rulesets have in common.
fn all_agree(board: &str, house: House, after: &str, captured: u8) {
    for ruleset in Ruleset::ALL {
        let played = south_plays(ruleset, board, house);
        assert_eq!(played, (position(after), captured), "{ruleset}");
    }
}

fn houses_of(ruleset: Ruleset, board: &str) -> Vec<House> {
    let moves = ruleset.moves(&position(board));
    moves.iter().map(|play| play.house).collect()
}

// 000: «Se ponen cuatro semillas en cada uno de los doce agujeros.»
// 001: "The game begins with four seeds in each of the twelve smaller houses."
// 002: «La partida se inicia con las 48 semillas repartidas en los 12 agujeros
//      (4 en cada uno).»
// 003: «Es posen quatre llavors en cadascun dels dotze forats.»
// 004: «Si collocano 4 semi in ciascuna casa.»
#[test]
fn the_start() {
    let start = position("4 4 4 4 4 4 / 4 4 4 4 4 4");
    assert_eq!(start, Position::START);
    for ruleset in Ruleset::ALL {
        assert_eq!(ruleset.moves(&start).len(), 6);
    }
}

// 000: «Por turnos, cada jugador toma todas las semillas de una casa de su campo y
//      las reparte (siembra) de una en una en sentido contrario a las agujas del
//      reloj por las casas siguientes, sin saltarse ninguna.»
// 003 prints only the board after the move, twice.
// 004: «Nella posizione iniziale: Sud gioca la casa E»
#[test]
fn sowing_house_e_from_the_start() {
    #[rustfmt::skip]
    all_agree("4 4 4 4 4 4 / 4 4 4 4 4 4", House::E, "4 4 4 5 5 5 / 4 4 4 4 0 5", 0);
}

// 000: «En el caso de que en la casa de origen hubiera 12 o más (granero), al dar
//      la vuelta completa al tablero, el hoyo inicial se debe saltar y dejar vacío.»
// 003: «En el cas que a la casella d'origen hi hagués 12 o més (graner), en donar la
//      volta completa al tauler, el clot inicial s'ha de saltar i deixar buit.»
#[test]
fn a_granary_skips_its_own_house() {
    #[rustfmt::skip]
    all_agree("0 0 0 8 2 0 / 6 1 7 0 14 8", House::E, "1 1 1 9 4 2 / 7 2 8 1 0 10", 0);
}

// 001: "the starting house is left empty; if it contained 12 seeds, it is skipped,
//      and the twelfth seed is placed in the next house."
#[test]
fn the_twelfth_seed_goes_to_the_next_house() {
    #[rustfmt::skip]
    all_agree("0 0 0 0 0 0 / 0 0 12 0 0 0", House::C, "1 1 1 1 1 1 / 1 1 0 2 1 1", 0);
}

// 000: «En caso que hubiera suficientes semillas para dar dos o más vueltas al
//      tablero, en cada vuelta se salta el agujero inicial.»
// 004: «Può persino capitare, anche se raramente, che un giocatore effettui più di
//      due giri, se i semi che sta posando sono più di 22; in tal caso salta
//      nuovamente la casa di partenza.»
#[test]
fn more_than_two_laps_skip_the_house_each_time() {
    #[rustfmt::skip]
    all_agree("0 0 0 0 0 0 / 23 0 0 0 0 0", House::A, "2 2 2 2 2 2 / 0 3 2 2 2 2", 0);
}

// 000: «Cuando la última semilla de una siembra acaba en una casa del campo contrario
//      y con la puesta hay dos o tres semillas, el jugador que mueve captura las
//      semillas que hay en este agujero, y también en los agujeros anteriores
//      consecutivos del campo contrario en los que haya dos o tres semillas.»
// 003: «Quan l'última llavor d'una sembra acaba en un camp contrari i amb la posada
//      hi ha dues o tres llavors, el jugador que mou captura les llavors …»
#[test]
fn a_chain_of_two_houses_is_captured() {
    // The documents show the board between sowing and capturing, too.
    let sown = granero::rules::sowing::sow(&position("6 0 0 2 1 2 / 4 0 0 1 3 1"), House::E);
    let between = position("6 0 0 2 2 3 / 4 0 0 1 0 2");
    assert_eq!(sown.houses(), between.houses());
    #[rustfmt::skip]
    all_agree("6 0 0 2 1 2 / 4 0 0 1 3 1", House::E, "6 0 0 2 0 0 / 4 0 0 1 0 2", 5);
}

// 001: "In the diagram to the right, the lower player would capture all the seeds in
//      houses c, d, and e but not a, since it is not contiguous to the other captured
//      houses." The text lacks the diagram; this is a board that fits its words.
#[test]
fn a_gap_ends_the_chain() {
    #[rustfmt::skip]
    all_agree("0 1 2 1 4 1 / 0 0 0 0 6 0", House::E, "0 0 0 0 5 2 / 0 0 0 0 0 1", 7);
}

// 004: «Sud gioca la casa D... e prende 3 semi nella casa avversaria d.»
//      «Sud gioca la casa D... e prende 5 semi nelle case c (2 semi) e d (3 semi).»
//      «Sud gioca la casa D (granaio perchè contiene ben 15 semi)... e prende 5 semi
//      nelle case a (3 semi) e b (2 semi).»
// The boards are pictures, which the text lacks; these are boards that fit its words.
#[test]
fn italian_captures() {
    #[rustfmt::skip]
    all_agree("4 0 2 0 0 1 / 0 0 0 6 0 0", House::D, "4 0 0 1 1 2 / 0 0 0 0 1 1", 3);
    #[rustfmt::skip]
    all_agree("4 0 2 1 0 3 / 0 0 0 6 0 0", House::D, "4 0 0 0 1 4 / 0 0 0 0 1 1", 5);
    #[rustfmt::skip]
    all_agree("3 0 0 5 0 1 / 0 0 0 15 0 0", House::D, "4 1 1 6 0 0 / 1 1 1 0 2 2", 5);
}

// 000: «si un jugador hace una siembra que provocaría una captura de todas las
//      semillas del campo contrario, no captura nada. Nunca se debe dejar al
//      contrincante sin semillas»
// 001: "if a move would capture all an opponent's seeds, the capture is forfeited,
//      and the seeds are instead left on the board"
// 002: «Si tras una siembra, las capturas sucesivas correspondientes provocan que el
//      campo del contrario quede sin ninguna semilla, el movimiento se llevará a cabo
//      pero no se realizará ninguna captura.»
#[test]
fn a_grand_slam_captures_nothing() {
    let played = south_plays(Ruleset::Abapa, "0 0 0 1 1 1 / 1 1 0 2 4 0", House::E);
    assert_eq!(played, (position("0 0 0 2 2 2 / 1 1 0 2 0 1"), 0));
    // 003: «si un jugador fa una sembra que provocaria una captura de totes les llavors
    //      del camp contrari, no captura res. Mai s'ha de deixar al contrincant sense
    //      llavors.» Its board is not the one in 000.
    let played = south_plays(Ruleset::Abapa, "0 0 0 1 1 1 / 1 1 2 0 4 0", House::E);
    assert_eq!(played, (position("0 0 0 2 2 2 / 1 1 2 0 0 1"), 0));
}

// 001: "A grand slam is when you capture all of your opponent's seeds in one turn.
//      There are variations to the rule that applies"
#[test]
fn the_variations_of_the_grand_slam() {
    let board = "0 0 0 1 1 1 / 1 1 0 2 4 0";
    let plays_e = |ruleset| south_plays(ruleset, board, House::E);

    // "1. Grand Slam captures are not legal moves."
    use House::{A, B, D};
    assert_eq!(houses_of(Ruleset::SlamIllegal, board), [A, B, D]);
    // "2. Such a move is legal, but no capture results."
    assert_eq!(plays_e(Ruleset::Abapa).1, 0);
    // "3. Grand Slam captures are allowed, however, all remaining stones on the board
    //  are awarded to the opponent."
    let ends = Ruleset::SlamEnds.play(&position(board), House::E).unwrap();
    assert_eq!((ends.captured, ends.conceded), (6, 5));
    assert_eq!(ends.position, Position::EMPTY);
    // "4. Such a move is legal, but the last (or first) house is not captured."
    assert_eq!(
        plays_e(Ruleset::SlamLeavesLast),
        (position("0 0 0 0 0 2 / 1 1 0 2 0 1"), 4)
    );
    assert_eq!(
        plays_e(Ruleset::SlamLeavesFirst),
        (position("0 0 0 2 0 0 / 1 1 0 2 0 1"), 4)
    );
    // "Various other rules also exist."
    assert_eq!(
        plays_e(Ruleset::SlamCaptures),
        (position("0 0 0 0 0 0 / 1 1 0 2 0 1"), 6)
    );
}

// 004: «Inoltre non si può giocare una mossa che catturi in un sol colpo, per effetto
//      di una presa multipla, tutti i semi del campo avverso. Se un giocatore effettua
//      per errore una mossa del genere, o se - caso raro - non dispone di altre mosse,
//      allora la mossa resta giocata ma non viene effettuata alcuna presa.»
//      «Sud non può giocare F, perchè catturerebbe in un colpo solo tutti i semi di
//      Nord.» (The board is a picture; this is one that fits the words.)
#[test]
fn the_italian_grand_slam() {
    let board = "0 0 0 0 0 1 / 0 0 0 1 0 1";
    assert_eq!(houses_of(Ruleset::Italian, board), [House::D]);
    let rare = "0 0 0 0 0 1 / 0 0 0 0 0 1";
    assert_eq!(
        south_plays(Ruleset::Italian, rare, House::F),
        (position("0 0 0 0 0 2 / 0 0 0 0 0 0"), 0)
    );
}

// 000: «Si un jugador se queda sin semillas en su campo, el otro está obligado a hacer
//      una siembra que deje como mínimo una semilla en el campo contrario»
// 001: "If an opponent's houses are all empty, the current player must make a move that
//      gives the opponent seeds."
// 002: «Si al llegar el turno de un jugador, éste viese que el campo del adversario no
//      tiene ninguna semilla en ninguno de sus agujeros, deberá optar por un movimiento
//      que introduzca alguna semilla en dicho campo.»
// 004: «Sud è costretto a giocare E, poichè questa è l'unica mossa che apporti almeno
//      un seme a Nord, il quale ne è del tutto privo.»
#[test]
fn feeding_is_mandatory() {
    let board = "0 0 0 0 0 0 / 1 1 0 2 4 0";
    for ruleset in Ruleset::ALL {
        assert_eq!(houses_of(ruleset, board), [House::E], "{ruleset}");
    }
    all_agree(board, House::E, "0 0 0 1 1 1 / 1 1 0 2 0 1", 0);
    // 003: «Si un jugador es queda sense llavors en el seu camp, l'altre està obligat a fer
    //      una sembra que deixi com a mínim una llavor en el camp contrari»
    let board = "0 0 0 0 0 0 / 0 1 2 0 4 0";
    for ruleset in Ruleset::ALL {
        assert_eq!(houses_of(ruleset, board), [House::E], "{ruleset}");
    }
    all_agree(board, House::E, "0 0 0 1 1 1 / 0 1 2 0 0 1", 0);
}

/// Checks a position in which the mover has all the seeds and cannot give any to the opponent.
fn ends_by_not_feeding(board: &str, seeds: i8) {
    // `awari` plays on: moves that do not feed are legal there if no move feeds.
    for ruleset in Ruleset::ALL.into_iter().filter(|&r| r != Ruleset::Awari) {
        let Turn::Over(over) = ruleset.turn(&position(board)) else {
            panic!("{ruleset} has a move in {board}");
        };
        assert_eq!(over.reason, EndReason::CannotFeed);
        assert_eq!(over.value.seeds(), seeds);
    }
    for play in &Ruleset::Awari.moves(&position(board)) {
        let Turn::Over(over) = Ruleset::Awari.turn(&play.position) else {
            panic!("awari has an answer to {}", play.house);
        };
        assert_eq!(over.reason, EndReason::NoSeeds);
        assert_eq!(-over.value.seeds(), seeds);
    }
}

// 000: «si un jugador no tiene semillas en su campo, y el otro no puede hacer ninguna
//      siembra tal que le dé semillas, la partida se acaba y el jugador que tiene
//      semillas en su campo las añade a las que haya capturado.»
// 001: "If no such move is possible, the current player captures all seeds in his/her
//      own territory, ending the game."
// 002: «Si esto no fuera posible la partida termina, recogiendo para sí todas las
//      semillas que hubiera en su campo, el jugador que tenía el turno.»
#[test]
fn the_game_ends_when_feeding_is_impossible() {
    ends_by_not_feeding("0 0 0 0 0 0 / 1 1 0 2 1 0", 5);
    // 003: «si un jugador no té llavors en el seu camp, l'altre no pot fer cap sembra tal
    //      que li doni llavors, la partida s'acaba»
    ends_by_not_feeding("0 0 0 0 0 0 / 0 1 2 0 1 0", 4);
}

// 004: «Sud gioca la casa B: un granaio (casa che contiene più di 11 semi)». (The board
// is a picture; this is one that fits the words.)
#[test]
fn the_italian_granary() {
    #[rustfmt::skip]
    all_agree("0 0 0 0 5 0 / 0 12 0 0 0 0", House::B, "1 1 1 1 6 1 / 1 0 2 1 1 1", 0);
}

// 004: «Si ha quando non è più possibile alcuna cattura: Sud e Nord recuperano ciascuno
//      il seme nel proprio campo e la partita termina.» (The end "per indeterminazione".
//      The board is a picture; this is one that fits the words.) Such an end is endless play:
//      it is not a matter of moves, but of the convention for endless play of a table.
#[test]
fn one_seed_each_can_go_on_endlessly() {
    let mut now = position("0 0 0 0 0 1 / 1 0 0 0 0 0");
    for _ in 0..100 {
        let moves = Ruleset::Abapa.moves(&now);
        let quiet = moves.iter().find(|play| play.captured == 0);
        now = quiet.expect("a move that captures nothing").position;
        assert_eq!(now.seeds(), 2);
    }
}

// 004: «qualunque mossa giochi Sud, non potrà dare neanche un seme a nord. La partita
//      termina e Sud incamera i 7 semi restanti.» (The board is a picture; this is one
//      that fits the words.)
#[test]
fn seven_seeds_that_cannot_feed() {
    ends_by_not_feeding("0 0 0 0 0 0 / 3 2 1 1 0 0", 7);
}

// 004: «quando un giocatore non ha più semi nel proprio campo e tocca a lui muovere.
//      In tal caso l'avversario conquista tutti i semi restanti. È la fine detta "per
//      carestia".»
#[test]
fn a_player_without_seeds_loses_the_rest() {
    for ruleset in Ruleset::ALL {
        let Turn::Over(over) = ruleset.turn(&position("0 3 0 0 4 0 / 0 0 0 0 0 0")) else {
            panic!("{ruleset} has a move without seeds");
        };
        assert_eq!(over.reason, EndReason::NoSeeds);
        assert_eq!(over.value.seeds(), -7);
    }
}

// 000: «Cuando una posición en que hay semillas en los dos campos se repite
//      ciclicamente sin que los jugadores puedan o quieran evitarlo, la partida se
//      acaba» — 003 shows the same board.
// Play from this position can be endless: one seed follows the other around the board.
#[test]
fn the_cycle_has_moves_without_end() {
    let mut now = position("0 0 0 0 1 1 / 1 1 0 0 0 0");
    let mut seen = std::collections::HashSet::new();
    while seen.insert(now) {
        let moves = Ruleset::Abapa.moves(&now);
        let quiet = moves.iter().find(|play| play.captured == 0);
        now = quiet.expect("a move that captures nothing").position;
    }
}

// Wikipedia leaves open what happens in `slam-illegal` when every move is a grand slam; this
// project chooses: each player takes the seeds on their own side.
#[test]
fn only_grand_slams_where_they_are_illegal() {
    let Turn::Over(over) = Ruleset::SlamIllegal.turn(&position("0 0 0 0 0 2 / 0 0 0 0 0 1")) else {
        panic!("a grand slam is legal");
    };
    assert_eq!(over.reason, EndReason::OnlyGrandSlams);
    assert_eq!(over.value.seeds(), -1);
}

// The project's rules text: "With a one-house chain, `slam-leaves-last` and
// `slam-leaves-first` capture nothing."
#[test]
fn a_chain_of_one_house_leaves_nothing_to_capture() {
    for ruleset in [Ruleset::SlamLeavesLast, Ruleset::SlamLeavesFirst] {
        let played = south_plays(ruleset, "0 0 0 0 0 1 / 0 0 0 0 0 1", House::F);
        assert_eq!(played, (position("0 0 0 0 0 2 / 0 0 0 0 0 0"), 0));
    }
}

// `awari`, the project's rules text: "a move that leaves the opponent without seeds, by slam
// or by not feeding, is illegal unless every move does so; then they are all legal and
// captures count".
#[test]
fn awari_starves_only_as_a_last_resort() {
    assert_eq!(
        houses_of(Ruleset::Awari, "0 0 0 0 0 1 / 0 0 0 1 0 1"),
        [House::D]
    );
    let board = "0 0 0 0 0 2 / 0 0 0 0 0 1";
    assert_eq!(
        south_plays(Ruleset::Awari, board, House::F),
        (Position::EMPTY, 3)
    );
}

// The Awari score database: the published position with 16 seeds and its six moves.
#[test]
fn the_published_awari_position_has_six_moves() {
    let published = position("1 1 1 1 1 2 4 2 3 0 0 0");
    assert_eq!(published.seeds(), 16);
    assert_eq!(Ruleset::Awari.moves(&published).len(), 6);
}
