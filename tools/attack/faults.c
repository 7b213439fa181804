/* Runs a program and lets one of its system calls fail.
 *
 *     faults LOG MARK [NUMBER ACTION] -- PROGRAM ARGUMENT…
 *
 * Counts the system calls for files and threads, in all threads together, from the first whose
 * path contains MARK, so the calls of the program loader and the language's runtime before it do
 * not count. Each call gets a line in LOG: its number, its name and its path. ACTION is done to
 * call NUMBER:
 *
 *     EIO, ENOSPC, …   it fails with this error and does nothing
 *     short            it reads or writes half the bytes
 *     kill             the program gets SIGKILL instead of the call
 *     killed           the program gets SIGKILL right after the call
 *
 * Exits with the program's status, or with 128 plus the number of the signal that ended it.
 *
 * It uses ptrace, not a preloaded library, because the program makes some of its system calls
 * without the C library.
 */

#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* The positions of the arguments that are a path and a file descriptor; -1 for none. */
struct call {
    long number;
    const char *name;
    int path, file;
};

static const struct call CALLS[] = {
#ifdef SYS_open
    {SYS_open, "open", 0, -1},
    {SYS_mkdir, "mkdir", 0, -1},
    {SYS_unlink, "unlink", 0, -1},
    {SYS_rename, "rename", 0, -1},
    {SYS_stat, "stat", 0, -1},
    {SYS_lstat, "lstat", 0, -1},
#endif
#ifdef SYS_renameat
    {SYS_renameat, "renameat", 1, 0},
#endif
    {SYS_openat, "openat", 1, 0},
    {SYS_openat2, "openat2", 1, 0},
    {SYS_mkdirat, "mkdirat", 1, 0},
    {SYS_unlinkat, "unlinkat", 1, 0},
    {SYS_renameat2, "renameat2", 1, 0},
    {SYS_linkat, "linkat", 1, 0},
    {SYS_newfstatat, "newfstatat", 1, 0},
    {SYS_statx, "statx", 1, 0},
    {SYS_statfs, "statfs", 0, -1},
    {SYS_fstat, "fstat", -1, 0},
    {SYS_fstatfs, "fstatfs", -1, 0},
    {SYS_getdents64, "getdents64", -1, 0},
    {SYS_read, "read", -1, 0},
    {SYS_readv, "readv", -1, 0},
    {SYS_pread64, "pread64", -1, 0},
    {SYS_write, "write", -1, 0},
    {SYS_writev, "writev", -1, 0},
    {SYS_pwrite64, "pwrite64", -1, 0},
    {SYS_lseek, "lseek", -1, 0},
    {SYS_ftruncate, "ftruncate", -1, 0},
    {SYS_fallocate, "fallocate", -1, 0},
    {SYS_fsync, "fsync", -1, 0},
    {SYS_fdatasync, "fdatasync", -1, 0},
    {SYS_mmap, "mmap", -1, 4},
    {SYS_flock, "flock", -1, 0},
    {SYS_fcntl, "fcntl", -1, 0},
    {SYS_close, "close", -1, 0},
    {SYS_clone3, "clone3", -1, -1},
};

static void fail(const char *what) {
    fprintf(stderr, "faults: %s: %s\n", what, strerror(errno));
    exit(125);
}

static const struct call *find(long number) {
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++)
        if (CALLS[i].number == number) return &CALLS[i];
    return NULL;
}

/* Sets the register at a place of the structure with all registers. */
static void set_register(pid_t thread, size_t place, long value) {
    struct user_regs_struct registers;
    struct iovec all = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &all) < 0) fail("registers");
    memcpy((char *)&registers + place, &value, sizeof value);
    if (ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &all) < 0) fail("registers");
}

#define PLACE(name) offsetof(struct user_regs_struct, name)
#if defined(__x86_64__)
enum { RESULT = PLACE(rax), LENGTH = PLACE(rdx) };
static void skip(pid_t thread) { set_register(thread, PLACE(orig_rax), -1); }
#elif defined(__aarch64__)
enum { RESULT = PLACE(regs[0]), LENGTH = PLACE(regs[2]) };
static void skip(pid_t thread) {
    int none = -1;
    struct iovec number = {&none, sizeof none};
    if (ptrace(PTRACE_SETREGSET, thread, NT_ARM_SYSTEM_CALL, &number) < 0) fail("registers");
}
#else
#error "Say here how to skip a system call on this machine."
#endif

/* The path of a call: the one that it names, or the path of its file. */
static void describe(pid_t thread, const struct call *call, const uint64_t *arguments,
                     char *text, size_t size) {
    text[0] = 0;
    if (call->path >= 0) {
        /* A page at a time: the next page may not be mapped. */
        uint64_t from = arguments[call->path];
        size_t length = 4096 - from % 4096;
        if (length > size - 1) length = size - 1;
        struct iovec here = {text, length}, there = {(void *)(uintptr_t)from, length};
        ssize_t read = process_vm_readv(thread, &here, 1, &there, 1, 0);
        text[read < 0 ? 0 : read] = 0;
    }
    if (call->file >= 0 && text[0] == 0 && (int)arguments[call->file] >= 0) {
        char link[64];
        snprintf(link, sizeof link, "/proc/%d/fd/%d", thread, (int)arguments[call->file]);
        ssize_t read = readlink(link, text, size - 1);
        text[read < 0 ? 0 : read] = 0;
    }
}

int main(int count, char **words) {
    int with_action = count > 5 && strcmp(words[5], "--") == 0;
    int command = with_action ? 6 : 4;
    if (count <= command || strcmp(words[command - 1], "--") != 0) {
        fputs("faults LOG MARK [NUMBER ACTION] -- PROGRAM ARGUMENT...\n", stderr);
        return 125;
    }
    const char *mark = words[2], *action = with_action ? words[4] : "";
    long wanted = with_action ? atol(words[3]) : -1, error = 0;
    for (int number = 1; number < 4096; number++) {
        const char *name = strerrorname_np(number);
        if (name && strcmp(name, action) == 0) error = number;
    }
    int is_known = error != 0 || strcmp(action, "short") == 0 || strcmp(action, "kill") == 0 ||
                   strcmp(action, "killed") == 0;
    if (with_action && !is_known) {
        fprintf(stderr, "faults: no action: %s\n", action);
        return 125;
    }
    FILE *log = fopen(words[1], "we");
    if (!log) fail(words[1]);

    int ready[2];
    if (pipe(ready) < 0) fail("pipe");
    pid_t program = fork();
    if (program < 0) fail("fork");
    if (program == 0) {
        char byte;
        close(ready[1]);
        if (read(ready[0], &byte, 1) < 0) _exit(125);
        close(ready[0]);
        execvp(words[command], words + command);
        _exit(125);
    }
    close(ready[0]);
    long options = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD;
    if (ptrace(PTRACE_SEIZE, program, 0, options) < 0) fail("ptrace");
    if (ptrace(PTRACE_INTERRUPT, program, 0, 0) < 0) fail("ptrace");
    close(ready[1]);

    long number = 0;
    pid_t failing = 0, last = 0; /* The threads within a call that fails, or is the last one. */
    char text[4096];
    for (;;) {
        int status, passed = 0;
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0) fail("waitpid");
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (thread != program) continue;
            fclose(log);
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
            struct __ptrace_syscall_info info;
            if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) < 0) continue;
            const struct call *call =
                info.op == PTRACE_SYSCALL_INFO_ENTRY ? find(info.entry.nr) : NULL;
            /* Anonymous memory is not counted: without it, no program can go on. */
            if (call && call->number == SYS_mmap && (int)info.entry.args[4] < 0) call = NULL;
            if (call) {
                describe(thread, call, (const uint64_t *)info.entry.args, text, sizeof text);
                if (number > 0 || (call->path >= 0 && strstr(text, mark))) {
                    number++;
                    fprintf(log, "%ld %s %s\n", number, call->name, text);
                    if (number == wanted) {
                        if (error) {
                            skip(thread);
                            failing = thread;
                        } else if (strcmp(action, "short") == 0) {
                            long length = info.entry.args[2];
                            /* The numbers of calls may differ a little between runs. */
                            if (strstr(call->name, "read") || strstr(call->name, "write"))
                                set_register(thread, LENGTH, length > 1 ? length / 2 : length);
                        } else if (strcmp(action, "kill") == 0) {
                            kill(program, SIGKILL);
                        } else {
                            last = thread;
                        }
                    }
                }
            } else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
                if (thread == failing) set_register(thread, RESULT, -error), failing = 0;
                if (thread == last) kill(program, SIGKILL), last = 0;
            }
        } else if (status >> 16 == 0) {
            passed = WSTOPSIG(status); /* A signal that is for the program. */
        }
        if (ptrace(PTRACE_SYSCALL, thread, 0, passed) < 0 && errno != ESRCH) fail("ptrace");
    }
}
