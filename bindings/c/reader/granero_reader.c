/*
 * A reader of granero's tables, as docs/format.md, docs/index.md and docs/rules.md describe them. It shares
 * nothing with the library. C99, and POSIX or Windows for files above 2 GiB.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#if !defined _WIN32 && !defined _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#define _FILE_OFFSET_BITS 64

#include "granero_reader.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifndef S_ISREG
#define S_ISREG(mode) (((mode) & _S_IFMT) == _S_IFREG)
#endif
#ifdef _WIN32
#define seek_to(file, offset) _fseeki64(file, (__int64)(offset), SEEK_SET)
#else
#define seek_to(file, offset) fseeko(file, (off_t)(offset), SEEK_SET)
#endif

enum {
    FORMAT = 5,
    VERSION = 4,
    MOST_SEEDS = 48,
    MANIFEST_BYTES = 1 << 20,
    HEADER_BYTES = 160,
    GROUP_BYTES = 396,
    BLOCK_BYTES = 65552,
    SLOTS = 1024,
    KEPT_TILES = 512,
    /* Damaged tables may ask for more; sound ones need a few hundred at most. */
    MOST_LOOK_UPS = 1 << 20
};

typedef enum { NEVER, LAST_RESORT, ALWAYS } Permission;

/* When a grand slam is legal, the houses of its chain that it leaves, whether it ends the game, and when it
 * is legal not to feed. */
typedef struct {
    const char *name;
    Permission slam;
    enum { LEAVES_ALL, LEAVES_NONE, LEAVES_FIRST, LEAVES_LAST } leaves;
    bool ends_game;
    Permission starving;
} Rules;

static const Rules RULES[] = {
    {"abapa", ALWAYS, LEAVES_ALL, false, NEVER},
    {"slam-illegal", NEVER, LEAVES_ALL, false, NEVER},
    {"slam-ends", ALWAYS, LEAVES_NONE, true, NEVER},
    {"slam-leaves-last", ALWAYS, LEAVES_LAST, false, NEVER},
    {"slam-leaves-first", ALWAYS, LEAVES_FIRST, false, NEVER},
    {"italian", LAST_RESORT, LEAVES_ALL, false, NEVER},
    {"slam-captures", ALWAYS, LEAVES_NONE, false, NEVER},
    {"awari", LAST_RESORT, LEAVES_NONE, false, LAST_RESORT},
};

typedef enum { LOW, HIGH } Measure;

typedef struct {
    uint16_t frequency, start;
    uint8_t symbol;
} Slot;

/* Rows or columns, cut into pieces that are as equal as possible. */
typedef struct {
    uint64_t places, pieces;
} Cuts;

typedef struct {
    FILE *file;
    int seeds, limit, kinds;
    Cuts rows[MOST_SEEDS + 1], columns[MOST_SEEDS + 1];
    uint64_t first[MOST_SEEDS + 1], tiles, block_bytes, index_start, blocks_start;
    /* The cluster of each context, and the slots of each cluster. */
    uint8_t *clusters;
    Slot (*slots)[SLOTS];
} Layer;

/* The numbers of a tile; its stored columns are numbered from 0. */
typedef struct {
    int seeds;
    uint64_t number;
    int stored, column[64];
    uint8_t *numbers, *seconds;
} Tile;

struct GraneroReader {
    char *directory;
    char message[512];
    const Rules *rules;
    bool has_bounds;
    int decides, layers;
    uint64_t file_bytes[MOST_SEEDS + 1];
    char hashes[MOST_SEEDS + 1][2][65];
    Layer *layer[MOST_SEEDS + 1];
    Tile kept[KEPT_TILES];
    uint32_t crcs[256];
    int look_ups;
};

/* Notes an error and returns false. */
static bool fail(GraneroReader *reader, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(reader->message, sizeof reader->message, format, values);
    va_end(values);
    return false;
}

/* Numbers and checksums ---------------------------------------------------------------------------------- */

static uint64_t little_endian(const uint8_t *bytes, int count) {
    uint64_t number = 0;
    while (count-- > 0) {
        number = number << 8 | bytes[count];
    }
    return number;
}

static uint32_t crc(const GraneroReader *reader, const uint8_t *bytes, size_t count) {
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        sum = sum >> 8 ^ reader->crcs[(sum ^ bytes[i]) & 0xFF];
    }
    return ~sum;
}

static uint32_t rotated(uint32_t word, int bits) {
    return word >> bits | word << (32 - bits);
}

static void compress(uint32_t state[8], const uint8_t block[64]) {
    static const uint32_t constants[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    uint32_t words[64], s[8];
    for (int i = 0; i < 16; i++) {
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + words[i - 7] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) +
                   (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t one = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) +
                       ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + words[i];
        uint32_t two = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) +
                       ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++) {
        state[i] += s[i];
    }
}

/* The SHA-256 of bytes, in hexadecimal digits. */
static void sha256(const uint8_t *bytes, size_t count, char digits[65]) {
    uint32_t state[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t end[128] = {0};
    size_t rest = count % 64, padded = rest < 56 ? 64 : 128;
    for (size_t i = 0; i + 64 <= count; i += 64) {
        compress(state, bytes + i);
    }
    memcpy(end, bytes + (count - rest), rest);
    end[rest] = 0x80;
    for (int i = 0; i < 8; i++) {
        end[padded - 1 - i] = (uint8_t)((uint64_t)count * 8 >> 8 * i);
    }
    for (size_t i = 0; i < padded; i += 64) {
        compress(state, end + i);
    }
    for (int i = 0; i < 8; i++) {
        snprintf(digits + 8 * i, 9, "%08lx", (unsigned long)state[i]);
    }
}

static void hexadecimal(const uint8_t bytes[32], char digits[65]) {
    for (int i = 0; i < 32; i++) {
        snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
    }
}

/* The game ------------------------------------------------------------------------------------------------ */

typedef struct {
    int gained;
    /* True if the move takes no seeds from the board. */
    bool quiet;
    uint8_t child[12];
} Move;

static int seeds_of(const uint8_t *houses, int count) {
    int seeds = 0;
    for (int i = 0; i < count; i++) {
        seeds += houses[i];
    }
    return seeds;
}

/* Plays a house that is not empty. */
static Permission play(const Rules *rules, const uint8_t position[12], int house, Move *move) {
    uint8_t board[12];
    memcpy(board, position, sizeof board);
    int last = house;
    board[house] = 0;
    for (int seeds = position[house]; seeds > 0;) {
        last = (last + 1) % 12;
        if (last != house) {
            board[last]++;
            seeds--;
        }
    }
    /* The chain is the houses from `end` to `start`. */
    int start = last, end = last + 1, captured = 0, opponents = seeds_of(board + 6, 6);
    while (end > 6 && (board[end - 1] == 2 || board[end - 1] == 3)) {
        captured += board[--end];
    }
    Permission permission = ALWAYS;
    bool over = false;
    if (opponents == 0) {
        permission = rules->starving;
    } else if (captured == opponents) {
        permission = rules->slam;
        over = rules->ends_game;
        start -= rules->leaves == LEAVES_FIRST;
        end += rules->leaves == LEAVES_LAST;
        end = rules->leaves == LEAVES_ALL ? start + 1 : end;
    }
    captured = 0;
    for (; end <= start; end++) {
        captured += board[end];
        board[end] = 0;
    }
    int conceded = over ? seeds_of(board, 12) : 0;
    if (over) {
        memset(board, 0, sizeof board);
    }
    move->gained = captured - conceded;
    move->quiet = captured + conceded == 0;
    memcpy(move->child, board + 6, 6);
    memcpy(move->child + 6, board, 6);
    return permission;
}

/* Finds the legal moves, and returns their number. */
static int legal_moves(const Rules *rules, const uint8_t position[12], Move moves[6]) {
    int count = 0;
    Permission best = LAST_RESORT;
    for (int house = 0; house < 6; house++) {
        Move move;
        Permission permission = position[house] == 0 ? NEVER : play(rules, position, house, &move);
        if (permission > best) {
            best = permission;
            count = 0;
        }
        if (permission == best) {
            moves[count++] = move;
        }
    }
    return count;
}

/* The index ----------------------------------------------------------------------------------------------- */

static uint64_t choose(int from, int count) {
    uint64_t ways = 1;
    for (int i = 1; i <= count; i++) {
        ways = ways * (uint64_t)(from - count + i) / (uint64_t)i;
    }
    return ways;
}

/* The number of ways to lay seeds into houses. */
static uint64_t ways(int seeds, int houses) {
    return choose(seeds + houses - 1, houses - 1);
}

static uint64_t rank(const uint8_t half[6]) {
    int behind = seeds_of(half, 6);
    uint64_t number = ways(behind, 6) - 1;
    for (int i = 1; i <= 5; i++) {
        behind -= half[i - 1];
        number -= choose(behind + 5 - i, 6 - i);
    }
    return number;
}

static void unrank(int seeds, uint64_t number, uint8_t half[6]) {
    for (int house = 0; house < 5; house++) {
        half[house] = 0;
        for (uint64_t fill; number >= (fill = ways(seeds, 5 - house)); number -= fill) {
            half[house]++;
            seeds--;
        }
    }
    half[5] = (uint8_t)seeds;
}

/* The manifest -------------------------------------------------------------------------------------------- */

static const char *after_space(const char *text) {
    return text + strspn(text, " \t\r\n");
}

/* The end of a string that begins at a quotation mark; NULL if it has none. */
static const char *after_string(const char *text) {
    if (*text != '"') {
        return NULL;
    }
    for (text++; *text != '"'; text++) {
        text += *text == '\\';
        if (*text == 0) {
            return NULL;
        }
    }
    return text + 1;
}

/* The end of a JSON value; NULL if it is none. It only has to find its way: a checksum guards the manifest. */
static const char *after_value(const char *text) {
    int depth = 0;
    do {
        text = after_space(text);
        if (*text == '"') {
            text = after_string(text);
            if (text == NULL) {
                return NULL;
            }
        } else if (*text == '{' || *text == '[') {
            depth++;
            text++;
        } else if (*text == '}' || *text == ']') {
            depth--;
            text++;
        } else if (depth > 0 && (*text == ',' || *text == ':')) {
            text++;
        } else {
            size_t length = strcspn(text, " \t\r\n,:{}[]\"");
            if (length == 0) {
                return NULL;
            }
            text += length;
        }
    } while (depth > 0);
    return text;
}

/* The value of a field of a JSON object; NULL if it has none. */
static const char *field(const char *object, const char *name) {
    if (object == NULL || *object != '{') {
        return NULL;
    }
    for (const char *at = after_space(object + 1); *at == '"'; at = after_space(at + 1)) {
        const char *end = after_string(at);
        const char *value = end == NULL ? NULL : after_space(end);
        if (value == NULL || *value != ':') {
            return NULL;
        }
        value = after_space(value + 1);
        size_t length = strlen(name);
        if ((size_t)(end - at) == length + 2 && memcmp(at + 1, name, length) == 0) {
            return value;
        }
        at = after_value(value);
        at = at == NULL ? NULL : after_space(at);
        if (at == NULL || *at != ',') {
            return NULL;
        }
    }
    return NULL;
}

/* The next entry of a JSON array, from its bracket or the end of the last entry; NULL after the last one. */
static const char *next_entry(const char *at) {
    at = at == NULL ? NULL : after_space(at);
    if (at == NULL || (*at != '[' && *at != ',')) {
        return NULL;
    }
    at = after_space(at + 1);
    return *at == ']' ? NULL : at;
}

/* A whole number of a field, from 0 to 2^53; -1 if it is something else. */
static int64_t number_field(const char *object, const char *name) {
    const char *at = field(object, name);
    int64_t number = 0;
    if (at == NULL || *at < '0' || *at > '9') {
        return -1;
    }
    for (; *at >= '0' && *at <= '9'; at++) {
        number = 10 * number + (*at - '0');
        if (number > (int64_t)1 << 53) {
            return -1;
        }
    }
    return strchr(" \t\r\n,}", *at) == NULL ? -1 : number;
}

/* Tells if a field is a string. */
static bool is_string(const char *object, const char *name, const char *text) {
    const char *at = field(object, name);
    size_t length = strlen(text);
    return at != NULL && *at == '"' && strncmp(at + 1, text, length) == 0 && at[length + 1] == '"';
}

static bool hash_field(const char *object, const char *name, char digits[65]) {
    const char *at = field(object, name);
    if (at == NULL || *at != '"' || strspn(at + 1, "0123456789abcdef") != 64 || at[65] != '"') {
        return false;
    }
    memcpy(digits, at + 1, 64);
    digits[64] = 0;
    return true;
}

static FILE *open_file(GraneroReader *reader, const char *name, uint64_t *bytes) {
    size_t size = strlen(reader->directory) + strlen(name) + 2;
    char *path = malloc(size);
    struct stat found;
    FILE *file = NULL;
    if (path != NULL) {
        snprintf(path, size, "%s/%s", reader->directory, name);
        if (stat(path, &found) == 0 && S_ISREG(found.st_mode)) {
            file = fopen(path, "rb");
            *bytes = (uint64_t)found.st_size;
        }
        free(path);
    }
    if (file == NULL) {
        fail(reader, "%s: cannot open it, or it is no file", name);
    }
    return file;
}

/* Checks an entry of `layers` and one of `files`, and notes what look-ups need of them. */
static bool read_entries(GraneroReader *reader, const char *layer, const char *file) {
    char name[32];
    int seeds = reader->layers;
    snprintf(name, sizeof name, "layer-%02d.granero", seeds);
    int64_t bytes = number_field(file, "bytes");
    const char *high = field(layer, "high");
    memset(reader->hashes[seeds][HIGH], '0', 64);
    reader->hashes[seeds][HIGH][64] = 0;
    reader->file_bytes[seeds] = (uint64_t)bytes;
    return number_field(layer, "seeds") == seeds && is_string(file, "name", name) && bytes >= 0 &&
           number_field(layer, "positions") == (int64_t)choose(seeds + 11, 11) &&
           hash_field(layer, "sha256", reader->hashes[seeds][LOW]) && (high != NULL) == reader->has_bounds &&
           (high == NULL || hash_field(high, "sha256", reader->hashes[seeds][HIGH]));
}

static bool read_manifest(GraneroReader *reader, char *text, size_t length) {
    char digits[65];
    text[length] = 0;
    if (number_field(text, "format") != FORMAT) {
        return fail(reader, "granero.json: its version is not %d", FORMAT);
    }
    if (length < 78 || memcmp(text + length - 78, ",\"sha256\":\"", 11) != 0 ||
        memcmp(text + length - 3, "\"}\n", 3) != 0 || strlen(text) != length) {
        return fail(reader, "granero.json: it does not end with a checksum");
    }
    sha256((const uint8_t *)text, length - 78, digits);
    if (memcmp(text + length - 67, digits, 64) != 0) {
        return fail(reader, "granero.json: its checksum is wrong");
    }
    for (size_t i = 0; i < sizeof RULES / sizeof *RULES; i++) {
        if (is_string(text, "rules", RULES[i].name)) {
            reader->rules = &RULES[i];
        }
    }
    reader->has_bounds = is_string(text, "cycles", "own-side");
    bool is_right = reader->rules != NULL && (reader->has_bounds || is_string(text, "cycles", "split"));
    int most = MOST_SEEDS;
    if (field(text, "decides") != NULL) {
        int64_t decides = number_field(text, "decides");
        is_right = is_right && decides >= 1 && decides <= MOST_SEEDS;
        most = reader->decides = is_right ? (int)decides : 0;
    }
    const char *layer = next_entry(field(text, "layers")), *file = next_entry(field(text, "files"));
    while (is_right && layer != NULL && file != NULL) {
        is_right = reader->layers <= most && read_entries(reader, layer, file);
        reader->layers++;
        layer = next_entry(after_value(layer));
        file = next_entry(after_value(file));
    }
    is_right = is_right && layer == NULL && file == NULL;
    return is_right || fail(reader, "granero.json: a field is missing or wrong");
}

/* A layer file -------------------------------------------------------------------------------------------- */

static bool read_at(GraneroReader *reader, const Layer *layer, uint64_t offset, uint8_t *bytes, size_t count) {
    if (seek_to(layer->file, offset) != 0 || fread(bytes, 1, count, layer->file) != count) {
        return fail(reader, "the layer of %d seeds: cannot read it", layer->seeds);
    }
    return true;
}

static Cuts cuts(uint64_t places, int longest) {
    return (Cuts){places, (places + (uint64_t)longest - 1) / (uint64_t)longest};
}

static uint64_t start_of(Cuts cuts, uint64_t piece) {
    return piece * cuts.places / cuts.pieces;
}

static uint64_t piece_of(Cuts cuts, uint64_t place) {
    return ((place + 1) * cuts.pieces - 1) / cuts.places;
}

/* The limit of the values of a layer. */
static int limit_of(const GraneroReader *reader, int seeds) {
    if (reader->decides == 0) {
        return seeds;
    }
    int limit = reader->decides - seeds + 1;
    limit += reader->has_bounds && (limit - seeds) % 2 != 0;
    return limit < seeds ? limit : seeds;
}

static bool read_header(GraneroReader *reader, Layer *layer, uint64_t length, size_t *model_bytes) {
    uint8_t h[HEADER_BYTES];
    char line[200], name[60] = "", digits[65];
    if (!read_at(reader, layer, 0, h, sizeof h)) {
        return false;
    }
    int seeds = layer->seeds, width = (int)little_endian(h + 16, 2), height = (int)little_endian(h + 18, 2);
    if (memcmp(h, "\x8agrn\r\n\x1a\n", 8) != 0 || little_endian(h + 8, 2) != VERSION) {
        return fail(reader, "the layer of %d seeds: its file is no layer file of version %d", seeds, VERSION);
    }
    bool is_right = little_endian(h + 156, 4) == crc(reader, h, 156) && h[10] == seeds &&
                    h[11] == reader->has_bounds && (int8_t)h[12] == -layer->limit && h[13] == layer->kinds &&
                    h[14] == 4 && h[15] == 10 && h[20] == reader->decides && width >= 1 && width <= 64 &&
                    height >= 1 && height <= 256;
    static const int zeros[][2] = {{21, 24}, {28, 32}, {144, 156}};
    for (int i = 0; i < 3; i++) {
        for (int at = zeros[i][0]; at < zeros[i][1]; at++) {
            is_right = is_right && h[at] == 0;
        }
    }
    if (reader->decides != 0) {
        snprintf(name, sizeof name, ", values that decide a game of %d seeds", reader->decides);
    }
    snprintf(line, sizeof line, "granero table, rules %s, endless play %s, order 1%s\n", reader->rules->name,
             reader->has_bounds ? "own-side" : "split", name);
    sha256((const uint8_t *)line, strlen(line), digits);
    for (int i = 0; i < 3; i++) {
        char found[65];
        const char *expected[] = {digits, reader->hashes[seeds][LOW], reader->hashes[seeds][HIGH]};
        hexadecimal(h + 48 + 32 * i, found);
        is_right = is_right && memcmp(found, expected[i], 64) == 0;
    }
    for (int own = 0; is_right && own <= seeds; own++) {
        layer->rows[own] = cuts(ways(own, 6), height);
        layer->columns[own] = cuts(ways(seeds - own, 6), width);
        layer->first[own] = layer->tiles;
        layer->tiles += layer->rows[own].pieces * layer->columns[own].pieces;
    }
    *model_bytes = (size_t)little_endian(h + 24, 4);
    layer->block_bytes = little_endian(h + 40, 8);
    layer->index_start = 164 + *model_bytes;
    layer->blocks_start = layer->index_start + GROUP_BYTES * ((layer->tiles + 63) / 64);
    is_right = is_right && *model_bytes <= 1 << 20 && layer->tiles == little_endian(h + 32, 8) &&
               layer->block_bytes <= BLOCK_BYTES * layer->tiles &&
               length == layer->blocks_start + layer->block_bytes + 32;
    return is_right || fail(reader, "the layer of %d seeds: its header is wrong", seeds);
}

/* Reads the model from `count` bytes. */
static bool read_model(Layer *layer, const uint8_t *bytes, size_t count, size_t contexts, bool *has_memory) {
    size_t clusters = count > 0 ? bytes[0] : 0, at = 1;
    if (clusters < 1 || clusters > 128 || count < 1 + 2 * clusters * (size_t)layer->kinds) {
        return false;
    }
    layer->clusters = malloc(contexts);
    layer->slots = malloc(clusters * sizeof *layer->slots);
    *has_memory = layer->clusters != NULL && layer->slots != NULL;
    if (!*has_memory) {
        return false;
    }
    for (size_t cluster = 0; cluster < clusters; cluster++) {
        size_t start = 0;
        for (int symbol = 0; symbol < layer->kinds; symbol++, at += 2) {
            size_t frequency = (size_t)little_endian(bytes + at, 2);
            if (frequency > SLOTS - start) {
                return false;
            }
            for (size_t slot = start; slot < start + frequency; slot++) {
                layer->slots[cluster][slot] = (Slot){(uint16_t)frequency, (uint16_t)start, (uint8_t)symbol};
            }
            start += frequency;
        }
        if (start != SLOTS) {
            return false;
        }
    }
    size_t done = 0;
    while (done < contexts) {
        size_t cluster = at < count ? bytes[at++] : clusters, run = 0;
        bool is_whole = false;
        for (int shift = 0; shift <= 14 && at < count && !is_whole; shift += 7) {
            is_whole = bytes[at] < 0x80;
            run |= (size_t)(bytes[at++] & 0x7F) << shift;
        }
        if (cluster >= clusters || !is_whole || run == 0 || run > contexts - done) {
            return false;
        }
        memset(layer->clusters + done, (int)cluster, run);
        done += run;
    }
    return at == count;
}

static void close_layer(Layer *layer) {
    if (layer != NULL) {
        if (layer->file != NULL) {
            fclose(layer->file);
        }
        free(layer->clusters);
        free(layer->slots);
        free(layer);
    }
}

static bool read_layer(GraneroReader *reader, Layer *layer) {
    char name[32];
    int seeds = layer->seeds;
    uint64_t length = 0;
    size_t model_bytes = 0;
    snprintf(name, sizeof name, "layer-%02d.granero", seeds);
    layer->limit = limit_of(reader, seeds);
    layer->kinds = layer->limit + (reader->has_bounds ? 3 : 2);
    layer->file = open_file(reader, name, &length);
    if (layer->file == NULL) {
        return false;
    }
    if (length != reader->file_bytes[seeds]) {
        return fail(reader, "%s: its length is not the manifest's", name);
    }
    if (!read_header(reader, layer, length, &model_bytes)) {
        return false;
    }
    uint8_t *model = malloc(model_bytes + 4);
    bool has_memory = model != NULL, is_right = false;
    if (has_memory && read_at(reader, layer, HEADER_BYTES, model, model_bytes + 4)) {
        size_t contexts = (reader->has_bounds ? 1096 : 1080) * (size_t)layer->kinds;
        is_right = little_endian(model + model_bytes, 4) == crc(reader, model, model_bytes) &&
                   read_model(layer, model, model_bytes, contexts, &has_memory);
        is_right = is_right || fail(reader, "%s: its model is damaged", name);
    }
    free(model);
    return is_right || (has_memory ? false : fail(reader, "there is not enough memory"));
}

/* The layer of some seeds, which the tables have; NULL after an error. */
static Layer *layer_of(GraneroReader *reader, int seeds) {
    if (reader->layer[seeds] == NULL) {
        Layer *layer = calloc(1, sizeof *layer);
        if (layer == NULL) {
            fail(reader, "there is not enough memory");
            return NULL;
        }
        layer->seeds = seeds;
        if (!read_layer(reader, layer)) {
            close_layer(layer);
            return NULL;
        }
        reader->layer[seeds] = layer;
    }
    return reader->layer[seeds];
}

/* A block ------------------------------------------------------------------------------------------------- */

typedef struct {
    const Layer *layer;
    uint32_t states[4];
    const uint8_t *words, *end;
} Decoder;

/* Decodes a symbol; -1 if the block ends too early. */
static int next_symbol(Decoder *decoder, int lane, size_t context) {
    uint32_t state = decoder->states[lane];
    const Slot *slot = &decoder->layer->slots[decoder->layer->clusters[context]][state % SLOTS];
    state = slot->frequency * (state / SLOTS) + state % SLOTS - slot->start;
    if (state < 65536) {
        if (decoder->words == decoder->end) {
            return -1;
        }
        state = state << 16 | (uint32_t)little_endian(decoder->words, 2);
        decoder->words += 2;
    }
    decoder->states[lane] = state;
    return slot->symbol;
}

/* The houses on the other side where a move of a half-board ends, as bits; and those where one more seed
 * makes a capture. */
typedef struct {
    unsigned reach, prey;
} Traits;

static Traits traits_of(const uint8_t half[6]) {
    Traits traits = {0, 0};
    for (int house = 0; house < 6; house++) {
        int end = house + half[house] - 6;
        if (half[house] < 12 && end >= 0 && end < 6) {
            traits.reach |= 1u << end;
        }
        if (half[house] == 1 || half[house] == 2) {
            traits.prey |= 1u << house;
        }
    }
    return traits;
}

static int bits_in(unsigned set) {
    int count = 0;
    for (; set != 0; set &= set - 1) {
        count++;
    }
    return count;
}

/* The length of the run that three numbers begin with, from 0. */
static int run(const int numbers[3]) {
    return numbers[0] != numbers[1] ? 0 : numbers[1] != numbers[2] ? 1 : 2;
}

/* The number to the left of a place, and the context without the structure. */
static size_t context_of(const Tile *tile, int kinds, int r, int x, int *before) {
    const uint8_t *row = tile->numbers + r * tile->stored;
    int first = r > 0 ? row[-tile->stored] : kinds / 2;
    int left[3], above[3];
    for (int i = 0; i < 3; i++) {
        left[i] = x > i ? row[x - 1 - i] : first;
        above[i] = r > i ? row[x - (i + 1) * tile->stored] : -1;
    }
    int step = 0;
    if (above[0] >= 0) {
        step = 5 + above[0] - left[0];
        step = step < 1 ? 1 : step > 9 ? 9 : step;
    }
    *before = left[0];
    return (size_t)(1080 * left[0] + 108 * step + 36 * run(left) + 12 * run(above));
}

/* A second number as a part of a context. */
static int around(const Tile *tile, int r, int x) {
    int second = r < 0 || x < 0 ? UINT8_MAX : tile->seconds[r * tile->stored + x];
    return second == UINT8_MAX ? 3 : second < 2 ? second : 2;
}

/* Decodes the number of a place, and its second number if it has one. */
static bool decode_place(const GraneroReader *reader, Decoder *decoder, Tile *tile, int r, int x, int structure) {
    int kinds = decoder->layer->kinds, lane = r % 4, left, place = r * tile->stored + x;
    size_t context = context_of(tile, kinds, r, x, &left) + (size_t)structure;
    int symbol = next_symbol(decoder, lane, context), number = (left + symbol) % kinds;
    tile->numbers[place] = (uint8_t)number;
    tile->seconds[place] = UINT8_MAX;
    if (symbol >= 0 && reader->has_bounds && number % 2 == 0 && number < kinds - 1) {
        context = (size_t)(1080 * kinds + 16 * number + 4 * around(tile, r, x - 1) + around(tile, r - 1, x));
        symbol = next_symbol(decoder, lane, context);
        tile->seconds[place] = (uint8_t)symbol;
        int low = number - decoder->layer->limit, high = -2 * symbol - (tile->seeds % 2 == 0 ? 2 : 1);
        return symbol >= 0 && low <= high;
    }
    return symbol >= 0;
}

static bool decode_rows(const GraneroReader *reader, Decoder *decoder, Tile *tile, int own, uint64_t first_row,
                        int rows, const Traits columns[64]) {
    for (int group = 0; group < rows; group += 4) {
        int lanes = rows - group < 4 ? rows - group : 4;
        /* One more: the row before each lane's is the one of the lane before. */
        Traits half[5] = {{0, 0}};
        for (int lane = -1; lane < lanes; lane++) {
            uint64_t row = first_row + (uint64_t)(group + lane + 1);
            uint8_t houses[6];
            if (row > 0) {
                unrank(own, row - 1, houses);
                half[lane + 1] = traits_of(houses);
            }
        }
        for (int turn = 0; turn < tile->stored + 3; turn++) {
            for (int lane = 0; lane < lanes; lane++) {
                int x = turn - lane;
                if (x < 0 || x >= tile->stored) {
                    continue;
                }
                Traits row = half[lane + 1], column = columns[x];
                int captures = bits_in(row.reach & column.prey);
                int structure = 4 * (captures < 2 ? captures : 2) + 2 * ((column.reach & row.prey) != 0) +
                                ((half[lane].reach & column.prey) != 0);
                if (!decode_place(reader, decoder, tile, group + lane, x, structure)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Finds the bytes of a block and checks them. */
static bool read_block(GraneroReader *reader, const Layer *layer, uint64_t number, uint8_t *block, size_t *bytes) {
    uint8_t group[GROUP_BYTES];
    size_t place = (size_t)(number % 64);
    if (!read_at(reader, layer, layer->index_start + GROUP_BYTES * (number / 64), group, sizeof group)) {
        return false;
    }
    uint64_t start = little_endian(group, 8);
    for (size_t i = 0; i < place; i++) {
        start += 2 * little_endian(group + 8 + 2 * i, 2);
    }
    *bytes = 2 * (size_t)little_endian(group + 8 + 2 * place, 2);
    bool is_right = little_endian(group + 392, 4) == crc(reader, group, 392) && *bytes <= BLOCK_BYTES &&
                    start <= layer->block_bytes && *bytes <= layer->block_bytes - start;
    if (!is_right) {
        return fail(reader, "the layer of %d seeds: its block index is damaged", layer->seeds);
    }
    if (!read_at(reader, layer, layer->blocks_start + start, block, *bytes)) {
        return false;
    }
    return crc(reader, block, *bytes) == little_endian(group + 136 + 4 * place, 4) ||
           fail(reader, "the layer of %d seeds: block %llu is damaged", layer->seeds, (unsigned long long)number);
}

/* Decodes a tile with rows from `row` and columns from `column`. */
static bool decode(GraneroReader *reader, const Layer *layer, Tile *tile, int own, const uint64_t row[2],
                   const uint64_t column[2]) {
    Traits columns[64];
    int rows = (int)(row[1] - row[0]);
    tile->stored = 0;
    for (int i = 0; i < (int)(column[1] - column[0]); i++) {
        uint8_t half[6];
        unrank(layer->seeds - own, column[0] + (uint64_t)i, half);
        tile->column[i] = tile->stored;
        if (memchr(half, 0, sizeof half) != NULL) {
            columns[tile->stored++] = traits_of(half);
        }
    }
    size_t places = (size_t)rows * (size_t)tile->stored, bytes = 0;
    tile->numbers = malloc(2 * places + 1);
    uint8_t *block = malloc(BLOCK_BYTES);
    bool is_right = tile->numbers != NULL && block != NULL;
    if (!is_right) {
        fail(reader, "there is not enough memory");
    } else if ((is_right = read_block(reader, layer, tile->number, block, &bytes)) && places == 0) {
        is_right = bytes == 0;
    } else if (is_right) {
        tile->seconds = tile->numbers + places;
        is_right = bytes >= 16;
        Decoder decoder = {layer, {0}, block + 16, block + bytes};
        for (int lane = 0; is_right && lane < 4; lane++) {
            decoder.states[lane] = (uint32_t)little_endian(block + 4 * lane, 4);
        }
        is_right = is_right && decode_rows(reader, &decoder, tile, own, row[0], rows, columns) &&
                   decoder.words == decoder.end;
        for (int lane = 0; is_right && lane < 4; lane++) {
            is_right = decoder.states[lane] == 65536;
        }
        if (!is_right) {
            fail(reader, "the layer of %d seeds: block %llu is wrong", layer->seeds,
                 (unsigned long long)tile->number);
        }
    }
    free(block);
    if (!is_right) {
        free(tile->numbers);
        *tile = (Tile){0};
    }
    return is_right;
}

/* Looking up ---------------------------------------------------------------------------------------------- */

/* A measure of a position in the files, if the opponent has an empty house; `is_open` if it is not stored. */
static bool stored(GraneroReader *reader, const uint8_t position[12], Measure measure, int *value, bool *is_open) {
    int seeds = seeds_of(position, 12), own = seeds_of(position, 6);
    *is_open = true;
    if (memchr(position + 6, 0, 6) == NULL) {
        return true;
    }
    if (++reader->look_ups > MOST_LOOK_UPS) {
        return fail(reader, "the layer of %d seeds: its values contradict each other", seeds);
    }
    const Layer *layer = layer_of(reader, seeds);
    if (layer == NULL) {
        return false;
    }
    uint64_t row = rank(position), column = rank(position + 6);
    Cuts rows = layer->rows[own], columns = layer->columns[own];
    uint64_t down = piece_of(rows, row), across = piece_of(columns, column);
    uint64_t number = layer->first[own] + down * columns.pieces + across;
    uint64_t first_row = start_of(rows, down), first_column = start_of(columns, across);
    Tile *tile = &reader->kept[(number + 131 * (uint64_t)seeds) % KEPT_TILES];
    if (tile->numbers == NULL || tile->seeds != seeds || tile->number != number) {
        free(tile->numbers);
        *tile = (Tile){.seeds = seeds, .number = number};
        uint64_t row_ends[] = {first_row, start_of(rows, down + 1)};
        uint64_t column_ends[] = {first_column, start_of(columns, across + 1)};
        if (!decode(reader, layer, tile, own, row_ends, column_ends)) {
            return false;
        }
    }
    int place = (int)(row - first_row) * tile->stored + tile->column[column - first_column];
    int found = tile->numbers[place], second = tile->seconds[place];
    *is_open = found == layer->kinds - 1 || (measure == HIGH && reader->has_bounds && second == UINT8_MAX);
    if (reader->has_bounds && measure == HIGH) {
        *value = -2 * second - (seeds % 2 == 0 ? 2 : 1);
    } else {
        *value = found - layer->limit - (reader->has_bounds ? found % 2 : 0);
    }
    return true;
}

/* A measure of a position. With `split` both are its value. */
static bool look_up(GraneroReader *reader, const uint8_t position[12], Measure measure, int *value) {
    bool is_open, is_ours = memchr(position + 6, 0, 6) != NULL;
    if (!stored(reader, position, measure, value, &is_open)) {
        return false;
    }
    if (!is_open) {
        return true;
    }
    Move moves[6];
    Measure of_child = reader->has_bounds && measure == LOW ? HIGH : LOW;
    int count = legal_moves(reader->rules, position, moves), seeds = seeds_of(position, 12);
    int best = count > 0 ? INT8_MIN : seeds_of(position, 6) - seeds_of(position + 6, 6);
    for (int i = 0; i < count; i++) {
        int worth;
        if (is_ours && moves[i].quiet) {
            if (!stored(reader, moves[i].child, of_child, &worth, &is_open)) {
                return false;
            }
            if (is_open) {
                continue;
            }
        } else if (!look_up(reader, moves[i].child, of_child, &worth)) {
            return false;
        }
        worth = moves[i].gained - worth;
        best = worth > best ? worth : best;
    }
    if (is_ours && best < (reader->has_bounds && measure == HIGH ? 0 : 1)) {
        return fail(reader, "the layer of %d seeds: no move gives a value that is not stored", seeds);
    }
    int limit = limit_of(reader, seeds);
    *value = best > limit ? limit : best < -limit ? -limit : best;
    return true;
}

GraneroReaderStatus granero_reader_range(GraneroReader *reader, const uint8_t houses[12], int *least, int *most) {
    /* The sum of houses that are all at most 48 overflows nothing. */
    int seeds = seeds_of(houses, 12);
    if (seeds > MOST_SEEDS) {
        fail(reader, "a position has at most %d seeds, and not %d", MOST_SEEDS, seeds);
        return GRANERO_READER_ERROR;
    }
    if (seeds >= reader->layers) {
        return GRANERO_READER_BEYOND;
    }
    reader->look_ups = 0;
    if (!look_up(reader, houses, LOW, least)) {
        return GRANERO_READER_ERROR;
    }
    *most = *least;
    if (reader->has_bounds && !look_up(reader, houses, HIGH, most)) {
        return GRANERO_READER_ERROR;
    }
    int limit = limit_of(reader, seeds);
    if (limit < seeds) {
        *least = *least > -limit ? *least : -seeds;
        *most = *most < limit ? *most : seeds;
    }
    return GRANERO_READER_FOUND;
}

GraneroReaderStatus granero_reader_batch(GraneroReader *reader, const uint8_t *houses, size_t count,
                                         int8_t *least, int8_t *most) {
    for (size_t i = 0; i < count; i++) {
        int low = GRANERO_READER_UNKNOWN, high = GRANERO_READER_UNKNOWN;
        if (granero_reader_range(reader, houses + 12 * i, &low, &high) == GRANERO_READER_ERROR) {
            return GRANERO_READER_ERROR;
        }
        least[i] = (int8_t)low;
        most[i] = (int8_t)high;
    }
    return GRANERO_READER_FOUND;
}

GraneroReader *granero_reader_open(const char *directory, char *message, size_t size) {
    GraneroReader *reader = calloc(1, sizeof *reader);
    char *text = malloc(MANIFEST_BYTES + 2);
    size_t length = strlen(directory) + 1;
    bool is_right = reader != NULL && text != NULL && (reader->directory = malloc(length)) != NULL;
    if (is_right) {
        memcpy(reader->directory, directory, length);
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t sum = i;
            for (int bit = 0; bit < 8; bit++) {
                sum = sum >> 1 ^ (0xEDB88320 & (0 - (sum & 1)));
            }
            reader->crcs[i] = sum;
        }
        uint64_t bytes;
        FILE *file = open_file(reader, "granero.json", &bytes);
        is_right = file != NULL;
        if (is_right) {
            length = fread(text, 1, MANIFEST_BYTES + 1, file);
            fclose(file);
            is_right = length <= MANIFEST_BYTES ? read_manifest(reader, text, length)
                                                : fail(reader, "granero.json: it is too long");
        }
    }
    free(text);
    if (!is_right) {
        snprintf(message, size, "%s", reader != NULL && reader->directory != NULL && *reader->message
                                          ? reader->message
                                          : "there is not enough memory");
        granero_reader_close(reader);
        reader = NULL;
    }
    return reader;
}

void granero_reader_close(GraneroReader *reader) {
    if (reader != NULL) {
        for (int seeds = 0; seeds <= MOST_SEEDS; seeds++) {
            close_layer(reader->layer[seeds]);
        }
        for (int i = 0; i < KEPT_TILES; i++) {
            free(reader->kept[i].numbers);
        }
        free(reader->directory);
        free(reader);
    }
}

int granero_reader_max_seeds(const GraneroReader *reader) {
    return reader->layers - 1;
}

const char *granero_reader_message(const GraneroReader *reader) {
    return reader->message;
}
