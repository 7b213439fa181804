/*
 * Compares the answers of the C library with the Rust library's, and tests its errors.
 *
 *     granero-reference answers DB split 10000 1 | ./compare DB split [CHILDREN]
 *
 * bindings/reference/src/main.rs describes the standard input. CHILDREN is the number of processes to
 * fork while threads look positions up.
 */
#include <granero.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 10000
#define REQUIRE(what)                                                              \
    do {                                                                           \
        if (!(what)) {                                                             \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #what, granero_message()); \
            exit(1);                                                               \
        }                                                                          \
    } while (0)

static GraneroTables *tables;
static uint8_t positions[MOST][GRANERO_HOUSES];
static GraneroRange probed[MOST];
static GraneroAssessment expected[MOST];
static size_t count;

static int number(void) {
    int number;
    REQUIRE(scanf("%d", &number) == 1);
    return number;
}

static void read_answers(void) {
    int first;
    while (scanf("%d", &first) == 1) {
        REQUIRE(count < MOST);
        positions[count][0] = (uint8_t)first;
        for (int house = 1; house < GRANERO_HOUSES; house++) {
            positions[count][house] = (uint8_t)number();
        }
        probed[count].low = (int8_t)number();
        probed[count].high = (int8_t)number();
        GraneroAssessment *answer = &expected[count++];
        answer->range.low = (int8_t)number();
        answer->range.high = (int8_t)number();
        answer->over = (GraneroOver)number();
        answer->count = (uint8_t)number();
        for (int i = 0; i < answer->count; i++) {
            GraneroAssessedMove *move = &answer->moves[i];
            move->play.house = (uint8_t)number();
            move->play.captured = (uint8_t)number();
            move->play.conceded = (uint8_t)number();
            move->play.ends_game = number();
            move->range.low = (int8_t)number();
            move->range.high = (int8_t)number();
            move->best = number();
        }
    }
}

static int same(GraneroRange one, GraneroRange other) {
    return one.low == other.low && one.high == other.high;
}

static GraneroStatus status_of(GraneroRange range) {
    return range.low == GRANERO_NONE ? GRANERO_UNKNOWN : GRANERO_OK;
}

/* Compares every seventh position from a first one; several threads do this in parallel. */
static void *compare(void *from) {
    for (size_t i = *(size_t *)from; i < count; i += 7) {
        GraneroRange range;
        REQUIRE(granero_probe(tables, positions[i], &range) == status_of(probed[i]));
        REQUIRE(same(range, probed[i]));

        GraneroAssessment found;
        REQUIRE(granero_assess(tables, positions[i], &found) == status_of(expected[i].range));
        REQUIRE(same(found.range, expected[i].range));
        REQUIRE(found.over == expected[i].over && found.count == expected[i].count);
        GraneroTurn turn;
        REQUIRE(granero_moves(granero_rules(tables), positions[i], &turn) == GRANERO_OK);
        REQUIRE(turn.over == found.over && turn.count == found.count);
        for (int m = 0; m < found.count; m++) {
            const GraneroAssessedMove *one = &found.moves[m], *other = &expected[i].moves[m];
            REQUIRE(one->play.house == other->play.house);
            REQUIRE(one->play.captured == other->play.captured);
            REQUIRE(one->play.conceded == other->play.conceded);
            REQUIRE(one->play.ends_game == other->play.ends_game);
            REQUIRE(same(one->range, other->range) && one->best == other->best);
            GraneroMove play;
            REQUIRE(granero_play(granero_rules(tables), positions[i], one->play.house, &play) == 0);
            REQUIRE(memcmp(&play, &one->play, sizeof play) == 0);
        }
    }
    return NULL;
}

static void compare_many(void) {
    int8_t *low = malloc(count), *high = malloc(count);
    REQUIRE(granero_probe_many(tables, positions[0], count, low, high) == GRANERO_OK);
    for (size_t i = 0; i < count; i++) {
        REQUIRE(low[i] == probed[i].low && high[i] == probed[i].high);
    }
    memset(low, 1, count);
    REQUIRE(granero_probe_many(tables, positions[0], count, low, NULL) == GRANERO_OK);
    REQUIRE(count == 0 || low[0] == probed[0].low);
    REQUIRE(granero_probe_many(tables, NULL, 0, NULL, NULL) == GRANERO_OK);
    free(low);
    free(high);
}

static atomic_bool ended;

static void *ask(void *from) {
    while (!ended) {
        from == NULL ? compare_many() : (void)compare(from);
    }
    return NULL;
}

/* A child has only the thread that forks: it must not wait for locks of other threads. */
static void fork_children(int children) {
    pthread_t threads[3];
    size_t from[] = {1, 2};
    for (int i = 0; i < 3; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, ask, i < 2 ? &from[i] : NULL) == 0);
    }
    for (int i = 0; i < children; i++) {
        pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            alarm(60);
            compare(&(size_t){0});
            compare_many();
            _exit(0);
        }
        int status;
        REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    }
    ended = true;
    for (int i = 0; i < 3; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
}

static bool stop_at(void *left) {
    return --*(int *)left <= 0;
}

/* A search from smaller tables proves what the larger ones say. */
static void compare_proofs(GraneroCycles cycles) {
    GraneroTables *sample;
    REQUIRE(granero_open_sample(cycles, &sample) == GRANERO_OK);
    GraneroBudget budget = {.positions = 300};
    GraneroProof proof;
    size_t settled = 0;
    for (size_t i = 0; i < count && i < 400; i++) {
        if (status_of(probed[i]) == GRANERO_UNKNOWN) {
            continue;
        }
        REQUIRE(granero_prove(sample, positions[i], &budget, &proof) == GRANERO_OK);
        const GraneroAssessment *found = &proof.assessment;
        REQUIRE(found->range.low <= probed[i].high && probed[i].low <= found->range.high);
        REQUIRE(found->count == expected[i].count && found->over == expected[i].over);
        for (int m = 0; m < found->count; m++) {
            const GraneroAssessedMove *one = &found->moves[m], *other = expected[i].moves;
            while (other->play.house != one->play.house) {
                other++;
            }
            REQUIRE(one->play.captured == other->play.captured && (!one->best || other->best));
            REQUIRE(one->range.low <= other->range.high && (m == 0 || one->range.low <= one[-1].range.low));
        }
        REQUIRE(proof.seconds >= 0 && (proof.ended == GRANERO_ENDED_SETTLED || proof.positions >= 300));
        settled += proof.ended == GRANERO_ENDED_SETTLED;
    }
    REQUIRE(count == 0 || settled > 0);

    int left = 3;
    uint8_t start[GRANERO_HOUSES] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    GraneroBudget endless = {.seconds = 3600, .stop = stop_at, .data = &left};
    REQUIRE(granero_prove(sample, start, &endless, &proof) == GRANERO_OK);
    REQUIRE(proof.ended == GRANERO_ENDED_STOPPED && left == 0 && proof.positions > 0);
    char *judged;
    left = 3;
    REQUIRE(granero_judge(sample, "FfBe", 1, &endless, &judged) == GRANERO_OK && left == 0);
    REQUIRE(strstr(judged, "\"beyond\":4") && strstr(judged, "\"ended\":\"stopped\""));
    granero_free(judged);
    REQUIRE(granero_judge(sample, "Ff", 1, NULL, &judged) == GRANERO_OK);
    REQUIRE(strstr(judged, "\"moves\":[],"));
    granero_free(judged);

    REQUIRE(granero_prove(sample, start, NULL, &proof) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_prove(sample, start, &(GraneroBudget){0}, &proof) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(strcmp(granero_message(), "a search needs a limit") == 0);
    budget.seconds = -1;
    REQUIRE(granero_prove(sample, start, &budget, &proof) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_judge(sample, "Ff", 1, &budget, &judged) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_judge(sample, "?", 1, NULL, &judged) == GRANERO_ERROR_NOTATION);
    REQUIRE(granero_judge(sample, "Ff", 2, NULL, &judged) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_judge(sample, "Ff", 1, NULL, NULL) == GRANERO_ERROR_ARGUMENT);
    granero_free(NULL);
    granero_close(sample);
}

/* Calls that must fail with a message. */
static void try_errors(void) {
    GraneroTables *none = NULL;
    GraneroRange range;
    GraneroTurn turn;
    GraneroMove play;
    GraneroRules rules;
    uint8_t empty[GRANERO_HOUSES] = {0}, full[GRANERO_HOUSES] = {49}, read[GRANERO_HOUSES];

    REQUIRE(granero_open("/no/such/directory", &none) == GRANERO_ERROR_TABLES && none == NULL);
    REQUIRE(strstr(granero_message(), "/no/such/directory holds no tables"));
    REQUIRE(granero_open(NULL, &none) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(strcmp(granero_message(), "the directory is a null pointer") == 0);
    REQUIRE(granero_open_sample(GRANERO_CYCLES_SPLIT, NULL) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_open_sample(7, &none) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_open_with(".", 0, 7, 0, -1, &none) == GRANERO_ERROR_ARGUMENT);

    REQUIRE(granero_probe(NULL, empty, &range) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_probe(tables, NULL, &range) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_probe(tables, empty, NULL) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_probe(tables, full, &range) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(strstr(granero_message(), "49 seeds"));
    REQUIRE(granero_probe_many(tables, full, 1, NULL, NULL) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(strncmp(granero_message(), "position 0: ", 12) == 0);
    REQUIRE(granero_probe_many(tables, empty, SIZE_MAX, NULL, NULL) == GRANERO_ERROR_ARGUMENT);

    REQUIRE(granero_parse_position("0 1 0 two", read) == GRANERO_ERROR_NOTATION);
    REQUIRE(strcmp(granero_message(),
                   "at character 7: expected a number of seeds, found `two`") == 0);
    REQUIRE(granero_parse_position("\xff", read) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_moves(99, empty, &turn) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_play(GRANERO_RULES_ABAPA, empty, 6, &play) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_play(GRANERO_RULES_ABAPA, empty, 0, &play) == GRANERO_ERROR_ILLEGAL_MOVE);
    REQUIRE(strstr(granero_message(), "the game is over"));
    REQUIRE(granero_rules_by_name("chess", &rules) == GRANERO_ERROR_ARGUMENT);
    REQUIRE(granero_rules_by_name("awari", &rules) == GRANERO_OK && rules == GRANERO_RULES_AWARI);
    REQUIRE(strcmp(granero_rules_name(GRANERO_RULES_AWARI), "awari") == 0);
    REQUIRE(granero_rules_name(99) == NULL);
    REQUIRE(granero_max_seeds(NULL) == -1 && granero_cycles(NULL) == GRANERO_CYCLES_ANY);
    REQUIRE(granero_rules(NULL) == UINT32_MAX);
    granero_close(NULL);
}

int main(int argc, char **argv) {
    REQUIRE(argc == 3 || argc == 4);
    GraneroCycles cycles =
        strcmp(argv[2], "split") == 0 ? GRANERO_CYCLES_SPLIT : GRANERO_CYCLES_OWN_SIDE;
    REQUIRE(granero_abi_version() == GRANERO_ABI_VERSION && granero_version()[0] != '\0');
    REQUIRE(granero_open_with(argv[1], cycles, GRANERO_ACCESS_READ, 1 << 20, 4, &tables) == 0);
    REQUIRE(granero_cycles(tables) == cycles);
    read_answers();

    pthread_t threads[7];
    size_t from[7];
    for (int i = 0; i < 7; i++) {
        from[i] = i;
        REQUIRE(pthread_create(&threads[i], NULL, compare, &from[i]) == 0);
    }
    for (int i = 0; i < 7; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    compare_many();
    if (argc == 4) {
        fork_children(atoi(argv[3]));
    }
    compare_proofs(cycles);
    try_errors();
    granero_close(tables);
    printf("C: %zu positions (%s) as in Rust\n", count, argv[2]);
    return 0;
}
