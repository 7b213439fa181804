/*
 * Compares the answers of the reader in C with the library's.
 *
 *     granero-reference answers DB split 10000 1 | ./reader DIRECTORY
 *
 * bindings/reference/src/main.rs describes the standard input. The exit code is 1 after a wrong answer, and
 * 2 if the tables are damaged.
 */
#include "../reader/granero_reader.h"

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
    char message[200], line[1000];
    GraneroReader *reader = granero_reader_open(count == 2 ? arguments[1] : "", message, sizeof message);
    if (reader == NULL) {
        fprintf(stderr, "%s\n", message);
        return 2;
    }
    long lines = 0, beyond = 0;
    for (; fgets(line, sizeof line, stdin) != NULL; lines++) {
        uint8_t houses[12];
        int8_t least, most;
        char *at = line;
        for (int house = 0; house < 12; house++) {
            houses[house] = (uint8_t)strtol(at, &at, 10);
        }
        if (granero_reader_batch(reader, houses, 1, &least, &most) != GRANERO_READER_FOUND) {
            fprintf(stderr, "%s\n", granero_reader_message(reader));
            granero_reader_close(reader);
            return 2;
        }
        beyond += least == GRANERO_READER_UNKNOWN;
        long low = strtol(at, &at, 10), high = strtol(at, &at, 10);
        if (least != low || most != high) {
            fprintf(stderr, "%d to %d, and not %ld to %ld: %s", least, most, low, high, line);
            return 1;
        }
    }
    uint8_t many[12] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
    int least, most;
    if (granero_reader_range(reader, many, &least, &most) != GRANERO_READER_ERROR) {
        return 1;
    }
    printf("%ld positions up to %d seeds, %ld beyond\n", lines, granero_reader_max_seeds(reader), beyond);
    granero_reader_close(reader);
    return lines > 0 && beyond < lines ? 0 : 1;
}
