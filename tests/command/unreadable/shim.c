/* Preloaded into the command: lets one file fail from some place on.
 *
 * GRANERO_FAILS is HOW:PLACE:NAME. NAME is the last part of the file's path. From the byte
 * PLACE on, with HOW
 *   io    it cannot be read, as on a disk with a bad sector;
 *   cut   it is not there any more: the file is cut off as soon as it is mapped, or such a
 *         byte is asked for.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

/* The function of the C library that one here stands for. */
#define REAL(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

static int cut;
static off_t place;
static char name[256];

__attribute__((constructor)) static void begin(void)
{
    char how[8] = "";
    long long number = 0;
    const char *text = getenv("GRANERO_FAILS");
    if (!text || sscanf(text, "%7[a-z]:%lld:%255s", how, &number, name) != 3)
        return;
    cut = strcmp(how, "cut") == 0;
    place = number;
}

/* The path of the file, if it is the one. */
static int is_the_one(int file, char *path, size_t size)
{
    char link[64];
    if (!name[0])
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, size - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    const char *last = strrchr(path, '/');
    return last && strcmp(last + 1, name) == 0;
}

/* Returns true if a read that ends there fails; cuts the file off if that is the fault to test. */
static int fails(int file, off_t end)
{
    char path[4096];
    if (end <= place || !is_the_one(file, path, sizeof path))
        return 0;
    if (cut)
        return truncate(path, place) != 0;
    errno = EIO;
    return 1;
}

ssize_t pread64(int file, void *bytes, size_t length, off64_t start)
{
    return fails(file, start + length) ? -1 : REAL(pread64)(file, bytes, length, start);
}

ssize_t pread(int, void *, size_t, off_t) __attribute__((alias("pread64")));

ssize_t read(int file, void *bytes, size_t length)
{
    off_t start = name[0] ? lseek(file, 0, SEEK_CUR) : -1;
    return start >= 0 && fails(file, start + length) ? -1 : REAL(read)(file, bytes, length);
}

/* A copy of the beginning of a file: to touch what lies behind it is a fault. */
static int beginning(int file)
{
    int copy = memfd_create(name, 0);
    char *bytes = malloc(place + 1);
    ssize_t length = pread64(file, bytes, place, 0);
    if (copy < 0 || length < 0 || write(copy, bytes, length) != length)
        abort();
    free(bytes);
    return copy;
}

void *mmap64(void *address, size_t length, int protection, int flags, int file, off64_t start)
{
    char path[4096];
    if (file < 0 || !is_the_one(file, path, sizeof path))
        return REAL(mmap64)(address, length, protection, flags, file, start);
    if (!cut) {
        int copy = beginning(file);
        void *mapped = REAL(mmap64)(address, length, protection, flags, copy, start);
        close(copy);
        return mapped;
    }
    void *mapped = REAL(mmap64)(address, length, protection, flags, file, start);
    if (truncate(path, place) != 0)
        abort();
    return mapped;
}

void *mmap(void *, size_t, int, int, int, off_t) __attribute__((alias("mmap64")));
