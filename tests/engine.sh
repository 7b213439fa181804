#!/bin/sh
# An engine for the tests of the referee: it behaves as its first argument says, and
# plays the house that stands first among those with seeds. What it starts is listed in
# the file $PIDS, if that is set.

manner=$1
[ -n "$PIDS" ] && echo $$ >> "$PIDS"

# The mover's first house that holds a seed, by the last `position` line.
first_house() {
    position=${1#position fen }
    position=${position%% *}
    houses=${position%-*-*-?}
    letters="A B C D E F a b c d e f"
    case $position in
        *-S) skip=0 ;;
        *) skip=6 ;;
    esac
    number=0
    IFS=-
    for seeds in $houses; do
        if [ $number -ge $skip ] && [ "$seeds" -gt 0 ]; then
            break
        fi
        number=$((number + 1))
    done
    IFS=' '
    for letter in $letters; do
        [ $number -eq 0 ] && echo "$letter" && break
        number=$((number - 1))
    done
    unset IFS
}

# Talks without listening.
while [ "$manner" = parrot ]; do
    printf 'id name Scripted (parrot)\nuciok\nreadyok\nbestmove 0000\n'
done

while read -r line; do
    case $line in
        uci)
            [ "$manner" = deaf ] && continue
            [ "$manner" = stillborn ] && exit 3
            [ "$manner" = boast ] && head -c 1000000 /dev/zero | tr '\0' x
            echo "id name Scripted ($manner)"
            echo "option name OwnBook type check default true"
            echo "uciok"
            ;;
        isready)
            echo "readyok"
            ;;
        position*)
            position=$line
            ;;
        go*)
            echo "info depth 1 score cp 0 pv A"
            case $manner in
                first | boast) echo "bestmove $(first_house "$position")" ;;
                remark)
                    head -c 30000000 /dev/zero | tr '\0' x
                    printf '\nbestmove %s\n' "$(first_house "$position")"
                    ;;
                mess)
                    head -c 5000000 /dev/zero >&2
                    echo "bestmove $(first_house "$position")"
                    ;;
                orphan)
                    # It keeps all open files, and ends only after a while.
                    (trap '' HUP INT TERM && exec sleep 60) &
                    [ -n "$PIDS" ] && echo $! >> "$PIDS"
                    echo "bestmove $(first_house "$position")"
                    ;;
                other) first_house "$position" | tr A-Fa-f a-fA-F | sed 's/^/bestmove /' ;;
                once)
                    case $position in
                        *" moves "*) echo "bestmove 0000" ;;
                        *) echo "bestmove $(first_house "$position")" ;;
                    esac
                    ;;
                zero | stubborn) echo "bestmove 0000" ;;
                nonsense) echo "bestmove Nf3 ponder e5" ;;
                nul) printf 'bestmove \0\n' ;;
                bytes) printf 'bestmove \377\376\n' ;;
                mute) exec >&- && sleep 1000 ;;
                silent) ;;
                hang)
                    # Not even the end of its input or a polite signal ends it.
                    trap '' HUP INT TERM
                    sleep 1000 &
                    [ -n "$PIDS" ] && echo $! >> "$PIDS"
                    while :; do sleep 1000; done
                    ;;
                busy) while :; do :; done ;;
                stop) kill -STOP 0 ;;
                die) exit 7 ;;
                trace) echo "Traceback:" >&2; echo "  no such house" >&2; exit 1 ;;
                crash) kill -SEGV $$ ;;
                flood) while :; do echo "info string and so on and so on and so on"; done ;;
                babble) while :; do printf 'and so on and so on and so on '; done ;;
            esac
            ;;
        quit)
            [ "$manner" = stubborn ] || exit 0
            ;;
    esac
done
[ "$manner" = stubborn ] && sleep 1000
exit 0
