// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "tap/keeper.h"

#include "support/privileges.h"
#include "support/stderr_line.h"
#include "tap/fit.h"

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 200 };
#define NAME "iwarp-tap"

/* ---- the process ---- */

static bool attach_again(struct probes *probes, int said)
{
    char error[PROBES_ERROR_SIZE] = "";

    if (!probes_attach(probes, error)) {
        stderr_line(NAME, "the module is loaded again, but nothing is recorded: %s", error);
        return false;
    }
    stderr_line(NAME, "the module is loaded again: recording");
    return dprintf(said, "\n") > 0;
}

/* Until the other process closes its end; false: the programs could not be attached again. */
static bool watch_modules(struct probes *probes, int run, int said)
{
    struct fit_watch watch = fit_watch_begin(probes_sys);
    struct pollfd end = {.fd = run, .events = POLLIN};

    while (poll(&end, 1, LOOK_MS) == 0)
        switch (fit_watch_look(&watch, probes_sys)) {
        case FIT_SAME:
            break;
        case FIT_GONE:
            probes_detach(probes);
            stderr_line(NAME, "the kernel's module rpcrdma was unloaded: waiting for it");
            break;
        case FIT_AGAIN:
            if (!attach_again(probes, said))
                return false;
            break;
        }
    return true;
}

/* Where the kernel asks for it, CAP_SYS_ADMIN attaches. */
static bool drop_what_is_not_needed(const char *user)
{
    static const int needed[] = {CAP_BPF, CAP_PERFMON, CAP_SYSLOG, CAP_SYS_ADMIN};
    size_t n = sizeof needed / sizeof needed[0];

    return privileges_keep(user, needed, probes_need_admin() ? n : n - 1);
}

/* Writes an empty line, or the error. */
static _Noreturn void keep(struct probes *probes, const char *user, int run, int said)
{
    char error[PROBES_ERROR_SIZE] = "";
    bool attached;

    signal(SIGINT, SIG_IGN); /* a terminal gives it to both processes */
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    attached = probes_attach(probes, error);
    if (attached && !drop_what_is_not_needed(user)) {
        (void)snprintf(error, sizeof error, "cannot drop privileges: %s", strerror(errno));
        attached = false;
    }
    if (dprintf(said, "%s\n", error) > 0 && attached)
        attached = watch_modules(probes, run, said);
    probes_detach(probes);
    _exit(attached ? 0 : 1);
}

/* ---- the other process ---- */

/* The line that it says first; true: an empty one. */
static bool keeper_hear(const struct keeper *keeper, char error[PROBES_ERROR_SIZE])
{
    size_t n = 0;
    char next = 0;

    while (n + 1 < PROBES_ERROR_SIZE && next != '\n') {
        ssize_t got = read(keeper->said, &next, 1);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        error[n++] = next;
    }
    if (next == '\n') {
        error[n - 1] = '\0';
        return n == 1;
    }
    (void)snprintf(error, PROBES_ERROR_SIZE, "the process that attaches the BPF programs has ended");
    return false;
}

bool keeper_start(struct keeper *keeper, struct probes *probes, const char *user, char error[PROBES_ERROR_SIZE])
{
    int run[2] = {-1, -1}, said[2] = {-1, -1};

    *keeper = (struct keeper){.run = -1, .said = -1};
    if (pipe2(run, O_CLOEXEC) == 0 && pipe2(said, O_CLOEXEC) == 0)
        keeper->pid = fork();
    else
        keeper->pid = -1;
    if (keeper->pid == 0) {
        close(run[1]);
        close(said[0]);
        keep(probes, user, run[0], said[1]);
    }
    keeper->run = run[1];
    keeper->said = said[0];
    (void)snprintf(error, PROBES_ERROR_SIZE, "cannot start a process: %s", strerror(errno));
    if (run[0] >= 0)
        close(run[0]);
    if (said[1] >= 0)
        close(said[1]);
    if (keeper->pid > 0 && keeper_hear(keeper, error) && fcntl(keeper->said, F_SETFL, O_NONBLOCK) == 0)
        return true;
    keeper_stop(keeper);
    return false;
}

bool keeper_lives(const struct keeper *keeper, uint64_t *gaps)
{
    char line;
    ssize_t got;

    for (*gaps = 0; (got = read(keeper->said, &line, 1)) > 0;)
        ++*gaps;
    return got < 0; /* nothing to read */
}

void keeper_stop(struct keeper *keeper)
{
    if (keeper->run >= 0)
        close(keeper->run);
    if (keeper->said >= 0)
        close(keeper->said);
    if (keeper->pid > 0)
        while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    *keeper = (struct keeper){.run = -1, .said = -1};
}
