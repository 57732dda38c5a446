// SPDX-License-Identifier: GPL-2.0-or-later
/* Preloaded into iwarp-check: when the program ends it tries what an attacker would, and reports what succeeded. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static FILE *said;

static void say(const char *what, int result)
{
    fprintf(said, "%s=%s\n", what, result >= 0 ? "yes" : strerrorname_np(errno));
}

static void *in_thread(void *ctx)
{
    (void)ctx;
    say("thread-read", open(getenv("ESCAPE_FILE"), O_RDONLY));
    return NULL;
}

static int run_program(void)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        execl("/bin/true", "true", NULL);
        _exit(errno);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return -1;
    errno = WEXITSTATUS(status);
    return errno == 0 ? 0 : -1;
}

__attribute__((constructor)) static void begin(void)
{
    unsetenv("LD_PRELOAD");
    said = fopen(getenv("ESCAPE_REPORT"), "w");
}

__attribute__((destructor)) static void try(void)
{
    const char *file = getenv("ESCAPE_FILE"), *fresh = getenv("ESCAPE_NEW");
    pthread_t thread;

    if (!said)
        return;
    say("read", open(file, O_RDONLY));
    say("write", open(file, O_WRONLY));
    say("create", open(fresh, O_CREAT | O_WRONLY, 0600));
    say("remove", unlink(fresh));
    say("mode", chmod(file, 0600));
    say("list", open("/", O_RDONLY | O_DIRECTORY));
    say("program", run_program());
    say("socket", socket(AF_INET, SOCK_STREAM, 0));
    say("input", getenv("ESCAPE_INPUT") ? open(getenv("ESCAPE_INPUT"), O_RDONLY) : 0);
    if (pthread_create(&thread, NULL, in_thread, NULL) == 0)
        pthread_join(thread, NULL);
    fclose(said);
}
