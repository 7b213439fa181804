/*
 * A search that looks positions up as soon as it reaches the tables, like an engine.
 *
 *     cc -O2 search.c ../granero.c -o search
 *     ./search granero-db 3 0 0 1 0 2 1 2 0 0 1 0
 *
 * The numbers are the seeds in the houses of the player to move, then in the opponent's.
 */
#include "../granero.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned long probes;

static int checked(int status) {
    if (status < 0) {
        fprintf(stderr, "error: %s\n", granero_message());
        exit(1);
    }
    return status;
}

/* The score in seeds, by alpha-beta. */
static int search(const granero_reader *reader, const uint8_t *houses, int alpha, int beta, int depth) {
    int8_t low, high;
    if (checked(granero_probe(reader, houses, &low, &high)) == GRANERO_OK) {
        probes++;
        return low; /* With bounds, this takes the low one. */
    }
    granero_root root; /* An engine has its own moves. */
    int is_known = checked(granero_probe_root(reader, houses, &root)) == GRANERO_OK;
    if (is_known || depth == 0) {
        return is_known ? root.low : 0;
    }
    for (int i = 0; i < root.count && alpha < beta; i++) {
        const granero_move *move = &root.moves[i];
        int gain = move->captured - move->conceded;
        int score = gain - search(reader, move->houses, gain - beta, gain - alpha, depth - 1);
        alpha = score > alpha ? score : alpha;
    }
    return alpha;
}

int main(int argc, char **arguments) {
    granero_reader *reader = argc == 14 ? granero_open(arguments[1], 0) : NULL;
    if (!reader) {
        fprintf(stderr, "error: %s\n", argc == 14 ? granero_message() : "search.c says how to call it");
        return 1;
    }
    uint8_t houses[12];
    for (int i = 0; i < 12; i++) {
        houses[i] = (uint8_t)atoi(arguments[i + 2]);
    }
    printf("Score %+d, ", search(reader, houses, -48, 48, 8));
    printf("with %lu probes.\n", probes);
    granero_close(reader);
    return 0;
}
