// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/guests/rpcrdma/rpcrdma_report.h"

#include "conformance/guests/rpcrdma/rpcrdma_procedure.h"
#include "conformance/guests/rpcrdma/rpcrdma_statuses.h"
#include "conformance/report/text_table.h"
#include "engine/stack/rpcrdma_ulp.h"
#include "support/json_members.h"
#include "support/tested.h"

#include <inttypes.h>
#include <string.h>

enum { PROCEDURES_SHOWN = 16 }; /* unless --verbose */

static struct rpcrdma_report *rpcrdma_report_new(void)
{
    struct rpcrdma_report *rpcrdma = g_new0(struct rpcrdma_report, 1);

    rpcrdma->calls = g_array_new(FALSE, TRUE, sizeof(struct rpcrdma_procedure_count));
    rpcrdma->statuses = g_array_new(FALSE, TRUE, sizeof(struct rpcrdma_status_count));
    return rpcrdma;
}

static bool failed_once(const GArray *statuses, const struct rpcrdma_status_count *subject)
{
    for (guint i = 0; i < statuses->len; i++) {
        const struct rpcrdma_status_count *count = &g_array_index(statuses, struct rpcrdma_status_count, i);

        if (rpcrdma_status_fails(count) && count->number == subject->number && count->operation == subject->operation &&
            count->reverse == subject->reverse && count->version == subject->version &&
            count->program == subject->program)
            return true;
    }
    return false;
}

GArray *rpcrdma_report_failing(const struct rpcrdma_report *report)
{
    GArray *failing = g_array_new(FALSE, TRUE, sizeof(struct rpcrdma_status_count));

    for (guint i = 0; i < report->statuses->len; i++) {
        const struct rpcrdma_status_count *count = &g_array_index(report->statuses, struct rpcrdma_status_count, i);

        if (failed_once(report->statuses, count))
            g_array_append_vals(failing, count, 1);
    }
    return failing;
}

void *rpcrdma_report_take(const struct ulp_kind *kind, void *guest, unsigned initiator)
{
    const struct rpcrdma_connection *rpcrdma = rpcrdma_ulp_connection(guest);
    const struct rpcrdma_counts *counts;
    struct rpcrdma_report *report;
    int client;

    (void)kind;
    if (!rpcrdma || !rpcrdma_connection_is_rpcrdma(rpcrdma))
        return NULL;
    client = rpcrdma_connection_client(rpcrdma);
    counts = rpcrdma_connection_counts(rpcrdma);
    report = rpcrdma_report_new();
    report->calls_go = client < 0 ? DIR_UNKNOWN : (unsigned)client == initiator ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
    for (unsigned direction = 0; direction < 2; direction++) {
        unsigned sender = direction == DIR_TO_RESPONDER ? initiator : other_side(initiator);
        bool negotiated;

        report->threshold[direction] = rpcrdma_connection_threshold(rpcrdma, sender, &negotiated);
    }
    for (unsigned i = 0; i < counts->n; i++)
        if (counts->procedures[i].calls > 0) /* no Calls since the previous part of the report */
            g_array_append_val(report->calls, counts->procedures[i]);
    g_array_append_vals(report->statuses, counts->statuses, counts->n_statuses);
    report->other_calls = counts->other_calls;
    return report;
}

void rpcrdma_report_free(void *report)
{
    g_array_unref(((struct rpcrdma_report *)report)->calls);
    g_array_unref(((struct rpcrdma_report *)report)->statuses);
    g_free(report);
}

const char *rpcrdma_report_title(const void *report)
{
    (void)report;
    return rpcrdma_ulp.title;
}

/* ---- text ---- */

static void add_call_text(GString *line, const struct rpcrdma_procedure_count *count)
{
    char label[PROCEDURE_LABEL_SIZE];

    procedure_label(count->program, count->version, count->procedure, label);
    g_string_append_printf(line, "%" PRIu64 " %s%s", count->calls, label, count->reverse ? " (reverse)" : "");
    if (count->errors > 0)
        g_string_append_printf(line, " (%" PRIu64 " RDMA_ERROR)", count->errors);
    if (count->calls > count->replies + count->errors)
        g_string_append_printf(line, " (%" PRIu64 " without Reply)", count->calls - count->replies - count->errors);
}

const char *rpcrdma_status_subject(const struct rpcrdma_status_count *count, char text[PROCEDURE_LABEL_SIZE])
{
    const char *name = count->operation ? nfs_op_name(count->number, count->reverse) : NULL;

    if (name)
        snprintf(text, PROCEDURE_LABEL_SIZE, "%s", name);
    else if (count->operation)
        snprintf(text, PROCEDURE_LABEL_SIZE, "operation %" PRIu32, count->number);
    else
        procedure_label(count->program, count->version, count->number, text);
    return text;
}

const char *rpcrdma_status_label(const struct rpcrdma_status_count *count, char text[STATUS_LABEL_SIZE])
{
    const struct trouble_error *error =
        count->rpc ? rpcrdma_rpc_error(count->status) : rpcrdma_status(count->program, count->version, count->status);

    if (error)
        snprintf(text, STATUS_LABEL_SIZE, "%s", error->name);
    else
        snprintf(text, STATUS_LABEL_SIZE, "%s%" PRIu32, count->rpc ? "RPC error " : "status ", count->status);
    return text;
}

/* By default, only the errors are listed. */
static void write_statuses(const struct rpcrdma_report *rpcrdma, const struct terminal *terminal, bool verbose)
{
    GString *line = g_string_new(verbose ? "Replies by status:" : "Replies with errors:");
    char subject[PROCEDURE_LABEL_SIZE], label[STATUS_LABEL_SIZE];
    unsigned said = 0, more = 0;
    g_autoptr(GArray) failing = rpcrdma_report_failing(rpcrdma);

    for (guint i = 0; i < failing->len; i++) {
        const struct rpcrdma_status_count *count = &g_array_index(failing, struct rpcrdma_status_count, i);

        if (!verbose && (!rpcrdma_status_fails(count) || said >= PROCEDURES_SHOWN)) {
            more += rpcrdma_status_fails(count);
            continue;
        }
        g_string_append_printf(line, "%s %" PRIu64 " %s %s%s", said++ > 0 ? "," : "", count->replies,
                               rpcrdma_status_subject(count, subject), rpcrdma_status_label(count, label),
                               count->reverse ? " (reverse)" : "");
    }
    if (more > 0)
        g_string_append_printf(line, ", and %u more kinds", more);
    if (said > 0)
        terminal_line(terminal, 4, "%s", line->str);
    g_string_free(line, TRUE);
}

void rpcrdma_report_statuses(const void *report, struct text_table *table)
{
    char subject[PROCEDURE_LABEL_SIZE], label[STATUS_LABEL_SIZE];
    g_autoptr(GArray) failing = rpcrdma_report_failing(report);

    for (guint i = 0; i < failing->len; i++) {
        const struct rpcrdma_status_count *count = &g_array_index(failing, struct rpcrdma_status_count, i);

        text_table_format(table, "%s%s", rpcrdma_status_subject(count, subject), count->reverse ? " (reverse)" : "");
        text_table_add(table, rpcrdma_status_label(count, label));
        text_table_format(table, "%" PRIu64, count->replies);
    }
}

void rpcrdma_report_text(const void *report, const struct terminal *terminal, bool verbose)
{
    const struct rpcrdma_report *rpcrdma = report;
    uint64_t by_send = 0, by_read = 0, by_write = 0, others = rpcrdma->other_calls;
    GString *line = g_string_new("RPC-over-RDMA:");
    const char *separator = " ";

    for (guint i = 0; i < rpcrdma->calls->len; i++) {
        const struct rpcrdma_procedure_count *count = &g_array_index(rpcrdma->calls, struct rpcrdma_procedure_count, i);

        by_send += count->inline_octets;
        by_read += count->read_octets;
        by_write += count->written_octets;
        if (!verbose && i >= PROCEDURES_SHOWN) {
            others += count->calls;
            continue;
        }
        g_string_append(line, separator);
        add_call_text(line, count);
        separator = ", ";
    }
    if (others > 0)
        g_string_append_printf(line, "%s%" PRIu64 " other", separator, others);
    else if (rpcrdma->calls->len == 0)
        g_string_append(line, " no calls");
    terminal_line(terminal, 4, "%s; octets: %" PRIu64 " inline, %" PRIu64 " by Read, %" PRIu64 " by Write", line->str,
                  by_send, by_read, by_write);
    g_string_free(line, TRUE);
    write_statuses(rpcrdma, terminal, verbose);
}

/* ---- JSON ---- */

#define CALL_AT(field)   JSON_AT(struct rpcrdma_procedure_count, field)
#define REPORT_AT(field) JSON_AT(struct rpcrdma_report, field)

static void write_name(struct json_writer *writer, const struct json_member *member, const void *base, const void *ctx)
{
    const struct rpcrdma_procedure_count *count = base;
    char label[PROCEDURE_LABEL_SIZE];
    bool known = procedure_label(count->program, count->version, count->procedure, label);

    (void)ctx;
    json_string(writer, member->name, known ? label : NULL);
}

static const char *call_direction(unsigned reverse)
{
    return reverse ? "reverse" : "forward";
}

static const struct json_member octets_members[] = {
    {"inline", JSON_COUNT, CALL_AT(inline_octets)},
    {"read", JSON_COUNT, CALL_AT(read_octets)},
    {"write", JSON_COUNT, CALL_AT(written_octets)},
    {NULL},
};
static const struct json_table octets_table = {"the octets of a call", octets_members};

static const struct json_member call_members[] = {
    {"program", JSON_COUNT, CALL_AT(program)},
    {"version", JSON_COUNT, CALL_AT(version)},
    {"procedure", JSON_COUNT, CALL_AT(procedure)},
    {"name", JSON_OWN, .write = write_name, .derived = true},
    {"direction", JSON_WORD, CALL_AT(reverse), .word = call_direction, .n = 2},
    {"calls", JSON_COUNT, CALL_AT(calls)},
    {"replies", JSON_COUNT, CALL_AT(replies)},
    {"errors", JSON_COUNT, CALL_AT(errors)},
    {"octets", JSON_INNER, .inner = &octets_table},
    {NULL},
};
static const struct json_table call_table = {"a call", call_members};

#define STATUS_AT(field) JSON_AT(struct rpcrdma_status_count, field)

static void write_status_subject(struct json_writer *writer, const struct json_member *member, const void *base,
                                 const void *ctx)
{
    char subject[PROCEDURE_LABEL_SIZE];

    (void)ctx;
    json_string(writer, member->name, rpcrdma_status_subject(base, subject));
}

static void write_status_label(struct json_writer *writer, const struct json_member *member, const void *base,
                               const void *ctx)
{
    char label[STATUS_LABEL_SIZE];

    (void)ctx;
    json_string(writer, member->name, rpcrdma_status_label(base, label));
}

static const char *layer_word(unsigned rpc)
{
    return rpc ? "rpc" : "nfs";
}

static const char *kind_word(unsigned operation)
{
    return operation ? "operation" : "procedure";
}

static const struct json_member status_members[] = {
    {"program", JSON_COUNT, STATUS_AT(program)},
    {"version", JSON_COUNT, STATUS_AT(version)},
    {"kind", JSON_WORD, STATUS_AT(operation), .word = kind_word, .n = 2},
    {"number", JSON_COUNT, STATUS_AT(number)},
    {"name", JSON_OWN, .write = write_status_subject, .derived = true},
    {"direction", JSON_WORD, STATUS_AT(reverse), .word = call_direction, .n = 2},
    {"layer", JSON_WORD, STATUS_AT(rpc), .word = layer_word, .n = 2},
    {"status", JSON_COUNT, STATUS_AT(status)},
    {"status_name", JSON_OWN, .write = write_status_label, .derived = true},
    {"replies", JSON_COUNT, STATUS_AT(replies)},
    {NULL},
};
static const struct json_table status_table = {"a status", status_members};

static const char *client_word(unsigned calls_go)
{
    return calls_go == DIR_TO_RESPONDER ? "initiator" : "responder";
}

static const struct json_member report_members[] = {
    {"client", JSON_WORD, REPORT_AT(calls_go), .word = client_word, .n = DIR_UNKNOWN, .zero = JSON_SHOWN_AS_NULL},
    {"thresholds", JSON_PAIR, REPORT_AT(threshold), .zero = JSON_SHOWN_AS_NULL},
    {"calls", JSON_ROWS, REPORT_AT(calls), .inner = &call_table},
    {"other_calls", JSON_COUNT, REPORT_AT(other_calls)},
    {"statuses", JSON_ROWS, REPORT_AT(statuses), .inner = &status_table},
    {NULL},
};
static const struct json_table report_table = {"RPC-over-RDMA", report_members};

/* A part of a series has all statuses: the same operation may fail in another part. */
void rpcrdma_report_json(const void *report, struct json_writer *writer, bool part)
{
    struct rpcrdma_report shown = *(const struct rpcrdma_report *)report;
    g_autoptr(GArray) failing = rpcrdma_report_failing(report);

    if (!part)
        shown.statuses = failing;
    json_write_object(writer, "rpcrdma", &report_table, &shown, NULL);
}

void *rpcrdma_report_read(struct json_reading *reading, JsonObject *object)
{
    struct rpcrdma_report *report = rpcrdma_report_new();

    if (json_read_members(reading, &report_table, object, report))
        return report;
    rpcrdma_report_free(report);
    return NULL;
}

/* ---- parts of a connection ---- */

static struct rpcrdma_procedure_count *same_procedure(GArray *calls, const struct rpcrdma_procedure_count *wanted)
{
    for (guint i = 0; i < calls->len; i++) {
        struct rpcrdma_procedure_count *count = &g_array_index(calls, struct rpcrdma_procedure_count, i);

        if (count->program == wanted->program && count->version == wanted->version &&
            count->procedure == wanted->procedure && count->reverse == wanted->reverse)
            return count;
    }
    return NULL;
}

static void join_call(GArray *calls, const struct rpcrdma_procedure_count *later)
{
    struct rpcrdma_procedure_count *count = same_procedure(calls, later);

    if (!count) {
        g_array_append_vals(calls, later, 1);
        return;
    }
    count->calls += later->calls;
    count->replies += later->replies;
    count->errors += later->errors;
    count->inline_octets += later->inline_octets;
    count->read_octets += later->read_octets;
    count->written_octets += later->written_octets;
}

static void join_status(GArray *statuses, const struct rpcrdma_status_count *later)
{
    for (guint i = 0; i < statuses->len; i++) {
        struct rpcrdma_status_count *count = &g_array_index(statuses, struct rpcrdma_status_count, i);

        if (count->program == later->program && count->version == later->version && count->number == later->number &&
            count->operation == later->operation && count->reverse == later->reverse && count->rpc == later->rpc &&
            count->status == later->status) {
            count->replies += later->replies;
            return;
        }
    }
    g_array_append_vals(statuses, later, 1);
}

void rpcrdma_report_join(void *report, const void *later)
{
    struct rpcrdma_report *into = report;
    const struct rpcrdma_report *from = later;

    into->calls_go = from->calls_go;
    memcpy(into->threshold, from->threshold, sizeof into->threshold);
    for (guint i = 0; i < from->calls->len; i++)
        join_call(into->calls, &g_array_index(from->calls, struct rpcrdma_procedure_count, i));
    for (guint i = 0; i < from->statuses->len; i++)
        join_status(into->statuses, &g_array_index(from->statuses, struct rpcrdma_status_count, i));
    into->other_calls += from->other_calls;
}

/* ---- JUnit ---- */

void rpcrdma_report_junit(const void *report, struct tested_suite *suite)
{
    const struct rpcrdma_report *rpcrdma = report;

    tested_property(suite, "rpcrdma.client",
                    rpcrdma->calls_go == DIR_UNKNOWN        ? "not known"
                    : rpcrdma->calls_go == DIR_TO_RESPONDER ? "initiator"
                                                            : "responder");
    tested_property_number(suite, "rpcrdma.threshold_to_responder", rpcrdma->threshold[DIR_TO_RESPONDER] != 0,
                           rpcrdma->threshold[DIR_TO_RESPONDER]);
    tested_property_number(suite, "rpcrdma.threshold_to_initiator", rpcrdma->threshold[DIR_TO_INITIATOR] != 0,
                           rpcrdma->threshold[DIR_TO_INITIATOR]);
    for (guint i = 0; i < rpcrdma->statuses->len; i++) {
        const struct rpcrdma_status_count *count = &g_array_index(rpcrdma->statuses, struct rpcrdma_status_count, i);
        char subject[PROCEDURE_LABEL_SIZE], label[STATUS_LABEL_SIZE];

        if (!rpcrdma_status_fails(count))
            continue;
        rpcrdma_status_subject(count, subject);
        rpcrdma_status_label(count, label);
        tested_property_number(suite, tested_keep(suite, g_strdup_printf("rpcrdma.replies.%s.%s", subject, label)),
                               true, count->replies);
    }
}
