/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the two halves of an MPA end: start-up (mpa_end_startup.c) and full operation (mpa_end.c). */
#ifndef IWARP_TRAFFIC_ENDS_STACK_MPA_END_INTERNAL_H
#define IWARP_TRAFFIC_ENDS_STACK_MPA_END_INTERNAL_H

#include "traffic-gen/ends/stack/mpa_end.h"

#include <glib.h>

enum mpa_end_state {
    MPA_END_IDLE,
    MPA_END_WAIT_FRAME, /* for the peer's Request or Reply */
    MPA_END_WAIT_ULP,   /* Responder: the Request has come, the ULP has not answered */
    MPA_END_OPERATION,
};

struct mpa_end {
    struct mpa_end_wish wish;
    uint8_t private_data[MPA_PRIVATE_DATA_MAX]; /* of this end's frame */
    struct stream stream;
    struct mpa_end_events events;
    struct mpa_end_spoil spoil;
    enum mpa_end_state state;
    int64_t since;       /* when this end began to wait for the peer's frame, or last received octets */
    GByteArray *startup; /* the peer's frame; its private data point here */
    struct mpa_startup peer;
    struct mpa_enhanced offer; /* Responder: the enhanced data of its Reply */
    struct mpa_end_terms terms;
    bool has_terms;
    struct mpa_framing framing_out, framing_in;
    uint64_t out_offset, in_offset; /* octets sent and received since the stream began */
    struct mpa_fpdu_reader reader;
    struct mpa_fpdu_scratch *scratch; /* only for Markers */
    GByteArray *ulpdu, *octets;       /* of the FPDU that is being sent */
    bool may_send;
    bool more;   /* another FPDU follows the next one at once */
    bool deaf;   /* nothing is passed up after an error (RFC 5044 section 8) */
    bool closed; /* by this end */
    bool ended;  /* by the peer */
};

/* Reports the error, then closes unless the layers above did. */
void mpa_end_fail(struct mpa_end *end, enum mpa_end_error error);
void mpa_end_write(struct mpa_end *end, const uint8_t *p, size_t n);
/* Sets the framing as negotiated; from here on this end sends and receives FPDUs. */
void mpa_end_begin_operation(struct mpa_end *end);

void mpa_end_startup_receive(struct mpa_end *end, const uint8_t *p, size_t n);

#endif
