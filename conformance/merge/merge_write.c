// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_write.h"

/* A capture of the merged report. */
struct writing {
    struct merge_writing *all;
    const struct merge_entry *entry;
    guint number; /* of the entry */
    struct merge_judged judged;
    struct report_line line;
    struct merge_joining joining; /* of parts */
};

static bool any_failed(const GArray *parts)
{
    bool failed = false;

    for (guint i = 0; i < parts->len; i++)
        failed |= g_array_index(parts, struct merge_capture, i).failed;
    return failed;
}

static const struct merge_capture *first_part(const struct writing *writing)
{
    return &g_array_index(writing->entry->parts, struct merge_capture, 0);
}

/* Whether all parts of the capture are present, from the first to the last. */
static bool is_whole(const struct writing *writing)
{
    return first_part(writing)->first == 1 && merge_last_part(writing->entry)->ended;
}

/* For several parts, valid only once they are joined. */
static bool was_judged(const struct writing *writing)
{
    return writing->judged.any || any_failed(writing->entry->parts) ||
           (first_part(writing)->series && !is_whole(writing) && writing->judged.n > 0);
}

/* The capture has only handshakes that were never completed. */
static bool is_incomplete(const struct writing *writing)
{
    return !was_judged(writing) && merge_last_part(writing->entry)->incomplete;
}

static enum check_status status_anew(const struct writing *writing)
{
    const GArray *verdicts = writing->all->verdicts, *parts = writing->entry->parts;
    bool fails = is_incomplete(writing), cut_short = false;

    if (verdicts)
        return g_array_index(verdicts, enum check_status, writing->number);
    if (any_failed(parts))
        return CHECK_TROUBLE;
    for (guint i = 0; i < parts->len; i++) {
        fails |= g_array_index(parts, struct merge_capture, i).fails;
        cut_short |= g_array_index(parts, struct merge_capture, i).cut_short;
    }
    if (fails)
        return CHECK_FAIL;
    return cut_short ? CHECK_TROUBLE : was_judged(writing) ? CHECK_PASS : CHECK_NOTHING;
}

/* ---- lines that are copied ---- */

static bool copy_lines(struct writing *writing, uint64_t from, uint64_t to)
{
    const struct merge_capture *capture = first_part(writing);
    int fd = merge_files_at(writing->all->files, capture->file, from);

    if (fd >= 0 && merge_files_copy(fd, to - from, writing->all->out))
        return true;
    writing->all->error = g_strdup_printf("%s: cannot be read", writing->all->files->paths[capture->file]);
    return false;
}

/* ---- lines that are joined, or have another verdict, and are written anew ---- */

/* Reads a part's line, and its rules into line->rules. NULL: see all->error. */
static struct report_capture *read_capture(struct writing *writing, const struct merge_capture *part)
{
    struct merge_files *files = writing->all->files;
    struct report_capture *capture = NULL;
    struct merge_lines lines;

    merge_lines_init(&lines, files->paths[part->file], merge_files_at(files, part->file, part->line), part->line);
    lines.reading.ctx = &writing->line;
    if (merge_lines_next(&lines))
        capture = report_line_read_capture(&lines.reading, lines.object);
    if (!capture)
        writing->all->error = g_strdup_printf("%s: cannot be read", files->paths[part->file]);
    merge_lines_clear(&lines);
    return capture;
}

/* The rules of all parts go into joining.rules. */
static struct report_capture *joined_capture(struct writing *writing)
{
    struct report_capture *capture = read_capture(writing, first_part(writing));

    if (capture)
        merge_rules_set(writing->joining.rules, writing->line.rules);
    for (guint i = 1; capture && i < writing->entry->parts->len; i++) {
        struct report_capture *later =
            read_capture(writing, &g_array_index(writing->entry->parts, struct merge_capture, i));

        if (!later) {
            report_capture_free(capture);
            return NULL;
        }
        merge_join_capture(capture, later);
        merge_rules_add(writing->joining.rules, writing->line.rules);
        report_capture_free(later);
    }
    return capture;
}

static const char *why_nothing(const struct writing *writing, const struct report_capture *capture)
{
    if (was_judged(writing))
        return NULL;
    if (capture->nothing)
        return capture->nothing;
    return report_nothing(is_incomplete(writing) ? REPORT_INCOMPLETE : merge_emptiness(&writing->judged));
}

static bool write_anew(struct writing *writing)
{
    struct report_capture *capture = joined_capture(writing);

    if (!capture)
        return false;
    if (is_whole(writing))
        g_clear_pointer(&capture->part.series, g_free);
    report_line_write_capture(writing->all->out, capture,
                              &(struct report_line){.file = capture->file,
                                                    .profile = writing->all->profile,
                                                    .start_ns = capture->start_ns,
                                                    .rules = writing->joining.rules,
                                                    .verdict = report_status_name(status_anew(writing)),
                                                    .nothing = why_nothing(writing, capture)});
    report_capture_free(capture);
    return true;
}

static void take_joined(void *ctx, struct report_connection *connection)
{
    struct writing *writing = ctx;
    struct report_line line = writing->line;

    line.file = first_part(writing)->name;
    line.rules = writing->joining.rules;
    line.part = !is_whole(writing);
    if (!line.part) {
        connection->continued = connection->continues = false;
        merge_fold(connection);
    }
    merge_judge_connection(&writing->judged, connection);
    report_line_write_connection(writing->all->out, connection, &line);
}

static bool write_parts(struct writing *writing)
{
    struct merge_joining *joining = &writing->joining;

    writing->line.whole = true;
    writing->judged = (struct merge_judged){0};
    if (merge_joined_connections(writing->all->files, writing->entry, joining))
        return write_anew(writing);
    writing->all->error = joining->error;
    return false;
}

static bool write_entry(struct writing *writing)
{
    const struct merge_capture *first = first_part(writing);

    if (first->series)
        return write_parts(writing);
    writing->judged = first->judged;
    if (!writing->all->verdicts)
        return copy_lines(writing, first->begin, first->end);
    return copy_lines(writing, first->begin, first->line) && write_anew(writing);
}

static void write_sum_up(const struct writing *writing)
{
    struct merge_writing *all = writing->all;

    all->connections += writing->judged.n;
    for (guint i = 0; i < writing->entry->parts->len; i++)
        all->connections += g_array_index(writing->entry->parts, struct merge_capture, i).not_listed;
    all->empty += !was_judged(writing);
    all->incomplete += is_incomplete(writing);
}

bool merge_write_captures(struct merge_writing *all, const GArray *entries)
{
    bool ok = true;

    for (guint i = 0; ok && i < entries->len; i++) {
        struct writing writing = {.all = all, .entry = &g_array_index(entries, struct merge_entry, i), .number = i};

        merge_line_init(&writing.line, all->profile);
        writing.joining = (struct merge_joining){.line = &writing.line,
                                                 .rules = g_array_new(FALSE, FALSE, sizeof(struct report_rule)),
                                                 .ctx = &writing,
                                                 .take = take_joined};
        ok = write_entry(&writing);
        write_sum_up(&writing);
        g_array_unref(writing.joining.rules);
        merge_line_clear(&writing.line);
    }
    return ok;
}
