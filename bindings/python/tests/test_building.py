"""Building tables, and ending a build."""

import os
import signal
import threading
import time

import pytest

import granero


def test_progress_grows_to_the_end(tmp_path):
    told = []
    tables = granero.build(tmp_path, 8, threads=1, progress=told.append)
    assert tables.max_seeds == 8
    assert [now.positions for now in told] == sorted(now.positions for now in told)
    assert told[-1].positions == told[-1].total == 125970
    assert told[-1].seeds == 8
    # Existing layers are not built again.
    assert granero.build(tmp_path, 6).max_seeds == 8


def test_an_exception_of_the_callback_ends_the_build(tmp_path):
    def refuse(now):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        granero.build(tmp_path, 16, threads=1, progress=refuse)
    reached = granero.Tables.open(tmp_path).max_seeds
    assert reached is None or reached < 16


def test_ctrl_c_ends_a_build_and_another_one_goes_on(tmp_path):
    # A shell that runs this in the background ignores the signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt():
        while not (tmp_path / "layer-03.granero").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=interrupt, daemon=True)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        granero.build(tmp_path, 20, threads=1)
    reached = granero.Tables.open(tmp_path).max_seeds
    assert 2 <= reached < 20
    # Finished layers stay, and the next build continues after them.
    layer = (tmp_path / "layer-02.granero").stat()
    assert granero.build(tmp_path, min(reached + 1, 9)).max_seeds >= reached
    assert (tmp_path / "layer-02.granero").stat().st_mtime_ns == layer.st_mtime_ns


def test_errors_have_the_texts_of_the_library(tmp_path):
    with pytest.raises(granero.BuildError, match=r"20 seeds need .* of memory, and 1.0 KiB may be"):
        granero.build(tmp_path, 20, memory=1024)
    granero.build(tmp_path, 1)
    with pytest.raises(granero.TableError, match="not of `awari` with `split`"):
        granero.build(tmp_path, 3, ruleset="awari")
    with pytest.raises(ValueError, match="there is no convention `none` for endless play"):
        granero.build(tmp_path, 3, cycles="none")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(granero.TableError, match="is not empty, and not a directory of tables"):
        granero.build(tmp_path / "other", 3)
