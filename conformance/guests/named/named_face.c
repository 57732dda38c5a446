// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/guests/named/named_face.h"

#include "conformance/report/report_html.h"
#include "conformance/report/terminal.h"
#include "engine/stack/ulps.h"
#include "support/json_members.h"
#include "support/tested.h"

#include <inttypes.h>
#include <string.h>

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
    terminal_line(terminal, 4, "%s: %s; its own rules are not checked", title(report), counts);
}

static void face_write_json(const void *report, struct json_writer *writer, bool part)
{
    const struct named *named = report;

    (void)part; /* sums of parts are sums */
    json_begin_object(writer, "ulp");
    json_string(writer, "name", named->kind->name);
    json_string(writer, "title", named->kind->title);
    json_begin_object(writer, "counts");
    for (unsigned i = 0; i < named->summary.n; i++)
        json_number(writer, named->summary.count[i].many, (int64_t)named->summary.count[i].value);
    json_end_object(writer);
    json_end_object(writer);
}

static void write_junit(const void *report, struct tested_suite *suite)
{
    g_autofree gchar *counts = counts_text(report);

    tested_property(suite, "ulp", title(report));
    tested_property(suite, "ulp.counts", counts);
}

static void write_html_terms(const void *report, struct html_page *page)
{
    g_autofree gchar *counts = counts_text(report);

    html_item(page, "Upper layer", "%s: %s; its own rules are not checked", title(report), counts);
}

/* Kinds from later versions are ignored. */
static const struct ulp_kind *kind_of(const char *name)
{
    for (const struct ulp_kind *const *kind = ulps; *kind; kind++)
        if (strcmp((*kind)->name, name) == 0)
            return *kind;
    return NULL;
}

static bool face_read_counts(struct json_reading *reading, JsonObject *counts, struct ulp_summary *summary)
{
    GList *names = json_object_get_members(counts);
    bool ok = g_list_length(names) <= ULP_COUNTS_MAX || json_wrong(reading, "an upper layer", "counts", "fewer");

    for (GList *name = names; ok && name; name = name->next) {
        struct ulp_count *count = &summary->count[summary->n];

        ok =
            json_want_count(reading, counts, "the counts of an upper layer", name->data, JSON_COUNT_MAX, &count->value);
        count->one = count->many = g_intern_string(name->data);
        summary->n++;
    }
    g_list_free(names);
    return ok;
}

static void *face_read_json(struct json_reading *reading, JsonObject *object)
{
    const char *name = json_want_text(reading, object, "an upper layer", "name");
    JsonObject *counts = name ? json_want_object(reading, object, "an upper layer", "counts") : NULL;
    struct named *named = g_new0(struct named, 1);

    named->kind = name ? kind_of(name) : NULL;
    if (counts && named->kind && face_read_counts(reading, counts, &named->summary))
        return named;
    json_wrong(reading, "an upper layer", "name", "a kind that is known");
    g_free(named);
    return NULL;
}

static void face_join(void *report, const void *later)
{
    struct ulp_summary *into = &((struct named *)report)->summary;
    const struct ulp_summary *from = &((const struct named *)later)->summary;

    for (unsigned i = 0; i < from->n; i++) {
        unsigned k = 0;

        while (k < into->n && strcmp(into->count[k].many, from->count[i].many) != 0)
            k++;
        if (k < into->n)
            into->count[k].value += from->count[i].value;
        else if (into->n < ULP_COUNTS_MAX)
            into->count[into->n++] = from->count[i];
    }
}

const struct guest_face named_face = {.take = face_take,
                                      .free = g_free,
                                      .title = title,
                                      .write_text = face_write_text,
                                      .member = "ulp",
                                      .write_json = face_write_json,
                                      .read_json = face_read_json,
                                      .join = face_join,
                                      .write_junit = write_junit,
                                      .write_html_terms = write_html_terms};
