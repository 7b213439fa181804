"""Small tables, built once for all tests by the package itself."""

import pytest

import granero


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """A directory with tables of both conventions."""
    directory = tmp_path_factory.mktemp("granero-db")
    granero.build(directory, 9)
    granero.build(directory, 7, cycles="own-side")
    return directory


@pytest.fixture(scope="session")
def tables(place):
    return granero.Tables.open(place)


@pytest.fixture(scope="session")
def bounds(place):
    return granero.Tables.open(place, cycles="own-side")


@pytest.fixture(scope="session")
def deciding(tmp_path_factory):
    """A directory with deciding tables of both conventions, for a game of so few seeds that values are cut off."""
    directory = tmp_path_factory.mktemp("granero-deciding")
    granero.build(directory, 9, game=9)
    granero.build(directory, 7, game=9, cycles="own-side")
    return directory
