/*
 * Compares every answer of the reader with the package for Python, in several threads and in children of fork, and
 * tries wrong arguments.
 *
 *     python answers.py DB split 10000 1 | ./compare DIRECTORY [CHILDREN]
 *
 * answers.py describes the standard input. CHILDREN is the number of processes to fork while
 * threads look positions up. The exit code is 2 if the tables are damaged, and 3 after a wrong answer.
 */
#include "../granero.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUIRE(what)                                                     \
    do {                                                                  \
        if (!(what)) {                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);    \
            exit(3);                                                      \
        }                                                                 \
    } while (0)

enum { MOST = 20000, THREADS = 3 };

static granero_reader *reader;
static uint8_t positions[MOST][12];
static int8_t expected[2][MOST];
static granero_root roots[MOST];
static size_t count, beyond;
static atomic_bool ended;

/* Returns a status; ends the program if it is an error of the tables. */
static int checked(int status) {
    if (status == GRANERO_ERROR_TABLES) {
        fprintf(stderr, "%s\n", granero_message());
        exit(2);
    }
    return status;
}

static void read_answers(void) {
    for (; fread(positions[count], 12, 1, stdin) == 1; count++) {
        REQUIRE(count < MOST - 1);
        REQUIRE(fread(&expected[0][count], 1, 1, stdin) == 1 && fread(&expected[1][count], 1, 1, stdin) == 1);
        REQUIRE(fread(&roots[count], sizeof *roots, 1, stdin) == 1);
        beyond += expected[0][count] == GRANERO_NONE;
    }
}

static int status_of(int8_t low) { return low == GRANERO_NONE ? GRANERO_UNKNOWN : GRANERO_OK; }

/* Compares every third position from a first one. */
static void *compare(void *from) {
    for (size_t i = *(size_t *)from; i < count; i += THREADS) {
        int8_t low, high;
        granero_root root;
        REQUIRE(checked(granero_probe(reader, positions[i], &low, &high)) == status_of(expected[0][i]));
        REQUIRE(low == expected[0][i] && high == expected[1][i]);
        REQUIRE(checked(granero_probe_root(reader, positions[i], &root)) == status_of(roots[i].low));
        REQUIRE(memcmp(&root, &roots[i], sizeof root) == 0); /* All of it is bytes. */
    }
    return NULL;
}

static void compare_many(void) {
    int8_t *low = malloc(count + 1), *high = malloc(count + 1);
    REQUIRE(low && high && checked(granero_probe_many(reader, positions[0], count, low, high)) == GRANERO_OK);
    REQUIRE(memcmp(low, expected[0], count) == 0 && memcmp(high, expected[1], count) == 0);
    free(low);
    free(high);
}

static void *ask(void *from) {
    while (!ended) {
        compare(from);
        compare_many();
    }
    return NULL;
}

/* Runs a function in all threads. While they run, forks children, in which other threads do not exist. */
static void run(void *(*function)(void *), int children) {
    pthread_t threads[THREADS];
    size_t from[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        from[i] = i;
        REQUIRE(pthread_create(&threads[i], NULL, function, &from[i]) == 0);
    }
    for (int i = 0; i < children; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(60);
            compare(&from[i % THREADS]);
            compare_many();
            _exit(0);
        }
        int status;
        REQUIRE(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    ended = 1;
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
}

static void try_errors(void) {
    uint8_t empty[12] = {0}, full[12] = {49};
    int8_t low = 1, high = 2;
    granero_root root;
    REQUIRE(granero_open("/no/such/directory", 0) == NULL);
    REQUIRE(strstr(granero_message(), "/no/such/directory/granero.json: cannot open it"));
    REQUIRE(granero_open(NULL, 0) == NULL && strcmp(granero_message(), "the directory is a null pointer") == 0);
    REQUIRE(granero_probe(reader, full, &low, &high) == GRANERO_ERROR_ARGUMENT && low == 1 && high == 2);
    REQUIRE(strcmp(granero_message(), "a position has more than 48 seeds") == 0);
    REQUIRE(granero_probe_root(reader, full, &root) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_probe_many(reader, full, 1, &low, &high) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_probe(NULL, empty, &low, &high) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_probe(reader, NULL, &low, &high) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_probe_many(reader, empty, 1, NULL, &high) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_probe_many(reader, empty, SIZE_MAX, &low, &high) == GRANERO_ERROR_TABLES);
    REQUIRE(granero_probe_many(reader, NULL, 0, NULL, NULL) == GRANERO_OK);
    REQUIRE(granero_probe_root(reader, empty, NULL) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(!granero_rules(NULL) && !granero_is_own_side(NULL) && granero_max_seeds(NULL) == -1);
    granero_close(NULL);
}

int main(int argc, char **arguments) {
    /* A small cache, so that threads take tiles from each other. */
    reader = granero_open(argc > 1 ? arguments[1] : "", 1 << 18);
    checked(reader ? GRANERO_OK : GRANERO_ERROR_TABLES);
    read_answers();
    run(compare, 0);
    compare_many();
    if (argc > 2) {
        ended = 0;
        run(ask, atoi(arguments[2]));
    }
    try_errors();
    printf("%s, %s: %zu positions up to %d seeds, %zu beyond: all right\n", granero_rules(reader),
           granero_is_own_side(reader) ? "own-side" : "split", count, granero_max_seeds(reader), beyond);
    granero_close(reader);
    return beyond < count ? 0 : 3;
}
