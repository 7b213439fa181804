# Flips a bit of each byte of a file, except in its first quarter.
quarter=$(($(wc -c < "$1") / 4))
tail -c +$((quarter + 1)) "$1" | LC_ALL=C tr '\000-\177\200-\377' '\200-\377\000-\177' > rest
{ head -c $quarter "$1" && cat rest; } > damaged
mv damaged "$1"
