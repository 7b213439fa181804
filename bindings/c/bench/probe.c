/*
 * Measures the time of a look-up from C, for docs/performance.md.
 *
 *     ./probe DB POSITIONS
 *
 * POSITIONS is a file with twelve bytes for each position.
 */
#include <granero.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static double nanoseconds(const GraneroTables *tables, const uint8_t *positions, size_t count) {
    double least = 1e30;
    long sum = 0;
    for (int round = 0; round < 9; round++) {
        double begin = now();
        for (size_t i = 0; i < count; i++) {
            GraneroRange range;
            granero_probe(tables, positions + i * GRANERO_HOUSES, &range);
            sum += range.low;
        }
        double time = (now() - begin) / count;
        least = time < least ? time : least;
    }
    return sum == 12345 ? 0 : least;
}

int main(int argc, char **argv) {
    FILE *file = argc == 3 ? fopen(argv[2], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: probe DB POSITIONS\n");
        return 1;
    }
    size_t room = 50 << 20;
    uint8_t *positions = malloc(room);
    size_t count = fread(positions, GRANERO_HOUSES, room / GRANERO_HOUSES, file);
    fclose(file);
    const char *names[] = {"cached blocks", "layers in memory"};
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        GraneroTables *tables;
        if (granero_open_with(argv[1], GRANERO_CYCLES_SPLIT, GRANERO_ACCESS_MAP, 256 << 20,
                              in_memory ? 48 : -1, &tables)) {
            fprintf(stderr, "error: %s\n", granero_message());
            return 1;
        }
        printf("C     a probe, %s: %.0f ns\n", names[in_memory],
               nanoseconds(tables, positions, count));
        granero_close(tables);
    }
    free(positions);
    return 0;
}
