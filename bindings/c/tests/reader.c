/*
 * Compares the answers of the reader in C with the library's, one by one and as a batch.
 *
 *     granero-reference answers DB split 10000 1 | ./reader DIRECTORY
 *
 * bindings/reference/src/main.rs describes the standard input. The exit code is 2 if the tables are damaged,
 * and 3 after a wrong answer.
 */
#define GRANERO_READER_DECLARATIONS
#include "../reader/granero_reader.c"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 10000

static uint8_t positions[12 * MOST];
static int8_t expected[2][MOST], found[2][MOST];

int main(int count, char **arguments) {
    char message[GRANERO_READER_MESSAGE], line[1000];
    granero_reader *reader = granero_reader_open(count == 2 ? arguments[1] : "", message);
    if (reader == NULL) {
        fprintf(stderr, "%s\n", message);
        return 2;
    }
    size_t lines = 0, beyond = 0;
    for (; lines < MOST && fgets(line, sizeof line, stdin) != NULL; lines++) {
        char *at = line;
        for (int house = 0; house < 12; house++) {
            positions[12 * lines + house] = (uint8_t)strtol(at, &at, 10);
        }
        for (int i = 0; i < 2; i++) {
            expected[i][lines] = (int8_t)strtol(at, &at, 10);
        }
        int status = granero_reader_value(reader, positions + 12 * lines, &found[0][lines], &found[1][lines]);
        beyond += status == GRANERO_READER_BEYOND;
        if (status < 0) {
            fprintf(stderr, "%s\n", granero_reader_message(reader));
            granero_reader_close(reader);
            return 2;
        }
    }
    int is_right = memcmp(found, expected, sizeof found) == 0;
    memset(found, 0, sizeof found);
    is_right = granero_reader_values(reader, positions, lines, found[0], found[1]) == 0 && is_right;
    is_right = memcmp(found, expected, sizeof found) == 0 && is_right;
    memset(positions, 5, 12);
    is_right = granero_reader_value(reader, positions, found[0], found[1]) == GRANERO_READER_ARGUMENT && is_right;
    printf("%s, %s: %zu positions up to %d seeds, %zu beyond: %s\n", granero_reader_rules(reader),
           granero_reader_own_side(reader) ? "own-side" : "split", lines, granero_reader_max_seeds(reader), beyond,
           is_right ? "all right" : "WRONG");
    granero_reader_close(reader);
    return is_right && beyond < lines ? 0 : 3;
}
