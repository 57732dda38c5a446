// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "conformance/input/capture_tap.h"

#include "support/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAIT_MS = 100, ARGUMENTS_MAX = 10 };
static const char interface[] = "kernel";

bool tap_is_interface(const char *name)
{
    return strcmp(name, interface) == 0;
}

/* Ends and pipes of the child. */
struct tap_ends {
    int run[2], packets[2]; /* read, write */
};

static int tap_spawn(struct capture_tap *tap, const struct tap_ends *ends, const struct capture_live_options *options)
{
    const char *arguments[ARGUMENTS_MAX] = {"iwarp-tap", "--child", "--write=-"};
    char *const *argv = (char *const *)arguments;
    posix_spawn_file_actions_t actions;
    unsigned n = 3;
    int status;

    if (options->filter) {
        arguments[n++] = "--filter";
        arguments[n++] = options->filter;
    }
    if (options->user) {
        arguments[n++] = "--user";
        arguments[n++] = options->user;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends->run[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends->packets[1], STDOUT_FILENO);
    status = posix_spawnp(&tap->pid, "iwarp-tap", &actions, NULL, argv, environ);
    if (status == ENOENT) /* the search path of many users lacks this folder */
        status = posix_spawn(&tap->pid, IWARP_TAP_PROGRAM, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

static bool tap_start(struct capture_tap *tap, const struct capture_live_options *options, struct capture_error *error)
{
    struct tap_ends ends = {{-1, -1}, {-1, -1}};
    int status = EMFILE;

    if (pipe2(ends.run, O_CLOEXEC) == 0 && pipe2(ends.packets, O_CLOEXEC) == 0)
        status = tap_spawn(tap, &ends, options);
    tap->run = ends.run[1];
    tap->packets = ends.packets[0];
    if (ends.run[0] >= 0)
        close(ends.run[0]);
    if (ends.packets[1] >= 0)
        close(ends.packets[1]);
    if (status == 0)
        return true;
    tap->pid = 0;
    if (status == ENOENT)
        capture_error_set(
            error,
            "%s: iwarp-tap is not installed, which records what the kernel sends and receives (package iwarp-tap)",
            interface);
    else
        capture_error_set(error, "%s: cannot start iwarp-tap: %s", interface, strerror(status));
    return false;
}

bool tap_open(struct capture_tap *tap, const struct capture_live_options *options, struct capture_error *error)
{
    *tap = (struct capture_tap){.run = -1, .packets = -1};
    if (!tap_start(tap, options, error))
        return false;
    if (!privileges_drop(options->user, options->writes)) {
        capture_error_set(error, "%s: cannot drop privileges: %s", interface, strerror(errno));
        return false;
    }
    return true;
}

void tap_wait(const struct capture_tap *tap)
{
    struct pollfd wait = {.fd = tap->packets, .events = POLLIN};

    poll(&wait, 1, WAIT_MS);
}

void tap_stop(struct capture_tap *tap)
{
    if (tap->run >= 0)
        close(tap->run);
    tap->run = -1;
}

bool tap_close(struct capture_tap *tap)
{
    int status = -1;

    tap_stop(tap);
    if (tap->packets >= 0)
        close(tap->packets);
    tap->packets = -1;
    if (tap->pid > 0)
        while (waitpid(tap->pid, &status, 0) < 0 && errno == EINTR)
            ;
    tap->pid = 0;
    return status == 0;
}
