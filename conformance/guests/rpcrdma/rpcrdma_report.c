// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/guests/rpcrdma/rpcrdma_report.h"

#include "conformance/guests/rpcrdma/rpcrdma_procedure.h"
#include "conformance/report/report_junit.h"
#include "conformance/report/terminal.h"
#include "engine/nfs/rpcrdma_ulp.h"
#include "support/json_writer.h"

#include <inttypes.h>

enum { PROCEDURES_SHOWN = 16 }; /* unless --verbose */

static struct rpcrdma_report *rpcrdma_report_new(void)
{
    struct rpcrdma_report *rpcrdma = g_new0(struct rpcrdma_report, 1);

    rpcrdma->calls = g_array_new(FALSE, FALSE, sizeof(struct rpcrdma_procedure_count));
    return rpcrdma;
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
    report->other_calls = counts->other_calls;
    return report;
}

void rpcrdma_report_free(void *report)
{
    g_array_unref(((struct rpcrdma_report *)report)->calls);
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
}

/* ---- JSON ---- */

static void report_add_number(struct json_writer *writer, const char *name, uint64_t value)
{
    json_number(writer, name, (int64_t)value);
}

static void add_call(struct json_writer *writer, const struct rpcrdma_procedure_count *count)
{
    char label[PROCEDURE_LABEL_SIZE];
    bool known = procedure_label(count->program, count->version, count->procedure, label);

    json_begin_object_line(writer, NULL);
    report_add_number(writer, "program", count->program);
    report_add_number(writer, "version", count->version);
    report_add_number(writer, "procedure", count->procedure);
    json_string(writer, "name", known ? label : NULL);
    json_string(writer, "direction", count->reverse ? "reverse" : "forward");
    report_add_number(writer, "calls", count->calls);
    report_add_number(writer, "replies", count->replies);
    report_add_number(writer, "errors", count->errors);
    json_begin_object(writer, "octets");
    report_add_number(writer, "inline", count->inline_octets);
    report_add_number(writer, "read", count->read_octets);
    report_add_number(writer, "write", count->written_octets);
    json_end_object(writer);
    json_end_object(writer);
}

void rpcrdma_report_json(const void *report, struct json_writer *writer)
{
    const struct rpcrdma_report *rpcrdma = report;

    json_begin_object(writer, "rpcrdma");
    json_string(writer, "client",
                rpcrdma->calls_go == DIR_UNKNOWN        ? NULL
                : rpcrdma->calls_go == DIR_TO_RESPONDER ? "initiator"
                                                        : "responder");
    json_begin_array_line(writer, "thresholds");
    for (unsigned direction = 0; direction < 2; direction++) {
        if (rpcrdma->threshold[direction] == 0)
            json_null(writer, NULL);
        else
            json_number(writer, NULL, rpcrdma->threshold[direction]);
    }
    json_end_array(writer);
    json_begin_array(writer, "calls");
    for (guint i = 0; i < rpcrdma->calls->len; i++)
        add_call(writer, &g_array_index(rpcrdma->calls, struct rpcrdma_procedure_count, i));
    json_end_array(writer);
    report_add_number(writer, "other_calls", rpcrdma->other_calls);
    json_end_object(writer);
}

/* ---- JUnit ---- */

void rpcrdma_report_junit(const void *report, xmlTextWriter *writer)
{
    const struct rpcrdma_report *rpcrdma = report;

    junit_property(writer, "rpcrdma.client",
                   rpcrdma->calls_go == DIR_UNKNOWN        ? "not known"
                   : rpcrdma->calls_go == DIR_TO_RESPONDER ? "initiator"
                                                           : "responder");
    junit_property_number(writer, "rpcrdma.threshold_to_responder", rpcrdma->threshold[DIR_TO_RESPONDER] != 0,
                          rpcrdma->threshold[DIR_TO_RESPONDER]);
    junit_property_number(writer, "rpcrdma.threshold_to_initiator", rpcrdma->threshold[DIR_TO_INITIATOR] != 0,
                          rpcrdma->threshold[DIR_TO_INITIATOR]);
}
