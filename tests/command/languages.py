# Follows the first piece of Python in docs/languages.md, and compares what its functions say with the lines of the layout
# `csv`. The other pieces need NumPy, and are only compiled.
import sys
from array import array

directory, most, *others = sys.argv[1:]
for other in others:
    compile(other, "docs/languages.md", "exec")
for seeds in range(int(most) + 1):
    raw = array("b", open(f"{directory}/raw.{seeds}", "rb").read())
    awari = array("b", open(f"{directory}/awari.{seeds}", "rb").read())
    seen = set()
    lines = open(f"{directory}/csv.{seeds}").read().splitlines()[1:]
    for place, line in enumerate(lines):
        *houses, value = map(int, line.split(","))
        assert raw_index(houses) == place, houses
        assert raw_position(place, seeds) == houses, houses
        assert raw[place] == value, houses
        place = awari_index(houses)
        if place is not None:
            assert awari[place] == value, houses
            seen.add(place)
    assert seen == set(range(len(awari)))
print("done")
