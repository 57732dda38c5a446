// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_baseline.h"

#include "conformance/model/report_kinds.h"
#include "conformance/options/options.h"
#include "engine/packet/decap.h"
#include "support/printable.h"

#include <inttypes.h>
#include <string.h>

/* Findings of one kind made by the end with this address; the baseline owns the texts. */
struct row {
    struct report_kind kind;
    enum rule_severity severity;
    char *address;
    const char *message; /* of the first finding */
    uint64_t earlier, now;
};

struct merge_baseline {
    char *file;
    GPtrArray *rows;      /* struct row *, in the order found; those of the earlier report come first */
    GHashTable *known;    /* the same rows by key */
    GStringChunk *text;   /* owns messages, operations and kinds */
    GHashTable *troubles; /* keys of troubles in the earlier report */
    GPtrArray *added;     /* keys of troubles that are new */
};

static guint baseline_hash_of(gconstpointer data)
{
    const struct row *row = data;

    return report_kind_hash(&row->kind) ^ g_str_hash(row->address);
}

static gboolean baseline_equal(gconstpointer a, gconstpointer b)
{
    const struct row *one = a, *other = b;

    return one->severity == other->severity && strcmp(one->address, other->address) == 0 &&
           report_kind_equal(&one->kind, &other->kind);
}

static void free_row(gpointer data)
{
    struct row *row = data;

    g_free(row->kind.found);
    g_free(row->address);
    g_free(row);
}

/* The address without the port: each connection of a client has another port. */
static char *baseline_address_of(const struct endpoint *end)
{
    struct endpoint host = *end;
    char text[ENDPOINT_TEXT_SIZE];

    host.port = 0;
    return g_strdup(endpoint_text(&host, text));
}

/* A key for the lookup; found and address belong to the caller. */
static struct row baseline_row_of(const struct report_connection *connection, const struct report_finding *finding)
{
    bool from_initiator = finding->direction == DIR_TO_RESPONDER;

    return (struct row){.kind = {.rule = finding->rule,
                                 .direction = finding->direction,
                                 .subject = finding->subject,
                                 .found = report_kind_pattern(finding->message),
                                 .frame = finding->frame},
                        .severity = finding->severity,
                        .address =
                            baseline_address_of(from_initiator ? &connection->initiator : &connection->responder)};
}

static struct row *baseline_find(const struct merge_baseline *baseline, const struct report_connection *connection,
                                 const struct report_finding *finding)
{
    struct row wanted = baseline_row_of(connection, finding), *row = g_hash_table_lookup(baseline->known, &wanted);

    g_free(wanted.kind.found);
    g_free(wanted.address);
    return row;
}

static const char *baseline_keep(const struct merge_baseline *baseline, const char *text)
{
    return text ? g_string_chunk_insert_const(baseline->text, text) : NULL;
}

static struct row *baseline_add(struct merge_baseline *baseline, const struct report_connection *connection,
                                const struct report_finding *finding)
{
    struct row row = baseline_row_of(connection, finding), *added;

    row.message = baseline_keep(baseline, finding->message);
    row.kind.subject = (struct finding_subject){baseline_keep(baseline, finding->subject.operation),
                                                baseline_keep(baseline, finding->subject.kind)};
    added = g_memdup2(&row, sizeof row);
    g_ptr_array_add(baseline->rows, added);
    g_hash_table_add(baseline->known, added);
    return added;
}

static void baseline_take_connection(struct merge_baseline *baseline, const struct report_connection *connection,
                                     bool now)
{
    for (guint i = 0; i < connection->findings->len; i++) {
        const struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, i);
        struct row *row;

        if (finding->waiver)
            continue;
        row = baseline_find(baseline, connection, finding);
        if (!row)
            row = baseline_add(baseline, connection, finding);
        *(now ? &row->now : &row->earlier) += UINT64_C(1) + finding->more;
    }
}

/*
 * The key of a trouble. The words of the trouble are not in the key: times, and the first operation, differ between
 * runs.
 */
static gchar *trouble_key(const struct trouble *trouble)
{
    return g_strdup_printf("%s, client %s, server %s", trouble_kind_name(trouble->kind), trouble->client,
                           trouble->server);
}

static bool baseline_is_known(const struct merge_baseline *baseline, const struct trouble *trouble)
{
    g_autofree gchar *key = trouble_key(trouble);

    return g_hash_table_contains(baseline->troubles, key);
}

static void baseline_take_troubles(struct merge_baseline *baseline, const GPtrArray *troubles, bool now)
{
    for (guint i = 0; i < troubles->len; i++) {
        const struct trouble *trouble = g_ptr_array_index(troubles, i);

        if (trouble_is_note(trouble->kind))
            continue;
        if (!now)
            g_hash_table_add(baseline->troubles, trouble_key(trouble));
        else if (!baseline_is_known(baseline, trouble))
            g_ptr_array_add(baseline->added, trouble_key(trouble));
    }
}

static void baseline_take(struct merge_baseline *baseline, const struct report *report, bool now)
{
    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);

        for (guint k = 0; k < capture->connections->len; k++)
            baseline_take_connection(baseline, g_ptr_array_index(capture->connections, k), now);
        baseline_take_troubles(baseline, capture->troubles->list, now);
    }
}

struct merge_baseline *merge_baseline_new(const char *file, const struct report *earlier, const struct report *now)
{
    struct merge_baseline *baseline = g_new0(struct merge_baseline, 1);

    baseline->file = printable_text(file);
    baseline->rows = g_ptr_array_new_with_free_func(free_row);
    baseline->known = g_hash_table_new(baseline_hash_of, baseline_equal);
    baseline->text = g_string_chunk_new(1024);
    baseline->troubles = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    baseline->added = g_ptr_array_new_with_free_func(g_free);
    baseline_take(baseline, earlier, false);
    baseline_take(baseline, now, true);
    return baseline;
}

void merge_baseline_free(struct merge_baseline *baseline)
{
    if (!baseline)
        return;
    g_hash_table_unref(baseline->known);
    g_hash_table_unref(baseline->troubles);
    g_ptr_array_unref(baseline->added);
    g_ptr_array_unref(baseline->rows);
    g_string_chunk_free(baseline->text);
    g_free(baseline->file);
    g_free(baseline);
}

enum change { ADDED, GONE, SAME };

static enum change baseline_change_of(const struct row *row)
{
    return row->earlier == 0 ? ADDED : row->now == 0 ? GONE : SAME;
}

static unsigned baseline_count(const struct merge_baseline *baseline, enum change change)
{
    unsigned n = 0;

    for (guint i = 0; i < baseline->rows->len; i++)
        n += baseline_change_of(g_ptr_array_index(baseline->rows, i)) == change;
    return n;
}

bool merge_baseline_fails(const struct merge_baseline *baseline, const struct check_options *options)
{
    for (guint i = 0; i < baseline->rows->len; i++) {
        const struct row *row = g_ptr_array_index(baseline->rows, i);

        if (baseline_change_of(row) == ADDED && options_fails(options, row->severity))
            return true;
    }
    return options->fail_trouble && baseline->added->len > 0;
}

/* ---- the report ---- */

static void waive_same(const struct merge_baseline *baseline, struct report_connection *connection,
                       const struct waiver *waiver, const struct check_options *options)
{
    for (guint i = 0; i < connection->findings->len; i++) {
        struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, i);
        const struct row *row = finding->waiver ? NULL : baseline_find(baseline, connection, finding);
        uint64_t times = UINT64_C(1) + finding->more;

        if (!row || baseline_change_of(row) != SAME)
            continue;
        finding->waiver = waiver;
        connection->waived += times;
        connection->found[finding->severity] -= MIN(times, connection->found[finding->severity]);
        for (uint64_t k = 0; options_fails(options, finding->severity) && k < MIN(times, MAX_FINDINGS_DEFAULT); k++)
            report_drop_failing(connection, finding->rule);
    }
}

void merge_baseline_waive(const struct merge_baseline *baseline, struct report *report, struct check_options *options)
{
    struct waiver *waiver = g_new0(struct waiver, 1);

    waiver->id = g_strdup("baseline");
    waiver->where = g_strdup(baseline->file);
    waiver->why = g_strdup("already in the baseline");
    waiver->used = 1;
    g_ptr_array_add(options->waivers, waiver);
    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);

        for (guint k = 0; k < capture->connections->len; k++)
            waive_same(baseline, g_ptr_array_index(capture->connections, k), waiver, options);
        for (guint k = 0; k < capture->troubles->list->len; k++) {
            struct trouble *trouble = g_ptr_array_index(capture->troubles->list, k);

            trouble->known = baseline_is_known(baseline, trouble);
        }
    }
}

static const char *baseline_role_of(const struct row *row)
{
    return row->kind.direction == DIR_TO_RESPONDER ? "initiator" : "responder";
}

static void write_rows(const struct merge_baseline *baseline, struct json_writer *writer, const char *name,
                       enum change change)
{
    json_begin_array(writer, name);
    for (guint i = 0; i < baseline->rows->len; i++) {
        const struct row *row = g_ptr_array_index(baseline->rows, i);

        if (baseline_change_of(row) != change)
            continue;
        json_begin_object(writer, NULL);
        json_string(writer, "rule", rule_catalogue[row->kind.rule].id);
        json_string(writer, "severity", rule_severity_name(row->severity));
        json_string(writer, "sender", row->address);
        json_string(writer, "role", baseline_role_of(row));
        if (row->kind.subject.operation)
            json_string(writer, "operation", row->kind.subject.operation);
        if (row->kind.subject.kind)
            json_string(writer, "kind", row->kind.subject.kind);
        json_string(writer, "message", row->message);
        json_number(writer, "count", (int64_t)(change == GONE ? row->earlier : row->now));
        json_end_object(writer);
    }
    json_end_array(writer);
}

void merge_baseline_write_json(const void *of, struct json_writer *writer)
{
    const struct merge_baseline *baseline = of;

    json_begin_object(writer, "baseline");
    json_string(writer, "file", baseline->file);
    write_rows(baseline, writer, "new", ADDED);
    write_rows(baseline, writer, "gone", GONE);
    json_number(writer, "same", baseline_count(baseline, SAME));
    json_strings(writer, "new_trouble", (const char *const *)baseline->added->pdata, baseline->added->len);
    json_end_object(writer);
}

static void write_lines(const struct merge_baseline *baseline, FILE *out, const char *what, enum change change)
{
    for (guint i = 0; i < baseline->rows->len; i++) {
        const struct row *row = g_ptr_array_index(baseline->rows, i);
        g_autofree gchar *message = printable_text(row->message);

        if (baseline_change_of(row) == change)
            fprintf(out, "  %s: %s, %s, by the %s %s: %s\n", what, rule_catalogue[row->kind.rule].id,
                    rule_severity_name(row->severity), baseline_role_of(row), row->address, message);
    }
}

void merge_baseline_write_text(const struct merge_baseline *baseline, FILE *out)
{
    fprintf(out, "\ncompared with %s: %u new, %u gone and %u unchanged kinds of findings\n", baseline->file,
            baseline_count(baseline, ADDED), baseline_count(baseline, GONE), baseline_count(baseline, SAME));
    write_lines(baseline, out, "new", ADDED);
    write_lines(baseline, out, "gone", GONE);
    for (guint i = 0; i < baseline->added->len; i++) {
        g_autofree gchar *line = printable_text(g_ptr_array_index(baseline->added, i));

        fprintf(out, "  new trouble: %s\n", line);
    }
}
