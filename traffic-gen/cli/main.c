// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen: writes iWARP conversations to captures, speaks them live, and tests devices. */
#include "traffic-gen/cli/command.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static int help(int argc, char **argv);

static const struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"play", "write a conversation, conforming or with faults, to a capture file", command_play},
    {"list", "list scenarios, faults, cases or mutants", command_list},
    {"connect", "play a scenario, or use a service, as MPA Initiator over TCP", command_connect},
    {"listen", "play a scenario as MPA Responder over TCP", command_listen},
    {"serve", "serve real clients", command_serve},
    {"test", "test a device for conformance", command_test},
    {"learn", "infer the state machine of a device", command_learn},
    {"simulate", "check random conversations with a known verdict", command_simulate},
    {"report", "combine test results into one page", command_report},
    {"help", "explain a command", help},
};

static const struct command *command_find(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

static const char *command_name(unsigned index)
{
    return index < G_N_ELEMENTS(commands) ? commands[index].name : NULL;
}

static int fail_command(const char *name)
{
    const char *guess = command_guess(name, command_name);

    if (guess)
        return command_fail("there is no command '%s' (did you mean '%s'?)", name, guess);
    return command_fail("there is no command '%s' (see: iwarp-gen --help)", name);
}

static void print_help(void)
{
    puts("Usage:\n  iwarp-gen COMMAND [OPTION...] ...\n\nCommands:");
    for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++)
        printf("  %-8s  %s\n", commands[i].name, commands[i].summary);
    puts("\nOptions:\n  -h, --help     this help; after a command, or as \"help COMMAND\": the help of the command\n"
         "  -V, --version  the version\n\n"
         "Examples:\n"
         "  iwarp-gen play rdmap -o good.pcapng\n"
         "  iwarp-gen play rev1 --inject=MPA-4.1-05 -o bad.pcapng\n"
         "  iwarp-gen serve :7174 --service=echo\n"
         "  iwarp-gen test device.example:7174\n\n"
         "Exit status: 0 success, 1 a failure, 2 wrong usage or trouble. More: man iwarp-gen,\n"
         "iwarp-gen-COMMAND, iwarp-scenario");
}

static int run_command(const struct command *command, int n, char **arguments)
{
    g_autofree char *name = g_strdup_printf("iwarp-gen %s", command->name);

    arguments[0] = name;
    g_set_prgname(name);
    return command->run(n, arguments);
}

static int help(int argc, char **argv)
{
    const struct command *command = argc > 1 ? command_find(argv[1]) : NULL;
    char option[] = "--help", *arguments[] = {NULL, option, NULL};

    if (argc > 2)
        return command_fail("unexpected argument '%s'; expected: iwarp-gen help [COMMAND]", argv[2]);
    if (argc > 1 && !command)
        return fail_command(argv[1]);
    if (command && command->run != help)
        return run_command(command, 2, arguments);
    print_help();
    return COMMAND_DONE;
}

static int run_without_command(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_help();
        return COMMAND_DONE;
    }
    if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
        puts("iwarp-gen " IWARP_KIT_VERSION " (iwarp-kit)");
        return COMMAND_DONE;
    }
    if (argc > 1 && *argv[1] == '-')
        return command_fail("unknown option %s (see: iwarp-gen --help)", argv[1]);
    if (argc > 1)
        return fail_command(argv[1]);
    return command_fail("expected a command (see: iwarp-gen --help)");
}

/* Options may precede the command: the first word that names a command counts, and earlier words are moved after it. */
static int cli_main_run(int argc, char **argv)
{
    const struct command *command = NULL;
    int at;

    for (at = 1; at < argc && !command; at++)
        command = command_find(argv[at]);
    if (!command)
        return run_without_command(argc, argv);

    g_autofree char **own = g_new0(char *, (gsize)argc + 1);
    int n = 1;

    for (int i = 1; i < argc; i++) {
        if (i != at - 1)
            own[n++] = argv[i];
    }
    return run_command(command, n, own);
}

int main(int argc, char **argv)
{
    int status;

    setlocale(LC_ALL, "");
    status = cli_main_run(argc, argv);
    if (fflush(stdout) != 0 && status == COMMAND_DONE)
        status = command_fail("standard output: %s", g_strerror(errno));
    return status;
}
