"""The answers of tables: positions, arrays of positions, layers, lines and games."""

import os
import pickle
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import granero
from granero import UNKNOWN, Position, Tables

BOARD = "0 1 0 2 0 1 / 0 2 0 1 1 0"


def test_what_tables_are(tables, bounds, place):
    assert (str(tables.ruleset), tables.cycles, tables.extent) == ("abapa", "split", "full")
    assert (tables.max_seeds, bounds.max_seeds) == (9, 7)
    assert os.fspath(tables.directory) == os.fspath(place)
    sample = Tables.sample()
    assert (sample.directory, sample.max_seeds) == (None, 8)
    assert repr(sample) == "<Tables abapa, split, up to 8 seeds>"
    assert Tables.sample("own-side").cycles == "own-side"


def test_the_ways_to_open_tables_make_no_difference(place, tables):
    for options in [{"read": True}, {"in_memory": 5}, {"cache_bytes": 0}, {"cycles": "split"}]:
        opened = Tables.open(str(place), **options)
        assert opened.value(BOARD) == tables.value(BOARD) == 2


def test_an_assessment(tables):
    assessment = tables.assess(BOARD)
    assert (assessment.value, assessment.range, assessment.over) == (2, (2, 2), None)
    assert [(move.house, move.value, move.best) for move in assessment.moves] == [
        ("E", 2, True),
        ("B", -2, False),
        ("D", -2, False),
    ]
    assert [best.play for best in assessment.best] == [tables.ruleset.play(BOARD, "E")]
    assert tables.assess("0 0 0 0 0 0 / 1 1 0 2 1 0").over.name == "cannot-feed"


def test_beyond_the_tables_there_is_no_answer(tables):
    assert tables.value(Position.start()) is None
    assert tables.range(Position.start()) is None
    assessment = tables.assess(Position.start())
    assert (assessment.value, assessment.range, assessment.best) == (None, None, [])
    assert all(move.value is None and move.range is None for move in assessment.moves)
    assert tables.line(Position.start()) is None
    with pytest.raises(granero.TableError) as raised:
        tables.layer(10)
    assert str(raised.value) == "there is no layer of 10 seeds: the tables reach up to 9 seeds"
    assert isinstance(raised.value, LookupError)
    assert tables.value(Position.start(), default="unknown") == "unknown"
    assert tables[BOARD] == tables.value(BOARD, default="unknown") == 2
    with pytest.raises(LookupError, match="the tables do not have the value of 4 4 4 4"):
        tables[Position.start()]


def test_a_search_proves_what_larger_tables_say(tables):
    sample = Tables.sample()
    positions = granero.unrank(9, np.arange(0, 167960, 5001, dtype=np.uint64))
    for houses, value in zip(positions.tolist(), tables.values(positions)):
        proof = sample.prove(houses, positions=2000)
        assert proof.range[0] <= value <= proof.range[1]
        assert proof.value in (value, None) and proof.position.houses == tuple(houses)
        assessed = {move.house: move for move in tables.assess(houses).moves}
        assert [move.house for move in proof.moves] == sorted(assessed)
        for move in proof.moves:
            assert move.range[0] <= assessed[move.house].value <= move.range[1]
            assert assessed[move.house].best or not move.best
        again = sample.prove(houses, positions=2000)
        assert (again.range, again.positions) == (proof.range, proof.positions)
    proof = sample.prove(Position.start(), seconds=0.05)
    assert (proof.ended, proof.value) == ("time", None) and proof.positions > 0
    for wrong in [-1, float("nan")]:
        with pytest.raises(ValueError):
            sample.prove(Position.start(), seconds=wrong)


def test_ctrl_c_ends_a_search(tables):
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        tables.prove(Position.start(), seconds=600)


def test_other_threads_run_during_a_search_and_can_end_it(tables):
    ended = threading.Event()
    counted, called = [], []

    def count():
        while not ended.wait(0.01):
            counted.append(len(counted))

    def watch():
        called.append(threading.current_thread())
        if len(counted) > 20 and len(called) > 2:
            raise RuntimeError("enough")

    thread = threading.Thread(target=count)
    thread.start()
    try:
        for search in [
            lambda: tables.prove(Position.start(), seconds=600, watch=watch),
            lambda: tables.judge("FfBe", positions=10**12, watch=watch),
        ]:
            called.clear()
            with pytest.raises(RuntimeError, match="enough"):
                search()
            assert set(called) == {threading.current_thread()}
    finally:
        ended.set()
        thread.join()


def test_find(tables, bounds):
    values = tables.layer(9)
    numbers = np.arange(len(values))
    for condition, expected in [
        (3, values == 3),
        ((5, None), values >= 5),
        ((None, -4), values <= -4),
        ((-1, 1), abs(values) <= 1),
    ]:
        found = tables.find(9, value=condition)
        assert (found == numbers[expected]).all() and found.dtype == np.uint64
    few = tables.find(7, only_winning=True, moves=(4, None), best_moves=1, stake=(6, 10))
    assert len(few) > 0
    for houses in granero.unrank(7, few)[:50].tolist():
        moves = tables.assess(houses).moves
        assert len(moves) >= 4 and [move.best for move in moves] == [True] + [False] * (len(moves) - 1)
        assert sum(move.value > 0 for move in moves) == 1
        assert 6 <= moves[0].value - moves[-1].value <= 10
    assert len(tables.find(6, best="grand-slam", zugzwang=True, difficulty=(0, 7))) >= 0
    low, high = bounds.layer_bounds(6)
    assert (bounds.find(6, gap=(3, None)) == np.flatnonzero(high - low >= 3)).all()
    assert (bounds.find(6, low=1, high=2) == np.flatnonzero((low == 1) & (high == 2))).all()
    with pytest.raises(LookupError):
        tables.find(10)
    for wrong in [{"best": "slam"}, {"moves": -1}]:
        with pytest.raises(ValueError):
            tables.find(3, **wrong)
    with pytest.raises(TypeError, match=r"a condition is a number, or a pair: \(3, 7\)"):
        tables.find(3, value="3..7")


def test_statistics(tables, bounds):
    statistics = tables.statistics(9)
    values = tables.layer(9)
    found, counts = np.unique(values, return_counts=True)
    assert statistics["histogram"] == [list(pair) for pair in zip(found.tolist(), counts.tolist())]
    assert (statistics["seeds"], statistics["positions"]) == (9, len(values))
    assert statistics["wins"] == (values > 0).sum() and statistics["mean"] == pytest.approx(values.mean())
    assert tables.value(statistics["lowest"]["position"]) == values.min()
    assert "high" in bounds.statistics(5)
    with pytest.raises(LookupError):
        tables.statistics(10)


def test_final_scores(tables, bounds):
    text = "0-2-0-1-1-0-1-0-2-0-1-0-20-20-S"
    assert tables.final_score(granero.Situation(text)) == tables.final_score(text) == (25, 23)
    assert tables.final_score(granero.Situation("0-2-0-1-1-0-1-0-2-0-1-0-20-20-N")) is not None
    for houses in granero.unrank(7, np.arange(0, 31824, 997, dtype=np.uint64)).tolist():
        for mover, turned in [("S", houses), ("N", houses[6:] + houses[:6])]:
            text = "-".join(map(str, turned + [22, 19, mover]))
            south, north = tables.final_score(granero.Situation(text))
            difference = (south - 22) - (north - 19)
            assert south + north == 48
            assert difference == (tables.value(houses) if mover == "S" else -tables.value(houses))
    assert tables.final_score(granero.Situation.start()) is None
    assert bounds.final_score(granero.Situation("0-0-0-3-0-1-0-0-0-0-0-2-20-22-S")) is None


def test_tables_close(place):
    with Tables.open(place) as opened:
        assert opened.value(BOARD) == 2
    assert repr(opened) == "<Tables, closed>"
    for ask in [lambda: opened.value(BOARD), lambda: opened.max_seeds, lambda: opened.layer(3)]:
        with pytest.raises(ValueError, match="the tables are closed"):
            ask()
    opened.close()


def test_pickled_tables_open_again(place, bounds, tmp_path, monkeypatch):
    for opened in [
        Tables.sample("own-side"),
        Tables.open(place, read=True, cache_bytes=1 << 20, in_memory=4),
        Tables.open(place, cycles="own-side"),
    ]:
        again = pickle.loads(pickle.dumps(opened))
        assert repr(again) == repr(opened)
        assert again.directory == opened.directory
        assert again.range(BOARD) == opened.range(BOARD)
    monkeypatch.chdir(place)
    pickled = pickle.dumps(Tables.open("."))
    monkeypatch.chdir(tmp_path)
    assert pickle.loads(pickled).value(BOARD) == 2


def test_errors_are_those_of_python(tmp_path, place):
    with pytest.raises(FileNotFoundError) as raised:
        Tables.open(tmp_path / "none")
    assert isinstance(raised.value, granero.NoTables) and isinstance(raised.value, granero.TableError)
    (tmp_path / "granero.json").mkdir()
    with pytest.raises(granero.TableFileError) as raised:
        Tables.open(tmp_path)
    assert isinstance(raised.value, OSError) and type(raised.value).__module__ == "granero"


def test_bounds(bounds):
    position = "0-0-0-3-0-1-0-0-0-0-0-2-20-22-S"
    assert bounds.value(position) is None
    assert bounds.range(position) == (2, 6)
    with pytest.raises(granero.TableError, match="the tables hold bounds of positions, not values"):
        bounds.layer(3)
    low, high = bounds.layer_bounds(6)
    number = granero.rank(np.array([Position(position).houses], np.uint8))[0]
    assert (low[number], high[number]) == (2, 6)
    assert bounds.line(position, "low").value == 2
    assert bounds.line(position, "high").value == 6


def test_a_layer_is_an_array_in_the_order_of_the_numbers(tables):
    values = tables.layer(8)
    assert (values.dtype, values.shape) == (np.int8, (75582,))
    numbers = np.arange(len(values), dtype=np.uint64)
    positions = granero.unrank(8, numbers)
    assert (granero.unrank(8, numbers.astype(np.int32)) == positions).all()
    assert (positions.sum(axis=1) == 8).all()
    assert (granero.rank(positions) == numbers).all()
    assert (tables.values(positions) == values).all()
    low, high = tables.layer_bounds(8)
    assert (low == values).all() and (high == values).all()
    assert (Tables.sample().layer(8) == values).all()


def test_batches_say_what_single_look_ups_say(tables, bounds):
    random = np.random.default_rng(1)
    positions = np.concatenate(
        [
            granero.unrank(seeds, random.integers(0, 60, 40).astype(np.uint64))
            for seeds in [3, 7, 8, 9, 12, 48]
        ]
    )
    random.shuffle(positions)
    for asked in [tables, bounds]:
        values, (low, high) = asked.values(positions), asked.ranges(positions)
        for row, houses in enumerate(positions.tolist()):
            value, both = asked.value(houses), asked.range(houses)
            assert values[row] == (UNKNOWN if value is None else value)
            assert (low[row], high[row]) == ((UNKNOWN, UNKNOWN) if both is None else both)
    for integers in [np.int64, np.uint16, np.int8, ">i4"]:
        assert (tables.values(positions.astype(integers)) == tables.values(positions)).all()
    turned = positions[::-2]
    assert (tables.values(turned) == tables.values(positions)[::-2]).all()
    fortran = np.asfortranarray(positions)
    assert (tables.values(fortran) == tables.values(positions)).all()
    assert len(tables.values(np.empty((0, 12), np.uint8))) == 0


def test_deciding_tables_say_how_far_they_know(tmp_path):
    tables = granero.build(tmp_path, 3, deciding=True)
    assert (tables.extent, tables.decides) == ("deciding", 48)
    assert tables.value("0 0 0 0 0 0 / 0 0 0 0 0 3") is not None


def test_tables_of_a_smaller_game_know_its_opening(tmp_path):
    tables = granero.build(tmp_path, 12, game=12)
    opening = granero.Situation.start(12)
    assert (tables.decides, opening.game, str(opening)) == (12, 12, "1-1-1-1-1-1-1-1-1-1-1-1-0-0-S")
    assert tables.value(opening.position) == 0
    with pytest.raises(ValueError):
        granero.Situation.start(13)
    with pytest.raises(ValueError):
        granero.build(tmp_path, 12, game=49)


def test_what_deciding_tables_have_cut_off_never_looks_exact(deciding, tables):
    cut = Tables.open(deciding, cycles="split")
    # In a game of 9 seeds, none has been captured when there are 9 on the board: +1 wins.
    full, values = tables.layer(9), cut.layer(9)
    assert (values == np.where(full == 0, 0, UNKNOWN)).all()
    least, most = cut.layer_bounds(9)
    assert (least == np.select([full > 0, full < 0], [1, -9])).all()
    assert (most == np.select([full > 0, full < 0], [9, -1])).all()
    positions = granero.unrank(9, np.arange(len(full), dtype=np.uint64))
    assert (cut.values(positions) == values).all()
    assert (np.array(cut.ranges(positions)) == [least, most]).all()

    won = positions[np.flatnonzero(full > 3)[0]].tolist()
    assert (cut.value(won), cut.range(won), cut.line(won)) == (None, (1, 9), None)
    assessment = cut.assess(won)
    assert (assessment.value, assessment.range) == (None, (1, 9))
    assert {(best.value, best.range) for best in assessment.best} == {(None, (1, 9))}


def test_bounds_that_deciding_tables_have_cut_off(deciding, bounds):
    cut = Tables.open(deciding, cycles="own-side")
    low, high = bounds.layer_bounds(7)
    least, most = cut.layer_bounds(7)
    # Of 9 seeds, two have been captured: +3 wins.
    assert (least == np.where(low <= -3, -7, np.minimum(low, 3))).all()
    assert (most == np.where(high >= 3, 7, np.maximum(high, -3))).all()
    positions = granero.unrank(7, np.arange(len(low), dtype=np.uint64))
    assert (np.array(cut.ranges(positions)) == [least, most]).all()
    assert (cut.values(positions) == np.where(least == most, least, UNKNOWN)).all()


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros((3, 12)),
        np.full((3, 12), -1),
        np.full((3, 12), 256),
        np.zeros((3, 11), np.uint8),
        np.zeros(12, np.uint8),
        "text",
    ],
)
def test_arrays_of_another_form_are_refused(tables, wrong):
    with pytest.raises(TypeError, match=r"an array of shape \(N, 12\) of integers"):
        tables.values(wrong)
    with pytest.raises(TypeError, match=r"an array of shape \(N,\) of integers"):
        granero.unrank(3, wrong if isinstance(wrong, str) else wrong[0] - 1.0)


def test_a_row_with_too_many_seeds_is_named(tables):
    positions = np.zeros((5, 12), np.uint8)
    positions[3] = 5
    with pytest.raises(ValueError) as raised:
        tables.values(positions)
    assert str(raised.value) == "row 3: the houses hold 60 seeds together, but the game has only 48"
    with pytest.raises(ValueError, match="there is no position 364 of 364"):
        granero.unrank(3, np.array([364], np.uint64))
    with pytest.raises(ValueError, match="49 seeds"):
        granero.unrank(49, np.array([0], np.uint64))


def test_threads_share_tables(tables):
    positions = granero.unrank(9, np.arange(0, 167960, 7, dtype=np.uint64))
    expected = tables.layer(9)[::7]
    with ThreadPoolExecutor(4) as threads:
        asked = threads.map(tables.values, [positions] * 4)
        assert all((values == expected).all() for values in asked)


def test_a_line(tables):
    line = tables.line("0-0-0-0-0-5-1-0-0-0-0-0-20-22-N")
    assert (line.measure, line.value, len(line)) == ("value", 6, 2)
    assert [move.house for move in line.moves] == ["A", "F"]
    assert (line.end, line.over.name, line.cycle_from) == ("over", "cannot-feed", None)
    start = granero.Situation("0-0-0-0-0-5-1-0-0-0-0-0-20-22-N")
    assert line.game(start) == line.game(str(start)) == "0-0-0-0-0-5-1-0-0-0-0-0-20-22-N aF"
    with pytest.raises(ValueError, match="a bound is 'low' or 'high'"):
        tables.line(BOARD, "middle")


def test_a_judgement(tables):
    judgement = tables.judge("0-2-0-1-1-0-1-0-2-0-1-0-20-20-S Ba")
    first = judgement.moves[0]
    assert (first.number, first.side, first.house) == (1, "South", "B")
    assert (first.range, first.played, first.given_away, first.best) == ((2, 2), (-2, -2), 2, False)
    assert first.assessment == tables.assess(BOARD)
    assert first.after.to_move == "North"
    south = judgement.player("South")
    assert (south.judged, south.best, south.given_away, south.worst) == (1, 0, 2, first)
    assert (first.category, south.changed_winner) == ("changed-winner", 1)
    assert (judgement.beyond, judgement.cut_off) == (0, 0)

    # Beyond the tables, moves count as far as they are proven.
    proven = tables.judge("2-0-1-1-0-1-1-1-0-0-2-1-19-19-S Ca", positions=300_000)
    assert [(move.given_away, move.best_known, move.proven) for move in proven.moves] == [
        (5, ["F"], True), (4, ["e", "f"], True)]
    assert proven.player("North").changed_winner == 1
    open_end = tables.judge("Ff", seconds=0.001)
    assert (open_end.moves[0].category, open_end.moves[0].assessment) == (None, None)
    assert open_end.moves[0].given_away_at_most > 20
    with pytest.raises(ValueError):
        tables.judge("Ff", seconds=-1)

    # Without a search they count nowhere, and no summary pretends to cover the whole game.
    longer = tables.judge("2-0-1-1-0-1-1-1-0-0-2-1-19-19-S FeDb")
    assert (longer.beyond, len(longer.moves)) == (1, 3)
    assert repr(longer) == "<Judgement of 3 of 4 moves>"
    assert repr(longer.player("South")).startswith("<PlayerSummary: 1 of 1 judged moves best,")

    document = proven.document()
    assert [move["move"] for move in document["moves"]] == ["C", "a"]
    assert document["moves"][0]["given_away"] == 5 and document["north"]["changed_winner"] == 1
    nothing = tables.judge(granero.Situation.start())
    assert (nothing.moves, nothing.document()["length"]) == ([], 0)

    wrong = tables.judge("FfF")
    assert wrong.error.startswith("move 3 (F): the house cannot be played: it is empty")
    assert wrong.beyond == 2
    with pytest.raises(granero.NotationError):
        tables.judge("?")
    with pytest.raises(ValueError, match="a side is 'South' or 'North'"):
        judgement.player("east")


def test_actions_of_openspiel_have_values_and_regrets():
    class State:
        def __init__(self, text):
            self.text = text

        def __str__(self):
            return self.text

    tables = Tables.sample()
    # The same state as a string of its observation and as the board, with South and with North to move.
    board = (
        "Player 1 score = 20 [PLAYING]\n  f  e  d  c  b  a\n  0  1  1  0  2  0\n  1  0  2  0  1  0\n"
        "  A  B  C  D  E  F\nPlayer 0 score = 20"
    )
    expected = {1: (-2, 2.0), 3: (-2, 2.0), 4: (2, 0.0)}
    for text in ["0 | 20 20 | 0 2 0 1 1 0 1 0 2 0 1 0", board]:
        assert tables.openspiel(State(text)) == tables.openspiel(text) == expected
    assert tables.openspiel("0 | 24 24 | 0 0 0 0 0 0 0 0 0 0 0 0") == {}
    with pytest.raises(granero.BeyondTables):
        tables.openspiel("0 | 0 0 | 4 4 4 4 4 4 4 4 4 4 4 4")
    with pytest.raises(granero.NotationError):
        tables.openspiel(State("no state"))
    bounds = Tables.sample("own-side").openspiel("0 | 21 21 | 0 0 0 3 0 1 0 0 0 0 0 2")
    assert all(regret is not None for _, regret in bounds.values())
    assert min(regret for _, regret in bounds.values()) == 0
