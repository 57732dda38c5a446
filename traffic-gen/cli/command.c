// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/cli/command.h"

#include "support/closest.h"
#include "support/stderr_line.h"
#include "traffic-gen/cli/command_help.h"

#include <stdio.h>
#include <string.h>

int command_fail(const char *format, ...)
{
    va_list ap;
    g_autofree gchar *text = NULL;

    va_start(ap, format);
    text = g_strdup_vprintf(format, ap);
    va_end(ap);
    stderr_line("iwarp-gen", "%s", text);
    return COMMAND_TROUBLE;
}

const char *command_guess(const char *word, const char *(*next)(unsigned index))
{
    struct closest closest = closest_to(word, SIZE_MAX);
    const char *name;

    for (unsigned i = 0; (name = next(i)); i++)
        closest_consider(&closest, name);
    return closest.name;
}

int command_check_only(const struct command_only *rows, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (rows[i].given && !rows[i].fits)
            return command_fail("%s is only for %s", rows[i].option, rows[i].with);
    }
    return COMMAND_DONE;
}

int command_check_ranges(const struct command_range *rows, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (!(rows[i].value >= rows[i].min && rows[i].value <= rows[i].max))
            return command_fail("%s: %.15g is not from %g to %g%s", rows[i].option, rows[i].value, rows[i].min,
                                rows[i].max, rows[i].unit ? rows[i].unit : "");
    }
    return COMMAND_DONE;
}

/* The entries for GLib: without titles, with --help, as GLib's own help has another form. */
static GArray *parsed_entries(const GOptionEntry *entries, gboolean *help)
{
    const GOptionEntry own = {"help", 'h', 0, G_OPTION_ARG_NONE, help, NULL, NULL};
    GArray *parsed = g_array_new(TRUE, FALSE, sizeof(GOptionEntry));

    g_array_append_val(parsed, own);
    for (; entries->long_name; entries++) {
        if (*entries->long_name)
            g_array_append_val(parsed, *entries);
    }
    return parsed;
}

/* GLib's message ends with the option. */
static int fail_unknown(const char *program, const char *message, const GOptionEntry *entries)
{
    const char *space = strrchr(message, ' '), *option = space ? space + 1 : message;
    const char *name = option + strspn(option, "-");
    struct closest closest = closest_to(name, strcspn(name, "="));

    for (; entries->long_name; entries++) {
        if (*entries->long_name && !(entries->flags & G_OPTION_FLAG_HIDDEN))
            closest_consider(&closest, entries->long_name);
    }
    if (closest.name)
        return command_fail("unknown option %s (did you mean --%s?)", option, closest.name);
    return command_fail("unknown option %s (see: %s --help)", option, program);
}

static int fail_arguments(const char *program, const struct command_usage *usage, int n, char **arguments, int n_most)
{
    if (n > n_most && n_most > 0)
        return command_fail("unexpected argument '%s'; expected: %s %s (see: %s --help)", arguments[n_most], program,
                            usage->arguments, program);
    return command_fail("expected: %s %s (see: %s --help)", program, usage->arguments, program);
}

bool command_parse(const struct command_usage *usage, const GOptionEntry *entries, int *argc, char ***argv, int n_least,
                   int n_most, int *status)
{
    static const GOptionEntry none[] = {G_OPTION_ENTRY_NULL};
    const char *program = (*argv)[0];
    GOptionContext *context = g_option_context_new(NULL);
    gboolean help = FALSE;
    GError *error = NULL;
    bool good = false;

    entries = entries ? entries : none;

    g_autoptr(GArray) parsed = parsed_entries(entries, &help);

    g_option_context_set_help_enabled(context, FALSE);
    g_option_context_add_main_entries(context, (const GOptionEntry *)(void *)parsed->data, NULL);
    *status = COMMAND_TROUBLE;
    if (!g_option_context_parse(context, argc, argv, &error)) {
        if (g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION))
            fail_unknown(program, error->message, entries);
        else
            command_fail("%s (see: %s --help)", error->message, program);
        g_error_free(error);
    } else if (help) {
        command_help(program, usage, entries);
        *status = COMMAND_DONE;
    } else if (*argc - 1 < n_least || *argc - 1 > n_most) {
        fail_arguments(program, usage, *argc - 1, *argv + 1, n_most);
    } else {
        good = true;
    }
    g_option_context_free(context);
    return good;
}

void command_clear(const GOptionEntry *entries)
{
    for (; entries->long_name; entries++) {
        if (entries->arg == G_OPTION_ARG_STRING || entries->arg == G_OPTION_ARG_FILENAME)
            g_clear_pointer((char **)entries->arg_data, g_free);
        else if (entries->arg == G_OPTION_ARG_STRING_ARRAY || entries->arg == G_OPTION_ARG_FILENAME_ARRAY)
            g_clear_pointer((char ***)entries->arg_data, g_strfreev);
    }
}

int64_t command_nanoseconds(double seconds)
{
    return (int64_t)(seconds * 1e9);
}
