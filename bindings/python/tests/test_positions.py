"""Positions, situations, rules and moves."""

import pickle
import re

import pytest

import granero
from granero import Position, Ruleset, Situation

BOARD = "0 1 0 2 0 1 / 0 2 0 1 1 0"
HOUSES = (0, 2, 0, 1, 1, 0, 1, 0, 2, 0, 1, 0)


def test_a_position_is_the_same_in_all_notations():
    position = Position(BOARD)
    for same in [HOUSES, list(HOUSES), "0-2-0-1-1-0-1-0-2-0-1-0-20-20-S", str(position), position]:
        assert Position(same) == position
    assert position.houses == HOUSES
    assert position.seeds == 8
    assert position.turned().houses == HOUSES[6:] + HOUSES[:6]
    assert Position(position.board()) == position
    cells = "".join(part for part in position._repr_html_().replace("<tr>", "/").split("<td>"))
    assert re.sub("<[^>]*>", " ", cells).split() == "/0 1 0 2 0 1 /0 2 0 1 1 0".split()
    assert repr(position) == "Position('0 2 0 1 1 0 1 0 2 0 1 0')"
    assert Position.start().houses == (4,) * 12


def test_positions_are_keys_and_are_ordered():
    one, other = Position([0] * 11 + [1]), Position([1] + [0] * 11)
    assert one < other
    assert {one: 1, other: 2}[Position([1] + [0] * 11)] == 2
    assert one != "0 0 0 0 0 0 0 0 0 0 0 1"


@pytest.mark.parametrize(
    "value", [Position(BOARD), Ruleset("italian"), Situation("0-0-0-0-0-5-1-0-0-0-0-0-20-22-N")]
)
def test_values_go_through_pickle(value):
    assert pickle.loads(pickle.dumps(value)) == value


def test_errors_have_the_texts_of_the_library():
    for error, text, wrong in [
        (granero.NotationError, "at character 7: expected a number of seeds, found `two`", "0 1 0 two"),
        (ValueError, "the houses hold 60 seeds together, but the game has only 48", [5] * 12),
        (TypeError, "a position is a Position, text, or twelve numbers of seeds", [4] * 11),
        (TypeError, "a position is a Position, text, or twelve numbers of seeds", None),
    ]:
        with pytest.raises(error) as raised:
            Position(wrong)
        assert str(raised.value) == text
    assert issubclass(granero.NotationError, ValueError)
    with pytest.raises(ValueError, match="there is no ruleset `chess`; the rulesets are abapa, "):
        Ruleset("chess")


def test_moves():
    ruleset = Ruleset()
    moves = ruleset.moves("6 0 0 2 1 2 / 4 0 0 1 3 1")
    assert [(move.house, move.captured) for move in moves] == [
        ("A", 0),
        ("D", 0),
        ("E", 5),
        ("F", 3),
    ]
    assert moves[2].position == Position("2 0 1 0 0 4 / 0 0 2 0 0 6")
    assert Position(moves[2]) == moves[2].position
    assert ruleset.play("6 0 0 2 1 2 / 4 0 0 1 3 1", "E") == moves[2]
    assert ruleset.play("6 0 0 2 1 2 / 4 0 0 1 3 1", "e") == moves[2]
    with pytest.raises(granero.IllegalMove, match="house B cannot be played: it is empty"):
        ruleset.play("6 0 0 2 1 2 / 4 0 0 1 3 1", "B")
    with pytest.raises(ValueError, match="a house is a letter, A to F"):
        ruleset.play(BOARD, "G")


def test_the_rulesets():
    rulesets = Ruleset.all()
    assert rulesets[0] == Ruleset("abapa") and len(set(rulesets)) == len(rulesets) > 7
    slam = Ruleset("slam-ends").play("0 0 0 1 1 1 / 1 1 0 2 4 0", "E")
    assert (slam.captured, slam.conceded, slam.ends_game) == (6, 5, True)
    assert "grand slam" in Ruleset("slam-ends").summary


def test_the_end_of_the_game():
    over = Ruleset().over("0 0 0 0 0 0 / 1 1 0 2 1 0")
    assert (over.name, over.value) == ("cannot-feed", 5)
    assert over.reason.startswith("the opponent has no seeds")
    assert Ruleset().moves("0 0 0 0 0 0 / 1 1 0 2 1 0") == []
    assert Ruleset("slam-illegal").over("0 0 0 0 0 2 / 0 0 0 0 0 1").name == "only-grand-slams"
    assert Ruleset().over("0 0 0 0 0 1 / 0 0 0 0 0 0").name == "no-seeds"
    assert Ruleset().over(BOARD) is None


def test_situations():
    situation = Situation("4-0-0-1-3-1-2-1-2-0-0-6-14-14-S")
    move, after = situation.play("abapa", "E")
    assert move.captured == 5
    assert (after.to_move, after.south, after.north) == ("North", 19, 14)
    assert after.position == move.position
    assert Situation.start().position == Position.start()
    assert Position(after) == after.position
    assert Situation(after) == after
    text = re.sub("<[^>]*>", " ", after._repr_html_()).split()
    assert " ".join(text) == "North to move 14 6 0 0 2 0 0 19 4 0 0 1 0 2"
    with pytest.raises(TypeError, match="a situation is a Situation or its text"):
        Situation(7)
    with pytest.raises(granero.NotationError):
        Situation("4-0-0-1-3-1-2-1-2-0-0-6-14-15-S")
