/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --print: one line per startup frame and FPDU, in the notation that practitioners paste. */
#ifndef IWARP_CONFORMANCE_PRINT_H
#define IWARP_CONFORMANCE_PRINT_H

#include "engine/mpa.h"

#include <stdio.h>

/*
 *   14 0.001235 > [mpa: ulplen 14 ddp: v1 TL stag 0x1f to 0 rdmap: WRITE]
 *
 * Frame number, seconds since start_ns, '>' from the Initiator and '<' from the Responder; from the second connection
 * of a capture on its number stands behind.
 */
struct print_target {
    FILE *out;
    int64_t start_ns;
    uint32_t connection;
};

void print_startup(const struct print_target *target, enum direction direction, const struct mpa_startup_event *event);
void print_fpdu(const struct print_target *target, enum direction direction, const struct mpa_fpdu_event *event);
void print_skipped(const struct print_target *target, enum direction direction, uint64_t octets, const char *why,
                   const struct place *place);

enum { PRINT_TIME_SIZE = 32 };
/* Seconds since start_ns with six decimals. Returns text. */
char *print_time(int64_t time_ns, int64_t start_ns, char text[PRINT_TIME_SIZE]);

#endif
