/*
 * Judges a game from the standard input, and prints the JSON document. Ctrl-C ends the search: the game is judged
 * by the proofs so far.
 *
 *     cc judge.c $(pkg-config --cflags --libs granero) -o judge
 *     ./judge granero-db split 100000 < game.ogn
 */
#include <granero.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static void interrupt(int number) {
    (void)number;
    interrupted = 1;
}

static bool stop(void *data) {
    (void)data;
    return interrupted != 0;
}

static void check(GraneroStatus status) {
    if (status < 0) {
        fprintf(stderr, "error: %s\n", granero_message());
        exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: judge DIRECTORY split|own-side POSITIONS < GAME\n");
        return 2;
    }
    static char game[1 << 20];
    if (fread(game, 1, sizeof game - 1, stdin) == 0) {
        fprintf(stderr, "error: there is no game\n");
        return 1;
    }
    GraneroCycles cycles =
        strcmp(argv[2], "own-side") == 0 ? GRANERO_CYCLES_OWN_SIDE : GRANERO_CYCLES_SPLIT;
    GraneroTables *tables;
    check(granero_open_with(argv[1], cycles, GRANERO_ACCESS_MAP, 64 << 20, -1, &tables));
    signal(SIGINT, interrupt);
    GraneroBudget budget = {.positions = strtoull(argv[3], NULL, 10), .stop = stop};
    char *document;
    check(granero_judge(tables, game, 1, &budget, &document));
    puts(document);
    granero_free(document);
    granero_close(tables);
    return 0;
}
