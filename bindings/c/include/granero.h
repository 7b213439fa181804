/*
 * granero: exact endgame tables for Oware, Awari, Wari, Awalé.
 *
 * Made by cbindgen of bindings/c/src. bindings/c/README.md has a tour.
 */

#ifndef GRANERO_H
#define GRANERO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The number of houses, and so the length of a position: the seeds in the houses A to F of the player
 * to move, then in A to F of the opponent.
 */
#define GRANERO_HOUSES 12

/**
 * The most seeds on a board.
 */
#define GRANERO_MAX_SEEDS 48

/**
 * The most moves of a position.
 */
#define GRANERO_MAX_MOVES 6

/**
 * Stands for a value that the tables do not have.
 */
#define GRANERO_NONE -128

/**
 * The version of the interface in this header. It changes, together with the name of the shared library,
 * when programs must be recompiled.
 */
#define GRANERO_ABI_VERSION 1

/**
 * Open tables, to look positions up. Threads can share them: calls wait for each other only while one
 * looks up a block of the cache. A child of `fork` can use them, whatever its parent's threads were
 * doing.
 */
typedef struct GraneroTables GraneroTables;

/**
 * The status of a call: `GRANERO_OK`, `GRANERO_UNKNOWN`, or a negative number for an error. After an
 * error, `granero_message` says what is wrong, and the call has written nothing.
 */
typedef int32_t GraneroStatus;

/**
 * A set of rules: one of the GRANERO_RULES_…
 */
typedef uint32_t GraneroRules;

/**
 * A legal move and its result.
 */
typedef struct {
  /**
   * The house that is sown: 0 for A to 5 for F.
   */
  uint8_t house;
  /**
   * The seeds that the mover captures.
   */
  uint8_t captured;
  /**
   * The seeds that the opponent gets at once.
   */
  uint8_t conceded;
  /**
   * True if the move itself ends the game.
   */
  bool ends_game;
  /**
   * The position after the move, seen from the opponent.
   */
  uint8_t position[GRANERO_HOUSES];
} GraneroMove;

/**
 * The reason why the game is over: one of the GRANERO_OVER_…
 */
typedef uint8_t GraneroOver;

/**
 * The moves of a position, or the end of the game.
 */
typedef struct {
  /**
   * The legal moves; `count` of them.
   */
  GraneroMove moves[GRANERO_MAX_MOVES];
  /**
   * The number of moves: 0 if the game is over.
   */
  uint8_t count;
  /**
   * The reason why the game is over.
   */
  GraneroOver over;
  /**
   * If the game is over: the value of the position to the player whose turn it would be.
   */
  int8_t value;
} GraneroTurn;

/**
 * The limits of a search. It ends at the first one that it reaches; there must be one.
 */
typedef struct {
  /**
   * The most positions that it looks at, apart from those in the tables; 0 for any number. The same number
   * proves the same on every machine.
   */
  uint64_t positions;
  /**
   * The most seconds that it takes; 0 for any time.
   */
  double seconds;
  /**
   * Called now and then, on the calling thread: the search ends when it returns true. It may be a null
   * pointer, and must return: no exception, no longjmp.
   */
  bool (*stop)(void *data);
  /**
   * The argument of `stop`.
   */
  void *data;
} GraneroBudget;

/**
 * The least and the most that the player to move gets, in seeds, as far as the tables tell it. Both are the
 * value if it is known, and GRANERO_NONE beyond the tables.
 */
typedef struct {
  /**
   * The least.
   */
  int8_t low;
  /**
   * The most.
   */
  int8_t high;
} GraneroRange;

/**
 * A legal move and its worth to the player who makes it.
 */
typedef struct {
  /**
   * The move.
   */
  GraneroMove play;
  /**
   * The worth of the move.
   */
  GraneroRange range;
  /**
   * True for a best move.
   */
  bool best;
} GraneroAssessedMove;

/**
 * The worth of a position and of each of its moves.
 */
typedef struct {
  /**
   * The legal moves, the best first; `count` of them.
   */
  GraneroAssessedMove moves[GRANERO_MAX_MOVES];
  /**
   * The number of moves: 0 if the game is over.
   */
  uint8_t count;
  /**
   * The reason why the game is over.
   */
  GraneroOver over;
  /**
   * The worth of the position.
   */
  GraneroRange range;
} GraneroAssessment;

/**
 * The reason why a search ended: one of the GRANERO_ENDED_…
 */
typedef uint8_t GraneroEnded;

/**
 * What a search has proven.
 */
typedef struct {
  /**
   * The least and the most that the position and each of its moves are worth, as far as it is proven. A move
   * is best if it certainly is.
   */
  GraneroAssessment assessment;
  /**
   * The number of positions looked at, apart from those in the tables.
   */
  uint64_t positions;
  /**
   * The seconds that it took.
   */
  double seconds;
  /**
   * The reason why the search ended.
   */
  GraneroEnded ended;
} GraneroProof;

/**
 * A convention for endless play: one of the GRANERO_CYCLES_…
 */
typedef uint32_t GraneroCycles;

/**
 * The way in which files are read: one of the GRANERO_ACCESS_…
 */
typedef uint32_t GraneroAccess;

/**
 * The international rules: a grand slam is a legal move, but captures nothing.
 */
#define GRANERO_RULES_ABAPA 0

/**
 * A grand slam is not a legal move.
 */
#define GRANERO_RULES_SLAM_ILLEGAL 1

/**
 * A grand slam is captured and ends the game.
 */
#define GRANERO_RULES_SLAM_ENDS 2

/**
 * A grand slam leaves the last house of its chain.
 */
#define GRANERO_RULES_SLAM_LEAVES_LAST 3

/**
 * A grand slam leaves the first house of its chain.
 */
#define GRANERO_RULES_SLAM_LEAVES_FIRST 4

/**
 * A grand slam may be played only when there is no other move.
 */
#define GRANERO_RULES_ITALIAN 5

/**
 * A grand slam is a capture like any other.
 */
#define GRANERO_RULES_SLAM_CAPTURES 6

/**
 * The rules under which the game was solved.
 */
#define GRANERO_RULES_AWARI 7

/**
 * The game is not over: there are moves.
 */
#define GRANERO_OVER_NOT 0

/**
 * The player to move has no seeds: the opponent takes the rest.
 */
#define GRANERO_OVER_NO_SEEDS 1

/**
 * The opponent has no seeds and no move gives any: the player to move takes the rest.
 */
#define GRANERO_OVER_CANNOT_FEED 2

/**
 * Every move would be a grand slam, which is illegal: each player takes the seeds on their own side.
 */
#define GRANERO_OVER_ONLY_GRAND_SLAMS 3

/**
 * Everything is proven, or there is nothing left to look at.
 */
#define GRANERO_ENDED_SETTLED 0

/**
 * The search has looked at its number of positions.
 */
#define GRANERO_ENDED_POSITIONS 1

/**
 * The time is over.
 */
#define GRANERO_ENDED_TIME 2

/**
 * The search has used 1 GiB of memory.
 */
#define GRANERO_ENDED_MEMORY 3

/**
 * `stop` returned true.
 */
#define GRANERO_ENDED_STOPPED 4

/**
 * The call succeeded.
 */
#define GRANERO_OK 0

/**
 * The position is beyond the tables: neither an error nor an answer.
 */
#define GRANERO_UNKNOWN 1

/**
 * An argument is not possible: a null pointer, an unknown number, too many seeds.
 */
#define GRANERO_ERROR_ARGUMENT -1

/**
 * A text cannot be read.
 */
#define GRANERO_ERROR_NOTATION -2

/**
 * The rules do not allow the move.
 */
#define GRANERO_ERROR_ILLEGAL_MOVE -3

/**
 * Tables cannot be read, or do not hold the requested values.
 */
#define GRANERO_ERROR_TABLES -4

/**
 * There is a fault in the library.
 */
#define GRANERO_ERROR_FAULT -5

/**
 * The convention that the directory has; "split" if it has both.
 */
#define GRANERO_CYCLES_ANY 0

/**
 * Endless play is worth nothing to either. Positions have one value.
 */
#define GRANERO_CYCLES_SPLIT 1

/**
 * Endless play gives each player the seeds on their own side. Positions have two bounds.
 */
#define GRANERO_CYCLES_OWN_SIDE 2

/**
 * Maps files into memory. If a part of a mapped file cannot be read, because a medium fails or another
 * program truncates the file, the operating system sends the program a signal.
 */
#define GRANERO_ACCESS_MAP 0

/**
 * Reads files piece by piece. Whatever happens to them, the result is an ordinary error.
 */
#define GRANERO_ACCESS_READ 1

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Reads a position in any notation, such as twelve numbers or a board of two rows. Leaves out stores.
 *
 * `text`: text in UTF-8 that ends with a zero.
 * `position`: room for GRANERO_HOUSES bytes.
 */
GraneroStatus granero_parse_position(const char *text,
                                     uint8_t *position);

/**
 * The rules with a name, such as "abapa".
 *
 * `name`: text that ends with a zero.
 * `rules`: room for the answer.
 */
GraneroStatus granero_rules_by_name(const char *name, GraneroRules *rules);

/**
 * The name of some rules; a null pointer if there are no such rules.
 */
const char *granero_rules_name(GraneroRules rules);

/**
 * The legal moves of a position in the order of their houses, or the end of the game.
 *
 * `position`: GRANERO_HOUSES bytes.
 * `turn`: room for the answer.
 */
GraneroStatus granero_moves(GraneroRules rules, const uint8_t *position, GraneroTurn *turn);

/**
 * Plays a house, 0 for A to 5 for F. If the move is not legal, the message says why.
 *
 * `position`: GRANERO_HOUSES bytes.
 * `play`: room for the answer.
 */
GraneroStatus granero_play(GraneroRules rules,
                           const uint8_t *position,
                           uint8_t house,
                           GraneroMove *play);

/**
 * Searches from a position into the tables, and proves the least and the most that the player to move gets. The
 * position may be within the tables, too.
 *
 * `position`: GRANERO_HOUSES bytes.
 * `budget`: the limits of the search.
 * `proof`: room for the answer.
 */
GraneroStatus granero_prove(const GraneroTables *tables,
                            const uint8_t *position,
                            const GraneroBudget *budget,
                            GraneroProof *proof);

/**
 * Judges the moves of a game: the answer is the JSON document that `granero judge --json` prints, without the
 * version; docs/cli.md describes it. `granero_free` frees it.
 *
 * `text`: games in any notation, in UTF-8 and with a zero at the end.
 * `game`: the number of the game to judge, from 1.
 * `budget`: the limits of the search from each position beyond the tables; a null pointer for no search. After
 * `stop` has returned true there is no other search, and the game is judged by the proofs so far.
 * `document`: room for the answer, text in UTF-8 that ends with a zero.
 */
GraneroStatus granero_judge(const GraneroTables *tables,
                            const char *text,
                            size_t game,
                            const GraneroBudget *budget,
                            char **document);

/**
 * Frees a text that a call has given. Does nothing for a null pointer.
 */
void granero_free(char *text);

/**
 * The message of the last error that a call of this thread reported: text in UTF-8, which stays until the
 * thread's next error. Empty if there was none.
 */
const char *granero_message(void);

/**
 * Opens a directory of tables, with mapped files and 64 MiB for decoded blocks. `granero_close`
 * closes them.
 *
 * `directory`: its name, which ends with a zero; on Windows in UTF-8.
 * `tables`: room for the answer.
 */
GraneroStatus granero_open(const char *directory, GraneroTables **tables);

/**
 * Opens a directory of tables.
 *
 * `cache_bytes`: the memory for decoded blocks.
 * `in_memory`: decode layers up to this number of seeds and keep them in memory; none if negative.
 */
GraneroStatus granero_open_with(const char *directory,
                                GraneroCycles cycles,
                                GraneroAccess access,
                                uint64_t cache_bytes,
                                int32_t in_memory,
                                GraneroTables **tables);

/**
 * Opens the sample tables inside the library: "abapa", up to 8 seeds.
 */
GraneroStatus granero_open_sample(GraneroCycles cycles, GraneroTables **tables);

/**
 * Closes tables, which no thread may use any more. Does nothing for a null pointer.
 */
void granero_close(GraneroTables *tables);

/**
 * The rules of tables; 4294967295 for a null pointer.
 */
GraneroRules granero_rules(const GraneroTables *tables);

/**
 * The convention of tables for endless play; GRANERO_CYCLES_ANY for a null pointer.
 */
GraneroCycles granero_cycles(const GraneroTables *tables);

/**
 * The most seeds that a position in the tables has; -1 if they have no layers, or for a null pointer.
 */
int32_t granero_max_seeds(const GraneroTables *tables);

/**
 * Looks up the worth of a position. GRANERO_UNKNOWN beyond the tables.
 *
 * `position`: GRANERO_HOUSES bytes.
 * `range`: room for the answer.
 */
GraneroStatus granero_probe(const GraneroTables *tables,
                            const uint8_t *position,
                            GraneroRange *range);

/**
 * Looks up the worth of many positions. This is much faster than one at a time: it uses all processors, or
 * as many threads as the environment variable RAYON_NUM_THREADS says, and looks up positions of one block
 * together. The threads stay for the next call; a child of `fork` starts its own.
 *
 * `positions`: `count` times GRANERO_HOUSES bytes.
 * `low`, `high`: room for `count` bytes each, GRANERO_NONE for positions beyond the tables. Either
 * may be a null pointer.
 */
GraneroStatus granero_probe_many(const GraneroTables *tables,
                                 const uint8_t *positions,
                                 size_t count,
                                 int8_t *low,
                                 int8_t *high);

/**
 * Looks up the worth of a position and of each of its moves. GRANERO_UNKNOWN if the position is beyond the
 * tables; the worth of some of its moves may still be known.
 *
 * `position`: GRANERO_HOUSES bytes.
 * `assessment`: room for the answer.
 */
GraneroStatus granero_assess(const GraneroTables *tables,
                             const uint8_t *position,
                             GraneroAssessment *assessment);

/**
 * The version of the interface in the library: `GRANERO_ABI_VERSION`, unless the program was compiled with
 * another header.
 */
uint32_t granero_abi_version(void);

/**
 * The version of the library, as text.
 */
const char *granero_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GRANERO_H */
