/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --print=ndjson: one flat JSON object per line, always with the same keys; docs/iwarp-check-print.schema.json. */
#ifndef IWARP_CONFORMANCE_PRINT_PRINT_RECORD_H
#define IWARP_CONFORMANCE_PRINT_PRINT_RECORD_H

#include "conformance/print/print.h"

/* A number that becomes null in JSON if unknown, as strings do that are NULL. */
struct print_number {
    bool known;
    uint64_t value;
};

struct print_record {
    const char *type; /* "message", "call", "finding" */
    const char *layer;
    const char *operation, *operations;
    const char *status;
    const char *rule, *severity, *text;
    enum direction direction;
    const struct place *place;
    struct print_number xid, octets, read, write, reply;
    struct print_number latency_ns;
};

void print_record(const struct print_target *target, const struct print_record *record);

/* RDMA messages, and the startup frames before them. octets: of the message, as far as captured. */
void print_record_startup(const struct print_target *target, enum direction direction,
                          const struct mpa_startup_event *event);
void print_record_fpdu(const struct print_target *target, enum direction direction, const struct mpa_fpdu_event *event,
                       uint64_t octets);
void print_record_part(const struct print_target *target, enum direction direction, const char *transport,
                       const struct rdma_part *part);

#endif
