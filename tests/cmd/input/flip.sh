# Changes the last bit of a byte of a file.
byte=$(od -An -tu1 -j "$2" -N 1 "$1")
printf "\\$(printf %o $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
