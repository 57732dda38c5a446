/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One end of an MPA connection (RFC 5044, RFC 6581), sans-I/O: start-up as Initiator or Responder, framing in both
 * directions with Markers and CRC as negotiated, detection of the peer's errors. It sends what the standards demand and
 * nothing else; faults come from hooks of the fault tables.
 */
#ifndef IWARP_TRAFFIC_ENDS_MPA_END_H
#define IWARP_TRAFFIC_ENDS_MPA_END_H

#include "traffic-gen/ends/stream.h"
#include "wire/mpa_fpdu.h"
#include "wire/mpa_startup.h"

enum mpa_end_role { MPA_END_INITIATOR, MPA_END_RESPONDER };

/* What this end wants. Octets are copied. */
struct mpa_end_wish {
    enum mpa_end_role role;
    uint8_t revision; /* Initiator: sent in the Request; Responder: the highest one supported. 0 to 2 */
    bool permissive;  /* revision 1, 2: also speaks revision 0, with peers that know only that (RFC 5044 Appendix C) */
    bool markers;     /* wants to receive Markers */
    bool crc;
    bool enhanced; /* Initiator of revision 2: with IRD, ORD and peer-to-peer negotiation */
    /*
     * Initiator: sent, the RTR types are those that it can send. Responder: the largest IRD and ORD that it can do
     * (0x3FFF: as many as the peer wants), the RTR types that it accepts (none: all); peer_to_peer is the Initiator's.
     */
    struct mpa_enhanced enhanced_data;
    const uint8_t *private_data; /* ULP private data, at most 508 octets with the enhanced data, 512 without */
    uint16_t private_length;
    bool reject;       /* Responder: answers with R */
    bool manual;       /* Responder: waits for mpa_end_reply() */
    int64_t t_startup; /* nanoseconds to wait for the peer's frame; 0: 10 s */
    int64_t t_rest;    /* the same for the rest of an FPDU that has begun (RFC 5044 section 7.1.2); 0: never */
};

/* What was negotiated. */
struct mpa_end_terms {
    enum mpa_end_role role;
    uint8_t revision; /* 0: DDP and RDMAP are of version 0, too */
    bool markers_out, markers_in, crc, enhanced, peer_to_peer, rejected;
    uint8_t rtr;              /* RTR types that both ends know, set of enum mpa_rtr */
    uint16_t ird, ord;        /* of this end: Reads it serves, Reads it may have in flight; 0x3FFF: not negotiated */
    const uint8_t *peer_data; /* ULP private data of the peer's frame */
    uint16_t peer_length;
};

enum mpa_end_error {
    MPA_END_CLOSED_EARLY, /* FIN or RST before the start-up was over */
    MPA_END_TIMEOUT,
    MPA_END_BAD_FRAME, /* start-up frame with a wrong key, length or revision, or followed by octets that cannot be
                          there */
    MPA_END_REJECTED,  /* by the peer, or by this end */
    MPA_END_BAD_FPDU,  /* impossible length */
    MPA_END_BAD_CRC,
    MPA_END_BAD_MARKER,
    MPA_END_NO_RTR,  /* Initiator: no common type; Responder: the peer's first FPDU is not the RTR agreed on */
    MPA_END_IRD_ORD, /* Initiator: the Reply asks for more Reads than the Request offered */
    MPA_END_LOCAL,   /* the Reply contradicts the Request in a way that has no error code */
    MPA_END_CUT_OFF, /* closed within an FPDU */
};

/* "an FPDU from the peer has a wrong CRC" */
const char *mpa_end_error_text(enum mpa_end_error error);

struct mpa_end_events {
    void *ctx;
    /* Responder with `manual`: the Request has come. Answered by mpa_end_reply(), now or later. */
    void (*requested)(void *ctx, const struct mpa_end_terms *terms);
    /* Full operation. */
    void (*established)(void *ctx, const struct mpa_end_terms *terms);
    /* The first FPDU may be sent: the Initiator's at once, the Responder's when the Initiator's first one has come. */
    void (*may_send)(void *ctx);
    /* One ULPDU, whose CRC is right; valid during the call. rtr: it is the RTR, for MPA alone. */
    void (*ulpdu)(void *ctx, const uint8_t *p, size_t n, bool rtr);
    /*
     * Nothing more will be passed up. The layers above send their Terminate (RFC 5040 section 4.8, layer LLP), when
     * there is one and mpa_end_may_send(); then this end closes by itself.
     */
    void (*error)(void *ctx, enum mpa_end_error error);
    /* The peer's FIN, in order, or its RST: nothing will be received any more. Always the last event, exactly once. */
    void (*ended)(void *ctx, bool reset);
};

struct mpa_end;

/* wish and events are copied, stream is borrowed. Events that are NULL are left out. */
struct mpa_end *mpa_end_new(const struct mpa_end_wish *wish, const struct stream *stream,
                            const struct mpa_end_events *events);
/* Not from within an event. */
void mpa_end_free(struct mpa_end *end);
/* The connection is established: the Initiator sends its Request, the Responder starts to wait for it. */
void mpa_end_start(struct mpa_end *end);
/* ULP private data of this end's frame, instead of those of the wish: for a Reply that depends on the Request. */
void mpa_end_set_private_data(struct mpa_end *end, const uint8_t *p, uint16_t n);
/* Responder with `manual`, after events.requested. accept false rejects. */
void mpa_end_reply(struct mpa_end *end, bool accept);

/* Octets of the peer's stream, in order; its FIN; its RST. Time passes. */
void mpa_end_receive(struct mpa_end *end, const uint8_t *p, size_t n);
void mpa_end_receive_fin(struct mpa_end *end);
void mpa_end_receive_reset(struct mpa_end *end);
void mpa_end_tick(struct mpa_end *end);

/* Of a Request or Reply that has come; NULL before. */
const struct mpa_end_terms *mpa_end_get_terms(const struct mpa_end *end);
/* Largest ULPDU that fits a segment now (MULPDU, section 4.5), or what is left of one. */
size_t mpa_end_ulpdu_max(const struct mpa_end *end);
bool mpa_end_may_send(const struct mpa_end *end);
/* Another FPDU follows the next one at once. */
void mpa_end_more(struct mpa_end *end);
/* One FPDU: head and body together are the ULPDU, of at most 65535 octets. Dropped unless mpa_end_may_send(). */
void mpa_end_send(struct mpa_end *end, const uint8_t *head, size_t head_n, const uint8_t *body, size_t body_n);
/* From now on nothing is sent, and what comes is ignored. reset: RST instead of FIN. */
void mpa_end_close(struct mpa_end *end, bool reset);
bool mpa_end_closed(const struct mpa_end *end);

/*
 * Faults: called with each start-up frame before it is encoded, each FPDU's plan before, and the octets after (of a
 * start-up frame too); may change them. Kept by the fault tables.
 *
 * And faults in how the peer's octets are judged: judge_frame and judge_fpdu are called with this end's own judgement
 * (an enum mpa_end_error, or MPA_END_RIGHT), and what they return counts. close: false keeps the connection open.
 */
enum { MPA_END_RIGHT = -1 };

struct mpa_end_spoil {
    void *ctx;
    void (*frame)(void *ctx, struct mpa_startup *frame);
    void (*plan)(void *ctx, struct mpa_fpdu_plan *plan);
    void (*octets)(void *ctx, uint8_t *p, size_t *n, size_t size);
    int (*judge_frame)(void *ctx, struct mpa_startup *frame, int error); /* may change it */
    int (*judge_fpdu)(void *ctx, const struct mpa_fpdu *fpdu, int error);
    bool (*close)(void *ctx, bool *reset);
    uint16_t ulpdu_max; /* instead of the MULPDU; 0: that */
    /* After octets of the peer were taken, and after a tick of the clock. */
    void (*received)(void *ctx);
    void (*tick)(void *ctx);
};
/* Copied; NULL ends it. */
void mpa_end_set_spoil(struct mpa_end *end, const struct mpa_end_spoil *spoil);

#endif
