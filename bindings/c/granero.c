/*
 * Reads granero's tables; granero.h says how. It follows docs/internals/format.md, docs/internals/numbering.md and docs/rules.md, and
 * is written to be read.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#if !defined(_POSIX_C_SOURCE) && !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#endif

#include "granero.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

enum {
    MOST_SEEDS = 48,
    MANIFEST_BYTES = 1 << 20,
    MODEL_BYTES = 1 << 20,
    BLOCK_BYTES = 65544,
    WIDTH = 64,  /* the most columns of a tile */
    HEIGHT = 40, /* the most rows */
    HEADER = 132,
    LIKELY = 7, /* the symbol for all ranks from this on */
    CACHE_BYTES = 64 << 20,
    TRIES = 1000, /* for a place of the cache that another thread is reading */
    LOOK_UPS = 1 << 20, /* for a measure; sound tables need a few hundred at most, forged ones have no end */
    OPEN = 127 /* in a decoded tile: the measure is not stored */
};

/* When a grand slam is legal, which houses of its chain it spares, whether it ends the game, and when it
 * is legal not to feed. */
enum { ALWAYS, LAST_RESORT, NEVER };
enum { TAKES_NONE, TAKES_ALL, SPARES_LAST, SPARES_FIRST };
typedef struct {
    const char *name;
    int slam, takes, ends_game, starving;
} ruleset;

static const ruleset RULESETS[] = {
    {"abapa", ALWAYS, TAKES_NONE, 0, NEVER},
    {"slam-illegal", NEVER, TAKES_NONE, 0, NEVER},
    {"slam-ends", ALWAYS, TAKES_ALL, 1, NEVER},
    {"slam-leaves-last", ALWAYS, SPARES_LAST, 0, NEVER},
    {"slam-leaves-first", ALWAYS, SPARES_FIRST, 0, NEVER},
    {"italian", LAST_RESORT, TAKES_NONE, 0, NEVER},
    {"slam-captures", ALWAYS, TAKES_ALL, 0, NEVER},
    {"awari", LAST_RESORT, TAKES_ALL, 0, LAST_RESORT},
};

#ifdef _WIN32
typedef HANDLE file_handle;
static const file_handle NO_FILE = NULL;
#else
typedef int file_handle;
static const file_handle NO_FILE = -1;
#endif

typedef struct {
    file_handle handle;
    uint64_t length;
} source;

typedef struct {
    int seeds, limit, kinds, inner_classes, seconds, further, cells;
    source file;
    uint64_t tiles, block_bytes, index_start, blocks_start;
    uint64_t first[MOST_SEEDS + 1]; /* by the mover's seeds: the number of the matrix's first tile */
    uint32_t checksum;              /* the first value of the file's checksums */
    uint8_t *orders, *ranks;        /* by pair: all numbers in their order, and the ranks of all numbers */
    uint8_t *outer, *inner;         /* by context: its class */
    uint16_t *starts;               /* by cell: the starts of the eight symbols, and their end */
} layer;

typedef struct {
    const layer *layer;
    uint64_t number;
    uint8_t columns;      /* stored ones */
    uint8_t place[WIDTH]; /* by column: its place among the stored ones */
    int8_t measures[];    /* by row and stored column; with own-side twice as many */
} tile;

/* Memory for decoding a tile. Of the numbers the first row is above the tile, the last column left of it. */
typedef struct {
    uint8_t numbers[HEIGHT + 1][WIDTH + 1], seconds[HEIGHT + 1][WIDTH + 1];
    uint8_t group[396], block[BLOCK_BYTES];
} scratch;

struct granero_reader {
    const char *directory;
    const ruleset *rules;
    int own_side, decides, layers;
    layer layer[MOST_SEEDS + 1];
    size_t places;
    _Atomic(tile *) *cache; /* decoded tiles, or &busy while a thread reads one */
    uint64_t choose[60][12];
    uint32_t crc[256];
};

static tile busy;
static _Thread_local char message[512];

/* Notes an error; returns 0. */
static int fail(const granero_reader *reader, const layer *of, const char *what) {
    if (of) {
        snprintf(message, sizeof message, "%.300s/layer-%02d.granero: %s", reader->directory, of->seeds, what);
    } else {
        snprintf(message, sizeof message, "%.300s/granero.json: %s", reader->directory, what);
    }
    return 0;
}

/* Files ------------------------------------------------------------------------------------------- */

static void close_source(source *file) {
    if (file->handle != NO_FILE) {
#ifdef _WIN32
        CloseHandle(file->handle);
#else
        close(file->handle);
#endif
    }
    file->handle = NO_FILE;
}

/* Opens a regular file, and does not wait for anything else. */
static int open_source(source *file, const char *directory, const char *name) {
    size_t length = strlen(directory) + strlen(name) + 2;
    char *path = malloc(length);
    if (!path) {
        return 0;
    }
    snprintf(path, length, "%s/%s", directory, name);
#ifdef _WIN32
    LARGE_INTEGER size;
    wchar_t *wide = calloc(length, sizeof *wide); /* no longer than in UTF-8 */
    HANDLE found = INVALID_HANDLE_VALUE;
    if (wide && MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, (int)length) > 0) {
        found = CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                            OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    }
    free(wide);
    free(path);
    if (found == INVALID_HANDLE_VALUE) {
        return 0;
    }
    file->handle = found;
    if (GetFileType(found) == FILE_TYPE_DISK && GetFileSizeEx(found, &size)) {
        file->length = (uint64_t)size.QuadPart;
        return 1;
    }
#else
    struct stat status;
    file->handle = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    free(path);
    if (file->handle != NO_FILE && fstat(file->handle, &status) == 0 && S_ISREG(status.st_mode)) {
        file->length = (uint64_t)status.st_size;
        return 1;
    }
#endif
    close_source(file);
    return 0;
}

/* Reads a part of a file. */
static int read_part(const source *file, uint64_t start, size_t length, uint8_t *into) {
    if (start > file->length || length > file->length - start) {
        return 0;
    }
    while (length > 0) {
#ifdef _WIN32
        OVERLAPPED at = {.Offset = (DWORD)start, .OffsetHigh = (DWORD)(start >> 32)};
        DWORD count = 0;
        if (!ReadFile(file->handle, into, (DWORD)length, &count, &at) || count == 0) {
            return 0;
        }
#else
        ssize_t count = pread(file->handle, into, length, (off_t)start);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return 0;
        }
#endif
        into += count;
        start += (uint64_t)count;
        length -= (size_t)count;
    }
    return 1;
}

/* JSON -------------------------------------------------------------------------------------------- */

static const char *blank(const char *at) { return at + strspn(at, " \t\r\n"); }

/* The end of a value; NULL if there is none. */
static const char *skip(const char *at, int depth) {
    if (*at == '"') {
        for (at++; *at != '"'; at++) {
            at += *at == '\\';
            if ((uint8_t)*at < ' ') {
                return NULL;
            }
        }
        return at + 1;
    }
    if (*at == '{' || *at == '[') {
        char close = *at == '{' ? '}' : ']';
        for (int first = 1;; first = 0) {
            at = blank(first ? at + 1 : at);
            if (*at == close) {
                return at + 1;
            }
            if (!first) {
                if (*at != ',') {
                    return NULL;
                }
                at = blank(at + 1);
            }
            if (close == '}') {
                at = *at == '"' ? skip(at, 0) : NULL;
                if (!at || *(at = blank(at)) != ':') {
                    return NULL;
                }
                at = blank(at + 1);
            }
            if (depth == 0 || !(at = skip(at, depth - 1))) {
                return NULL;
            }
        }
    }
    size_t length = strspn(at, "+-.0123456789Eaeflnrstu");
    return length > 0 ? at + length : NULL;
}

/* The first entry of an array or object that `skip` has found sound, and the one after another; NULL at the
 * end. An entry of an object begins with its name. */
static const char *entry(const char *at) { return *at == ']' || *at == '}' ? NULL : at; }
static const char *first_entry(const char *list) { return entry(blank(list + 1)); }
static const char *value_of(const char *name) { return blank(blank(skip(name, 0)) + 1); }
static const char *next_entry(const char *at, int is_object) {
    at = blank(skip(is_object ? value_of(at) : at, 8));
    return *at == ',' ? blank(at + 1) : NULL;
}

static int is_text(const char *at, const char *text) {
    size_t length = strlen(text);
    return at && *at == '"' && strncmp(at + 1, text, length) == 0 && at[length + 1] == '"';
}

/* The value of a field; NULL without it, or if it occurs twice. */
static const char *field(const char *object, const char *name) {
    const char *found = NULL;
    if (!object || *object != '{') {
        return NULL;
    }
    for (const char *at = first_entry(object); at; at = next_entry(at, 1)) {
        if (is_text(at, name)) {
            if (found) {
                return NULL;
            }
            found = value_of(at);
        }
    }
    return found;
}

/* Reads a whole number. */
static int whole(const char *at, int64_t *number) {
    int sign = at && *at == '-' ? -1 : 1, digits = 0;
    *number = 0;
    for (at = at && sign < 0 ? at + 1 : at; at && *at >= '0' && *at <= '9' && digits < 18; at++) {
        *number = *number * 10 + (*at - '0');
        digits++;
    }
    *number *= sign;
    return digits > 0 && !strchr("0123456789.eE", *at);
}

static int is_whole(const char *at, int64_t least, int64_t most) {
    int64_t number;
    return whole(at, &number) && number >= least && number <= most;
}

/* The digits of a SHA-256; NULL if it is something else. */
static const char *hash(const char *at) {
    return at && *at == '"' && strspn(at + 1, "0123456789abcdef") == 64 && at[65] == '"' ? at + 1 : NULL;
}

/* Half-boards ------------------------------------------------------------------------------------- */

static uint64_t half_boards(const granero_reader *reader, int seeds) { return reader->choose[seeds + 5][5]; }

static uint64_t pieces(uint64_t places, int longest) { return (places + longest - 1) / longest; }

static int sum(const uint8_t *half) { return half[0] + half[1] + half[2] + half[3] + half[4] + half[5]; }

static int has_empty(const uint8_t *half) { return memchr(half, 0, 6) != NULL; }

static uint64_t rank(const granero_reader *reader, const uint8_t *half) {
    int behind = sum(half);
    uint64_t rank = half_boards(reader, behind) - 1;
    for (int i = 1; i < 6; i++) {
        behind -= half[i - 1];
        rank -= reader->choose[behind + 5 - i][6 - i];
    }
    return rank;
}

static void unrank(const granero_reader *reader, int seeds, uint64_t rank, uint8_t *half) {
    for (int i = 0; i < 5; i++) {
        uint64_t count;
        for (half[i] = 0; rank >= (count = reader->choose[seeds + 4 - i][4 - i]); half[i]++) {
            rank -= count;
            seeds--;
        }
    }
    half[5] = (uint8_t)seeds;
}

/* The codec: checksums, layer files, and how a block becomes a tile ------------------------------- */

static uint64_t number_at(const uint8_t *bytes, int length) {
    uint64_t number = 0;
    while (length > 0) {
        number = number << 8 | bytes[--length];
    }
    return number;
}

static uint32_t crc32_of(const granero_reader *reader, uint32_t first, const uint8_t *bytes, size_t length) {
    uint32_t crc = ~first;
    while (length-- > 0) {
        crc = crc >> 8 ^ reader->crc[(crc ^ *bytes++) & 255];
    }
    return ~crc;
}

static uint32_t turn(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

static void sha256_block(uint32_t *state, const uint8_t *bytes) {
    static const uint32_t rounds[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    uint32_t w[64], s[8];
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        if (i < 16) {
            w[i] = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16 |
                   (uint32_t)bytes[4 * i + 2] << 8 | bytes[4 * i + 3];
        } else {
            uint32_t a = w[i - 15], b = w[i - 2];
            w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) +
                   (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
        }
        uint32_t one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
                       ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[i] + w[i];
        uint32_t two = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
                       ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++) {
        state[i] += s[i];
    }
}

/* Writes the SHA-256 as 64 digits. */
static void sha256_of(const uint8_t *bytes, size_t length, char *digits) {
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t last[128] = {0};
    size_t rest = length % 64, end = rest < 56 ? 64 : 128;
    for (size_t i = 0; i + 64 <= length; i += 64) {
        sha256_block(state, bytes + i);
    }
    memcpy(last, bytes + (length - rest), rest);
    last[rest] = 0x80;
    for (int i = 0; i < 8; i++) {
        last[end - 1 - i] = (uint8_t)((uint64_t)length * 8 >> 8 * i);
    }
    for (size_t i = 0; i < end; i += 64) {
        sha256_block(state, last + i);
    }
    for (int i = 0; i < 64; i++) {
        digits[i] = "0123456789abcdef"[state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    }
}

/* Compares bytes with the digits that stand for them. */
static int is_hash(const uint8_t *bytes, const char *digits) {
    for (int i = 0; i < 64; i++) {
        if (digits[i] != "0123456789abcdef"[bytes[i / 2] >> (i % 2 ? 0 : 4) & 15]) {
            return 0;
        }
    }
    return 1;
}

/* Reads the number of classes, and the class of each context; returns where they end, 0 if they are wrong. */
static size_t read_classes(const uint8_t *model, size_t at, size_t length, size_t contexts, int *classes,
                           uint8_t *found) {
    *classes = at < length ? model[at++] : 0;
    if (*classes < 1 || *classes > 128) {
        return 0;
    }
    for (size_t context = 0; context < contexts;) {
        size_t run = 0;
        uint8_t class = at < length ? model[at++] : 255, byte = 0x80;
        for (int shift = 0; shift < 21 && byte >= 0x80 && at < length; shift += 7) {
            byte = model[at++];
            run |= (size_t)(byte & 0x7F) << shift;
        }
        if (class >= *classes || byte >= 0x80 || run == 0 || run > contexts - context) {
            return 0;
        }
        memset(found + context, class, run);
        context += run;
    }
    return at;
}

/* Reads the orders of all pairs; returns where they end, 0 if they are wrong. */
static size_t read_orders(layer *of, const uint8_t *model, size_t length) {
    size_t kinds = (size_t)of->kinds, at = 0;
    for (size_t pair = 0; pair < kinds * kinds; pair++) {
        uint8_t *order = of->orders + pair * kinds, *ranks = of->ranks + pair * kinds;
        size_t count = at < length ? model[at++] : 255, rank = 0;
        memset(ranks, 255, kinds);
        if (count > LIKELY || count > length - at) {
            return 0;
        }
        for (; rank < count; rank++) {
            uint8_t number = model[at++];
            if (number >= kinds || ranks[number] != 255) {
                return 0;
            }
            order[rank] = number, ranks[number] = (uint8_t)rank;
        }
        for (size_t number = 0; number < kinds; number++) {
            if (ranks[number] == 255) {
                order[rank] = (uint8_t)number, ranks[number] = (uint8_t)rank++;
            }
        }
    }
    return at;
}

static int read_model(const granero_reader *reader, layer *of, uint8_t *model, size_t length) {
    if (!read_part(&of->file, HEADER, length + 4, model)) {
        return fail(reader, of, "it cannot be read");
    }
    if (number_at(model + length, 4) != crc32_of(reader, of->checksum, model, length)) {
        return fail(reader, of, "the model is damaged");
    }
    size_t kinds = (size_t)of->kinds, pairs = kinds * kinds, at;
    of->orders = malloc(pairs * kinds);
    of->ranks = malloc(pairs * kinds);
    of->outer = malloc(pairs * 24);
    of->inner = malloc(3125);
    if (!of->orders || !of->ranks || !of->outer || !of->inner) {
        return fail(reader, of, "no memory for the model");
    }
    int outer_classes = 0;
    if (!(at = read_orders(of, model, length)) ||
        !(at = read_classes(model, at, length, pairs * 24, &outer_classes, of->outer)) ||
        !(at = read_classes(model, at, length, 3125, &of->inner_classes, of->inner))) {
        return fail(reader, of, "the model has wrong orders or classes");
    }
    of->seconds = outer_classes * of->inner_classes;
    of->further = of->seconds + (reader->own_side ? 16 * of->kinds : 0);
    of->cells = of->further + (of->kinds - 1) / LIKELY;
    if (length - at != 8 * (size_t)of->cells) {
        return fail(reader, of, "the model has a wrong number of cells");
    }
    of->starts = malloc((size_t)of->cells * 9 * sizeof(uint16_t));
    if (!of->starts) {
        return fail(reader, of, "no memory for the model");
    }
    for (int cell = 0; cell < of->cells; cell++, at += 8) {
        int frequencies[8], left = 4096, rest = -1, rests = 0;
        for (int symbol = 0; symbol < 8; symbol++) {
            int code = model[at + (size_t)symbol];
            frequencies[symbol] = code == 255 ? 0 : code < 64 ? code : (32 + code % 32) << (code / 32 - 1);
            left -= frequencies[symbol];
            if (code == 255) {
                rest = symbol, rests++;
            }
        }
        if (rests != 1 || left < 0) {
            return fail(reader, of, "the model has wrong frequencies");
        }
        frequencies[rest] = left;
        uint16_t *starts = of->starts + 9 * cell;
        starts[0] = 0;
        for (int symbol = 0; symbol < 8; symbol++) {
            starts[symbol + 1] = (uint16_t)(starts[symbol] + frequencies[symbol]);
        }
    }
    return 1;
}

/* Opens the file of a layer and checks its header. */
static int read_layer(const granero_reader *reader, layer *of, const char *entry) {
    static const uint8_t magic[] = {0x8a, 'g', 'r', 'n', '\r', '\n', 0x1a, '\n', 6, 0}, zeros[32];
    char name[24], line[128], digits[64];
    uint8_t header[HEADER];
    uint64_t bytes = of->file.length;
    snprintf(name, sizeof name, "layer-%02d.granero", of->seeds);
    if (!open_source(&of->file, reader->directory, name)) {
        return fail(reader, of, "cannot open it: copy the tables again");
    }
    if (of->file.length != bytes || !read_part(&of->file, 0, HEADER, header)) {
        return fail(reader, of, "its length is not the manifest's");
    }
    if (memcmp(header, magic, sizeof magic) != 0) {
        return fail(reader, of, "it is no layer file, or one of another version");
    }
    if (number_at(header + 128, 4) != crc32_of(reader, 0, header, 128)) {
        return fail(reader, of, "the header is damaged");
    }
    of->checksum = crc32_of(reader, 0, header, 112);
    const uint8_t fixed[] = {(uint8_t)of->seeds, (uint8_t)reader->own_side, (uint8_t)reader->decides, 0, 0, 0};
    uint64_t model_bytes = number_at(header + 112, 4);
    if (memcmp(header + 10, fixed, sizeof fixed) != 0 || model_bytes > MODEL_BYTES ||
        memcmp(header + 116, zeros, 4) != 0) {
        return fail(reader, of, "the header is not this layer's");
    }
    for (int own = 0; own <= of->seeds; own++) {
        of->first[own] = of->tiles;
        of->tiles += pieces(half_boards(reader, own), HEIGHT) *
                     pieces(half_boards(reader, of->seeds - own), WIDTH);
    }
    of->block_bytes = number_at(header + 120, 8);
    of->index_start = HEADER + 4 + model_bytes;
    of->blocks_start = of->index_start + 396 * pieces(of->tiles, 64);
    if (of->block_bytes > BLOCK_BYTES * of->tiles ||
        of->blocks_start + of->block_bytes + 32 != bytes) {
        return fail(reader, of, "its length is not the header's");
    }
    int written = snprintf(line, sizeof line, "granero table, rules %s, endless play %s, order 1",
                           reader->rules->name, reader->own_side ? "own-side" : "split");
    if (reader->decides > 0) {
        written += snprintf(line + written, sizeof line - written, ", values that decide a game of %d seeds",
                            reader->decides);
    }
    line[written++] = '\n';
    sha256_of((const uint8_t *)line, (size_t)written, digits);
    if (!is_hash(header + 16, digits)) {
        return fail(reader, of, "its rules are not the manifest's");
    }
    const char *high = hash(field(field(entry, "high"), "sha256"));
    if (!is_hash(header + 48, hash(field(entry, "sha256"))) ||
        !(high ? is_hash(header + 80, high) : memcmp(header + 80, zeros, 32) == 0)) {
        return fail(reader, of, "its values are not the manifest's");
    }
    uint8_t *model = malloc(MODEL_BYTES + 4);
    int is_right = model ? read_model(reader, of, model, (size_t)model_bytes) : fail(reader, of, "no memory");
    free(model);
    return is_right;
}

/* The bytes of a block, in `*length`; NULL if they are damaged. */
static const uint8_t *block_of(const granero_reader *reader, const layer *of, scratch *work, uint64_t number,
                               size_t *length) {
    uint8_t *group = work->group;
    if (!read_part(&of->file, of->index_start + 396 * (number / 64), 396, group) ||
        number_at(group + 392, 4) != crc32_of(reader, of->checksum, group, 392)) {
        fail(reader, of, "the block index is damaged");
        return NULL;
    }
    int place = (int)(number % 64);
    uint64_t start = number_at(group, 8);
    uint32_t checksum = (uint32_t)number_at(group + 136 + 4 * place, 4);
    *length = 2 * (size_t)number_at(group + 8 + 2 * place, 2);
    if (start <= of->block_bytes) {
        for (int i = 0; i < place; i++) {
            start += 2 * number_at(group + 8 + 2 * i, 2);
        }
    }
    if (start > of->block_bytes || *length > of->block_bytes - start || *length > BLOCK_BYTES) {
        fail(reader, of, "a block lies outside");
        return NULL;
    }
    uint8_t *block = work->block;
    if (!read_part(&of->file, of->blocks_start + start, *length, block) ||
        checksum != crc32_of(reader, of->checksum, block, *length)) {
        fail(reader, of, "a block is damaged");
        return NULL;
    }
    return block;
}

typedef struct {
    uint8_t houses[6];
    int reach, prey;
    int beside[3]; /* the numbers of its neighbours in the tile, -1 for the first half-board */
} half_board;

static void look_at(half_board *half) {
    half->reach = half->prey = 0;
    for (int house = 0; house < 6; house++) {
        int seeds = half->houses[house], end = house + seeds - 6;
        half->reach |= seeds < 12 && end >= 0 && end < 6 ? 1 << end : 0;
        half->prey |= seeds == 1 || seeds == 2 ? 1 << house : 0;
    }
}

/* Finds the neighbours of the last of some half-boards. */
static void find_neighbours(half_board *halves, int last) {
    int count = 0, *beside = halves[last].beside;
    for (int from = 4; from >= 0; from--) {
        for (int to = from + 1; to < 6 && count < 3 && halves[last].houses[from] > 0; to++) {
            uint8_t moved[6];
            memcpy(moved, halves[last].houses, 6);
            moved[from]--, moved[to]++;
            for (int i = last - 1; i >= 0; i--) {
                if (memcmp(halves[i].houses, moved, 6) == 0) {
                    beside[count++] = i;
                    break;
                }
            }
        }
    }
    for (int i = last - 1; i >= 0 && count < 3; i--) {
        if ((count < 1 || beside[0] != i) && (count < 2 || beside[1] != i)) {
            beside[count++] = i;
        }
    }
    for (int first = count > 0 ? beside[0] : -1; count < 3; count++) {
        beside[count] = first;
    }
}

/* What is left to decode of a block. */
typedef struct {
    uint32_t states[2];
    const uint8_t *words, *end;
} coded;

/* Decodes a symbol, and those that follow a 7, in a cell; -1 if the block ends or the number is impossible. */
static int rank_of(const layer *of, coded *coded, int lane, int cell) {
    uint32_t *state = &coded->states[lane % 2];
    for (int rank = 0, next = of->further;; rank += LIKELY, cell = next++) {
        if (cell >= of->cells) {
            return -1;
        }
        const uint16_t *starts = of->starts + 9 * cell;
        uint32_t slot = *state % 4096;
        int symbol = 7;
        while (starts[symbol] > slot) {
            symbol--;
        }
        *state = (uint32_t)(starts[symbol + 1] - starts[symbol]) * (*state / 4096) + slot - starts[symbol];
        if (*state < 65536) {
            if (coded->words == coded->end) {
                return -1;
            }
            *state = *state << 16 | (uint32_t)number_at(coded->words, 2);
            coded->words += 2;
        }
        if (symbol < LIKELY) {
            return rank + symbol;
        }
    }
}

/* Decodes `rows` rows of a tile, which has stored columns. */
static int decode(const granero_reader *reader, const layer *of, tile *into, scratch *work, const uint8_t *block,
                  size_t length, int rows, const half_board *row, const half_board *column) {
    uint8_t(*w)[WIDTH + 1] = work->numbers, (*e)[WIDTH + 1] = work->seconds;
    int columns = into->columns, kinds = of->kinds;
    if (length < 8) {
        return fail(reader, of, "a block has a wrong length");
    }
    coded coded = {{(uint32_t)number_at(block, 4), (uint32_t)number_at(block + 4, 4)}, block + 8, block + length};
    int8_t *low = into->measures, *high = low + rows * columns;
    memset(w[0], kinds - 1, WIDTH + 1);
    memset(e[0], 3, WIDTH + 1);
    for (int group = 0; group < rows; group += 4) {
        for (int turn = 0; turn < columns + 3; turn++) {
            for (int lane = 0; lane < 4 && group + lane < rows; lane++) {
                int r = group + lane, x = turn - lane;
                if (x < 0 || x >= columns) {
                    continue;
                }
                /* The rows of `w` and `e` are numbered from 1. */
                const int *up = row[r].beside, *beside = column[x].beside;
                const uint8_t *above = w[up[0] + 1];
                uint8_t *here = w[r + 1];
                if (x == 0) {
                    here[WIDTH] = above[0], e[r + 1][WIDTH] = e[up[0] + 1][0];
                }
                int left[3], level[5];
                for (int i = 0; i < 3; i++) {
                    left[i] = beside[i] < 0 ? WIDTH : beside[i];
                }
                int pair = here[left[0]] * kinds + above[x], inner = 0;
                level[0] = above[beside[0] < 0 ? 0 : beside[0]];
                level[1] = here[left[1]], level[2] = here[left[2]];
                level[3] = w[up[1] + 1][x], level[4] = w[up[2] + 1][x];
                for (int i = 0; i < 5; i++) {
                    int rank = of->ranks[pair * kinds + level[i]];
                    inner = 5 * inner + (rank < 4 ? rank : 4);
                }
                int caught = row[r].reach & column[x].prey;
                int captures = caught == 0 ? 0 : (caught & (caught - 1)) == 0 ? 1 : 2;
                int at_above = up[0] < 0 ? 0 : row[up[0]].reach & column[x].prey;
                int at_left = beside[0] < 0 ? 0 : row[r].reach & column[beside[0]].prey;
                int structure = 8 * captures + 4 * ((column[x].reach & row[r].prey) != 0) + 2 * (at_above != 0) +
                                (at_left != 0);
                int cell = of->outer[24 * pair + structure] * of->inner_classes + of->inner[inner];
                int rank = rank_of(of, &coded, lane, cell);
                if (rank < 0 || rank >= kinds) {
                    return fail(reader, of, "a block has a wrong number, or ends too early");
                }
                int number = of->orders[pair * kinds + rank], place = r * columns + x;
                here[x] = (uint8_t)number;
                low[place] = number == kinds - 1 ? OPEN : (int8_t)(number - of->limit);
                if (!reader->own_side) {
                    continue;
                }
                e[r + 1][x] = 3;
                high[place] = OPEN;
                if (number == kinds - 1) {
                    continue;
                }
                low[place] = (int8_t)(low[place] - number % 2);
                if (number % 2 == 0) {
                    int around = 4 * e[r + 1][left[0]] + e[up[0] + 1][x];
                    int second = rank_of(of, &coded, lane, of->seconds + 16 * number + around);
                    int found = -2 * second - (of->seeds % 2 == 0 ? 2 : 1);
                    if (second < 0 || found < low[place]) {
                        return fail(reader, of, "a block has a wrong number, or ends too early");
                    }
                    high[place] = (int8_t)found;
                    e[r + 1][x] = (uint8_t)(second < 2 ? second : 2);
                }
            }
        }
    }
    if (coded.states[0] != 65536 || coded.states[1] != 65536 || coded.words != coded.end) {
        return fail(reader, of, "a block does not end as it must");
    }
    return 1;
}

/* The manifest ------------------------------------------------------------------------------------ */

static int is_histogram(const char *list, int64_t least, int64_t most, int step, int64_t positions) {
    int64_t last = least - step, value, count;
    if (!list || *list != '[') {
        return 0;
    }
    for (const char *pair = first_entry(list); pair; pair = next_entry(pair, 0)) {
        const char *one = *pair == '[' ? first_entry(pair) : NULL, *two = one ? next_entry(one, 0) : NULL;
        if (!two || next_entry(two, 0) || !whole(one, &value) || !whole(two, &count) || value <= last ||
            value > most || (value - least) % step != 0 || count < 0 || count > positions) {
            return 0;
        }
        last = value;
        positions -= count;
    }
    return positions == 0;
}

/* The limit at which tables cut measures off. */
static int limit_of(const granero_reader *reader, int seeds) {
    int game = reader->decides, limit = (seeds < game ? game - seeds : 0) + 1;
    limit += reader->own_side ? (limit + seeds) % 2 : 0;
    return game > 0 && limit < seeds ? limit : seeds;
}

/* Lays out a layer and checks its entry in the manifest. */
static int read_entry(granero_reader *reader, layer *of, const char *entry, const char *file) {
    int seeds = of->seeds, step = reader->own_side ? 2 : 1;
    int64_t positions = (int64_t)reader->choose[seeds + 11][11], bytes = -1;
    char name[32];
    of->limit = limit_of(reader, seeds);
    of->kinds = of->limit + (reader->own_side ? 3 : 2);
    const char *high = field(entry, "high");
    snprintf(name, sizeof name, "layer-%02d.granero", seeds);
    int is_right = is_whole(field(entry, "seeds"), seeds, seeds) &&
                   is_whole(field(entry, "positions"), positions, positions) && hash(field(entry, "sha256")) &&
                   is_histogram(field(entry, "histogram"), -of->limit, of->limit, step, positions) &&
                   is_text(field(file, "name"), name) && hash(field(file, "sha256")) &&
                   whole(field(file, "bytes"), &bytes) && bytes >= 0 && !high == !reader->own_side;
    if (is_right && high) {
        is_right = hash(field(high, "sha256")) && is_whole(field(high, "draws"), 0, positions) &&
                   is_histogram(field(high, "histogram"), -of->limit, of->limit, 2, positions) &&
                   is_histogram(field(high, "gaps"), 0, 2 * of->limit, 2, positions);
    }
    of->file.length = (uint64_t)bytes;
    return is_right;
}

static int read_manifest(granero_reader *reader, char **text) {
    static const char *const fields[] = {"format", "rules", "cycles", "decides", "layers", "files", "sha256"};
    enum { END = 78 }; /* the bytes of ,"sha256":"…"} and a newline */
    source file;
    if (!open_source(&file, reader->directory, "granero.json")) {
        return fail(reader, NULL, "cannot open it: name a directory of tables");
    }
    size_t length = file.length <= MANIFEST_BYTES ? (size_t)file.length : 0;
    *text = calloc(length + 1, 1);
    int is_read = *text && length > 0 && read_part(&file, 0, length, (uint8_t *)*text);
    close_source(&file);
    if (!is_read) {
        return fail(reader, NULL, "it is too long, or cannot be read");
    }
    const char *manifest = *text;
    const char *end = *manifest == '{' ? skip(manifest, 8) : NULL;
    int64_t number;
    if (!end || *blank(end) || blank(end) != manifest + length || !whole(field(manifest, "format"), &number)) {
        return fail(reader, NULL, "it is not a manifest");
    }
    if (number != 6) {
        return fail(reader, NULL, "its version is not 6");
    }
    char digits[64], sum[END + 1];
    size_t before = length > END ? length - END : 0;
    sha256_of((const uint8_t *)manifest, before, digits);
    snprintf(sum, sizeof sum, ",\"sha256\":\"%.64s\"}\n", digits);
    if (strcmp(manifest + before, sum) != 0) {
        return fail(reader, NULL, "its checksum is wrong");
    }
    for (const char *at = first_entry(manifest); at; at = next_entry(at, 1)) {
        size_t known = 0;
        while (known < sizeof fields / sizeof *fields && !is_text(at, fields[known])) {
            known++;
        }
        if (known == sizeof fields / sizeof *fields || !field(manifest, fields[known])) {
            return fail(reader, NULL, "it has an unknown field, or one twice");
        }
    }
    const char *rules = field(manifest, "rules"), *cycles = field(manifest, "cycles");
    for (size_t i = 0; i < sizeof RULESETS / sizeof *RULESETS; i++) {
        reader->rules = is_text(rules, RULESETS[i].name) ? &RULESETS[i] : reader->rules;
    }
    reader->own_side = is_text(cycles, "own-side");
    if (!reader->rules || (!reader->own_side && !is_text(cycles, "split"))) {
        return fail(reader, NULL, "its rules or its convention for endless play are unknown");
    }
    const char *decides = field(manifest, "decides");
    if (decides && (!whole(decides, &number) || number < 1 || number > MOST_SEEDS)) {
        return fail(reader, NULL, "the seeds of its game are wrong");
    }
    reader->decides = decides ? (int)number : 0;
    const char *entry = field(manifest, "layers"), *name = field(manifest, "files");
    if (!entry || *entry != '[' || !name || *name != '[') {
        return fail(reader, NULL, "it lists no layers");
    }
    int most = decides ? reader->decides : MOST_SEEDS;
    entry = first_entry(entry), name = first_entry(name);
    for (; entry && name; entry = next_entry(entry, 0), name = next_entry(name, 0)) {
        if (reader->layers > most) {
            return fail(reader, NULL, "it lists too many layers");
        }
        layer *of = &reader->layer[reader->layers];
        of->seeds = reader->layers;
        if (!read_entry(reader, of, entry, name)) {
            return fail(reader, NULL, "the entry of a layer is wrong");
        }
        reader->layers++;
        if (!read_layer(reader, of, entry)) {
            return 0;
        }
    }
    return entry || name ? fail(reader, NULL, "it lists not as many files as layers") : 1;
}

/* Looking up -------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t number, row, column, first_row, first_column, next_row, next_column;
    int own;
} place;

/* The tile of a position, and the position's place in it. */
static place locate(const granero_reader *reader, const layer *of, const uint8_t *houses) {
    place at = {.own = sum(houses), .row = rank(reader, houses), .column = rank(reader, houses + 6)};
    uint64_t rows = half_boards(reader, at.own), columns = half_boards(reader, of->seeds - at.own);
    uint64_t down = pieces(rows, HEIGHT), across = pieces(columns, WIDTH);
    uint64_t j = ((at.row + 1) * down - 1) / rows, k = ((at.column + 1) * across - 1) / columns;
    at.number = of->first[at.own] + j * across + k;
    at.first_row = j * rows / down, at.next_row = (j + 1) * rows / down;
    at.first_column = k * columns / across, at.next_column = (k + 1) * columns / across;
    return at;
}

/* Reads and decodes a tile; NULL after an error. */
static tile *read_tile(const granero_reader *reader, const layer *of, const place *at) {
    half_board row[HEIGHT], column[WIDTH];
    int rows = (int)(at->next_row - at->first_row), width = (int)(at->next_column - at->first_column);
    size_t length = 0;
    tile *into = malloc(sizeof *into + (size_t)(rows * width) * (reader->own_side ? 2 : 1));
    scratch *work = malloc(sizeof *work);
    if (!into || !work) {
        free(into);
        free(work);
        fail(reader, of, "no memory for a block");
        return NULL;
    }
    into->layer = of;
    into->number = at->number;
    into->columns = 0;
    for (int i = 0; i < width; i++) {
        half_board *half = &column[into->columns];
        unrank(reader, of->seeds - at->own, at->first_column + (uint64_t)i, half->houses);
        if (has_empty(half->houses)) {
            look_at(half);
            find_neighbours(column, into->columns);
            into->place[i] = into->columns++;
        }
    }
    for (int r = 0; r < rows; r++) {
        unrank(reader, at->own, at->first_row + (uint64_t)r, row[r].houses);
        look_at(&row[r]);
        find_neighbours(row, r);
    }
    const uint8_t *block = block_of(reader, of, work, at->number, &length);
    int is_right = block && decode(reader, of, into, work, block, length, rows, row, column);
    free(work);
    if (!is_right) {
        free(into);
        return NULL;
    }
    return into;
}

/* Takes a tile out of its place in the cache, so that no other thread frees it; NULL if there is none, or if another
 * thread keeps it longer than a look-up takes, as in a child of fork where that thread does not exist. */
static tile *take(const granero_reader *reader, size_t place) {
    for (int i = 0; i < TRIES; i++) {
        tile *found = atomic_exchange(&reader->cache[place], &busy);
        if (found != &busy) {
            return found;
        }
    }
    return NULL;
}

/* Puts a tile into its place, and frees the one that another thread has put there. */
static void put(const granero_reader *reader, size_t place, tile *given) {
    tile *found = atomic_exchange(&reader->cache[place], given);
    if (found != &busy) {
        free(found);
    }
}

/* A stored measure of a position whose opponent has an empty house, or OPEN. */
static int stored(const granero_reader *reader, const layer *of, const uint8_t *houses, int high, int *measure,
                  int *look_ups) {
    if (++*look_ups > LOOK_UPS) {
        return fail(reader, of, "its measures contradict each other");
    }
    place at = locate(reader, of, houses);
    uint64_t mixed = (at.number + (uint64_t)of->seeds * 0x100000001b3) * 0x9e3779b97f4a7c15;
    size_t place = (size_t)((mixed >> 32) * reader->places >> 32);
    tile *found = take(reader, place);
    if (!found || found->layer != of || found->number != at.number) {
        put(reader, place, found);
        found = read_tile(reader, of, &at);
        if (!found) {
            return 0;
        }
    }
    size_t rows = (size_t)(at.next_row - at.first_row), columns = found->columns;
    size_t x = found->place[at.column - at.first_column], r = (size_t)(at.row - at.first_row);
    *measure = found->measures[(high ? rows * columns : 0) + r * columns + x];
    put(reader, place, found);
    return 1;
}

/* The rules --------------------------------------------------------------------------------------- */

typedef struct {
    int house, captured, conceded;
    uint8_t child[12];
} move;

/* The legal moves; returns their number. */
static int moves_of(const ruleset *rules, const uint8_t *houses, move *moves) {
    move last_resort[6];
    int count = 0, others = 0;
    for (int house = 0; house < 6; house++) {
        uint8_t board[12];
        int last = house, permission = ALWAYS, ends_game = 0, chain = 0, opponents = 0, in_chain = 0;
        move made = {.house = house};
        memcpy(board, houses, 12);
        board[house] = 0;
        for (int seeds = houses[house]; seeds > 0;) {
            last = (last + 1) % 12;
            if (last != house) {
                board[last]++;
                seeds--;
            }
        }
        if (houses[house] == 0) {
            continue;
        }
        /* the chain: from `last`, `chain` houses back */
        while (last - chain >= 6 && (board[last - chain] == 2 || board[last - chain] == 3)) {
            in_chain += board[last - chain++];
        }
        opponents = sum(board + 6);
        if (opponents == 0) {
            permission = rules->starving;
        } else if (in_chain == opponents) {
            permission = rules->slam;
            ends_game = rules->ends_game;
            chain = rules->takes == TAKES_NONE ? 0 : chain - (rules->takes == SPARES_LAST);
            if (rules->takes == SPARES_FIRST) {
                last--;
                chain--;
            }
        }
        for (; chain > 0; chain--, last--) {
            made.captured += board[last];
            board[last] = 0;
        }
        if (ends_game) {
            made.conceded = sum(board) + sum(board + 6);
            memset(board, 0, 12);
        }
        memcpy(made.child, board + 6, 6);
        memcpy(made.child + 6, board, 6);
        if (permission == ALWAYS) {
            moves[count++] = made;
        } else if (permission == LAST_RESORT) {
            last_resort[others++] = made;
        }
    }
    if (count == 0) {
        memcpy(moves, last_resort, (size_t)others * sizeof *moves);
        count = others;
    }
    return count;
}

static int cut(int measure, int limit) { return measure < -limit ? -limit : measure > limit ? limit : measure; }

/* A measure of a position: what is stored, or the most that its moves give. */
static int measure_of(const granero_reader *reader, const uint8_t *houses, int high, int *measure, int *look_ups) {
    const layer *of = &reader->layer[sum(houses) + sum(houses + 6)];
    int is_open = has_empty(houses + 6), of_child = reader->own_side && !high, best = INT_MIN;
    if (is_open && !stored(reader, of, houses, high, measure, look_ups)) {
        return 0;
    }
    if (is_open && *measure != OPEN) {
        return 1;
    }
    move moves[6];
    int count = moves_of(reader->rules, houses, moves);
    for (int i = 0; i < count; i++) {
        int child, taken = moves[i].captured + moves[i].conceded;
        if (is_open && taken == 0) {
            /* The sown house is empty, so the child is stored or open. */
            if (!stored(reader, of, moves[i].child, of_child, &child, look_ups)) {
                return 0;
            }
            if (child == OPEN) {
                continue;
            }
        } else if (!measure_of(reader, moves[i].child, of_child, &child, look_ups)) {
            return 0;
        }
        int gives = moves[i].captured - moves[i].conceded - child;
        best = gives > best ? gives : best;
    }
    if (count == 0) {
        best = sum(houses) - sum(houses + 6);
    }
    if (is_open && best < (high ? 0 : 1)) {
        return fail(reader, of, "no move gives a measure that is not stored");
    }
    *measure = cut(best, of->limit);
    return 1;
}

/* The interface ----------------------------------------------------------------------------------- */

static int refuse(int status, const char *what) {
    snprintf(message, sizeof message, "%s", what);
    return status;
}

static int seeds_of(const uint8_t *houses) { return sum(houses) + sum(houses + 6); }

/* The memory of the cache: places for the largest tiles. */
static int make_cache(granero_reader *reader, size_t bytes) {
    size_t largest = sizeof(tile) + WIDTH * HEIGHT * (reader->own_side ? 2 : 1);
    uint64_t tiles = 1;
    for (int i = 0; i < reader->layers; i++) {
        tiles += reader->layer[i].tiles;
    }
    reader->places = (bytes > 0 ? bytes : CACHE_BYTES) / largest + 1;
    reader->places = reader->places < 2 * tiles ? reader->places : (size_t)(2 * tiles);
    reader->cache = malloc(reader->places * sizeof *reader->cache);
    for (size_t i = 0; reader->cache && i < reader->places; i++) {
        atomic_init(&reader->cache[i], NULL);
    }
    return reader->cache ? 1 : fail(reader, NULL, "no memory for the cache");
}

granero_reader *granero_open(const char *directory, size_t cache_bytes) {
    granero_reader *reader = directory ? calloc(1, sizeof *reader + strlen(directory) + 1) : NULL;
    char *text = NULL;
    if (!reader) {
        refuse(0, directory ? "no memory for a reader" : "the directory is a null pointer");
        return NULL;
    }
    reader->directory = strcpy((char *)(reader + 1), directory);
    for (int i = 0; i <= MOST_SEEDS; i++) {
        reader->layer[i].file.handle = NO_FILE;
    }
    for (int n = 0; n < 60; n++) {
        for (int k = 0; k < 12; k++) {
            reader->choose[n][k] =
                k == 0 ? 1 : n == 0 ? 0 : reader->choose[n - 1][k] + reader->choose[n - 1][k - 1];
        }
    }
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
        }
        reader->crc[i] = crc;
    }
    int is_open = read_manifest(reader, &text) && make_cache(reader, cache_bytes);
    free(text);
    if (!is_open) {
        granero_close(reader);
        return NULL;
    }
    return reader;
}

void granero_close(granero_reader *reader) {
    if (!reader) {
        return;
    }
    for (int i = 0; i <= MOST_SEEDS; i++) {
        layer *of = &reader->layer[i];
        close_source(&of->file);
        free(of->orders);
        free(of->ranks);
        free(of->outer);
        free(of->inner);
        free(of->starts);
    }
    for (size_t i = 0; reader->cache && i < reader->places; i++) {
        put(reader, i, NULL);
    }
    free(reader->cache);
    free(reader);
}

const char *granero_rules(const granero_reader *reader) { return reader ? reader->rules->name : NULL; }

int granero_is_own_side(const granero_reader *reader) { return reader && reader->own_side; }

int granero_max_seeds(const granero_reader *reader) { return reader ? reader->layers - 1 : -1; }

const char *granero_message(void) { return message; }

/* Both measures of a position, cut off at its limit. */
static int measures_of(const granero_reader *reader, const uint8_t *houses, int *least, int *most) {
    int look_ups = 0;
    if (!measure_of(reader, houses, 0, least, &look_ups)) {
        return 0;
    }
    *most = *least;
    return !reader->own_side || measure_of(reader, houses, 1, most, &look_ups);
}

/* Writes a range: a measure that is cut off may be anything beyond. */
static void write_range(const granero_reader *reader, int seeds, int least, int most, int8_t *low, int8_t *high) {
    int limit = limit_of(reader, seeds);
    *low = (int8_t)(least == -limit ? -seeds : least);
    *high = (int8_t)(most == limit ? seeds : most);
}

int granero_probe(const granero_reader *reader, const uint8_t *houses, int8_t *low, int8_t *high) {
    int least, most;
    if (!reader || !houses || !low || !high) {
        return refuse(GRANERO_ERROR_ARGUMENT, "an argument is a null pointer");
    }
    int seeds = seeds_of(houses);
    if (seeds > MOST_SEEDS) {
        return refuse(GRANERO_ERROR_ARGUMENT, "a position has more than 48 seeds");
    }
    if (seeds >= reader->layers) {
        *low = *high = GRANERO_NONE;
        return GRANERO_UNKNOWN;
    }
    if (!measures_of(reader, houses, &least, &most)) {
        return GRANERO_ERROR_TABLES;
    }
    write_range(reader, seeds, least, most, low, high);
    return GRANERO_OK;
}

typedef struct {
    uint64_t tile;
    size_t index;
} wanted;

static int by_tile(const void *one, const void *other) {
    uint64_t a = ((const wanted *)one)->tile, b = ((const wanted *)other)->tile;
    return (a > b) - (a < b);
}

int granero_probe_many(const granero_reader *reader, const uint8_t *houses, size_t count, int8_t *low,
                       int8_t *high) {
    if (!reader || (count > 0 && (!houses || !low || !high))) {
        return refuse(GRANERO_ERROR_ARGUMENT, "an argument is a null pointer");
    }
    int status = GRANERO_OK;
    wanted *order = count < SIZE_MAX / sizeof *order ? malloc((count + 1) * sizeof *order) : NULL;
    if (!order) {
        return refuse(GRANERO_ERROR_TABLES, "no memory for so many positions");
    }
    for (size_t i = 0; i < count; i++) {
        const uint8_t *one = houses + 12 * i;
        int seeds = seeds_of(one);
        order[i].index = i;
        order[i].tile = (uint64_t)seeds << 52;
        if (seeds < reader->layers) {
            order[i].tile += locate(reader, &reader->layer[seeds], one).number;
        }
    }
    qsort(order, count, sizeof *order, by_tile);
    for (size_t i = 0; i < count && status >= 0; i++) {
        size_t at = order[i].index;
        status = granero_probe(reader, houses + 12 * at, &low[at], &high[at]);
    }
    free(order);
    return status < 0 ? status : GRANERO_OK;
}

static int is_better(const granero_move *one, const granero_move *other) {
    return one->low > other->low || (one->low == other->low && one->high > other->high);
}

int granero_probe_root(const granero_reader *reader, const uint8_t *houses, granero_root *root) {
    if (!reader || !houses || !root) {
        return refuse(GRANERO_ERROR_ARGUMENT, "an argument is a null pointer");
    }
    int seeds = seeds_of(houses), is_known = 1, least, most;
    if (seeds > MOST_SEEDS) {
        return refuse(GRANERO_ERROR_ARGUMENT, "a position has more than 48 seeds");
    }
    move moves[6];
    int count = moves_of(reader->rules, houses, moves), limit = limit_of(reader, seeds);
    /* The value of the end, or the best that the moves give. */
    int low = count == 0 ? sum(houses) - sum(houses + 6) : -limit, high = low;
    granero_root found = {.count = (uint8_t)count, .low = GRANERO_NONE, .high = GRANERO_NONE};
    for (int i = 0; i < count; i++) {
        const move *from = &moves[i];
        int child = seeds_of(from->child), gain = from->captured - from->conceded, place = i;
        granero_move to = {.house = (uint8_t)from->house, .captured = (uint8_t)from->captured,
                           .conceded = (uint8_t)from->conceded, .low = GRANERO_NONE, .high = GRANERO_NONE};
        memcpy(to.houses, from->child, 12);
        if (child >= reader->layers || (reader->decides > 0 && seeds > reader->decides)) {
            is_known = 0;
        } else if (measures_of(reader, from->child, &least, &most)) {
            /* What is the most for the opponent is the least for the mover. */
            int worst = cut(gain - most, limit), best = cut(gain - least, limit);
            write_range(reader, seeds, worst, best, &to.low, &to.high);
            low = worst > low ? worst : low;
            high = best > high ? best : high;
        } else {
            return GRANERO_ERROR_TABLES;
        }
        for (; place > 0 && is_better(&to, &found.moves[place - 1]); place--) {
            found.moves[place] = found.moves[place - 1];
        }
        found.moves[place] = to;
    }
    if (is_known) {
        write_range(reader, seeds, cut(low, limit), cut(high, limit), &found.low, &found.high);
    }
    *root = found;
    return is_known ? GRANERO_OK : GRANERO_UNKNOWN;
}
