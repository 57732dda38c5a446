// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/cli/command.h"

#include <stdio.h>

int command_fail(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    fputs("iwarp-gen: ", stderr);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
    return COMMAND_TROUBLE;
}

int command_check_only(const struct command_only *rows, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (rows[i].given && !rows[i].fits)
            return command_fail("%s is only for %s", rows[i].option, rows[i].with);
    }
    return COMMAND_DONE;
}

bool command_parse(const struct command_usage *usage, const GOptionEntry *entries, int *argc, char ***argv, int n_least,
                   int n_most, int *status)
{
    GOptionContext *context = g_option_context_new(usage->arguments);
    GError *error = NULL;
    bool good = false;

    *status = COMMAND_TROUBLE;
    g_option_context_set_summary(context, usage->summary);
    if (usage->description)
        g_option_context_set_description(context, usage->description);
    if (entries)
        g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, argc, argv, &error)) {
        command_fail("%s (see: %s --help)", error->message, (*argv)[0]);
        g_error_free(error);
    } else if (*argc - 1 < n_least || *argc - 1 > n_most) {
        command_fail("expected: %s %s (see: %s --help)", (*argv)[0], usage->arguments, (*argv)[0]);
    } else {
        good = true;
    }
    g_option_context_free(context);
    return good;
}
