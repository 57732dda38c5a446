// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_write.h"

#include "conformance/merge/json_copy.h"
#include "conformance/merge/merge_walk.h"

#include <string.h>

/* One capture of the merged report. */
struct writing {
    struct merge_writing *all;
    const struct merge_entry *entry;
    const struct merge_capture *first;
    guint number; /* of the entry */
    bool parts, whole;
    struct merge_judged judged;
};

static bool copy_connection(void *ctx, struct json_view connection)
{
    json_copy(((struct writing *)ctx)->all->writer, NULL, connection);
    return true;
}

static void take_joined(void *ctx, struct json_view connection)
{
    struct writing *writing = ctx;

    merge_judge_connection(&writing->judged, connection);
    json_copy(writing->all->writer, NULL, connection);
}

static bool write_of_whole(struct writing *writing)
{
    struct merge_writing *all = writing->all;
    const struct merge_walk walk = {.ctx = writing, .connection = copy_connection};
    struct json_source source;
    bool ok;

    json_source_init(&source, merge_files_at(all->files, writing->first->file, writing->first->from));
    ok = merge_walk_connections(&all->input, &source, &walk);
    json_source_clear(&source);
    return ok;
}

static bool write_write_connections(struct writing *writing)
{
    struct merge_writing *all = writing->all;
    bool ok;

    json_begin_array(all->writer, "connections");
    if (writing->parts) {
        writing->judged = (struct merge_judged){0};
        ok = merge_joined_connections(&all->input, all->files, writing->entry, writing->whole,
                                      &(struct merge_take){writing, take_joined});
    } else {
        ok = write_of_whole(writing);
    }
    json_end_array(all->writer);
    return ok;
}

static bool write_any_failed(const GArray *parts)
{
    bool failed = false;

    for (guint i = 0; i < parts->len; i++)
        failed |= g_array_index(parts, struct merge_capture, i).failed;
    return failed;
}

/* Of several parts, only once they are joined. */
static bool write_is_judged(const struct writing *writing)
{
    return writing->judged.any || write_any_failed(writing->entry->parts) ||
           (writing->parts && !writing->whole && writing->judged.n > 0);
}

/* All that there is is a handshake that was never completed. */
static bool is_incomplete(const struct writing *writing)
{
    return !write_is_judged(writing) && merge_last_part(writing->entry)->incomplete;
}

/* A report of a format without these knows nothing of it. */
static void write_no_trouble(struct json_writer *writer)
{
    json_begin_object(writer, "calls");
    json_number(writer, "made", 0);
    json_number(writer, "answered", 0);
    json_bool(writer, "whole", false);
    json_end_object(writer);
    json_begin_array(writer, "trouble");
    json_end_array(writer);
}

/* That nothing was checked is said anew; a report that says what was seen instead is believed. */
static bool says_why(const struct writing *writing)
{
    return writing->entry->parts->len == 1 && writing->first->says_why;
}

/* False: the verdict is copied, as the run of the capture decided what fails, and what is waived. */
static bool has_verdict_anew(const struct writing *writing)
{
    return writing->parts || writing->all->verdicts;
}

static bool is_left_out(const struct writing *writing, const char *name)
{
    if (strcmp(name, "nothing_checked") == 0)
        return !says_why(writing) || write_is_judged(writing);
    return strcmp(name, "verdict") == 0 && has_verdict_anew(writing);
}

static enum check_status status_anew(const struct writing *writing)
{
    const GArray *verdicts = writing->all->verdicts, *parts = writing->entry->parts;
    bool fails = is_incomplete(writing), cut_short = false;

    if (verdicts)
        return g_array_index(verdicts, enum check_status, writing->number);
    if (write_any_failed(parts))
        return CHECK_TROUBLE;
    for (guint i = 0; i < parts->len; i++) {
        fails |= g_array_index(parts, struct merge_capture, i).fails;
        cut_short |= g_array_index(parts, struct merge_capture, i).cut_short;
    }
    if (fails)
        return CHECK_FAIL;
    return cut_short ? CHECK_TROUBLE : write_is_judged(writing) ? CHECK_PASS : CHECK_NOTHING;
}

static bool write_members(struct writing *writing, struct json_view header)
{
    struct json_writer *writer = writing->all->writer;

    for (struct json_view name = json_first(header); name.item; name = json_next(header, name)) {
        g_autofree gchar *text = json_string_of(name);

        if (strcmp(text, "connections") == 0) {
            if (!write_write_connections(writing))
                return false;
        } else if (!is_left_out(writing, text)) {
            json_copy(writer, text, json_named(name));
        }
    }
    return true;
}

static bool write_write_capture(struct writing *writing, struct json_view header)
{
    struct merge_writing *all = writing->all;
    bool ok;

    json_begin_object(all->writer, NULL);
    ok = write_members(writing, header);
    if (!write_is_judged(writing) && !says_why(writing))
        json_string(all->writer, "nothing_checked",
                    report_nothing(is_incomplete(writing) ? REPORT_INCOMPLETE : merge_emptiness(&writing->judged)));
    if (!merge_last_part(writing->entry)->has_trouble)
        write_no_trouble(all->writer);
    if (has_verdict_anew(writing))
        json_string(all->writer, "verdict", report_status_name(status_anew(writing)));
    json_end_object(all->writer);
    all->connections += writing->judged.n;
    for (guint i = 0; i < writing->entry->parts->len; i++)
        all->connections += g_array_index(writing->entry->parts, struct merge_capture, i).not_listed;
    all->empty += !write_is_judged(writing);
    all->incomplete += is_incomplete(writing);
    return ok;
}

/* What is whole and complete is copied as it is. NULL: input->error says why. */
static gchar *header_text(struct writing *writing)
{
    struct merge_writing *all = writing->all;
    JsonObject *header;
    JsonNode *node;
    gchar *text;

    if (!writing->parts && !writing->first->lacks_rules)
        return merge_header_text(&all->input, all->files, writing->first);
    header = writing->parts ? merge_joined_header(&all->input, all->files, writing->entry, &writing->whole)
                            : merge_header(&all->input, all->files, writing->first);
    if (!header)
        return NULL;
    node = json_node_init_object(json_node_alloc(), header);
    text = json_to_string(node, TRUE);
    json_node_unref(node);
    json_object_unref(header);
    return text;
}

static bool write_write_entry(struct merge_writing *all, const GArray *entries, guint number)
{
    const struct merge_entry *entry = &g_array_index(entries, struct merge_entry, number);
    const struct merge_capture *first = &g_array_index(entry->parts, struct merge_capture, 0);
    struct writing writing = {
        .all = all, .entry = entry, .first = first, .number = number, .parts = first->series != NULL};
    struct json_source source;
    gchar *text;
    bool ok;

    all->input.path = all->files->paths[first->file];
    if (entry->parts->len == 1)
        writing.judged = first->judged;
    text = header_text(&writing);
    if (!text)
        return false;
    json_source_init_text(&source, text, strlen(text));
    ok = (json_read(&source) || merge_input_unread(&all->input, MERGE_UNREADABLE)) &&
         write_write_capture(&writing, json_whole(&source));
    json_source_clear(&source);
    return ok;
}

bool merge_write_captures(struct merge_writing *writing, const GArray *entries)
{
    for (guint i = 0; i < entries->len; i++)
        if (!write_write_entry(writing, entries, i))
            return false;
    return true;
}
