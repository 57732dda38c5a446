// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/cli/command_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_DEFAULT = 80, WIDTH_MIN = 50, WIDTH_MAX = 100, NAMES_MAX = 32, GAP = 2 };

static size_t terminal_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    guint64 width = WIDTH_DEFAULT;

    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    else if (columns && !g_ascii_string_to_unsigned(columns, 10, 1, G_MAXUINT16, &width, NULL))
        width = WIDTH_DEFAULT;
    return CLAMP(width, WIDTH_MIN, WIDTH_MAX);
}

/* Column where a long line continues: under the text of "  name  text", at `indent` in other lines. */
static size_t hanging_indent(const char *line, size_t indent)
{
    size_t before = strspn(line, " "), name = strcspn(line + before, " \n");

    return before == 0 ? indent : indent + before + name + strspn(line + before + name, " ");
}

/* Prints one line of text from column `at` on. Returns the rest. */
static const char *print_line(const char *line, size_t at, size_t indent, size_t width)
{
    const size_t hang = hanging_indent(line, indent);
    size_t spaces = strspn(line, " ");

    for (;;) {
        size_t n = strcspn(line + spaces, " \n");

        if (at > hang && at + spaces + n > width) {
            printf("\n%*s", (int)hang, "");
            at = hang;
        } else {
            printf("%*s", (int)spaces, "");
            at += spaces;
        }
        fwrite(line + spaces, 1, n, stdout);
        at += n;
        line += spaces + n;
        spaces = strspn(line, " ");
        if (!line[spaces] || line[spaces] == '\n')
            break;
    }
    putchar('\n');
    return line + spaces + (line[spaces] == '\n');
}

static void print_wrapped(const char *text, size_t indent, size_t width)
{
    for (bool first = true; *text; first = false) {
        if (!first)
            printf("%*s", *text == '\n' ? 0 : (int)indent, "");
        text = print_line(text, indent, indent, width);
    }
}

/* "  -o, --output=FILE" */
static char *help_names_of(const GOptionEntry *entry)
{
    const char *argument = entry->arg_description;

    return g_strdup_printf("  %s%c%s--%s%s%s", entry->short_name ? "-" : " ",
                           entry->short_name ? entry->short_name : ' ', entry->short_name ? ", " : "  ",
                           entry->long_name, argument ? "=" : "", argument ? argument : "");
}

static bool is_shown(const GOptionEntry *entry)
{
    return !(entry->flags & G_OPTION_FLAG_HIDDEN);
}

static size_t names_width(const GOptionEntry *entries)
{
    size_t width = 0;

    for (const GOptionEntry *entry = entries; entry->long_name; entry++) {
        g_autofree char *names = help_names_of(entry);

        if (is_shown(entry) && strlen(names) <= NAMES_MAX)
            width = MAX(width, strlen(names));
    }
    return width;
}

static void print_option(const GOptionEntry *entry, size_t indent, size_t width)
{
    g_autofree char *names = help_names_of(entry);

    if (strlen(names) + GAP > indent)
        printf("%s\n%*s", names, (int)indent, "");
    else
        printf("%-*s", (int)indent, names);
    print_wrapped(entry->description, indent, width);
}

/* "iwarp-gen play" has a page iwarp-gen-play(1). */
static void print_page(const char *program)
{
    g_autofree char *page = g_strdelimit(g_strdup(program), " ", '-');

    if (strchr(program, ' '))
        printf("\nMore: man %s\n", page);
}

void command_help(const char *program, const struct command_usage *usage, const GOptionEntry *entries)
{
    const size_t width = terminal_width(), indent = names_width(entries) + GAP;

    printf("Usage:\n  %s %s%s\n\n", program, entries->long_name ? "[OPTION...] " : "", usage->arguments);
    print_wrapped(usage->summary, 0, width);
    if (entries->long_name && *entries->long_name)
        puts("\nOptions:");
    for (const GOptionEntry *entry = entries; entry->long_name; entry++) {
        if (!*entry->long_name)
            printf("\n%s:\n", entry->description);
        else if (is_shown(entry))
            print_option(entry, indent, width);
    }
    if (usage->description) {
        putchar('\n');
        print_wrapped(usage->description, 0, width);
    }
    print_page(program);
}
