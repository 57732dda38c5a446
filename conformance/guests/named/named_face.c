// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/guests/named/named_face.h"

#include "conformance/merge/merge_pair.h"
#include "conformance/report/report_html.h"
#include "conformance/report/report_junit.h"
#include "conformance/report/terminal.h"
#include "support/json_writer.h"

#include <inttypes.h>

struct named {
    const struct ulp_kind *kind;
    struct ulp_summary summary;
};

static void *face_take(const struct ulp_kind *kind, void *guest, unsigned initiator)
{
    struct named *named = kind->summary ? g_new0(struct named, 1) : NULL;

    (void)initiator;
    if (!named)
        return NULL;
    named->kind = kind;
    kind->summary(guest, &named->summary);
    return named;
}

static const char *title(const void *report)
{
    return ((const struct named *)report)->kind->title;
}

/* "812 commands, 811 completions", "no messages"; g_free() it. */
static gchar *counts_text(const struct named *named)
{
    GString *text = g_string_new(named->summary.n == 0 ? "no messages" : NULL);

    for (unsigned i = 0; i < named->summary.n; i++) {
        const struct ulp_count *count = &named->summary.count[i];

        g_string_append_printf(text, "%s%" PRIu64 " %s", i == 0 ? "" : ", ", count->value,
                               count->value == 1 ? count->one : count->many);
    }
    return g_string_free(text, FALSE);
}

static void face_write_text(const void *report, const struct terminal *terminal, bool verbose)
{
    g_autofree gchar *counts = counts_text(report);

    (void)verbose;
    terminal_line(terminal, 4, "%s: %s; its own rules are not judged", title(report), counts);
}

static void face_write_json(const void *report, struct json_writer *writer)
{
    const struct named *named = report;

    json_begin_object(writer, "ulp");
    json_string(writer, "name", named->kind->name);
    json_string(writer, "title", named->kind->title);
    json_begin_object_line(writer, "counts");
    for (unsigned i = 0; i < named->summary.n; i++)
        json_number(writer, named->summary.count[i].many, (int64_t)named->summary.count[i].value);
    json_end_object(writer);
    json_end_object(writer);
}

static void write_junit(const void *report, xmlTextWriter *writer)
{
    g_autofree gchar *counts = counts_text(report);

    junit_property(writer, "ulp", title(report));
    junit_property(writer, "ulp.counts", counts);
}

static void write_html_terms(const void *report, struct html_page *page)
{
    g_autofree gchar *counts = counts_text(report);

    html_item(page, "Upper layer", "%s: %s; its own rules are not judged", title(report), counts);
}

static bool face_join(const struct merge_pair *connection)
{
    struct merge_pair ulp, counts;

    if (!json_object_has_member(connection->from, "ulp"))
        return true;
    if (!json_object_has_member(connection->into, "ulp"))
        return merge_take_latest(connection, "ulp");
    return merge_inner(connection, "ulp", "the upper layer", &ulp) &&
           merge_inner(&ulp, "counts", "the counts of an upper layer", &counts) &&
           merge_members(&counts, merge_add_or_take_count);
}

const struct guest_face named_face = {.take = face_take,
                                      .free = g_free,
                                      .title = title,
                                      .write_text = face_write_text,
                                      .write_json = face_write_json,
                                      .write_junit = write_junit,
                                      .write_html_terms = write_html_terms,
                                      .join = face_join};
