// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/guests/rpcrdma/rpcrdma_procedure.h"
#include "conformance/guests/rpcrdma/rpcrdma_report.h"
#include "conformance/report/report_html.h"

#include <inttypes.h>

enum { HTML_PROCEDURES = 40 };

void rpcrdma_report_html_terms(const void *report, struct html_page *page)
{
    const struct rpcrdma_report *rpcrdma = report;

    if (rpcrdma->threshold[DIR_TO_RESPONDER] > 0)
        html_item(page, "Inline threshold", "%" PRIu32 " octets to the responder, %" PRIu32 " to the initiator",
                  rpcrdma->threshold[DIR_TO_RESPONDER], rpcrdma->threshold[DIR_TO_INITIATOR]);
}

static void write_call(struct html_page *page, const struct rpcrdma_procedure_count *count)
{
    char label[PROCEDURE_LABEL_SIZE];
    const uint64_t numbers[] = {count->calls,         count->replies,     count->errors,
                                count->inline_octets, count->read_octets, count->written_octets};

    procedure_label(count->program, count->version, count->procedure, label);
    markup_begin(page->writer, "tr", NULL);
    markup_begin_row_head(page->writer);
    markup_format(page->writer, "%s%s", label, count->reverse ? " (reverse)" : "");
    markup_end(page->writer);
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        markup_number_cell(page->writer, "number", numbers[i]);
    markup_end(page->writer);
}

static void write_status_rows(struct html_page *page, const struct rpcrdma_report *rpcrdma)
{
    static const char *const names[] = {"Operation", "Status", "Replies"};
    char subject[PROCEDURE_LABEL_SIZE], label[STATUS_LABEL_SIZE];

    g_autoptr(GArray) failing = rpcrdma_report_failing(rpcrdma);

    if (failing->len == 0)
        return;
    markup_begin_table(page->writer, NULL, "Replies by operation and status", names, G_N_ELEMENTS(names));
    for (guint i = 0; i < failing->len; i++) {
        const struct rpcrdma_status_count *count = &g_array_index(failing, struct rpcrdma_status_count, i);

        markup_begin(page->writer, "tr", NULL);
        markup_begin_row_head(page->writer);
        markup_format(page->writer, "%s%s", rpcrdma_status_subject(count, subject), count->reverse ? " (reverse)" : "");
        markup_end(page->writer);
        markup_element(page->writer, "td", NULL, "%s", rpcrdma_status_label(count, label));
        markup_number_cell(page->writer, "number", count->replies);
        markup_end(page->writer);
    }
    markup_end_table(page->writer);
}

void rpcrdma_report_html(const void *report, struct html_page *page)
{
    static const char *const names[] = {"Procedure", "Calls", "Replies", "Errors", "Inline", "By Read", "By Write"};
    const struct rpcrdma_report *rpcrdma = report;

    if (rpcrdma->calls->len == 0)
        return;
    markup_begin(page->writer, "details", NULL);
    markup_element(page->writer, "summary", NULL, "RPC-over-RDMA: %u procedure%s", rpcrdma->calls->len,
                   plural(rpcrdma->calls->len));
    markup_begin_table(page->writer, NULL, "Calls by procedure, and the octets moved for them", names,
                       G_N_ELEMENTS(names));
    for (guint i = 0; i < rpcrdma->calls->len && i < HTML_PROCEDURES; i++)
        write_call(page, &g_array_index(rpcrdma->calls, struct rpcrdma_procedure_count, i));
    markup_end_table(page->writer);
    if (rpcrdma->calls->len > HTML_PROCEDURES)
        markup_element(page->writer, "p", "more", "... and %u more procedures", rpcrdma->calls->len - HTML_PROCEDURES);
    if (rpcrdma->other_calls > 0)
        markup_element(page->writer, "p", "more", "... and %" PRIu64 " calls of other procedures",
                       rpcrdma->other_calls);
    write_status_rows(page, rpcrdma);
    markup_end(page->writer);
}
