// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/report/terminal.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    COLUMNS_MIN = 40, /* on a narrower terminal, lines break anyway */
    HANGING = 2,
    STYLED_KEPT = 4,
};

static const char *const codes[STYLES] = {
    [STYLE_PLAIN] = "",         [STYLE_BOLD] = "\033[1m",       [STYLE_DIM] = "\033[2m",    [STYLE_GOOD] = "\033[1;32m",
    [STYLE_BAD] = "\033[1;31m", [STYLE_WARNING] = "\033[1;33m", [STYLE_NOTE] = "\033[1;36m"};

void terminal_init(struct terminal *terminal, FILE *out, enum color_use color)
{
    int fd = fileno(out);
    bool is_terminal = fd >= 0 && isatty(fd);
    const char *no_color = g_getenv("NO_COLOR");
    struct winsize size;

    *terminal = (struct terminal){.out = out};
    if (is_terminal && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= COLUMNS_MIN)
        terminal->columns = size.ws_col;
    if (color == COLOR_AUTO)
        terminal->colour = is_terminal && !(no_color && *no_color) && g_strcmp0(g_getenv("TERM"), "dumb") != 0;
    else
        terminal->colour = color == COLOR_ALWAYS;
}

const char *terminal_styled(const struct terminal *terminal, enum terminal_style style, const char *text)
{
    static _Thread_local gchar *kept[STYLED_KEPT];
    static _Thread_local unsigned next;

    if (!terminal->colour || style == STYLE_PLAIN)
        return text;
    next = (next + 1) % STYLED_KEPT;
    g_free(kept[next]);
    kept[next] = g_strconcat(codes[style], text, "\033[0m", NULL);
    return kept[next];
}

/* Visible columns: without the octets of colours. */
static unsigned terminal_width_of(const char *word, size_t n)
{
    unsigned width = 0;

    for (const char *p = word; p < word + n; p = g_utf8_next_char(p)) {
        if (*p == '\033') {
            while (p < word + n && *p != 'm')
                p++;
            continue;
        }
        width += g_unichar_iswide(g_utf8_get_char(p)) ? 2 : 1;
    }
    return width;
}

static void write_wrapped(const struct terminal *terminal, unsigned indent, const char *text)
{
    unsigned column = indent;
    bool first = true;

    fprintf(terminal->out, "%*s", (int)indent, "");
    while (*text != '\0') {
        size_t blanks = strspn(text, " "), n = strcspn(text + blanks, " ");
        unsigned width = terminal_width_of(text + blanks, n);

        if (!first && column + blanks + width > terminal->columns) {
            fprintf(terminal->out, "\n%*s", (int)(indent + HANGING), "");
            column = indent + HANGING;
            blanks = 0;
            text += strspn(text, " ");
        }
        fwrite(text, 1, blanks + n, terminal->out);
        column += (unsigned)blanks + width;
        text += blanks + n;
        first = false;
    }
    fputc('\n', terminal->out);
}

void terminal_line(const struct terminal *terminal, unsigned indent, const char *format, ...)
{
    va_list arguments;
    gchar *text;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    if (terminal->columns > 0)
        write_wrapped(terminal, indent, text);
    else
        fprintf(terminal->out, "%*s%s\n", (int)indent, "", text);
    g_free(text);
}

void terminal_gap(const struct terminal *terminal)
{
    fputc('\n', terminal->out);
}
