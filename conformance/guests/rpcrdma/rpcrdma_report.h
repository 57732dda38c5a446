/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of reports about RPC-over-RDMA: the functions of struct guest_face. */
#ifndef IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_REPORT_H
#define IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_REPORT_H

#include "conformance/guests/rpcrdma/rpcrdma_procedure.h"
#include "conformance/model/guest.h"
#include "engine/rpcrdma/rpcrdma.h"

/* The RPC-over-RDMA traffic of a connection. */
struct rpcrdma_report {
    enum direction calls_go; /* of the client; DIR_UNKNOWN: the client is unknown */
    uint32_t threshold[2];   /* inline, by direction; 0: unknown */
    GArray *calls;           /* struct rpcrdma_procedure_count, in order of first appearance */
    GArray *statuses;        /* struct rpcrdma_status_count, likewise */
    uint64_t other_calls;    /* for unknown procedures, or procedures without a count of their own */
};

enum { STATUS_LABEL_SIZE = 32 };
/* "NFS4ERR_OLD_STATEID", "PROG_UNAVAIL", "12345". Returns text. */
const char *rpcrdma_status_label(const struct rpcrdma_status_count *count, char text[STATUS_LABEL_SIZE]);
/* "LAYOUTCOMMIT", "NFS3 WRITE". Returns text. */
const char *rpcrdma_status_subject(const struct rpcrdma_status_count *count, char text[PROCEDURE_LABEL_SIZE]);
static inline bool rpcrdma_status_fails(const struct rpcrdma_status_count *count)
{
    return count->rpc || count->status != 0;
}

/* Of operations and procedures that failed at least once. */
GArray *rpcrdma_report_failing(const struct rpcrdma_report *report);

void *rpcrdma_report_take(const struct ulp_kind *kind, void *guest, unsigned initiator);
void rpcrdma_report_free(void *report);
const char *rpcrdma_report_title(const void *report);
void rpcrdma_report_text(const void *report, const struct terminal *terminal, bool verbose);
void rpcrdma_report_json(const void *report, struct json_writer *writer, bool part);
void rpcrdma_report_junit(const void *report, struct tested_suite *suite);
void rpcrdma_report_statuses(const void *report, struct text_table *table);
void rpcrdma_report_html_terms(const void *report, struct html_page *page);
void rpcrdma_report_html(const void *report, struct html_page *page);
void *rpcrdma_report_read(struct json_reading *reading, struct _JsonObject *object);
void rpcrdma_report_join(void *report, const void *later);

#endif
