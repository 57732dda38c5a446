/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --print: one line per start-up frame, FPDU and message of the upper layer, in a notation for use in mails. */
#ifndef IWARP_CONFORMANCE_PRINT_PRINT_H
#define IWARP_CONFORMANCE_PRINT_PRINT_H

#include "engine/ddp_rdmap/rdmap.h"
#include "engine/rdma/ulp.h"

#include <stdio.h>

/*
 * 14 0.001235 > [mpa: ulplen 14 ddp: v1 TL stag 0x1f to 0 rdmap: WRITE]
 *   31 0.004512 > [nvme: command Read, 4096 octets]
 *
 * Frame number, seconds since start_ns, '>' from the Initiator and '<' from the Responder; from the second connection
 * of a capture on, the connection's number follows. A chunk is shown by its segments, their octets together and, in the
 * Read list, its Position.
 */
struct print_target {
    FILE *out;
    int64_t start_ns;
    uint32_t connection;
    const char *file;
    bool ndjson; /* print_record.h prints JSON instead */
    const struct endpoint *initiator, *responder;
};

void print_startup(const struct print_target *target, enum direction direction, const struct mpa_startup_event *event);
void print_fpdu(const struct print_target *target, enum direction direction, const struct mpa_fpdu_event *event);
void print_skipped(const struct print_target *target, enum direction direction, uint64_t octets, const char *why,
                   const struct place *place);
/* Prints a message of an upper layer that has no printer. */
void print_said(const struct print_target *target, enum direction direction, const struct ulp_said *said);

/*
 * RoCE and InfiniBand: in print_rdma.c. One line for each message, at its last packet.
 *
 *   17 0.000120 > [roce2: WRITE handle 0x3af71 to 0x706176650abd9000 4108 octets]
 *
 * transport: "roce2", "roce1", "infiniband", "tap".
 */
void print_part(const struct print_target *target, enum direction direction, const char *transport,
                const struct rdma_part *part);
void print_private_data(const struct print_target *target, enum direction direction, const char *transport,
                        const struct rdma_private_data *data);
void print_refusal(const struct print_target *target, enum direction direction, const char *transport,
                   const struct rdma_refusal *refusal);

void print_ulp_private_data(FILE *out, const uint8_t *p, size_t n);

/* Print the beginning and the end of every line. */
void print_begin(const struct print_target *target, enum direction direction, const struct place *place,
                 const char *layer);
void print_end(const struct print_target *target);

enum { PRINT_TIME_SIZE = 32 };
/* Seconds since start_ns with six decimals. Returns text. */
char *print_time(int64_t time_ns, int64_t start_ns, char text[PRINT_TIME_SIZE]);

#endif
