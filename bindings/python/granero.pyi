"""Exact endgame tables for Oware, Awari, Wari, Awalé, the West African sowing game.

The package queries, builds and reads the tables of granero. Its README has a tour; docs/internals/architecture.md in the
repository explains the terms. Names with an underscore are for this file alone.
"""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Final, Literal, Optional, TypeVar, Union, final, overload

import numpy as np
import numpy.typing as npt

_PositionLike = Union[Position, Situation, str, Sequence[int]]
"""A position as an argument: a Position, a Situation, text in any notation, or twelve numbers of seeds,
the player to move first."""

_SituationLike = Union[Situation, str]
"""A situation as an argument: a Situation or its text."""

_Condition = Union[int, tuple[Optional[int], Optional[int]], None]
"""A condition: a number, or a pair of the least and the most, where None is no limit."""

_Default = TypeVar("_Default")
"""The caller's own answer where tables have none."""

_RulesetLike = Union[Ruleset, str]
"""A ruleset as an argument: a Ruleset or its name."""

_Cycles = Literal["split", "own-side"]
"""The value of endless play: nothing to either player, or to each the seeds on their own side."""

_Houses = npt.NDArray[np.uint8]
"""Positions: an array of shape (N, 12)."""

_ManyPositions = npt.NDArray[np.integer]
"""Positions as an argument: an array of integers of shape (N, 12)."""

_Values = npt.NDArray[np.int8]
"""Values or bounds of positions."""

_Range = tuple[int, int]
"""The least and the most that the player to move gets. Both are the value if it is known."""

UNKNOWN: Final[int]
"""Marks values in arrays that the tables do not have exactly: -128."""

__version__: Final[str]
"""The version of the package."""

class TableError(Exception):
    """Tables cannot be read or written, or do not hold the requested values."""

class BeyondTables(TableError, LookupError):
    """The tables do not have the position or the layer."""

class NoTables(TableError, FileNotFoundError):
    """There is no such directory, or it holds no tables."""

class TableFileError(TableError, OSError):
    """The operating system cannot read or write a file."""

class BuildError(Exception):
    """A build needs more than it may use."""

class NotationError(ValueError):
    """A text is not a position, a situation or a game; the message says where and why."""

class IllegalMove(ValueError):
    """The rules do not allow the move; the message says why."""

@final
class Position:
    """The seeds in the twelve houses, seen from the player to move: that player's houses A to F, then
    the opponent's.

    A position is made from text in any notation, or from twelve numbers.

    >>> Position("0 1 0 2 0 1 / 0 2 0 1 1 0").seeds
    8
    """

    def __new__(cls, position: _PositionLike) -> Position: ...
    @staticmethod
    def start() -> Position:
        """The position in which every game starts."""
    houses: Final[tuple[int, ...]]
    """The seeds in the twelve houses."""
    seeds: Final[int]
    """The seeds on the board."""
    def turned(self) -> Position:
        """The board seen from the other side."""
    def board(self) -> str:
        """The board as two rows of text, the player's to move below."""
    def __lt__(self, other: Position, /) -> bool: ...
    def __le__(self, other: Position, /) -> bool: ...
    def __gt__(self, other: Position, /) -> bool: ...
    def __ge__(self, other: Position, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Situation:
    """A position with the seeds that each side has captured, and the side to move.

    Text without these has South to move, and the captured seeds shared equally.
    """

    def __new__(cls, text: _SituationLike) -> Situation: ...
    @staticmethod
    def start(game: int = 48) -> Situation:
        """The start of a game of 12, 24, 36 or 48 seeds, South to move."""
    game: Final[int]
    """All seeds of the game, in houses and stores."""
    position: Final[Position]
    """The position, seen from the side to move."""
    to_move: Final[str]
    """The side to move: "South" or "North"."""
    south: Final[int]
    """The seeds that South has captured."""
    north: Final[int]
    """The seeds that North has captured."""
    def play(self, ruleset: _RulesetLike, house: str) -> tuple[Move, Situation]:
        """Plays a house of the side to move: the move, and the situation after it."""

@final
class Ruleset:
    """A set of rules, by its name.

    >>> Ruleset("abapa").summary
    'The international rules: a grand slam is a legal move, but captures nothing.'
    """

    def __new__(cls, name: str = "abapa") -> Ruleset: ...
    @staticmethod
    def all() -> list[Ruleset]:
        """All rulesets, the default first."""
    name: Final[str]
    """The name."""
    summary: Final[str]
    """The ruleset in one plain sentence."""
    def moves(self, position: _PositionLike) -> list[Move]:
        """The legal moves of a position; none if the game is over."""
    def play(self, position: _PositionLike, house: str) -> Move:
        """Plays a house, "A" to "F"."""
    def over(self, position: _PositionLike) -> Optional[GameOver]:
        """The end of the game in a position; None if there are moves."""
    def __hash__(self) -> int: ...

@final
class Move:
    """A legal move and its result."""

    house: Final[str]
    """The house that is sown: "A" to "F"."""
    captured: Final[int]
    """The seeds that the mover captures."""
    conceded: Final[int]
    """The seeds that the opponent gets at once."""
    ends_game: Final[bool]
    """True if the move itself ends the game."""
    position: Final[Position]
    """The position after the move, seen from the opponent."""

@final
class GameOver:
    """The end of the game: its reason, and the value of the position."""

    name: Final[str]
    """The reason as a name: "no-seeds", "cannot-feed" or "only-grand-slams"."""
    reason: Final[str]
    """The reason as a clause for people."""
    value: Final[int]
    """The value of the position to the player whose turn it would be."""

@final
class Assessment:
    """The value of a position and each of its moves."""

    position: Final[Position]
    """The position."""
    value: Final[Optional[int]]
    """The value of the position, if the tables have it exactly."""
    range: Final[Optional[_Range]]
    """The least and the most that the position is worth; None beyond the tables."""
    moves: Final[list[AssessedMove]]
    """The legal moves, the best first."""
    best: Final[list[AssessedMove]]
    """The best moves."""
    over: Final[Optional[GameOver]]
    """The end of the game; None if there are moves."""

@final
class AssessedMove:
    """A legal move and its value to the player who makes it."""

    play: Final[Move]
    """The move."""
    house: Final[str]
    """The house that is sown: "A" to "F"."""
    value: Final[Optional[int]]
    """The value of the move, if the tables have it exactly."""
    range: Final[Optional[_Range]]
    """The least and the most that the move is worth; None beyond the tables."""
    best: Final[bool]
    """True for a best move."""

@final
class Line:
    """A best line of play, to the end of the game or into a cycle."""

    measure: Final[str]
    """The number that the line realises: "value", "low" or "high"."""
    value: Final[int]
    """That value or bound."""
    moves: Final[list[Move]]
    """The moves."""
    end: Final[str]
    """The end of the line: "over", "grand-slam", "cycle", or "unexplored" if the search reached its
    limit."""
    over: Final[Optional[GameOver]]
    """The end of the game at the end of the line; None if the game goes on."""
    cycle_from: Final[Optional[int]]
    """If the line ends in a cycle: the number of moves before the position to which the last move
    leads back."""
    def game(self, start: _SituationLike) -> str:
        """The line as a game in Aalina's notation, from a situation with its first position."""
    def __len__(self) -> int: ...

@final
class Judgement:
    """The moves of a recorded game, judged with tables."""

    moves: Final[list[JudgedMove]]
    """The judged moves, in the order of the game: those within the tables, and with a search those beyond."""
    beyond: Final[int]
    """The number of moves with too many seeds for the tables."""
    cut_off: Final[int]
    """The number of moves whose value deciding tables have cut off. No summary counts them, either."""
    error: Final[Optional[str]]
    """The reason why the game is judged only up to some move; None if it is judged to its end."""
    def player(self, side: Literal["South", "North"]) -> PlayerSummary:
        """Sums up the judged moves of a player."""
    def document(self) -> dict[str, Any]:
        """The document of `granero judge --json` without its version and estimates, as docs/json.md
        describes it."""

@final
class JudgedMove:
    """A move that was played, compared with the best ones."""

    number: Final[int]
    """The number of the move, counted from 1 for each player's move."""
    side: Final[str]
    """The player who moved: "South" or "North"."""
    house: Final[str]
    """The house that was sown: "A" to "F" for South, "a" to "f" for North."""
    before: Final[Situation]
    """The situation before the move."""
    after: Final[Situation]
    """The situation after the move."""
    assessment: Final[Optional[Assessment]]
    """The value of the position before it, and of each of its moves; None beyond the tables."""
    proven: Final[bool]
    """True if proofs judge the move, because it lies beyond the tables."""
    range: Final[_Range]
    """The least and the most that the position was worth to the player who moved."""
    played: Final[_Range]
    """The least and the most that the move was worth to that player."""
    given_away: Final[float]
    """The guaranteed seeds that the move gave away; beyond the tables, at least."""
    given_away_at_most: Final[float]
    """The most seeds that it may have given away."""
    given_up: Final[Optional[float]]
    """The attainable seeds that the move gave up, if it gave nothing away; None if it is not proven."""
    best: Final[bool]
    """True if the move was certainly one of the best."""
    best_known: Final[list[str]]
    """The houses of the moves that are certainly best; if none is, of the best known ones."""
    category: Final[Optional[Literal["best", "harmless", "gave-away", "changed-winner"]]]
    """How the move changed the result of the game: "best", "harmless", "gave-away" or
    "changed-winner"; None if a proof leaves it open."""

@final
class PlayerSummary:
    """A summary of the judged moves of one player."""

    judged: Final[int]
    """The number of moves that are certainly best, or certainly not."""
    best: Final[int]
    """The number of these that were best."""
    given_away: Final[float]
    """The guaranteed seeds that they certainly gave away in total."""
    given_away_at_most: Final[float]
    """The most that they may have given away."""
    given_up: Final[float]
    """The attainable seeds that they certainly gave up in total."""
    changed_winner: Final[int]
    """The number of moves that certainly changed who wins."""
    gave_away: Final[int]
    """The number of moves that certainly gave seeds away, and did not change who wins."""
    harmless: Final[int]
    """The number of moves that lost seeds in a decided game."""
    worst: Final[Optional[JudgedMove]]
    """The move that certainly gave away most; None if no move certainly was wrong."""

@final
class Tables:
    """Open tables, to look positions up. Threads can share them, and so can children of `fork`.

    `with` closes them at its end. Pickling opens them again: by their directory, with the same options.

    >>> Tables.sample().value("0 1 0 2 0 1 / 0 2 0 1 1 0")
    2
    """

    @staticmethod
    def open(
        directory: Union[str, PathLike[str]],
        *,
        cycles: Optional[_Cycles] = None,
        read: bool = False,
        cache_bytes: Optional[int] = None,
        in_memory: Optional[int] = None,
    ) -> Tables:
        """Opens a directory of tables.

        cycles: the convention for endless play, if the directory has tables of both (default:
            "split" if there are such tables).
        read: read the files instead of mapping them into memory. If a part of a mapped file cannot
            be read, because a disk fails or another program truncates the file, the operating
            system ends the program; with `read` there is an exception.
        cache_bytes: the memory for decoded blocks (default: 64 MiB).
        in_memory: decode the layers up to this number of seeds, and keep them in memory.
        """
    @staticmethod
    def sample(cycles: _Cycles = "split") -> Tables:
        """The sample tables inside this package: "abapa", up to 8 seeds."""
    directory: Final[Optional[PathLike[str]]]
    """The directory of the files; None for the sample."""
    ruleset: Final[Ruleset]
    """The rules."""
    cycles: Final[str]
    """The convention for endless play: "split" or "own-side"."""
    extent: Final[str]
    """The extent of the values: "full" or "deciding"."""
    decides: Final[Optional[int]]
    """The seeds of the game that deciding tables decide; None in full."""
    max_seeds: Final[Optional[int]]
    """The most seeds that a position in the tables has; None if they have no layers."""
    @overload
    def value(self, position: _PositionLike) -> Optional[int]: ...
    @overload
    def value(self, position: _PositionLike, default: _Default) -> Union[int, _Default]:
        """The value of a position to the player to move, or `default` if the tables do not have it
        exactly: the position is beyond them, its bounds differ, or deciding tables have cut it
        off."""
    def __getitem__(self, position: _PositionLike, /) -> int:
        """The value of a position to the player to move. BeyondTables, a LookupError, where `value`
        gives None."""
    def final_score(self, situation: _SituationLike) -> Optional[tuple[float, float]]:
        """The seeds that South and North end up with from a situation, by best play. None where
        `value` gives None."""
    def range(self, position: _PositionLike) -> Optional[_Range]:
        """The least and the most that the player to move gets, as far as the tables hold it. None
        beyond the tables."""
    def assess(self, position: _PositionLike) -> Assessment:
        """The value of a position and each of its moves."""
    def openspiel(self, state: object) -> dict[int, tuple[Optional[int], Optional[float]]]:
        """What the actions of an OpenSpiel state of Oware are worth: for each legal action its value and its
        regret.

        The state is given itself, or as its text. The value is the one of `AssessedMove`; the regret are the
        seeds that the action gives away, which with bounds counts the low ones. Both are None if the tables
        do not have them. A state at the end of the game has no actions. BeyondTables if the state has more
        seeds than the tables."""
    def values(self, positions: _ManyPositions) -> _Values:
        """The values of many positions: an array of type int8, with `UNKNOWN` where `value` gives
        None.

        This is much faster than asking for one after the other: it uses all processors, and looks
        up positions of the same block together.
        """
    def ranges(self, positions: _ManyPositions) -> tuple[_Values, _Values]:
        """The least and the most that many positions are worth: two arrays of type int8, with
        `UNKNOWN` in both where `range` gives None."""
    def layer(self, seeds: int) -> _Values:
        """The values of all positions of a layer, in the order of their numbers: an array of type
        int8, with `UNKNOWN` where deciding tables have cut a value off. TableError if the tables
        hold bounds.

        This decodes all smaller layers, too.
        """
    def layer_bounds(self, seeds: int) -> tuple[_Values, _Values]:
        """The least and the most that all positions of a layer are worth, two arrays of type int8: the
        low and the high bounds, as far as deciding tables hold them. Full tables with one value for
        each position give the same array twice."""
    def line(
        self, position: _PositionLike, bound: Literal["low", "high"] = "low"
    ) -> Optional[Line]:
        """The best line from a position; None if the position is beyond the tables, or if deciding
        tables have cut off its value.

        If positions have bounds, `bound` selects the one that the line realises: "low" or "high".
        """
    def find(
        self,
        seeds: int,
        *,
        value: _Condition = None,
        low: _Condition = None,
        high: _Condition = None,
        gap: _Condition = None,
        moves: _Condition = None,
        best_moves: _Condition = None,
        stake: _Condition = None,
        only_winning: bool = False,
        zugzwang: bool = False,
        difficulty: _Condition = None,
        best: Optional[Literal["sacrifice", "grand-slam"]] = None,
    ) -> npt.NDArray[np.uint64]:
        """Finds the positions of a layer that certainly satisfy all given conditions, as `granero
        find` does: the numbers of the positions, for `unrank`.

        A condition is a number, or a pair of the least and the most, where None is no limit.

        value: the value; with bounds, both of them.
        low, high: the low and the high bound.
        gap: the difference of the bounds.
        moves, best_moves: the number of legal and of best moves.
        stake: the seeds that one wrong move can lose.
        only_winning: several moves are legal, and only one wins.
        zugzwang: the player to move loses, but would not if it were the opponent's turn.
        difficulty: the depth from which a plain search finds a best move, see docs/engines.md.
        best: every best move is a "sacrifice" or a "grand-slam".

        Conditions on moves look each move up: this is fastest in tables that were opened with
        `in_memory`.
        """
    def statistics(self, seeds: int) -> dict[str, Any]:
        """The statistics of a layer: the object for it in the document of `granero stats --json`,
        which docs/json.md describes. This reads the layer."""
    def judge(
        self,
        game: _SituationLike,
        *,
        seconds: Optional[float] = None,
        positions: Optional[int] = None,
        watch: Optional[Callable[[], object]] = None,
    ) -> Judgement:
        """Judges a game, as text in OGN or in Aalina's notation, by the rules of the tables.

        Beyond them, it searches for a proof of each position for some seconds, or of so many
        positions, if that is asked for. With `positions` alone it judges as `granero judge
        --prove-positions` does.

        watch: called about ten times a second during the search; an exception that it raises ends
            it. Ctrl-C ends it, too. Other threads go on.
        """
    def prove(
        self,
        position: _PositionLike,
        *,
        seconds: Optional[float] = None,
        positions: Optional[int] = None,
        watch: Optional[Callable[[], object]] = None,
    ) -> Proof:
        """Searches from a position into the tables, and proves the least and the most that the player
        to move gets, within some seconds (default: 1) or so many positions.

        With `positions` alone it proves the same on every machine.

        watch: called about ten times a second during the search; an exception that it raises ends
            it. Ctrl-C ends it, too. Other threads go on.
        """
    def close(self) -> None:
        """Closes the tables. Look-ups in progress in other threads end first."""
    def __enter__(self) -> Tables: ...
    def __exit__(self, *_exception: object) -> None: ...

@final
class Proof:
    """Proven bounds of a position and of its moves."""

    position: Final[Position]
    """The position."""
    range: Final[_Range]
    """The least and the most that the player to move gets, as far as it is proven."""
    value: Final[Optional[int]]
    """The value of the position, if it is proven."""
    moves: Final[list[ProvenMove]]
    """The legal moves, in the order of their houses."""
    positions: Final[int]
    """The number of positions that were looked at, apart from those in the tables."""
    seconds: Final[float]
    """The seconds that it took."""
    ended: Final[Literal["settled", "positions", "time", "memory"]]
    """The reason why the search ended: "settled", "positions", "time" or "memory"."""

@final
class ProvenMove:
    """A legal move with proven bounds."""

    play: Final[Move]
    """The move."""
    house: Final[str]
    """The house that is sown: "A" to "F"."""
    range: Final[_Range]
    """The least and the most that it is worth to the player who makes it."""
    best: Final[bool]
    """True if it is certainly a best move."""

@final
class Progress:
    """The progress of a build."""

    seeds: Final[int]
    """The seeds of the layer in progress."""
    positions: Final[int]
    """The positions that are done, in finished layers and in the layer in progress."""
    total: Final[int]
    """The positions of all layers."""

def build(
    directory: Union[str, PathLike[str]],
    seeds: int,
    *,
    ruleset: _RulesetLike = "abapa",
    cycles: _Cycles = "split",
    deciding: bool = False,
    game: Optional[int] = None,
    threads: Optional[int] = None,
    memory: Optional[int] = None,
    progress: Optional[Callable[[Progress], object]] = None,
) -> Tables:
    """Builds the tables that are missing in a directory, up to `seeds` seeds, and opens them.

    deciding: build values only as far as they decide the game.
    game: the same for a game of this many seeds, 36 for instance.
    threads: the number of threads (default: one for each processor).
    memory: the most memory to use, in bytes (default: 4 GiB).
    progress: called with a Progress now and then.

    Ctrl-C, or an exception of `progress`, ends the build; finished layers stay, and another build
    goes on from there.
    """

def rank(positions: _ManyPositions) -> npt.NDArray[np.uint64]:
    """The numbers of positions in their layers: an array of shape (N,) and type uint64.

    `positions` is an array of integers of shape (N, 12).
    """

def unrank(seeds: int, numbers: npt.NDArray[np.integer]) -> _Houses:
    """The positions with these numbers in the layer of `seeds` seeds: an array of shape (N, 12) and
    type uint8."""
