/*
 * Reads the tables of granero without granero: granero_reader.c and this header, with the C library only.
 *
 *     GraneroReader *reader = granero_reader_open("granero-db", message, sizeof message);
 *     int least, most;
 *     if (granero_reader_range(reader, houses, &least, &most) == GRANERO_READER_FOUND) …
 *     granero_reader_close(reader);
 *
 * Threads must not share a reader; each can open its own.
 */
#ifndef GRANERO_READER_H
#define GRANERO_READER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct GraneroReader GraneroReader;

typedef enum {
    GRANERO_READER_FOUND = 0,
    /* The tables have no layer with so many seeds. */
    GRANERO_READER_BEYOND = 1,
    /* See granero_reader_message. */
    GRANERO_READER_ERROR = 2
} GraneroReaderStatus;

/* Stands in a batch for a position beyond the tables. */
#define GRANERO_READER_UNKNOWN INT8_MIN

/*
 * Opens the directory that holds granero.json; tables with endless play by own-side that share a directory
 * with others are in its subdirectory own-side. NULL after an error, with a message of at most `size` bytes.
 */
GraneroReader *granero_reader_open(const char *directory, char *message, size_t size);

/* Closes a reader; NULL is allowed. */
void granero_reader_close(GraneroReader *reader);

/* The most seeds that a position in the tables has; -1 if they have no layers. */
int granero_reader_max_seeds(const GraneroReader *reader);

/*
 * The least and the most that the player to move gets more than the opponent of the seeds on the board, with
 * best play. Both are the value, except with own-side and where deciding tables cut values off. The houses
 * are in the order of sowing, those of the player to move first.
 */
GraneroReaderStatus granero_reader_range(GraneroReader *reader, const uint8_t houses[12], int *least, int *most);

/* The same for many positions, of twelve houses each. Ends at the first error. */
GraneroReaderStatus granero_reader_batch(GraneroReader *reader, const uint8_t *houses, size_t count,
                                         int8_t *least, int8_t *most);

/* The last error, in words. */
const char *granero_reader_message(const GraneroReader *reader);

#ifdef __cplusplus
}
#endif

#endif
