/*
 * A search that looks positions up as soon as it reaches the tables, like an engine.
 *
 *     cc search.c $(pkg-config --cflags --libs granero) -o search
 *     ./search [POSITION [granero-db]]
 *
 * Without a directory, it uses the tables that are part of the library.
 */
#include <granero.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long probes;

static void check(GraneroStatus status) {
    if (status < 0) {
        fprintf(stderr, "error: %s\n", granero_message());
        exit(1);
    }
}

/* The score in seeds, by alpha-beta. */
static int search(const GraneroTables *tables, const uint8_t *position, int low, int high, int depth) {
    GraneroRange range;
    GraneroStatus found = granero_probe(tables, position, &range);
    check(found);
    if (found == GRANERO_OK) {
        probes++;
        return range.low; /* With bounds, this takes the low one. */
    }
    GraneroTurn turn;
    check(granero_moves(granero_rules(tables), position, &turn));
    if (turn.over != GRANERO_OVER_NOT) {
        return turn.value;
    }
    if (depth == 0) {
        return 0;
    }
    int best = low;
    for (int i = 0; i < turn.count && best < high; i++) {
        const GraneroMove *play = &turn.moves[i];
        int gain = play->captured - play->conceded;
        int score = gain - search(tables, play->position, gain - high, gain - best, depth - 1);
        if (score > best) {
            best = score;
        }
    }
    return best;
}

int main(int argc, char **argv) {
    if (granero_abi_version() != GRANERO_ABI_VERSION) {
        fprintf(stderr, "error: this program was compiled with the header of another library\n");
        return 1;
    }
    GraneroTables *tables;
    check(argc > 2 ? granero_open(argv[2], &tables)
                   : granero_open_sample(GRANERO_CYCLES_SPLIT, &tables));
    uint8_t position[GRANERO_HOUSES];
    check(granero_parse_position(argc > 1 ? argv[1] : "0 0 1 0 2 3 / 2 0 1 1 0 2", position));
    int score = search(tables, position, -GRANERO_MAX_SEEDS, GRANERO_MAX_SEEDS, 8);
    printf("Score %+d, with %lu probes.\n", score, probes);
    granero_close(tables);
    return 0;
}
