//! The rulesets: the few things in which they differ, as data.

/// A set of rules, by its name in this project.
///
/// ```
/// use granero::Ruleset;
///
/// assert_eq!(Ruleset::default(), Ruleset::Abapa);
/// assert_eq!("slam-ends".parse(), Ok(Ruleset::SlamEnds));
/// for ruleset in Ruleset::ALL {
///     println!("{:18}{}", ruleset.name(), ruleset.summary());
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Ruleset {
    /// The international rules: a grand slam is legal but captures nothing.
    #[default]
    Abapa,
    /// A grand slam is not a legal move.
    SlamIllegal,
    /// A grand slam is captured, all other seeds go to the opponent, and the game is over.
    SlamEnds,
    /// A grand slam leaves the last house of its chain, the one furthest back.
    SlamLeavesLast,
    /// A grand slam leaves the first house of its chain, where the last seed fell.
    SlamLeavesFirst,
    /// A grand slam is legal only if there is no other move, and captures nothing.
    Italian,
    /// A grand slam is an ordinary capture.
    SlamCaptures,
    /// The rules under which the game was solved: moves that leave the opponent
    /// without seeds are legal only if all moves do, and then they capture.
    Awari,
}

/// The properties in which rulesets differ; they have all other rules in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variation {
    /// Says when a grand slam is legal.
    pub slam: Permission,
    /// The part of its chain that a grand slam captures.
    pub slam_takes: SlamTakes,
    /// True if a grand slam ends the game; the opponent then gets all other seeds.
    pub slam_ends_game: bool,
    /// Says when a move is legal that gives no seed to an opponent without seeds.
    pub starving: Permission,
}

/// A rule that says when a kind of move is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Like any other move.
    Always,
    /// Only if the position has no move that is always legal.
    LastResort,
    /// Never.
    Never,
}

/// The houses of its chain that a grand slam captures. Capturing goes backwards from the
/// house where the last seed fell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlamTakes {
    /// No house.
    Nothing,
    /// The whole chain.
    Everything,
    /// All but the last house in capturing order, the one furthest back.
    AllButLast,
    /// All but the first house in capturing order, where the last seed fell.
    AllButFirst,
}

impl Ruleset {
    /// All rulesets, the default first.
    pub const ALL: [Ruleset; 8] = [
        Ruleset::Abapa,
        Ruleset::SlamIllegal,
        Ruleset::SlamEnds,
        Ruleset::SlamLeavesLast,
        Ruleset::SlamLeavesFirst,
        Ruleset::Italian,
        Ruleset::SlamCaptures,
        Ruleset::Awari,
    ];

    /// The properties in which this ruleset differs from others.
    pub const fn variation(self) -> &'static Variation {
        &self.entry().variation
    }

    /// The name used on the command line, in files and in JSON.
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// The ruleset in one plain sentence.
    pub const fn summary(self) -> &'static str {
        self.entry().summary
    }

    /// The source of the ruleset.
    pub const fn origin(self) -> &'static str {
        self.entry().origin
    }

    const fn entry(self) -> &'static Entry {
        match self {
            Ruleset::Abapa => &ABAPA,
            Ruleset::SlamIllegal => &SLAM_ILLEGAL,
            Ruleset::SlamEnds => &SLAM_ENDS,
            Ruleset::SlamLeavesLast => &SLAM_LEAVES_LAST,
            Ruleset::SlamLeavesFirst => &SLAM_LEAVES_FIRST,
            Ruleset::Italian => &ITALIAN,
            Ruleset::SlamCaptures => &SLAM_CAPTURES,
            Ruleset::Awari => &AWARI,
        }
    }
}

/// An entry of the table of rulesets.
struct Entry {
    name: &'static str,
    summary: &'static str,
    origin: &'static str,
    variation: Variation,
}

/// The international rules; the other entries say what they change in these.
const ABAPA: Entry = Entry {
    name: "abapa",
    summary: "The international rules: a grand slam is a legal move, but captures nothing.",
    origin: "Oware Society and World Oware Federation; \
             second of the grand slam variations on Wikipedia",
    variation: Variation {
        slam: Permission::Always,
        slam_takes: SlamTakes::Nothing,
        slam_ends_game: false,
        starving: Permission::Never,
    },
};

const SLAM_ILLEGAL: Entry = Entry {
    name: "slam-illegal",
    summary: "A grand slam is not a legal move; if there is no other move, the game is over, \
              and each player takes the seeds on their own side.",
    origin: "first of the grand slam variations on Wikipedia",
    variation: Variation {
        slam: Permission::Never,
        ..ABAPA.variation
    },
};

const SLAM_ENDS: Entry = Entry {
    name: "slam-ends",
    summary: "A grand slam is captured and ends the game: \
              all seeds left on the board go to the opponent.",
    origin: "third of the grand slam variations on Wikipedia",
    variation: Variation {
        slam_takes: SlamTakes::Everything,
        slam_ends_game: true,
        ..ABAPA.variation
    },
};

const SLAM_LEAVES_LAST: Entry = Entry {
    name: "slam-leaves-last",
    summary: "A grand slam captures its chain except for the last house, \
              the one furthest back.",
    origin: "fourth of the grand slam variations on Wikipedia",
    variation: Variation {
        slam_takes: SlamTakes::AllButLast,
        ..ABAPA.variation
    },
};

const SLAM_LEAVES_FIRST: Entry = Entry {
    name: "slam-leaves-first",
    summary: "A grand slam captures its chain except for the first house, \
              where the last seed fell.",
    origin: "fourth of the grand slam variations on Wikipedia",
    variation: Variation {
        slam_takes: SlamTakes::AllButFirst,
        ..ABAPA.variation
    },
};

const ITALIAN: Entry = Entry {
    name: "italian",
    summary: "A grand slam may be played only when there is no other move, \
              and then captures nothing.",
    origin: "Associazione Italiana Oware",
    variation: Variation {
        slam: Permission::LastResort,
        ..ABAPA.variation
    },
};

const SLAM_CAPTURES: Entry = Entry {
    name: "slam-captures",
    summary: "A grand slam is a capture like any other: \
              the opponent, left without seeds, loses the rest by starvation.",
    origin: "among the \"various other rules\" on Wikipedia",
    variation: Variation {
        slam_takes: SlamTakes::Everything,
        ..ABAPA.variation
    },
};

const AWARI: Entry = Entry {
    name: "awari",
    summary: "The rules under which the game was solved: a move that leaves the opponent \
              without seeds is legal only when every move does, and then it captures.",
    origin: "Romein and Bal 2002; the Awari score database, DOI 10.48338/vu01-11wjke",
    variation: Variation {
        slam: Permission::LastResort,
        slam_takes: SlamTakes::Everything,
        slam_ends_game: false,
        starving: Permission::LastResort,
    },
};

crate::named::written_as_its_name!(
    Ruleset,
    UnknownRuleset,
    "there is no ruleset `{}`; the rulesets are {}"
);
