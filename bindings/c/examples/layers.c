/*
 * Layers in memory: the fastest way to look positions up in a search.
 *
 *     granero export --layer 8 --out layer.8
 *     echo 0 2 0 1 1 0 1 0 2 0 1 0 | ./layers 8 layer.8
 *
 * Reads the file of a layer in the layout `raw`, and prints the value of each position on the standard input: twelve
 * numbers, the houses of the player to move first. A search keeps all its layers, and `start` in a table, too: then a
 * look-up costs a dozen additions and one access to memory. The best move has the largest `captured - value(child)`.
 */
#include <stdio.h>
#include <stdlib.h>

static long ways[49][7];       /* ways to put seeds into houses */
static long before[6][49][49]; /* how many have fewer seeds in the first house than held */

static void prepare(void) {
    ways[0][0] = 1;
    for (int houses = 1; houses <= 6; houses++)
        for (int seeds = 0; seeds <= 48; seeds++)
            ways[seeds][houses] = ways[seeds][houses - 1] + (seeds ? ways[seeds - 1][houses] : 0);
    for (int left = 0; left < 6; left++)
        for (int seeds = 0; seeds <= 48; seeds++)
            for (int held = 1; held <= seeds; held++)
                before[left][seeds][held] = before[left][seeds][held - 1] + ways[seeds - held + 1][left];
}

static long rank(const int *house, int seeds) {
    long number = 0;
    for (int left = 5; left >= 0; seeds -= *house++, left--)
        number += before[left][seeds][*house];
    return number;
}

/* house: A to F of the player to move, then a to f of the opponent. */
static int value(const signed char *layer, const int *house) {
    int s = 0, t = 0;
    for (int i = 0; i < 6; i++)
        s += house[i], t += house[i + 6];
    long start = 0;
    for (int k = 0; k < s; k++)
        start += ways[k][6] * ways[s + t - k][6];
    return layer[start + rank(house, s) * ways[t][6] + rank(house + 6, t)];
}

static int refuse(int seeds) {
    fprintf(stderr, "error: not a position with %d seeds\n", seeds);
    return 2;
}

int main(int count, char **arguments) {
    int seeds = count == 3 ? atoi(arguments[1]) : -1;
    FILE *file = seeds >= 0 && seeds <= 48 ? fopen(arguments[2], "rb") : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: %s SEEDS FILE\n", arguments[0]);
        return 2;
    }
    prepare();
    long positions = 0;
    for (int s = 0; s <= seeds; s++)
        positions += ways[s][6] * ways[seeds - s][6];
    signed char *layer = malloc(positions);
    if (layer == NULL || fread(layer, 1, positions, file) != (size_t)positions) {
        fprintf(stderr, "error: %s is not a layer of %d seeds\n", arguments[2], seeds);
        return 3;
    }
    fclose(file);
    int house[12], found = 0, held = 0;
    while (scanf("%d", &house[found]) == 1) {
        int is_possible = house[found] >= 0 && house[found] <= seeds - held;
        held += is_possible ? house[found] : 0;
        if (!is_possible || (++found == 12 && held < seeds))
            return refuse(seeds);
        if (found == 12) {
            printf("%d\n", value(layer, house));
            found = held = 0;
        }
    }
    free(layer);
    return found == 0 ? 0 : refuse(seeds);
}
