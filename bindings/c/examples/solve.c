/*
 * Solves the game once more, by plain sweeps from the text of docs/rules.md, and compares every value and bound that
 * the reader returns. It shares nothing with the library, nor the moves with the reader. The tables must be full.
 *
 *     cc -O2 solve.c ../granero.c -o solve
 *     ./solve granero-db
 *
 * A layer of n seeds takes some 50 bytes for each of its C(n+11, 11) positions.
 */
#include "../granero.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 20, ROOTS = 8 };

typedef struct {
    int house, captured, conceded;
    uint8_t child[12];
} play;

static const char *rules;
static int own_side;
/* By the seeds of a layer: the values, or with own-side the low bounds and the high ones. */
static int8_t *values[MOST + 1][2];
/* Of the layer that is being solved. */
static int32_t positions;
static uint8_t (*position_of)[12];
static int32_t (*quiet)[6];        /* the numbers of the children by quiet moves; -1 behind them */
static int8_t *captures[2];        /* what the best capture, or the end, gives */
static int8_t *difference;         /* the mover's seeds minus the opponent's */
static int8_t *sunk[2], *found[2]; /* the bounds during a round; the reader's answers */

static void check(int is_right, const char *what) {
    if (!is_right) {
        fprintf(stderr, "error: %s\n", what);
        exit(1);
    }
}

/* Memory for each position of a layer. */
static void *memory(size_t bytes) {
    void *taken = malloc(bytes * (size_t)positions);
    check(taken != NULL, "no memory");
    return taken;
}

static int seeds_in(const uint8_t *houses, int count) {
    int seeds = 0;
    while (count-- > 0) {
        seeds += houses[count];
    }
    return seeds;
}

/* Positions in lexicographic order ----------------------------------------------------------------- */

static int32_t ways[MOST + 1][13]; /* to put seeds into houses */

static void count_ways(void) {
    ways[0][0] = 1;
    for (int houses = 1; houses <= 12; houses++) {
        for (int seeds = 0; seeds <= MOST; seeds++) {
            ways[seeds][houses] = ways[seeds][houses - 1] + (seeds > 0 ? ways[seeds - 1][houses] : 0);
        }
    }
}

static int32_t number_of(const uint8_t *position, int seeds) {
    int32_t number = 0;
    for (int house = 0; house < 12; seeds -= position[house++]) {
        /* Those with fewer seeds in this house come before. */
        number += ways[seeds][12 - house] - ways[seeds - position[house]][12 - house];
    }
    return number;
}

/* Goes on to the next position: the last seeds that are not in the last house move there, but one moves up. */
static void step(uint8_t *position) {
    int house = 11;
    while (house > 0 && position[house] == 0) {
        house--;
    }
    if (house > 0) {
        int seeds = position[house];
        position[house] = 0;
        position[house - 1]++;
        position[11] = (uint8_t)(seeds - 1);
    }
}

/* The rules ---------------------------------------------------------------------------------------- */

static int is(const char *name) { return strcmp(rules, name) == 0; }

/* Lists the legal moves; returns their number. */
static int list_moves(const uint8_t *position, play *moves) {
    play last_resorts[6];
    int count = 0, others = 0;
    for (int house = 0; house < 6; house++) {
        uint8_t board[12];
        play made = {.house = house};
        int last = house, chain = 0;
        memcpy(board, position, 12);
        board[house] = 0;
        for (int left = position[house]; left > 0; left--) {
            last = (last + 1) % 12;
            last = last == house ? (last + 1) % 12 : last; /* every lap skips the house itself */
            board[last]++;
        }
        /* The chain is what `end` passes, back from the last seed. */
        int first = last, end = last, theirs = seeds_in(board + 6, 6);
        while (end >= 6 && (board[end] == 2 || board[end] == 3)) {
            chain += board[end--];
        }
        int is_slam = chain == theirs && theirs > 0, starves = theirs == 0;
        if (position[house] == 0 || (starves && !is("awari")) || (is_slam && is("slam-illegal"))) {
            continue;
        }
        int is_last_resort = starves || (is_slam && (is("italian") || is("awari")));
        if (is_slam) {
            if (is("abapa") || is("italian")) {
                end = first;
            } else if (is("slam-leaves-last")) {
                end++;
            } else if (is("slam-leaves-first")) {
                first--;
            } else if (is("slam-ends")) {
                made.conceded = seeds_in(board, 6);
                memset(board, 0, 6);
            }
        }
        for (; first > end; first--) {
            made.captured += board[first];
            board[first] = 0;
        }
        memcpy(made.child, board + 6, 6);
        memcpy(made.child + 6, board, 6);
        *(is_last_resort ? &last_resorts[others++] : &moves[count++]) = made;
    }
    if (count == 0) {
        memcpy(moves, last_resorts, (size_t)others * sizeof *moves);
        count = others;
    }
    return count;
}

/* The sweeps --------------------------------------------------------------------------------------- */

static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }

/* The value of a move with a capture, by smaller layers. What is the least for one is the most for the other. */
static int value_of(const play *move, int high) {
    int left = seeds_in(move->child, 12), measure = own_side && !high;
    return move->captured - move->conceded - values[left][measure][number_of(move->child, left)];
}

static void prepare(int n) {
    uint8_t position[12] = {[11] = (uint8_t)n};
    for (int32_t i = 0; i < positions; i++, step(position)) {
        play moves[6];
        int count = list_moves(position, moves), children = 0;
        memcpy(position_of[i], position, 12);
        difference[i] = (int8_t)(seeds_in(position, 6) - seeds_in(position + 6, 6));
        /* At the end each side takes the seeds that it has, which may be all or none. */
        captures[0][i] = captures[1][i] = (int8_t)(count == 0 ? difference[i] : -n - 1);
        for (int m = 0; m < count; m++) {
            if (moves[m].captured + moves[m].conceded == 0) {
                quiet[i][children++] = number_of(moves[m].child, n);
                continue;
            }
            for (int high = 0; high <= own_side; high++) {
                captures[high][i] = (int8_t)most(captures[high][i], value_of(&moves[m], high));
            }
        }
        if (children < 6) {
            quiet[i][children] = -1;
        }
    }
}

/* The best of a position's moves, by the values of its children. */
static int best(int32_t i, int high, const int8_t *children) {
    int gain = captures[high][i];
    for (int m = 0; m < 6 && quiet[i][m] >= 0; m++) {
        gain = most(gain, -children[quiet[i][m]]);
    }
    return gain;
}

static int changes;

static void set(int8_t *value, int to) {
    changes += *value != to;
    *value = (int8_t)to;
}

/* Endless play is worth 0: from there, values only move away. */
static void solve_split(int8_t *value) {
    memset(value, 0, (size_t)positions);
    for (changes = 1; changes > 0;) {
        changes = 0;
        for (int32_t i = 0; i < positions; i++) {
            set(&value[i], best(i, 0, value));
        }
    }
}

/* Endless play counts the worst difference that recurs, seen from one player, who has the low bounds. `low` and `high`
 * are what is secured. What play can stay in for ever sinks from the top, and what leads there rises. */
static void solve_own_side(int8_t *low, int8_t *high, int n) {
    memset(low, -n, (size_t)positions);
    memset(high, n, (size_t)positions);
    for (int grows = 1; grows > 0;) {
        memset(sunk[0], n, (size_t)positions);
        memset(sunk[1], -n, (size_t)positions);
        for (changes = 1; changes > 0;) {
            changes = 0;
            for (int32_t i = 0; i < positions; i++) {
                set(&sunk[0][i], most(low[i], least(difference[i], best(i, 0, sunk[1]))));
                set(&sunk[1][i], least(high[i], most(difference[i], best(i, 1, sunk[0]))));
            }
        }
        for (int32_t i = 0; i < positions; i++) {
            set(&low[i], best(i, 0, sunk[1]));
            set(&high[i], best(i, 1, sunk[0]));
        }
        grows = changes;
        while (changes > 0) {
            changes = 0;
            for (int32_t i = 0; i < positions; i++) {
                set(&low[i], most(low[i], best(i, 0, high)));
                set(&high[i], least(high[i], best(i, 1, low)));
            }
        }
    }
}

/* The comparison ----------------------------------------------------------------------------------- */

static void compare(const granero_reader *reader, int n) {
    size_t count = (size_t)positions;
    check(granero_probe_many(reader, position_of[0], count, found[0], found[1]) == GRANERO_OK, granero_message());
    int is_same = memcmp(found[0], values[n][0], count) == 0 && memcmp(found[1], values[n][own_side], count) == 0;
    check(is_same, "the tables have a wrong value");
    for (int32_t i = 0; i < positions && n <= ROOTS; i++) {
        granero_root root;
        play moves[6];
        check(granero_probe_root(reader, position_of[i], &root) == GRANERO_OK, granero_message());
        is_same = root.low == values[n][0][i] && root.high == values[n][own_side][i] &&
                  root.count == list_moves(position_of[i], moves);
        for (int m = 0; m < root.count && is_same; m++) {
            const granero_move *one = &root.moves[m];
            const play *other = moves;
            while (other->house < one->house && other < moves + 5) {
                other++;
            }
            is_same = one->house == other->house && one->captured == other->captured &&
                      one->conceded == other->conceded && memcmp(one->houses, other->child, 12) == 0 &&
                      one->low == value_of(other, 0) && one->high == value_of(other, own_side);
        }
        check(is_same, "the reader gives a wrong move");
    }
}

int main(int argc, char **arguments) {
    granero_reader *reader = granero_open(argc == 2 ? arguments[1] : "", 0);
    check(reader != NULL, granero_message());
    count_ways();
    rules = granero_rules(reader);
    own_side = granero_is_own_side(reader);
    int seeds = least(granero_max_seeds(reader), MOST);
    positions = ways[seeds][12];
    quiet = memory(sizeof *quiet);
    for (int k = 0; k < 2; k++) {
        captures[k] = memory(1);
        found[k] = memory(1);
        sunk[k] = memory(1);
    }
    difference = memory(1);
    position_of = memory(12);
    for (int n = 0; n <= seeds; n++) {
        positions = ways[n][12];
        values[n][0] = memory(1);
        values[n][1] = memory(1);
        prepare(n);
        own_side ? solve_own_side(values[n][0], values[n][1], n) : solve_split(values[n][0]);
        compare(reader, n);
    }
    printf("%s, %s, up to %d seeds: as solved here\n", rules, own_side ? "own-side" : "split", seeds);
    granero_close(reader);
    return 0;
}
