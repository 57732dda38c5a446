// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/libs/yaml_reader.h"

#include <glib.h>

#include <string.h>

static void trim(GString *out)
{
    while (out->len > 0 && strchr(" \t", out->str[out->len - 1]))
        g_string_truncate(out, out->len - 1);
}

/* At the end of a line inside a scalar: one line end becomes a blank, n line ends become n - 1. */
static void fold(struct yaml_reader *reader, GString *out)
{
    unsigned ends = 0;

    trim(out);
    while (strchr(" \t\r\n", yaml_peek(reader, 0)) && yaml_peek(reader, 0)) {
        ends += yaml_peek(reader, 0) == '\n';
        yaml_advance(reader, 1);
    }
    if (ends == 1)
        g_string_append_c(out, ' ');
    for (unsigned i = 1; i < ends; i++)
        g_string_append_c(out, '\n');
}

/* Whether the next line that is not empty continues the scalar. */
static bool goes_on(const struct yaml_reader *reader, size_t least)
{
    size_t ahead = 0, column = 0;

    while (yaml_peek(reader, ahead) && strchr(" \r\n", yaml_peek(reader, ahead))) {
        column = yaml_peek(reader, ahead) == '\n' ? 0 : column + 1;
        ahead++;
    }
    return yaml_peek(reader, ahead) && yaml_peek(reader, ahead) != '#' && column >= least;
}

static bool plain_ends(const struct yaml_reader *reader, bool in_flow)
{
    char c = yaml_peek(reader, 0);

    return (c == ':' && (yaml_is_space(reader, 1) || (in_flow && strchr(",[]{}", yaml_peek(reader, 1))))) ||
           (c == '#' && reader->at > 0 && strchr(" \t\n", reader->text[reader->at - 1])) ||
           (in_flow && strchr(",[]{}", c));
}

/* The line belongs to a mapping: its first word ends with a colon. */
static bool line_is_key(const struct yaml_reader *reader)
{
    struct yaml_reader ahead = *reader;

    while (yaml_peek(&ahead, 0) && strchr(" \r\n", yaml_peek(&ahead, 0)))
        yaml_advance(&ahead, 1);
    while (yaml_peek(&ahead, 0) && yaml_peek(&ahead, 0) != '\n') {
        if (yaml_peek(&ahead, 0) == ':' && yaml_is_space(&ahead, 1))
            return true;
        yaml_advance(&ahead, 1);
    }
    return false;
}

char *yaml_plain(struct yaml_reader *reader, size_t least, bool in_flow)
{
    GString *out = g_string_new(NULL);

    while (yaml_peek(reader, 0) && !plain_ends(reader, in_flow)) {
        char c = yaml_peek(reader, 0);

        if (c != '\n' && c != '\r') {
            g_string_append_c(out, c);
            yaml_advance(reader, 1);
            continue;
        }
        if (!goes_on(reader, least) || (!in_flow && line_is_key(reader)))
            break;
        fold(reader, out);
    }
    trim(out);
    return g_string_free(out, FALSE);
}

static void add_character(GString *out, guint32 c)
{
    if (c < 0x80) {
        g_string_append_c(out, (gchar)c);
        return;
    }
    if (c >= 0x800)
        g_string_append_c(out, (gchar)(c >= 0x10000 ? 0xF0 | c >> 18 : 0xE0 | c >> 12));
    if (c >= 0x10000)
        g_string_append_c(out, (gchar)(0x80 | (c >> 12 & 0x3F)));
    g_string_append_c(out, (gchar)(c < 0x800 ? 0xC0 | c >> 6 : 0x80 | (c >> 6 & 0x3F)));
    g_string_append_c(out, (gchar)(0x80 | (c & 0x3F)));
}

/* After a backslash. */
static bool add_escape(struct yaml_reader *reader, GString *out)
{
    static const char letters[] = "abtnvfre \"/\\", octets[] = "\a\b\t\n\v\f\r\x1b \"/\\";
    char letter = yaml_peek(reader, 0);
    const char *known = letter ? strchr(letters, letter) : NULL;
    unsigned digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    guint32 c = 0;

    yaml_advance(reader, letter != '\n');
    if (known) {
        g_string_append_c(out, octets[known - letters]);
        return true;
    }
    if (letter == '\n') { /* the line continues, without a blank */
        while (yaml_peek(reader, 0) && strchr(" \t\n", yaml_peek(reader, 0)))
            yaml_advance(reader, 1);
        return true;
    }
    for (unsigned i = 0; i < digits; i++, yaml_advance(reader, 1)) {
        if (!g_ascii_isxdigit(yaml_peek(reader, 0)))
            return false;
        c = c << 4 | (guint32)g_ascii_xdigit_value(yaml_peek(reader, 0));
    }
    if (digits == 0 || c == 0 || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        return false;
    add_character(out, c);
    return true;
}

char *yaml_quoted(struct yaml_reader *reader)
{
    char quote = yaml_peek(reader, 0), c;
    GString *out = g_string_new(NULL);

    yaml_advance(reader, 1);
    while ((c = yaml_peek(reader, 0)) && (c != quote || (quote == '\'' && yaml_peek(reader, 1) == quote))) {
        if (c == '\n' || c == '\r') {
            fold(reader, out);
            continue;
        }
        yaml_advance(reader, c == quote ? 2 : 1);
        if (quote == '"' && c == '\\') {
            if (!add_escape(reader, out))
                break;
        } else {
            g_string_append_c(out, c);
        }
    }
    if (yaml_peek(reader, 0) != quote) {
        yaml_problem(reader, c ? "found unknown escape character" : "found unexpected end of stream");
        return g_string_free(out, TRUE);
    }
    yaml_advance(reader, 1);
    return g_string_free(out, FALSE);
}

/* The first line that is not empty sets the indentation of a block of text. */
static size_t block_indent(const struct yaml_reader *reader, size_t least)
{
    size_t ahead = 0, column = 0;

    while (yaml_peek(reader, ahead) == ' ' || yaml_peek(reader, ahead) == '\n') {
        column = yaml_peek(reader, ahead) == '\n' ? 0 : column + 1;
        ahead++;
    }
    return MAX(column, least);
}

/* Adds the next line of a block of text. False: the block has ended. */
static bool add_line(struct yaml_reader *reader, size_t indent, GString *lines)
{
    size_t blanks = 0, length = 0;

    while (blanks < indent && yaml_peek(reader, blanks) == ' ')
        blanks++;
    if (!yaml_peek(reader, blanks) || (blanks < indent && yaml_peek(reader, blanks) != '\n'))
        return false;
    while (yaml_peek(reader, blanks + length) && yaml_peek(reader, blanks + length) != '\n')
        length++;
    g_string_append_len(lines, reader->text + reader->at + blanks, (gssize)length);
    g_string_append_c(lines, '\n');
    yaml_advance(reader, blanks + length + (yaml_peek(reader, blanks + length) == '\n'));
    return true;
}

/* Joins lines with blanks; an empty line is a line end, and lines that are indented further stay. */
static char *fold_lines(char *lines)
{
    GString *out = g_string_new(NULL);

    for (char *p = lines; *p; p++) {
        bool single = *p == '\n' && p > lines && p[-1] != '\n' && p[1] && p[1] != '\n' && p[1] != ' ';

        if (*p == '\n' && p > lines && p[-1] != '\n' && p[1] == '\n')
            continue;
        g_string_append_c(out, single ? ' ' : *p);
    }
    g_free(lines);
    return g_string_free(out, FALSE);
}

char *yaml_block_text(struct yaml_reader *reader, size_t least)
{
    bool folded = yaml_peek(reader, 0) == '>';
    char chomp = yaml_peek(reader, 1);
    GString *lines = g_string_new(NULL);
    size_t indent;

    yaml_advance(reader, strchr("+-", chomp) && chomp ? 2 : 1);
    while (yaml_peek(reader, 0) == ' ')
        yaml_advance(reader, 1);
    if (yaml_peek(reader, 0) != '\n') {
        yaml_problem(reader, "did not find expected comment or line break");
        return g_string_free(lines, TRUE);
    }
    yaml_advance(reader, 1);
    indent = block_indent(reader, least);
    while (add_line(reader, indent, lines))
        ;
    while (chomp != '+' && lines->len > 1 && lines->str[lines->len - 2] == '\n')
        g_string_truncate(lines, lines->len - 1);
    if (chomp == '-' && lines->len > 0)
        g_string_truncate(lines, lines->len - 1);
    return folded ? fold_lines(g_string_free(lines, FALSE)) : g_string_free(lines, FALSE);
}
