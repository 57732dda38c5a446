// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "traffic-gen/tester/suite/run/user_command.h"

#include "traffic-gen/tester/suite/transport/tcp_socket.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_US = 10000 };

/* In its own process group: the terminal's signals do not reach it, and its children can be ended together. */
static int command_start(const char *command, char **environment, int output, pid_t *pid)
{
    char *const arguments[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t usual;
    int error;

    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGTERM);
    sigaddset(&usual, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    error = posix_spawn(pid, "/bin/sh", &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool ended_well(int status, char **why)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    *why = WIFEXITED(status) ? g_strdup_printf("exit status %d", WEXITSTATUS(status))
                             : g_strdup_printf("ended by signal %d", WTERMSIG(status));
    return false;
}

static bool command_run(const char *command, const char *const *variables, int64_t timeout_ns, int output, char **why)
{
    int64_t until = g_get_monotonic_time() + timeout_ns / 1000;
    g_auto(GStrv) environment = g_get_environ();
    pid_t pid;
    int error, status;

    for (unsigned i = 0; variables[i]; i++) {
        g_autofree char *name = g_strndup(variables[i], strcspn(variables[i], "="));

        environment = g_environ_setenv(environment, name, variables[i] + strlen(name) + 1, TRUE);
    }
    error = command_start(command, environment, output, &pid);
    if (error) {
        *why = g_strdup(g_strerror(error));
        return false;
    }
    for (;;) {
        pid_t ended = waitpid(pid, &status, WNOHANG);

        if (ended == pid)
            return ended_well(status, why);
        if (ended < 0 && errno != EINTR) {
            *why = g_strdup(g_strerror(errno));
            return false;
        }
        if (suite_stopped || g_get_monotonic_time() >= until)
            break;
        g_usleep(POLL_US);
    }
    kill(-pid, SIGTERM);
    g_usleep(10 * POLL_US);
    kill(-pid, SIGKILL);
    waitpid(pid, &status, 0);
    *why =
        suite_stopped ? g_strdup("stopped") : g_strdup_printf("not finished within %.0f s", (double)timeout_ns / 1e9);
    return false;
}

bool user_command_run(const char *command, const char *const *variables, int64_t timeout_ns, char **why)
{
    return command_run(command, variables, timeout_ns, STDERR_FILENO, why);
}

/* Output for people: without cursor control and invalid UTF-8. */
static char *command_printable(const char *octets, size_t n)
{
    char *text = g_utf8_make_valid(octets, (gssize)n);

    for (char *at = text; *at; at++)
        if (((unsigned char)*at < 0x20 && *at != '\n') || *at == 0x7F)
            *at = ' ';
    return g_strchomp(text);
}

bool user_command_output(const char *command, const char *const *variables, int64_t timeout_ns, char **output,
                         char **why)
{
    int fd = memfd_create("output", MFD_CLOEXEC);
    char octets[USER_OUTPUT_MAX];
    ssize_t n;
    bool good;

    if (fd < 0) {
        *why = g_strdup(g_strerror(errno));
        return false;
    }
    good = command_run(command, variables, timeout_ns, fd, why);
    n = pread(fd, octets, sizeof octets, 0);
    close(fd);
    if (good)
        *output = command_printable(octets, n > 0 ? (size_t)n : 0);
    return good;
}
