// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/json_writer.h"

#include "support/printable.h"

#include <json-glib/json-glib.h>

#include <string.h>

enum { NUMBER_SIZE = 24 };

void json_writer_begin(struct json_writer *writer, FILE *out, unsigned indentation)
{
    *writer = (struct json_writer){.out = out, .indentation = indentation, .empty = true};
    flockfile(out);
}

void json_writer_end(struct json_writer *writer)
{
    putc_unlocked('\n', writer->out);
    funlockfile(writer->out);
}

static void put_text(struct json_writer *writer, const char *text, size_t n)
{
    fwrite_unlocked(text, 1, n, writer->out);
}

static void put_line(struct json_writer *writer)
{
    static const char line[] = "\n                                ";
    enum { BLANKS = sizeof line - 2 };
    const unsigned blanks = writer->depth * writer->indentation;

    put_text(writer, line, 1 + (blanks < BLANKS ? blanks : (size_t)BLANKS));
    for (unsigned i = BLANKS; i < blanks; i++)
        putc_unlocked(' ', writer->out);
}

static bool writer_is_plain(const char *text)
{
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\')
            return false;
    return true;
}

/* Writes characters that json-glib leaves alone, but that terminals act on, as \u escapes. */
static void put_quoted(struct json_writer *writer, const char *quoted)
{
    for (const char *next; *quoted != '\0'; quoted = next) {
        gunichar c = g_utf8_get_char(quoted);

        next = g_utf8_next_char(quoted);
        if (!printable_is_hidden(c))
            put_text(writer, quoted, (size_t)(next - quoted));
        else if (c < 0x10000)
            fprintf(writer->out, "\\u%04x", (unsigned)c);
        else
            fprintf(writer->out, "\\u%04x\\u%04x", 0xD800 + (unsigned)((c - 0x10000) >> 10),
                    0xDC00 + (unsigned)((c - 0x10000) & 0x3FF));
    }
}

static void put_string(struct json_writer *writer, const char *text)
{
    if (writer_is_plain(text)) {
        putc_unlocked('"', writer->out);
        put_text(writer, text, strlen(text));
        putc_unlocked('"', writer->out);
    } else {
        JsonNode *node = json_node_init_string(json_node_alloc(), text);
        gchar *quoted = json_to_string(node, FALSE);

        put_quoted(writer, quoted);
        g_free(quoted);
        json_node_unref(node);
    }
}

/* Writes everything that precedes a value. */
static void put_place(struct json_writer *writer, const char *name)
{
    if (!writer->empty)
        putc_unlocked(',', writer->out);
    if (writer->line > 0 && !writer->empty && !writer->compact)
        putc_unlocked(' ', writer->out);
    else if (writer->line == 0 && writer->depth > 0)
        put_line(writer);
    writer->empty = false;
    if (name) {
        put_string(writer, name);
        put_text(writer, writer->compact ? ":" : " : ", writer->compact ? 1 : 3);
    }
}

static void writer_begin(struct json_writer *writer, const char *name, char bracket)
{
    put_place(writer, name);
    putc_unlocked(bracket, writer->out);
    writer->depth++;
    writer->empty = true;
}

static void begin_line(struct json_writer *writer)
{
    if (writer->line == 0)
        writer->line = writer->depth;
}

static void writer_end(struct json_writer *writer, char bracket)
{
    bool line = writer->line > 0;

    if (writer->line == writer->depth)
        writer->line = 0;
    writer->depth--;
    if (!writer->empty && !line)
        put_line(writer);
    putc_unlocked(bracket, writer->out);
    writer->empty = false;
}

void json_begin_object(struct json_writer *writer, const char *name)
{
    writer_begin(writer, name, '{');
}

void json_end_object(struct json_writer *writer)
{
    writer_end(writer, '}');
}

void json_begin_array(struct json_writer *writer, const char *name)
{
    writer_begin(writer, name, '[');
}

void json_end_array(struct json_writer *writer)
{
    writer_end(writer, ']');
}

void json_begin_object_line(struct json_writer *writer, const char *name)
{
    writer_begin(writer, name, '{');
    begin_line(writer);
}

void json_begin_array_line(struct json_writer *writer, const char *name)
{
    writer_begin(writer, name, '[');
    begin_line(writer);
}

void json_string(struct json_writer *writer, const char *name, const char *value)
{
    put_place(writer, name);
    if (!value)
        put_text(writer, "null", 4);
    else
        put_string(writer, value);
}

void json_strings(struct json_writer *writer, const char *name, const char *const *values, size_t n)
{
    json_begin_array(writer, name);
    for (size_t i = 0; i < n; i++)
        json_string(writer, NULL, values[i]);
    json_end_array(writer);
}

/* A report consists mostly of numbers, and printf() would take most of the time. */
static void writer_put_number(struct json_writer *writer, int64_t value)
{
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    char digits[NUMBER_SIZE], *p = digits + sizeof digits;

    do {
        *--p = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0)
        *--p = '-';
    put_text(writer, p, (size_t)(digits + sizeof digits - p));
}

void json_number(struct json_writer *writer, const char *name, int64_t value)
{
    put_place(writer, name);
    writer_put_number(writer, value);
}

void json_double(struct json_writer *writer, const char *name, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    put_place(writer, name);
    g_ascii_dtostr(text, sizeof text, value);
    put_text(writer, text, strlen(text));
    if (text[strspn(text, "-0123456789")] == '\0') /* stays a floating-point number */
        put_text(writer, ".0", 2);
}

void json_bool(struct json_writer *writer, const char *name, bool value)
{
    put_place(writer, name);
    if (value)
        put_text(writer, "true", 4);
    else
        put_text(writer, "false", 5);
}

void json_null(struct json_writer *writer, const char *name)
{
    json_string(writer, name, NULL);
}

void json_line_begin(struct json_writer *writer, FILE *out)
{
    json_writer_begin(writer, out, 0);
    writer->compact = true;
    json_begin_object_line(writer, NULL);
}

void json_line_end(struct json_writer *writer)
{
    json_end_object(writer);
    json_writer_end(writer);
}
