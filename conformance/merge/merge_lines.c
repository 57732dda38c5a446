// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_lines.h"

#include "support/json_guard.h"
#include "support/printable.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { READ_AT_ONCE = 1 << 14 };

void merge_lines_init(struct merge_lines *lines, const char *path, int fd, uint64_t at)
{
    *lines = (struct merge_lines){
        .path = path, .fd = fd, .text = g_string_new(NULL), .parser = json_parser_new(), .begin = at, .end = at};
    if (fd < 0)
        merge_lines_fail(lines, "cannot be read");
}

void merge_lines_clear(struct merge_lines *lines)
{
    g_string_free(lines->text, TRUE);
    g_object_unref(lines->parser);
    g_free(lines->reading.wrong);
    g_free(lines->error);
}

bool merge_lines_fail(struct merge_lines *lines, const char *text)
{
    g_autofree gchar *number = lines->number > 0 ? g_strdup_printf(":%" PRIu32, lines->number) : g_strdup("");
    g_autofree gchar *said = g_strdup_printf("%s%s: %s", lines->path, number, text);

    if (!lines->error)
        lines->error = printable_text(said); /* the text may quote the file */
    return false;
}

bool merge_lines_wrong(struct merge_lines *lines)
{
    g_autofree gchar *text = g_strdup_printf("not a report of iwarp-check: %s", lines->reading.wrong);

    return merge_lines_fail(lines, text);
}

/* False: the file has ended, or cannot be read. */
static bool read_more(struct merge_lines *lines)
{
    char piece[READ_AT_ONCE];
    ssize_t n;

    do {
        n = read(lines->fd, piece, sizeof piece);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return merge_lines_fail(lines, "cannot be read");
    if (lines->at > 0) {
        g_string_erase(lines->text, 0, (gssize)lines->at);
        lines->at = 0;
    }
    g_string_append_len(lines->text, piece, n);
    lines->ended = n == 0;
    return n > 0;
}

/*
 * *n: the length of the next line without the newline, which may be missing in the last line. False: there is no line.
 */
static bool find_line(struct merge_lines *lines, size_t *n)
{
    size_t known = 0;

    for (;;) {
        const GString *text = lines->text;
        const char *end = memchr(text->str + lines->at + known, '\n', text->len - lines->at - known);

        known = text->len - lines->at;
        *n = end ? (size_t)(end - text->str) - lines->at : known;
        if (*n > MERGE_LINE_MAX) {
            lines->number++;
            return merge_lines_fail(lines, "the line is longer than 64 MiB");
        }
        if (end || lines->ended)
            return end || *n > 0;
        read_more(lines);
        if (lines->error)
            return false;
    }
}

static bool lines_parse(struct merge_lines *lines, const char *text, size_t n)
{
    JsonNode *root = json_guard_passes(text, n) && json_parser_load_from_data(lines->parser, text, (gssize)n, NULL)
                         ? json_parser_get_root(lines->parser)
                         : NULL;

    if (!root)
        return merge_lines_fail(lines, "is not JSON");
    if (!JSON_NODE_HOLDS_OBJECT(root))
        return merge_lines_fail(lines, "not a report of iwarp-check: the JSON in it is not an object");
    lines->object = json_node_get_object(root);
    lines->type = json_want_text(&lines->reading, lines->object, "a line", "type");
    return lines->type || merge_lines_wrong(lines);
}

bool merge_lines_next(struct merge_lines *lines)
{
    size_t n;
    char *text;

    if (lines->error || !find_line(lines, &n))
        return false;
    text = lines->text->str + lines->at;
    lines->number++;
    lines->begin = lines->end;
    lines->at += MIN(n + 1, lines->text->len - lines->at);
    lines->end += (size_t)(lines->text->str + lines->at - text);
    text[n] = '\0';
    return lines_parse(lines, text, n);
}
