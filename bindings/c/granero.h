/*
 * granero: exact endgame tables for Oware, Awari, Wari, Awalé, in one file of C11 that needs only the C library.
 * Compile granero.c with your program:
 *
 *     cc -O2 engine.c granero.c -o engine
 *
 * A position is twelve bytes: the seeds in the houses A to F of the player to move, then in A to F of the
 * opponent, as sowing goes. The value of a position is a range: the least and the most that the player to move
 * gets of the seeds on the board, minus the opponent's. Both are equal if the value is known. They differ with
 * endless play by own-side, and if deciding tables have cut the value off.
 *
 *     granero_reader *reader = granero_open("granero-db", 0);
 *     uint8_t houses[12] = {0, 2, 0, 1, 1, 0, 1, 0, 2, 0, 1, 0};
 *     int8_t low, high;
 *     if (granero_probe(reader, houses, &low, &high) == GRANERO_OK) {
 *         printf("%d to %d\n", low, high);
 *     }
 *     granero_close(reader);
 *
 * Threads may share a reader: all functions except granero_close may be called at the same time, and none waits
 * for another thread. So a child of fork may use the reader of its parent. Any number of readers may be open, for
 * several rulesets for instance.
 *
 * Files are read piece by piece, and every checksum on the way is checked: damaged tables give an error.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef GRANERO_H
#define GRANERO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Open tables of one directory. */
typedef struct granero_reader granero_reader;

enum {
    GRANERO_OK = 0,
    GRANERO_UNKNOWN = 1,         /* beyond the tables: neither an error nor an answer */
    GRANERO_ERROR_ARGUMENT = -1, /* a null pointer, or more than 48 seeds */
    GRANERO_ERROR_TABLES = -2,   /* damaged or unreadable tables, or no memory */
    GRANERO_NONE = -128          /* stands for a value beyond the tables */
};

/* A legal move. */
typedef struct {
    uint8_t house;      /* the house that is sown: 0 for A to 5 for F */
    uint8_t captured;   /* seeds that the mover captures */
    uint8_t conceded;   /* seeds that the opponent gets at once */
    uint8_t houses[12]; /* the position after the move, seen from the opponent */
    int8_t low, high;   /* the value of the move to the mover; GRANERO_NONE beyond the tables */
} granero_move;

/* A position and its moves. */
typedef struct {
    int8_t low, high;      /* the value of the position; GRANERO_NONE beyond the tables */
    uint8_t count;         /* the number of moves: 0 if the game is over */
    granero_move moves[6]; /* the best first; equal ones in the order of their houses */
} granero_root;

/* Opens the tables of a directory, which holds granero.json; NULL after an error. Decoded blocks take up to
 * cache_bytes of memory; 0 stands for 64 MiB. Tables of both conventions are two directories: DIR for split, and
 * DIR/own-side. On Windows the name is UTF-8. */
granero_reader *granero_open(const char *directory, size_t cache_bytes);

/* Closes a reader, which no thread may use any more; does nothing for NULL. */
void granero_close(granero_reader *reader);

/* The ruleset, such as "abapa"; NULL for NULL. */
const char *granero_rules(const granero_reader *reader);

/* 1 if the convention for endless play is own-side, 0 if it is split. */
int granero_is_own_side(const granero_reader *reader);

/* The most seeds of a position in the tables; -1 if they have no layers. */
int granero_max_seeds(const granero_reader *reader);

/* Looks up the value of a position. Beyond the tables the answer is GRANERO_UNKNOWN, and both numbers are
 * GRANERO_NONE; after an error nothing is written. */
int granero_probe(const granero_reader *reader, const uint8_t *houses, int8_t *low, int8_t *high);

/* Looks up many positions of twelve bytes each, block by block, which is faster than one at a time. `low` and
 * `high` have room for `count` bytes each. GRANERO_OK, or the first error, after which both hold nothing useful. */
int granero_probe_many(const granero_reader *reader, const uint8_t *houses, size_t count, int8_t *low,
                       int8_t *high);

/* Looks up a position and its moves. The moves of a position beyond the tables are listed, too. If the value of all
 * of them is known, so is the value of the position; else the answer is GRANERO_UNKNOWN. */
int granero_probe_root(const granero_reader *reader, const uint8_t *houses, granero_root *root);

/* The last error of the calling thread; empty if there was none. */
const char *granero_message(void);

#ifdef __cplusplus
}
#endif
#endif
