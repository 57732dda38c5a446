// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen: writes iWARP conversations to captures, speaks them live, and tests devices. */
#include "traffic-gen/cli/command.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static const struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"play", "write a conversation, conforming or with faults, to a capture file", command_play},
    {"list", "list scenarios, faults or tests", command_list},
    {"connect", "speak a scenario, or use a service, as MPA Initiator over TCP", command_connect},
    {"listen", "speak a scenario as MPA Responder over TCP", command_listen},
    {"serve", "be a service for real clients", command_serve},
    {"test", "test a device for conformance", command_test},
    {"report", "put results of tests together", command_report},
};

static const struct command *command_find(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

static void print_help(void)
{
    puts("Usage:\n  iwarp-gen COMMAND [OPTION...] ...\n\nCommands (each has a --help of its own):");
    for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++)
        printf("  %-8s  %s\n", commands[i].name, commands[i].summary);
    puts("\nOptions:\n  -h, --help  this help\n  --version   the version\n\n"
         "Try:\n"
         "  iwarp-gen play rdmap -o good.pcapng\n"
         "  iwarp-gen play rev1 --inject=MPA-4.1-05 -o bad.pcapng\n"
         "  iwarp-gen serve :7174 --service=echo\n"
         "  iwarp-gen test device.example:7174\n\n"
         "Exit status: 0 done, 1 not as it should be, 2 trouble. More: man iwarp-gen, iwarp-scenario,\n"
         "iwarp-gen-script");
}

static int run_without_command(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_help();
        return COMMAND_DONE;
    }
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        puts("iwarp-gen " IWARP_KIT_VERSION " (iwarp-kit)");
        return COMMAND_DONE;
    }
    if (argc > 1)
        return command_fail("there is no command '%s' (see: iwarp-gen --help)", argv[1]);
    return command_fail("expected a command (see: iwarp-gen --help)");
}

/* Options may stand before the command, too: it is the first word that names one, and what stood before it follows. */
static int run(int argc, char **argv)
{
    const struct command *command = NULL;
    int at;

    for (at = 1; at < argc && !command; at++)
        command = command_find(argv[at]);
    if (!command)
        return run_without_command(argc, argv);

    char *name = g_strdup_printf("iwarp-gen %s", command->name);
    char **own = g_new0(char *, (gsize)argc);
    int n = 0;

    own[n++] = name;
    for (int i = 1; i < argc; i++) {
        if (i != at - 1)
            own[n++] = argv[i];
    }
    g_set_prgname(name);

    int status = command->run(n, own);

    g_free(own);
    g_free(name);
    return status;
}

int main(int argc, char **argv)
{
    int status;

    setlocale(LC_ALL, "");
    status = run(argc, argv);
    if (fflush(stdout) != 0 && status == COMMAND_DONE)
        status = command_fail("standard output: %s", g_strerror(errno));
    return status;
}
